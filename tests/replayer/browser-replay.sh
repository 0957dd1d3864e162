#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Replaying by hand: the same run, a person's own order, and what is wrong with it.
. "$(dirname "$0")/lib.bash"

says() { # STATUS PATTERN COMMAND...
  local status=$1 pattern=$2
  shift 2
  claims=$((claims + 1))
  timeout 60 "$racewalk" "$@" >out 2>&1
  local rc=$?
  if [ $rc = "$status" ] && grep -qE "$pattern" out; then echo "ok: $*"; else fail "$*: status $rc: $(cat out)"; fi
}

"$racewalk" record -q "$sites/slideshow" -o page.rwk || exit 1
"$racewalk" explore -q -k 1 page.rwk || exit 1
says 0 '3 times, 0 divergences' replay page.rwk 1 --check -n 3
says 0 'Run 0 replayed' replay page.rwk 1 --from-parent
says 2 'has no parent' replay page.rwk 0 --from-parent
mkdir shots
says 0 'replayed' replay page.rwk 1 --shots shots
claim "a picture of the end was left" test -s shots/run-1.png
says 0 'DOMContentLoaded' replay page.rwk 0 --list

awk 'length($2) == 16 && $1 ~ /^[0-9]+$/ { print $2 }' out >ids
claim "identities were listed" test -s ids
says 0 'skipped, 0 lines left out; the end state is the same as' replay page.rwk 0 --schedule ids
says 0 '1 skipped, 0 lines left out' replay page.rwk 0 --skip --schedule <(tac ids | head -n 1; cat ids | head -n -1)
says 3 "can't be run where they stand" replay page.rwk 0 --schedule <(tac ids | head -n 1; cat ids | head -n -1)
(cat ids; echo 0123456789abcdef) >unknown
says 2 "unknown:[0-9]+: '0123456789abcdef': no such event" replay page.rwk 0 --schedule unknown
says 0 '1 lines left out' replay page.rwk 0 --skip --schedule unknown
(cat ids; head -n 1 ids) >twice
says 2 'twice:[0-9]+: .*on the list already' replay page.rwk 0 --schedule twice
printf '# a comment\n\nparse the beginning of the document\nclick #next\nclick #next\nclick #next\n' >labels
says 2 'labels:6: .*on the list already' replay page.rwk 0 --schedule labels
says 2 "none: the schedule can't be read" replay page.rwk 0 --schedule none
head -c 3000 /dev/urandom >noise
says 2 'noise' replay page.rwk 0 --schedule noise
finish
