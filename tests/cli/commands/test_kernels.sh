#!/bin/bash
# Kernels for GPUs that are compiled ahead, on any machine that has the compiler: sweep check --device sm_90; and taken
# from the folder that comes with the program, where there is no compiler.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
config=$top/configs/ch_forcing.cfg
export XDG_CACHE_HOME=$tmp/cache

expect 2 run --device sm_90 "$config"
says "there is no device 'sm_90'"
says 'sweep check --device'
expect 3 check -s 'run.device="sm_90"' "$config"
expect 2 check --device sm_91 "$config"
grep -qE 'use one of sm_80, sm_86, sm_89, sm_90|built without CUDA' err || fail 'no list of architectures'

check() { "$sweep" check --device sm_90 "$config" >out 2>err; }
check || fail 'check --device sm_90'
if grep -qE 'built without CUDA|NVRTC, which is not' out; then
    cp out err
    skip_gpu 'compiling for sm_90'
    summary
fi
prints 'device   sm_90 (as H100)'
matches "^kernels  [1-9][0-9]* compiled for sm_90, into $tmp/cache/sweep$"
count=$(sed -n 's/^kernels  \([0-9]*\) .*/\1/p' out)
[ "$(ls cache/sweep | wc -l)" = "$count" ] || fail "not $count files in the cache"
! grep -q '^time' out || fail 'a time is estimated of a GPU that is not there'
check || fail 'again'
prints 'kernels  for sm_90 are there'

# ---- a folder to go with the program: whichever compiler made them, and without one
SWEEP_KERNELS=$tmp/k check || fail 'into SWEEP_KERNELS'
matches "^kernels  $count compiled for sm_90, into $tmp/k$"
[ "$(stat -c %a k)" = 755 ] && [ "$(stat -c %a k/*.cubin | sort -u)" = 644 ] || fail 'others cannot read it'
without() { SWEEP_NVRTC=/nonexistent "$@"; }
without check || fail 'without compiler and kernels'
prints 'NVRTC, which is not on this machine'
SWEEP_KERNELS=$tmp/k without check || fail 'without compiler'
prints 'kernels  for sm_90 are there'
rm -rf "$tmp/cache"
mkdir -p p/bin p/lib/sweep
cp "$sweep" p/bin/sweep
cp -r k p/lib/sweep/kernels
own() { "$tmp/p/bin/sweep" check --device sm_90 "$config" >out 2>err; }
without own || fail 'installed'
prints 'kernels  for sm_90 are there'
[ ! -e cache ] || fail 'what comes with the program went into the cache'
# a damaged file is not taken; with a compiler it is compiled for the user alone
file=$(ls p/lib/sweep/kernels/*.cubin | head -n 1)
printf X | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null
without own && ! grep -q 'NVRTC, which is not' out && fail 'a damaged kernel was taken'
own || fail 'beside a damaged kernel'
matches "^kernels  1 compiled for sm_90, into $tmp/cache/sweep$"
# where others may write nothing is taken, and nothing kept
chmod o+w p/lib/sweep/kernels k
without own || fail 'where others may write'
prints 'NVRTC, which is not on this machine'
SWEEP_KERNELS=$tmp/k check && fail 'kept where others may write'
says "$count of $count kernels that were compiled are not kept: $tmp/k cannot be written, or others may write there, too"
env -u XDG_CACHE_HOME HOME= "$sweep" check --device sm_90 "$config" >out 2>err && fail 'kept nowhere'
says 'there is no folder for them: set HOME or SWEEP_KERNELS'
chmod o-w k
# ---- they are those that a GPU wants
if nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    rm -rf k
    SWEEP_KERNELS=$tmp/k check || fail 'for the GPU'
    short=(-s time.end=0.01 -s output.scalars.every=0.01 -s 'output.fields={}')
    SWEEP_KERNELS=$tmp/k without "$sweep" run --device cuda "$config" -q "${short[@]}" -o k.h5 >out 2>err ||
        fail 'a run on the GPU wants other kernels than are compiled ahead'
fi
summary
