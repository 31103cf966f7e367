#!/bin/bash
# bench_last.sh [OPTION...] BUILD...: the works of which a kernel was furthest from its limit, by each
# build in turn, so that an older program and a newer one are timed on one machine: about 2 minutes for each on one GPU.
#   BUILD   a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   --folder FOLDER  where last.csv and last_runs.csv go (default: results/bench); lines of a commit that is timed again
#                    are taken out first
#   --part PART      works (last.csv, by `sweep bench`), runs (last_runs.csv, of whole sweeps); default: both
#   --dry-run        print what would be timed
# Columns of last_runs.csv: points, runs, step, seconds of the process, seconds of its batches (wall_time), steps of all
# runs, points x steps/s, commit. Each is the second call of two: the first compiles.
. "$(dirname "$0")/measure.sh"
folder=results/bench dry_run='' part=''
take_options 'folder= part+ dry-run' "$@"
[ ${#arguments[@]} -ge 1 ] || usage
mkdir -p "$folder" || exit 1
make_tmp
python=$(scripts/build/find_python.sh)
failed=0

# works DO: DO ROWS SPEC OPTION.. for each
works() {
    local ch=cahn_hilliard n shape='n=1024,batch=65536,steps=250'
    "$1" cuda.fused "hyperdiffusion:$shape"
    "$1" cuda.fused "hyperdiffusion:$shape,per_run"
    "$1" cuda.fused "$ch:$shape"
    "$1" cuda.fused "$ch:$shape,per_run"
    "$1" cuda.fused "$ch:$shape,forced,per_run"
    for n in 256,batch=262144 1024,batch=65536; do
        for order in 2 4; do "$1" cuda.fused "$ch:n=$n,steps=100,per_run,method=imex2,order=$order"; done
    done
    "$1" cuda.fused 'configs/equations/gray_scott.cfg:n=512,batch=16384,method=imex2,dt=0.5,steps=100'
    "$1" cuda.fused,cuda.fused+32x1x0 "$ch:n=256,batch=1,forced,steps=20000"
    "$1" cuda.modal,cuda.multigrid 'elliptic:n=[256,256,128],courant=8.4,tolerance=1e-7'
    "$1" cuda.interleaved,cuda.multigrid 'elliptic:n=[256,256,128],courant=8.4,stencil=full'
    "$1" cuda.multigrid 'elliptic:n=[256,256,128],geometry="box",kx="1+x",ky="2-y",kz="1+x*y"'
    "$1" cuda.relations,cuda.relations_adaptive 'tridiagonal:n=2^26,batch=1'
    "$1" cuda.scan,cuda.a2d 'bvp:n=2^28,problem=P2,r=best'
    for axis in x y z; do "$1" cuda.fused "compact:n=333,axis=$axis"; done
}
timed() {  # timed ROWS SPEC
    echo "[$SECONDS s] $build: $2"
    [ -z "$dry_run" ] || return 0
    "$sweep" bench "$2" --device cuda --rows "$1" --repeats 5 --longest 0.3 -q -o "$folder/last.csv" </dev/null ||
        failed=$((failed + 1))
}

# Forced Cahn-Hilliard by imex2 to t = 200: steps that all runs share, dt = 0.02, and steps of each run's own.
runs() {
    local n=$1 batch=$2 step=$3 began call
    echo "[$SECONDS s] $build: n = $n, $batch runs, $step"
    [ -z "$dry_run" ] || return 0
    cat >"$tmp/own.cfg" <<C
problem = "cahn_hilliard";
grid    = { n = $n; length = $((n / 2)).0; };
physics = { D = 1.0; gamma = 1.0; };
forcing = "a*cos(0.39269908169872414*(x - v*t))";
sweep   = { a = "linspace(0, 0.155, 32)"; v = "linspace(0, 0.7, 32)"; seed = "range(1, $((batch / 1024)))"; };
initial = "0.1*randn(seed)";
method  = "imex2";
time    = { $step; end = 200.0; };
output  = { fields = { times = ["end"]; precision = "single"; }; scalars = { times = ["end"]; }; };
C
    for call in 1 2; do
        began=$EPOCHREALTIME
        "$sweep" run "$tmp/own.cfg" --device cuda:0 -q --force -o "$tmp/own.h5" </dev/null ||
            { failed=$((failed + 1)); return; }
    done
    "$python" - "$tmp/own.h5" "$n,$batch,$step" "$n" "$began" "$EPOCHREALTIME" "$(commit)" \
        >>"$folder/last_runs.csv" <<'PY'
import sys
import h5py

name, work, n, began, ended, commit = sys.argv[1:]
with h5py.File(name) as f:
    steps, wall = int(f["steps"][...].sum()), float(f["wall_time"][...].sum())
print(f"{work},{float(ended) - float(began):.3f},{wall:.3f},{steps},{int(n) * steps / wall:.4g},{commit}")
PY
}

for build in "${arguments[@]}"; do
    take_program "$build"
    for csv in works:last runs:last_runs; do
        [[ " ${part:-works runs} " = *" ${csv%:*} "* && -e "$folder/${csv#*:}.csv" && -z "$dry_run" ]] || continue
        sed -i "/$(commit)/d" "$folder/${csv#*:}.csv"
    done
    [[ " ${part:-works} " != *" works "* ]] || works timed
    [[ " ${part:-runs} " = *" runs "* ]] || continue
    for n in '256 65536' '1024 16384'; do
        for step in 'dt=0.02' 'tolerance=1e-4'; do
            # shellcheck disable=SC2086
            runs $n "$step"
        done
    done
done
[ -n "$dry_run" ] || [ ! -e "$folder/last_runs.csv" ] || cat "$folder/last_runs.csv"
echo "$failed failed, $SECONDS s"
[ $failed -eq 0 ]
