/* SPDX-License-Identifier: MIT */
/* A finding as a Playwright test: the answer that has to be late is held with page.route, the rest is done by hand, and
 * the good end is expected. What can't be forced from outside (timers, pieces of a document) is said in the test
 * instead of pretended. */
#include "rw-report-private.h"
#include "rw-scenario.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* A JavaScript string literal; JSON is one since ES2019. */
static char *
literal (const char *text)
{
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), text != NULL ? text : "");
  return json_to_string (node, FALSE);
}

/* In a line comment nothing may end the line. */
static char *
comment (const char *text)
{
  char *copy = g_utf8_make_valid (text != NULL ? text : "", -1);
  for (char *p = copy; *p != '\0'; p++)
    if (g_ascii_iscntrl (*p))
      *p = ' ';
  /* U+2028 and U+2029 end lines too. */
  static const char *const ends[] = { "\342\200\250", "\342\200\251" };
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    for (char *p = strstr (copy, ends[i]); p != NULL; p = strstr (p, ends[i]))
      memset (p, ' ', 3);
  return copy;
}

static RwEventKind
kind_of (const RwFinding *finding, RwRowMark mark)
{
  GPtrArray *lists[] = { finding->before, finding->after };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    for (guint k = 0; k < lists[i]->len; k++)
      if (((RwRow *)lists[i]->pdata[k])->mark == mark)
        return ((RwRow *)lists[i]->pdata[k])->kind;
  return RW_KIND_OTHER;
}

/* The address in a label such as "answer to GET /a.json (fetch)" or "load of img /a.png"; NULL if there is none. */
static char *
address_in (const char *label)
{
  g_auto (GStrv) words = g_strsplit (label, " ", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] == '/' || g_str_has_prefix (words[i], "http://") || g_str_has_prefix (words[i], "https://"))
      return g_strdup (words[i]);
  return NULL;
}

static gboolean
is_answer (RwEventKind kind)
{
  return kind == RW_KIND_NETWORK || kind == RW_KIND_SCRIPT || kind == RW_KIND_LOAD;
}

/* A scenario step as a Playwright action; NULL for one that is none. */
static char *
action_of (const RwStep *step)
{
  static const char *const plain[] = { "click", "hover", "check", "uncheck", "blur", NULL };
  g_autofree char *selector = step->selector != NULL ? literal (step->selector) : NULL;
  g_autofree char *text = literal (step->text);
  if (strcmp (step->op, "press") == 0 && selector == NULL)
    return g_strdup_printf ("page.keyboard.press(%s)", text);
  if (selector == NULL)
    return NULL;
  if (strcmp (step->op, "press") == 0)
    return g_strdup_printf ("page.locator(%s).press(%s)", selector, text);
  if (strcmp (step->op, "type") == 0)
    return g_strdup_printf ("page.locator(%s).pressSequentially(%s)", selector, text);
  if (strcmp (step->op, "select") == 0)
    return g_strdup_printf ("page.locator(%s).selectOption(%s)", selector, text);
  return g_strv_contains (plain, step->op) ? g_strdup_printf ("page.locator(%s).%s()", selector, step->op) : NULL;
}

/* The action of an event of the user, whose label is the line of the scenario. */
static char *
action (const char *line)
{
  g_autoptr (RwScenario) scenario = rw_scenario_parse (line, "step", NULL);
  const GPtrArray *steps = scenario != NULL ? rw_scenario_steps (scenario) : NULL;
  return steps != NULL && steps->len == 1 ? action_of (steps->pdata[0]) : NULL;
}

