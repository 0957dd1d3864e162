/* SPDX-License-Identifier: MIT */
/* What the files of the recording share: statements whose every column is checked, blobs, one place for error messages.
 */
#pragma once

#include <sqlite3.h>

#include "rw-recording.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (sqlite3_stmt, sqlite3_finalize)

struct _RwRecording
{
  sqlite3 *db;
  char *path;      /* where the caller wants it, for messages */
  char *file;      /* absolute, what is open now: @path, or the temporary name */
  char *target;    /* absolute @path */
  int lock;        /* descriptor that holds the writer's lock; -1 for a reader */
  gboolean is_new; /* not published yet */
};

/* Sets @error from what SQLite said last, with the remedy. Always FALSE, so that it can be returned. */
gboolean rw_recording_fail (RwRecording *self, int code, GError **error);
/* The file holds something that no racewalk writes. Always FALSE. */
gboolean rw_recording_damaged (RwRecording *self, const char *where, GError **error);

sqlite3_stmt *rw_recording_prepare (RwRecording *self, const char *sql, GError **error);
gboolean rw_recording_step (RwRecording *self, sqlite3_stmt *statement, gboolean *row, GError **error);
/* Steps a statement that gives no rows. */
gboolean rw_recording_do (RwRecording *self, sqlite3_stmt *statement, GError **error);
gboolean rw_recording_exec (RwRecording *self, const char *sql, GError **error);

gboolean rw_recording_begin (RwRecording *self, GError **error);
/* Commits if @ok, otherwise rolls back. Returns TRUE only if it was committed. */
gboolean rw_recording_end (RwRecording *self, gboolean ok, GError **error);

/* Each fails on a value of another type or out of range; @out is set only on success. */
gboolean rw_column_text (RwRecording *self, sqlite3_stmt *s, int column, gboolean nullable, char **out, GError **error);
gboolean rw_column_bytes (RwRecording *self, sqlite3_stmt *s, int column, char **out, GError **error);
gboolean rw_column_int (RwRecording *self, sqlite3_stmt *s, int column, gint64 least, gint64 most, gint64 *out,
                        GError **error);
gboolean rw_column_uint (RwRecording *self, sqlite3_stmt *s, int column, guint *out, GError **error);

/* A blob is kept once: an equal one gives the same id. NULL gives 0. */
gboolean rw_recording_put_blob (RwRecording *self, GBytes *bytes, gint64 *id, GError **error);
/* 0 gives NULL. */
gboolean rw_recording_get_blob (RwRecording *self, gint64 id, GBytes **bytes, GError **error);
/* Reads a blob's id from a column (NULL: none) and then the blob. */
gboolean rw_column_blob (RwRecording *self, sqlite3_stmt *s, int column, GBytes **out, GError **error);
void rw_bind_blob (sqlite3_stmt *s, int parameter, gint64 id);
void rw_bind_text (sqlite3_stmt *s, int parameter, const char *text);

G_END_DECLS
