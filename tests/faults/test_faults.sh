#!/bin/bash
# Fail the k-th malloc, read, write, fsync, rename, open, readdir of a small sweep, for k = 1, 2, ... until none fires,
# and fill a small disk at several points: no crash, no torn file, the exit code for it, the file named; and a clean
# call afterwards gives the datasets of an undisturbed one. k grows by a half at a time beyond 6; SW_LONG=1 takes
# them all.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1
library=$(dirname "$sweep")/fail_nth.so
[ -e "$library" ] || { echo "$library is missing: make tests" >&2; exit 1; }
trap 'umount "$tmp/disk" 2>/dev/null; rm -rf "$tmp"' EXIT

cat > f.cfg <<'CFG'
title   = "faults";
problem = "hyperdiffusion";
grid    = { n = 16; length = 1.0; };
physics = { gamma = "g"; D = 1.0; };
time    = { dt = 1.0e-6; end = 1.0e-4; };
sweep   = { g = [0.5, 1.0, 2.0, 4.0]; };
define  = { k = "2*pi"; };
initial = "cos(k*x)";
exact   = "cos(k*x)*exp(-gamma*D*k^4*t)";
output  = { fields = { times = "linspace(0, end, 3)"; }; scalars = { every = 1.0e-5; }; };
run     = { batch = 2; device = "cpu"; };
accuracy = { runs = 0; };  // what memory is too little for leaves error_time NaN, and the rest as it is
CFG
export OMP_NUM_THREADS=1
"$sweep" run f.cfg -q -o whole.h5 || { fail "the undisturbed run"; summary; }
mkdir again

# after KIND K CODE FILE: what must hold after a call that met a fault and ended with CODE
after() {
    local kind=$1 k=$2 code=$3 file=$4
    case ${kind%-*},$code in
        *,0) ;;
        memory,4) ;;
        read,5 | write,5 | fsync,5 | rename,5 | open,5 | readdir,5)
            grep -qE '(x\.h5|x\.xdmf|f\.cfg)[^ ]*:' err || fail "$kind $k: names no file: $(cat err)" ;;
        *) fail "$kind $k: exit code $code: $(cat err)" ;;
    esac
    if [ -e "$file" ] && ! "$sweep" show "$file" >/dev/null 2>err; then fail "$kind $k: torn: $(cat err)"; fi
    [ $code = 0 ] || "$sweep" run f.cfg -q -o "$file" 2>err || fail "$kind $k: the call after it: $(cat err)"
    [ ! -e "$file.d" ] || fail "$kind $k: left behind: $(ls "$file.d")"
    mv "$file" "again/$kind-$k.h5"
}

# "one": a single batch, whose part becomes the file; "two": two devices, one of which may go on without the other;
# "part": so do two, and calls count from the first part on
for kind in memory read write fsync rename open readdir read-one fsync-one rename-one memory-two memory-part write-two \
    fsync-two; do
    one=()
    from=()
    case $kind in
        *-one) one=(-s run.batch=0) ;;
        *-two) one=(-s run.batch=1 --device cpu:0,1) ;;
        *-part) one=(-s run.batch=1 --device cpu:0,1) from=(FAIL_FROM=part-) ;;
    esac
    k=1
    fired=0
    while :; do
        env FAIL_KIND=${kind%-*} FAIL_AT=$k "${from[@]}" FAIL_LOG=log LD_PRELOAD="$library" \
            "$sweep" run f.cfg -q -o x.h5 "${one[@]}" >/dev/null 2>err
        code=$?
        [ -e log ] || fail "$kind $k: it ended without saying so: exit code $code: $(cat err)"
        after $kind $k $code x.h5
        grep -q fired log || break
        fired=$((fired + 1))
        rm -f log
        if [ $k -lt 6 ] || [ -n "$SW_LONG" ]; then k=$((k + 1)); else k=$((k * 3 / 2)); fi
    done
    [ $fired -gt 0 ] || fail "$kind: no call failed"
    echo "$kind: $fired of $(cut -d' ' -f1 log) calls failed one at a time"
done

