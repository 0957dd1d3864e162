/* SPDX-License-Identifier: MIT */
/* One WebKitGTK under our control: a hidden view, its proxy, and one load of the page at a time. */
#pragma once

#include "rw-proxy.h"
#include "rw-recording.h"

G_BEGIN_DECLS

typedef struct _RwBrowser RwBrowser;

typedef struct
{
  RwProxyOptions proxy;
  const char *url;           /* the page */
  guint width;
  guint height;
  guint silence_ms; /* nothing heard from the page for so long: it hangs */
  guint wall_ms;    /* one load may take so long altogether */
  guint memory_mb;  /* the web process is ended if it takes more; 0: no limit */
  gboolean show;    /* keep the window visible, on the display that is there */
} RwBrowserOptions;

#define RW_BROWSER_SILENCE_MS 10000
#define RW_BROWSER_WALL_MS 120000
#define RW_BROWSER_MEMORY_MB 3000

/* The parts of a load, in their order. */
typedef enum
{
  RW_PHASE_CLEAN,   /* getting rid of the run before */
  RW_PHASE_START,   /* until the document starts */
  RW_PHASE_EVENTS,  /* until nothing is pending */
  RW_PHASE_STATE,   /* asking for the end state, and getting it */
  RW_PHASE_PICTURE, /* the screenshot */
  RW_N_PHASES
} RwPhase;

/* What one load gave. */
typedef struct
{
  RwTrace *trace; /* in a space of its own */
  RwOutcome outcome;
  char *note;         /* NULL, or why it was not RW_OUTCOME_DONE, or the limit that cut it */
  char *times;        /* JSON: identity -> virtual ms */
  GPtrArray *skipped; /* of char *: identities, 16 hex digits */
  GPtrArray *holes;   /* of char *: APIs through which page code was entered outside the schedule */
  GPtrArray *missing; /* of char *: requests that were not recorded */
  GPtrArray *steps;   /* of char *: lines of a scenario that was looked for */
  GBytes *state;      /* NULL if the page could not be asked */
  GBytes *screenshot;
  GPtrArray *exchanges; /* LIVE: of RwExchange * */
  guint wall_ms;
  guint phases_us[RW_N_PHASES]; /* where the time went */
} RwLoaded;
void rw_loaded_free (RwLoaded *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwLoaded, rw_loaded_free)

/* Prepares the environment and GTK; once in a process, before rw_browser_new (). Starts a display unless @show. */
gboolean rw_browser_init (gboolean show, GError **error);
/* Ends what rw_browser_init () started. */
void rw_browser_shutdown (void);
/* One line if WebKit's sandbox can't be used here, NULL if it is on. */
const char *rw_browser_no_sandbox (void);

RwBrowser *rw_browser_new (const RwBrowserOptions *options, GError **error);
void rw_browser_free (RwBrowser *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwBrowser, rw_browser_free)

/* Loads the page once under @config (JSON, see recorder/README.md; NULL: plainly, without runtime, rewriting or holding) and returns when nothing is pending, or at a limit.
 * A page that hangs or crashes is a result; NULL and @error only if the browser itself can't be used any more. */
RwLoaded *rw_browser_load (RwBrowser *self, const char *config, GError **error);
/* The registry that names places in the source. */
RwScripts *rw_browser_scripts (RwBrowser *self);

G_END_DECLS
