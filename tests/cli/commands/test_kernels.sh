#!/bin/bash
# Kernels for GPUs that are compiled ahead, on any machine that has the compiler: sweep check --device sm_90; and taken
# from the folder that comes with the program, where there is no compiler.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
config=$top/configs/ch_forcing.cfg
export XDG_CACHE_HOME=$tmp/cache
mkdir alone && cp "$sweep" alone/sweep || exit 1  # beside the program may be kernels of `make kernels`
sweep=$tmp/alone/sweep

expect 2 run --device sm_90 "$config"
says "there is no device 'sm_90'"
says 'sweep check --device'
expect 3 check -s 'run.device="sm_90"' "$config"

check() { "$sweep" check --device sm_90 "${@:-$config}" >out 2>err; }
there='kernels  are there for sm_90'
if ! check; then
    skip_gpu 'compiling for sm_90'
    summary
    exit
fi
prints 'device   sm_90 (as H100)'
matches "^kernels  [1-9][0-9]* compiled for sm_90, into $tmp/cache/sweep$"
count=$(sed -n 's/^kernels  \([0-9]*\) .*/\1/p' out)
[ "$(ls cache/sweep | wc -l)" = "$count" ] || fail "not $count files in the cache"
! grep -q '^time' out || fail 'a time is estimated of a GPU that is not there'
check || fail 'again'
prints "$there"
for name in sm_91 sm_+90 sm_90a sm_; do
    expect 2 check --device $name "$config"
    says 'use one of sm_80, sm_86, sm_89, sm_90'
done
check "$top/configs/elliptic_shell.cfg" -s grid.n=[8,8,8] || fail 'a problem without such kernels'
prints 'kernels  none to be compiled for sm_90'
# a run of some GB takes no memory of this machine
python3 -c 'import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, file=sys.stderr)
sys.exit(code)' "$sweep" check --device sm_90 "$top/configs/equations/cahn_hilliard_2d.cfg" -s grid.n=[8192,8192] \
    >out 2>err || fail 'a large field'
[ "$(sed -n 's/^peak //p' err)" -lt 2000 ] || fail '3.3 GB of a GPU take as much here'
matches '^kernels  [1-9]'
# lines of other lengths are other kernels, however many points there are
check "$top/configs/compact_3d.cfg" -s grid.n=[512,512,512] || fail 'large fields'
check "$top/configs/compact_3d.cfg" -s grid.n=[128,128,256] || fail 'smaller ones'
matches '^kernels  [1-9]'

# ---- a folder to go with the program: whichever compiler made them, and without one
mv cache before
SWEEP_KERNELS=$tmp/k check || fail 'into SWEEP_KERNELS'
matches "^kernels  $count compiled for sm_90, into $tmp/k$"
[ "$(stat -c %a k)" = 755 ] && [ "$(stat -c %a k/*.cubin | sort -u)" = 644 ] || fail 'others cannot read it'
XDG_CACHE_HOME=$tmp/before SWEEP_KERNELS=$tmp/l check || fail 'what the cache has'
prints "$there"
[ "$(ls l)" = "$(ls k)" ] || fail 'what the cache has is not in SWEEP_KERNELS'
without() { SWEEP_NVRTC=/nonexistent "$@"; }
without check && fail 'without compiler and kernels'
says 'NVRTC, which is not on this machine'
SWEEP_KERNELS=$tmp/k without check || fail 'without compiler'
prints "$there"
# scalars are formed on the host where there is no compiler, but what is asked for is their kernels
other=("$config" -s 'output.scalars.define={zz="mean(u*u)+0.125";}')
SWEEP_KERNELS=$tmp/k without check "${other[@]}" && fail 'kernels of scalars are missing'
says 'are not compiled: there is no NVRTC on this machine'
rm -rf "$tmp/cache"
mkdir -p p/bin p/lib/sweep
cp "$sweep" p/bin/sweep
cp -r k p/lib/sweep/kernels
own() { "$tmp/p/bin/sweep" check --device sm_90 "$config" >out 2>err; }
without own || fail 'installed'
prints "$there"
[ ! -e cache ] || fail 'what comes with the program went into the cache'
# a damaged file is not taken; with a compiler it is compiled for the user alone
file=$(ls p/lib/sweep/kernels/*.cubin | head -n 1)
printf X | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null
without own && fail 'a damaged kernel was taken'
own || fail 'beside a damaged kernel'
matches "^kernels  1 compiled for sm_90, into $tmp/cache/sweep$"
# where others may write nothing is taken, and nothing kept
chmod o+w p/lib/sweep/kernels k
without own && fail 'taken where others may write'
SWEEP_KERNELS=$tmp/k check && fail 'kept where others may write'
says "SWEEP_KERNELS: $tmp/k is not used: it is no folder, or not this user's, or others may write there, too"
env -u XDG_CACHE_HOME HOME= "$sweep" check --device sm_90 "$config" >out 2>err && fail 'kept nowhere'
says 'there is no folder for them: set HOME or SWEEP_KERNELS'
chmod o-w k
# ---- they are those that a GPU wants
if nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    rm -rf k
    SWEEP_KERNELS=$tmp/k check || fail 'for the GPU'
    short=(-s time.end=0.1 -s output.scalars.every=0.1 -s 'output.fields.times=["end"]')
    SWEEP_KERNELS=$tmp/k without "$sweep" run --device cuda "$config" -q "${short[@]}" -o k.h5 >out 2>err ||
        fail 'a run on the GPU wants other kernels than are compiled ahead'
fi
summary
