/* SPDX-License-Identifier: MIT */
/* The recording's statements, columns and blobs: the only file that trusts nothing of what SQLite hands out. */
#include "rw-recording-private.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>

/* No body, trace, state or screenshot that we keep is larger; a frame that claims to be is damaged or hostile. */
#define BLOB_LIMIT ((gsize)1 << 29)
#define COMPRESSION_LEVEL 3

typedef enum
{
  ENCODING_RAW = 0,
  ENCODING_ZSTD = 1
} Encoding;

static RwRecordingError
error_of (int code)
{
  switch (code & 0xff)
    {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return RW_RECORDING_ERROR_BUSY;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_NOMEM:
      return RW_RECORDING_ERROR_FULL;
    default:
      return RW_RECORDING_ERROR_FORMAT;
    }
}

gboolean
rw_recording_fail (RwRecording *self, int code, GError **error)
{
  int system = self->db != NULL ? sqlite3_system_errno (self->db) : errno;
  RwRecordingError kind = error_of (code);
  if (error != NULL && *error != NULL)
    return FALSE;
  if (kind == RW_RECORDING_ERROR_BUSY)
    g_set_error (error, RW_RECORDING_ERROR, kind, "%s is in use by another racewalk; wait for it to end", self->path);
  else if (kind == RW_RECORDING_ERROR_FORMAT)
    return rw_recording_damaged (self, sqlite3_errstr (code), error);
  else if ((code & 0xff) == SQLITE_READONLY)
    g_set_error (error, RW_RECORDING_ERROR, kind,
                 "%s cannot be written: it is read-only; copy it to where you may write", self->path);
  /* SQLite does not always keep the system's reason for a write that failed; there is nearly no other than this one. */
  else if ((code & 0xff) == SQLITE_FULL || (code == SQLITE_IOERR_WRITE && system != EIO))
    g_set_error (error, RW_RECORDING_ERROR, kind,
                 "%s cannot be written: no space left, or a limit on the size of files; free some and try again",
                 self->path);
  else
    g_set_error (error, RW_RECORDING_ERROR, kind,
                 "%s cannot be read or written: %s; check the disk and its permissions", self->path,
                 system != 0 ? g_strerror (system) : sqlite3_errstr (code));
  return FALSE;
}

gboolean
rw_recording_damaged (RwRecording *self, const char *where, GError **error)
{
  if (error == NULL || *error == NULL)
    g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FORMAT, "%s is damaged (%s); record the page again",
                 self->path, where);
  return FALSE;
}

sqlite3_stmt *
rw_recording_prepare (RwRecording *self, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL);
  if (code != SQLITE_OK)
    rw_recording_fail (self, sqlite3_extended_errcode (self->db), error);
  return statement;
}

gboolean
rw_recording_step (RwRecording *self, sqlite3_stmt *statement, gboolean *row, GError **error)
{
  int code = sqlite3_step (statement);
  *row = code == SQLITE_ROW;
  return code == SQLITE_ROW || code == SQLITE_DONE
         || rw_recording_fail (self, sqlite3_extended_errcode (self->db), error);
}

gboolean
rw_recording_do (RwRecording *self, sqlite3_stmt *statement, GError **error)
{
  gboolean row;
  return rw_recording_step (self, statement, &row, error);
}

gboolean
rw_recording_exec (RwRecording *self, const char *sql, GError **error)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK
         || rw_recording_fail (self, sqlite3_extended_errcode (self->db), error);
}

gboolean
rw_recording_begin (RwRecording *self, GError **error)
{
  return rw_recording_exec (self, "BEGIN IMMEDIATE", error);
}

