#!/bin/bash
# `sweep merge` of shards: what is missing, foreign, damaged, doubled or still under way is told; a kill or a full disk
# leaves nothing half done; virtual files of earlier versions are read, wherever their folder is moved.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
subcommand=merge
export OMP_NUM_THREADS=1

cat > m.cfg <<'CFG'
title   = "merging";
problem = "hyperdiffusion";
grid    = { n = "n"; length = "l"; };
physics = { gamma = "g"; D = 1.0; };
time    = { dt = 1.0e-6; end = 1.0e-5; };
sweep   = { g = "linspace(1, 2, 9)"; n = [16, 24]; l = [1.0, 2.0]; };
initial = "cos(2*pi*x/length)";
exact   = "cos(2*pi*x/length)*exp(-gamma*(2*pi/length)^4*t)";
output  = { fields = { times = "linspace(0, end, 6)"; }; scalars = { every = 2; }; };
run     = { device = "cpu"; };
CFG
plain() { "$sweep" "$@" >/dev/null 2>err || fail "$*"; }
plain run m.cfg -q -o whole.h5
for k in 1 2 3 4 5; do plain run m.cfg -q -o s.h5 --shard $k/5; done

# ---- what is not as it should be
expect 0 s.shard-*.h5 -o all.h5; says 'merged   5 files into all.h5: 36 runs'; same all.h5 whole.h5
expect 5 s.shard-*.h5 -o all.h5; says 'is there and is not among the files'
expect 0 s.shard-*.h5 -o all.h5 --force
mkdir away; mv s.shard-[24]-* away/
expect 5 s.shard-*.h5 -o none.h5
says 'would lack 15 of 36 runs'; says 'of 5 shards these are not among the files: 2 4'
mkdir s.shard-4-of-5.h5.d  # as a shard that runs has it
expect 5 s.shard-*-of-5.h5 -o none.h5
says 'not among the files: 2;'; says 'these are under way or were stopped: 4 (the same `sweep run` continues them)'
expect 5 s.shard-* -o none.h5; says 's.shard-4-of-5.h5.d is a folder'; says 'sweep resume FILE.h5'
expect 5 s.shard-{3,4}-of-5.h5 -o none.h5
says 's.shard-4-of-5.h5 is not there, only its unfinished parts'; says 'sweep resume s.shard-4-of-5.h5'
rmdir s.shard-4-of-5.h5.d; mv away/* .
[ ! -e none.h5 ] && [ ! -e none.h5.d ] && [ -z "$(find . -name '.sweep-*')" ] ||
    fail 'a refused merge left something behind'

cp s.shard-3-of-5.h5 copy.h5
expect 0 s.shard-*.h5 copy.h5 -o twice.h5; says '7 runs are in more than one of the files'
same twice.h5 whole.h5
plain run m.cfg -q -o foreign.h5 -s time.end=2.0e-5 --shard 2/5
expect 5 s.shard-*.h5 foreign.shard-2-of-5.h5 -o none.h5
says 'foreign.shard-2-of-5.h5'; says 'are of different sweeps: leave out what does not belong'
expect 5 s.shard-*.h5 m.cfg -o none.h5; says 'm.cfg is not an HDF5 file'
expect 5 s.shard-*.h5 nothing.h5 -o none.h5; says 'nothing.h5'; says 'No such file'

cp s.shard-3-of-5.h5 s.shard-3-of-2000000000.h5  # a name that somebody else gave it
expect 5 s.shard-3-of-2000000000.h5 -o none.h5; says 'would lack 29 of 36 runs'
rm s.shard-3-of-2000000000.h5

# a part cut at any byte
size=$(stat -c %s s.shard-3-of-5.h5)
mkdir cut
for k in 0 1 7 8 100 $((size / 9)) $((size / 5)) $((size / 3)) $((size / 2)) $((size * 2 / 3)) $((size * 9 / 10)) \
    $((size - 4096)) $((size - 9)) $((size - 1)); do
    head -c $k s.shard-3-of-5.h5 > cut/s.shard-3-of-5.h5
    expect 5 s.shard-[1245]-*.h5 cut/s.shard-3-of-5.h5 -o none.h5
    grep -qE '^error: cut/s.shard-3-of-5.h5 is (not an HDF5 file|a damaged HDF5 file: .*copy the file once more)' err ||
        fail "cut at $k: $(cat err)"
    [ ! -e none.h5 ] || fail "cut at $k: merged"
done

if [ -n "$python" ]; then
    cp s.shard-5-of-5.h5 other.h5
    py -c 'import h5py; h5py.File("other.h5", "r+").attrs["source"] = "sweep 0.0.9"' || fail 'h5py'
    expect 0 s.shard-[1234]-*.h5 other.h5 -o mixed.h5
    says 'other.h5 by sweep 0.0.9: numbers may differ in their last digits'
    py -c 'import h5py; h5py.File("other.h5", "r+").attrs["sweep_schema"] = "4.0"' || fail 'h5py'
    expect 5 s.shard-[1234]-*.h5 other.h5 -o none.h5; says 'other.h5 is written by a newer sweep (schema 4.0'
fi

# one at a time, by whoever
mkdir busy.h5.d
exec 9>busy.h5.d/lock
flock 9
expect 5 s.shard-*.h5 -o busy.h5 9>&-; says 'busy.h5 is being written by'
exec 9>&-
expect 0 s.shard-*.h5 -o busy.h5

# a disk that is full: the size of a file is limited
for kib in 1 16 40; do
    (ulimit -f $kib; trap '' XFSZ; "$sweep" merge s.shard-*.h5 -o full.h5 >out 2>err)
    [ $? = 5 ] && grep -q 'full.h5.*File too large' err || fail "limit of $kib KiB: $(cat err)"
    [ ! -e full.h5 ] && [ ! -e full.h5.d ] || fail "limit of $kib KiB: something is left behind"
done

# kill -9 at times all over a merge, then the same again
before=$(date +%s%N)
expect 0 s.shard-*.h5 -o timed.h5
took=$(($(date +%s%N) - before))
killed=0 torn=0
for k in 1 2 3 4 5 6 7 8; do
    "$sweep" merge s.shard-*.h5 -o killed-$k.h5 >/dev/null 2>&1 & pid=$!
    sleep "$(printf %d.%09d $((took * k / 8 / 1000000000)) $((took * k / 8 % 1000000000)))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null || killed=$((killed + 1))  # it holds its lock until it is gone
    [ -z "$(find killed-$k.h5.d -name '.sweep-*' 2>/dev/null)" ] || torn=$((torn + 1))
    # after its rename, only its lock is left
    { [ -e killed-$k.h5 ] && [ ! -e killed-$k.h5.d ]; } || expect 0 --force s.shard-*.h5 -o killed-$k.h5
    [ -z "$(find . -maxdepth 1 -name '.sweep-*')" ] && [ ! -e killed-$k.h5.d ] ||
        fail "a killed merge left something behind: $(ls -d killed*)"
done
[ $killed -gt 0 ] || fail 'no merge was killed'

# ---- virtual files, which earlier versions made, are read; none is made
expect 2 --virtual s.shard-*.h5 -o v.h5; says '--virtual is no option any more: leave it out'
if [ -n "$python" ]; then
    mkdir -p night/parts
    cp s.shard-[12]-* night/; cp s.shard-[345]-* night/parts/
    expect 0 night/s.shard-*.h5 night/parts/*.h5 -o night/v.h5
    as_virtual night/v.h5 night/s.shard-*.h5 night/parts/*.h5
    mv night moved
    "$sweep" show moved/v.h5 >shown 2>err && "$sweep" show whole.h5 >shown_whole || fail 'show'
    wc -l < shown | grep -qx "$(wc -l < shown_whole)" || fail 'show of a virtual file'
    plain status moved/v.h5
    plain xdmf moved/v.h5
    (cd moved && plain run ../m.cfg -q -o v.h5)  # nothing to do
    cp -r moved 'm 1'
    for file in moved/v.h5 'm 1/v.h5'; do
        "$sweep" run m.cfg -q -o "$file" -s 'sweep.l=[1.0, 2.0, 3.0]' 2>err && fail 'something was added to it'
        says "$file is virtual, and nothing can be added to it"
    done
    says "sweep merge 'm 1/v.h5' -o 'm 1/v.h5'"
    rm -r 'm 1'
    expect 0 moved/v.h5 -o real.h5; same real.h5 whole.h5
    cp moved/v.h5 v.h5; expect 0 moved/v.h5 -o moved/v.h5; same moved/v.h5 whole.h5; mv v.h5 moved/
    rm real.h5; mv moved/parts/s.shard-4-of-5.h5 .
    for command in 'show moved/v.h5' 'status moved/v.h5' 'merge moved/v.h5 -o real.h5' 'xdmf moved/v.h5' \
        'resume moved/v.h5'; do
        "$sweep" $command >out 2>err && fail "$command: a part is missing, and nothing is said"
        says 'moved/v.h5 is virtual: the fields are in its parts, and moved/parts/s.shard-4-of-5.h5 is not there'
    done
    head -c 1000 s.shard-4-of-5.h5 > moved/parts/s.shard-4-of-5.h5
    expect 5 moved/v.h5 -o real.h5; says 's.shard-4-of-5.h5 has changed'
    if py -c 'import matplotlib' 2>/dev/null; then
        SWEEP_PYTHON=$python SWEEP_SHARE=$top/scripts/plot "$sweep" plot moved/v.h5 -o v.png >out 2>err && fail 'plot'
        says 'moved/v.h5 is virtual, and its part moved/parts/s.shard-4-of-5.h5 has changed (from'
        py $top/scripts/plot/plot.py moved/v.h5 -o v.png >out 2>err && fail 'plot.py'
        says "'moved/parts/s.shard-4-of-5.h5' is not there or not what it was"
    fi
    cp s.shard-4-of-5.h5 moved/parts/
    expect 0 moved/v.h5 -o real.h5; same real.h5 whole.h5
fi

# ---- the C library picks its code by the processor: where bits differ, provenance says what decided them
text() { "$sweep" show "$1" --json | sed -n 's/^ *"math_library": "\(.*\)",$/\1/p'; }
[ "$(text s.shard-1-of-5.h5)" = "$("$sweep" --version | sed -n 's/^math  *//p')" ] || fail 'show and --version'
silent err
for how in SWEEP_SIMD=generic GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable; do
    (export "$how"; plain run m.cfg -q -o other.h5 --shard 5/5)
    expect 0 s.shard-[1-4]-of-5.h5 other.shard-5-of-5.h5 -o libs.h5
    if [ "$(text s.shard-1-of-5.h5)" != "$(text other.shard-5-of-5.h5)" ]; then
        says "s.shard-1-of-5.h5 was computed by $(text s.shard-1-of-5.h5), other.shard-5-of-5.h5 by $(text \
            other.shard-5-of-5.h5): numbers may differ in their last digits from those of one library and processor"
        [ "$(text libs.h5)" = "$(text s.shard-1-of-5.h5); $(text other.shard-5-of-5.h5)" ] || fail 'both are listed'
    else same s.shard-5-of-5.h5 other.shard-5-of-5.h5; fi
    rm -f other.* libs.h5
done

# ---- more inputs than files that may be open
for ((k = 1; k <= 20; k++)); do plain run m.cfg -q -o many.h5 --shard $k/20; done
(ulimit -n 20; exec "$sweep" merge many.shard-*.h5 -q -o few.h5) 2>err || fail 'ulimit -n 20'
same few.h5 whole.h5

# ---- single precision beside double
plain run m.cfg -q -o single.h5 -s 'output.fields.precision="single"' --shard 1/5
expect 0 single.shard-1-of-5.h5 s.shard-[2345]*.h5 -o v.h5

if [ -n "$python" ]; then
    export PYTHONPATH="$top/tests/helpers" PYTHONDONTWRITEBYTECODE=1
    $python - killed-*.h5 <<'PY' || fail 'datasets differ after a kill'
import sys
import h5py
from compare_h5 import compare
with h5py.File("whole.h5") as whole:
    sys.exit(any(fault for path in sys.argv[1:] for fault in compare(whole, h5py.File(path))))
PY
fi
summary "$killed of 8 merges killed, $torn of them while writing"
