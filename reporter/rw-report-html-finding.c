/* SPDX-License-Identifier: MIT */
/* One finding in the HTML report: the two orders, the pictures, the source, what differs, how to see it again. */
#include "rw-encode.h"
#include "rw-report-html.h"

#include <string.h>

#define DIFFERENCES_SHOWN 40

static void
append_tag (GString *out, const char *text)
{
  g_string_append_printf (out, "<span class=\"tag\">%s</span> ", text);
}

static void
append_tags (GString *out, const RwFinding *finding)
{
  const RwVerdict *v = finding->verdict;
  g_autofree const char **labels = rw_label_names (v->labels);
  g_string_append_printf (out, "<p class=\"tags\"><span class=\"tag harm\">%s</span> ", rw_harm_name (finding->harm));
  if (v->class != RW_CLASS_NONE)
    append_tag (out, rw_class_name (v->class));
  append_tag (out, rw_grade_name (v->grade));
  append_tag (out, rw_likelihood_name (v->likelihood));
  for (guint i = 0; labels[i] != NULL; i++)
    if (g_strcmp0 (labels[i], rw_class_name (v->class)) != 0)
      append_tag (out, labels[i]);
  if (finding->mark != NULL)
    append_tag (out, "marked by a person");
  if (finding->status != RW_STATUS_NEW)
    append_tag (out, rw_status_name (finding->status));
  g_string_append_printf (out, "<span class=\"tag\">run %u%s</span></p>\n", finding->run,
                          finding->runs->len > 1 ? " and others" : "");
}

static void
append_line (GString *out, const char *what, const char *text)
{
  if (text == NULL || *text == '\0')
    return;
  g_string_append_printf (out, "<li><b>%s</b> ", what);
  rw_encode_html_text (out, text);
  g_string_append (out, "</li>\n");
}

static void
append_explanation (GString *out, const RwFinding *finding)
{
  const RwVerdict *v = finding->verdict;
  g_string_append (out, "<ul class=\"explain\">\n");
  append_line (out, "Why nothing orders them:", v->unordered);
  append_line (out, "What it takes:", v->needs);
  append_line (out, "They meet in:", v->location);
  append_line (out, "Note:", finding->note);
  g_string_append (out, "</ul>\n");
}

static void
append_row (GString *out, const RwRow *row)
{
  static const char *const classes[] = { "plain", "a", "b", "only", "gap" };
  g_string_append_printf (out, "<li class=\"%s\">", classes[row->mark]);
  if (row->mark != RW_ROW_GAP)
    g_string_append_printf (out, "<span class=\"letter\">%s</span><span class=\"kind\">%s</span>",
                            row->mark == RW_ROW_FIRST    ? "A"
                            : row->mark == RW_ROW_SECOND ? "B"
                                                         : "",
                            rw_kind_name (row->kind));
  g_string_append (out, "<bdi>");
  rw_encode_html_text (out, row->label);
  g_string_append_printf (out, "</bdi>%s</li>\n", row->mark == RW_ROW_ONLY ? "<em>only here</em>" : "");
}

static void
append_order (GString *out, const char *title, GPtrArray *rows)
{
  g_string_append_printf (out, "<section><h4>%s</h4>\n<ol class=\"order\">\n", title);
  for (guint i = 0; i < rows->len; i++)
    append_row (out, rows->pdata[i]);
  g_string_append (out, "</ol></section>\n");
}

static void
append_orders (GString *out, const RwFinding *finding)
{
  g_autofree char *before
      = finding->parent == 0 ? g_strdup ("As recorded") : g_strdup_printf ("Run %u", finding->parent);
  g_autofree char *after = g_strdup_printf ("Run %u: reversed", finding->run);
  g_string_append (out, "<div class=\"pair\">\n");
  append_order (out, before, finding->before);
  append_order (out, after, finding->after);
  g_string_append (out, "</div>\n");
}

/* What is far above and below the difference is cut off, so that small ones are seen. */
#define MARGIN 140u

static void
append_picture (GString *out, guint index, const RwPictureSize *sizes, const RwBox *box, const char *title)
{
  const RwPictureSize *size = &sizes[index - 1];
  guint top = box->width > 0 && box->y > MARGIN ? box->y - MARGIN : 0;
  guint bottom = box->width > 0 ? MIN (size->height, MAX (box->y + box->height + MARGIN, top + 320)) : size->height;
  g_string_append_printf (
      out,
      "<figure><figcaption>%s</figcaption><svg viewBox=\"0 %u %u %u\" role=\"img\" aria-label=\"The page %s\">"
      "<use href=\"#p%u\"/>",
      title, top, size->width, bottom > top ? bottom - top : size->height, title, index);
  if (box->width > 0)
    g_string_append_printf (out, "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\" rx=\"4\"/>",
                            (int)box->x - 4, (int)box->y - 4, box->width + 8, box->height + 8);
  g_string_append (out, "</svg></figure>\n");
}

