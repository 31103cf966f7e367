#!/bin/bash
# The clock on the wall is set by a day, forward and back, while a sweep runs: --max-time, checkpoints, the bar's ETA
# and the lock do not notice, and the numbers are the same.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1
library=$(dirname "$sweep")/jump_clock.so
[ -e "$library" ] || { echo "$library is missing: make tests" >&2; exit 1; }
cat >c.cfg <<'CFG'
problem = "cahn_hilliard";
grid    = { n = 64; length = "2*pi*4"; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.001; end = 4000.0; };
sweep   = { seed = "range(1, 40)"; };
initial = "0.05*randn(seed)";
output  = { scalars = { every = 100.0; }; };
run     = { device = "cpu"; };
solver  = "cpu.plain";  // slow enough to be stopped on the way
CFG
short=(-s time.end=1.0 -s output.scalars.every=0.5)
"$sweep" run c.cfg -q -j 1 "${short[@]}" -o whole.h5 || fail 'the undisturbed run'

for jump in 86400 -86400; do
    export JUMP=$jump
    jumped() { LD_PRELOAD=$library "$sweep" "$@" >out 2>err </dev/null; }
    rm -rf j.h5 j.h5.d
    # it stops after its time, not at once and not never
    began=$SECONDS
    LD_PRELOAD=$library timeout 60 "$sweep" run c.cfg -j 1 --max-time 2s --progress always -o j.h5 >out 2>err
    code=$? took=$((SECONDS - began))
    [ $code = 75 ] || fail "clock set by $jump s: --max-time 2s ends with $code after $took s"
    [ $took -ge 1 ] || fail "clock set by $jump s: --max-time 2s ends after $took s"
    eta=$(tr '\r' '\n' <err | grep -o 'ETA [0-9:]*$' | tail -n 1)  # minutes, or an hour on a slow machine
    [[ $eta =~ ^ETA\ ([0-9]:)?[0-9]{2}:[0-9]{2}$ ]] || fail "clock set by $jump s: '$eta'"
    # checkpoints go on: a kill after some of them loses only what came since
    rm -rf j.h5 j.h5.d
    LD_PRELOAD=$library "$sweep" run c.cfg -q -j 1 -s run.checkpoint=0.005 -o j.h5 2>err & pid=$!
    for ((k = 0; k < 400; k++)); do [ -e j.h5.d/part-000002.h5 ] && break; sleep 0.05; done
    # nobody else gets the lock, however old it looks
    touch -d '2 days ago' j.h5.d/lock
    jumped run c.cfg -q -j 1 -o j.h5
    code=$?
    [ $code = 5 ] || fail "clock set by $jump s: the lock was given to a second process: exit code $code"
    says "j.h5 is being written by process $pid on $(hostname)"
    LD_PRELOAD=$library "$sweep" status j.h5 >out 2>err; prints running
    kill -9 $pid; wait $pid 2>/dev/null
    [ -e j.h5.d/part-000002.h5 ] || fail "clock set by $jump s: no checkpoint in 20 s"
    # and the numbers
    jumped run c.cfg -q -j 1 "${short[@]}" -o short.h5 || fail "clock set by $jump s: $(cat err)"
    same whole.h5 short.h5
    rm -f short.h5
done
unset JUMP

# ---- checkpoints that nobody has asked for come as often as costs 1 %, after 30 s to 600 s. The clock goes on at each
# look of any thread; the disk takes a second of ours for the first of them, which is some hundred of the clock's. Steps
# go on meanwhile, 40,000 of them or more: in the first sweep they are enough for a minute, and it is told to stop
cat >k.cfg <<'CFG'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = "k"; };
time    = { dt = 1.0e-3; end = 60.0; };
sweep   = { k = [0.1, 0.2]; };
initial = "cos(2*pi*x)";
output  = { scalars = { every = 10.0; }; };
run     = { device = "cpu"; };
CFG
spaced() {  # spaced LOOK OPTION...: seconds before each checkpoint go to seconds. It stops after $enough of them
    : >log
    LOOK=$1 FAIL_KIND=fsync FAIL_AT=1 FAIL_FROM=part- FAIL_SLEEP=1 \
        LD_PRELOAD="$library ${library/jump_clock/fail_nth}" \
        "$sweep" run k.cfg -q -j 1 --force -o k.h5 --log-json log "${@:2}" 2>err & pid=$!
    while [ "$enough" ] && kill -0 $pid 2>/dev/null && [ "$(grep -c '"checkpoint"' log)" -lt "$enough" ]; do
        sleep 0.05
    done
    [ "$enough" ] && kill $pid 2>/dev/null
    wait $pid
    code=$?
    [ $code = 0 ] || [[ $enough && $code = 75 ]] || fail "spaced $*: exit code $code"
    sed -n 's/.*"checkpoint".*"seconds": \([0-9]*\)[.}].*/\1/p' log >seconds
}
enough=3 spaced 0.02 -s time.end=2000.0 -s output.scalars.every=1000.0
[[ $(head -n 1 seconds) =~ ^3[0-2]$ ]] || fail "the first after $(head -n 1 seconds) s"
[ "$(sed -n 2p seconds)" -ge 200 ] || fail "after one that took long: $(sed -n 2p seconds) s"
[ "$(sort -n seconds | tail -n 1)" -le 610 ] || fail "after $(sort -n seconds | tail -n 1) s"
spaced 0.02 -s run.checkpoint=0.1
[[ $(sort -n seconds | head -n 1) = 6 && $(sort -n seconds | tail -n 1) -le 40 ]] ||
    fail 'not as often as was asked for'
spaced 0.02 -s run.checkpoint=0
silent seconds
spaced 5 -s grid.n=65536 -s 'sweep.k="linspace(0.1, 0.9, 32)"' -s time.end=0.2 -s output.scalars.every=0.2  # 16 MiB
[ "$(sort -n seconds | head -n 1)" -ge 300 ] || fail "large ones after $(sort -n seconds | head -n 1) s"
summary
