#!/bin/bash
# Elliptic sweeps that are stopped: within an iteration, with all that was solved before in the file's parts; what goes
# on comes to the bits of a sweep that nobody stopped. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

cat >s.cfg <<'CFG'
problem = "elliptic";
sweep   = { courant = [6.0, 9.0, 12.0]; row = ["cpu.pcg", "cpu.interleaved", "cpu.multigrid", "cpu.modal"]; };
geometry = "shell";
grid    = { n = [48, 48, 16]; depth = 0.01; grading = "quadratic"; };
physics = { courant = "courant"; lambda2 = 0.033; };
solver  = "$row";
f       = "randn(1)";
tolerance = 1e-7;
run     = { device = "cpu"; batch = 1; };
output  = { history = true; };
CFG
expect 0 run s.cfg -o whole.h5

# ---- at random moments, again and again
stops=0
for ((tries = 0; tries < 60; tries++)); do
    "$sweep" run s.cfg -o again.h5 >out 2>err </dev/null & pid=$!
    sleep "$(awk -v s="$RANDOM" 'BEGIN { print 0.02 + s/32768*0.3 }')"
    if [ $tries -lt 8 ] && kill -TERM $pid 2>/dev/null; then stops=$((stops + 1)); fi
    wait $pid; code=$?
    [ $code = 0 ] && break
    # 143: before the program had a handler
    [ $code = 75 ] || [ $code = 143 ] || fail "SIGTERM: exit code $code"
    [ -z "$(find again.h5.d -name '*.tmp' 2>/dev/null)" ] || fail 'a part that was given up is left'
done
same whole.h5 again.h5

# ---- three systems that are soon solved, and one that takes half a minute: it ends within an iteration, which takes
# some hundredths of a second, or more where others compute, too. What was solved stays
cat >slow.cfg <<'CFG'
problem = "elliptic";
sweep   = { courant = [0.1, 0.2, 0.3, 5000.0]; };
grid    = { n = [512, 512, 4]; };
physics = { courant = "courant"; };
boundary = { sides = "neumann"; };
f       = "x + randn(1)";
tolerance = 1e-9;
iterations = 100000;
run     = { device = "cpu"; batch = 1; };
CFG
for row in cpu.pcg cpu.interleaved; do
    "$sweep" run slow.cfg -o slow.h5 -s "solver=\"$row\"" >out 2>err </dev/null & pid=$!
    end=$((EPOCHSECONDS + 120))
    until [ -e slow.h5.d/part-000004.h5.tmp ]; do [ $EPOCHSECONDS -lt $end ] && sleep 0.02 || break; done
    sleep 0.1
    since=$EPOCHREALTIME
    kill -USR1 $pid
    wait $pid; code=$?
    [ $code = 75 ] || fail "$row: exit code $code after SIGUSR1, expected 75"
    says 'stopped; run the same command again to continue'
    awk -v a="$since" -v b="$EPOCHREALTIME" 'BEGIN { exit !(b - a < 15) }' || fail "$row: late"
    left=$(ls slow.h5.d | grep part)
    [ "$(echo $left)" = 'part-000001.h5 part-000002.h5 part-000003.h5' ] || fail "$row: left are $left"
    expect 0 status slow.h5; prints '3 done, 0 diverged, 0 failed, 1 pending'
    expect 0 run slow.cfg -o slow.h5 -s "solver=\"$row\"" --only 'courant < 1'; says '0 of 3 runs left'
    rm -rf slow.h5 slow.h5.d
done

# ---- a time limit below that of a solve: each start gets further all the same
for ((starts = 1;; starts++)); do
    slowly $((starts < 4 ? 1 : 0)) "$sweep" run s.cfg -o limit.h5 --max-time 0.02s >out 2>err
    code=$?
    [ $code = 0 ] && break
    [ $code = 75 ] || { fail "start $starts of 0.02 s: exit code $code"; break; }
    [ $starts -lt 100 ] || { fail 'no end in sight of starts of 0.02 s'; break; }
done
[ $starts -gt 1 ] || fail 'a sweep of 0.02 s was not stopped'
same whole.h5 limit.h5

# ---- batches are small where a run is large: what is in flight is lost
batches() { "$sweep" check s.cfg "$@" --device cpu --json 2>err | grep -o '"batches": [0-9]*' | cut -d' ' -f2; }
export OMP_NUM_THREADS=2
[ "$(batches -s run.batch=0 -s 'sweep.courant="range(1, 100)"' -s 'grid.n=[256, 256, 16]')" -ge 200 ] ||
    fail 'large runs are computed in large batches'

summary
