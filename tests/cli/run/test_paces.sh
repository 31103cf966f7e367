#!/bin/bash
# Runs of one batch that take other numbers of steps than each other (time.dt, time.end): the numbers that each has in a
# batch of its own, wherever the batch is cut, stopped, or fails; and what stays in batches of its own.
. tests/helpers/helpers.sh || exit 1

cat >paces.cfg <<'END'
problem = "cahn_hilliard";
grid    = { n = 40; length = "2*pi*2"; };
physics = { D = 1.0; gamma = "0.5 + g"; };
sweep   = { g = [0.0, 0.5, 1.0]; last = [2.0, 3.0]; k = [1, 2, 4, 7, 11]; };
time    = { dt = "last/(20 + 17*k)"; end = "last"; };
initial = "0.2*cos(x) + 0.1*g*sin(2*x)";
forcing = "0.1*cos(x - t)";
output  = { file = "paces.h5"; fields = { times = "linspace(0, end, 5)"; };
            scalars = { times = "linspace(0, end, 9)"; define = { m = "max(u)*t"; }; }; };
accuracy = { runs = 3; };
END

# alone CONFIG FILE ARGUMENT...: each number of steps by a call of its own, joined; on $on
on=cpu
alone() {
    local config=$1 file=$2 k
    shift 2
    local values='1 2 4 7 11'
    [[ $* == *'sweep.k=[4, 11]'* ]] && values='4 11'
    for k in $values; do expect 0 run "$config" --device $on --only "k == $k" "$@" -o "$file"; done
}

# ---- one batch, and what it says
expect 0 check paces.cfg --device cpu
prints 'batches  1 · 37 to 207 steps a run'
expect 0 run paces.cfg --device cpu
says 'plan     1 batch'; says 'done     30 ok'
holds paces.h5 paces.h5 "(a['steps'][()] == 20 + 17*a['k'][()]).all() and np.isfinite(a['m'][()]).all()"
holds paces.h5 paces.h5 "np.allclose(a['t_reached'][()], a['last'][()], rtol=1e-15, atol=0)"

# what computes for long stays in batches of its own: stops and checkpoints are then those of steps
expect 0 check paces.cfg --device cpu -s grid.n=8192 -s 'time.dt=last/(20000 + 17000*k)'
grep -q '^batches  1 ' out && fail 'long runs of other dt are in one batch'

# ---- the numbers of batches of their own: with all rows, methods, and however batches are cut
alone paces.cfg alone.h5; same paces.h5 alone.h5
expect 0 run paces.cfg --device cpu -s run.batch=7 -o cut.h5; same paces.h5 cut.h5
expect 0 run paces.cfg --device cpu:0 -o thread.h5; same paces.h5 thread.h5
for i in 1 2 3; do expect 0 run paces.cfg --device cpu --shard $i/3; done
expect 0 merge paces.shard-*-of-3.h5 -o shards.h5; same paces.h5 shards.h5
cat >free.cfg <<'END'
problem = "hyperdiffusion";
grid    = { n = 40; length = "2*pi"; };
physics = { D = 1.0; gamma = "0.5 + g"; };
sweep   = { g = [0.0, 0.5, 1.0]; k = [1, 2, 4, 7, 11]; };
time    = { dt = "0.2/(20 + 17*k)"; end = 0.2; };
initial = "(1 + g)*cos(x)";
exact   = "(1 + g)*cos(x)*exp(-gamma*t)";
output  = { fields = { times = "linspace(0, end, 5)"; }; };
END
cat >plane.cfg <<'END'
problem = "cahn_hilliard";
grid    = { n = [24, 17]; length = [12.0, 9.0]; };
physics = { D = 1.0; gamma = "0.5 + g"; };
sweep   = { g = [0.0, 1.0]; last = [2.0, 3.0]; k = [1, 2, 4, 7, 11]; };
time    = { dt = "last/(20 + 17*k)"; end = "last"; };
initial = "0.2*cos(pi*x/6) + 0.1*g*cos(pi*y/9)";
forcing = "0.1*cos(pi*x/6 - t)";
output  = { file = "plane.h5"; fields = { times = "linspace(0, end, 5)"; };
            scalars = { times = "linspace(0, end, 9)"; define = { m = "max(u)*t"; }; }; };
