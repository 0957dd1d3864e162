/* SPDX-License-Identifier: MIT */
/* The JavaScript of recorder/runtime, compiled in; each is a NUL-terminated UTF-8 text. */
#pragma once

extern const char rw_runtime_access[];
extern const char rw_runtime_natives[];
