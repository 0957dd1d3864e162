#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The HTML report in Chromium: no console error, no request, filter and keyboard, axe-core, scripts off, a hostile page.
set -euo pipefail
chromium=$(command -v chromium || command -v chromium-browser) || { echo "skipped: no chromium (Debian package chromium)"; exit 77; }
command -v npm >/dev/null || { echo "skipped: no npm"; exit 77; }
here=$RW_SOURCE_DIR/tests/reporter/browser
modules=$RW_SOURCE_DIR/.build/reporter-tests
if ! cmp -s "$here/package-lock.json" "$modules/.installed"; then
  mkdir -p "$modules"
  cp "$here/package.json" "$here/package-lock.json" "$modules/"
  (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null) || { echo "skipped: npm has no network"; exit 77; }
  cp "$here/package-lock.json" "$modules/.installed"
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make=$RW_BUILD_DIR/tests/test-reporter-report
"$make" --make "$dir/page.rwk"
"$make" --make "$dir/hostile.rwk" hostile
for name in page hostile; do
  "$RACEWALK" report "$dir/$name.rwk" --format html --fail-on none --ignore "$dir/none"
done
cp "$here"/*.mjs "$modules/"
CHROMIUM=$chromium node "$modules/report.mjs" "$dir"
