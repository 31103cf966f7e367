#!/bin/bash
# Kill the program at random moments and run it again, until it is done: the file must equal that of an uninterrupted
# run, dataset by dataset, bit by bit. SW_LONG=1 kills hundreds of times.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1
[ -n "$python" ] || { echo "# skipped: no python3 with h5py"; exit 0; }
rounds=${SW_LONG:+40}
rounds=${rounds:-2}
kills=0
resumed=0  # calls that went on in the middle of a batch

fail() { echo "FAILED: $*" >&2; exit 1; }  # what comes after builds on it

# Some 0.7 s of computing, however fast or busy the machine is: the number of runs is set by a trial.
config() {  # config RUNS
    cat <<CFG
problem = "cahn_hilliard";
grid    = { n = 64; length = "2*pi*4"; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.0002; end = 10.0; };
sweep   = { seed = "range(1, $1)"; };
initial = "0.05*randn(seed)";
output  = { fields = { times = "linspace(0, end, 41)"; }; scalars = { every = 0.1; }; };
run     = { device = "cpu"; };
CFG
}
seconds() { local start=$EPOCHREALTIME; "$@" || fail "$*"; echo "$start $EPOCHREALTIME" | awk '{print $2 - $1}'; }
config 40 >trial.cfg
took=$({ TIMEFORMAT=%U; time "$sweep" -q trial.cfg -j 1 -s accuracy.runs=0 2>err; } 2>&1) ||
    fail "trial.cfg: $(cat err)"
runs=$(echo "$took" | awk '{n = int(40*0.7/($1 + 0.01)); print (n < 4 ? 4 : n > 1000 ? 1000 : n)}')
config "$runs" >k.cfg
took=$(seconds "$sweep" -q k.cfg -j 1 -o whole.h5)

# keep NAME: the file that came out, to be compared with the uninterrupted run at the end, all at once
kept=0
keep() { kept=$((kept + 1)); mv k.h5 "kept-$1.h5" || fail "there is no k.h5 of $1"; }

# killed OPTION...: kill and start again until it is through
killed() {
    local code tries=0
    rm -rf k.h5 k.h5.d
    while :; do
        "$sweep" k.cfg -j 1 -o k.h5 "$@" >/dev/null 2>err &
        local pid=$!
        sleep "$(awk -v s="$RANDOM" -v t="$took" 'BEGIN {print s/32768*t*0.4}')"
        if [ $tries -lt 4 ] && kill -9 $pid 2>/dev/null; then kills=$((kills + 1)); fi
        wait $pid 2>/dev/null
        code=$?
        tries=$((tries + 1))
        if grep -q 'from step' err; then resumed=$((resumed + 1)); fi
        [ $code = 0 ] && break
        [ $code = 137 ] || { cat err >&2; fail "exit code $code after a kill"; }
        [ $tries -lt 60 ] || fail "no end in sight"
    done
    [ ! -e k.h5.d ] || fail "parts are left: $(ls k.h5.d)"
    keep "killed$kept"
}

for ((round = 0; round < rounds; round++)); do
    killed -s "run.batch=$((runs / 6 + 1))"        # between and in batches
    killed -s run.checkpoint=0.001                 # in the middle of the only batch, a checkpoint about every 0.1 s
    killed -s "run.batch=$((runs / 6 + 1))" --device cpu:0,1,2 -s run.checkpoint=0.001  # of three batches at a time
done

# On a busy machine all of these kills may have come before a checkpoint, or after the end: now some time after the
# program has begun one.
for ((tries = 0; resumed == 0 && tries < 20; tries++)); do
    rm -rf k.h5 k.h5.d
    "$sweep" k.cfg -j 1 -o k.h5 -v -s run.checkpoint=0.001 >/dev/null 2>err &
    pid=$!
    until grep -q '^checkpoint' err || ! kill -0 $pid 2>/dev/null; do sleep 0.002; done
    sleep "0.0$((1 + tries % 9))"  # it is on its way to the disk
    kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
    "$sweep" k.cfg -j 1 -o k.h5 -s run.checkpoint=0.001 >/dev/null 2>err || { cat err >&2; fail 'after a checkpoint'; }
    if grep -q 'from step' err; then resumed=$((resumed + 1)); fi
    keep "checkpoint$tries"
