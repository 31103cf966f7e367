#!/bin/bash
# Every kind of problem on several devices at a time: the bits of one device. The CPU in groups of threads, and the GPUs
# of this machine, where there are two.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
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
        py "$top/tests/helpers/compare_h5.py" one.h5 several.h5 2>err || fail "$name: $one, and $several by $batch"
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
# no more devices than batches: of one run, of run.batch, of what is left to do
devices() {  # devices NUMBER OPTION...
    local number=$1
    shift
    expect 0 check "$top/configs/tiny_ch.cfg" --device cpu:0,1,2 -o left.h5 "$@"
    [ "$(grep '^device ' out | grep -o 'cpu:[0-9]' | grep -c .)" = "$number" ] || fail "not $number devices: $*"
}
config=$top/configs/tiny_ch.cfg runs=$("$sweep" check "$config" --list | tail -n +2 | wc -l)
devices 3; devices 3 -s run.batch=1; devices 0 -s run.batch=$((runs + 1)); devices 0 -s "run.batch=$runs"
devices 2 -s "run.batch=$((runs - 1))"; devices 0 --only 'run == 0'; devices 2 --only 'run < 2'
expect 0 run -q "$config" --only 'run < 2' -o left.h5
devices 0 --only 'run < 3'; devices 2 --only 'run < 4'
expect 0 run "$config" --device cpu:0,1,2 --only 'run < 3' -o left.h5
says 'device   '; grep '^device ' err | grep -q cpu: && fail 'several devices for one run'

[ "$gpus" -ge 2 ] || echo "# skipped: several GPUs, there are $gpus"
# a driver that is older than the program: told, and no hindrance on a CPU
if "$sweep" --version | grep -q 'with CUDA' && command -v "${CC:-cc}" >/dev/null; then
    mkdir old
    "${CC:-cc}" -w -shared -fPIC -o old/libcuda.so.1 -x c - <<'C'
int strcmp(const char *, const char *);
int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { *version = 11020; return 0; }
int cuGetProcAddress(const char *name, void **f, int version, unsigned long long flags)
{
    *f = !strcmp(name, "cuDriverGetVersion") ? (void *)cuDriverGetVersion
         : !strcmp(name, "cuInit") ? (void *)cuInit : 0;
    return *f ? 0 : 500;
}
C
    export LD_LIBRARY_PATH=$PWD/old${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    expect 4 run "$top/configs/tiny_heat.cfg" --device cuda -o old.h5
    says 'the NVIDIA driver supports CUDA 11.2, this program needs'
    expect 0 run "$top/configs/tiny_heat.cfg" -o old.h5
fi
summary
