#!/bin/bash
# What must not grow faster than the work: many outputs, parts and runs. Counts, and not seconds, decide, but for bounds
# that only a quadratic cost exceeds. SW_LONG=1 takes ten times as many of each.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
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
if [ -n "$python" ]; then  # what `check` says of the time counts them
    expect 0 check heat.cfg --json -s 'sweep.end=[5.0]'
    py -c 'import json; s = json.load(open("out"))["plan"]["seconds"]; assert 0.5 < s < 1000, s' 2>err ||
        fail 'check: 5*10^6 outputs'
fi

# ---- parts: of runs of one grid there are few (test_gather.c), so each run has a grid of its own
grids() { echo "sweep={ n = \"range(16, $(($1 + 15)))\"; }"; }
with_grids=(-s 'grid.n="n"' -s physics.kappa=1.0 -s time.end=1.0e-6)

# ---- parts: their folder is read a few times, and not once a part (some 13 calls of readdir read the first)
n=$((150 * times))
FAIL_KIND=readdir FAIL_AT=0 FAIL_LOG=log LD_PRELOAD=$(dirname "$sweep")/fail_nth.so "$sweep" run heat.cfg -q \
    "${with_grids[@]}" -s "$(grids $n)" -o p.h5 2>err || fail "$n parts"
at_most "entries read of a folder of $n parts" "$(cut -d' ' -f1 log)" $((10 * n))

# ---- status: it reads of small parts one line each, and opens the last alone; what it says is what the parts say
n=$((150 * times))
if [ -n "$python" ]; then
    "$sweep" run heat.cfg -q "${with_grids[@]}" -s "$(grids $((2 * n)))" -o i.h5 2>err & pid=$!
    for ((k = 0; k < 3000; k++)); do
        [ "$(ls i.h5.d 2>/dev/null | wc -l)" -gt $n ] && break
        sleep 0.02
    done
    kill -TERM $pid; wait $pid
    FAIL_KIND=open FAIL_AT=0 FAIL_FROM=i.h5 FAIL_LOG=log LD_PRELOAD=$(dirname "$sweep")/fail_nth.so \
        "$sweep" status i.h5 >out 2>err || fail "status of $n parts"
    at_most "files opened for the status of $n parts" "$(cut -d' ' -f1 log)" 20
    cp out indexed
    # a line counts for the very file that it was written for: this part has one run less that is done
    part=$(ls i.h5.d/part-*.h5 | head -n 1)
    cp "$part" kept; head -c 1000 kept >"$part"
    expect 0 status i.h5; says "ignored, its runs are computed again"
    cp kept "$part"; touch "$part"
    expect 0 status i.h5; diff out indexed || fail 'status by a part whose line is out of date'
    # nothing but lines is believed, and nothing is needed
    sed -i 's/:1 #/:3 #/; 5d; 7s/$/x/' i.h5.d/index
    expect 0 status i.h5; diff out indexed || fail 'status by lines that are no lines'
    head -c 3000 /dev/urandom >i.h5.d/index
    expect 0 status i.h5; diff out indexed || fail 'status by noise'
    rm i.h5.d/index
    expect 0 status i.h5; diff out indexed || fail 'status without an index'
    expect 0 run heat.cfg -q "${with_grids[@]}" -s "$(grids $((2 * n)))" -o i.h5
    [ ! -e i.h5.d ] || fail "left behind: $(ls i.h5.d)"
fi

# ---- parts: a signal is heard while they are joined, and none is lost; the same command joins them
n=$((300 * times))
"$sweep" run heat.cfg "${with_grids[@]}" -s "$(grids $n)" -o j.h5 >out 2>err & pid=$!
for ((k = 0; k < 20000; k++)); do
    [ -e "$(printf 'j.h5.d/part-%06d.h5' $n)" ] && break
    sleep 0.01
done
sleep 0.05
kill -TERM $pid; wait $pid; code=$?
[ $code = 75 ] || fail "SIGTERM while $n parts are joined: exit code $code"
says 'stopped; run the same command again to continue'
[ "$(ls j.h5.d/part-*.h5 | wc -l)" = $n ] && [ ! -e j.h5 ] || fail "SIGTERM while $n parts are joined: $(ls j.h5*)"
expect 0 run heat.cfg -q "${with_grids[@]}" -s "$(grids $n)" -o j.h5
[ ! -e j.h5.d ] || fail "left behind: $(ls j.h5.d)"

# ---- runs: their numbers are worked out in blocks, by \`check\` and before a run, not each alone
for n in 1000 41000; do
    FAIL_KIND=memory FAIL_AT=0 FAIL_LOG=log LD_PRELOAD=$(dirname "$sweep")/fail_nth.so \
        "$sweep" check heat.cfg -s "sweep.k=\"linspace(1, 2, $n)\"" >out 2>err || fail "check of $n runs"
    cut -d' ' -f1 log >calls$n
done
at_most 'calls for memory of 40000 runs more' $(($(cat calls41000) - $(cat calls1000))) 20000

# ---- runs: where files are joined little more than one table of results is held at a time, of 100 to 200 bytes a run
n=$((100000 * times))
for k in 1 2; do
    cost 0 run heat.cfg -q -s "sweep.k=\"linspace(1, 2, $((k * n)))\"" -o m.h5
    cost 0 merge m.h5 -o y.h5 -q
    [ $k = 1 ] && one=$memory
    rm -f m.h5 y.h5
done
at_most "MiB of $n runs more" $((memory - one)) $((62 * times))

# ---- runs: a signal is heard while they are expanded and planned, which takes seconds here
n=$((2000000 * (SW_LONG ? 5 : 1)))
"$sweep" run heat.cfg -s "sweep.k=\"linspace(1, 2, $n)\"" -o s.h5 >out 2>err & pid=$!
sleep 0.5
began=$SECONDS
kill -TERM $pid; wait $pid; code=$?
[ $code = 75 ] || fail "SIGTERM while $n runs are expanded: exit code $code"
# where the machine is fast, some of them are done by then
grep -q 'stopped before anything new was stored' err || says 'run the same command again to continue'
at_most 'seconds until it heard of SIGTERM' $((SECONDS - began)) 5
grep -q 'same command again' err || [ ! -e s.h5.d ] || fail "left behind: $(ls s.h5.d)"

summary
