/* SPDX-License-Identifier: MIT */
/* The recording file keeps what it is given, and says in one clear line what is wrong with what it is handed. */
#include "rw-recording.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->folder = g_dir_make_tmp ("rw-recording-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "page.rwk", NULL);
}

static guint
n_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;
  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (f->folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (f->folder, name, NULL);
      if (g_remove (file) != 0)
        g_rmdir (file);
    }
  g_rmdir (f->folder);
  g_free (f->folder);
  g_free (f->path);
}

static RwEvent
event (RwSpace *space, const char *label, RwEventKind kind)
{
  RwEventInfo info = { .id = rw_identity (label), .kind = kind, .label = label, .delay = -1 };
  return rw_space_event (space, &info);
}

static RwRun *
example_run (RwSpace *space, guint number, const char *key)
{
  RwRun *run = rw_run_new ();
  RwEvent load = event (space, "load", RW_KIND_LOAD), click = event (space, "click", RW_KIND_USER);
  RwEvent timer = event (space, "timer", RW_KIND_TIMER);
  run->number = number;
  run->key = g_strdup (key);
  run->parent = 0;
  run->depth = 1;
  run->reversal = (RwReversal){ RW_REVERSAL_RACE, load, click, rw_space_location (space, "window.queue") };
  g_array_append_val (run->schedule, click);
  g_array_append_val (run->schedule, load);
  g_array_append_val (run->skipped, timer);
  run->trace = rw_trace_new (space);
  rw_trace_initial (run->trace, load);
  rw_trace_initial (run->trace, click);
  rw_trace_begin (run->trace, click);
  rw_trace_read (run->trace, run->reversal.location, rw_space_value (space, "[]"), rw_space_place (space, "a.js:1:2"));
  rw_trace_begin (run->trace, load);
  rw_trace_write (run->trace, run->reversal.location, rw_space_value (space, "[1]"), 0);
  run->outcome = RW_OUTCOME_LIMIT;
  run->note = g_strdup ("200 events");
  run->fingerprint = g_strdup ("f00d");
  run->state = g_bytes_new_static ("{\"version\":1}", 13);
  run->state_hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, run->state);
  run->screenshot = g_bytes_new_static ("\x89PNG", 4);
  run->wall_ms = 42;
  return run;
}

static void
make_recording (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RwRecording) r = rw_recording_open (path, RW_RECORDING_NEW, &error);
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwRun) run = example_run (space, 3, "key3");
  RwExchange exchange = { .number = 7,
                          .method = (char *)"POST",
                          .url = (char *)"http://page.test/api",
                          .request_headers = (char *)"A: b\n",
                          .status = 200,
                          .headers = (char *)"X: caf\xe9\n",
                          .latency_ms = 12 };
  g_autofree char *text = g_strnfill (50000, 'x');
  g_assert_no_error (error);
  exchange.body = g_bytes_new (text, 50000);
  exchange.request_body = g_bytes_new_static ("", 0);
  g_assert_true (rw_recording_set (r, "url", "http://page.test/", &error));
  g_assert_true (rw_recording_add_exchange (r, &exchange, &error));
  g_assert_true (rw_recording_put_run (r, run, &error));
  g_assert_no_error (error);
  g_assert_true (rw_recording_publish (r, &error));
  g_assert_no_error (error);
  g_bytes_unref (exchange.body);
  g_bytes_unref (exchange.request_body);
}

static void
assert_fails (const char *path, RwRecordingMode mode, RwRecordingError code, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RwRecording) r = rw_recording_open (path, mode, &error);
  g_assert_null (r);
  g_assert_error (error, RW_RECORDING_ERROR, (int)code);
  g_assert_nonnull (strstr (error->message, path));
  if (strstr (error->message, words) == NULL)
    g_error ("'%s' does not say '%s'", error->message, words);
  g_assert_null (strchr (error->message, '\n'));
}