/* "ul#list > li:2 > text" -> "ul#list > li:nth-of-type(2)". */
static char *
selector_of (const char *where)
{
  g_auto (GStrv) steps = g_strsplit (where, " > ", -1);
  g_autoptr (GString) out = g_string_new (NULL);
  for (guint i = 0; steps[i] != NULL; i++)
    {
      g_autofree char *step = g_strndup (steps[i], strcspn (steps[i], " "));
      char *colon = strrchr (step, ':'), *hash = strchr (step, '#');
      if (g_str_has_prefix (step, "text") && steps[i + 1] == NULL)
        break;
      if (out->len > 0)
        g_string_append (out, " > ");
      if (hash != NULL && hash != step)
        g_string_append_printf (out, "%.*s[id=\"%s\"]", (int)(hash - step), step, hash + 1);
      else if (colon != NULL)
        g_string_append_printf (out, "%.*s:nth-of-type(%s)", (int)(colon - step), step, colon + 1);
      else
        g_string_append (out, step);
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static const RwDifference *
difference_of (const RwVerdict *v, RwAspect aspect)
{
  for (guint i = 0; i < v->differences->list->len; i++)
    if (((RwDifference *)v->differences->list->pdata[i])->aspect == aspect)
      return v->differences->list->pdata[i];
  return NULL;
}

static void
append_form_check (GString *out, const RwDifference *d)
{
  g_autofree char *selector = selector_of (d->where);
  g_autofree char *quoted = literal (selector);
  g_autofree char *value = literal (d->before);
  if (g_str_has_suffix (d->where, ":checked"))
    g_string_append_printf (out, "  await expect(page.locator(%s)).toBeChecked({ checked: %s });\n", quoted,
                            g_strcmp0 (d->before, "true") == 0 ? "true" : "false");
  else if (g_str_has_suffix (d->where, ":selectedIndex"))
    g_string_append_printf (out, "  await expect(page.locator(%s)).toHaveJSProperty(\"selectedIndex\", %s);\n", quoted,
                            d->before != NULL && g_ascii_isdigit (*d->before) ? d->before : "-1");
  else
    g_string_append_printf (out, "  await expect(page.locator(%s)).toHaveValue(%s);\n", quoted, value);
}

static void
append_dom_check (GString *out, const RwDifference *d)
{
  g_autofree char *selector = selector_of (d->where);
  g_autofree char *quoted = literal (selector);
  g_autofree char *text = literal (d->before);
  const char *space = strrchr (d->where, ' ');
  g_autofree char *attribute = literal (space != NULL ? space + 1 : "");
  if (g_str_has_suffix (d->where, "> text") && d->before != NULL)
    g_string_append_printf (out, "  await expect(page.locator(%s)).toContainText(%s);\n", quoted, text);
  else if (d->before == NULL && d->after != NULL && *d->after == '<')
    g_string_append_printf (out, "  await expect(page.locator(%s)).toHaveCount(0);\n", quoted);
  else if (d->after == NULL && d->before != NULL && *d->before == '<')
    g_string_append_printf (out, "  await expect(page.locator(%s)).not.toHaveCount(0);\n", quoted);
  else if (d->before != NULL)
    g_string_append_printf (out, "  await expect(page.locator(%s)).toHaveAttribute(%s, %s);\n", quoted, attribute,
                            text);
  else
    g_string_append_printf (out, "  await expect(page.locator(%s)).not.toHaveAttribute(%s);\n", quoted, attribute);
}

static void
append_checks (GString *out, const RwVerdict *v)
{
  const RwDifference *d;
  gsize before = out->len;
  if (difference_of (v, RW_ASPECT_ERROR) != NULL)
    g_string_append (out, "  expect(errors).toEqual([]);\n");
  if ((d = difference_of (v, RW_ASPECT_FORM)) != NULL)
    append_form_check (out, d);
  if ((d = difference_of (v, RW_ASPECT_DOM)) != NULL)
    append_dom_check (out, d);
  if ((d = difference_of (v, RW_ASPECT_TITLE)) != NULL)
    {
      g_autofree char *title = literal (d->before);
      g_string_append_printf (out, "  await expect(page).toHaveTitle(%s);\n", title);
    }
  if (out->len == before)
    {
      g_autofree char *reason = comment (v->reason);
      g_string_append_printf (out, "  // No check could be written for: %s\n", reason);
    }
}

/* The steps before the one that has to come early, then that one, then the rest when the held answer was let go. */
static void
append_steps (GString *out, const RwReport *self, const char *early, gboolean before)
{
  g_autoptr (RwScenario) scenario = rw_scenario_parse (self->scenario != NULL ? self->scenario : "", "scenario", NULL);
  const GPtrArray *steps = scenario != NULL ? rw_scenario_steps (scenario) : NULL;
  gboolean passed = early == NULL;
  for (guint i = 0; steps != NULL && i < steps->len; i++)
    {
      const RwStep *step = steps->pdata[i];
      g_autofree char *text = action_of (step);
      gboolean is_early = early != NULL && strcmp (step->line, early) == 0;
      if (text != NULL && (before ? !passed && !is_early : passed && !is_early))
        g_string_append_printf (out, "  await %s;\n", text);
      passed = passed || is_early;
    }
}

static void
append_forced (GString *out, const RwReport *self, const RwFinding *finding, RwEventKind second)
{
  const RwVerdict *v = finding->verdict;
  g_autofree char *held = address_in (v->first.event);
  g_autofree char *early = address_in (v->second.event);
  g_autofree char *late_pattern = g_strdup_printf ("**%s", held);
  g_autofree char *late = literal (g_str_has_prefix (held, "/") ? late_pattern : held);
  g_autofree char *url = literal (self->url);
  g_string_append_printf (out,
                          "  let letGo;\n  const gate = new Promise(resolve => { letGo = resolve; });\n"
                          "  await page.route(%s, async route => { await gate; await route.continue(); });\n",
                          late);
  g_string_append_printf (out, "  await page.goto(%s, { waitUntil: \"commit\" });\n", url);
  if (second == RW_KIND_USER)
    {
      g_autofree char *step = action (v->second.event);
      append_steps (out, self, v->second.event, TRUE);
      g_string_append_printf (out, "  await %s;\n", step);
    }
  else
    {
      append_steps (out, self, NULL, FALSE);
      g_autofree char *text = early != NULL ? literal (early) : NULL;
      if (text != NULL)
        g_string_append_printf (out, "  await page.waitForResponse(response => response.url().endsWith(%s));\n", text);
      g_string_append (out, "  await page.waitForTimeout(100); // the answer is there; this lets the page use it\n");
    }
  g_string_append (out, "  letGo();\n");
  if (second == RW_KIND_USER)
    append_steps (out, self, v->second.event, FALSE);
  g_string_append (out, "  await page.waitForLoadState(\"networkidle\");\n");
}

char *
rw_report_playwright (const RwReport *self, const char *name, GError **error)
{
  const char *fingerprint = rw_report_find (self, name, error);
  if (fingerprint == NULL)
    return NULL;
  const RwFinding *finding = rw_report_finding (self, fingerprint);
  const RwVerdict *v = finding->verdict;
  RwEventKind first = kind_of (finding, RW_ROW_FIRST), second = kind_of (finding, RW_ROW_SECOND);
  g_autofree char *held = address_in (v->first.event);
  g_autofree char *step = action (v->second.event);
  gboolean can = is_answer (first) && held != NULL && self->url != NULL
                 && (second == RW_KIND_USER ? step != NULL : is_answer (second));
  g_autofree char *reason = comment (v->reason);
  g_autofree char *title = literal (v->reason);
  g_autoptr (GString) out = g_string_new ("import { test, expect } from \"@playwright/test\";\n\n");
  g_string_append_printf (
      out, "// %s\n// Found by racewalk: finding %s, run %u. The test fails as long as the race is there.\n", reason,
      fingerprint, finding->run);
  g_string_append_printf (out, "test(%s, async ({ page }) => {\n", title);
  if (can)
    {
      g_string_append (out, "  const errors = [];\n  page.on(\"pageerror\", error => errors.push(error.message));\n");
      append_forced (out, self, finding, second);
      append_checks (out, v);
    }
  else
    {
      g_autofree char *a = comment (v->first.event);
      g_autofree char *b = comment (v->second.event);
      g_string_append_printf (
          out,
          "  // This order can't be forced from outside the page: holding answers does not delay “%s”\n"
          "  // until “%s” has run. To see it: racewalk replay, run %u.\n  test.fixme();\n",
          a, b, finding->run);
    }
  g_string_append (out, "});\n");
  return g_string_free (g_steal_pointer (&out), FALSE);
}
