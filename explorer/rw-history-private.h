/* SPDX-License-Identifier: MIT */
/* An empty history, for those who fill it. */
#pragma once

#include "rw-history.h"

G_BEGIN_DECLS

RwHistory *rw_history_new (void);

G_END_DECLS
