/* SPDX-License-Identifier: MIT */
/* What the two sides of a browser host agree on. */
#pragma once

#include "rw-recording.h"

#define RW_HOST_FD 3
#define RW_WIRE_EXCHANGES "a(usssmayussmayu)"

GVariant *rw_wire_exchange (const RwExchange *exchange);
RwExchange *rw_wire_exchange_parse (GVariant *item);
