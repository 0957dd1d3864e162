/* SPDX-License-Identifier: MIT */
/* The parts of an end state, as ranges of its text. */
#pragma once

#include <json-glib/json-glib.h>
#include <libxml/tree.h>

#include "rw-state.h"

G_BEGIN_DECLS

/* Whole lines, without the newline of the last one. */
typedef struct
{
  const char *start;
  const char *end;
} RwLines;

typedef struct
{
  char *path, *url, *title, *focus, *scroll;
  RwLines dom;
  xmlDoc *doc; /* made when first needed */
} RwFrame;

struct _RwState
{
  grefcount references;
  GBytes *bytes;
  GPtrArray *frames; /* of RwFrame */
  RwLines heap;
  JsonObject *rest; /* errors, console ... */
};

/* Takes the next line off the front; FALSE if there is none. A trailing comma is not part of it. */
gboolean rw_lines_next (RwLines *self, RwLines *line);
/* The document, built from the lines: elements with their names, every node with its line (an RwNode) in _private. */
xmlDoc *rw_frame_document (RwFrame *self);
void rw_document_free (xmlDoc *document);

typedef struct
{
  RwLines line;
  const char *rest; /* behind the name's comma: attributes or text, JSON */
  guint64 hash;     /* of the node with all that is below it */
} RwNode;

/* Attributes of an element, name -> value; empty if the line is damaged. */
JsonObject *rw_node_attributes (const xmlNode *node);
char *rw_node_text (const xmlNode *node);
/* "div#main > ul > li:2" */
char *rw_node_path (xmlNode *node);

void rw_document_compare (RwFrame *parent, RwFrame *child, RwDifferences *out, GHashTable *noise);
void rw_heap_compare (RwLines parent, RwLines child, RwDifferences *out, GHashTable *noise);
void rw_differences_offer (RwDifferences *self, GHashTable *noise, RwDifference *take);

G_END_DECLS
