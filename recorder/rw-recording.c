/* SPDX-License-Identifier: MIT */
/* The recording file: opening with every check, one writer, atomic appearance, and the facts by name. */
#include "rw-recording-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION_ID 0x5277726b /* "Rwrk" */
#define BUSY_MS 5000

G_DEFINE_QUARK (rw - recording - error - quark, rw_recording_error)

/* Written into recordings. A change that an older racewalk would misread makes RW_RECORDING_SCHEMA one higher. The
 * meaning of each column is told in recorder/README.md. */
static const char schema[]
    = "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
      "CREATE TABLE blobs (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,"
      "  encoding INTEGER NOT NULL, data BLOB NOT NULL) STRICT;"
      "CREATE TABLE exchanges (number INTEGER PRIMARY KEY, method TEXT NOT NULL, url TEXT NOT NULL,"
      "  request_headers BLOB NOT NULL, request_body INTEGER REFERENCES blobs, status INTEGER NOT NULL, reason TEXT,"
      "  headers BLOB NOT NULL, body INTEGER REFERENCES blobs, latency_ms INTEGER NOT NULL) STRICT;"
      "CREATE TABLE runs (key TEXT PRIMARY KEY, number INTEGER NOT NULL, parent INTEGER NOT NULL, depth INTEGER NOT "
      "NULL,"
      "  reversal INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL, location TEXT,"
      "  schedule INTEGER REFERENCES blobs, trace INTEGER REFERENCES blobs, outcome INTEGER NOT NULL, note TEXT,"
      "  fingerprint TEXT, skipped INTEGER REFERENCES blobs, state_hash TEXT, state INTEGER REFERENCES blobs,"
      "  screenshot INTEGER REFERENCES blobs, wall_ms INTEGER NOT NULL) STRICT;"
      "CREATE INDEX runs_by_number ON runs (number);"
      "CREATE TABLE verdicts (key TEXT PRIMARY KEY REFERENCES runs, text TEXT NOT NULL) STRICT;"
      "CREATE TABLE marks (target TEXT PRIMARY KEY, verdict TEXT NOT NULL, note TEXT NOT NULL) STRICT;";

/* Hostile schemas are the known way to make SQLite do what a reader did not ask for. */
static const char defences[] = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;";

static gboolean
system_error (const char *path, RwRecordingError kind, int number, const char *remedy, GError **error)
{
  g_set_error (error, RW_RECORDING_ERROR, kind, "%s: %s; %s", path, g_strerror (number), remedy);
  return FALSE;
}

static gboolean
connect_db (RwRecording *self, int flags, GError **error)
{
  int code = sqlite3_open_v2 (self->file, &self->db, flags, NULL);
  if (code != SQLITE_OK)
    return rw_recording_fail (self, code, error);
  sqlite3_extended_result_codes (self->db, 1);
  sqlite3_busy_timeout (self->db, BUSY_MS);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  return rw_recording_exec (self, defences, error);
}

static gboolean
pragma_int (RwRecording *self, const char *sql, gint64 *value, GError **error)
{
  g_autoptr (sqlite3_stmt) s = rw_recording_prepare (self, sql, error);
  gboolean row = FALSE;
  if (s == NULL || !rw_recording_step (self, s, &row, error))
    return FALSE;
  *value = row ? sqlite3_column_int64 (s, 0) : 0;
  return TRUE;
}

static gboolean
not_a_recording (RwRecording *self, GError **error)
{
  g_clear_error (error);
  g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FORMAT, "%s is not a recording; racewalk record makes one",
               self->path);
  return FALSE;
}

static gboolean
check_identity (RwRecording *self, GError **error)
{
  g_autoptr (GError) local = NULL;
  gint64 application, version;
  if (!pragma_int (self, "PRAGMA application_id", &application, &local)
      || !pragma_int (self, "PRAGMA user_version", &version, &local))
    {
      if (g_error_matches (local, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FORMAT))
        return not_a_recording (self, error);
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (application != APPLICATION_ID)
    return not_a_recording (self, error);
  if (version > RW_RECORDING_SCHEMA)
    {
      g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_VERSION,
                   "%s was made by a newer racewalk (schema %" G_GINT64_FORMAT
                   ", this one reads up to %d); update racewalk",
                   self->path, version, RW_RECORDING_SCHEMA);
      return FALSE;
    }
  return version >= 1 || rw_recording_damaged (self, "it has no schema version", error);
}

