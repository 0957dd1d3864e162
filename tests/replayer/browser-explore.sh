#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An exploration is a function of its recording: not of the number of browsers, of being interrupted, or of luck.
. "$(dirname "$0")/lib.bash"

explore() { "$racewalk" explore -k 2 "$@" >out 2>err || { cat out err; return 1; }; }
list() { "$racewalk" replay "$1" --list; }
same() { diff <(list "$1") <(list "$2"); }

"$racewalk" record -q "$sites/slideshow" -o one.rwk || exit 1
cp one.rwk two.rwk
cp one.rwk parts.rwk
claim "one browser explores everything within the bound" explore -j 1 one.rwk
claim "it says so" grep -q 'everything within the bound' out
claim "the unchanged recording was replayed without a difference" test "$(grep -c Warning out)" = 0
claim "two browsers explore it too" explore -j 2 two.rwk
claim "one browser and two: the same runs, fingerprints and end states" same one.rwk two.rwk

claim "three runs, then a stop" explore --runs 3 parts.rwk
claim "it says that there is more" grep -q 'Left unexplored' out
claim "the next command goes on" explore -j 1 --no-check parts.rwk
claim "it did not run again what it had" grep -qE '\([0-9]+ executed now, [3-9] from the recording\)' out
claim "in two parts or in one: the same" same one.rwk parts.rwk
claim "a third time there is nothing to do" explore --no-check parts.rwk
claim "nothing was executed" grep -q '(0 executed now' out

cp two.rwk idle.rwk
claim "a budget of time ends it" explore --budget 0.001s --no-check -k 3 idle.rwk
claim "it says that the budget did" grep -q 'end of the budget' out

"$racewalk" record -q "$sites/slideshow" -o again.rwk || exit 1
claim "recorded and explored anew" explore -j 2 again.rwk
claim "two recordings of a folder: the same exploration" same one.rwk again.rwk
finish
