/* SPDX-License-Identifier: MIT */
/* The report as one HTML file: summary first, then every finding; readable with scripts off, and nothing of the page
 * can run. */
#include "rw-assets.h"
#include "rw-encode.h"
#include "rw-report-html.h"

#include <string.h>

/* Pictures are most of the file; what does not fit any more is left out, the worst findings first served. */
#define PICTURE_BUDGET ((gsize)12 * 1024 * 1024)

static void
append_hash (GString *out, const char *text)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize length = sizeof digest;
  g_checksum_update (sum, (const guchar *)text, -1);
  g_checksum_get_digest (sum, digest, &length);
  g_autofree char *base64 = g_base64_encode (digest, length);
  g_string_append_printf (out, "'sha256-%s'", base64);
}

/* Only our own style and script, by their hashes; pictures only from inside the file; no request, no form, no frame. */
static void
append_head (GString *out, const RwReport *self)
{
  g_string_append (
      out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src ");
  append_hash (out, rw_asset_report_css);
  g_string_append (out, "; script-src ");
  append_hash (out, rw_asset_report_js);
  g_string_append_printf (out, "; connect-src %s; base-uri 'none'; form-action 'none'\">\n",
                          self->served ? "'self'" : "'none'");
  g_string_append (
      out, "<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
           "<title>Racewalk: ");
  rw_encode_html_text (out, self->url != NULL ? self->url : self->path);
  g_string_append_printf (out, "</title>\n<style>%s</style>\n</head>\n", rw_asset_report_css);
}

static void
append_number (GString *out, const char *class, guint n, const char *what)
{
  g_string_append_printf (out, "<li class=\"%s\"><b>%u</b> <span>%s</span></li>\n", class, n, what);
}

static char *
headline (const RwReport *self)
{
  guint harmful = rw_report_count (self, RW_HARM_HARMFUL), suspicious = rw_report_count (self, RW_HARM_SUSPICIOUS);
  guint reversals = self->grades[0] + self->grades[1] + self->grades[2];
  g_autofree char *tried = reversals == 1 ? g_strdup ("one reversal") : g_strdup_printf ("%u reversals", reversals);
  if (reversals == 0)
    return g_strdup ("No two events race.");
  if (harmful == 1)
    return g_strdup_printf ("One harmful race in %s.", tried);
  if (harmful > 1)
    return g_strdup_printf ("%u harmful races in %s.", harmful, tried);
  if (suspicious > 0)
    return g_strdup_printf ("Nothing harmful in %s, but something to look at.", tried);
  return g_strdup_printf ("Nothing harmful in %s.", tried);
}

/* What is harmful, in words; what is suspicious only where nothing is worse. */
static void
append_worst (GString *out, const RwReport *self)
{
  RwHarm worst = rw_report_count (self, RW_HARM_HARMFUL) > 0 ? RW_HARM_HARMFUL : RW_HARM_SUSPICIOUS;
  guint n = 0;
  if (rw_report_count (self, worst) == 0)
    {
      g_string_append (out, "<p class=\"fine\">Every order that was tried ends well.</p>\n");
      return;
    }
  g_string_append (out, "<ul class=\"worst\">\n");
  for (guint i = 0; i < self->findings->len && n < 12; i++)
    {
      const RwFinding *finding = self->findings->pdata[i];
      if (finding->status != RW_STATUS_NEW || finding->harm != worst)
        continue;
      n++;
      g_string_append_printf (out, "<li class=\"%s\"><a href=\"#f-%s\">", rw_harm_name (worst), finding->fingerprint);
      rw_encode_html_text (out, finding->verdict->reason);
      g_string_append (out, "</a></li>\n");
    }
  if (rw_report_count (self, worst) > n)
    g_string_append_printf (out, "<li class=\"%s\">and %u more below</li>\n", rw_harm_name (worst),
                            rw_report_count (self, worst) - n);
  g_string_append (out, "</ul>\n");
}

static void
append_summary (GString *out, const RwReport *self)
{
  g_autofree char *title = headline (self);
  g_string_append (out, "<body>\n<header>\n<p class=\"brand\"><strong>Racewalk</strong> &nbsp;<bdi>");
  rw_encode_html_text (out, self->url != NULL ? self->url : self->path);
  g_string_append_printf (out, "</bdi></p>\n<h1>%s</h1>\n<ul class=\"numbers\">\n", title);
  append_number (out, "harmful", rw_report_count (self, RW_HARM_HARMFUL), "harmful");
  append_number (out, "suspicious", rw_report_count (self, RW_HARM_SUSPICIOUS), "suspicious");
  append_number (out, "harmless", rw_report_count (self, RW_HARM_HARMLESS), "harmless");
  append_number (out, "runs", self->n_runs, self->n_runs == 1 ? "run" : "runs");
  if (self->max_depth > 1)
    append_number (out, "runs", self->max_depth, "reversals at most");
  if (self->n_known > 0)
    append_number (out, "runs", self->n_known, "known from the baseline");
  g_string_append (out, "</ul>\n</header>\n<main>\n");
  append_worst (out, self);
  for (guint i = 0; i < self->limits->len; i++)
    {
      g_string_append (out, "<p class=\"more\">Limit: ");
      rw_encode_html_text (out, self->limits->pdata[i]);
      g_string_append (out, "</p>\n");
    }
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

static void
append_tools (GString *out, const RwReport *self)
{
  static const char *const harms[] = { "harmful", "suspicious", "harmless" };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) classes = g_ptr_array_new ();
  for (guint i = 0; i < self->findings->len; i++)
    {
      const char *name = rw_class_name (((RwFinding *)self->findings->pdata[i])->verdict->class);
      if (g_hash_table_add (seen, (gpointer)name))
        g_ptr_array_add (classes, (gpointer)name);
    }
  g_ptr_array_sort (classes, by_text);
  g_string_append (out,
                   "<h2>Findings</h2>\n<div class=\"tools\" role=\"search\" hidden>\n"
                   "<input type=\"search\" id=\"search\" aria-label=\"Search the findings\" placeholder=\"Search\">\n");
  for (guint i = 0; i < G_N_ELEMENTS (harms); i++)
    g_string_append_printf (out, "<label><input type=\"checkbox\" value=\"%s\" checked> %s</label>\n", harms[i],
                            harms[i]);
  g_string_append (out, "<select id=\"class\" aria-label=\"Class\"><option value=\"\">every class</option>");
  for (guint i = 0; i < classes->len; i++)
    g_string_append_printf (out, "<option>%s</option>", (const char *)classes->pdata[i]);
  g_string_append (out, "</select>\n<button type=\"button\" id=\"theme\">Dark or light</button>\n"
                        "<p class=\"shown\" role=\"status\"></p>\n</div>\n");
}

/* Width and height from the header of a PNG; FALSE if it is none. */
static gboolean
png_size (GBytes *png, guint *width, guint *height)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (png, &size);
  if (size < 24 || memcmp (data, "\x89PNG\r\n\x1a\n", 8) != 0 || memcmp (data + 12, "IHDR", 4) != 0)
    return FALSE;
  *width = (guint)data[16] << 24 | (guint)data[17] << 16 | (guint)data[18] << 8 | data[19];
  *height = (guint)data[20] << 24 | (guint)data[21] << 16 | (guint)data[22] << 8 | data[23];
  return *width > 0 && *height > 0 && *width <= 65535 && *height <= 65535;
}

