#!/bin/bash
# bench_fields.sh [OPTION...] BUILD [FOLDER]: time the rows that step fields in two and three dimensions, verified, and
# a benchmark of phase-field programs from beginning to end.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           where fields_PART.csv go (default: results/bench)
#   --part PART      rows      built-in Cahn-Hilliard, imex1, each run its own gamma: 64 runs of 128 x 128, one of 512 x
#                              512, 4 of 64 x 64 x 64; the same equation as a text; Gray-Scott, imex2
#                    pfhub     PFHub's benchmark 1a (configs/pfhub/1a.cfg): seconds, steps, free energies
#                    walls     the same of 1b, between walls without flux
#                    orders    PFHub's benchmark 7a (configs/pfhub/7a.cfg), a manufactured solution: errors over points,
#                              and of each method over dt
#                    gpu       built-in Cahn-Hilliard and its text by the rows for GPUs: small runs, which fit a block,
#                              and large ones, these with solves by cuFFT, too; Gray-Scott; PFHub's benchmark 1a
#                    default: rows, pfhub, walls and orders, in this order; repeatable
#   --threads N      default: all
#   --repeats K      of each row (default: 5)
#   --longest S      fewer steps where a repeat would take longer (default: 1)
#   --end T          of benchmarks 1a and 1b (default: 10000)
. "$(dirname "$0")/measure.sh"
part='' threads=$(nproc) repeats=5 longest=1 end=10000
take_options 'part+ threads= repeats= longest= end=' "$@"
take_build_and_folder
failed=0
make_tmp

feed='0.037*(1 + part/20)'
gray_scott="rhs={u=\"2e-5*lap(u) - u*w^2 + $feed*(1 - u)\";w=\"1e-5*lap(w) + u*w^2 - ($feed + 0.06)*w\";},\
initial={u=\"1 - 0.5*exp(-x^2 - y^2)\";w=\"0.25*exp(-x^2 - y^2)\";},method=imex2,dt=0.5"

