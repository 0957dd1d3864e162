/* SPDX-License-Identifier: MIT */
/* Between the two files of the HTML report. */
#pragma once

#include "rw-report-private.h"

G_BEGIN_DECLS

/* Width 0: the picture is not in the file. */
typedef struct
{
  guint width, height;
} RwPictureSize;

void rw_html_finding (GString *out, const RwReport *report, const RwFinding *finding, const RwPictureSize *sizes,
                      gboolean open);

G_END_DECLS