done
[ $resumed -gt 0 ] || fail "none of $kills kills left a checkpoint to go on from: $runs runs, $took s uninterrupted"

# starts that are to end before they begin: each gets further all the same, and they come to the same bits
rm -rf k.h5 k.h5.d
for ((starts = 1;; starts++)); do
    "$sweep" k.cfg -j 1 -o k.h5 -v --max-time 0.03s -s "run.batch=$((runs / 3 + 1))" >/dev/null 2>err
    code=$?
    [ $code = 0 ] && break
    [ $code = 75 ] || { cat err >&2; fail "start $starts of 0.03 s: exit code $code"; }
    grep -qE '^(checkpoint|batch) ' err || { cat err >&2; fail "start $starts of 0.03 s has stored nothing"; }
    [ $starts -lt 1000 ] || fail 'no end in sight of starts of 0.03 s'
done
# A start may get through a batch, and on a busy machine through two, before it hears of the time: one must be stopped.
[ $starts -ge 2 ] || fail "a start of 0.03 s went through all of it"
cp k.h5 kept-starts.h5

# killed when all was merged, with its last word and its lock still there
for name in k.h5 .sweep-k.h5.new; do
    mkdir $name.d && echo '{"pid": 1}' >$name.d/status.json
    echo 'process 1 on a machine' >$name.d/lock
    : >$name.d/.sweep-Xa0b1c
done
mv k.h5 .sweep-k.h5.new  # --force, killed before the new file took its place
"$sweep" -q k.cfg -j 1 -o k.h5 -s time.end=1 -s 'output.fields.times=[1.0]' || fail 'another sweep'
"$sweep" -q k.cfg -j 1 -o k.h5 --force || fail "nothing to do, but for what a killed run left"
[ -z "$(ls -d k.h5.d .sweep-* 2>/dev/null)" ] || fail "what is left of a killed run stays: $(ls -d k.h5.d .sweep-*)"

# SIGTERM ends all workers cleanly, with a checkpoint each, and one goes on with all of them
rm -rf k.h5 k.h5.d
"$sweep" k.cfg -j 1 -o k.h5 -s "run.batch=$((runs / 4 + 1))" --device cpu:0,1 -v 2>err & pid=$!
for ((k = 0; k < 10000; k++)); do [ -e k.h5.d/part-000002.h5.tmp ] && break; sleep 0.01; done
kill -TERM $pid; wait $pid; code=$?
[ $code = 75 ] || fail "SIGTERM, two workers: exit code $code, expected 75"
left=$(grep -c '^checkpoint' err)  # 2, unless one of them was not given a processor for long
[ "$left" -ge 1 ] || fail "SIGTERM, two workers: $(cat err)"
"$sweep" resume k.h5 -j 1 --device cpu 2>err || { cat err >&2; fail "resume after SIGTERM, two workers"; }
[ "$(grep -o 'from step' err | wc -l)" = "$left" ] || fail "resume did not go on from both checkpoints: $(cat err)"
keep two-workers

# SIGTERM ends it cleanly, with a checkpoint
rm -rf k.h5 k.h5.d
"$sweep" -q k.cfg -j 1 -o k.h5 & pid=$!
# once there is a part the batch has begun, and its first step is taken
for ((k = 0; k < 10000; k++)); do [ -e k.h5.d/part-000001.h5.tmp ] && break; sleep 0.01; done
kill -TERM $pid; wait $pid; code=$?
[ $code = 75 ] || fail "SIGTERM: exit code $code, expected 75"
"$sweep" resume k.h5 -j 1 2>err || { cat err >&2; fail "resume after SIGTERM"; }
grep -q 'from step' err || fail "resume did not go on from the checkpoint: $(cat err)"
keep SIGTERM
py "$top/tests/helpers/compare_h5.py" whole.h5 kept-*.h5 || fail 'not the same as the uninterrupted run'
summary "$kills kills, $resumed times from a checkpoint, $runs runs, $took s uninterrupted"