accuracy = { runs = 5; };
END
sed -e 's/"cahn_hilliard"/"equation"/' -e 's/^physics.*/rhs = "(0.3 + g)*lap(u) + u - u^3 + 0.1*cos(x - t)";/' \
    -e 's/^forcing.*/left = { x = { dirichlet = "0.2*cos(t)"; }; }; right = { x = { neumann = 0.0; }; };/' \
    plane.cfg >walls.cfg
while read -r name config settings; do
    eval "options=($settings)"
    expect 0 run "$config.cfg" --device cpu "${options[@]}" -o "$name.h5"
    says 'plan     1 batch'
    alone "$config.cfg" "${name}_alone.h5" "${options[@]}"
    same "$name.h5" "${name}_alone.h5"
done <<'END'
plain  paces -s 'stepper="cpu.plain"'
single paces -s 'run.precision="single"'
imex3  paces -s 'method="imex3"'
order4 paces -s order=4
long   paces -s grid.n=260 -s 'method="imex2"' -s 'sweep.last=[2.0]'
passes free
pair   free  -s 'sweep.g=[0.0]' -s 'sweep.k=[4, 11]'
linear free  -s 'stepper="cpu.plain"'
plane1 plane -s 'method="imex1"'
plane2 plane
plane3 plane -s 'method="imex3"' -s 'stepper="cpu.plain"'
exact  plane -s 'stepper="cpu.fourier"' -s 'sweep.last=[2.0]'
space  plane -s 'grid.n=[10,8,6]' -s 'grid.length=[12.0,9.0,8.0]' -s 'sweep.last=[2.0]'
walls  walls
END

# a run whose matrix no other has is the first of its group to be placed, in any lane
{ echo gamma; echo 1.0; echo 0.5; for ((k = 0; k < 21; k++)); do echo 1.0; done; } | awk 'NR > 1 { $0 = $0 "," NR } 1' |
    sed '1s/$/,a/' >odd.csv
sed -e 's/^sweep .*/sweep = { mode = "table"; file = "odd.csv"; };/' -e 's/"0.5 + g"/"gamma"/' \
    -e 's,"0.2/.*,0.01; end = 0.2; };,' -e 's/(1 + g)/a/g' free.cfg >odd.cfg
expect 0 run odd.cfg --device cpu -o odd.h5; says 'plan     1 batch'
expect 0 run odd.cfg --device cpu -s run.batch=1 -o odd_alone.h5; same odd.h5 odd_alone.h5

# as is one of two alone, sorted by their matrices
expect 0 run free.cfg --device cpu -s 'sweep.g=[1.5, 0.5]' -s 'sweep.k=[4]' -o two.h5
expect 0 run free.cfg --device cpu -s 'sweep.g=[1.5, 0.5]' -s 'sweep.k=[4]' -s run.batch=1 -o two_alone.h5
same two.h5 two_alone.h5

# with ends, and outputs that longer steps bring together
cat >ends.cfg <<'END'
problem = "equation";
grid    = { n = 33; length = 6.0; };
sweep   = { g = [0.0, 0.5, 1.0]; k = [1, 2, 4, 7, 11]; };
time    = { dt = "2.0/(20 + 17*k)"; end = 2.0; };
rhs     = "(0.3 + g)*dxx(u) + u - u^3 + 0.1*cos(x - t)";
left    = { dirichlet = "0.2*cos(t)"; };
right   = { neumann = 0.0; };
initial = "0.2";
output  = { fields = { times = "linspace(0, end, 8)"; }; scalars = { times = "linspace(0, end, 30)"; }; };
END
expect 0 run ends.cfg --device cpu -o ends.h5
says 'plan     1 batch'
alone ends.cfg ends_alone.h5; same ends.h5 ends_alone.h5

# all runs again with half the step, and on a finer grid
expect 0 run paces.cfg --device cpu -s accuracy.runs=30 -o halves.h5
alone paces.cfg halves_alone.h5 -s accuracy.runs=30
for name in error_time error_space; do
    holds halves.h5 halves_alone.h5 "np.isfinite(a['$name'][()]).all() and (a['$name'][()] == b['$name'][()]).all()"
