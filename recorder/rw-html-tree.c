/* SPDX-License-Identifier: MIT */
/* Parses HTML with gumbo as a browser with scripts on would, within limits that hostile pages can't pass. */
#include "rw-html-private.h"

#include <setjmp.h>
#include <string.h>

/* Gumbo works O(depth) for some tokens; WebKit itself stops nesting at 512. */
#define MAX_WORK G_GUINT64_CONSTANT (1000000000)
/* Usual pages need some 10 bytes for each of theirs. */
#define MAX_MEMORY(length) ((gsize)64 * 1024 * 1024 + 20 * (gsize)(length))
#define BLOCK_BYTES ((gsize)256 * 1024)

/* --- A look at the tokens, before the parser --- */

static const char *const raw_text_names[]
    = { "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript", NULL };
/* Elements that are closed by what follows, or have no content: they do not make the tree deeper. */
static const char *const flat_names[]
    = { "area",   "base", "br",    "col",    "dd",    "dt", "embed", "hr", "img",   "input", "li",    "link", "meta",
        "option", "p",    "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr",    "track", "wbr",  NULL };

static gboolean
name_in (const char *const *names, const char *name, gsize length)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (strlen (names[i]) == length && g_ascii_strncasecmp (names[i], name, length) == 0)
      return TRUE;
  return FALSE;
}

/* The end of the tag whose name ends at @p: after its `>`, or @end. */
static const char *
skip_tag (const char *p, const char *end)
{
  while (p < end && *p != '>')
    {
      if (*p++ != '=')
        continue;
      while (p < end && g_ascii_isspace (*p))
        p++;
      if (p < end && (*p == '"' || *p == '\''))
        {
          const char *quote = memchr (p + 1, *p, end - p - 1);
          p = quote != NULL ? quote + 1 : end;
        }
      else
        while (p < end && *p != '>' && !g_ascii_isspace (*p))
          p++;
    }
  return p < end ? p + 1 : end;
}

static const char *
skip_comment (const char *p, const char *end)
{
  /* <!--> and <!---> are whole comments. */
  if (p < end && *p == '>')
    return p + 1;
  if (end - p >= 2 && memcmp (p, "->", 2) == 0)
    return p + 2;
  for (; p < end; p++)
    {
      p = memchr (p, '-', end - p);
      if (p == NULL)
        return end;
      if (end - p >= 3 && memcmp (p, "-->", 3) == 0)
        return p + 3;
      if (end - p >= 4 && memcmp (p, "--!>", 4) == 0)
        return p + 4;
    }
  return end;
}

static gboolean
is_tag_named (const char *p, const char *end, const char *name, gsize length)
{
  return (gsize)(end - p) > length && g_ascii_strncasecmp (p, name, length) == 0
         && (g_ascii_isspace (p[length]) || p[length] == '>' || p[length] == '/');
}

/* Where the content of a raw text element ends: at its end tag, or @end. Scripts may hold <!-- <script> </script> -->.
 */
static const char *
raw_text_end (const char *p, const char *end, const char *name, gsize length)
{
  gboolean script = name_in ((const char *const[]){ "script", NULL }, name, length);
  guint escape = 0; /* 1: after <!--, 2: and after <script in there */
  for (; p < end; p++)
    {
      if (*p == '-' && escape > 0 && end - p >= 3 && memcmp (p, "-->", 3) == 0)
        escape = 0;
      if (*p != '<')
        continue;
      if (script && escape == 0 && end - p >= 4 && memcmp (p, "<!--", 4) == 0)
        escape = 1;
      else if (script && escape == 1 && is_tag_named (p + 1, end, "script", 6))
        escape = 2;
      else if (end - p >= 2 && p[1] == '/' && is_tag_named (p + 2, end, name, length))
        {
          if (escape < 2)
            return p;
          escape = 1;
        }
    }
  return end;
}

gboolean
rw_html_fits_in_script (const char *text, gsize length)
{
  g_autofree char *element = g_malloc (length + 10);
  memcpy (element, text, length);
  memcpy (element + length, "</script>", 10);
  return raw_text_end (element, element + length + 9, "script", 6) == element + length;
}