bench() {
    echo "[$SECONDS s] $1"
    "$sweep" bench "$1" --device cpu --rows cpu.simd,cpu.plain -j "$threads" --repeats "$repeats" --longest "$longest" \
        -q -o "$folder/fields_rows.csv" || failed=$((failed + 1))
}
rows() {
    local text='lap(u^3 - u - lap(u))'
    rm -f "$folder/fields_rows.csv"
    bench 'cahn_hilliard:n=[128,128],batch=64,per_run'
    bench 'cahn_hilliard:n=[512,512],batch=1'
    bench 'cahn_hilliard:n=[64,64,64],batch=4,per_run'
    bench "equation:n=[128,128],batch=64,rhs=$text"
    bench "equation:n=[128,128],batch=64,unknowns=[\"u\",\"w\"],$gray_scott"
}
# One block a run, then through memory; several stages; stiff (dt gamma D/dx^4 = 100); a text; two unknowns
gpu() {
    local text='lap(u^3 - u - lap(u))' work
    rm -f "$folder/fields_gpu.csv"
    for work in n=[64,64],batch=8192,steps=500 n=[96,96],batch=2112,steps=500 n=[128,128],batch=2112,steps=200 \
        n=[64,64],batch=8192,steps=200,method=imex2 n=[64,64],batch=8192,steps=200,method=imex3; do
        on_gpu cuda.fused "cahn_hilliard:per_run,$work"
    done
    for work in n=[128,128],batch=2112,steps=100 n=[256,256],batch=1024,steps=100 n=[512,512],batch=256,steps=50 \
        n=[1024,1024],batch=64,steps=50 n=[4096,4096],batch=4,steps=50 n=[256,256,256],batch=4,steps=20 \
        n=[512,512,512],batch=1,steps=20 n=[1024,1024],batch=64,steps=20,method=imex2 \
        n=[1024,1024],batch=64,steps=50,length=[256,256],dt=0.4; do
        on_gpu cuda.stream "cahn_hilliard:per_run,$work"
    done
    for work in n=[128,128],batch=2112,steps=50 n=[512,512],batch=256,steps=50 n=[256,256,256],batch=4,steps=5; do
        on_gpu cuda.cufft "cahn_hilliard:per_run,$work"
    done
    on_gpu cuda.stream "equation:n=[1024,1024],batch=64,steps=50,rhs=$text"
    on_gpu cuda.stream "equation:n=[128,128],batch=4096,steps=20,unknowns=[\"u\",\"w\"],$gray_scott"
    energies '1a, 200 x 200' 1a cuda.stream fields_pfhub_cuda.csv
}
on_gpu() {  # ROW WORK
    echo "[$SECONDS s] $2"
    "$sweep" bench "$2" --device cuda --rows "$1" --repeats "$repeats" --longest "$longest" -q \
        -o "$folder/fields_gpu.csv" || failed=$((failed + 1))
}
pfhub() { energies '1a, 200 x 200' 1a cpu.simd fields_pfhub.csv; }
walls() { energies '1b, 201 x 201' 1b cpu.plain fields_pfhub_1b.csv; }
energies() {  # WHAT CONFIG ROW FILE
    local from to
    from=$EPOCHREALTIME
    "$sweep" run "configs/pfhub/$2.cfg" -o "$tmp/pfhub.h5" --device "${3%%.*}" --solver "$3" -j "$threads" -q \
        -s "time.end=$end" -s accuracy.runs=0 || failed=$((failed + 1))
    to=$EPOCHREALTIME
    [ $failed -eq 0 ] || return 0
    "${SWEEP_PYTHON:-/usr/bin/python3}" - "$tmp/pfhub.h5" "$(machine)" "$(commit)" "$threads" "$from" "$to" "$1" "$3" \
        >"$folder/$4" <<'PY'
import sys
import h5py
path, machine, commit, threads, start, end, what, row = sys.argv[1:]
with h5py.File(path) as f:
    steps, refused, times, free = int(f["steps"][0]), int(f["steps_refused"][0]), f["time_s"][:], f["free"][0]
print(f"# PFHub {what}, tolerance 1e-4, {row}, {threads} threads, {machine}, commit {commit}: "
      f"{float(end) - float(start):.2f} s, {steps} steps, {refused} refused")
print("t,energy")
for t, energy in zip(times, free):
    if any(abs(t/10**k - 1) < 1e-6 for k in range(5)):
        print(f"{t:g},{energy:.10g}")
PY
    cat "$folder/$4"
}
# run_7a NAME CELLS METHODS DTS: runs of all of these, to t = 8
run_7a() {
    "$sweep" run configs/pfhub/7a.cfg -o "$tmp/$1.h5" --device cpu -j "$threads" -q -s "sweep.cells=$2" \
        -s "sweep.method=$3" -s "sweep.dt=$4" -s 'method="$method"' -s time.dt=dt -s accuracy.runs=0 \
        || failed=$((failed + 1))
}
orders() {
    run_7a space '[32, 64, 128, 256]' '["imex3"]' '[0.1]'
    run_7a dt '[64]' '["imex1", "imex2", "imex3"]' '[0.4, 0.2, 0.1, 0.05, 0.025]'
    run_7a fine '[64]' '["imex3"]' '[0.005]'
    [ $failed -eq 0 ] || return 0
    "${SWEEP_PYTHON:-/usr/bin/python3}" scripts/bench/pfhub_orders.py "$tmp" "$(machine)" "$(commit)" \
        >"$folder/fields_orders.csv" || failed=$((failed + 1))
    cat "$folder/fields_orders.csv"
}
for one in ${part:-rows pfhub walls orders}; do
    case $one in rows | pfhub | walls | orders | gpu) "$one" ;; *) usage ;; esac
done
[ $failed -eq 0 ] || give_up "$failed failed"
