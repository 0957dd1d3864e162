/* SPDX-License-Identifier: MIT */
/* Between the files of the proxy. */
#pragma once

#include <libsoup/soup.h>

#include "rw-proxy.h"
#include "rw-site.h"

G_BEGIN_DECLS

typedef struct _RwReplaySource RwReplaySource;
typedef struct _RwSocket RwSocket;

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
  /* Of a stream of events, which may have no end. */
  GByteArray *stream; /* what came so far, or NULL: not a stream */
  gsize n_streamed;   /* bytes of it that were sent */
  gboolean stream_ended;
  gboolean reported; /* LIVE: its exchange was handed over */
  GCancellable *cancellable;
  RwSocket *socket; /* that is being opened for it, or NULL */
  gint64 started;   /* monotonic, us */
} RwTransaction;

/* What the page's markup says about an address that will be asked for. */
typedef enum
{
  RW_EXPECT_NOTHING,
  RW_EXPECT_CLASSIC,
  RW_EXPECT_MODULE,
  RW_EXPECT_WORKER
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
  gboolean plain; /* nothing is rewritten or cut */
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
  GHashTable *failed;      /* those of them that got none */
  GHashTable *documents;   /* number -> RwHtml, of this run */
  GHashTable *expected;    /* URL -> RwExpect, from the page's markup and its modules */
  GHashTable *integrities; /* URL -> GPtrArray of char *: what integrity= demands of it */
  GHashTable *tunnels;     /* those that have not said yet what they carry */
  GPtrArray *sockets;      /* of RwSocket */
  guint n_exchanges;
  GCancellable *cancellable; /* of everything that belongs to this run */
};

/* --- rw-proxy.c --- */
/* The answer is there: prepares, asks, sends. Takes @exchange if @owned. */
void rw_transaction_answer (RwTransaction *self, RwExchange *exchange, gboolean owned);

/* Asks the host, and lets go or holds. */
void rw_transaction_decide (RwTransaction *self);
/* Adds to what is sent; nothing if there is nothing, because an empty chunk would end the answer. */
void rw_transaction_append (RwTransaction *self, const char *data, gsize length);

/* --- rw-proxy-exchange.c --- */
/* "Name: value" lines, without ours but for X-RW-Id. */
char *rw_transaction_request_headers (RwTransaction *self);
GBytes *rw_transaction_request_body (RwTransaction *self); /* NULL: none */
/* LIVE: sets the request of @exchange. */
void rw_transaction_fill (RwTransaction *self, RwExchange *exchange);

/* --- rw-proxy-stream.c: EventSource --- */
gboolean rw_exchange_is_stream (const RwExchange *exchange);
/* LIVE: the head of a stream is there, a piece of it came, it has ended. Takes @exchange, whose body is set later. */
void rw_transaction_open_stream (RwTransaction *self, RwExchange *exchange);
void rw_transaction_stream (RwTransaction *self, const void *data, gsize length);
void rw_transaction_end_stream (RwTransaction *self);
/* REPLAY: all events at once; the runtime lets the page see them one by one. A stream that had not ended does not end,
 * and one that is asked for again brings nothing: anything else would make the page ask once more. */
void rw_transaction_replay_stream (RwTransaction *self, RwExchange *exchange, gboolean again);
/* Sends what came since the last time, and the end if it is there. */
void rw_transaction_send_stream (RwTransaction *self);
/* LIVE: hands the exchange over, once, as far as it came; a header says whether it would have gone on. */
void rw_transaction_report_stream (RwTransaction *self);

/* --- rw-proxy-socket.c: WebSockets --- */
gboolean rw_proxy_is_socket (SoupServerMessage *message);
void rw_proxy_open_socket (RwTransaction *transaction);
/* The page has gone away before the socket was open. */
void rw_socket_abandon (RwSocket *self);
void rw_socket_free (gpointer socket);
void rw_proxy_flush_sockets (RwProxy *self);
/* One frame of a conversation; see the top of the file. */
typedef struct
{
  char direction;
  char type;
  guint code;
  gsize length;
  const char *data; /* not NUL-terminated */
} RwFrame;
void rw_frames_append (GByteArray *frames, char direction, char type, guint code, const void *data, gsize length);
/* The frame at *@at, which is moved behind it; FALSE: none, or no frame. */
gboolean rw_frames_next (const guint8 *data, gsize length, gsize *at, RwFrame *frame);

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
/* The message for the same request upstream; NULL if the address can't be understood. */
SoupMessage *rw_proxy_upstream_message (RwTransaction *transaction, const char *url);
/* Cancels @cancellable when @message is about to be sent to an address that is forbidden. FALSE: it is known already.
 */
gboolean rw_proxy_guard (RwProxy *self, SoupMessage *message, GCancellable *cancellable);
/* Why the guard stopped @message, or NULL. */
const char *rw_proxy_guard_reason (SoupMessage *message);
/* TRUE if nothing of a page may be sent to this address on the page's own say. */
gboolean rw_address_is_private (GInetAddress *address);

/* --- rw-proxy-replay.c --- */
RwReplaySource *rw_replay_source_new (GPtrArray *exchanges);
void rw_replay_source_free (RwReplaySource *self);
void rw_replay_source_rewind (RwReplaySource *self);
/* The exchange that answers this request in this run, owned by the source, or NULL if there is none. *@again (may be
 * NULL): all were used, and this one was given out before. */
RwExchange *rw_replay_source_find (RwReplaySource *self, const char *method, const char *url, GBytes *body,
                                   const char *id, gboolean *again);

/* An address without its fragment, with an explicit path, as the recording has it. */
char *rw_proxy_normalize_url (const char *url);

G_END_DECLS
