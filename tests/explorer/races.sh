#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# racewalk races from outside: what it prints, what it refuses. Skipped where the program is not built.
set -euo pipefail
[ -x "${RACEWALK:-}" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$RW_SOURCE_DIR/tests/fuzz/seeds/explorer-erlog/log-1
fail() { echo "races: $*" >&2; exit 1; }
is_json() { node -e 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))' "$1" || fail "$1 is no JSON"; }

"$RACEWALK" races "$log" >"$work/table"
grep -q '^4 events, 5 accesses: 1 race, 1 of them not covered' "$work/table" || fail "summary: $(head -n 1 "$work/table")"
grep -q '^  1\. y$' "$work/table" || fail "no race on y"
grep -q 'write   event 1 ' "$work/table" || fail "no first side"

"$RACEWALK" races --stats "$log" >"$work/stats"
for word in events accesses chains races uncovered multi-covered happens-before cover; do
  grep -q "^$word " "$work/stats" || fail "--stats has no $word"
done

"$RACEWALK" races --dot "$log" >"$work/dot"
grep -q 'color=red.*label="y"' "$work/dot" || fail "--dot has no race"
if command -v node >/dev/null; then
  "$RACEWALK" races --json "$log" -o "$work/json" && is_json "$work/json"
  "$RACEWALK" races --perfetto "$log" -o "$work/perfetto" && is_json "$work/perfetto"
  grep -q '"cat":"race"' "$work/perfetto" || fail "--perfetto has no race"
fi

# The timers of log-4 race only if any timer may fire first.
before=$("$RACEWALK" races "${log%1}4" | head -n 1)
after=$("$RACEWALK" races --timers any "${log%1}4" | head -n 1)
[ "$before" != "$after" ] || fail "--timers any changes nothing: $after"

"$RACEWALK" races --export "$work/log" "$log" >/dev/null
cmp "$work/log" "$log" || fail "--export is not what was read"

expect() { # status, part of the message, arguments
  local status=$1 message=$2; shift 2
  local got=0
  "$RACEWALK" races "$@" >/dev/null 2>"$work/error" || got=$?
  [ "$got" = "$status" ] || fail "$*: status $got, not $status"
  [ "$(wc -l <"$work/error")" = 1 ] || fail "$*: more than one line"
  grep -q "$message" "$work/error" || fail "$*: $(cat "$work/error")"
}
expect 3 'there is no such file' "$work/none"
printf 'hello' >"$work/text"
expect 3 'no recording (.rwk), and as a log: not an EventRacer log' "$work/text"
printf 'SQLite format 3\0' >"$work/sqlite"
expect 3 'sqlite' "$work/sqlite"
expect 2 'name one recording' 
expect 2 "takes 'any'" --timers some "$log"
expect 2 'exclude each other' --json --dot "$log"
