#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Many runs in one browser host: memory stays flat, and neither descriptors nor processes pile up.
# 60 runs; RW_LONG=1: 1000, with the limit of 5 % that the long form is there for.
. "$(dirname "$0")/lib.bash"

runs=60
limit=20 # per cent; a browser is still warming up in a short form
[ -z "${RW_LONG:-}" ] || { runs=1000; limit=5; }

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
  echo "$(rss "$host") $(rss "$web") $(descriptors "$host") $(descriptors "$web") $(marked | wc -l)" >>samples
  sleep "$([ $runs = 60 ] && echo 0.3 || echo 2)"
done
wait $pid
claim "every run was what it was in the recording" test $? = 0
# The last line was taken while things were ending.
sed -i '$d' samples

# COLUMN LIMIT: the mean of the last half against that of the quarter before it, in per cent.
grows_less() {
  awk -v c="$1" -v limit="$2" 'NF == 5 { v[++n] = $c }
    END { if (n < 8) { print "  too few samples: " n; exit 1 }
          for (i = int(n / 4); i <= int(n / 2); i++) { s += v[i]; m++ }
          for (i = int(n / 2); i <= n; i++) { e += v[i]; k++ }
          before = s / m; after = e / k
          printf "  %d before, %d after (mean of a quarter, of the last half; %d samples)\n", before, after, n
          exit !(after <= before * (1 + limit / 100) + 1) }' samples
}
claim "the host's memory is flat within $limit %" grows_less 1 $limit
claim "the web process's memory is flat within $limit %" grows_less 2 $limit
claim "the host's descriptors do not pile up" grows_less 3 2
claim "the web process's descriptors do not pile up" grows_less 4 2
claim "processes do not pile up" grows_less 5 0
finish
