#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Kills whatever an exploration consists of, at random points: it ends with the same runs, numbers, fingerprints and end
# states as one that was left in peace. 10 kills; RW_LONG=1: 200. RW_SEED=N repeats a sequence of victims and pauses.
. "$(dirname "$0")/lib.bash"

kills=10
[ -z "${RW_LONG:-}" ] || kills=200
seed=${RW_SEED:-$((RANDOM % 10000))}
echo "seed $seed"
RANDOM=$seed
explore=("$racewalk" explore -q -k 2 -j 2 --no-check)

"$racewalk" record -q "$sites/slideshow" -o good.rwk || exit 1
cp good.rwk peace.rwk
"${explore[@]}" peace.rwk || exit 1
"$racewalk" replay peace.rwk --list >peace
cat peace

victims=(WebKitWebProces WebKitNetworkPr Xvfb browser-host racewalk)
# Processes of one kind; hosts and racewalk itself have the same name, so their command line decides.
of_kind() {
  local pid comm
  for pid in $(marked); do
    comm=$(cat "/proc/$pid/comm" 2>/dev/null)
    if tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q ' browser-host'; then comm=browser-host; fi
    [ "$comm" = "$1" ] && echo "$pid"
  done
}

kill_one() {
  local kind=${victims[RANDOM % ${#victims[@]}]} found
  mapfile -t found < <(of_kind "$kind")
  [ ${#found[@]} -gt 0 ] || return 1
  kill -KILL "${found[RANDOM % ${#found[@]}]}" 2>/dev/null || return 1
  hits[$kind]=$((${hits[$kind]:-0} + 1))
  done_kills=$((done_kills + 1))
}

declare -A hits=()
done_kills=0
round=0
while [ $done_kills -lt $kills ]; do
  round=$((round + 1))
  cp good.rwk war.rwk
  finished=
  until [ -n "$finished" ]; do
    "${explore[@]}" war.rwk 2>err &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
      sleep "$((RANDOM % 2)).$((RANDOM % 10))"
      [ $done_kills -ge $kills ] || kill_one
    done
    wait $pid 2>/dev/null
    case $? in
      0) finished=yes ;;
      137) ;; # it was racewalk itself; the same command goes on
      *) fail "round $round: explore gave up: $(cat err)"; finished=no ;;
    esac
  done
  "$racewalk" replay war.rwk --list >war
  claim "round $round, after $done_kills kills: the same exploration" diff peace war
done
for kind in "${!hits[@]}"; do echo "killed $kind ${hits[$kind]} times"; done
finish
