/* SPDX-License-Identifier: MIT */
/* Between the files that prepare HTML, and for their tests. */
#pragma once

#include <gumbo.h>

#include "rw-html.h"
#include "rw-scripts-private.h"

G_BEGIN_DECLS

/* @bytes as valid UTF-8, NUL-terminated, without a byte order mark. The encoding is that of the byte order mark, else
 * @charset, else (@sniff_meta) that of a <meta> in the first 1024 bytes, else @fallback; *@name (may be NULL) is set to
 * its name, a static string or one that lives for ever. Bytes that mean nothing become U+FFFD. */
char *rw_html_decode (GBytes *bytes, const char *charset, gboolean sniff_meta, const char *fallback, gsize *length,
                      const char **name);

/* A parsed document. The tree points into @text, which must live as long. */
typedef struct
{
  GumboOutput *output;
  GPtrArray *blocks; /* its memory, given back all at once: gumbo's own way recurses as deep as the page likes */
  char *masked;      /* the text that the parser saw */
  gboolean odd;      /* a browser of today sees another tree: the document is not cut */
} RwHtmlTree;

/* Parses @text as WebKit with scripts on does: the content of <noscript> is text. NULL: the page would take too much
 * time or memory; the limit depends on the text alone, so that every run decides alike. @fragment: a piece of markup as
 * given to innerHTML or document.write. */
RwHtmlTree *rw_html_tree_new (const char *text, gsize length, gboolean fragment);
void rw_html_tree_free (RwHtmlTree *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwHtmlTree, rw_html_tree_free)

/* Visits every node in document order, those of templates as well. An own stack: gumbo's indices are not to be trusted
 * with odd trees, and the depth is the page's choice. */
typedef struct
{
  GArray *stack;
  GumboNode *node;   /* the one visited last */
  guint n_templates; /* around @node */
} RwHtmlWalk;
void rw_html_walk_init (RwHtmlWalk *self, const RwHtmlTree *tree);
gboolean rw_html_walk_next (RwHtmlWalk *self);
void rw_html_walk_clear (RwHtmlWalk *self);

/* TRUE if @text, put between <script> and </script>, ends there and nowhere else. */
gboolean rw_html_fits_in_script (const char *text, gsize length);

gboolean rw_html_node_is_element (const GumboNode *node);
/* The start tag of an element that stands in the source, and not of a clone's or of an element made up by the parser.
 */
gboolean rw_html_node_has_tag (const GumboNode *node);
const char *rw_html_node_attribute (const GumboNode *node, const char *name);

typedef enum
{
  RW_HTML_SCRIPT_NONE,     /* not a script, or a data block */
  RW_HTML_SCRIPT_CLASSIC,  /* inline, runs at its </script> */
  RW_HTML_SCRIPT_MODULE,   /* inline module */
  RW_HTML_SCRIPT_BLOCKING, /* external, the parser waits for it */
  RW_HTML_SCRIPT_LATER     /* external: async, defer or a module */
} RwHtmlScriptType;
RwHtmlScriptType rw_html_script_type (const GumboNode *node);

/* A replacement of bytes of the text. */
typedef struct
{
  gsize start;
  gsize end;
  char *with;
} RwHtmlEdit;

/* A pair for policies that name scripts by their hash. */
typedef struct
{
  char *original;
  char *served;
} RwHtmlPair;

/* An external script with integrity=, which is taken out of the document and checked by the proxy instead. */
typedef struct
{
  char *url;
  char *integrity;
} RwHtmlIntegrity;

/* An external script of the document, or a preloaded one. */
typedef struct
{
  char *url;
  gboolean module;
} RwHtmlExternal;

