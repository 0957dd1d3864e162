/* SPDX-License-Identifier: MIT */
/* Between the files of the proxy. */
#pragma once

#include <libsoup/soup.h>

#include "rw-proxy.h"
#include "rw-site.h"

G_BEGIN_DECLS

typedef struct _RwReplaySource RwReplaySource;

typedef enum
{
  RW_TRANSACTION_WAITING, /* for its answer */
  RW_TRANSACTION_HELD,    /* has it; nothing was sent */
  RW_TRANSACTION_SENDING, /* a document, of which some segments were sent; or all was handed to the server */
  RW_TRANSACTION_DONE
} RwTransactionState;

/* One request on its way. */
typedef struct
{
  RwProxy *proxy;
  SoupServerMessage *message;
  gulong finished; /* signal handler */
  RwTransactionState state;
  guint number;
  char *method;
  char *url; /* without fragment */
  char *id;
  char *hint; /* from X-RW-What, or NULL */
  RwExchange *exchange;
  gboolean owns_exchange;
  gboolean missing;
  gboolean broken_integrity; /* integrity= demanded another text */
  RwProxyWhat what;
  RwHtml *html;
  GBytes *body; /* as it is sent; NULL for a document */
  guint n_sent; /* segments */
  GCancellable *cancellable;
  gint64 started; /* monotonic, us */
} RwTransaction;

/* What the page's markup says about an address that will be asked for. */
typedef enum
{
  RW_EXPECT_NOTHING,
  RW_EXPECT_CLASSIC,
  RW_EXPECT_MODULE
} RwExpect;

struct _RwProxy
{
  RwProxyMode mode;
  RwProxyCallbacks callbacks;
  gpointer user_data;
  char *host; /* of the folder, lower case */
  RwSite *site;
  char *page_host; /* host:port of the recorded page, which may be a private address */
  gboolean insecure;
  gboolean offline;
  gsize max_body;
  guint timeout_s;
  RwScripts *scripts;
  RwReplaySource *replay;
  SoupServer *server;
  SoupSession *session;
  GSocketService *service;
  GTlsCertificate *certificate;
  char *certificate_pem;
  char *uri;
  GPtrArray *transactions; /* of RwTransaction: those under way */
  GHashTable *released;    /* number -> highest segment + 1 that may go before it arrives; G_MAXUINT: all */
  GHashTable *finished;    /* numbers whose answers are sent */
  GHashTable *documents;   /* number -> RwHtml, of this run */
  GHashTable *expected;    /* URL -> RwExpect, from the page's markup and its modules */
  GHashTable *integrities; /* URL -> GPtrArray of char *: what integrity= demands of it */
  GHashTable *tunnels;     /* those that have not said yet what they carry */
  guint n_exchanges;
  GCancellable *cancellable; /* of everything that belongs to this run */
};

/* --- rw-proxy.c --- */
/* The answer is there: prepares, asks, sends. Takes @exchange if @owned. */
void rw_transaction_answer (RwTransaction *self, RwExchange *exchange, gboolean owned);

/* --- rw-proxy-connect.c: connections and tunnels --- */
gboolean rw_proxy_listen (RwProxy *self, GError **error);
/* A CONNECT: answers it and lets the server go on inside, with or without TLS as the client wants it. */
void rw_proxy_tunnel (RwProxy *self, SoupServerMessage *message);
/* "https://host:port" for a message that came through a tunnel, or NULL. */
const char *rw_proxy_authority (SoupServerMessage *message);

/* --- rw-proxy-answer.c: from an exchange to what is sent --- */
void rw_transaction_prepare (RwTransaction *self);
/* Fills in status and headers of the message. */
void rw_transaction_send_head (RwTransaction *self, gboolean chunked);
/* A header of a block of "Name: value\n" lines, as a new string; NULL if it is not there. */
char *rw_headers_get (const char *headers, const char *name);

/* --- rw-proxy-upstream.c --- */
void rw_proxy_fetch (RwTransaction *transaction);
/* TRUE if nothing of a page may be sent to this address on the page's own say. */
gboolean rw_address_is_private (GInetAddress *address);

/* --- rw-proxy-replay.c --- */
RwReplaySource *rw_replay_source_new (GPtrArray *exchanges);
void rw_replay_source_free (RwReplaySource *self);
void rw_replay_source_rewind (RwReplaySource *self);
/* The exchange that answers this request in this run, owned by the source, or NULL if there is none. */
RwExchange *rw_replay_source_find (RwReplaySource *self, const char *method, const char *url, GBytes *body,
                                   const char *id);

/* An address without its fragment, with an explicit path, as the recording has it. */
char *rw_proxy_normalize_url (const char *url);

G_END_DECLS
