#!/bin/bash
# Threads are made once, not once an output or a solve. GNU's OpenMP makes them anew where teams change their size, or
# begin within a team of one.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

export OMP_NUM_THREADS=8 THREADS=$tmp/threads
# most MOST WHAT ARGUMENT...: the program makes so many threads at most
most() {
    local most=$1 what=$2
    shift 2
    rm -f "$THREADS"
    LD_PRELOAD=$(dirname "$sweep")/count_threads.so expect 0 "$@"
    local made=$(cat "$THREADS")
    [ "${made:-0}" -gt 0 ] || fail "$what: no threads were counted"
    [ "${made:-0}" -le "$most" ] || fail "$what: $made threads, expected at most $most"
}

# 24 runs are 6 groups of four lines, or fewer: not as many as there are threads. Made are 7 beside the main thread, the
# writer and up to 7 beside it.
cat >outputs.cfg <<'END'
problem = "hyperdiffusion";
grid = { n = 512; length = 1.0; };
physics = { gamma = 1.0; D = 1.0; };
time = { dt = 1.0e-8; end = "4000*dt"; };
sweep = { k = "range(1, 24)"; };
initial = "cos(2*pi*x) + k*1.0e-6*sin(4*pi*x)";
output = { fields = { times = "linspace(0, end, 41)"; }; };
END
most 30 '41 outputs of 24 runs' run -q --device cpu outputs.cfg -o outputs.h5
most 30 'one system, some hundred times' bench -q tridiagonal:n=40000 --device cpu --rows cpu.relations,cpu.lapack \
    --repeats 100 --longest 0.01
most 30 'six systems' bench -q tridiagonal:n=20000,batch=6 --device cpu --rows cpu.relations,cpu.lapack --repeats 50 \
    --longest 0.01
most 30 'a boundary value problem' bench -q bvp:n=40000 --device cpu --rows cpu.relations --repeats 50 --longest 0.01
summary
