#!/bin/bash
# Grids in three dimensions that are cut along y and z (run.split = "pencils", or where slabs get thin): the results of
# whole grids, and checkpoints that any number of ranks goes on from.
build=$(dirname "${SWEEP:-build/sweep}")
cd "$(dirname "$0")/../../.." || exit 1
case $build in /*) ;; *) build=$PWD/$build ;; esac
. tests/helpers/helpers.sh || exit 1
. "$top/tests/helpers/domain_helpers.sh"

# pencils RELATIVE OPTION...: four threads have the results of one device, and every third time six processes of MPI
# (SW_LONG=1: each time)
pencils() {
    local bound=$1
    shift
    names=$((names + 1))
    expect "$code" run "$config" -q -o "w$names.h5" "$@" --device cpu -s 'run.split="runs"'
    expect "$code" run "$config" -o "t$names.h5" "$@" --device cpu:0,1,2,3 -s 'run.split="pencils"'
    says 'grid     cut along y and z over 2 × 2 devices: pencils of '
    near "w$names.h5" "t$names.h5" "$bound"
    [ -n "$processes" ] || return
    [ $((names % 3)) = 1 ] || [ -n "$SW_LONG" ] || return
    expect 0 verify "t$names.h5"
    ranks "$code" 6 "$sweep" run "$config" -o "m$names.h5" --device cpu "$@" -s 'run.split="pencils"'
    once 'cut along y and z over '
    near "w$names.h5" "m$names.h5" "$bound"
}

# ---- derivatives, on sizes that ranks do not divide; bounds as in test_domains.sh
cat >c.cfg <<'CFG'
problem = "compact";
sweep   = { k = [1, 2]; };
grid    = { n = [16, 31, 37]; length = "2*pi"; };
scheme  = "d1_c6";
operator = "gradient";
field   = "exp(sin(k*x)*cos(y))*sin(z + x)";
output  = { file = "c.h5"; fields = { precision = "double"; }; };
run     = { device = "cpu"; };
CFG
config=c.cfg
pencils 2e-14
pencils 2e-14 -s 'boundary="3-4-6"' -s grid.length=2.0 -s run.batch=1
pencils 2e-13 -s 'operator="laplacian"' -s 'scheme="d2_c6"' -s sweep.k=[1] -s 'grid.n=[9, 29, 41]'
code=1  # a run that fails on some ranks alone fails, with the message of the whole grid
pencils 2e-14 -s 'field="sin(x)/(k - 2 + 1e-300*(z < 6) + (z < 5.5 || y < 4))"'
code=0

# ---- steps, with walls along y, series, reductions, noise, and states
cat >a.cfg <<'CFG'
problem = "advection"; sweep = { a = [0.3, 0.9]; }; grid = { n = [12, 29, 23]; length = "2*pi"; };
velocity = { x = "a"; y = "0.2*cos(y)"; z = "sin(x)"; }; physics = { nu = "0.05"; };
boundary = { y = "3-4-6"; }; left = { y = "0.5"; }; right = { y = "0.5"; };
time = { dt = 0.02; end = 1.0; }; initial = "0.5 + sin(x + z)*sin(y/2)^2"; accuracy = { runs = 0; };
output = { file = "a.h5"; fields = { times = "linspace(0, end, 5)"; precision = "double"; };
           scalars = { every = 0.25; define = { top = "max(u) - min(u)";
                                                all = "integral(u^2*y) + mean(abs(u)*z)"; }; }; };
CFG
config=a.cfg
pencils 1e-11 -s output.state=true
pencils 1e-11 -s 'initial="0.5 + sin(x+z)*sin(y/2)^2*(1 + 0.1*randn(a))"' -s 'output.fields.precision="single"' \
    -s time.end=0.5 -s accuracy.runs=1 -s 'output.scalars.every=0.5'
expect 0 run a.cfg -q -o from.h5 --device cpu
pencils 1e-11 -s 'initial={file="from.h5"; time=0.5;}' -s time.end=0.5
code=1
pencils 1e-9 -s time.dt=3.0 -s time.end=450.0 -s 'output.fields.times=[0.0]' -s 'output.scalars.every=225.0'
code=0

# ---- stopped half-way, with the states that runs are compared with to become steady: others go on
steady='-s time.end=4.0  -s stop.steady=0.02 -s stop.every=1.0'
expect 0 run a.cfg -q -o ended.h5 --device cpu $steady
for then in ,1,2,3:pencils ,1:grid :runs ,1,2,3,4,5:pencils; do
    file=stopped-${then#*:}-${then%%:*}.h5
    from=$([ "${then#*:}" = pencils ] && [ "${then%%:*}" = ,1,2,3,4,5 ] && echo cpu:0,1,2 || echo cpu:0,1,2,3)
    slowly 0.02 "$sweep" run a.cfg -o "$file" --device "$from" -s 'run.split="pencils"' $steady --max-time 1 \
        >out 2>err && fail 'it does not stop'
    expect 0 run a.cfg -o "$file" --device "cpu:0${then%%:*}" -s "run.split=\"${then#*:}\"" $steady
    says 'from step '
    near ended.h5 "$file" 1e-11
done

# ---- what is said, and refused
expect 0 check c.cfg --device cpu:0,1,2,3 -s 'run.split="pencils"'
prints 'grid     cut along y and z over 2 × 2 devices: pencils of 16 × 16 × 19 points'
matches '^exchange [0-9.]+ KiB in 2 messages to the next device on each side, [0-9.]+ KiB in [0-9]+ to those in line'
expect 0 check c.cfg --device cpu:0,1,2,3 -s 'run.split="grid"' -s 'grid.n=[16, 64, 40]'  # slabs of 10 planes
prints 'cut along y and z over 2 × 2 devices: pencils of 16 × 32 × 20 points'
expect 0 check c.cfg --device cpu:0,1,2,3 -s 'run.split="grid"' -s 'grid.n=[16, 12, 40]'  # pencils are no thicker
prints 'cut along z over 4 devices: slabs of 16 × 12 × 10 points'
expect 0 check c.cfg --device cpu:0,1,2 -s 'run.split="pencils"'
prints 'cut along z over 3 devices: slabs of 16 × 31 × 13 points'  # 3 is prime
expect 3 run c.cfg --device cpu:0,1,2,3,4,5 -s 'run.split="pencils"' -s 'grid.n=[16, 31, 5]' -s 'axis="y"' \
    -s 'operator="derivative"'
says 'run.split: each of 6 devices stores planes of the pencils, of which there are 5 along z; use at most 5 devices'
expect 3 check "$top/configs/tiny_elliptic.cfg" -s 'run.split="pencils"'
says "'run.split' = \"pencils\": the grids of elliptic are cut along y alone; use \"grid\""

# ---- the disk fails under one of the ranks: one message, and with space it goes on
FAIL_KIND=write FAIL_FROM=part- FAIL_AT=9 LD_PRELOAD=$build/fail_nth.so "$sweep" run a.cfg -q -o full.h5 \
    --device cpu:0,1,2,3 -s 'run.split="pencils"' -s 'output.fields.times="linspace(0, end, 50)"' >out 2>err </dev/null
[ $? = 5 ] || fail 'a disk that fails under a rank'
once 'No space left on device'
expect 0 run a.cfg -q -o full.h5 --device cpu:0,1,2 -s 'output.fields.times="linspace(0, end, 50)"'

[ -n "$processes" ] || { end; exit; }

# ---- a rank is killed between its checkpoints: four others go on
killed='-s time.end=4.0  -s sweep.a=[0.3]'
timeout -k 5 $patience mpirun -n 6 --oversubscribe "$sweep" run a.cfg -o killed.h5 --device cpu \
    -s 'run.split="pencils"' $killed -s run.checkpoint=0.002 >out 2>err </dev/null &
for ((k = 0; k < 10 * patience; k++)); do
    [ "$(ls killed.h5.d 2>err2 | grep -c 'h5$')" -lt 12 ] || break
    sleep 0.1
done
pkill -KILL -n -f "$sweep run a.cfg -o killed.h5"
wait $! && fail 'a rank was killed, and the job returns 0'
ranks 0 4 "$sweep" run a.cfg -o killed.h5 --device cpu -s 'run.split="pencils"' $killed
once ' from step '
expect 0 run a.cfg -q -o unkilled.h5 --device cpu $killed
near unkilled.h5 killed.h5 1e-10
end
