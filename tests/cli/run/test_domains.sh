#!/bin/bash
# Runs whose grid is cut over ranks (run.split): devices of one process, and the processes of mpirun. Their results are
# those of the undivided grid, also when a rank is killed and another number of ranks goes on; what cannot be cut is
# refused.
build=$(dirname "${SWEEP:-build/sweep}")
cd "$(dirname "$0")/../../.." || exit 1
case $build in /*) ;; *) build=$PWD/$build ;; esac
. tests/helpers/helpers.sh || exit 1
. "$top/tests/helpers/domain_helpers.sh"

cat >c.cfg <<'CFG'
problem = "compact";
sweep   = { k = [1, 2, 3]; };
grid    = { n = [16, 17, 59]; length = "2*pi"; };
scheme  = "d1_c6";
axis    = "x";
field   = "exp(sin(k*x)*cos(y))*sin(z + x)";
output  = { file = "c.h5"; fields = { precision = "double"; }; };
run     = { device = "cpu:0,1"; split = "grid"; };
CFG

# ---- lines that are not cut have the same bits, others differ by rounding: of some 10 u |f|/h in a derivative (u =
# 1.1e-16, see docs/explanation/compact_distributed.md), which is some 6 times the largest
config=c.cfg
cut 0
cut 2e-14 -s 'axis="z"'
processes=${processes%% *}
cut 2e-14 -s 'axis="z"' -s 'boundary="3-4-6"' -s grid.length=2.0
cut 2e-14 -s 'operator="gradient"'
cut 2e-13 -s 'operator="laplacian"' -s 'scheme="d2_c6"'  # second derivatives: u |f|/h²
cut 2e-14 -s 'grid.n=[31, 101]' -s 'axis="y"' -s 'field="sin(k*y)*cos(x)"'
cut 2e-14 -s 'grid.n=[103]' -s 'field="exp(sin(k*x))"'
cut 0 -s 'output.fields.precision="single"' -s run.batch=1

# ---- a run that fails on one rank alone fails, with the message of the undivided one
code=1
cut 0 -s 'field="sin(x)/(k - 2 + 1e-300*(z < 6) + (z < 5.5))"'
code=0

accuracy='-s accuracy.runs=0'
# ---- steps: walls, filters, diffusion, noise in the initial value, series. Rounding grows with the steps: 1e-12 of u,
# some 20 steps of 4 stages of 50 u
config=$top/configs/tiny_advection.cfg
cut 1e-12 $accuracy -s 'output.scalars.define.top="max(u) - min(u)"' \
    -s 'output.scalars.define.all="integral(u^2*y) + mean(abs(u)) + crossings(u - 0.1)"'
cut 1e-12 $accuracy -s 'initial="sin(a*x)*cos(a*y) + 0.1*randn(a)"' -s run.precision='"double"' -s run.batch=2
config=$top/configs/burgers.cfg
of_lines='-s output.scalars.define.top="max(u)-min(u*x)" -s output.scalars.define.all="integral(u^2*x)+mean(abs(u))"'
cut 1e-11 $accuracy $of_lines -s 'output.scalars.define.zeros="crossings(u-0.3)"' -s 'stop.when="crossings(x-u)>1"' \
    -s stop.every=0.1
cat >waves.cfg <<'CFG'
problem = "advection"; sweep = { c = [1, 1.5]; }; grid = { n = 101; length = 1.0; }; velocity = { x = "c"; };
time = { cfl = 0.5; end = 0.5; }; initial = "sin(2*pi*x) + 0.8*cos(6*pi*x)"; accuracy = { runs = 0; };
stop = { when = "t > 0.1 && max(u*(x < 0.1)) > 1.4"; every = 0.01; };
output = { file = "waves.h5"; fields = { times = [0.0, 0.5]; precision = "double"; };
           scalars = { every = 0.01; define = { a = "crossings(u - 0.2)"; b = "crossings(u*x - 0.6)"; }; }; };
CFG
config=waves.cfg
cut 1e-12 $of_lines
config=$top/configs/tiny_advection.cfg code=1  # steps that are not stable: the runs diverge at the same steps
cut 1e-9 $accuracy -s time.dt=0.5 -s time.end=40.0 -s 'output.fields.times=[0.0]' -s 'output.scalars.every=20.0'
code=0

# ---- initial values in a file: each rank reads its slab; a number that is not finite fails the run, on whichever rank
expect 0 run "$config" -q -o from.h5 --device cpu $accuracy -s 'output.fields.precision="double"'
cut 1e-12 $accuracy -s 'initial={file="from.h5"; time=0.2; match="run";}'  # an axis is of words, which none compares
cat >line.cfg <<'CFG'
problem = "advection"; sweep = { c = [1, 1.5]; }; grid = { n = 101; length = 1.0; }; velocity = { x = "c"; };
time = { cfl = 0.5; end = 0.2; }; initial = "sin(2*pi*x) + 0.3*cos(6*pi*x)"; accuracy = { runs = 0; };
output = { file = "line.h5"; fields = { times = [0.0, 0.2]; precision = "double"; }; };
CFG
expect 0 run line.cfg -q --device cpu
config=line.cfg
cut 1e-12 -s 'initial={file="line.h5";}'
for n in 67 101 257; do  # the trial has the points of a slab
    expect 0 check line.cfg -o trial.h5 -s 'initial={file="line.h5";}' -s grid.n=$n -s 'run.split="grid"' \
        --device cpu:0,1,2
    prints 'grid     cut along x over 3 devices'
done
cut 1e-12 -s 'initial={file="line.h5";}' -s grid.n=67  # interpolated
if [ -n "$python" ]; then
    py - <<'PY' || fail 'a file with a number that is not finite'
import h5py, numpy as np
with h5py.File("bad.h5", "w") as f:
    f["u"] = np.where(np.arange(202).reshape(2, 101) == 190, np.inf, 0.5)
PY
    code=1
    cut 1e-12 -s 'initial={file="bad.h5";}'
    messages 'the initial value is inf at i = 89'
    code=0
fi
config=$top/configs/tiny_advection.cfg

# ---- runs that become steady end at the same looks, also where another number of ranks goes on between two
cat >steady.cfg <<'CFG'
problem = "advection"; sweep = { a = [0.02, 0.3, 0.5, 1.0]; }; grid = { n = [13, 23]; length = "2*pi"; };
velocity = { x = "a"; }; physics = { nu = "a"; }; boundary = { y = "3-4-6"; };
left = { y = "0.5"; }; right = { y = "0.5"; };
time = { dt = 0.01; end = 20.0; }; initial = "0.5 + sin(x)*sin(y/2)^2"; accuracy = { runs = 0; };
stop = { steady = 0.001; every = 1.0; };
output = { file = "steady.h5"; fields = { times = [0.0, 20.0]; precision = "double"; }; scalars = { every = 1.0; }; };
CFG
config=steady.cfg
cut 1e-11
expect 0 run steady.cfg -q --device cpu -s 'run.split="runs"'
[ -z "$python" ] || py - <<'PY' || fail 'not three of four runs become steady'
import h5py
assert len(set(h5py.File("steady.h5")["steps"][:])) == 4
PY
for then in cpu:0,1,2 cpu; do
    slowly 0.02 "$sweep" run steady.cfg -o "on-$then.h5" --device cpu:0,1 -s 'run.split="grid"' --max-time 3 \
        >out 2>err && fail 'it does not stop'
    expect 0 run steady.cfg -o "on-$then.h5" --device "$then" -s 'run.split="grid"'
    says 'from step '
    near steady.h5 "on-$then.h5" 1e-11
done
config=$top/configs/tiny_advection.cfg

# ---- states: each rank writes that of its slab, they are joined, and a longer sweep goes on from them, cut or not
config=steady.cfg
cut 1e-11 -s output.state=true -s sweep.a='[0.3, 1.0]'
config=$top/configs/tiny_advection.cfg
state="$accuracy -s output.state=true -s output.fields.precision=\"double\""
cut 1e-12 $state -s sweep.dim=[2]
expect 0 run "$config" -q -o long.h5 --device cpu -s 'run.split="runs"' $state -s time.end=0.8
longer() {  # longer DEVICES DEVICES: the first sweep on some, the longer one on others
    expect 0 run "$config" -q -o longer.h5 --device "$1" -s 'run.split="grid"' $state --force
    expect 0 run "$config" -o longer.h5 --device "$2" -s 'run.split="grid"' $state -s time.end=0.8
    says '12 runs of longer.h5 continue'
    cp longer.h5 "longer-$1-$2.h5"
    near long.h5 "longer-$1-$2.h5" 1e-11
}
longer cpu:0,1,2 cpu:0,1; longer cpu:0,1 cpu; longer cpu cpu:0,1,2
code=1
cut 1e-9 $state -s time.dt=0.5 -s time.end=40.0 -s 'output.fields.times=[0.0]' -s 'output.scalars.every=20.0'
code=0

# ---- a large state is lengthened in slabs, so that no process has all of it
cat >large.cfg <<'CFG'
problem = "advection"; sweep = { a = [1]; }; grid = { n = [2897, 2911]; length = "2*pi"; };
velocity = { y = "a"; }; time = { dt = 0.0002; end = 0.0004; }; initial = "sin(x)*cos(y)"; accuracy = { runs = 0; };
exact = "sin(x)*cos(y - a*t)"; output = { file = "large.h5"; state = true; scalars = { every = 0.0002; }; };
CFG
expect 0 run large.cfg -q --device cpu:0,1 -s 'run.split="grid"'
slowly 1 "$sweep" run large.cfg --device cpu:0,1,2 -s 'run.split="grid"' -s time.end=0.0008 --max-time 1 >out 2>err
[ "$(find .sweep-large.h5.longer.d -name 'part-*.h5' | wc -l)" = 5 ] || fail 'two parts of a state of 67 MB, then three'
expect 0 run large.cfg --device cpu:0,1,2 -s 'run.split="grid"' -s time.end=0.0008; says 'from step 3 of 4'
expect 0 run large.cfg -q -o long1.h5 --device cpu -s time.end=0.0008
near long1.h5 large.h5 1e-12

# ---- runs of a sample are computed again with half the step, and lines with twice the points
cut 1e-12 -s sweep.dim=[2]; messages 'half the step changes u by '
cut 1e-12 -s accuracy.runs=3
config=$top/configs/burgers.cfg
cut 1e-11 -s accuracy.runs=5 -s 'sweep.n=[65, 129]' -s time.end=0.1
cat >noise.cfg <<'CFG'
problem = "advection"; sweep = { c = [1, 1.5]; }; grid = { n = 101; length = 1.0; }; velocity = { x = "c"; };
time = { cfl = 0.5; end = 0.2; }; initial = "sin(2*pi*x) + 0.001*randn(1)"; accuracy = { runs = 2; };
output = { file = "noise.h5"; fields = { times = [0.0, 0.2]; precision = "double"; }; };
CFG
config=noise.cfg
cut 1e-12
[ -z "$python" ] || py - "w$names.h5" <<'PY' || fail 'runs that begin with noise have no estimates'
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1])
assert np.isfinite(f["error_space"][:]).all() and np.isfinite(f["error_time"][:]).all()
PY
config=$top/configs/tiny_advection.cfg
again='-s sweep.dim=[2] -s accuracy.runs=6 -s run.batch=2'
expect 0 run "$config" -q -o again.h5 --device cpu -s 'run.split="runs"' $again
ended=75
for ((k = 0; k < 60 && ended == 75; k++)); do  # also in steps that are taken again
    slowly 0.01 "$sweep" run "$config" -o on.h5 --device cpu:0,1 -s 'run.split="grid"' $again --max-time 1.5 >out 2>err
    ended=$?
done
[ $ended = 0 ] || fail "stopped again and again, it ends with $ended"
near again.h5 on.h5 1e-11

# ---- what is said of results: of fronts and layers, also between two slabs
cat >front.cfg <<'CFG'
problem = "advection"; sweep = { at = "linspace(0.42, 0.56, 15)"; }; grid = { n = 64; length = 1.0; };
velocity = { x = "u"; }; time = { dt = 0.002; end = 0.03; }; initial = "0.5 - 0.5*tanh((x - at)*60)";
accuracy = { runs = 0; }; boundary = { x = "3-4-6"; };
output = { file = "front.h5"; fields = { times = [0.0]; precision = "double"; }; };
CFG
config=front.cfg
cut 1e-9 -s 'left.x="1"'; messages 'u has its range within' 'velocity.x falls by .* at the end'
cut 1e-9 -s 'initial="0.6 - 0.2*x*at"' -s physics.nu=0.01; messages 'u comes in at the left wall of x at the end'
cut 1e-9 -s 'grid.n=[9, 64]' -s 'velocity={ y="u"; }' -s 'boundary={ y="3-4-6"; }' -s 'left.y="1"' \
    -s 'initial="0.5 - 0.5*tanh((y - at)*60)"'; messages 'velocity.y falls by .* at the end'
cut 1e-9 -s 'grid.n=[64, 9, 7]' -s 'left.x="1"'; messages 'u has its range within' 'velocity.x falls by .* at the end'
cut 1e-9 -s time.dt=0.03 -s time.end=0.3 -s 'velocity.x="1"' -s 'left.x="1"'; messages 'this is no solution'
config=$top/configs/tiny_advection.cfg

# ---- stopped half-way, before the last field or behind it, another number of ranks goes on
ends="-s time.end=4.0 -s stop.when=\"max(u)>1.3\" -s stop.every=0.5 $accuracy"  # some runs end before
expect 0 run "$config" -q -o ended.h5 --device cpu -s 'run.split="runs"' $ends
seconds=2
for then in cpu:0,1 cpu:0,1,2 cpu; do
    slowly 0.02 "$sweep" run "$config" -o "stopped-$then.h5" --device cpu:0,1 -s 'run.split="grid"' \
        $ends --max-time $seconds >out 2>err && fail 'it does not stop'
    seconds=6
    expect 0 status "stopped-$then.h5"; matches 'at step|step [0-9]+ of'
    expect 0 run "$config" -o "stopped-$then.h5" --device "$then" -s 'run.split="grid"' $ends
    says 'from step '
    near ended.h5 "stopped-$then.h5" 1e-11
done

# ---- groups of devices stop together, each with its checkpoint, and go on
small="-s time.end=4.0 -s sweep.dim=[2] -s run.ranks_per_run=2 $accuracy"
expect 0 run "$config" -q -o whole2.h5 --device cpu -s 'run.split="runs"' -s time.end=4.0 -s sweep.dim=[2] $accuracy
slowly 0.02 "$sweep" run "$config" -o stopped2.h5 --device cpu:0,1,2,3 $small --max-time 3 >out 2>err
[ $? = 75 ] || fail 'groups do not stop'
expect 0 status stopped2.h5; matches 'at step|step [0-9]+ of'
expect 0 run "$config" -o stopped2.h5 --device cpu:0,1 $small; says 'from step '
near whole2.h5 stopped2.h5 1e-11

# ---- the disk fails under one of two groups: the other one leaves its checkpoint
FAIL_KIND=write FAIL_FROM=part- FAIL_AT=5 LD_PRELOAD=$build/fail_nth.so "$sweep" run "$config" -q -o full2.h5 \
    --device cpu:0,1,2,3 $small -s run.checkpoint=0 >out 2>err </dev/null
[ $? = 5 ] || fail 'a disk that fails under a group'
once 'No space left on device'
expect 0 status full2.h5; matches 'at step|step [0-9]+ of'

# ---- refused
expect 3 run c.cfg -s 'grid.n=[16, 17, 7]' -s 'axis="z"' -s 'boundary="3-4-6"'
says 'run.split: rank 0 of 2 has 3 points of the line'; says 'at least 4 on every rank; use fewer devices'
expect 3 run c.cfg --device cpu:0,1,2 -s 'grid.n=[16, 17, 7]' -s 'axis="z"' -s 'boundary="3-4-6"'
says 'run.split: rank 0 of 3 has 2 points of the line'
expect 3 run c.cfg -s grid.dim=1 -s 'grid.n=1' -s 'field="k+0*x"'; says "error: 'grid.n' = 1"
cat >heat.cfg <<'CFG'
problem = "heat"; sweep = { a = [1, 2]; }; grid = { n = 16; length = 1.0; }; physics = { kappa = 1.0; };
time = { dt = 0.001; end = 0.01; }; initial = "a*sin(2*pi*x)"; run = { device = "cpu:0,1"; split = "grid"; };
CFG
expect 3 run heat.cfg
says "heat.cfg:2: error: 'run.split' = \"grid\": the grids of heat are not cut over devices; leave it out"
expect 0 check c.cfg --device cpu; prints 'grid     whole: run.split cuts it over several devices, and there is one'
expect 0 check c.cfg; prints 'grid     cut along z over 2 devices: slabs of 16 × 17 × 30 points'
prints 'exchange nothing'; matches '^memory   [0-9]+ KiB a batch on each device, of '
expect 0 check c.cfg -s 'axis="z"' -s sweep.k=[1]  # two planes of 16 × 17 points for d1_c6, and the ends of all lines
matches '^exchange 4.2 KiB in 1 message to the next device on each side, 4.[3-9] KiB in [0-9]+ to all, a step'
expect 0 check c.cfg -s 'axis="z"' -s sweep.k=[1] -s 'grid.n=[96, 97, 59]'  # counted on fewer points beside the cut
matches '^exchange 146 KiB in 1 message to the next device'
expect 0 check c.cfg -s 'axis="z"' -s 'grid.n=[16, 17, 5]'; prints 'slabs of 16 × 17 × 3 points'  # the least points
expect 0 check "$top/configs/tiny_advection.cfg" -s 'run.split="grid"' --device cpu:0,1,2; matches '^exchange [0-9]'
expect 0 check c.cfg -s 'sweep={axis=["x", "z"];}' -s 'axis="$axis"' -s 'field="sin(z+x)"'; matches '^exchange 4.2 KiB'
prints 'slabs of 16 × 17 × 30 points'; grep -q 'smaller ones' out && fail 'slabs of one size are of several'
# large runs, fewer than devices, are cut by themselves, but not into slabs of few planes
auto='-s sweep.k=[1] -s run.split="auto"'
expect 0 check c.cfg $auto -s 'grid.n=[512, 512, 160]'; matches '^grid     cut along z over 2 devices'
expect 0 check c.cfg $auto -s 'grid.n=[2048, 512, 64]'; grep -q '^grid ' out && fail 'thin slabs are cut by themselves'

# ---- auto cuts a run that does not fit one device
expect 4 run c.cfg -s 'run.split="runs"' -s run.memory=0.0003; says 'one run needs '
expect 0 run c.cfg -o auto.h5 -s 'run.split="auto"' -s run.memory=0.0003; says 'cut along z over 2 devices'
near w1.h5 auto.h5 0
expect 0 run c.cfg -o w0.h5 -s 'run.split="auto"'; grep -q 'cut along' err && fail 'small runs are cut'
expect 4 run c.cfg -s run.memory=0.0001; says 'for the slab of each of 2 devices'

# ---- groups of devices, each of which cuts runs of its own: the bits of one group
groups='-s axis="z" -s sweep.k="range(1,7)" -s run.batch=1'
expect 0 run c.cfg -q -o g1.h5 --device cpu:0,1 $groups -s run.ranks_per_run=2
expect 0 run c.cfg -o g2.h5 --device cpu:0,1,2,3 $groups -s run.ranks_per_run=2
says 'grid     cut along z over 2 devices: slabs of 16 × 17 × 30 points · 2 groups of devices'; says 'done     7 ok'
near g1.h5 g2.h5 0
expect 0 run c.cfg -q -o g4.h5 --device cpu:0,1,2,3 $groups; near g1.h5 g4.h5 2e-14
expect 3 run c.cfg -o none.h5 --device cpu:0,1,2,3 -s run.ranks_per_run=3
says 'run.ranks_per_run: 4 devices do not form groups of 3; 2 or 4 would do'
expect 3 run c.cfg -o none.h5 --device cpu:0,1,2 -s run.ranks_per_run=2
says 'run.ranks_per_run: 3 devices do not form groups of 2; 3 would do'
expect 3 run c.cfg -o none.h5 -s run.ranks_per_run=3
says 'run.ranks_per_run = 3, and there are 2 devices: start as many, or lower it to 2'
expect 3 run c.cfg -o none.h5 -s 'run.split="runs"' -s run.ranks_per_run=2
says "'run.ranks_per_run' = 2, but 'run.split' = \"runs\" cuts no grid; leave one of them out"
expect 3 run c.cfg -o none.h5 -s run.ranks_per_run=1; says "'run.ranks_per_run' = 1, but 'run.split' = \"grid\" cuts"
expect 3 run heat.cfg -o none.h5 -s 'run.split="auto"' -s run.ranks_per_run=2
says "'run.ranks_per_run' = 2: the grids of heat are not cut over devices"
expect 0 check c.cfg --device cpu -s run.ranks_per_run=2; prints 'grid     whole: '

# ---- auto forms the groups that end soonest, of slabs of 2^24 points and more; whole runs where these end as soon
form() {  # form RUNS DEVICES LINE
    expect 0 check c.cfg --device "$2" -s "sweep.k=$1" -s 'grid.n=[256, 256, 512]' -s 'run.split="auto"'
    if [ "$3" ]; then prints "grid     cut along z over $3"
    else grep -q '^grid' out && fail "runs $1 on $2 are cut"; fi
}
form '[1]' cpu:0,1,2,3 '2 devices: slabs of 256 × 256 × 256 points'
form '[1,2]' cpu:0,1,2,3 '2 devices: slabs of 256 × 256 × 256 points · 2 groups of devices'
form '[1,2]' cpu:0,1 ''
form '[1,2,3]' cpu:0,1,2,3 ''

# ---- a slab of the last checkpoint is damaged, or gone: the runs begin again
for how in damaged gone; do
    slowly 0.02 "$sweep" run "$config" -o "$how.h5" --device cpu:0,1 -s 'run.split="grid"' \
        -s time.end=4.0 -s sweep.dim=[2] $accuracy --max-time 2 >out 2>err && fail 'it does not stop'
    last=$(ls "$how.h5.d"/part-*.h5 | tail -n 1)
    if [ $how = gone ]; then rm "$last"
    else printf 'XXXX' | dd of="$last" bs=1 seek=3000 conv=notrunc 2>/dev/null; fi
    expect 0 run "$config" -o "$how.h5" --device cpu:0,1 -s 'run.split="grid"' -s time.end=4.0 -s sweep.dim=[2] \
        $accuracy
    grep -q 'from step' err && fail "$how: it goes on from half a checkpoint"
    near whole2.h5 "$how.h5" 1e-11
done

# ---- those of the checkpoint before it are all there: it counts
stop_at() {  # stop_at SECONDS
    slowly 0.02 "$sweep" run "$config" -o older.h5 --device cpu:0,1 -s 'run.split="grid"' -s time.end=4.0 \
        -s sweep.dim=[3] $accuracy --max-time "$1" >out 2>err && fail 'it does not stop'
}
stop_at 2
expect 0 status older.h5; step=$(grep -oE 'at step [0-9]+|step [0-9]+ of' out | grep -oE '[0-9]+' | head -n 1)
stop_at 4; says "from step $step of"
rm "$(ls older.h5.d/part-*.h5 | tail -n 1)"
for then in cpu:0,1,2 cpu; do
    cp -r older.h5.d "older-$then.h5.d"
    expect 0 run "$config" -o "older-$then.h5" --device "$then" -s 'run.split="grid"' -s time.end=4.0 -s sweep.dim=[3] \
        $accuracy
    says "from step $step of"
done
expect 0 run "$config" -q -o whole3.h5 --device cpu -s 'run.split="runs"' -s time.end=4.0 -s sweep.dim=[3] $accuracy
near whole3.h5 older-cpu:0,1,2.h5 1e-11; near whole3.h5 older-cpu.h5 1e-11

# ---- nor from slabs of two calls, which were killed after other steps
for k in 1 3; do
    slowly 0.02 "$sweep" run "$config" -o "call$k.h5" --device cpu:0,1 -s 'run.split="grid"' -s time.end=4.0 $accuracy \
        -s 'output.fields.times=[0.0]' -s output.scalars.every=4.0 -s sweep.dim=[3] --max-time $((k + 1)) >out 2>err &&
        fail 'it does not stop'
done
first=$(ls call1.h5.d/part-*.h5 | head -n 1)
cp "$first" "call3.h5.d/$(basename "$first")"
expect 0 run "$config" -o call3.h5 --device cpu:0,1 -s 'run.split="grid"' -s time.end=4.0 $accuracy \
    -s 'output.fields.times=[0.0]' -s output.scalars.every=4.0 -s sweep.dim=[3]
grep -q 'from step' err && fail 'it goes on from slabs of two calls'

[ -n "$processes" ] || { end; exit; }

# ---- more processes than points; several devices in each
ranks 3 3 "$sweep" run c.cfg -o none.h5 -s 'grid.n=[16, 17, 2]' --device cpu
once 'run.split: 2 points along z cannot be cut over 3 devices; use 2 of them'
ranks 3 2 "$sweep" run c.cfg -o none.h5; once 'start one process for each device'
timeout -k 5 $patience mpirun -n 3 "$sweep" check c.cfg --device cpu >out 2>err </dev/null || fail 'check under mpirun'
prints 'grid     cut along z over 3 devices: slabs of 16 × 17 × 20 points'

# ---- groups of processes; stopped, groups of another size go on
ranks 0 4 "$sweep" run c.cfg -o m4.h5 --device cpu $groups -s run.ranks_per_run=2
once 'over 2 devices: slabs of 16 × 17 × 30 points · 2 groups of devices'; once 'done     7 ok'
near g1.h5 m4.h5 0
ranks 3 3 "$sweep" run c.cfg -o none.h5 --device cpu -s run.ranks_per_run=2
once 'run.ranks_per_run: 3 processes do not form groups of 2; 3 would do'
many='-s time.end=4.0 -s run.batch=1 -s sweep.dim=[3]'
expect 0 run "$config" -q -o whole3.h5 --device cpu -s 'run.split="runs"' $many $accuracy
for then in 4:2 3:3 1:0; do
    ranks 75 4 "$sweep" run "$config" -o "groups-$then.h5" --device cpu -s run.ranks_per_run=2 $many $accuracy \
        --max-time 0.1
    expect 0 status "groups-$then.h5"
    begun=$(grep -cE 'at step|step [0-9]+ of' out)  # none where a fast machine stops between two runs
    ranks 0 "${then%:*}" "$sweep" run "$config" -o "groups-$then.h5" --device cpu $many $accuracy \
        -s run.ranks_per_run="${then#*:}"
    [ "$begun" = 0 ] || once 'from step '
    near whole3.h5 "groups-$then.h5" 1e-11
done

# ---- a signal that comes while MPI begins (it loads its plugins then) stops the job as a later one does
ranks 75 2 sh -c "(until grep -q mca_ /proc/\$\$/maps; do :; done; kill -USR1 \$\$) & \
    exec '$sweep' run '$config' -o early.h5 --device cpu -s 'run.split=\"grid\"' -s time.end=40.0 $accuracy"
once 'the same command'

# ---- a rank is killed: the job ends, and another number of ranks computes what is missing
cat >many.cfg <<'CFG'
problem = "compact"; sweep = { k = "range(1, 24)"; }; grid = { n = [32, 32, 31]; length = "2*pi"; };
scheme = "d1_c6"; axis = "y"; field = "exp(sin(k*x)*cos(y))*sin(z + x)";
output = { file = "many.h5"; fields = { precision = "double"; }; };
run = { device = "cpu"; split = "grid"; batch = 1; };
CFG
expect 0 run many.cfg -q -o all.h5 -s 'run.split="runs"'
timeout -k 5 $patience mpirun -n 2 sh -c "[ \$OMPI_COMM_WORLD_RANK != 1 ] || export FAIL_KIND=rename FAIL_FROM=part- \
    FAIL_AT=5 FAIL_MARK=$tmp/there FAIL_SLEEP=300 LD_PRELOAD=$build/fail_nth.so; exec '$sweep' run many.cfg" \
    >out 2>err </dev/null &
for ((k = 0; k < 10 * patience; k++)); do [ ! -e there ] || break; sleep 0.1; done
pkill -KILL -n -f "$sweep run many.cfg"
wait $! && fail 'a rank was killed, and the job returns 0'
expect 0 status many.h5; matches 'runs +24: [34] done'
ranks 0 3 "$sweep" run many.cfg; once 'of 24 runs left'
near all.h5 many.h5 0

# ---- ranks that are to cut in other ways are refused, before one waits for another
ranks 5 2 sh -c "exec '$sweep' run many.cfg -o none.h5 -s 'run.split=\"auto\"' \
    -s run.ranks_per_run=\$((2 - OMPI_COMM_WORLD_RANK))"
once 'has another config or other options than rank 0'
[ ! -e none.h5.d ] || fail 'a refused job leaves a folder'

# ---- one of three ranks is killed between its checkpoints: the job ends soon, and two go on from the last one
config=$top/configs/tiny_advection.cfg killed="$accuracy -s time.end=6.0 -s sweep.dim=[3]"
timeout -k 5 $patience mpirun -n 3 "$sweep" run "$config" -o killed.h5 --device cpu -s 'run.split="grid"' $killed \
    -s run.checkpoint=0.002 >out 2>err </dev/null &
for ((k = 0; k < 10 * patience; k++)); do [ "$(ls killed.h5.d 2>err2 | grep -c 'h5$')" -lt 6 ] || break; sleep 0.1; done
SECONDS=0
pkill -KILL -n -f "$sweep run $config -o killed.h5"
wait $! && fail 'a rank was killed, and the job returns 0'
((SECONDS < 60)) || fail "the job ends after $SECONDS s"
ranks 0 2 "$sweep" run "$config" -o killed.h5 --device cpu -s 'run.split="grid"' $killed
once ' from step '
expect 0 run "$config" -q -o unkilled.h5 --device cpu -s 'run.split="runs"' $killed
near unkilled.h5 killed.h5 1e-10

# ---- a disk is full on one rank: one message, and the job ends; with space it goes on
timeout -k 5 $patience mpirun -n 2 sh -c "[ \$OMPI_COMM_WORLD_RANK != 1 ] || export FAIL_KIND=write FAIL_FROM=part- \
    FAIL_AT=60 LD_PRELOAD=$build/fail_nth.so; exec '$sweep' run many.cfg -o full.h5" >out 2>err </dev/null
[ $? = 5 ] || fail 'a full disk on a rank'
once 'No space left on device'; once 'rank 1 of 2'
expect 0 run many.cfg -o full.h5; near all.h5 full.h5 0

# ---- the same on a rank of the second group: the first one leaves what it has
SECONDS=0
timeout -k 5 $patience mpirun -n 4 sh -c "[ \$OMPI_COMM_WORLD_RANK != 3 ] || export FAIL_KIND=write FAIL_FROM=part- \
    FAIL_AT=60 LD_PRELOAD=$build/fail_nth.so; exec '$sweep' run many.cfg -o full.h5 -s run.ranks_per_run=2 --force" \
    >out 2>err </dev/null
[ $? = 5 ] || fail 'a full disk on a rank of a group'
once 'No space left on device'; once 'rank 3 of 4'
((SECONDS < 60)) || fail "the job ends after $SECONDS s"
expect 0 run many.cfg -o full.h5; near all.h5 full.h5 0
end