/* The tables must be tables with our columns: preparing a statement over all of them says so. */
static gboolean
check_schema (RwRecording *self, GError **error)
{
  static const char *const statements[] = {
    "SELECT name, value FROM facts",
    "SELECT id, hash, size, encoding, data FROM blobs",
    "SELECT number, method, url, request_headers, request_body, status, reason, headers, body, latency_ms FROM "
    "exchanges",
    "SELECT key, number, parent, depth, reversal, first, second, location, schedule, trace, outcome, note, fingerprint,"
    " skipped, state_hash, state, screenshot, wall_ms FROM runs",
    "SELECT key, text FROM verdicts",
    "SELECT target, verdict, note FROM marks",
  };
  gint64 strange;
  if (!pragma_int (self, "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')", &strange, error))
    return FALSE;
  if (strange != 0)
    return rw_recording_damaged (self, "it holds views or triggers", error);
  for (guint i = 0; i < G_N_ELEMENTS (statements); i++)
    {
      g_autoptr (sqlite3_stmt) s = NULL;
      if (sqlite3_prepare_v2 (self->db, statements[i], -1, &s, NULL) != SQLITE_OK)
        return rw_recording_damaged (self, "a table is missing or has other columns", error);
    }
  return TRUE;
}

/* SQLite's own locks come and go with each transaction; this one is held as long as the writer lives, and goes with it.
 * The descriptor must be closed after the database: closing any descriptor of a file drops the process's record locks
 * on it. */
static gboolean
take_lock (RwRecording *self, GError **error)
{
  self->lock = g_open (self->file, O_RDWR | O_CLOEXEC, 0);
  if (self->lock < 0)
    return system_error (self->path, RW_RECORDING_ERROR_FULL, errno, "copy it to where you may write", error);
  if (flock (self->lock, LOCK_EX | LOCK_NB) == 0)
    return TRUE;
  if (errno != EWOULDBLOCK)
    return system_error (self->path, RW_RECORDING_ERROR_FULL, errno, "use a file system that can lock files", error);
  g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_BUSY,
               "%s is being written by another racewalk; wait for it to end", self->path);
  return FALSE;
}

static gboolean
check_file (RwRecording *self, GError **error)
{
  struct stat info;
  if (stat (self->file, &info) != 0)
    return errno == ENOENT || errno == ENOTDIR
               ? system_error (self->path, RW_RECORDING_ERROR_MISSING, errno, "racewalk record makes a recording",
                               error)
               : system_error (self->path, RW_RECORDING_ERROR_FULL, errno, "check its permissions", error);
  if (!S_ISREG (info.st_mode))
    return not_a_recording (self, error);
  if (access (self->file, R_OK) != 0)
    return system_error (self->path, RW_RECORDING_ERROR_FULL, errno, "check its permissions", error);
  return TRUE;
}

static gboolean
open_existing (RwRecording *self, RwRecordingMode mode, GError **error)
{
  if (!check_file (self, error) || (mode == RW_RECORDING_WRITE && !take_lock (self, error)))
    return FALSE;
  /* A reader asks for writing as well: what a killed writer left half-done has to be rolled back before it can be read.
   */
  if (!connect_db (self, SQLITE_OPEN_READWRITE, error) || !check_identity (self, error) || !check_schema (self, error))
    return FALSE;
  if (mode == RW_RECORDING_READ)
    return rw_recording_exec (self, "PRAGMA query_only = ON", error);
  return rw_recording_exec (self, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
                            error);
}

/* A temporary file whose lock can be had belongs to nobody any more. */
static void
remove_stale (const char *directory, const char *prefix)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      if (!g_str_has_prefix (name, prefix) || !g_str_has_suffix (name, ".part"))
        continue;
      g_autofree char *file = g_build_filename (directory, name, NULL);
      int fd = g_open (file, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
      if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0)
        g_unlink (file);
      if (fd >= 0)
        close (fd);
    }
}

static gboolean
open_new (RwRecording *self, GError **error)
{
  g_autofree char *directory = g_path_get_dirname (self->target);
  g_autofree char *name = g_path_get_basename (self->target);
  g_autofree char *prefix = g_strdup_printf (".%s.", name);
  g_autofree char *template = g_strdup_printf ("%s/%sXXXXXX.part", directory, prefix);
  g_autofree char *sql = g_strdup_printf ("%s PRAGMA application_id = %d; PRAGMA user_version = %d;", schema,
                                          APPLICATION_ID, RW_RECORDING_SCHEMA);
  if (g_file_test (self->target, G_FILE_TEST_IS_DIR))
    return system_error (self->path, RW_RECORDING_ERROR_FULL, EISDIR, "name a file", error);
  remove_stale (directory, prefix);
  int fd = g_mkstemp_full (template, O_RDWR | O_CLOEXEC, 0666);
  if (fd < 0)
    return system_error (self->path, RW_RECORDING_ERROR_FULL, errno, "choose a folder in which you may write", error);
  g_free (self->file);
  self->file = g_steal_pointer (&template);
  self->is_new = TRUE;
  self->lock = fd;
  if (flock (fd, LOCK_EX | LOCK_NB) != 0)
    return system_error (self->path, RW_RECORDING_ERROR_FULL, errno, "use a file system that can lock files", error);
  /* Nobody else sees this file, and if we die it is thrown away: no journal, and one sync when it is published. */
  return connect_db (self, SQLITE_OPEN_READWRITE, error)
         && rw_recording_exec (self, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON",
                               error)
         && rw_recording_begin (self, error) && rw_recording_end (self, rw_recording_exec (self, sql, error), error);
}