static void
keeps_exchanges (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  make_recording (f->path);
  g_autoptr (RwRecording) r = rw_recording_open (f->path, RW_RECORDING_READ, &error);
  g_assert_no_error (error);
  g_autofree char *url = rw_recording_get (r, "url");
  g_assert_cmpstr (url, ==, "http://page.test/");
  g_assert_null (rw_recording_get (r, "nothing"));
  g_autoptr (GPtrArray) all = rw_recording_exchanges (r, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (all->len, ==, 1);
  RwExchange *exchange = all->pdata[0];
  g_assert_cmpuint (exchange->number, ==, 7);
  g_assert_cmpstr (exchange->method, ==, "POST");
  g_assert_cmpstr (exchange->headers, ==, "X: caf\xe9\n");
  g_assert_cmpuint (g_bytes_get_size (exchange->body), ==, 50000);
  g_assert_cmpuint (g_bytes_get_size (exchange->request_body), ==, 0);
  g_assert_cmpuint (exchange->latency_ms, ==, 12);
}

static void
keeps_runs (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  make_recording (f->path);
  g_autoptr (RwRecording) r = rw_recording_open (f->path, RW_RECORDING_READ, &error);
  g_autoptr (RwSpace) space = rw_space_new ();
  event (space, "another numbering", RW_KIND_OTHER);
  g_autoptr (RwRun) run = rw_recording_run (r, space, 3, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (run->key, ==, "key3");
  g_assert_cmpuint (run->depth, ==, 1);
  g_assert_cmpint (run->reversal.kind, ==, RW_REVERSAL_RACE);
  g_assert_cmpstr (rw_space_event_info (space, run->reversal.first)->label, ==, "load");
  g_assert_cmpstr (rw_space_event_info (space, run->reversal.second)->label, ==, "click");
  g_assert_cmpstr (rw_space_location_name (space, run->reversal.location), ==, "window.queue");
  g_assert_cmpuint (run->schedule->len, ==, 2);
  g_assert_cmpuint (g_array_index (run->schedule, RwEvent, 0), ==, run->reversal.second);
  g_assert_cmpuint (run->skipped->len, ==, 1);
  g_assert_cmpuint (rw_trace_length (run->trace), ==, 2);
  g_assert_cmpint (run->outcome, ==, RW_OUTCOME_LIMIT);
  g_assert_cmpstr (run->note, ==, "200 events");
  g_assert_cmpmem (g_bytes_get_data (run->state, NULL), g_bytes_get_size (run->state), "{\"version\":1}", 13);
  g_assert_cmpuint (run->wall_ms, ==, 42);
  g_assert_null (rw_recording_run (r, space, 4, &error));
  g_assert_null (rw_recording_run_by_key (r, space, "none", &error));
  g_assert_no_error (error);
}

static void
a_number_belongs_to_one_run (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  make_recording (f->path);
  g_autoptr (RwRecording) r = rw_recording_open (f->path, RW_RECORDING_WRITE, &error);
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwRun) run = example_run (space, RW_RUN_REDUNDANT, "key4");
  g_assert_true (rw_recording_put_run (r, run, &error));
  g_assert_true (rw_recording_set_run_number (r, "key4", 3, &error));
  g_autoptr (RwRun) found = rw_recording_run (r, space, 3, &error);
  g_assert_cmpstr (found->key, ==, "key4");
  g_autoptr (RwRun) old = rw_recording_run_by_key (r, space, "key3", &error);
  g_assert_cmpuint (old->number, ==, RW_RUN_UNDECIDED);
  g_autoptr (GArray) numbers = rw_recording_run_numbers (r, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (numbers->len, ==, 1);
}

static gint64
ask (const char *path, const char *sql)
{
  sqlite3 *db;
  sqlite3_stmt *s;
  gint64 value = -1;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &s, NULL), ==, SQLITE_OK);
  int code = sqlite3_step (s);
  if (code == SQLITE_ROW)
    value = sqlite3_column_int64 (s, 0);
  else if (code != SQLITE_DONE)
    g_error ("%s: %s", sql, sqlite3_errmsg (db));
  sqlite3_finalize (s);
  sqlite3_close (db);
  return value;
}

