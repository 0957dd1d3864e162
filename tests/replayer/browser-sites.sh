#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every page of sites/: the recording replays to its own end state, and the report says what `expected` beside the page says.
# RW_LONG=1 replays each 20 times instead of 3. RW_ONLY=PATTERN takes only some pages, RW_KEEP=FOLDER keeps what was made.
set -u
here=$RW_SOURCE_DIR/tests
folder=${RW_KEEP:-$(mktemp -d)}
mkdir -p "$folder"
[ "${RW_KEEP:-}" ] || trap 'rm -rf "$folder"' EXIT
times=3
[ "${RW_LONG:-}" ] && times=20

cd "$RW_SOURCE_DIR/sites" || exit 1
pages=()
for page in {classes,harmless,observables,pages}/*/expected; do
  page=${page%/expected}
  case $page in ${RW_ONLY:-*}) pages+=("$page") ;; esac
done
[ ${#pages[@]} -gt 0 ] || { echo "no page matches ${RW_ONLY:-*}"; exit 1; }
printf '%s\n' "${pages[@]}" | xargs -P 2 -I{} bash "$here/replayer/try-site" {} "$folder" "$times"

node "$here/reporter/expectations.mjs" "$RW_SOURCE_DIR/sites" "$folder" "$here/replayer/sites-known-wrong"
status=$?
shopt -s nullglob
broken=("$folder"/*.bad)
echo "$((${#pages[@]} - ${#broken[@]})) of ${#pages[@]} pages ran, and replayed $times times to the recorded end state."
for file in "${broken[@]}"; do sed 's/^/  /' "$file"; done
[ $status -eq 0 ] && [ ${#broken[@]} -eq 0 ]