RwRecording *
rw_recording_open (const char *path, RwRecordingMode mode, GError **error)
{
  g_autoptr (RwRecording) self = g_new0 (RwRecording, 1);
  self->path = g_strdup (path);
  self->file = g_canonicalize_filename (path, NULL);
  self->target = g_strdup (self->file);
  self->lock = -1;
  /* A quota on the size of files is to be an error like a full disk, not a signal that kills. */
  if (mode != RW_RECORDING_READ)
    signal (SIGXFSZ, SIG_IGN);
  if (mode == RW_RECORDING_NEW ? !open_new (self, error) : !open_existing (self, mode, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
rw_recording_close (RwRecording *self)
{
  if (self == NULL)
    return;
  sqlite3_close_v2 (self->db);
  if (self->is_new)
    g_unlink (self->file);
  if (self->lock >= 0)
    close (self->lock);
  g_free (self->path);
  g_free (self->file);
  g_free (self->target);
  g_free (self);
}

/* The journal of a killed writer would be played back into the new file, since SQLite finds it by name. So the file
 * that is to be replaced is brought to rest first; if that is not possible it is beyond repair, and goes together with
 * its journal. */
static gboolean
settle_old (RwRecording *self, GError **error)
{
  g_autofree char *journal = g_strconcat (self->target, "-journal", NULL);
  int fd = g_open (self->target, O_RDWR | O_CLOEXEC, 0);
  gboolean free_to_go = fd < 0 || flock (fd, LOCK_EX | LOCK_NB) == 0;
  if (free_to_go && g_file_test (journal, G_FILE_TEST_EXISTS))
    {
      sqlite3 *old = NULL;
      if (sqlite3_open_v2 (self->target, &old, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
        sqlite3_exec (old, "BEGIN IMMEDIATE; COMMIT", NULL, NULL, NULL);
      sqlite3_close (old);
      if (g_file_test (journal, G_FILE_TEST_EXISTS))
        {
          g_unlink (self->target);
          g_unlink (journal);
        }
    }
  if (fd >= 0)
    close (fd);
  if (!free_to_go)
    g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_BUSY,
                 "%s is being written by another racewalk; wait for it to end, or choose another name", self->path);
  return free_to_go;
}

static void
sync_directory (const char *file)
{
  g_autofree char *directory = g_path_get_dirname (file);
  int fd = g_open (directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0);
  if (fd >= 0)
    {
      fsync (fd);
      close (fd);
    }
}

gboolean
rw_recording_publish (RwRecording *self, GError **error)
{
  if (!self->is_new)
    return TRUE;
  if (!settle_old (self, error))
    return FALSE;
  if (fsync (self->lock) != 0 || g_rename (self->file, self->target) != 0)
    return system_error (self->path, RW_RECORDING_ERROR_FULL, errno, "free some space or choose another folder", error);
  self->is_new = FALSE;
  g_free (self->file);
  self->file = g_strdup (self->target);
  sync_directory (self->target);
  /* SQLite names its journal by the path under which it opened the file, so it has to open it again. */
  sqlite3_close_v2 (g_steal_pointer (&self->db));
  return connect_db (self, SQLITE_OPEN_READWRITE, error)
         && rw_recording_exec (self,
                               "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
                               error);
}

const char *
rw_recording_path (const RwRecording *self)
{
  return self->path;
}

char *
rw_recording_get (RwRecording *self, const char *key)
{
  g_autoptr (sqlite3_stmt) s = rw_recording_prepare (self, "SELECT value FROM facts WHERE name = ?", NULL);
  gboolean row = FALSE;
  char *value = NULL;
  if (s == NULL)
    return NULL;
  rw_bind_text (s, 1, key);
  if (rw_recording_step (self, s, &row, NULL) && row)
    rw_column_text (self, s, 0, FALSE, &value, NULL);
  return value;
}

gboolean
rw_recording_set (RwRecording *self, const char *key, const char *value, GError **error)
{
  g_autoptr (sqlite3_stmt) s
      = value != NULL ? rw_recording_prepare (
            self, "INSERT INTO facts VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", error)
                      : rw_recording_prepare (self, "DELETE FROM facts WHERE name = ?1", error);
  if (s == NULL)
    return FALSE;
  rw_bind_text (s, 1, key);
  if (value != NULL)
    rw_bind_text (s, 2, value);
  return rw_recording_do (self, s, error);
}