# its .xdmf is whole or as it was, and nothing else is left
"$sweep" xdmf -q whole.h5 || fail "sweep xdmf"
mv whole.xdmf good
for kind in memory fsync rename open read; do
    k=1
    fired=0
    while :; do
        if [ $((k % 2)) = 1 ]; then rm -f whole.xdmf; else cp good whole.xdmf; fi
        env FAIL_KIND=$kind FAIL_AT=$k FAIL_LOG=log LD_PRELOAD="$library" "$sweep" xdmf -q whole.h5 >/dev/null 2>err
        code=$?
        case $kind,$code in
            *,0) [ -e whole.xdmf ] || fail "xdmf, $kind $k: nothing is there" ;;
            memory,4) ;;
            fsync,5 | rename,5 | open,5 | read,5)
                grep -qE 'whole\.(h5|xdmf)' err || fail "xdmf, $kind $k: names no file: $(cat err)" ;;
            *) fail "xdmf, $kind $k: exit code $code: $(cat err)" ;;
        esac
        [ ! -e whole.xdmf ] || cmp -s whole.xdmf good || fail "xdmf, $kind $k: torn"
        [ -z "$(find . -name '.sweep-*')" ] || fail "xdmf, $kind $k: left behind"
        grep -q fired log || break
        fired=$((fired + 1))
        rm -f log
        # each read: the list of what is in a group is read by one of them (HDF5 freed what it had not read)
        if [ $k -lt 6 ] || [ -n "$SW_LONG" ] || [ $kind = read ]; then k=$((k + 1)); else k=$((k * 3 / 2)); fi
    done
    [ $fired -gt 0 ] || fail "xdmf, $kind: no call failed"
done

# a descriptor that does not close: HDF5 keeps the file, and has nothing to do with it at exit
at_call=$(dirname "$sweep")/at_call
"$at_call" true
if [ $? = 77 ]; then
    skipped 'close: no program may be traced here'
else
    for ((k = 1;; k++)); do
        rm -rf z.h5 z.h5.d
        "$at_call" -k $k -c close -p "$tmp" -a 5 -l log "$sweep" merge -q whole.h5 -o z.h5 >/dev/null 2>err
        code=$?
        case $code in
            0) ;;
            5) grep -qE '(whole|z)\.h5' err || fail "close $k: names no file: $(cat err)" ;;
            *) fail "close $k: exit code $code: $(cat err)" ;;
        esac
        [ ! -e z.h5 ] || "$sweep" show z.h5 >/dev/null 2>err || fail "close $k: torn: $(cat err)"
        grep -q : log || break
    done
    [ $k -gt 5 ] || fail "close: only $k calls"
    # what show prints is all of the file, or it says that it cannot read it
    "$sweep" show whole.h5 --csv > good.csv
    for calls in open,openat stat,lstat,newfstatat,fstat,access read,pread64; do
        for ((k = 1;; k++)); do
            "$at_call" -k $k -c $calls -p "$tmp" -a 5 -l log "$sweep" show whole.h5 --csv >csv 2>err
            code=$?
            [ $code = 5 ] || { [ $code = 0 ] && cmp -s csv good.csv; } ||
                fail "show, $calls $k: exit code $code: $(diff csv good.csv | head -n 2) $(cat err)"
            grep -q : log || break
        done
        [ $k -gt 2 ] || fail "show, $calls: only $k calls"
    done
    # no more threads: libgomp exits with 1, which would say that runs have diverged
    for ((k = 1;; k++)); do
        rm -rf z.h5 z.h5.d
        OMP_NUM_THREADS=4 "$at_call" -k $k -c clone,clone3 -a 11 -l log "$sweep" run f.cfg -q -o z.h5 -s run.batch=0 \
            -s solver=cpu.plain >/dev/null 2>err
        code=$?
        grep -q : log || break
        [ $code = 4 ] && grep -q '^error: .*thread' err || fail "thread $k: exit code $code: $(cat err)"
    done
    [ $code = 0 ] && [ $k -gt 3 ] || fail "threads: exit code $code after $k"
    rm -rf z.h5 z.h5.d
fi

# what is synced is synced by the descriptor that wrote it
mkdir -p new/folders
for call in 'run f.cfg -q -s run.batch=1 -o new/folders/y.h5' 'xdmf -q new/folders/y.h5' \
    'merge -q new/folders/y.h5 -o z.h5'; do
    rm -f log
    env FAIL_KIND=fsync_reader FAIL_AT=1 FAIL_LOG=log LD_PRELOAD="$library" "$sweep" $call 2>err || fail "sweep $call"
    [ "$(cat log)" = '0 calls' ] || fail "sweep $call: synced by a descriptor that only reads"
done
# and new folders are, in those which they are in
rm -rf new
new=(-s run.batch=0 -s 'output.file="new/folders/y.h5"')
FAIL_KIND=fsync FAIL_AT=0 FAIL_LOG=log LD_PRELOAD="$library" "$sweep" run f.cfg -q "${new[@]}" || fail 'new folders'
FAIL_KIND=fsync FAIL_AT=0 FAIL_LOG=log2 LD_PRELOAD="$library" "$sweep" run f.cfg -q -s run.batch=0 \
    -o new/folders/w.h5 || fail 'new folders'
[ $(($(cut -d' ' -f1 log) - $(cut -d' ' -f1 log2))) = 2 ] || fail "syncs: $(cat log log2)"

