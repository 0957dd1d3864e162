/* SPDX-License-Identifier: MIT */
/* Small runs, spelled out: "A: w x; B: r x; A<B" is a log with two events and an arc. */
#include "rw-spell.h"

#include <string.h>

static guint
event_named (const char *names, char name)
{
  const char *at = strchr (names, name);

  g_assert_nonnull (at);
  return at - names;
}

static void
spell_access (RwErLog *log, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text + 2, "=", 2);

  rw_erlog_add_command (log, text[0] == 'w' ? RW_ER_WRITE : RW_ER_READ,
                        rw_erlog_add_string (log, RW_ER_VARIABLES, parts[0]));
  if (parts[1] != NULL)
    rw_erlog_add_command (log, RW_ER_VALUE, rw_erlog_add_string (log, RW_ER_VALUES, parts[1]));
}

static void
spell_event (RwErLog *log, const char *body, gboolean is_user)
{
  g_auto (GStrv) words = g_strsplit (body, ",", -1);

  rw_erlog_add_event (log, is_user ? RW_ER_USER : RW_ER_UNKNOWN);
  for (guint i = 0; words[i] != NULL; i++)
    {
      char *word = g_strstrip (words[i]);
      if (word[0] == '{')
        rw_erlog_add_command (log, RW_ER_ENTER, rw_erlog_add_string (log, RW_ER_SCOPES, word + 1));
      else if (word[0] == '}')
        rw_erlog_add_command (log, RW_ER_EXIT, G_MAXUINT32);
      else if (word[0] != '\0')
        spell_access (log, word);
    }
}

static void
spell_arc (RwErLog *log, const char *names, const char *text)
{
  gint32 duration = text[1] == '>' ? g_ascii_strtoll (strchr (text, '@') + 1, NULL, 10) : -1;

  rw_erlog_add_arc (log, event_named (names, text[0]), event_named (names, text[2]), duration);
}

RwErLog *
rw_spell_log (const char *text)
{
  RwErLog *log = rw_erlog_new ();
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; parts[i] != NULL; i++)
      {
        const char *part = g_strstrip (parts[i]);
        gboolean is_user = part[0] == '!';
        gboolean is_event = part[is_user] != '\0' && part[is_user + 1] == ':';

        if (pass == 0 && is_event)
          {
            g_string_append_c (names, part[is_user]);
            spell_event (log, part + is_user + 2, is_user);
          }
        else if (pass == 1 && !is_event && part[0] != '\0')
          spell_arc (log, names->str, part);
      }
  return log;
}

char *
rw_spell_races (const RwHistory *history, const RwRaces *races)
{
  static const char *const open[] = { "", "(", "[" };
  static const char *const close[] = { "", ")", "]" };
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < races->races->len; i++)
    {
      const RwRace *race = &g_array_index (races->races, RwRace, i);
      g_string_append_printf (out, "%s%s%c-%c:%s%s", i == 0 ? "" : " ", open[race->coverage],
                              'A' + (char)(rw_history_number (history, race->first) - 1),
                              'A' + (char)(rw_history_number (history, race->second) - 1),
                              rw_history_location (history, race->location), close[race->coverage]);
    }
  return g_string_free (out, FALSE);
}
