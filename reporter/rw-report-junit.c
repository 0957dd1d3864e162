/* SPDX-License-Identifier: MIT */
/* The report as JUnit XML: a test case a finding; harmful ones fail, the rest pass and say why. */
#include "rw-encode.h"
#include "rw-report-private.h"

static void
append_attribute (GString *out, const char *name, const char *value)
{
  g_string_append_printf (out, " %s=\"", name);
  rw_encode_xml (out, value);
  g_string_append_c (out, '"');
}

static void
append_details (GString *out, const RwReport *self, const RwFinding *finding)
{
  const RwVerdict *v = finding->verdict;
  rw_encode_xml (out, v->unordered);
  g_string_append_c (out, '\n');
  rw_encode_xml (out, v->needs);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < v->differences->list->len && i < 20; i++)
    {
      g_autofree char *text = rw_difference_text (v->differences->list->pdata[i]);
      rw_encode_xml (out, text);
      g_string_append_c (out, '\n');
    }
  g_string_append (out, "racewalk replay ");
  rw_encode_xml (out, self->path);
  g_string_append_printf (out, " %u --show\n", finding->run);
}

static void
append_case (GString *out, const RwReport *self, const RwFinding *finding)
{
  const RwVerdict *v = finding->verdict;
  g_autofree char *name = g_strdup_printf ("%s [%s]", v->reason, finding->fingerprint);
  g_autofree char *class = g_strdup_printf ("racewalk.%s", rw_class_name (v->class));
  g_string_append (out, "    <testcase");
  append_attribute (out, "name", name);
  append_attribute (out, "classname", class);
  g_string_append (out, " time=\"0\">\n");
  if (finding->status == RW_STATUS_SUPPRESSED)
    {
      g_string_append (out, "      <skipped");
      append_attribute (out, "message", finding->note != NULL ? finding->note : "suppressed");
      g_string_append (out, "/>\n");
    }
  else
    {
      const char *element = finding->harm == RW_HARM_HARMFUL ? "failure" : "system-out";
      g_string_append_printf (out, "      <%s", element);
      if (finding->harm == RW_HARM_HARMFUL)
        {
          append_attribute (out, "message", v->reason);
          append_attribute (out, "type", rw_class_name (v->class));
        }
      g_string_append_c (out, '>');
      append_details (out, self, finding);
      g_string_append_printf (out, "</%s>\n", element);
    }
  g_string_append (out, "    </testcase>\n");
}

void
rw_report_emit_junit (const RwReport *self, GString *out)
{
  guint skipped = 0;
  for (guint i = 0; i < self->findings->len; i++)
    skipped += ((RwFinding *)self->findings->pdata[i])->status == RW_STATUS_SUPPRESSED;
  g_autofree char *counts = g_strdup_printf (" tests=\"%u\" failures=\"%u\" errors=\"0\"", self->findings->len,
                                             rw_report_count (self, RW_HARM_HARMFUL));
  g_string_append_printf (
      out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"racewalk\"%s time=\"0\">\n  <testsuite",
      counts);
  append_attribute (out, "name", self->url != NULL ? self->url : self->path);
  g_string_append_printf (out, "%s skipped=\"%u\" time=\"0\">\n", counts, skipped);
  for (guint i = 0; i < self->findings->len; i++)
    append_case (out, self, self->findings->pdata[i]);
  g_string_append (out, "  </testsuite>\n</testsuites>\n");
}
