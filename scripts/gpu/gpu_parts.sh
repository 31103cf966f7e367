# gpu_parts.sh: how scripts/gpu_*.sh begin that are called with BUILD OUTDIR [PART...]. They set all_parts and source
# it. $build and $out are the folders, the second of which is made. device.txt in it says which GPU it is.
build=${1:?usage: $0 BUILD OUTDIR [PART...]} out=${2:?usage: $0 BUILD OUTDIR [PART...]}
shift 2
parts=" ${*:-$all_parts} "
wanted() { case $parts in *" $1 "*) ;; *) return 1 ;; esac; }  # wanted PART
mkdir -p "$out" || exit 1
export SW_NEED=cuda
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,power.limit --format=csv | tee "$out/device.txt"
