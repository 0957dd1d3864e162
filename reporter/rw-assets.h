/* SPDX-License-Identifier: MIT */
/* The files of reporter/assets, compiled in; each is a NUL-terminated UTF-8 text. */
#pragma once

extern const char rw_asset_report_css[];
extern const char rw_asset_report_js[];