/* What a walk over the document found to be changed. */
typedef struct
{
  const char *text;
  gsize length;
  const char *url;
  char *base; /* for relative addresses */
  RwPositions *positions;
  RwScripts *scripts;
  guint depth;            /* of srcdoc in srcdoc */
  GArray *edits;          /* of RwHtmlEdit */
  GHashTable *edited;     /* offsets where one starts: clones of an element share their tag */
  GPtrArray *pairs;       /* of RwHtmlPair */
  GPtrArray *integrities; /* of RwHtmlIntegrity */
  GPtrArray *externals;   /* of RwHtmlExternal */
  GPtrArray *inlines;     /* of RwHtmlScript, without their segments */
  GHashTable *ordinals;   /* GumboNode -> ordinal of an inline script */
} RwHtmlRewrite;

void rw_html_rewrite_init (RwHtmlRewrite *self, const char *text, gsize length, const char *url, RwScripts *scripts);
void rw_html_rewrite_clear (RwHtmlRewrite *self);
void rw_html_rewrite_walk (RwHtmlRewrite *self, const RwHtmlTree *tree, gboolean fragment);
/* Takes @with. A place that was replaced before stays as it is. */
void rw_html_rewrite_add_edit (RwHtmlRewrite *self, gsize start, gsize end, char *with);
void rw_html_rewrite_add_pair (RwHtmlRewrite *self, const char *original, const char *served);
/* Replaces an attribute's value, in quotes. */
void rw_html_rewrite_value (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboAttribute *attribute,
                            const char *value);
void rw_html_rewrite_attributes (RwHtmlRewrite *self, const RwHtmlTree *tree, const GumboNode *node);
void rw_html_append_escaped (GString *out, const char *text, gboolean attribute);
/* Sorts the edits and applies them. */
GString *rw_html_rewrite_apply (RwHtmlRewrite *self);
/* Where the byte at @offset of the text is after the edits; an offset inside an edit goes to its end. */
gsize rw_html_rewrite_map (const RwHtmlRewrite *self, gsize offset);

typedef enum
{
  RW_HTML_CUT_STATIC,      /* only to keep segments small */
  RW_HTML_CUT_INTERESTING, /* after an element that scripts and users look for */
  RW_HTML_CUT_SCRIPT       /* before and after scripts */
} RwHtmlCutWeight;

/* A place where the text is cut, in offsets of the text before the edits. */
typedef struct
{
  gsize offset;
  RwHtmlCutWeight weight;
  RwSegmentEnd end;
  const GumboNode *node; /* the element that it comes after, or NULL */
  const char *blocking;  /* of RwHtmlCuts.strings, or NULL */
} RwHtmlCut;

/* What stands in a stretch of the text. */
typedef struct
{
  gsize start; /* of the start tag */
  gsize end;   /* of an inline classic script: after its </script>; otherwise of the start tag */
  const GumboNode *node;
} RwHtmlToken;

typedef struct
{
  GArray *cuts;   /* of RwHtmlCut, ascending, at most RW_HTML_MAX_SEGMENTS - 1 */
  GArray *tokens; /* of RwHtmlToken: elements outside templates, in the order of the text */
  GStringChunk *strings;
} RwHtmlCuts;

void rw_html_cuts_init (RwHtmlCuts *self, const RwHtmlTree *tree, const char *text, gsize length, const char *base);
void rw_html_cuts_clear (RwHtmlCuts *self);

/* The address that relative ones belong to: that of the first <base href>, or @url. */
char *rw_html_base (const RwHtmlTree *tree, const char *url);

const GPtrArray *rw_html_integrities (const RwHtml *self); /* of RwHtmlIntegrity */
const GPtrArray *rw_html_externals (const RwHtml *self);   /* of RwHtmlExternal */
/* A Content-Security-Policy with the hashes of the served texts beside those of the originals that it names. */
char *rw_html_policy (const GPtrArray *pairs, const char *policy);
char *rw_html_adjust_policy (const RwHtml *self, const char *policy);
/* TRUE if @body has one of the strongest hashes in @integrity, or if that names none that is known. */
gboolean rw_html_integrity_matches (const char *integrity, const void *body, gsize length);

G_END_DECLS
