#!/bin/bash
# Every kind of problem on several devices at a time: the bits of one device. The CPU in groups of threads, and the GPUs
# of this machine, where there are two.
cd "$(dirname "$0")/.." || exit 1
. tests/helpers.sh
[ -n "$python" ] || { echo "# skipped: no python3 with h5py"; exit 0; }
export XDG_CACHE_HOME="$tmp/cache"  # threads of several devices compile what is not there yet

# alike ONE SEVERAL CONFIG OPTION...: a batch for each run, and as many batches as it takes
alike() {
    local one=$1 several=$2 config=$3 name
    shift 3
    name=$(basename "$config")
    expect "$code" run -q "$config" "$@" --device "$one" -o one.h5
    for batch in 1 0; do
        expect "$code" run -q "$config" "$@" --device "$several" -s "run.batch=$batch" -o several.h5
        $python "$top/tests/compare_h5.py" one.h5 several.h5 2>err || fail "$name: $one, and $several by $batch"
        rm -f several.h5
    done
    rm -f one.h5
}

gpus=$("$sweep" list | grep -cE '^  cuda:[0-9]+ ')
for config in "$top"/configs/tiny_*.cfg; do
    code=0
    case $config in *diverge*) code=1 ;; esac
    alike cpu cpu:0,1,2 "$config"
    case $config in *bvp*) words=(-s 'sweep.algorithm=["a2d", "scan"]') ;; *) words=() ;; esac
    [ "$gpus" -lt 2 ] || alike cuda:0 cuda "$config" "${words[@]}"
done
[ "$gpus" -ge 2 ] || echo "# skipped: several GPUs, there are $gpus"
summary
