#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# racewalk model: summary, list, JSON, Graphviz, and exit statuses that scripts can rely on.
set -euo pipefail
models=$RW_SOURCE_DIR/tests/explorer/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "not ok: $*"; exit 1; }
status() { local want=$1 got=0; shift; "$RACEWALK" "$@" >"$work/out" 2>"$work/err" || got=$?; [ "$got" = "$want" ] || fail "$* exits with $got, not $want: $(cat "$work/err")"; }

status 0 model "$models/w3.evt"
grep -q '^exact, no bound: 6 classes in 6 runs' "$work/out" || fail "summary: $(cat "$work/out")"
status 0 model "$models/w3.evt" --bound 1
grep -q '3 classes in 3 runs' "$work/out" || fail "bound: $(cat "$work/out")"
status 0 model "$models/w3.evt" --runs 2
grep -q 'left by --runs' "$work/out" || fail "limit: $(cat "$work/out")"
status 0 model "$models/w3.evt" --strategy r4
grep -q 'persistent sets leave out' "$work/out" || fail "r4: $(cat "$work/out")"
status 0 model "$models/w3.evt" --strategy wave --runs 5
status 0 model "$models/w3.evt" --list
[ "$(wc -l <"$work/out")" = 6 ] || fail "list: $(cat "$work/out")"
status 0 model "$models/w3.evt" --json
grep -q '"classes" : 6' "$work/out" && [ "$(grep -c '"order" : ' "$work/out")" = 6 ] || fail "json: $(cat "$work/out")"
status 0 model "$models/w3.evt" --dot
grep -q '^digraph runs {' "$work/out" || fail "dot"
status 1 model "$models/locks.evt"
grep -q '1 runs deadlock' "$work/out" || fail "deadlock: $(cat "$work/out")"
status 2 model
status 2 model "$models/w3.evt" --strategy none
status 2 model "$models/w3.evt" --bound x
status 2 model "$models/w3.evt" --filters sleep
status 3 model "$work/missing.evt"
printf 'event a {\n  jump\n}\n' >"$work/bad.evt"
status 3 model "$work/bad.evt"
grep -q 'bad.evt:2: expected a statement, found jump' "$work/err" || fail "error: $(cat "$work/err")"
echo 'event a { } start a expect classes 7' >"$work/wrong.evt"
status 1 model "$work/wrong.evt"
echo ok
