#!/bin/bash
# small_runs.sh [OPTION...] SWEEP FOLDER [COMMAND...]: a small sweep of every kind of problem by all rows of a device,
# into FOLDER; where a COMMAND is given (compute-sanitizer ..), under it. Prints a line for each: its name, seconds, ok
# or what went wrong, and what it printed. Conformance tests compare the rows; this is for tools that look at each
# access, under which those tests take hours.
#   --device DEVICE  default: cuda
#   --only GLOB      sweeps of such a name
#   --list           their names
# shellcheck disable=SC2016  # $row is one of a config
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; }
device=cuda only='*' list=''
while [[ ${1:-} == --* ]]; do
    case $1 in
        --device) device=$2; shift 2 ;;
        --only) only=$2; shift 2 ;;
        --list) list=1; shift ;;
        *) usage ;;
    esac
done
[ $# -ge 2 ] || [ -n "$list" ] || usage
program=${1:-build/sweep} folder=${2:-}
before=("${@:3}") failed=0
listing=$("$program" list)  # once: it opens the devices

# rows TITLE [EXCEPT]: those of the device that the program lists under a title, as values of an axis
rows() {
    local of="^${device}[.]"
    [ "$device" != cuda ] || of='^(cuda|cusparse)[.]'
    awk -v title="$1" '/^[^ ]/ { here = $0 == title; next } here { print $1 }' <<< "$listing" |
        grep -E "$of" | grep -vE "${2:-^$}" | sed 's/.*/"&"/' | paste -sd, -
}
# small NAME CONFIG SETTING...: a sweep of a config, with other settings
small() {
    local name=$1 config=$2 start=$SECONDS options=() one rc
    # shellcheck disable=SC2053 # a pattern
    [[ $name == $only ]] || return
    [ -z "$list" ] || { echo "$name"; return; }
    shift 2
    for one in "$@"; do options+=(-s "$one"); done
    "${before[@]}" "$program" run "configs/$config.cfg" --device "$device" -q --force -o "$folder/$name.h5" \
        "${options[@]}" > "$folder/$name.log" 2>&1
    rc=$?
    [ $rc -eq 0 ] || failed=$((failed + 1))
    printf '%-24s %4d s  %s\n' "$name" $((SECONDS - start)) "$([ $rc -eq 0 ] && echo ok || echo "exit code $rc")"
    [ $rc -eq 0 ] && [ ${#before[@]} -eq 0 ] || cat "$folder/$name.log"
}

# racecheck reports kernels of cuSPARSE's own of the rows with the matrix in compressed rows
all=$(rows 'elliptic problems' csr) but_modal=$(rows 'elliptic problems' 'modal|csr')
single=$(rows 'elliptic problems' 'modal|multigrid|_single')
small elliptic_box tiny_elliptic "sweep={ m=[6, 9]; row=[$all]; }" 'grid.n=("m", "m + 2", 5)' physics.courant=6.0
small elliptic_single tiny_elliptic "sweep={ m=[6, 9]; row=[$single]; }" 'grid.n=("m", "m + 2", 5)' \
    physics.courant=6.0 'run.precision="single"' tolerance=1e-4
small elliptic_shell elliptic_shell "sweep={ row=[$all]; }" 'grid.n=[8, 8, 6]' physics.courant=8.4
small elliptic_full elliptic_shell "sweep={ row=[$but_modal]; }" 'grid.n=[8, 8, 6]' physics.courant=8.4 \
    'stencil="full"'
small elliptic_csr tiny_elliptic "sweep={ m=[6, 9]; row=[$(rows 'elliptic problems' 'modal|multi|inter|pcg')]; }" \
    'grid.n=("m", "m + 2", 5)' physics.courant=6.0

bvp='boundary value problems' general='relations|thomas|lapack'
small bvp tiny_bvp "sweep={ n=[1, 2, 64, 1001]; a=[1.0, 3.0]; algorithm=[$(rows "$bvp" "$general|a1")]; }"
small bvp_general bvp_neumann "sweep={ n=[20, 321]; row=[$(rows "$bvp" 'scan|a1|a2|lapack')]; }" 'solver="$row"'

band=$(rows 'band solvers' '_shared|lapack_spd')
small banded banded "sweep={ s=[0.01, 1.0]; n=[64, 300]; row=[$band]; }" 'solver="$row"'
small banded_cyclic banded "sweep={ s=[0.01, 1.0]; n=[64, 300]; row=[$band]; }" 'solver="$row"' cyclic=true
small banded_one banded "sweep={ n=[64, 300]; row=[$(rows 'band solvers')]; }" 'solver="$row"' \
    'bands={ m2="1"; m1="-4"; main="12"; p1="-4"; p2="1"; }'

systems='tridiagonal systems' sizes='n=[512, 3000]'
small tridiagonal tridiagonal "sweep={ $sizes; kind=[\"main_64\"]; row=[$(rows "$systems")]; }" 'solver="$row"' \
    grid.n='"n"' seed=1
small tridiagonal_pivots tridiagonal 'solver="$row"' grid.n='"n"' seed=1 \
    "sweep={ $sizes; kind=[\"uniform\"]; row=[$(rows "$systems" 'thomas|nopivot|strided')]; }"

fd='compact finite differences' two='sin(2*pi*x)*cos(2*pi*y)'
for axis in x y; do
    small "compact_$axis" tiny_compact "sweep={ dim=[2, 3]; row=[$(rows "$fd" 'truncated|mattor')]; }" \
        'grid={ n=16; dim="dim"; length=1.0; }' "axis=\"$axis\"" "field=\"$two\"" 'solver="$row"'
done
small advection tiny_advection time.end=0.06 output.fields.times='[0.0]' output.scalars.every=0.02

for row in $(rows steppers | tr -d '"' | tr , ' '); do
    it="stepper=\"$row\"" n=48
    [ "$row" != cuda.stream ] || n=4096  # of longer lines
    small "line_$row" tiny_ch "$it" grid.n=$n time.end=0.1 output.fields.times='[0.0]' output.scalars.every=0.05
    small "hyperdiffusion_$row" tiny_hyperdiffusion "$it" grid.n=$n time.end=1e-5
    small "heat_$row" tiny_heat "$it" grid.n=$n time.end=0.05 output.fields.times='[0.0]' output.scalars.every=0.05
    [[ $row == *.cufft || $row == *.stream ]] ||
        small "walls_of_a_line_$row" tiny_ch "$it" time.end=0.5 'boundary="no_flux"'
done
flow='equations/gray_scott_2d'
for row in $(rows 'steppers in two and three dimensions' | tr -d '"' | tr , ' '); do
    it="stepper=\"$row\""
    # Of a given dt: with steps of their own rows through memory launch some steps for each of 1024 ticks, when a tool
    # makes launches slow. cuda.fused has all steps in one.
    small "plane_$row" $flow "$it" 'sweep={ F=[0.03, 0.06]; k=[0.06]; }' 'grid.n=[24, 32]' \
        'time={ dt=0.5; end=5.0; }' 'output.fields.times=["end"]' output.scalars.every=2.5
    [[ $row == *.stream || $row == *.cufft ]] ||
        small "plane_own_$row" $flow "$it" 'sweep={ F=[0.03, 0.06]; k=[0.06]; }' 'grid.n=[24, 32]' time.end=20.0 \
            'output.fields.times=["end"]' output.scalars.every=10.0
    small "noise_$row" tiny_ch "$it" 'grid={ n=[16, 20]; length=16.0; }' forcing='"0"' time.end=0.1 \
        'noise={ conserved="0.1"; }' 'sweep={ a=[0.0]; v=[0.0]; seed=[1, 2]; }' output.scalars.every=0.1
    if [[ $row == *.fourier || $row == *.cufft ]]; then
        small "crystal_$row" equations/phase_field_crystal_2d "$it" 'grid.n=[24, 20]' \
            'time={ dt=0.1; end=1.0; }' output.fields.times='[0.0]' output.scalars.every=0.5
        continue
    fi
    small "walls_of_a_plane_$row" pfhub/1b "$it" 'grid.n=[25, 17]' 'time={ dt=0.5; end=5.0; }' \
        'output={ scalars={ every=2.5; }; }'
    small "walls_given_$row" pfhub/7a "$it" sweep.cells='[8]' time.end=0.2 output.fields.times='[0.0]'
done
[ $failed -eq 0 ]
