/* SPDX-License-Identifier: MIT */
/* The report for terminals, and the choice among the formats. */
#include "rw-report-private.h"

#include <string.h>

#define DIFFERENCES_SHOWN 5

typedef struct
{
  const char *red, *yellow, *green, *bold, *faint, *end;
} Colours;

static const Colours no_colours = { "", "", "", "", "", "" };
static const Colours all_colours = { "\033[31m", "\033[33m", "\033[32m", "\033[1m", "\033[2m", "\033[0m" };

/* What a page made must not steer the terminal. */
static void
append_safe (GString *out, const char *text)
{
  for (const char *p = text != NULL ? text : ""; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);
      gboolean control = g_unichar_iscntrl (c) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
      g_string_append_unichar (out, control ? (c == '\n' || c == '\t' ? ' ' : 0xfffd) : c);
    }
}

static const char *
plural (guint n)
{
  return n == 1 ? "" : "s";
}

static void
append_access (GString *out, const char *when, const RwAccess *access, const char *location)
{
  g_string_append_printf (out, "    %s ", when);
  append_safe (out, access->event);
  g_string_append_printf (out, " %s ", access->action);
  append_safe (out, location != NULL ? location : "");
  if (access->place != NULL)
    {
      g_string_append (out, " at ");
      append_safe (out, access->place);
    }
  g_string_append_c (out, '\n');
}

static void
append_finding (GString *out, const RwReport *self, const RwFinding *finding, const Colours *c)
{
  const RwVerdict *v = finding->verdict;
  const char *colour = finding->harm == RW_HARM_HARMFUL      ? c->red
                       : finding->harm == RW_HARM_SUSPICIOUS ? c->yellow
                                                             : c->green;
  g_string_append_printf (out, "\n%s%s%s%s %s, %s%s%s%s\n  ", c->bold, colour, rw_harm_name (finding->harm), c->end,
                          rw_class_name (v->class), rw_likelihood_name (v->likelihood),
                          finding->mark != NULL ? " (marked)" : "",
                          finding->status == RW_STATUS_SUPPRESSED ? " (suppressed)" : "",
                          v->grade == RW_GRADE_APPROXIMATE ? ", approximately equivalent" : "");
  append_safe (out, v->reason);
  g_string_append_printf (out, "\n%s", c->faint);
  append_access (out, "was first:", &v->first, v->location);
  append_access (out, "now first:", &v->second, v->location);
  g_string_append_printf (out, "    needs: ");
  append_safe (out, v->needs);
  for (guint i = 0; i < v->differences->list->len && i < DIFFERENCES_SHOWN; i++)
    {
      g_autofree char *text = rw_difference_text (v->differences->list->pdata[i]);
      g_string_append_printf (out,
                              "\n    %s: ", rw_aspect_name (((RwDifference *)v->differences->list->pdata[i])->aspect));
      append_safe (out, text);
    }
  if (rw_differences_total (v->differences) > DIFFERENCES_SHOWN)
    g_string_append_printf (out, "\n    and %u more differences",
                            rw_differences_total (v->differences) - DIFFERENCES_SHOWN);
  g_string_append_printf (out, "\n    %s  run %u", finding->fingerprint, finding->run);
  if (finding->runs->len > 1)
    g_string_append_printf (out, " and %u more", finding->runs->len - 1);
  g_string_append (out, ": racewalk replay ");
  append_safe (out, self->path);
  g_string_append_printf (out, " %u --show%s\n", finding->run, c->end);
}

static void
append_headline (GString *out, const RwReport *self, const Colours *c)
{
  guint harmful = rw_report_count (self, RW_HARM_HARMFUL), suspicious = rw_report_count (self, RW_HARM_SUSPICIOUS);
  guint harmless = rw_report_count (self, RW_HARM_HARMLESS),
        suppressed = self->findings->len - harmful - suspicious - harmless;
  g_string_append (out, c->bold);
  append_safe (out, self->url != NULL ? self->url : self->path);
  g_string_append_printf (out, "%s: %u run%s up to %u reversal%s\n", c->end, self->n_runs, plural (self->n_runs),
                          self->max_depth, plural (self->max_depth));
  g_string_append_printf (out, "  %s%u harmful%s, %s%u suspicious%s, %s%u harmless%s", harmful > 0 ? c->red : "",
                          harmful, c->end, suspicious > 0 ? c->yellow : "", suspicious, c->end, c->green, harmless,
                          c->end);
  if (suppressed > 0)
    g_string_append_printf (out, ", %u suppressed", suppressed);
  if (self->n_known > 0)
    g_string_append_printf (out, ", %u known", self->n_known);
  g_string_append_printf (out, "  (reversals: %u equivalent, %u approximately, %u different)\n",
                          self->grades[RW_GRADE_EQUIVALENT], self->grades[RW_GRADE_APPROXIMATE],
                          self->grades[RW_GRADE_DIFFERENT]);
}

char *
rw_report_text (const RwReport *self, gboolean colours)
{
  const Colours *c = colours ? &all_colours : &no_colours;
  GString *out = g_string_new (NULL);
  append_headline (out, self, c);
  for (guint i = 0; i < self->findings->len; i++)
    {
      const RwFinding *finding = self->findings->pdata[i];
      /* Equal end states are counted in the headline; a terminal is no place for each of them. */
      if (finding->verdict->grade != RW_GRADE_EQUIVALENT || finding->mark != NULL)
        append_finding (out, self, finding, c);
    }
  for (guint i = 0; i < self->limits->len; i++)
    {
      g_string_append (out, "  limit: ");
      append_safe (out, self->limits->pdata[i]);
      g_string_append_c (out, '\n');
    }
  return g_string_free (out, FALSE);
}

static const struct
{
  const char *name, *extension;
} formats[] = { { "text", "txt" }, { "json", "json" }, { "html", "html" }, { "sarif", "sarif" }, { "junit", "xml" } };

gboolean
rw_report_format_from_name (const char *name, RwReportFormat *format)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (strcmp (formats[i].name, name) == 0)
      {
        *format = (RwReportFormat)i;
        return TRUE;
      }
  return FALSE;
}

const char *
rw_report_format_extension (RwReportFormat format)
{
  return formats[format].extension;
}

gboolean
rw_fail_on_from_name (const char *name, RwFailOn *fail_on)
{
  static const char *const names[] = { "harmful", "suspicious", "any", "none" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i], name) == 0)
      {
        *fail_on = (RwFailOn)i;
        return TRUE;
      }
  return FALSE;
}

GBytes *
rw_report_emit (const RwReport *self, RwReportFormat format)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *text = NULL;
  switch (format)
    {
    case RW_REPORT_JSON:
      rw_report_emit_json (self, out);
      break;
    case RW_REPORT_HTML:
      rw_report_emit_html (self, out);
      break;
    case RW_REPORT_SARIF:
      rw_report_emit_sarif (self, out);
      break;
    case RW_REPORT_JUNIT:
      rw_report_emit_junit (self, out);
      break;
    default:
      text = rw_report_text (self, FALSE);
      g_string_append (out, text);
    }
  return g_string_free_to_bytes (g_steal_pointer (&out));
}

gboolean
rw_report_write (const RwReport *self, RwReportFormat format, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = rw_report_emit (self, format);
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  return g_file_set_contents (path, data, size, error);
}
