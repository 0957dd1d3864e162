/* SPDX-License-Identifier: MIT */
/* Scenario files: what is understood, and what the error line says when it is not. */
#include "rw-scenario.h"

#include <string.h>

static char *
summary (const RwScenario *scenario)
{
  GString *text = g_string_new (NULL);
  const GPtrArray *steps = rw_scenario_steps (scenario);
  for (guint i = 0; i < steps->len; i++)
    {
      const RwStep *step = steps->pdata[i];
      g_string_append_printf (text, "%s[%s|%s|%d]", step->op, step->selector == NULL ? "-" : step->selector,
                              step->text == NULL ? "-" : step->text, step->wait);
    }
  const GPtrArray *latencies = rw_scenario_latencies (scenario);
  for (guint i = 0; i < latencies->len; i++)
    {
      const RwStepLatency *latency = latencies->pdata[i];
      g_string_append_printf (text, "{%s %u}", latency->pattern, latency->latency_ms);
    }
  return g_string_free (text, FALSE);
}

static void
test_understood (void)
{
  static const struct
  {
    const char *text;
    const char *expected;
  } cases[] = {
    { "", "" },
    { "# nothing\n\n   \n", "" },
    { "click #next", "click[#next|-|10]" },
    { "  type   #q  \"green tea\"  ", "type[#q|green tea|10]" },
    { "type #q \"a \\\"b\\\" \\\\\"", "type[#q|a \"b\" \\|10]" },
    { "click \"ul > li\"", "click[ul > li|-|10]" },
    { "press Enter", "press[-|Enter|10]" },
    { "press Enter #q", "press[#q|Enter|10]" },
    { "wait 30\nclick a\nclick b", "click[a|-|40]click[b|-|10]" },
    { "wait 30\nwait 5\nclick a", "click[a|-|45]" },
    { "wait\nclick a", "click[a|-|-1]" },
    { "latency */x.js 70\nhover .menu", "hover[.menu|-|10]{*/x.js 70}" },
    { "select #s \"B\"\r\ncheck #c\r\n", "select[#s|B|10]check[#c|-|10]" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (RwScenario) scenario = rw_scenario_parse (cases[i].text, "s", &error);
      g_assert_no_error (error);
      g_autofree char *got = summary (scenario);
      g_assert_cmpstr (got, ==, cases[i].expected);
    }
}

static void
test_errors_name_the_line (void)
{
  static const struct
  {
    const char *text;
    const char *message;
  } cases[] = {
    { "clack #a", "s:1: no step 'clack'" },
    { "click #a\nclick", "s:2: wrong number of words; write: click SELECTOR" },
    { "\n# x\ntype #a", "s:3: wrong number of words" },
    { "type #a \"b", "s:1: a quote is not closed" },
    { "wait soon", "s:1: 'soon' is no number of milliseconds" },
    { "wait -1", "s:1: '-1' is no number of milliseconds" },
    { "latency *.js 99999999999", "s:1: '99999999999' is no number of milliseconds" },
    { "click \xff", "s: not UTF-8 text" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (RwScenario) scenario = rw_scenario_parse (cases[i].text, "s", &error);
      g_assert_null (scenario);
      g_assert_nonnull (error);
      g_assert_true (g_str_has_prefix (error->message, cases[i].message));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorder/scenario/understood", test_understood);
  g_test_add_func ("/recorder/scenario/errors-name-the-line", test_errors_name_the_line);
  return g_test_run ();
}