done
# of a sweep that is too long for that half steps of each run end where they would in a batch of its own
sed "s/^accuracy.*//; s/1, 2, 4, 7, 11/5000, 5001, 5005, 5010, 5013/" paces.cfg |
    sed "s/g = .0.0, 0.5, 1.0./g = [0.0]/" >early.cfg
expect 0 run early.cfg --device cpu -o early.h5
says 'at an earlier time than the end'
for k in 5000 5001 5005 5010 5013; do expect 0 run early.cfg --device cpu --only "k == $k" -o early_alone.h5; done
same early.h5 early_alone.h5

# ---- stopped anywhere, a batch goes on from where each of its runs was
long=(-s 'sweep.g=[0.0]' -s 'sweep.last=[20.0]' -s 'time.dt="last/(20000 + 1700*k)"' -s run.checkpoint=0
      -s accuracy.runs=0)
expect 0 run paces.cfg --device cpu "${long[@]}" -o whole.h5
stopped=0
for look in 0.02 0.01 0.006 0.003; do
    slowly $look "$sweep" run paces.cfg --device cpu "${long[@]}" -o parts.h5 --max-time 0.15 >out 2>err
    case $? in
    75) stopped=$((stopped + 1)) ;;
    0) ;;
    *) fail 'a call with --max-time' ;;
    esac
done
[ $stopped -gt 0 ] || fail 'the batch was never interrupted'
expect 0 run paces.cfg --device cpu "${long[@]}" -o parts.h5
same whole.h5 parts.h5
# with other runs beside them, or other outputs, the stored tick would be another step: they begin again
slowly 0.02 "$sweep" run paces.cfg --device cpu "${long[@]}" -o other.h5 --max-time 0.15 >out 2>err
[ $? = 75 ] || fail 'the batch was not interrupted'
expect 0 status other.h5
matches '^begun    5 runs wait at a checkpoint$'
expect 0 run paces.cfg --device cpu "${long[@]}" --only 'k < 4' -o other.h5
expect 0 run paces.cfg --device cpu "${long[@]}" -o other.h5
same whole.h5 other.h5

# ---- a run that diverges says when, and its neighbours go on
cat >blow.cfg <<'END'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = 1.0; };
sweep   = { b = [0.1, 40.0]; k = [1, 2, 3]; };
time    = { dt = "1.0/(50*k)"; end = 1.0; };
initial = "1";
forcing = "b*u^2";
output  = { file = "blow.h5"; scalars = { every = 0.25; }; };
END
expect 1 run blow.cfg --device cpu
says 'plan     1 batch'
for k in 1 2 3; do expect 1 run blow.cfg --device cpu --only "k == $k" -o blow_alone.h5; done
same blow.h5 blow_alone.h5
expect 0 show blow.h5 --run 5
prints ' of 150)'
plane=(-s 'grid.n=[16,9]' -s 'grid.length=[1.0,1.0]')
expect 1 run blow.cfg --device cpu "${plane[@]}" -o blow2.h5
says 'plan     1 batch'
for k in 1 2 3; do expect 1 run blow.cfg --device cpu "${plane[@]}" --only "k == $k" -o blow2_alone.h5; done
same blow2.h5 blow2_alone.h5

# ---- an output before the first step of the longer ones: walls have not been imposed there
cat >early.cfg <<'CFG'
problem = "equation"; rhs = "0.3*lap(u) - u"; initial = "0.2"; accuracy = { runs = 0; };
left = { x = { dirichlet = "1 + t"; }; }; right = { x = { neumann = 0.0; }; };
grid = { n = [9, 8]; length = [7.0, 9.0]; }; sweep = { k = [1, 10]; }; time = { dt = "0.1/k"; end = 1.0; };
output = { fields = { times = [0.04, 1.0]; }; scalars = { times = [0.04, 1.0]; define = { m = "max(u)"; }; }; };
CFG
sed 's/lap(u)/dxx(u)/; s/[[]9, 8[]]/9/; s/[[]7.0, 9.0[]]/7.0/
    s/^left.*/left = { dirichlet = "1 + t"; }; right = { neumann = 0.0; };/' early.cfg >early_line.cfg