static void
equal_states_are_kept_once (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  make_recording (f->path);
  gint64 before = ask (f->path, "SELECT count(*) FROM blobs");
  {
    g_autoptr (RwRecording) r = rw_recording_open (f->path, RW_RECORDING_WRITE, &error);
    g_autoptr (RwSpace) space = rw_space_new ();
    for (guint i = 10; i < 20; i++)
      {
        g_autofree char *key = g_strdup_printf ("key%u", i);
        g_autoptr (RwRun) run = example_run (space, i, key);
        g_assert_true (rw_recording_put_run (r, run, &error));
      }
  }
  g_assert_cmpint (ask (f->path, "SELECT count(*) FROM blobs"), ==, before);
  g_assert_cmpint (ask (f->path, "SELECT count(*) FROM runs"), ==, 11);
}

static void
keeps_marks_and_verdicts (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  make_recording (f->path);
  g_autoptr (RwRecording) r = rw_recording_open (f->path, RW_RECORDING_WRITE, &error);
  g_assert_true (rw_recording_set_mark (r, "b", "harmless", "it's fine", &error));
  g_assert_true (rw_recording_set_mark (r, "a", "harmful", NULL, &error));
  g_assert_true (rw_recording_set_mark (r, "c", "harmful", NULL, &error));
  g_assert_true (rw_recording_set_mark (r, "c", NULL, NULL, &error));
  g_autoptr (GPtrArray) marks = rw_recording_marks (r, &error);
  g_assert_cmpuint (marks->len, ==, 2);
  g_assert_cmpstr (((RwMark *)marks->pdata[0])->target, ==, "a");
  g_assert_cmpstr (((RwMark *)marks->pdata[1])->note, ==, "it's fine");
  g_assert_true (rw_recording_set_verdict (r, "key3", "{}", &error));
  g_autofree char *text = rw_recording_verdict (r, "key3", &error);
  g_assert_cmpstr (text, ==, "{}");
  g_autoptr (RwSpace) space = rw_space_new ();
  g_autoptr (RwRun) run = example_run (space, 3, "key3");
  g_assert_true (rw_recording_put_run (r, run, &error));
  g_assert_null (rw_recording_verdict (r, "key3", &error));
  g_assert_no_error (error);
}

static void
not_published_leaves_nothing (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  RwRecording *r = rw_recording_open (f->path, RW_RECORDING_NEW, &error);
  g_assert_no_error (error);
  g_assert_false (g_file_test (f->path, G_FILE_TEST_EXISTS));
  g_assert_true (rw_recording_set (r, "url", "x", &error));
  rw_recording_close (r);
  g_assert_cmpuint (n_files (f->folder), ==, 0);
}

/* Runs @work in a child that then dies without cleaning up. */
static void
in_killed_child (void (*work) (const char *path), const char *path)
{
  pid_t child = fork ();
  if (child == 0)
    {
      work (path);
      kill (getpid (), SIGKILL);
    }
  int status;
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
}

static void
start_new (const char *path)
{
  RwRecording *r = rw_recording_open (path, RW_RECORDING_NEW, NULL);
  rw_recording_set (r, "url", "half", NULL);
}

static void
a_killed_recording_does_not_disturb (Fixture *f, gconstpointer data)
{
  in_killed_child (start_new, f->path);
  g_assert_cmpuint (n_files (f->folder), ==, 1);
  make_recording (f->path);
  g_assert_cmpuint (n_files (f->folder), ==, 1);
}

