/* SPDX-License-Identifier: MIT */
typedef int rw_replayer_nothing_yet;
