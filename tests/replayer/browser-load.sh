#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Many runs in one browser host: memory stays flat, and neither descriptors nor processes pile up.
# 100 runs; RW_LONG=1: 1000, with a tighter limit.
. "$(dirname "$0")/lib.bash"

runs=100
limit=40 # per cent; the peaks of so few lives of a web process differ
[ -z "${RW_LONG:-}" ] || { runs=1000; limit=10; }

"$racewalk" record -q "$sites/slideshow" -o page.rwk || exit 1
"$racewalk" replay page.rwk 0 --check -n $runs >out 2>err &
pid=$!

of_name() {
  local p
  for p in $(marked); do
    case "$(cat "/proc/$p/comm" 2>/dev/null) $(tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null)" in $1) echo "$p" ;; esac
  done
}
rss() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status" 2>/dev/null; }
descriptors() { ls "/proc/$1/fd" 2>/dev/null | wc -l; }

for i in $(seq 200); do
  host=$(of_name '* browser-host*')
  web=$(of_name 'WebKitWebProces */WebKitWebProcess*')
  [ -n "$host" ] && [ -n "$web" ] && break
  sleep 0.1
done
while kill -0 $pid 2>/dev/null; do
  # The web process is replaced now and then.
  web=$(of_name 'WebKitWebProces */WebKitWebProcess*' | tail -n 1)
  [ -z "$web" ] || echo "$(rss "$host") $(rss "$web") $(descriptors "$host") $(descriptors "$web") $(marked | wc -l)" >>samples
  sleep "$([ $runs = 100 ] && echo 0.2 || echo 2)"
done
wait $pid
claim "every run was what it was in the recording" test $? = 0
# The last line was taken while things were ending.
sed -i '$d' samples

# COLUMN LIMIT SLACK: the highest of the last half against the highest of the first, which has at least one whole life of a web
# process in it: in per cent, and so many more.
grows_less() {
  awk -v c="$1" -v limit="$2" -v slack="$3" 'NF == 5 { v[++n] = $c }
    END { if (n < 8) { print "  too few samples: " n; exit 1 }
          for (i = 1; i <= n; i++) if (i <= n / 2) { if (v[i] > before) before = v[i] } else if (v[i] > after) after = v[i]
          printf "  at most %d before, %d after (of the two halves; %d samples)\n", before, after, n
          exit !(after <= before * (1 + limit / 100) + slack) }' samples
}
claim "the host's memory is flat within $limit %" grows_less 1 $limit 0
claim "the web process's memory is flat within $limit %" grows_less 2 $limit 0
claim "the host's descriptors do not pile up" grows_less 3 0 8
claim "the web process's descriptors do not pile up" grows_less 4 0 8
claim "processes do not pile up" grows_less 5 0 4
finish