static void
write_half (const char *path)
{
  /* A page cache of one page makes SQLite write into the file before the commit, as a large transaction would. */
  sqlite3 *db;
  sqlite3_open (path, &db);
  sqlite3_exec (db,
                "PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM runs; DELETE FROM facts;"
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
                "INSERT INTO facts SELECT 'fact' || i, 'a value that takes some room in the file' FROM n",
                NULL, NULL, NULL);
}

static void
a_killed_writer_is_rolled_back (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  make_recording (f->path);
  in_killed_child (write_half, f->path);
  g_assert_cmpuint (n_files (f->folder), ==, 2);
  g_autoptr (RwRecording) r = rw_recording_open (f->path, RW_RECORDING_READ, &error);
  g_assert_no_error (error);
  g_autofree char *url = rw_recording_get (r, "url");
  g_assert_cmpstr (url, ==, "http://page.test/");
  g_assert_cmpuint (n_files (f->folder), ==, 1);
}

static void
a_killed_writers_journal_does_not_reach_the_next_recording (Fixture *f, gconstpointer data)
{
  make_recording (f->path);
  in_killed_child (write_half, f->path);
  make_recording (f->path);
  g_assert_cmpuint (n_files (f->folder), ==, 1);
  g_assert_cmpint (ask (f->path, "SELECT count(*) FROM runs"), ==, 1);
}

static void
one_writer_at_a_time (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  make_recording (f->path);
  g_autoptr (RwRecording) writer = rw_recording_open (f->path, RW_RECORDING_WRITE, &error);
  g_assert_no_error (error);
  assert_fails (f->path, RW_RECORDING_WRITE, RW_RECORDING_ERROR_BUSY, "wait");
  g_autoptr (RwRecording) reader = rw_recording_open (f->path, RW_RECORDING_READ, &error);
  g_assert_no_error (error);
  g_assert_true (rw_recording_set (writer, "url", "new", &error));
  g_autofree char *url = rw_recording_get (reader, "url");
  g_assert_cmpstr (url, ==, "new");
  g_autoptr (RwRecording) other = rw_recording_open (f->path, RW_RECORDING_NEW, &error);
  g_assert_no_error (error);
  g_assert_false (rw_recording_publish (other, &error));
  g_assert_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_BUSY);
}

static void
says_what_is_not_a_recording (Fixture *f, gconstpointer data)
{
  assert_fails (f->path, RW_RECORDING_READ, RW_RECORDING_ERROR_MISSING, "racewalk record");
  g_assert_true (g_file_set_contents (f->path, "", 0, NULL));
  assert_fails (f->path, RW_RECORDING_READ, RW_RECORDING_ERROR_FORMAT, "not a recording");
  g_assert_true (g_file_set_contents (f->path, "<!doctype html><p>hello", -1, NULL));
  assert_fails (f->path, RW_RECORDING_READ, RW_RECORDING_ERROR_FORMAT, "not a recording");
  g_remove (f->path);
  ask (f->path, "CREATE TABLE facts (name TEXT, value TEXT)");
  assert_fails (f->path, RW_RECORDING_WRITE, RW_RECORDING_ERROR_FORMAT, "not a recording");
  g_remove (f->path);
  g_mkdir (f->path, 0777);
  assert_fails (f->path, RW_RECORDING_READ, RW_RECORDING_ERROR_FORMAT, "not a recording");
  assert_fails (f->path, RW_RECORDING_NEW, RW_RECORDING_ERROR_FULL, "name a file");
}

static void
says_what_a_newer_schema_needs (Fixture *f, gconstpointer data)
{
  make_recording (f->path);
  ask (f->path, "PRAGMA user_version = 2");
  assert_fails (f->path, RW_RECORDING_READ, RW_RECORDING_ERROR_VERSION, "update racewalk");
}

