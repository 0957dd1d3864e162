# SPDX-License-Identifier: MIT
# What the replayer's shell tests share: a scratch folder, claims that count, and a look for processes left behind.
set -u
racewalk=${RACEWALK:?set by ctest}
source_dir=${RW_SOURCE_DIR:?set by ctest}
sites=$source_dir/sites
scratch=$(mktemp -d)
# Every process that a test starts inherits this, also through WebKit's sandbox: so strays can be told from other people's.
export RW_TEST_MARK=rw-$$-$RANDOM$RANDOM
failures=0
claims=0
cd "$scratch" || exit 1
trap 'cd /; rm -rf "$scratch"' EXIT

fail() { failures=$((failures + 1)); echo "not ok: $*"; }
claim() { # NAME COMMAND...: the command succeeds
  local name=$1
  shift
  claims=$((claims + 1))
  if "$@"; then echo "ok: $name"; else fail "$name"; fi
}

# Processes that carry our mark, but for this shell's own. A zombie has no environment left, and is its parent's affair.
marked() {
  local file pid
  for file in $(grep -slzx "RW_TEST_MARK=$RW_TEST_MARK" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    pid=${pid%/environ}
    case "$(cat "/proc/$pid/comm" 2>/dev/null)" in
      '' | bash | timeout | tr | grep | cat | sleep) ;;
      *) echo "$pid" ;;
    esac
  done
}

# They may take a moment to end.
nobody_left() {
  local i left
  for i in $(seq 40); do
    left=$(marked)
    [ -n "$left" ] || return 0
    sleep 0.1
  done
  for i in $left; do echo "  still there: $i $(tr '\0' ' ' <"/proc/$i/cmdline" | cut -c1-100)"; done
  return 1
}

# No recording and no temporary in the folder.
nothing_written() { [ -z "$(find "${1:-.}" -name '*.rwk*' -print -quit)" ]; }

finish() {
  claim "no process is left behind" nobody_left
  echo "$claims claims, $failures failed"
  [ "$failures" = 0 ]
  exit
}
