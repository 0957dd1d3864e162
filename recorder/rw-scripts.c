/* SPDX-License-Identifier: MIT */
/* Registry of rewritten scripts: one text, one place range, however often a script is served. */
#include "rw-scripts-private.h"

#include <jsc/jsc.h>
#include <string.h>

typedef struct
{
  char *text;
  gsize length;
  char *original;
  gsize original_length;
  RwScriptsResult result;
  char *url;
  guint line; /* of its first character in @url */
  guint column;
  guint place_base;
  GArray *places;         /* of guint32: offsets into @original */
  RwPositions *positions; /* made when the first place is asked for */
} Script;

struct _RwScripts
{
  gatomicrefcount references;
  JSCContext *context;    /* for syntax checks; no page code runs in it */
  GHashTable *by_source;  /* key -> Script */
  GHashTable *by_text;    /* hash of a served text -> its original text */
  GPtrArray *with_places; /* of Script, owned by @by_source, by ascending place_base */
  guint n_places;
  GHashTable *place_names; /* number -> "url:line:column", those that were asked for */
  GPtrArray *failures;     /* of char * */
  guint n_rewritten;
};

static void
script_free (gpointer data)
{
  Script *script = data;
  g_free (script->text);
  g_free (script->original);
  g_free (script->url);
  g_clear_pointer (&script->places, g_array_unref);
  g_clear_pointer (&script->positions, rw_positions_free);
  g_free (script);
}

RwScripts *
rw_scripts_new (void)
{
  RwScripts *self = g_new0 (RwScripts, 1);
  g_atomic_ref_count_init (&self->references);
  self->context = jsc_context_new ();
  self->by_source = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, script_free);
  self->by_text = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->with_places = g_ptr_array_new ();
  self->place_names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->failures = g_ptr_array_new_with_free_func (g_free);
  return self;
}

RwScripts *
rw_scripts_ref (RwScripts *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
rw_scripts_unref (RwScripts *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_object (&self->context);
  g_hash_table_unref (self->by_source);
  g_hash_table_unref (self->by_text);
  g_ptr_array_unref (self->with_places);
  g_hash_table_unref (self->place_names);
  g_ptr_array_unref (self->failures);
  g_free (self);
}

/* --- Checking --- */

/* What a handler's text is inside of when it is compiled. */
static char *
as_program (const char *text, gsize length, RwScriptKind kind, gsize *out_length)
{
  if (kind != RW_SCRIPT_HANDLER)
    {
      *out_length = length;
      return g_memdup2 (text, length);
    }
  GString *program = g_string_new ("(function (event) {\n");
  g_string_append_len (program, text, length);
  g_string_append (program, "\n})");
  *out_length = program->len;
  return g_string_free (program, FALSE);
}

static gboolean
check_syntax (RwScripts *self, const char *text, gsize length, RwScriptKind kind, char **reason)
{
  if (length == 0)
    return TRUE;
  gsize program_length;
  g_autofree char *program = as_program (text, length, kind, &program_length);
  g_autoptr (JSCException) exception = NULL;
  JSCCheckSyntaxMode mode = kind == RW_SCRIPT_MODULE ? JSC_CHECK_SYNTAX_MODE_MODULE : JSC_CHECK_SYNTAX_MODE_SCRIPT;
  JSCCheckSyntaxResult result
      = jsc_context_check_syntax (self->context, program, program_length, mode, "script", 1, &exception);
  if (result == JSC_CHECK_SYNTAX_RESULT_SUCCESS)
    return TRUE;
  if (reason != NULL)
    *reason = g_strdup (exception != NULL ? jsc_exception_get_message (exception) : "not valid JavaScript");
  return FALSE;
}

/* --- Places --- */

static char *
name_place (Script *script, guint32 offset)
{
  guint line;
  guint column;
  if (script->positions == NULL)
    script->positions = rw_positions_new (script->original, script->original_length, RW_LINES_JAVASCRIPT);
  rw_positions_find (script->positions, offset, &line, &column);
  column += line == 1 ? script->column - 1 : 0;
  return g_strdup_printf ("%s:%u:%u", script->url, script->line + line - 1, column);
}

/* The script whose range holds @place, which is at least 1 and at most n_places. */
static Script *
script_of_place (const RwScripts *self, guint place)
{
  guint low = 0;
  guint high = self->with_places->len;
  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;
      if (((Script *)self->with_places->pdata[middle])->place_base <= place)
        low = middle;
      else
        high = middle;
    }
  return self->with_places->pdata[low];
}

const char *
rw_scripts_place (RwScripts *self, guint place)
{
  if (place < 1 || place > self->n_places)
    return NULL;
  const char *known = g_hash_table_lookup (self->place_names, GUINT_TO_POINTER (place));
  if (known != NULL)
    return known;
  Script *script = script_of_place (self, place);
  char *name = name_place (script, g_array_index (script->places, guint32, place - script->place_base));
  g_hash_table_insert (self->place_names, GUINT_TO_POINTER (place), name);
  return name;
}

/* --- Rewriting --- */

static char *
hash_text (const char *text, gsize length)
{
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *)text, length);
}

static char *
key_of (const RwScriptSource *where, const char *source, gsize length)
{
  g_autofree char *hash = hash_text (source, length);
  return g_strdup_printf ("%d %d %u:%u %s %s", where->kind, where->strict, where->line, where->column, hash,
                          where->url);
}