static void
refuses_strange_schemas (Fixture *f, gconstpointer data)
{
  make_recording (f->path);
  ask (f->path, "ALTER TABLE runs RENAME COLUMN trace TO track");
  assert_fails (f->path, RW_RECORDING_READ, RW_RECORDING_ERROR_FORMAT, "damaged");
  make_recording (f->path);
  ask (f->path, "DROP TABLE marks");
  ask (f->path, "CREATE VIEW marks AS SELECT 'a' AS target, 'harmless' AS verdict, '' AS note");
  assert_fails (f->path, RW_RECORDING_READ, RW_RECORDING_ERROR_FORMAT, "views");
}

static const char *const damages[] = {
  "UPDATE runs SET parent = -9",
  "UPDATE runs SET number = 3, depth = -1",
  "UPDATE runs SET reversal = 3",
  "UPDATE runs SET first = 0",
  "UPDATE runs SET outcome = 77",
  "UPDATE runs SET schedule = 99",
  "UPDATE runs SET note = CAST (x'ff' AS TEXT)",
  "UPDATE runs SET fingerprint = CAST (x'410042' AS TEXT)",
  "UPDATE runs SET trace = state",
  "UPDATE runs SET schedule = state",
  "UPDATE blobs SET size = 1",
  "UPDATE blobs SET size = 1000000000000",
  "UPDATE blobs SET encoding = 5",
  "UPDATE blobs SET encoding = 1 - encoding",
  "UPDATE exchanges SET status = 70000",
  "UPDATE exchanges SET latency_ms = -1",
  "UPDATE exchanges SET headers = x'4100'",
  "UPDATE blobs SET data = substr (data, 1, length (data) - 1) WHERE size > 1",
  "UPDATE blobs SET data = CAST (substr (data, 1, length (data) - 1) || x'00' AS BLOB) WHERE size > 1",
};

static void
finds_every_damage (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GError) other = NULL;
      make_recording (f->path);
      ask (f->path, damages[i]);
      g_autoptr (RwRecording) r = rw_recording_open (f->path, RW_RECORDING_READ, &error);
      g_autoptr (RwSpace) space = rw_space_new ();
      g_assert_no_error (error);
      g_autoptr (RwRun) run = rw_recording_run (r, space, 3, &error);
      g_autoptr (GPtrArray) all = rw_recording_exchanges (r, &other);
      if (error == NULL && other == NULL)
        g_error ("not noticed: %s", damages[i]);
      GError *found = error != NULL ? error : other;
      g_assert_error (found, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FORMAT);
    }
}

/* Whatever byte is turned over, reading ends, with data or with an error. */
static void
survives_flipped_bytes (Fixture *f, gconstpointer data)
{
  g_autofree char *bytes = NULL;
  gsize size;
  make_recording (f->path);
  g_assert_true (g_file_get_contents (f->path, &bytes, &size, NULL));
  for (guint i = 0; i < 300; i++)
    {
      guint32 at = g_test_rand_int_range (0, size);
      char old = bytes[at];
      bytes[at] ^= 1 << g_test_rand_int_range (0, 8);
      g_assert_true (g_file_set_contents (f->path, bytes, size, NULL));
      g_autoptr (RwRecording) r = rw_recording_open (f->path, RW_RECORDING_READ, NULL);
      g_autoptr (RwSpace) space = rw_space_new ();
      if (r != NULL)
        {
          g_autoptr (RwRun) run = rw_recording_run (r, space, 3, NULL);
          g_autoptr (GPtrArray) all = rw_recording_exchanges (r, NULL);
          g_autoptr (GArray) numbers = rw_recording_run_numbers (r, NULL);
        }
      bytes[at] = old;
    }
}