gboolean
rw_recording_end (RwRecording *self, gboolean ok, GError **error)
{
  if (ok && rw_recording_exec (self, "COMMIT", error))
    return TRUE;
  /* A failed write may have rolled back by itself already. */
  if (!sqlite3_get_autocommit (self->db))
    sqlite3_exec (self->db, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

static gboolean
damaged_column (RwRecording *self, sqlite3_stmt *s, int column, GError **error)
{
  g_autofree char *where = g_strdup_printf ("the value of %s", sqlite3_column_name (s, column));
  return rw_recording_damaged (self, where, error);
}

gboolean
rw_column_text (RwRecording *self, sqlite3_stmt *s, int column, gboolean nullable, char **out, GError **error)
{
  int type = sqlite3_column_type (s, column);
  if (type == SQLITE_NULL && nullable)
    {
      *out = NULL;
      return TRUE;
    }
  if (type != SQLITE_TEXT)
    return damaged_column (self, s, column, error);
  const char *text = (const char *)sqlite3_column_text (s, column);
  int length = sqlite3_column_bytes (s, column);
  if (text == NULL || !g_utf8_validate_len (text, length, NULL))
    return damaged_column (self, s, column, error);
  *out = g_strndup (text, length);
  return TRUE;
}

gboolean
rw_column_bytes (RwRecording *self, sqlite3_stmt *s, int column, char **out, GError **error)
{
  if (sqlite3_column_type (s, column) != SQLITE_BLOB)
    return damaged_column (self, s, column, error);
  const char *bytes = sqlite3_column_blob (s, column);
  int length = sqlite3_column_bytes (s, column);
  if (length > 0 && memchr (bytes, 0, length) != NULL)
    return damaged_column (self, s, column, error);
  *out = length > 0 ? g_strndup (bytes, length) : g_strdup ("");
  return TRUE;
}

gboolean
rw_column_int (RwRecording *self, sqlite3_stmt *s, int column, gint64 least, gint64 most, gint64 *out, GError **error)
{
  if (sqlite3_column_type (s, column) != SQLITE_INTEGER)
    return damaged_column (self, s, column, error);
  gint64 value = sqlite3_column_int64 (s, column);
  if (value < least || value > most)
    return damaged_column (self, s, column, error);
  *out = value;
  return TRUE;
}

gboolean
rw_column_uint (RwRecording *self, sqlite3_stmt *s, int column, guint *out, GError **error)
{
  gint64 value;
  if (!rw_column_int (self, s, column, 0, G_MAXINT32, &value, error))
    return FALSE;
  *out = (guint)value;
  return TRUE;
}

gboolean
rw_column_blob (RwRecording *self, sqlite3_stmt *s, int column, GBytes **out, GError **error)
{
  gint64 id = 0;
  if (sqlite3_column_type (s, column) != SQLITE_NULL && !rw_column_int (self, s, column, 1, G_MAXINT64, &id, error))
    return FALSE;
  return rw_recording_get_blob (self, id, out, error);
}

void
rw_bind_blob (sqlite3_stmt *s, int parameter, gint64 id)
{
  if (id != 0)
    sqlite3_bind_int64 (s, parameter, id);
  else
    sqlite3_bind_null (s, parameter);
}

void
rw_bind_text (sqlite3_stmt *s, int parameter, const char *text)
{
  g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;
  sqlite3_bind_text (s, parameter, valid, -1, SQLITE_TRANSIENT);
}

/* What does not get smaller (images, fonts) is kept as it is. The checksum in the frame finds flipped bits. */
static GBytes *
encode (GBytes *bytes, Encoding *encoding)
{
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);
  gsize room = ZSTD_compressBound (size);
  g_autofree char *out = g_malloc (room);
  ZSTD_CCtx *context = ZSTD_createCCtx ();
  ZSTD_CCtx_setParameter (context, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
  ZSTD_CCtx_setParameter (context, ZSTD_c_checksumFlag, 1);
  gsize used = ZSTD_compress2 (context, out, room, data, size);
  ZSTD_freeCCtx (context);
  if (ZSTD_isError (used) || used >= size)
    {
      *encoding = ENCODING_RAW;
      return g_bytes_ref (bytes);
    }
  *encoding = ENCODING_ZSTD;
  return g_bytes_new_take (g_realloc (g_steal_pointer (&out), used), used);
}

gboolean
rw_recording_put_blob (RwRecording *self, GBytes *bytes, gint64 *id, GError **error)
{
  *id = 0;
  if (bytes == NULL)
    return TRUE;
  if (g_bytes_get_size (bytes) > BLOB_LIMIT)
    {
      g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FULL,
                   "%s cannot take a piece of %" G_GSIZE_FORMAT " bytes", self->path, g_bytes_get_size (bytes));
      return FALSE;
    }
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  g_autoptr (sqlite3_stmt) find = rw_recording_prepare (self, "SELECT id FROM blobs WHERE hash = ?", error);
  gboolean row;
  if (find == NULL)
    return FALSE;
  rw_bind_text (find, 1, hash);
  if (!rw_recording_step (self, find, &row, error))
    return FALSE;
  if (row)
    return rw_column_int (self, find, 0, 1, G_MAXINT64, id, error);

  Encoding encoding;
  g_autoptr (GBytes) packed = encode (bytes, &encoding);
  g_autoptr (sqlite3_stmt) insert
      = rw_recording_prepare (self, "INSERT INTO blobs (hash, size, encoding, data) VALUES (?, ?, ?, ?)", error);
  if (insert == NULL)
    return FALSE;
  gsize size;
  const void *data = g_bytes_get_data (packed, &size);
  rw_bind_text (insert, 1, hash);
  sqlite3_bind_int64 (insert, 2, g_bytes_get_size (bytes));
  sqlite3_bind_int (insert, 3, encoding);
  sqlite3_bind_blob64 (insert, 4, size > 0 ? data : "", size, SQLITE_STATIC);
  if (!rw_recording_do (self, insert, error))
    return FALSE;
  *id = sqlite3_last_insert_rowid (self->db);
  return TRUE;
}

static GBytes *
decode (const void *data, gsize length, gsize size, Encoding encoding)
{
  if (encoding == ENCODING_RAW)
    return length == size ? g_bytes_new (data, length) : NULL;
  if (ZSTD_getFrameContentSize (data, length) != size)
    return NULL;
  g_autofree char *out = g_try_malloc (MAX (size, 1));
  if (out == NULL || ZSTD_decompress (out, size, data, length) != size)
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&out), size);
}

gboolean
rw_recording_get_blob (RwRecording *self, gint64 id, GBytes **bytes, GError **error)
{
  *bytes = NULL;
  if (id == 0)
    return TRUE;
  g_autoptr (sqlite3_stmt) find
      = rw_recording_prepare (self, "SELECT size, encoding, data FROM blobs WHERE id = ?", error);
  gboolean row;
  gint64 size, encoding;
  if (find == NULL)
    return FALSE;
  sqlite3_bind_int64 (find, 1, id);
  if (!rw_recording_step (self, find, &row, error))
    return FALSE;
  if (!row || sqlite3_column_type (find, 2) != SQLITE_BLOB)
    return rw_recording_damaged (self, "a stored piece is missing", error);
  if (!rw_column_int (self, find, 0, 0, BLOB_LIMIT, &size, error)
      || !rw_column_int (self, find, 1, ENCODING_RAW, ENCODING_ZSTD, &encoding, error))
    return FALSE;
  *bytes = decode (sqlite3_column_blob (find, 2), sqlite3_column_bytes (find, 2), size, encoding);
  return *bytes != NULL || rw_recording_damaged (self, "a stored piece cannot be unpacked", error);
}
