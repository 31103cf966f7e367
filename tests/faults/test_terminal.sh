#!/bin/bash
# Titles, names, words, phases and locks that others have written, with what a terminal would act on: whatever is
# printed for people has it escaped; --json has it as JSON has it.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1
# in libconfig's spelling
hostile='e\x1b]0;x\x07\x1b[2J \x9b \xc2\x9b31m \xe2\x80\xae \xe2\x81\xa6 \x7f\x0d\ndone 9 \xff'
raw=$(printf "$hostile")
# clean FILE...: of control characters only ends of lines; all of it UTF-8 without marks of direction
clean() {
    LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]' \
        "$@" >found &&
        fail "$subcommand prints what a terminal acts on: $(cat -v found)"
    iconv -f UTF-8 -t UTF-8 "$@" >/dev/null 2>&1 || fail "$subcommand prints what is not UTF-8"
}
cat >h.cfg <<CFG
title   = "$hostile";
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = "k"; };
time    = { dt = 0.001; end = 0.01; };
sweep   = { k = [1.0, 2.0]; };
initial = "cos(2*pi*x)";
output  = { file = "h.h5"; fields = { times = [0.01]; }; };
run     = { device = "cpu"; };
CFG
for command in 'check h.cfg' 'check -v h.cfg' 'run h.cfg' 'show h.h5' 'show h.h5 --run 0' 'status h.h5' \
    'xdmf h.h5' 'merge h.h5 -o m.h5'; do
    expect 0 $command
    clean out err
done
expect 0 show h.h5
prints 'e\x1b]0;x\x07\x1b[2J \x9b \u009b31m \u202e \u2066 \x7f\x0d\ndone 9 \xff · heat'
[ "$(wc -l <out)" = 6 ] || fail 'a title has more than a line'
expect 0 show h.h5 --json; clean out; is_json out
[ -z "$python" ] || py -c 'import json
title = json.load(open("out"))["title"]
assert title.startswith("e\x1b]0;x\x07\x1b[2J \ufffd \x9b31m \u202e \u2066 \x7f\r\n"), ascii(title)' 2>err ||
    fail 'the title in --json is another'
# names of files, an argument and a config
cp h.h5 "$raw.h5"
expect 0 show "$raw.h5"; clean out err
expect 5 show "no$raw.h5"; clean out err
expect 2 show h.h5 --run "$raw"; clean out err
expect 3 check h.cfg -s "$raw=1"; clean out err
expect 3 check h.cfg -s "time.dt=\"$hostile\""; clean out err
printf 'problem = "heat";\n%s = 1;\n' "$raw" >w.cfg; expect 3 check w.cfg; clean out err

# ---- a folder of parts that somebody has written
mkdir s.h5.d
cat >s.h5.d/status.json <<CFG
{
  "pid": 1,
  "host": "$raw$raw",
  "phase": "$raw",
  "updated": 1,
  "asked": 2
}
CFG
for command in 'status s.h5' 'show s.h5' 'resume s.h5' 'run h.cfg -o s.h5 --max-time 1'; do
    "$sweep" $command >out 2>err
    clean out err
done
"$sweep" status s.h5 --json >out 2>err; clean out; is_json out
mkdir t.h5.d; printf 'process 1 on %s' "$raw" >t.h5.d/lock
exec 9<t.h5.d/lock
flock -x 9
expect 5 run h.cfg -o t.h5; clean out err; says 'is being written by process 1 on'
expect 0 status t.h5; clean out err
summary
