/* SPDX-License-Identifier: MIT */
/* A scenario: what the user does, one step a line, and how long the answers of a bundled site take. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Lines, blank ones and # comments apart:
 *   click SELECTOR        hover SELECTOR        check SELECTOR        uncheck SELECTOR      blur SELECTOR
 *   type SELECTOR "TEXT"  select SELECTOR "TEXT"  press KEY [SELECTOR]
 *   wait [MS]             before the next step: so long in virtual time; without a number: until nothing else is pending
 *   latency PATTERN MS    answers to URLs whose path matches take so long (virtual; only while recording a folder)
 * A selector with blanks is put in quotes. */
typedef struct
{
  char *op;
  char *selector; /* NULL: the focused element */
  char *text;     /* NULL: none */
  gint wait;      /* ms after the previous step; -1: until nothing else is pending */
  char *line;     /* as it was written, for people and for the identity */
} RwStep;

typedef struct
{
  char *pattern;
  guint latency_ms;
} RwStepLatency;

typedef struct _RwScenario RwScenario;

#define RW_SCENARIO_ERROR (rw_scenario_error_quark ())
GQuark rw_scenario_error_quark (void);

/* @name is used in error messages: "NAME:LINE: what is wrong". */
RwScenario *rw_scenario_parse (const char *text, const char *name, GError **error);
void rw_scenario_free (RwScenario *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwScenario, rw_scenario_free)
const GPtrArray *rw_scenario_steps (const RwScenario *self);     /* of RwStep * */
const GPtrArray *rw_scenario_latencies (const RwScenario *self); /* of RwStepLatency * */
const char *rw_scenario_text (const RwScenario *self);
/* As the page runtime takes it: an array of objects. */
JsonNode *rw_scenario_to_json (const RwScenario *self);

G_END_DECLS
