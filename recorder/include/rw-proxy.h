/* SPDX-License-Identifier: MIT */
/* The interposing proxy: all traffic of a view goes through it, is kept or comes from what was kept, and is let go on
 * command.
 *
 * Everything runs in the thread-default main context of rw_proxy_new (). A request passes these steps:
 *   1. it arrives, with the header X-RW: n that the web-process extension added (n = 0 if there is none: a preflight, a
 *      WebSocket). Two more headers may come with it, none of which goes upstream. X-RW-Id: the identity of the
 *      request, by which a replay finds its exchange again (else by method, address, body and ordinal among the same);
 *      it marks what fetch and XHR ask for, which is never rewritten. X-RW-What: document, script, module, worker or
 *      fetch, where the runtime knows; otherwise markup, scripts, the answer's type and Sec-Fetch-Dest decide;
 *   2. its answer is got whole: LIVE from the folder or upstream, REPLAY from the exchanges and from nowhere else;
 *   3. LIVE: the exchange is handed to RwProxyCallbacks.exchange;
 *   4. it is prepared: documents as rw-html.h says, scripts as rw-scripts.h says, Cache-Control: no-store ...;
 *   5. RwProxyCallbacks.decide says LET_GO or HOLD;
 *   6. it is sent: at once, by rw_proxy_release (), or a document segment by segment by rw_proxy_release_segment ().
 *
 * The proxy listens on 127.0.0.1 at a port of the kernel's choice and takes connections of this user only. A CONNECT
 * can't carry a secret of ours, so another program of the same user could use the port while a recording runs; it would
 * get nothing that it could not fetch itself, except pages of a folder that is being recorded. */
#pragma once

#include "rw-html.h"
#include "rw-recording.h"

G_BEGIN_DECLS

typedef struct _RwProxy RwProxy;

typedef enum
{
  RW_PROXY_LIVE,
  RW_PROXY_REPLAY
} RwProxyMode;

/* By the answer's content type, helped by the request's Sec-Fetch-Dest (https only) and Accept. */
typedef enum
{
  RW_PROXY_DOCUMENT, /* HTML that is navigated to, in a window or a frame */
  RW_PROXY_SCRIPT,
  RW_PROXY_STYLE,
  RW_PROXY_IMAGE,
  RW_PROXY_FONT,
  RW_PROXY_MEDIA,
  RW_PROXY_OTHER /* fetch, XHR, workers' data, downloads, redirects, failures */
} RwProxyWhat;
const char *rw_proxy_what_name (RwProxyWhat what);

typedef struct
{
  guint number; /* from X-RW; 0: none, and then it can't be held */
  const char *method;
  const char *url; /* absolute, without fragment */
  RwProxyWhat what;
  const char *id;     /* from X-RW-Id, or NULL */
  guint status;       /* of the answer; 0: a network failure */
  const char *reason; /* what failed, if status is 0 */
  RwHtml *html;       /* of a document with a body; NULL otherwise */
  gboolean missing;   /* REPLAY: it was not recorded, and the page sees a network failure */
} RwProxyRequest;

typedef enum
{
  RW_PROXY_LET_GO,
  RW_PROXY_HOLD
} RwProxyDecision;

/* Each may be NULL. @request and @exchange are valid during the call only. */
typedef struct
{
  /* The answer is there and prepared. NULL: everything is let go. */
  RwProxyDecision (*decide) (RwProxy *proxy, const RwProxyRequest *request, gpointer user_data);
  /* LIVE: a complete exchange, to be kept; numbered from 0 in the order in which answers were complete. */
  void (*exchange) (RwProxy *proxy, const RwExchange *exchange, gpointer user_data);
  /* REPLAY: a request that no exchange answers; comes before decide. */
  void (*missing) (RwProxy *proxy, const RwProxyRequest *request, gpointer user_data);
  /* The last byte of the answer was handed to the kernel, or the view has gone away. */
  void (*sent) (RwProxy *proxy, guint number, gpointer user_data);
} RwProxyCallbacks;

