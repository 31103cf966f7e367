#!/bin/bash
# make_kernels.sh PROGRAM FOLDER SM...: compile what the configs that come with the program compile on a GPU, for each
# architecture (80, 90), into FOLDER, where the program takes it from (docs/howto/packages.md). Needs NVRTC, and no GPU.
set -o pipefail
[ $# -ge 3 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/../.." || exit 1
program=$1
export SWEEP_KERNELS=$2
shift 2
mkdir -p "$SWEEP_KERNELS" && rm -f "$SWEEP_KERNELS"/*.cubin || exit 1
one() {  # one PROGRAM SM CONFIG: a line for what is not compiled
    said=$("$1" check -j 1 --device "sm_$2" "$3" 2>&1 </dev/null)
    grep -HE --label="$3" '^error: |not planned here: ' <<< "$said"
}
export -f one
for sm; do printf "$sm %s\n" configs/*.cfg configs/*/*.cfg; done |
    xargs -P "$(nproc)" -L 1 bash -c 'one "$0" "$@"; true' "$program" | sort -u
echo "$(ls "$SWEEP_KERNELS" | wc -l) kernels, $(du -sh "$SWEEP_KERNELS" | cut -f 1), in $SWEEP_KERNELS"
[ "$(ls "$SWEEP_KERNELS")" ]
