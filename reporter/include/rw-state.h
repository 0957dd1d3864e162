/* SPDX-License-Identifier: MIT */
/* End states and what differs between two of them. The format is described in reporter/README.md. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RW_STATE_ERROR (rw_state_error_quark ())
GQuark rw_state_error_quark (void);
typedef enum
{
  RW_STATE_ERROR_FORMAT, /* not an end state */
  RW_STATE_ERROR_VERSION /* made by a newer version */
} RwStateError;

typedef struct _RwState RwState;

/* @bytes are untrusted. They are kept, not copied; what is equal in two states is never parsed. */
RwState *rw_state_new (GBytes *bytes, GError **error);
RwState *rw_state_ref (RwState *self);
void rw_state_unref (RwState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwState, rw_state_unref)

/* What kind of thing differs. Written into reports by name (rw_aspect_name ()): append only. */
typedef enum
{
  RW_ASPECT_DOM,
  RW_ASPECT_FORM, /* value, checked, selectedIndex ... of a form control */
  RW_ASPECT_FOCUS,
  RW_ASPECT_SCROLL,
  RW_ASPECT_TITLE,
  RW_ASPECT_URL,
  RW_ASPECT_ERROR,
  RW_ASPECT_CONSOLE,
  RW_ASPECT_REQUEST,
  RW_ASPECT_NAVIGATION,
  RW_ASPECT_DIALOG,
  RW_ASPECT_STORAGE, /* cookies, local and session storage */
  RW_ASPECT_HEAP,
  RW_ASPECT_PENDING,
  RW_ASPECT_PIXELS,
  RW_ASPECT_OUTCOME, /* a hang, a crash, a limit */
  RW_N_ASPECTS
} RwAspect;

const char *rw_aspect_name (RwAspect aspect);

/* @before is of the parent, @after of the child; NULL: there is none. */
typedef struct
{
  RwAspect aspect;
  char *where;    /* for people: "window.queue[1].src", "form#login > input#name :value" */
  char *xpath;    /* of a DOM node, in the state that has it; NULL otherwise */
  char *property; /* the attribute or property of that node that differs; NULL: the node itself */
  char *before;
  char *after;
} RwDifference;

RwDifference *rw_difference_new (RwAspect aspect, const char *where, const char *before, const char *after);
void rw_difference_free (RwDifference *self);
/* The line that people read: `window.queue[1].src: "a.png" -> "b.png"`. */
char *rw_difference_text (const RwDifference *self);

/* More of one aspect are counted, not kept. */
#define RW_DIFFERENCES_KEPT 200

typedef struct
{
  GPtrArray *list;            /* of RwDifference, by aspect, then in document or walk order */
  guint counts[RW_N_ASPECTS]; /* all of them */
} RwDifferences;

RwDifferences *rw_differences_new (void);
void rw_differences_free (RwDifferences *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwDifferences, rw_differences_free)
void rw_differences_add (RwDifferences *self, RwDifference *take);
guint rw_differences_total (const RwDifferences *self);

/* @noise: keys (aspect and place, see rw_difference_key ()) of what differs by itself; NULL: none. Linear in the sizes.
 */
RwDifferences *rw_state_compare (RwState *parent, RwState *child, GHashTable *noise);
char *rw_difference_key (const RwDifference *self);

G_END_DECLS