typedef struct
{
  const char *pattern; /* of a URL's path and query, `*` and `?` as in GPatternSpec: "/images/" "*" */
  guint latency_ms;
} RwProxyLatency;

typedef struct
{
  RwProxyMode mode;
  /* LIVE: @folder is served as http://@host/ (and https); everything else goes upstream. */
  const char *folder;
  const char *host;
  const RwProxyLatency *latencies; /* of the folder's files; the first that matches. Virtual: only written down */
  guint n_latencies;
  const char *page_url; /* the recorded page: its own host may be on loopback or in a private network; others may not */
  gboolean insecure;    /* take upstream certificates that do not verify */
  gboolean offline;     /* LIVE: nothing upstream at all, only the folder */
  /* REPLAY: of RwExchange *, a reference is taken. */
  GPtrArray *exchanges;
  RwScripts *scripts; /* a reference is taken; NULL: nothing is rewritten */
  gsize max_body;     /* bytes of one body, decoded; 0: RW_PROXY_MAX_BODY */
  guint timeout_s;    /* upstream; 0: RW_PROXY_TIMEOUT */
} RwProxyOptions;

#define RW_PROXY_MAX_BODY (64 * 1024 * 1024)
#define RW_PROXY_TIMEOUT 30

#define RW_PROXY_ERROR (rw_proxy_error_quark ())
GQuark rw_proxy_error_quark (void);
typedef enum
{
  RW_PROXY_ERROR_FOLDER,      /* no such folder, or not one */
  RW_PROXY_ERROR_LISTEN,      /* no port */
  RW_PROXY_ERROR_CERTIFICATE, /* none could be made */
  RW_PROXY_ERROR_FORBIDDEN,   /* an address that is not forwarded to */
  RW_PROXY_ERROR_LIMIT,       /* a body or header larger than is kept */
  RW_PROXY_ERROR_MISSING      /* not in the recording */
} RwProxyError;

RwProxy *rw_proxy_new (const RwProxyOptions *options, const RwProxyCallbacks *callbacks, gpointer user_data,
                       GError **error);
void rw_proxy_free (RwProxy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RwProxy, rw_proxy_free)

/* "http://127.0.0.1:PORT": for webkit_network_session_set_proxy_settings (), for http and https alike. */
const char *rw_proxy_uri (const RwProxy *self);
/* PEM of the certificate that every https host shows. It is new in every process and is in no store: the view ignores
 * TLS errors, and nobody else shall trust it. */
const char *rw_proxy_certificate_pem (const RwProxy *self);

/* Lets the answer of request @number go, whole (a document: what is left of it). If the answer is not there yet it is
 * let go as soon as it is. FALSE: it has been sent already. */
gboolean rw_proxy_release (RwProxy *self, guint number);
/* Sends a held document up to and including @segment; going back or the same again is no error. The last segment ends
 * the answer. If the document is not there yet it is kept in mind. FALSE: no such segment, or it is not a held
 * document. */
gboolean rw_proxy_release_segment (RwProxy *self, guint number, guint segment);
/* The prepared document of a request that is held or was answered in this run; NULL: none. */
RwHtml *rw_proxy_html (RwProxy *self, guint number);

/* Answers that are held now. */
guint rw_proxy_n_held (const RwProxy *self);

/* LIVE: the recording ends here. Hands over, through RwProxyCallbacks.exchange, what conversations that are still open
 * (WebSocket, EventSource) have brought so far. Call it before the last exchanges are written. */
void rw_proxy_flush (RwProxy *self);

/* From the next run on, what was recorded is served as it is, neither rewritten nor cut: for comparing times. */
void rw_proxy_set_plain (RwProxy *self, gboolean plain);
/* A new load begins: ordinals, numbers and early releases start anew, and what belongs to the run before (held answers,
 * requests under way, with their connections) is dropped. A request of the run before that arrives later is taken for
 * one of this run: numbers that go on counting from run to run avoid it. */
void rw_proxy_begin_run (RwProxy *self);

G_END_DECLS
