#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What cannot be done is said in one clear line, with the right exit status; nothing half-written stays, and no process.
. "$(dirname "$0")/lib.bash"

# STATUS PATTERN COMMAND...: exits with STATUS and says exactly one line on standard error, which PATTERN matches.
refuses() {
  local status=$1 pattern=$2 rc
  shift 2
  claims=$((claims + 1))
  timeout 60 "$@" >out 2>err
  rc=$?
  if [ $rc != "$status" ]; then
    fail "$*: exit status $rc, not $status: $(cat err)"
  elif [ "$(wc -l <err)" != 1 ] || ! grep -qE "^racewalk: .*$pattern" err; then
    fail "$*: does not say '$pattern' in one line: $(cat err)"
  else
    echo "ok: $(cat err)"
  fi
}

record() { refuses "$1" "$2" "$racewalk" record "${@:3}" -o x.rwk; }

# --- wrong use
mkdir empty
echo 'no page' >page.txt
record 2 'nosuch: no such folder' nosuch
record 2 'empty: has no index.html' empty
record 2 'only http:// and https://' ftp://example.org/
record 2 'not an address' http://
record 2 'Unknown option --frob' --frob "$sites/slideshow"
record 2 'scenario' -s nosuch.txt "$sites/slideshow"
refuses 2 'is a folder' "$racewalk" record "$sites/slideshow" -o empty
refuses 2 'no command' "$racewalk"
refuses 2 "no command 'frob'" "$racewalk" frob
refuses 2 'Unknown option --frob' "$racewalk" explore --frob
refuses 2 'Unknown option --frob' "$racewalk" replay --frob
refuses 2 'budget soon' "$racewalk" explore --budget soon x.rwk
refuses 2 "no strategy 'luck'" "$racewalk" explore --strategy luck x.rwk
refuses 2 'started by racewalk itself' "$racewalk" browser-host

# --- no network, no page
record 3 'does-not-exist.invalid/: .*resolv' http://does-not-exist.invalid/
record 3 'Connection refused' http://127.0.0.1:19999/
record 3 'refuses to load this address' http://127.0.0.1:9/
record 3 'not an HTML page' page.txt
mkdir no-xvfb
for program in bwrap xdg-dbus-proxy; do ln -s "$(command -v $program)" no-xvfb/; done
refuses 3 'Xvfb: .*install the package xvfb' env PATH="$PWD/no-xvfb" "$racewalk" record "$sites/slideshow" -o x.rwk
refuses 3 'choose a folder in which you may write' "$racewalk" record "$sites/slideshow" -o nosuch/x.rwk
claim "nothing was written by any of these" nothing_written

# --- recordings that are none
claim "the slide show is recorded" "$racewalk" record -q "$sites/slideshow" -o good.rwk
head -c 20000 good.rwk >cut.rwk
head -c 20000 /dev/urandom >noise.rwk
cp good.rwk newer.rwk
# The schema version of an SQLite file is the big-endian number at byte 60.
printf '\0\0\0\143' | dd of=newer.rwk bs=1 seek=60 conv=notrunc status=none
size=$(stat -c %s good.rwk)
cp good.rwk holed.rwk
dd if=/dev/zero of=holed.rwk bs=1 seek=$((size / 2)) count=$((size / 4)) conv=notrunc status=none
for command in explore replay; do
  refuses 3 'none.rwk: No such file' "$racewalk" $command none.rwk
  refuses 3 'cut.rwk' "$racewalk" $command cut.rwk
  refuses 3 'noise.rwk is not a recording' "$racewalk" $command noise.rwk
  refuses 3 'newer.rwk was made by a newer racewalk' "$racewalk" $command newer.rwk
  refuses 3 'holed.rwk.*(damaged|record the page again)' "$racewalk" $command holed.rwk
done
refuses 2 'there is no run 77' "$racewalk" replay good.rwk 77
refuses 2 "'x' is no number" "$racewalk" replay good.rwk x

