/* SPDX-License-Identifier: MIT */
/* Text into HTML, one function a context. Nothing that came from a page may reach the report in another way, and
 * nothing of it ever into a script, a style, a URL or an attribute's name. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Between tags. Characters that would steer the reader's display (controls, bidirectional overrides) are made visible.
 */
void rw_encode_html_text (GString *out, const char *text);
/* Inside a double-quoted attribute. */
void rw_encode_html_attribute (GString *out, const char *text);
/* In an XML document: as rw_encode_html_text (), and without what XML 1.0 forbids. */
void rw_encode_xml (GString *out, const char *text);

G_END_DECLS
