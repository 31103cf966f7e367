#!/bin/bash
# bench_first.sh [OPTION...] BUILD FOLDER [CONFIG...]: the first seconds of whole processes on a GPU, of configs as they
# are shipped; of nine of them where none is named. Each first cold, with an empty cache of kernels, then warm.
#   BUILD          a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER         what is written to: a disk, or memory (/dev/shm)
#   --limit S      stop a process after so many seconds (default: 25)
#   --device WHERE where these compute: cuda (the default), cpu, auto
# Kernels that are compiled ahead come from SWEEP_KERNELS=FOLDER, or from the folder `kernels` beside the program.
# Columns: where it computes; whether kernels are compiled ahead; the config; seconds from exec to exit, cold and twice
# warm, the least; texts compiled, their bytes in the cache.
. "$(dirname "$0")/measure.sh"
limit=25 device=cuda
take_options 'limit= device=' "$@"
[ ${#arguments[@]} -ge 2 ] || usage
take_program "$(realpath "${arguments[0]}")"
configs=("${arguments[@]:2}")
[ ${#configs[@]} -gt 0 ] ||
    configs=(configs/{ch_forcing,compact_gradient,tridiagonal,compact_waves,advection_3d,burgers}.cfg
             configs/equations/{kdv,cahn_hilliard_2d}.cfg configs/pfhub/1a.cfg)
make_tmp "${arguments[1]}/bench-first-XXXXXX"
seconds() {  # seconds CONFIG: of a process, or why there are none
    local begin=$EPOCHREALTIME code
    timeout "$limit" "$sweep" run "$1" -q --device "$device" -o "$tmp/x.h5" >"$tmp/out" 2>&1
    code=$?
    rm -rf "$tmp"/x.h5*
    [ $code -le 1 ] || { echo "exit code $code"; return; }
    awk -v b="$begin" -v e="$EPOCHREALTIME" 'BEGIN { printf "%.2f\n", e - b }'
}
export XDG_CACHE_HOME=$tmp/cache
ahead=no
[ -z "${SWEEP_KERNELS:-}" ] && [ ! -d "${sweep%/*}/kernels" ] || ahead=yes
echo device,ahead,config,cold_s,warm_s,texts,cache_bytes
for config in "${configs[@]}"; do
    rm -rf "$XDG_CACHE_HOME"
    cold=$(seconds "$config")
    warm=$({ seconds "$config"; seconds "$config"; } | sort -n | head -n 1)
    texts=$(find "$XDG_CACHE_HOME" -name '*.cubin' -printf '%s\n' 2>/dev/null |
            awk '{ n++; bytes += $1 } END { print n + 0 "," bytes + 0 }')
    echo "$device,$ahead,$config,$cold,$warm,$texts"
done
