/* SPDX-License-Identifier: MIT */
/* An HTML document made ready for the page: its scripts rewritten in place, its text cut into segments that are let go
 * one by one. No node is added that the page could see. */
#pragma once

#include <gio/gio.h>

#include "rw-scripts.h"

G_BEGIN_DECLS

#define RW_HTML_MAX_SEGMENTS 200
/* Larger documents are served as they are, in one segment. */
#define RW_HTML_MAX_BYTES (16 * 1024 * 1024)

typedef struct _RwHtml RwHtml;

/* How one sees that a segment has been parsed. */
typedef enum
{
  RW_SEGMENT_NODE,    /* its last token inserts a node that a MutationObserver on the document sees */
  RW_SEGMENT_SCRIPT,  /* it ends right after the </script> of an inline classic script, which calls $rw$.script (N) when
                         it  begins; if it never does (a policy, a syntax error) the next segment is the signal */
  RW_SEGMENT_BLOCKED, /* it ends right after the </script> of @blocking_script: the parser stands still until that has
                         arrived and run */
  RW_SEGMENT_LAST     /* nothing follows: readyState becomes "interactive" */
} RwSegmentEnd;

typedef struct
{
  gsize offset; /* in rw_html_prepared () */
  gsize length;
  RwSegmentEnd end;
  guint n_elements;            /* start tags in it that make an element outside templates */
  const char *last_tag;        /* name of the last start tag in it, or NULL */
  guint n_last_tag;            /* how many start tags of that name are in it */
  guint n_inline_scripts;      /* classic inline scripts that run while this segment is parsed: 0 or 1, except in the last
                                  segment of a document with more scripts than segments */
  guint script;                /* its ordinal in the document, from 1; 0 if there is none */
  const char *blocking_script; /* absolute URL of a parser-blocking external script, or NULL */
  const char *label; /* for people: its script, or else the last element in it: "<button#next>", "<script>", "text" */
  gboolean is_last;
} RwSegment;

/* An inline script, classic or module, of the document itself (not of its templates). */
typedef struct
{
  guint number;    /* from 1, in document order; what $rw$.script () is called with */
  guint segment;   /* the one that carries its </script> */
  gboolean module; /* runs after parsing */
  guint line;      /* where its text starts, in the document as it came */
  guint column;
  const char *original; /* its text without rewriting: what the page should see as script.text */
  const char *served;
} RwHtmlScript;

/* Never fails: what can't be understood is passed on. @charset is the one of the Content-Type, or NULL; the result is
 * UTF-8 whatever came in and must be sent as `text/html; charset=utf-8` (document.characterSet says so then: known
 * difference; rw_html_charset () has the original for a runtime that wants to hide it). The first segment starts with
 * white space in front of the doctype, which no parser keeps, so that it is larger than what WebKit holds back.
 * @scripts NULL: segments only, no rewriting. */
RwHtml *rw_html_prepare (GBytes *bytes, const char *charset, const char *url, RwScripts *scripts);
RwHtml *rw_html_ref (RwHtml *self);
void rw_html_unref (RwHtml *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwHtml, rw_html_unref)

/* The prepared text, valid UTF-8, not necessarily free of NULs. The segments cover it without gap or overlap. */
const char *rw_html_prepared (const RwHtml *self, gsize *length);
guint rw_html_n_segments (const RwHtml *self); /* at least 1 */
const RwSegment *rw_html_segment (const RwHtml *self, guint n);
guint rw_html_n_scripts (const RwHtml *self);
const RwHtmlScript *rw_html_script (const RwHtml *self, guint number); /* NULL: no such script */
/* The text of inline script @number before rewriting, or NULL. */
const char *rw_html_original_text (const RwHtml *self, guint number);
const char *rw_html_url (const RwHtml *self);
/* The encoding that the document came in, by its name in the Encoding standard ("windows-1252"). */
const char *rw_html_charset (const RwHtml *self);

/* A piece of markup on its way into innerHTML, document.write and the like, with its scripts and handlers rewritten; it
 * is not cut, and its scripts are not numbered. Markup that is written in several calls is rewritten as far as each
 * call shows it. */
char *rw_html_rewrite_fragment (const char *text, gssize length, const char *url, RwScripts *scripts);

G_END_DECLS