typedef struct
{
  char *out; /* the copy in which the content of <noscript> becomes spaces */
  const char *text;
  const char *end;
  guint64 depth;
  guint64 work;
  guint foreign; /* <svg> and <math> that are open */
  guint inside;  /* elements in them that hold HTML again */
  gboolean odd;
} Scan;

static void
count_tag (guint *count, gboolean opens)
{
  if (opens)
    ++*count;
  else if (*count > 0)
    --*count;
}

/* Gumbo does not know that </p> and </br> end SVG and MathML, which they have done since 2020. */
static void
watch_foreign (Scan *self, const char *name, gsize length, gboolean opens)
{
  static const char *const roots[] = { "svg", "math", NULL };
  static const char *const holders[]
      = { "foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext", NULL };
  static const char *const ends[] = { "p", "br", NULL };
  if (name_in (roots, name, length))
    count_tag (&self->foreign, opens);
  else if (self->foreign > 0 && name_in (holders, name, length))
    count_tag (&self->inside, opens);
  else if (self->foreign > 0 && self->inside == 0 && !opens && name_in (ends, name, length))
    self->odd = TRUE;
}

static gsize
name_length (const Scan *self, const char *name)
{
  const char *end = name;
  while (end < self->end && !g_ascii_isspace (*end) && *end != '/' && *end != '>')
    end++;
  return end - name;
}

/* Returns where the scan goes on after the start tag at @p. */
static const char *
scan_start_tag (Scan *self, const char *p)
{
  const char *name = p + 1;
  gsize length = name_length (self, name);
  const char *tag_end = skip_tag (name + length, self->end);
  gboolean closed = tag_end - p >= 2 && tag_end[-2] == '/';
  if (!closed)
    watch_foreign (self, name, length, TRUE);
  if (name_in ((const char *const[]){ "plaintext", NULL }, name, length))
    return self->end;
  if (!name_in (raw_text_names, name, length))
    {
      if (!name_in (flat_names, name, length) && !closed)
        self->depth++;
      return tag_end;
    }
  const char *content_end = raw_text_end (tag_end, self->end, name, length);
  if (name_in ((const char *const[]){ "noscript", NULL }, name, length))
    for (const char *c = tag_end; c < content_end; c++)
      self->out[c - self->text] = ' ';
  return content_end;
}

static const char *
scan_markup (Scan *self, const char *p)
{
  self->work += self->depth + 1;
  if (p + 1 >= self->end)
    return self->end;
  if (g_ascii_isalpha (p[1]))
    return scan_start_tag (self, p);
  if (self->end - p >= 4 && memcmp (p, "<!--", 4) == 0)
    return skip_comment (p + 4, self->end);
  if (p[1] == '/' && p + 2 < self->end && g_ascii_isalpha (p[2]))
    {
      self->depth -= self->depth > 0;
      watch_foreign (self, p + 2, name_length (self, p + 2), FALSE);
      return skip_tag (p + 2, self->end);
    }
  if (p[1] == '!' || p[1] == '?' || p[1] == '/')
    {
      const char *close = memchr (p, '>', self->end - p);
      return close != NULL ? close + 1 : self->end;
    }
  return p + 1;
}

/* NULL: too deep for its size. */
static char *
mask_noscript (const char *text, gsize length, gboolean *odd)
{
  Scan scan = { .out = g_malloc (length + 1), .text = text, .end = text + length };
  memcpy (scan.out, text, length);
  scan.out[length] = '\0';
  for (const char *p = text; p < scan.end && (p = memchr (p, '<', scan.end - p)) != NULL;)
    {
      p = scan_markup (&scan, p);
      if (scan.work > MAX_WORK)
        {
          g_free (scan.out);
          return NULL;
        }
    }
  *odd = scan.odd;
  return scan.out;
}

/* --- Gumbo with memory that is counted, and given back without recursion --- */

typedef struct
{
  GPtrArray *blocks;
  char *next;
  gsize left;
  gsize total;
  gsize limit;
  jmp_buf too_much;
} Arena;

static void *
arena_allocate (void *userdata, size_t size)
{
  Arena *arena = userdata;
  size = (size + 15) & ~(size_t)15;
  if (size > arena->left)
    {
      gsize block = MAX (size, BLOCK_BYTES);
      if (arena->total + block > arena->limit)
        longjmp (arena->too_much, 1);
      arena->total += block;
      arena->next = g_malloc (block);
      arena->left = block;
      g_ptr_array_add (arena->blocks, arena->next);
    }
  void *result = arena->next;
  arena->next += size;
  arena->left -= size;
  return result;
}