# --- a full disk, a read-only one: each in a small file system of its own
cat >small <<'END'
#!/usr/bin/env bash
# small OPTIONS COMMAND: runs the command with a small file system in ./disk, and lists in ./left what it holds afterwards.
exec unshare -rm bash -c 'mount -t tmpfs -o "$1" none disk && cp good.rwk disk/ && eval "$2"; rc=$?; ls -A disk >left; exit $rc' - "$@"
END
chmod +x small
mkdir disk
export racewalk sites
if ./small size=1m true 2>/dev/null; then
  fill='dd if=/dev/zero of=disk/filler bs=1k status=none 2>/dev/null'
  refuses 3 'disk/x.rwk cannot be written: no space left' ./small size=1m "$fill; "'"$racewalk" record "$sites/slideshow" -o disk/x.rwk'
  claim "a full disk leaves no recording" test "$(cat left)" = $'filler\ngood.rwk'
  refuses 3 'disk/good.rwk cannot be written: no space left' ./small size=1m "$fill; "'"$racewalk" explore -q disk/good.rwk'
  claim "a full disk leaves no journal" test "$(cat left)" = $'filler\ngood.rwk'
  refuses 3 'Read-only' ./small size=1m 'mount -o remount,ro disk; "$racewalk" record "$sites/slideshow" -o disk/x.rwk'
  refuses 3 'Read-only.*copy it' ./small size=1m 'mount -o remount,ro disk; "$racewalk" explore -q disk/good.rwk'
  claim "after a disk was full the recording is what it was" ./small size=1m \
    "$fill; "'"$racewalk" explore -q disk/good.rwk 2>/dev/null; cmp good.rwk disk/good.rwk'
else
  echo "skipped: small file systems can't be made here"
fi

# --- Ctrl-C, and worse
has_browser() { local pid; for pid in $(marked); do grep -q WebKitWebProces "/proc/$pid/comm" 2>/dev/null && return 0; done; return 1; }
# SIGNAL COMMAND...: the signal comes as soon as there is a browser; $rc is the exit status.
interrupt() {
  local signal=$1 i pid
  shift
  "$racewalk" "$@" >out 2>err &
  pid=$!
  for i in $(seq 200); do has_browser && break; sleep 0.05; done
  kill -s "$signal" $pid
  wait $pid 2>/dev/null
  rc=$?
}
for signal in INT TERM; do
  interrupt $signal record "$sites/slideshow" -o x.rwk
  claim "SIG$signal while recording: status 3" test $rc = 3
  claim "SIG$signal while recording: one line" grep -qx 'racewalk: stopped; nothing was recorded' err
  claim "SIG$signal while recording: nobody left" nobody_left
  claim "SIG$signal while recording: nothing written" test ! -e x.rwk
done
cp good.rwk x.rwk
interrupt INT explore -j 1 x.rwk
claim "SIGINT while exploring: status 0" test $rc = 0
claim "SIGINT while exploring: it says how to go on" grep -q 'the same command goes on' out
claim "SIGINT while exploring: nobody left" nobody_left
interrupt KILL explore x.rwk
claim "SIGKILL while exploring: nobody left" nobody_left
interrupt KILL record "$sites/slideshow" -o y.rwk
claim "SIGKILL while recording: nobody left" nobody_left
claim "SIGKILL while recording: nothing written" test ! -e y.rwk
claim "the recording still replays" "$racewalk" replay --check x.rwk

# --- apt without rights
refuses_install() {
  mkdir -p fake
  printf '#!/bin/sh\nexit 1\n' >fake/dpkg-query
  printf '#!/bin/sh\necho 1000\n' >fake/id
  printf '#!/bin/sh\nexit 0\n' >fake/apt-get
  chmod +x fake/*
  for program in bash dirname cat mktemp rm npm env; do ln -sf "$(command -v $program)" fake/; done
  refuses 3 'needs root to install .*gcc' env PATH="$PWD/fake" "$source_dir/recorder/setup/install"
  printf '#!/bin/sh\necho "sudo: a password is required" >&2\nexit 1\n' >fake/sudo
  chmod +x fake/sudo
  ln -sf "$(command -v tail)" fake/
  refuses 3 'may you install packages\? sudo: a password' env PATH="$PWD/fake" "$source_dir/recorder/setup/install"
  rm fake/apt-get
  refuses 3 'there is no apt-get here' env PATH="$PWD/fake" "$source_dir/recorder/setup/install"
}
refuses_install

finish
