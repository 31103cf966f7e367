#!/bin/bash
# What must not grow faster than the work: many outputs, parts and runs. Counts, and not seconds, decide, but for bounds
# that only a quadratic cost exceeds. SW_LONG=1 takes ten times as many of each.
cd "$(dirname "$0")/.." || exit 1
. tests/helpers.sh
[ -n "$python" ] || { skipped 'all of it: no python3'; exit 0; }
times=$((SW_LONG ? 10 : 1))
# cost CODE ARGUMENT...: expect, and of the process: seconds of processor time, MiB at most, times it waited
cat >cost.py <<'END'
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL)
r = resource.getrusage(resource.RUSAGE_CHILDREN)
open("used", "w").write(f"{r.ru_utime + r.ru_stime} {r.ru_maxrss // 1024} {r.ru_nvcsw}\n")
sys.exit(code)
END
cost() {
    local code=$1
    shift
    $python cost.py "$sweep" "$@" >out 2>err
    local got=$?
    [ $got = "$code" ] || fail "sweep $*: exit code $got, expected $code"
    read -r seconds memory waits <used
}
at_most() { awk "BEGIN {exit !($2 <= $3)}" || fail "$1: $2, expected at most $3"; }
cat >heat.cfg <<'CFG'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = "k"; };
time    = { dt = 1.0e-6; end = "end"; };
sweep   = { k = [1.0]; end = [1.0e-6]; };
initial = "cos(2*pi*x)";
output  = { file = "x.h5"; scalars = { every = 1.0e-6; }; };
run     = { device = "cpu"; };
CFG

# ---- outputs: the thread that computes does not wait for another one at each
n=$((50000 * times))
cost 0 run heat.cfg -q -s "sweep.end=[${n}e-6]"
at_most "waits for $n outputs" "$waits" $((n / 10))
rm x.h5

# ---- parts: their folder is read a few times, and not once a part (some 13 calls of readdir read the first)
n=$((300 * times))
FAIL_KIND=readdir FAIL_AT=0 FAIL_LOG=log LD_PRELOAD=$(dirname "$sweep")/fail_nth.so "$sweep" run heat.cfg -q \
    -s run.batch=1 -s "sweep.k=\"linspace(1, 2, $n)\"" 2>err || fail "$n parts"
at_most "entries read of a folder of $n parts" "$(cut -d' ' -f1 log)" $((10 * n))

# ---- runs: a signal is heard while they are expanded and planned, which takes seconds here
n=$((2000000 * (SW_LONG ? 5 : 1)))
"$sweep" run heat.cfg -s "sweep.k=\"linspace(1, 2, $n)\"" -o s.h5 >out 2>err & pid=$!
sleep 0.5
began=$SECONDS
kill -TERM $pid; wait $pid; code=$?
[ $code = 75 ] || fail "SIGTERM while $n runs are expanded: exit code $code"
says 'stopped before anything new was stored'
at_most 'seconds until it heard of SIGTERM' $((SECONDS - began)) 5
[ ! -e s.h5.d ] || fail "left behind: $(ls s.h5.d)"

summary