# memory that the system does not give, also to HDF5, which crashes then: 4, always, and what is needed
short=0
for ((mib = 40; mib <= 160; mib += 8)); do
    (ulimit -v $((mib << 10)); exec "$sweep" -V) >/dev/null 2>&1
    [ $? != 127 ] || continue  # there is no room for the libraries
    (ulimit -c 0; ulimit -v $((mib << 10)); exec "$sweep" run f.cfg -q -o short.h5) >/dev/null 2>err
    code=$?
    [ $code = 0 ] || { [ $code = 4 ] && grep -q 'ulimit -v' err; } || fail "$mib MiB of memory: $code: $(cat err)"
    [ $code = 0 ] || short=$((short + 1))
    after memory short$mib $code short.h5
    (ulimit -c 0; ulimit -v $((mib << 10)); exec "$sweep" verify again/memory-short$mib.h5) >/dev/null 2>err
    code=$?
    [ $code = 0 ] || { [ $code = 4 ] && grep -q 'ulimit -v' err; } || fail "verify, $mib MiB: $code: $(cat err)"
done
[ $short -gt 2 ] || fail 'memory was hardly ever short'
echo "memory: too little at $short sizes"
# the message names the limit that is short, and what counts against it
(ulimit -c 0; ulimit -d 16384; exec "$sweep" run f.cfg -q -o data.h5) >/dev/null 2>err && fail '16 MiB of data'
used=$(sed -n 's/.*the limit is 16 MiB (ulimit -d), \([0-9]*\) MiB of it are in use.*/\1/p' err)
[ "${used:-99}" -le 16 ] || fail "16 MiB of data: $(cat err)"

# 4 blocks of 3 MB, each written by a thread while the next is gathered: what fails there is told later, not less
large=(-s grid.n=8192 -s 'output.fields.times="linspace(0, end, 51)"' -s run.batch=0)
"$sweep" run f.cfg -q -o large.h5 "${large[@]}" || fail 'large fields'
for ((k = 1;; k = k < 6 ? k + 1 : k * 3 / 2)); do
    rm -f log x.h5
    env FAIL_KIND=write FAIL_AT=$k FAIL_LOG=log LD_PRELOAD="$library" "$sweep" run f.cfg -q -o x.h5 "${large[@]}" 2>err
    code=$?
    grep -q fired log || break
    [ $code = 0 ] || { [ $code = 5 ] && grep -q 'x\.h5.*: No space left' err; } ||
        fail "large fields, write $k: exit code $code: $(cat err)"
    [ $code = 0 ] || "$sweep" run f.cfg -q -o x.h5 "${large[@]}" 2>err || fail "large fields, write $k: $(cat err)"
    [ -z "$python" ] || py "$helpers/compare_h5.py" large.h5 x.h5 || fail "large fields, write $k: they differ"
done
[ $code = 0 ] && [ $k -gt 8 ] || fail "large fields: exit code $code after $k writes"
rm -f large.h5 x.h5

# a file that may not grow
for k in 1 2; do "$sweep" run f.cfg -q -o of-$k.h5 --shard $k/2 || fail 'a shard'; done
(ulimit -f 20; exec "$sweep" merge of-*.h5 -q -o merged.h5) 2>err
[ $? = 5 ] && grep -q 'File too large' err || fail 'a merge whose file may not grow'

# a disk that fills
mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    full=0
    for kib in 4 8 16 24 32 48 64 80 96 128 160 192; do
        mount -o remount,size=${kib}k disk
        "$sweep" run f.cfg -q -o disk/x.h5 >/dev/null 2>err
        code=$?
        "$sweep" check f.cfg -o disk/x.h5 > said
        [ $kib -gt 24 ] || grep -q 'note  *the disk of disk has room for .*; the output takes about' said ||
            fail "disk of $kib KiB: check says nothing of it"
        [ $kib -lt 192 ] || ! grep -q 'the disk of disk' said || fail "disk of $kib KiB: $(cat said)"
        if [ $code != 0 ]; then
            full=$((full + 1))
            grep -q 'disk/x.h5.*: No space left on device' err || fail "disk of $kib KiB: $(cat err)"
        fi
        mount -o remount,size=4m disk
        after write disk$kib $code disk/x.h5
    done
    [ $full -gt 3 ] || fail "the disk was hardly ever full"
    echo "disk: full at $full sizes"
    umount disk
else
    echo "skipped: a full disk (needs root and tmpfs)"
fi

if [ -n "$python" ]; then
    py "$top/tests/helpers/compare_h5.py" whole.h5 again/*.h5 || fail "datasets differ after a fault"
else
    echo "skipped: comparing the datasets (needs python3 with h5py)"
fi
summary
