#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The explorer is pure: all of it links with GLib alone, and includes nothing but GLib, C and itself.
set -euo pipefail
library=$RW_BUILD_DIR/explorer/libexplorer.a
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "not ok: $*"; exit 1; }
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$RW_BUILD_DIR/CMakeCache.txt")
flags=()
grep -q '^RACEWALK_PRESET:STRING=asan' "$RW_BUILD_DIR/CMakeCache.txt" && flags=(-fsanitize=address,undefined)

echo '#include "rw-explore.h"
int main (void) { g_autoptr (RwSpace) space = rw_space_new (); return rw_space_n_events (space) != 0; }' >"$work/main.c"
# Every object, not just those that main needs.
"$compiler" "${flags[@]}" -I"$RW_SOURCE_DIR/explorer/include" $(pkg-config --cflags glib-2.0) -o "$work/main" "$work/main.c" \
  -Wl,--whole-archive "$library" -Wl,--no-whole-archive $(pkg-config --libs glib-2.0) -lm || fail "does not link with GLib alone"
"$work/main" || fail "does not run"
ldd "$work/main" | grep -E 'webkit|javascriptcore|libgio|libgobject|sqlite|soup|json-glib' && fail "needs more than GLib"
nm -u "$library" | grep -E ' (webkit_|jsc_|sqlite3_|soup_|json_|g_object_|g_file_(new|read)|g_input_stream|g_socket)' &&
  fail "uses more than GLib"
grep -hE '^#include <' "$RW_SOURCE_DIR"/explorer/*.[ch] "$RW_SOURCE_DIR"/explorer/include/*.h | sort -u |
  grep -vE '<(glib|errno|inttypes|limits|math|stdint|stdio|stdlib|string)\.h>' && fail "includes more than GLib and C"
echo ok
