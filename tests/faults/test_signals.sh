#!/bin/bash
# Whatever signal ends a process by default leaves a checkpoint, and one Ctrl-C that arrives twice is one.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1

cat >long.cfg <<'CFG'
problem = "cahn_hilliard";
grid    = { n = 64; length = "2*pi*4"; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.001; end = 10000.0; };
sweep   = { seed = "range(1, 10)"; };
initial = "0.05*randn(seed)";
output  = { scalars = { every = 100.0; }; };
run     = { device = "cpu"; };
solver  = "cpu.plain";
CFG
start() {  # start NAME COMMAND...: a sweep into NAME.h5, in the background
    local name=$1
    shift
    "$@" "$sweep" long.cfg -j 1 -o "$name.h5" >"$name.out" 2>"$name.err" & pid=$!
    begun "$name.h5.d/part-000001.h5.tmp"  # steps are under way
}
ended() {  # ended NAME CODE: how it ended, and what it left
    wait $pid
    local code=$?
    cp "$1.out" out; cp "$1.err" err
    [ $code = "$2" ] || fail "$1: exit code $code, expected $2"
    ls "$1".h5.d/part-*.h5 >/dev/null 2>&1 || fail "$1: there is no checkpoint"
    [ -z "$(find "$1.h5.d" -name '*.tmp')" ] || fail "$1: a part that is not finished is left"
    rm -rf "$1".h5*
}

# & has SIGQUIT ignored, and whoever calls the tests may have others (nohup: SIGHUP)
default='env --default-signal'
$default true 2>/dev/null || default=env
is_ignored() {
    local mask
    mask=$($default awk '/^SigIgn/ { print $2 }' /proc/self/status)
    [ $((16#$mask >> ($(kill -l "$1") - 1) & 1)) = 1 ]
}
for signal in HUP QUIT USR1 USR2 PIPE ALRM TERM STKFLT XCPU VTALRM PROF IO PWR RTMIN RTMAX; do
    if is_ignored $signal || { [ "$default" = env ] && [ $signal = QUIT ]; }; then
        skipped "SIG$signal, which is ignored here"
        continue
    fi
    start $signal $default
    kill -s $signal $pid
    ended $signal 75
    says 'stopped; run the same command again to continue'
done

# The caller's wish: nohup.
start nohup nohup
kill -HUP $pid
sleep 0.3
kill -0 $pid 2>/dev/null || fail 'nohup: SIGHUP ended it'
kill -TERM $pid
ended nohup 75

# A pipe whose reader has gone.
mkfifo pipe
"$sweep" long.cfg -j 1 -o reader.h5 --progress always >reader.out 2>pipe & pid=$!
begun reader.h5.d/part-000001.h5.tmp <pipe
wait $pid
ls reader.h5.d/part-*.h5 >/dev/null 2>&1 || fail 'nobody reads what it prints: there is no checkpoint'
rm -rf reader.h5*

# Twice within microseconds is one Ctrl-C; twice apart ends at once.
for k in 1 2 3 4 5; do
    start twice$k env
    kill -INT $pid
    kill -INT $pid 2>/dev/null
    ended twice$k 130
    says 'stopped; run the same command again to continue'
done
# Held by the write of its checkpoint, it ends at the second.
fail_nth=$(dirname "$sweep")/fail_nth.so
if [ -e "$fail_nth" ]; then
    FAIL_KIND=fsync FAIL_AT=1 FAIL_FROM=part- FAIL_SLEEP=60 LD_PRELOAD=$fail_nth \
        "$sweep" long.cfg -j 1 -o apart.h5 >out 2>err & pid=$!
    begun apart.h5.d/part-000001.h5.tmp
    kill -INT $pid
    sleep 1
    kill -INT $pid 2>/dev/null || fail 'apart: it ended at the first'
    SECONDS=0
    wait $pid
    code=$?
    [ $code = 130 ] && [ $SECONDS -lt 20 ] || fail "apart: exit code $code after $SECONDS s"
else
    skipped 'a second Ctrl-C: fail_nth.so is not built'
fi
summary
