/* SPDX-License-Identifier: MIT */
/* A proxy, a client that sends everything through it as a view does, and a folder: for the tests of the proxy. */
#pragma once

#include <libsoup/soup.h>

#include "rw-proxy-private.h"

#define PAGE "<!DOCTYPE html><title>T</title><p id=a>one<p id=b>two"

typedef struct
{
  char *folder;
  RwScripts *scripts;
  GPtrArray *exchanges;
  RwProxy *proxy;
  SoupSession *session;
  RwProxyDecision decision;
  GString *log; /* what the callbacks were told */
  SoupServer *upstream;
  guint n_upstream; /* requests that it got */
  SoupServerMessage *events;
} Fixture;

typedef struct
{
  SoupMessage *message;
  GCancellable *cancellable;
  GBytes *body;
  GError *error;
  gboolean done;
} Answer;

void rw_test_write_file (Fixture *self, const char *name, const char *text);
gboolean rw_test_take_certificate (SoupMessage *message, GTlsCertificate *certificate, GTlsCertificateFlags errors,
                                   gpointer user_data);
void rw_test_start (Fixture *self, RwProxyOptions options);
void rw_test_start_folder (Fixture *self);
void rw_test_start_replay (Fixture *self);
void rw_test_set_up (Fixture *self, gconstpointer data);
void rw_test_tear_down (Fixture *self, gconstpointer data);
Answer *rw_test_new_answer (const char *method, const char *url, guint number);
Answer *rw_test_ask (Fixture *self, const char *method, const char *url, guint number);
void rw_test_wait_for (Answer *answer);
void rw_test_answer_free (Answer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Answer, rw_test_answer_free)
Answer *rw_test_get (Fixture *self, const char *url);
void rw_test_send_and_wait (Fixture *self, Answer *answer);
void rw_test_run_for (guint ms);
const char *rw_test_response_header (const Answer *answer, const char *name);
gboolean rw_test_body_has (const Answer *answer, const char *piece);
char *rw_test_body_text (const Answer *answer);
void rw_test_assert_body (const Answer *answer, guint status, const char *expected);
Answer *rw_test_get_from (Fixture *self, const char *base, const char *path);
RwExchange *rw_test_last_exchange (Fixture *self);