# early CONFIG ROW SETTING..: as each run alone
early() {
    local on=${2%%.*} k more=("${@:3}")
    expect 0 run $1.cfg --device "$on" -s "stepper=\"$2\"" "${more[@]}" -o $1.h5 --force; says 'plan     1 batch'
    for k in 1 10; do
        expect 0 run $1.cfg --device "$on" -s "stepper=\"$2\"" "${more[@]}" --only "k == $k" -o walls_alone0.h5
    done
    same $1.h5 walls_alone0.h5
    holds $1.h5 $1.h5 'b["m"][0, 0] == 0.2'
    rm walls_alone0.h5
}
for name in early early_line; do
    for row in cpu.simd cpu.plain; do early $name $row; done
done

# ---- on a GPU: the bits that each run has there alone, and the numbers of a CPU but for rounding
if "$sweep" run paces.cfg --device cuda -o gpu.h5 >out 2>err; then
    on=cuda
    says 'plan     1 batch'; says 'done     30 ok'
    expect 0 run paces.cfg --device cuda -s run.batch=7 -o gpu_cut.h5; same gpu.h5 gpu_cut.h5
    for name in u m mass energy steps; do
        holds gpu.h5 paces.h5 "np.allclose(a['$name'][()], b['$name'][()], rtol=1e-9, atol=1e-11)"
    done
    while read -r name config settings; do
        eval "options=($settings)"
        expect 0 run "$config.cfg" --device cuda "${options[@]}" -o "gpu_$name.h5"
        says 'plan     1 batch'
        alone "$config.cfg" "gpu_${name}_alone.h5" "${options[@]}"
        same "gpu_$name.h5" "gpu_${name}_alone.h5"
    done <<'END'
whole   paces
single  paces -s 'run.precision="single"'
imex3   paces -s 'method="imex3"'
order4  paces -s order=4
halves  paces -s accuracy.runs=30
warps   paces -s grid.n=3000 -s 'sweep.last=[2.0]' -s accuracy.runs=0
cluster paces -s grid.n=30000 -s 'sweep.last=[2.0]' -s accuracy.runs=0
ends    ends
passes  free
pair    free  -s 'sweep.g=[0.0]' -s 'sweep.k=[4, 11]'
plane1  plane -s 'method="imex1"'
plane2  plane
plane3  plane -s 'method="imex3"' -s 'stepper="cuda.stream"'
exact   plane -s 'stepper="cuda.cufft"' -s 'sweep.last=[2.0]'
space   plane -s 'grid.n=[10,8,6]' -s 'grid.length=[12.0,9.0,8.0]' -s 'sweep.last=[2.0]'
walls   walls
through walls -s 'stepper="cuda.stream"'
END
    for row in cuda.fused cuda.stream; do early early "$row"; done
    early early_line cuda.fused -s grid.n=33
    expect 1 run blow.cfg --device cuda -o gpu_blow.h5
    says 'plan     1 batch'
    for k in 1 2 3; do expect 1 run blow.cfg --device cuda --only "k == $k" -o gpu_blow_alone.h5; done
    same gpu_blow.h5 gpu_blow_alone.h5
    expect 0 check paces.cfg --device cuda -s 'stepper="cuda.split"' -o own.h5; prints 'batches  5 '
else
    skip_gpu 'runs of other numbers of steps'
fi

# ---- in batches of their own: runs whose outputs have no step of their own, that draw noise in their steps, or
# that may end early
expect 0 check paces.cfg --device cpu -s 'output.scalars.times="linspace(0, end, 60)"' -o own.h5
prints 'batches  3 '
expect 0 check paces.cfg --device cpu -s 'noise={ conserved=0.1; }' -o own.h5; prints 'batches  5 '
expect 0 check plane.cfg --device cpu -s 'noise={ conserved=0.1; }' -o own.h5; prints 'batches  5 '
expect 0 check paces.cfg --device cpu -s 'stop={ steady=0.01; every=0.5; }' -o own.h5
prints 'batches  10 '
summary