static void
a_full_disk_leaves_the_recording_as_it_was (Fixture *f, gconstpointer data)
{
  make_recording (f->path);
  struct stat info;
  g_stat (f->path, &info);
  pid_t child = fork ();
  if (child == 0)
    {
      struct rlimit limit = { info.st_size + 20000, info.st_size + 20000 };
      g_autoptr (GError) error = NULL;
      setrlimit (RLIMIT_FSIZE, &limit);
      RwRecording *r = rw_recording_open (f->path, RW_RECORDING_WRITE, &error);
      g_autofree char *noise = g_malloc (200000);
      for (guint i = 0; i < 200000; i++)
        noise[i] = (char)g_test_rand_int ();
      RwExchange exchange = { .number = 9, .method = (char *)"GET", .url = (char *)"u", .status = 200 };
      exchange.body = g_bytes_new (noise, 200000);
      if (r == NULL || rw_recording_add_exchange (r, &exchange, &error))
        _exit (1);
      if (!g_error_matches (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FULL) || !strstr (error->message, "no space"))
        {
          g_printerr ("%s\n", error->message);
          _exit (2);
        }
      rw_recording_close (r);
      _exit (0);
    }
  int status;
  waitpid (child, &status, 0);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  g_assert_cmpint (ask (f->path, "SELECT count(*) FROM exchanges"), ==, 1);
  g_assert_cmpuint (n_files (f->folder), ==, 1);
}

static void
a_full_disk_while_recording_leaves_nothing (Fixture *f, gconstpointer data)
{
  pid_t child = fork ();
  if (child == 0)
    {
      struct rlimit limit = { 8192, 8192 };
      g_autoptr (GError) error = NULL;
      setrlimit (RLIMIT_FSIZE, &limit);
      RwRecording *r = rw_recording_open (f->path, RW_RECORDING_NEW, &error);
      _exit (r == NULL && g_error_matches (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FULL) ? 0 : 1);
    }
  int status;
  waitpid (child, &status, 0);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  g_assert_cmpuint (n_files (f->folder), ==, 0);
}

static void
says_where_it_may_not_write (Fixture *f, gconstpointer data)
{
  g_autofree char *nowhere = g_build_filename (f->folder, "none", "page.rwk", NULL);
  assert_fails (nowhere, RW_RECORDING_NEW, RW_RECORDING_ERROR_FULL, "choose a folder");
  if (geteuid () == 0)
    {
      g_test_skip ("root may write everywhere");
      return;
    }
  make_recording (f->path);
  g_chmod (f->path, 0444);
  assert_fails (f->path, RW_RECORDING_WRITE, RW_RECORDING_ERROR_FULL, "copy it");
}

#define ADD(path, function) g_test_add ("/recorder/recording/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("keeps-exchanges", keeps_exchanges);
  ADD ("keeps-runs", keeps_runs);
  ADD ("a-number-belongs-to-one-run", a_number_belongs_to_one_run);
  ADD ("equal-states-are-kept-once", equal_states_are_kept_once);
  ADD ("keeps-marks-and-verdicts", keeps_marks_and_verdicts);
  ADD ("not-published-leaves-nothing", not_published_leaves_nothing);
  ADD ("a-killed-recording-does-not-disturb", a_killed_recording_does_not_disturb);
  ADD ("a-killed-writer-is-rolled-back", a_killed_writer_is_rolled_back);
  ADD ("a-killed-writers-journal-does-not-reach-the-next", a_killed_writers_journal_does_not_reach_the_next_recording);
  ADD ("one-writer-at-a-time", one_writer_at_a_time);
  ADD ("says-what-is-not-a-recording", says_what_is_not_a_recording);
  ADD ("says-what-a-newer-schema-needs", says_what_a_newer_schema_needs);
  ADD ("refuses-strange-schemas", refuses_strange_schemas);
  ADD ("finds-every-damage", finds_every_damage);
  ADD ("survives-flipped-bytes", survives_flipped_bytes);
  ADD ("a-full-disk-leaves-the-recording-as-it-was", a_full_disk_leaves_the_recording_as_it_was);
  ADD ("a-full-disk-while-recording-leaves-nothing", a_full_disk_while_recording_leaves_nothing);
  ADD ("says-where-it-may-not-write", says_where_it_may_not_write);
  return g_test_run ();
}
