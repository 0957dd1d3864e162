/* SPDX-License-Identifier: MIT */
/* What rw-browser.c (the view) and rw-browser-load.c (one load) share. */
#pragma once

#include "rw-browser.h"
#include "rw-log.h"

#include <webkit/webkit.h>

typedef struct _RwPageLoad RwPageLoad;

struct _RwBrowser
{
  RwBrowserOptions options;
  char *url;
  GtkWidget *window;
  WebKitWebView *view;
  WebKitNetworkSession *session;
  WebKitUserContentManager *content;
  RwProxy *proxy;
  RwScripts *scripts;
  RwPageLoad *load; /* the one under way, or NULL */
  guint loads;
  gboolean committed;   /* the document that is shown is the page's */
  GAsyncResult *answer; /* to the question that was asked last */
  guint network_watch;  /* source */
  const char *lost;     /* why this browser can't be used any more; NULL: it can */
};

/* A process without which no load can be trusted has ended. */
void rw_browser_lost (RwBrowser *self, const char *why);
/* Gets rid of the run before. FALSE: the browser was lost. */
gboolean rw_browser_clean (RwBrowser *self, gboolean plain);
/* The screenshot of a load that is over. Taking one costs more than running a small page, and most runs end in a state that
 * this browser has seen before: then it is the picture from that time. NULL: there is none. */
GBytes *rw_browser_picture (RwBrowser *self);
/* As soon as the network process is there; may be called again and again. */
void rw_browser_watch_network (RwBrowser *self);
void rw_browser_unwatch_network (RwBrowser *self);

/* Called by the proxy and by the view while a load is under way. */
RwProxyDecision rw_page_load_decide (RwPageLoad *self, const RwProxyRequest *request);
void rw_page_load_exchange (RwPageLoad *self, const RwExchange *exchange);
void rw_page_load_missing (RwPageLoad *self, const RwProxyRequest *request);
void rw_page_load_message (RwPageLoad *self, WebKitUserMessage *message);
void rw_page_load_navigation (RwPageLoad *self, const char *url, const char *how);
void rw_page_load_ask (RwPageLoad *self, WebKitPolicyDecision *decision, const char *url);
void rw_page_load_crashed (RwPageLoad *self, const char *why);
void rw_page_load_failed (RwPageLoad *self, const char *why);
/* The view thinks that the load is complete. */
void rw_page_load_complete (RwPageLoad *self);
