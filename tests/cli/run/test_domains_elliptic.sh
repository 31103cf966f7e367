#!/bin/bash
# Elliptic problems whose grid is cut over ranks (run.split): devices of one process, and the processes of mpirun. They
# take the iterations of the undivided grid, and find its u.
build=$(dirname "${SWEEP:-build/sweep}")
cd "$(dirname "$0")/../../.." || exit 1
case $build in /*) ;; *) build=$PWD/$build ;; esac
. tests/helpers/helpers.sh || exit 1
. "$top/tests/helpers/domain_helpers.sh"

cat >shell.cfg <<'CFG'
problem  = "elliptic"; geometry = "shell"; stencil = "full";
sweep    = { courant = [2.0, 8.0]; };
grid     = { n = [16, 13, 8]; depth = 0.01; grading = "quadratic"; };
physics  = { courant = "courant"; lambda2 = 0.033; };
f        = "exp(-20*(x^2 + y^2))*z";
exact    = "1 + x*y";
boundary = { value = "x + y*z"; };
solver   = "cpu.interleaved";
tolerance = 1e-7;
output   = { file = "shell.h5"; history = true; fields = { precision = "double"; }; };
run      = { device = "cpu:0,1"; split = "grid"; };
CFG
cat >box.cfg <<'CFG'
problem  = "elliptic";
sweep    = { a = [1, 2]; };
grid     = { n = [12, 11, 5]; };
physics  = { omega2 = 0.1; delta = 0; };
boundary = { sides = "periodic"; };
gauge    = "zero_mean";
kx       = "1 + 0.3*sin(2*pi*y)"; ky = "1 + x*(1 - x) + 0.2*y"; kz = "2 - z";
f        = "a*sin(2*pi*x)*cos(2*pi*y) + z - 0.5 + exp(3*x) - (exp(3) - 1)/3";
solver   = "cpu.interleaved";
tolerance = 1e-7;
output   = { file = "box.h5"; fields = { precision = "double"; }; };
run      = { device = "cpu:0,1"; split = "grid"; };
CFG

# ---- the iterations are those of one device, and u differs by rounding: far less than the tolerance leaves of it
config=shell.cfg
cut 1e-10
processes=${processes%% *}
cut 1e-10 -s 'solver="cpu.pcg"' -s 'stencil="tpfa"' -s 'output.fields.precision="single"' -s run.batch=1
cut 1e-10 -s 'boundary={sides="neumann"; bottom="dirichlet"; value="x*y"}' -s 'grid.n=[5, 4, 3]'
cut 1e-10 -s 'grid.n=[7, 2, 3]'  # a row each
sed 's/ fields = .*; };$/ };/' shell.cfg >history.cfg
config=history.cfg
cut 1e-10  # one rank alone writes the histories
config=shell.cfg
cut 1e-10 -s 'geometry="box"' -s 'f="randn(courant)"' -s 'boundary={sides="periodic"}' -s 'grid.n=[9, 8, 4]'
cut 1e-10 -s 'geometry="box"' -s 'f="randn(courant)"' -s 'grid.n=[20, 31]' -s 'boundary.value="x"' -s 'exact="y"'
cut 1e-10 -s 'solver="cpu.modal"' -s 'stencil="tpfa"'
cut 1e-10 -s 'solver="cpu.modal"' -s 'grid.n=[20, 13, 1]'  # one mode: other ranks have none
cut 1e-10 -s 'solver="cpu.multigrid"' -s 'grid.n=[16, 29, 5]'
cut 1e-10 -s 'solver="cpu.multigrid"' -s 'stencil="tpfa"' -s 'grid.n=[37, 40, 5]'
config=box.cfg
cut 1e-10 -s 'solver="cpu.multigrid"' -s 'grid.n=[20, 31, 5]' -s 'boundary={sides="neumann"}' \
    -s 'f="a*cos(2*pi*x)*cos(2*pi*y)"'
cut 1e-10
cut 1e-10 -s 'grid.n=[6, 2, 5]'  # both neighbours are one rank

# ---- the same by processes that share the GPUs that there are
on_gpus() {  # on_gpus RELATIVE OPTION...
    names=$((names + 1))
    expect 0 run "$config" -q -o "w$names.h5" "${@:2}" --device cuda -s 'run.split="runs"'
    for n in $processes; do
        ranks 0 "$n" "$sweep" run "$config" -o "m$names-$n.h5" --device cuda "${@:2}" -s 'run.split="grid"'
        once "over $n devices: slabs of "
        near "w$names.h5" "m$names-$n.h5" "$1"
    done
}
config=shell.cfg
if "$sweep" run shell.cfg -q -o gpu.h5 --device cuda -s 'run.split="runs"' -s 'solver="cuda.pcg"' >out 2>err; then
    for row in cuda.pcg cuda.interleaved cuda.modal cuda.multigrid; do
        on_gpus 1e-10 -s "solver=\"$row\""
        on_gpus 1e-10 -s "solver=\"$row\"" -s 'stencil="tpfa"' -s 'grid.n=[36, 29, 13]' -s run.batch=2
    done
    on_gpus 1e-10 -s 'solver="cuda.modal"' -s 'grid.n=[20, 13, 1]'  # one mode: other ranks have none
    on_gpus 1e-10 -s 'solver="cuda.multigrid"' -s 'stencil="tpfa"' -s 'grid.n=[37, 601, 5]'  # several grids are cut
    on_gpus 1e-10 -s 'solver="cuda.multigrid"' -s 'geometry="box"' -s 'f="randn(courant)"' \
        -s 'boundary={sides="periodic"}' -s 'grid.n=[18, 24, 4]'
    config=box.cfg
    on_gpus 1e-10 -s 'solver="cuda.multigrid"' -s 'grid.n=[20, 31, 5]' -s 'boundary={sides="neumann"}' \
        -s 'f="a*cos(2*pi*x)*cos(2*pi*y)"'
else
    skip_gpu 'elliptic problems that are cut'
fi

# ---- a run that fails on one rank alone fails, with the message of the undivided one
config=box.cfg
code=1
cut 1e-10 -s 'f="1/(a - 2 + 1e-300*(y < 0.8) + (y < 0.75))"'
cut 1e-10 -s 'ky="1 - 2*a*(y > 0.9)"'
cut 1e-10 -s 'f="sin(2*pi*y) + a - 1"'  # the mean is not 0
config=shell.cfg
cut 1e-10 -s 'boundary.value="1/(courant - 2 + (y < 0.9))"'
cut 1e-10 -s iterations=3
code=0
cut 1e-10 -s 'f="1e200"' -s 'exact="1/(courant - 2)"' -s 'boundary.value="0"'

# ---- the disk fails of the ranks that compute the only run: all end, also those that wait for another run
for k in 1 2 3 4; do
    FAIL_KIND=fsync FAIL_FROM=part- FAIL_AT=1 LD_PRELOAD=$build/fail_nth.so \
        timeout -s KILL $patience "$sweep" run box.cfg \
        -o failed.h5 --device cpu:0,1,2,3 -s sweep.a=[1] -s run.ranks_per_run=2 >out 2>err </dev/null
    [ $? = 5 ] || fail 'a disk that fails'
    once 'Input/output error'
done

# ---- stopped between runs: what is stored is said, also where one rank alone has parts
slowly 0.02 "$sweep" run box.cfg -o stopped.h5 -s 'sweep.a="range(1,40)"' -s run.batch=1 -s 'output={file="x.h5";}' \
    --max-time 2 >out 2>err
[ $? = 75 ] || fail 'it does not stop'
says 'stopped; run the same command again to continue'
expect 0 run box.cfg -o stopped.h5 -s 'sweep.a="range(1,40)"' -s run.batch=1 -s 'output={file="x.h5";}'
says ' of 40 runs left'

# ---- refused
expect 3 run shell.cfg -s 'grid.n=[16, 1, 8]'; says 'run.split: 1 points along y cannot be cut over 2 devices; use 1'
expect 3 run box.cfg -s 'solver="cpu.multigrid"'
says 'it cuts grids with walls only; fit here: cpu.interleaved cpu.pcg'
expect 4 check shell.cfg -s 'grid.n=[2048, 2048, 2048]' -s 'run.split="runs"'
says '8.59e+09 cells on one device: less than 2^31; take more devices, and run.split = "grid"'
expect 4 check shell.cfg -s 'grid.n=[1000, 1600, 1300]' -s run.memory=1  # 2.08e9 cells: less than 2^31 for each
says 'for the slab of each of 2 devices'
expect 3 check shell.cfg -s 'grid.n=[65536, 2048, 2048]'; says '2.75e+11 cells: 2^36 at most'
expect 0 check shell.cfg; prints 'grid     cut along y over 2 devices: slabs of 16 × 7 × 8 points'
end