static void
append_pictures (GString *out, const RwFinding *finding, const RwPictureSize *sizes)
{
  guint a = finding->picture_before, b = finding->picture_after;
  if (a == 0 || b == 0)
    return;
  if (sizes[a - 1].width == 0 || sizes[b - 1].width == 0)
    {
      g_string_append (
          out,
          "<p class=\"more\">The pictures are left out to keep this file small; replay the run to see them.</p>\n");
      return;
    }
  if (a == b)
    {
      g_string_append (out, "<p class=\"more\">Both orders look the same.</p>\n");
      return;
    }
  g_string_append (
      out, "<section><h4>What people see</h4>\n<div class=\"views\" hidden>"
           "<button type=\"button\" data-view=\"both\" aria-pressed=\"true\">Side by side</button>"
           "<button type=\"button\" data-view=\"slide\" aria-pressed=\"false\">Slider</button>"
           "<button type=\"button\" data-view=\"blend\" aria-pressed=\"false\">Difference</button>"
           "<input type=\"range\" min=\"0\" max=\"100\" value=\"50\" aria-label=\"Where the two pictures meet\" hidden>"
           "</div>\n<div class=\"pictures\">\n");
  append_picture (out, a, sizes, &finding->verdict->box, "before the reversal");
  append_picture (out, b, sizes, &finding->verdict->box, "after the reversal");
  g_string_append (out, "</div></section>\n");
}

static void
append_source (GString *out, const RwSource *source)
{
  if (source == NULL)
    return;
  if (source->lines[0] != NULL)
    g_string_append (out, "<pre tabindex=\"0\">");
  for (guint i = 0; source->lines[i] != NULL; i++)
    {
      g_string_append_printf (out, "<code%s><span class=\"n\">%u</span>",
                              source->line + i == source->marked ? " class=\"hit\"" : "", source->line + i);
      rw_encode_html_text (out, source->lines[i]);
      g_string_append (out, "\n</code>");
    }
  if (source->lines[0] != NULL)
    g_string_append (out, "</pre>");
  g_string_append (out, "<p class=\"place\">");
  rw_encode_html_text (out, source->url);
  g_string_append_printf (out, ", line %u", source->marked);
  if (source->column > 0)
    g_string_append_printf (out, ", column %u", source->column);
  g_string_append (out, "</p>\n");
}

static void
append_access (GString *out, const RwVerdict *v, const RwAccess *access, const RwSource *source, const char *letter)
{
  g_string_append_printf (out, "<div><p class=\"access\"><span class=\"letter %s\">%c</span> <b><bdi>", letter,
                          letter[0] - 'a' + 'A');
  rw_encode_html_text (out, access->event);
  g_string_append_printf (out, "</bdi></b> %s <bdi>", access->action);
  rw_encode_html_text (out, v->location);
  g_string_append (out, "</bdi>");
  if (access->value != NULL)
    {
      g_string_append (out, ": ");
      rw_encode_html_text (out, access->value);
    }
  g_string_append (out, "</p>\n");
  append_source (out, source);
  g_string_append (out, "</div>\n");
}

static void
append_value (GString *out, const char *value, const char *class)
{
  if (value == NULL)
    {
      g_string_append (out, "<td class=\"none\">none</td>");
      return;
    }
  g_string_append_printf (out, "<td class=\"value %s\">", class);
  if (*value == '\0')
    g_string_append (out, "<i>empty</i>");
  rw_encode_html_text (out, value);
  g_string_append (out, "</td>");
}

static void
append_difference (GString *out, const RwDifference *d)
{
  g_string_append_printf (out, "<tr><td>%s</td><td class=\"where\"", rw_aspect_name (d->aspect));
  if (d->xpath != NULL)
    {
      g_string_append (out, " title=\"");
      rw_encode_html_attribute (out, d->xpath);
      g_string_append_c (out, '"');
    }
  g_string_append_c (out, '>');
  rw_encode_html_text (out, d->where);
  g_string_append (out, "</td>");
  append_value (out, d->before, "before");
  append_value (out, d->after, "after");
  g_string_append (out, "</tr>\n");
}