static void
note_failure (RwScripts *self, const RwScriptSource *where, const char *reason)
{
  g_ptr_array_add (self->failures,
                   g_strdup_printf ("%s:%u:%u: %s", where->url, MAX (where->line, 1), MAX (where->column, 1), reason));
}

/* Sets the text and the places of @script, or returns why it can't be rewritten. */
static char *
try_rewrite (RwScripts *self, const RwScriptSource *where, Script *script)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  gsize length;
  g_autofree char *text = rw_rewrite (script->original, script->original_length, where->kind, where->strict,
                                      self->n_places + 1, places, &length, &error);
  if (text == NULL)
    return g_strdup (error != NULL ? error->message : "it could not be rewritten");
  g_autofree char *complaint = NULL;
  if (!check_syntax (self, text, length, where->kind, &complaint))
    return g_strdup_printf ("the rewritten text does not parse (%s)", complaint);
  script->text = g_steal_pointer (&text);
  script->length = length;
  if (places->len > 0)
    {
      script->place_base = self->n_places + 1;
      self->n_places += places->len;
      script->places = g_steal_pointer (&places);
      g_ptr_array_add (self->with_places, script);
    }
  return NULL;
}

/* Unlike g_strndup () it keeps what follows a NUL. */
static char *
copy_text (const char *text, gsize length)
{
  char *copy = g_malloc (length + 1);
  memcpy (copy, text, length);
  copy[length] = '\0';
  return copy;
}

static Script *
script_new (const RwScriptSource *where, const char *original, gsize length)
{
  Script *script = g_new0 (Script, 1);
  script->original = copy_text (original, length);
  script->original_length = length;
  script->url = g_strdup (where->url);
  script->line = MAX (where->line, 1);
  script->column = MAX (where->column, 1);
  return script;
}

static void
keep_as_is (Script *script, RwScriptsResult result)
{
  script->result = result;
  script->text = copy_text (script->original, script->original_length);
  script->length = script->original_length;
}

/* The engine's word on a text counts only where it can stand alone: what eval gets may need the code around it. */
static gboolean
stands_alone (RwScriptKind kind)
{
  return kind != RW_SCRIPT_EVAL;
}

static Script *
make_script (RwScripts *self, const RwScriptSource *where, const char *source, gsize length)
{
  Script *script = script_new (where, source, length);
  if (strspn (script->original, " \t\r\n") == length)
    {
      keep_as_is (script, RW_SCRIPTS_REWRITTEN);
      return script;
    }
  gboolean valid = check_syntax (self, script->original, script->original_length, where->kind, NULL);
  if (!valid && stands_alone (where->kind))
    {
      keep_as_is (script, RW_SCRIPTS_BROKEN);
      return script;
    }
  g_autofree char *reason = try_rewrite (self, where, script);
  if (reason == NULL)
    {
      self->n_rewritten++;
      rw_scripts_add_served (self, script->text, script->length, script->original, script->original_length);
      return script;
    }
  keep_as_is (script, valid ? RW_SCRIPTS_KEPT : RW_SCRIPTS_BROKEN);
  if (valid)
    note_failure (self, where, reason);
  return script;
}

void
rw_scripts_add_served (RwScripts *self, const char *text, gssize length, const char *original, gssize original_length)
{
  gsize text_length = length < 0 ? strlen (text) : (gsize)length;
  gsize kept_length = original_length < 0 ? strlen (original) : (gsize)original_length;
  g_hash_table_replace (self->by_text, hash_text (text, text_length), copy_text (original, kept_length));
}

const char *
rw_scripts_rewrite_full (RwScripts *self, const RwScriptSource *where, const char *source, gssize length,
                         gsize *out_length, RwScriptsResult *result)
{
  gsize source_length = length < 0 ? strlen (source) : (gsize)length;
  const char *original;
  g_autofree char *key = key_of (where, source, source_length);
  Script *script = g_hash_table_lookup (self->by_source, key);
  if (script == NULL)
    {
      if (rw_scripts_original (self, source, source_length, &original))
        {
          script = script_new (where, original, strlen (original));
          script->text = copy_text (source, source_length);
          script->length = source_length;
        }
      else
        script = make_script (self, where, source, source_length);
      g_hash_table_insert (self->by_source, g_steal_pointer (&key), script);
    }
  if (out_length != NULL)
    *out_length = script->length;
  if (result != NULL)
    *result = script->result;
  return script->text;
}

const char *
rw_scripts_rewrite (RwScripts *self, const RwScriptSource *where, const char *source, gssize length, gsize *out_length)
{
  return rw_scripts_rewrite_full (self, where, source, length, out_length, NULL);
}

gboolean
rw_scripts_original (RwScripts *self, const char *text, gssize length, const char **original)
{
  g_autofree char *hash = hash_text (text, length < 0 ? strlen (text) : (gsize)length);
  const char *found = g_hash_table_lookup (self->by_text, hash);
  if (found != NULL && original != NULL)
    *original = found;
  return found != NULL;
}

guint
rw_scripts_n_places (const RwScripts *self)
{
  return self->n_places;
}

const GPtrArray *
rw_scripts_failures (const RwScripts *self)
{
  return self->failures;
}

guint
rw_scripts_n_rewritten (const RwScripts *self)
{
  return self->n_rewritten;
}