/* Each picture is in the file once and used by reference, however many findings show it. */
static void
append_pictures (GString *out, const RwReport *self, RwPictureSize *sizes)
{
  gsize used = 0;
  g_string_append (out, "<svg class=\"store\" aria-hidden=\"true\"><defs>\n");
  for (guint i = 0; i < self->pictures->len; i++)
    {
      GBytes *png = self->pictures->pdata[i];
      if (!png_size (png, &sizes[i].width, &sizes[i].height) || used + g_bytes_get_size (png) > PICTURE_BUDGET)
        {
          sizes[i].width = 0;
          continue;
        }
      used += g_bytes_get_size (png);
      g_autofree char *base64 = g_base64_encode (g_bytes_get_data (png, NULL), g_bytes_get_size (png));
      g_string_append_printf (out, "<image id=\"p%u\" width=\"%u\" height=\"%u\" href=\"data:image/png;base64,%s\"/>\n",
                              i + 1, sizes[i].width, sizes[i].height, base64);
    }
  g_string_append (out, "</defs></svg>\n");
}

void
rw_report_emit_html (const RwReport *self, GString *out)
{
  g_autofree RwPictureSize *sizes = g_new0 (RwPictureSize, self->pictures->len + 1);
  append_head (out, self);
  append_summary (out, self);
  append_tools (out, self);
  append_pictures (out, self, sizes);
  for (guint i = 0; i < self->findings->len; i++)
    rw_html_finding (out, self, self->findings->pdata[i], sizes,
                     i == 0 && ((RwFinding *)self->findings->pdata[i])->harm > RW_HARM_HARMLESS);
  g_string_append (
      out, "</main>\n<footer>\n<p class=\"keys\"><kbd>j</kbd> <kbd>k</kbd> next, previous &nbsp; <kbd>o</kbd> open, "
           "close &nbsp; "
           "<kbd>/</kbd> search &nbsp; <kbd>1</kbd> <kbd>2</kbd> <kbd>3</kbd> harmful, suspicious, harmless &nbsp; "
           "<kbd>t</kbd> dark or light</p>\n<p>Made by racewalk " RACEWALK_VERSION " from ");
  rw_encode_html_text (out, self->path);
  g_string_append_printf (
      out,
      ". Nothing in this file came from the network, and no script of the page can run in it.</p>\n</footer>\n"
      "<script>%s</script>\n</body>\n</html>\n",
      rw_asset_report_js);
}
