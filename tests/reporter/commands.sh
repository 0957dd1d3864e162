#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# racewalk report and racewalk mark from outside: exit status, files, one clear line for what is wrong.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
make=$RW_BUILD_DIR/tests/test-reporter-report
"$make" --make page.rwk || exit 1
n=0 bad=0
# check NAME STATUS PATTERN COMMAND...: exit status and a pattern in the output, errors in one line
check() {
  local name=$1 status=$2 pattern=$3
  shift 3
  "$@" >out 2>err
  local got=$?
  n=$((n + 1))
  if [ $got != "$status" ] || { [ -n "$pattern" ] && ! grep -q -- "$pattern" out err; } || { [ "$status" -ge 2 ] && [ "$(grep -c . err)" != 1 ]; }; then
    bad=$((bad + 1))
    echo "not ok $n - $name (status $got, wanted $status and '$pattern')"
    cat out err
  else
    echo "ok $n - $name"
  fi
}
check text-and-status 1 '1 harmful' "$RACEWALK" report page.rwk
check fail-on-none 0 '1 harmful' "$RACEWALK" report page.rwk --fail-on none
check help 0 'Usage:' "$RACEWALK" report --help
check no-such-format 2 "no format 'pdf'" "$RACEWALK" report page.rwk --format pdf
check no-recording 2 'name one recording' "$RACEWALK" report
check wrong-fail-on 2 'fail-on' "$RACEWALK" report page.rwk --fail-on sometimes
check missing 3 'none.rwk' "$RACEWALK" report none.rwk
echo hello >text.rwk
check not-a-recording 3 'text.rwk is not a recording' "$RACEWALK" report text.rwk
head -c 9000 page.rwk >cut.rwk
check damaged 3 'cut.rwk' "$RACEWALK" report cut.rwk
check several-formats 1 'wrote' "$RACEWALK" report page.rwk --format html,json --format sarif -f junit -o all.html
check several-files 0 '' ls all.html all.json all.sarif all.xml
check json-again 1 'wrote' "$RACEWALK" report page.rwk --format json -o again.json
check the-same-bytes 0 '' cmp all.json again.json
check baseline 0 '0 harmful' "$RACEWALK" report page.rwk --baseline all.json
check broken-baseline 3 'text.rwk' "$RACEWALK" report page.rwk --baseline text.rwk
check unwritable 3 'cannot be written' "$RACEWALK" report page.rwk --format json -o none/there.json
check full-disk 3 'cannot be written' bash -c '"$RACEWALK" report page.rwk --format json >/dev/full'
check mark-wrong-verdict 2 'harmless, harmful or none' "$RACEWALK" mark page.rwk 1 fine
check mark-no-such-run 2 "no finding or run '77'" "$RACEWALK" mark page.rwk 77 harmless
check mark 0 'harmless' "$RACEWALK" mark page.rwk 3 harmless --note 'on purpose'
check ignore-file 0 'on purpose' cat .racewalk-ignore
check marked 0 '0 harmful' "$RACEWALK" report page.rwk
check suppressed-in-another-recording 0 'suppressed' bash -c '"$1" --make other.rwk && "$RACEWALK" report other.rwk' - "$make"
check mark-none 0 'not marked' "$RACEWALK" mark page.rwk 1 none
check harmful-again 1 '1 harmful' "$RACEWALK" report page.rwk
check playwright 0 'page.route' "$RACEWALK" report page.rwk --playwright 1
cp out test.mjs
check playwright-cannot 0 'test.fixme' "$RACEWALK" report page.rwk --playwright 4
check playwright-no-such-run 2 'no finding' "$RACEWALK" report page.rwk --playwright 99
! command -v node >/dev/null || check playwright-is-javascript 0 '' node --check test.mjs
echo "1..$n"
[ $bad = 0 ]
