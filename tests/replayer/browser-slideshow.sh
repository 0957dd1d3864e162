#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The slide show of the R4 paper, explored to two reversals: the tree of its Figure 2b, twice the same.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

cp -r "$RW_SOURCE_DIR/sites/slideshow" "$work/slideshow"
for time in 1 2; do
  "$RACEWALK" run "$work/slideshow" --bound 2 -o "$work/$time.rwk" --html "$work/$time.html" >"$work/$time.txt" 2>&1 ||
    fail "run ended with $?: $(cat "$work/$time.txt")"
done

# Each run as the letters of its events behind the page load: A, B the images, 1, 2 the clicks, T a timer.
orders() {
  local run
  for run in $(seq 0 "$2"); do
    "$RACEWALK" replay "$1" "$run" --list --check | awk -v run="$run" '
      /load of img \/image2/ { s = s "A" } /load of img \/image3/ { s = s "B" }
      /click #next/ { s = s (++n) } / timer / { s = s "T" } /script \/stats.js/ { stats = s }
      END { print run ":" s (stats == "" ? "" : " statistics not first") }'
  done
}
cat >"$work/expected" <<'EOF'
0:A12BT
1:1A2BT
2:A1B2
3:A12TBT
4:12ABTT
5:1AB2T
6:1A2TBT
7:AB12
8:A12TTBT
EOF
orders "$work/1.rwk" 8 >"$work/orders"
diff "$work/expected" "$work/orders" || fail "the orders are not those of Figure 2"
"$RACEWALK" replay "$work/1.rwk" 9 >/dev/null 2>&1 && fail "there is a tenth run"

# Q3, where the second image is there before the second click: the timer is skipped, and the conflict is harmless.
grep -q 'harmless ad-hoc-synchronisation' "$work/1.txt" || fail "no ad-hoc synchronisation in: $(cat "$work/1.txt")"
grep -q '0 harmful, 0 suspicious' "$work/1.txt" || fail "something is called harmful: $(cat "$work/1.txt")"
grep -q 'did not give the recorded run' "$work/1.txt" && fail "the unchanged schedule diverged: $(cat "$work/1.txt")"

# Two explorations: the same runs, the same verdicts, the same end states.
for time in 1 2; do
  "$RACEWALK" report "$work/$time.rwk" --format json -o "$work/$time.json" >/dev/null || fail "no report"
  sed -i "s|$work/$time.rwk|RECORDING|g" "$work/$time.json"
done
cmp "$work/1.json" "$work/2.json" || fail "two explorations gave two reports"
echo "the slide show's nine runs are those of Figure 2b and two more, twice the same"