static void
append_differences (GString *out, const RwVerdict *v)
{
  guint total = rw_differences_total (v->differences), shown = MIN (v->differences->list->len, DIFFERENCES_SHOWN);
  if (total == 0)
    return;
  g_string_append (
      out,
      "<section><h4>What differs in the end</h4>\n<table><colgroup><col class=\"what\"><col><col><col></colgroup>"
      "<thead><tr><th scope=\"col\">what</th><th scope=\"col\">where</th><th scope=\"col\">before the reversal</th>"
      "<th scope=\"col\">after</th></tr></thead>\n<tbody>\n");
  for (guint i = 0; i < shown; i++)
    append_difference (out, v->differences->list->pdata[i]);
  g_string_append (out, "</tbody></table>\n");
  if (total > shown)
    g_string_append_printf (out, "<p class=\"more\">and %u more; --format json has up to %d of each kind</p>\n",
                            total - shown, RW_DIFFERENCES_KEPT);
  g_string_append (out, "</section>\n");
}

static void
append_command (GString *out, const RwReport *report, const char *before, const char *after)
{
  /* Quotes only where a shell needs them. */
  gboolean simple = strspn (report->path, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "/._-+:@") == strlen (report->path);
  g_autofree char *quoted = simple ? g_strdup (report->path) : g_shell_quote (report->path);
  g_string_append_printf (out, "<div class=\"command\"><pre tabindex=\"0\"><code>racewalk %s ", before);
  rw_encode_html_text (out, quoted);
  g_string_append_printf (out, " %s</code></pre><button type=\"button\" class=\"copy\" hidden>Copy</button></div>\n",
                          after);
}

static void
append_again (GString *out, const RwReport *report, const RwFinding *finding)
{
  g_autofree char *replay = g_strdup_printf ("%u --show", finding->run);
  g_autofree char *mark = g_strdup_printf ("%s harmless --note &quot;why&quot;", finding->fingerprint);
  g_string_append (out, "<section><h4>See it again</h4>\n");
  append_command (out, report, "replay", replay);
  if (finding->runs->len > 1)
    {
      g_string_append (out, "<p class=\"more\">The same in runs");
      for (guint i = 0; i < finding->runs->len && i < 30; i++)
        g_string_append_printf (out, "%s %u", i > 0 ? "," : "", g_array_index (finding->runs, guint, i));
      g_string_append_printf (out, "%s; this is the one with the fewest reversals.</p>\n",
                              finding->runs->len > 30 ? " ..." : "");
    }
  g_string_append (out, "</section>\n<section><h4>Not a problem?</h4>\n");
  if (!report->served)
    append_command (out, report, "mark", mark);
  else
    {
      g_string_append_printf (out,
                              "<div class=\"triage\" data-fingerprint=\"%s\"><input class=\"note\" aria-label=\"Note\" "
                              "placeholder=\"Why?\" value=\"",
                              finding->fingerprint);
      rw_encode_html_attribute (out, finding->note);
      g_string_append_printf (
          out,
          "\"><button type=\"button\" value=\"harmless\" aria-pressed=\"%s\">Harmless</button>"
          "<button type=\"button\" value=\"harmful\" aria-pressed=\"%s\">Harmful</button>"
          "<button type=\"button\" value=\"\">No mark</button> <span class=\"said\" role=\"status\"></span></div>\n",
          g_strcmp0 (finding->mark, "harmless") == 0 ? "true" : "false",
          g_strcmp0 (finding->mark, "harmful") == 0 ? "true" : "false");
    }
  g_string_append (out, "</section>\n");
}

void
rw_html_finding (GString *out, const RwReport *report, const RwFinding *finding, const RwPictureSize *sizes,
                 gboolean open)
{
  const RwVerdict *v = finding->verdict;
  const char *harm = rw_harm_name (finding->harm);
  g_string_append_printf (out,
                          "<details class=\"finding %s\" id=\"f-%s\" data-harm=\"%s\" data-class=\"%s\"%s>\n<summary>",
                          harm, finding->fingerprint, harm, rw_class_name (v->class), open ? " open" : "");
  append_tags (out, finding);
  g_string_append (out, "<h3>");
  rw_encode_html_text (out, v->reason);
  g_string_append (out, "</h3></summary>\n<div class=\"body\">\n");
  append_explanation (out, finding);
  append_orders (out, finding);
  append_pictures (out, finding, sizes);
  g_string_append (out, "<section><h4>Where they meet in the source</h4>\n<div class=\"pair\">\n");
  append_access (out, v, &v->first, finding->first_source, "a");
  append_access (out, v, &v->second, finding->second_source, "b");
  g_string_append (out, "</div></section>\n");
  append_differences (out, v);
  append_again (out, report, finding);
  g_string_append (out, "</div>\n</details>\n");
}
