#!/bin/bash
# bench_fields.sh [OPTION...] BUILD [FOLDER]: time the rows that step fields in two and three dimensions, verified, and
# a benchmark of phase-field programs from beginning to end.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           where fields_PART.csv go (default: results/bench)
#   --part PART      rows      built-in Cahn-Hilliard, imex1, each run its own gamma: 64 runs of 128 x 128, one of 512 x
#                              512, 4 of 64 x 64 x 64; the same equation as a text; Gray-Scott, imex2
#                    pfhub     PFHub's benchmark 1a, tolerance 1e-4: seconds, steps, free energy at the end
#                    default: all, in this order; repeatable
#   --threads N      default: all
#   --repeats K      of each row (default: 5)
#   --longest S      fewer steps where a repeat would take longer (default: 1)
#   --end T          of the benchmark (default: 10000)
. "$(dirname "$0")/measure.sh"
part='' threads=$(nproc) repeats=5 longest=1 end=10000
take_options 'part+ threads= repeats= longest= end=' "$@"
take_build_and_folder
failed=0

bench() {
    echo "[$SECONDS s] $1"
    "$sweep" bench "$1" --device cpu --rows cpu.simd,cpu.plain -j "$threads" --repeats "$repeats" --longest "$longest" \
        -q -o "$folder/fields_rows.csv" || failed=$((failed + 1))
}
rows() {
    local text='lap(u^3 - u - lap(u))' feed='0.037*(1 + part/20)'
    rm -f "$folder/fields_rows.csv"
    bench 'cahn_hilliard:n=[128,128],batch=64,per_run'
    bench 'cahn_hilliard:n=[512,512],batch=1'
    bench 'cahn_hilliard:n=[64,64,64],batch=4,per_run'
    bench "equation:n=[128,128],batch=64,rhs=$text"
    bench "equation:n=[128,128],batch=64,unknowns=[\"u\",\"v\"],rhs={u=\"2e-5*lap(u) - u*v^2 + $feed*(1 - u)\";\
v=\"1e-5*lap(v) + u*v^2 - ($feed + 0.06)*v\";},initial={u=\"1 - 0.5*exp(-x^2 - y^2)\";v=\"0.25*exp(-x^2 - y^2)\";},\
method=imex2,dt=0.5"
}
pfhub() {
    local from to
    make_tmp
    cat >"$tmp/pfhub.cfg" <<CFG
// u_t = div(M grad(df/du - kappa lap u)), f = 5 (u - 0.3)^2 (0.7 - u)^2, M = 5, kappa = 2, periodic
problem = "equation";
rhs     = "div(5*dx(10*(u - 0.3)*(0.7 - u)*(1 - 2*u) - 2*lap(u)), 5*dy(10*(u - 0.3)*(0.7 - u)*(1 - 2*u) - 2*lap(u)))";
initial = "0.5 + 0.01*(cos(0.105*x)*cos(0.11*y) + (cos(0.13*x)*cos(0.087*y))^2 +"
          "cos(0.025*x - 0.15*y)*cos(0.07*x - 0.02*y))";
grid    = { n = [200, 200]; length = [200.0, 200.0]; };
time    = { end = $end; tolerance = 1e-4; };
output  = { scalars = { every = $end; define = { free = "integral(5*(u - 0.3)^2*(0.7 - u)^2 + grad2(u))"; }; }; };
run     = { device = "cpu"; };
accuracy = { runs = 0; };
CFG
    from=$EPOCHREALTIME
    "$sweep" run "$tmp/pfhub.cfg" -o "$tmp/pfhub.h5" --solver cpu.simd -j "$threads" -q || failed=$((failed + 1))
    to=$EPOCHREALTIME
    [ $failed -eq 0 ] || return 0
    "${SWEEP_PYTHON:-/usr/bin/python3}" - "$tmp/pfhub.h5" "$(machine)" "$(commit)" "$threads" "$end" "$from" "$to" \
        >"$folder/fields_pfhub.csv" <<'PY'
import sys
import h5py
import numpy as np
path, machine, commit, threads, t, start, end = sys.argv[1:]
with h5py.File(path) as f:
    energy = np.ravel(f["free"][0])[-1]
    steps, refused = int(f["steps"][0]), int(f["steps_refused"][0])
print("machine,commit,threads,end,seconds,steps,refused,energy")
print(f'"{machine}",{commit},{threads},{t},{float(end) - float(start):.2f},{steps},{refused},{energy:.8g}')
PY
    cat "$folder/fields_pfhub.csv"
}
for one in ${part:-rows pfhub}; do
    case $one in rows | pfhub) "$one" ;; *) usage ;; esac
done
[ $failed -eq 0 ] || give_up "$failed failed"