static void
arena_release (void *userdata, void *pointer)
{
}

RwHtmlTree *
rw_html_tree_new (const char *text, gsize length, gboolean fragment)
{
  gboolean odd = FALSE;
  char *masked = length <= RW_HTML_MAX_BYTES ? mask_noscript (text, length, &odd) : NULL;
  if (masked == NULL)
    return NULL;
  RwHtmlTree *self = g_new0 (RwHtmlTree, 1);
  self->masked = masked;
  self->odd = odd;
  self->blocks = g_ptr_array_new_with_free_func (g_free);
  Arena arena = { .blocks = self->blocks, .limit = MAX_MEMORY (length) };
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = arena_allocate;
  options.deallocator = arena_release;
  options.userdata = &arena;
  options.max_errors = 0;
  if (fragment)
    options.fragment_context = GUMBO_TAG_TEMPLATE;
  if (setjmp (arena.too_much) != 0)
    {
      rw_html_tree_free (self);
      return NULL;
    }
  self->output = gumbo_parse_with_options (&options, self->masked, length);
  return self;
}

void
rw_html_tree_free (RwHtmlTree *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->blocks);
  g_free (self->masked);
  g_free (self);
}

/* --- Walking --- */

gboolean
rw_html_node_is_element (const GumboNode *node)
{
  return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE;
}

static const GumboVector *
children_of (const GumboNode *node)
{
  if (node->type == GUMBO_NODE_DOCUMENT)
    return &node->v.document.children;
  return rw_html_node_is_element (node) ? &node->v.element.children : NULL;
}

typedef struct
{
  GumboNode *node;
  guint next_child;
} WalkStep;

static void
walk_push (RwHtmlWalk *self, GumboNode *node)
{
  WalkStep step = { node, 0 };
  if (self->node != NULL && self->node->type == GUMBO_NODE_TEMPLATE)
    self->n_templates++;
  g_array_append_val (self->stack, step);
  self->node = node;
}

void
rw_html_walk_init (RwHtmlWalk *self, const RwHtmlTree *tree)
{
  *self = (RwHtmlWalk){ .stack = g_array_new (FALSE, FALSE, sizeof (WalkStep)) };
  WalkStep step = { tree->output->document, 0 };
  g_array_append_val (self->stack, step);
}

gboolean
rw_html_walk_next (RwHtmlWalk *self)
{
  while (self->stack->len > 0)
    {
      WalkStep *step = &g_array_index (self->stack, WalkStep, self->stack->len - 1);
      const GumboVector *children = children_of (step->node);
      self->node = step->node;
      if (children != NULL && step->next_child < children->length)
        {
          walk_push (self, children->data[step->next_child++]);
          return TRUE;
        }
      g_array_set_size (self->stack, self->stack->len - 1);
      if (self->stack->len > 0
          && g_array_index (self->stack, WalkStep, self->stack->len - 1).node->type == GUMBO_NODE_TEMPLATE)
        self->n_templates--;
    }
  return FALSE;
}

void
rw_html_walk_clear (RwHtmlWalk *self)
{
  g_clear_pointer (&self->stack, g_array_unref);
}

gboolean
rw_html_node_has_tag (const GumboNode *node)
{
  const GumboStringPiece *tag = &node->v.element.original_tag;
  return rw_html_node_is_element (node) && tag->length >= 3 && tag->data[0] == '<' && g_ascii_isalpha (tag->data[1])
         && (node->parse_flags
             & (GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT | GUMBO_INSERTION_ADOPTION_AGENCY_CLONED
                | GUMBO_INSERTION_FROM_ISINDEX | GUMBO_INSERTION_CONVERTED_FROM_END_TAG))
                == 0;
}

const char *
rw_html_node_attribute (const GumboNode *node, const char *name)
{
  if (!rw_html_node_is_element (node))
    return NULL;
  GumboAttribute *attribute = gumbo_get_attribute (&node->v.element.attributes, name);
  return attribute != NULL ? attribute->value : NULL;
}
