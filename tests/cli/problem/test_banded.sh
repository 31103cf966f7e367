#!/bin/bash
# problem = "banded": systems beside dense ones, files, runs that fail, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- expressions: every row beside a dense solution, cyclic and not, for short and long systems
cat >given.cfg <<'CFG'
problem = "banded";
sweep   = { n = [1, 2, 3, 5, 9, 10, 60]; k = [1, 2]; };
grid    = { n = "n"; };
bands   = { m3 = "rand(k) - 1/2"; m1 = "rand(k + 1/4)"; main = "6 + k"; p1 = "cos(i)"; p4 = "1/i"; };
rhs     = "sin(i) + k";
run     = { device = "cpu"; };
output  = { file = "given.h5"; fields = { precision = "double"; }; };
CFG
cat >matrix.py <<'PY'
import h5py, numpy as np

def dense(bands, n, cyclic):
    """The matrix with entry i of bands[place], counted from 0, in row i."""
    a = np.zeros((n, n))
    for place, entries in bands.items():
        for i in range(n):
            if cyclic or 0 <= i + place < n:
                a[i, (i + place) % n] += entries[i]
    return a
PY
expect 0 check given.cfg; prints 'bands    m3, m1, main, p1, p4: 3 below the main diagonal, 4 above'
prints 'matrices one for each run'; prints 'memory'
expect 0 run given.cfg; says '14 ok'
# the entries of the matrix are those of tridiagonal systems with the same expressions
row() { expect "${3:-0}" run given.cfg -o "$1.h5" -s solver=\""$1"\" "${@:4}"; says "$2"; }
row cpu.lu '14 ok'; row cpu.lapack '14 ok'
expect 3 check given.cfg -s 'solver="cpu.thomas"'
says "'solver' = \"cpu.thomas\": it takes at most 2 diagonals on a side"
narrow=(-s 'bands={ m2="rand(k) - 1/2"; m1="rand(k+1/4)"; main="6+k"; p1="cos(i)"; p2="1/i"; }' -s 'sweep.n=[5, 9, 60]')
for row in cpu.lu cpu.lapack cpu.thomas; do
    row $row '6 ok' 0 --force "${narrow[@]}"
    row $row '6 ok' 0 --force "${narrow[@]}" -s cyclic=true
done
[ -z "$python" ] || py - 2>out <<'PY' || fail "entries beside numpy"
import h5py, numpy as np
exec(open("matrix.py").read())
for row in ("cpu.lu", "cpu.lapack", "cpu.thomas"):
    f = h5py.File(row + ".h5")
    assert (f["backward_error"][:] < 1e-15).all() and (f["residual"][:] < 1e-15).all(), row
PY

# ---- matrices with a name, which numpy forms, too
cat >named.cfg <<'CFG'
problem = "banded";
sweep   = { kind = ["hyperdiffusion", "biharmonic", "toeppen", "grcar"]; };
grid    = { n = 12; };
matrix  = "$kind";
sigma   = 0.25;
rhs     = "i*i";
run     = { device = "cpu"; };
output  = { file = "named.h5"; fields = { precision = "double"; }; };
CFG
for cyclic in false true; do
    expect 0 run named.cfg -o named.$cyclic.h5 -s cyclic=$cyclic
    [ -z "$python" ] || CYCLIC=$cyclic py - 2>out <<PY || fail "named matrices, cyclic = $cyclic"
import numpy as np
exec(open("matrix.py").read())
n, s, cyclic = 12, 0.25, "$cyclic" == "true"
one = np.ones(n)
beam = 6*one
beam[[0, -1]] = 7
bands = [{-2: s*one, -1: -4*s*one, 0: (1 + 6*s)*one, 1: -4*s*one, 2: s*one},
         {-2: one, -1: -4*one, 0: beam, 1: -4*one, 2: one},
         {-2: one, -1: -10*one, 1: 10*one, 2: one}, {-1: -one, 0: one, 1: one, 2: one, 3: one}]
x = h5py.File("named.$cyclic.h5")["x"][:, 0]
for k in range(4):
    a, f = dense(bands[k], n, cyclic), np.arange(1.0, n + 1)**2
    if np.linalg.cond(a) < 1e10:
        assert np.allclose(x[k], np.linalg.solve(a, f), rtol=1e-10, atol=1e-10), (k, x[k])
PY
done

# ---- runs that fail say so, and harm no other
cat >fail.cfg <<'CFG'
problem = "banded";
sweep   = { k = [1, 2, 3, 4]; };
grid    = { n = 20; };
bands   = { m2 = "k == 2 && i == 7 ? 1/0 : 1"; m1 = "0"; main = "k == 3 ? (i == 5 ? 0 : 1) : 4";
            p1 = "k == 4 && i == 20 ? 0/0 : 0"; p2 = "k == 3 && i == 5 ? 0 : k == 3 && i == 3 ? 0 : 1"; };
exact   = "i + k";
run     = { device = "cpu"; };
output  = { file = "fail.h5"; fields = { precision = "double"; }; };
CFG
expect 1 run fail.cfg; says '2 ok, 2 failed'
expect 0 show fail.h5; prints 'm2 of row 7 is infinite'
expect 1 run fail.cfg -o one.h5 -s 'sweep.k=[2]'
expect 0 run fail.cfg -o four.h5 -s 'sweep.k=[4]'; says '1 ok'  # an entry outside the matrix may be anything
[ -z "$python" ] || py - 2>out <<'PY' || fail "runs beside those that fail"
import h5py, numpy as np
f, g = h5py.File("fail.h5"), h5py.File("four.h5")
assert np.isnan(f["x"][1]).all() and np.isnan(f["x"][2]).all() and (f["x"][3] == g["x"][0]).all()
assert np.isnan(f["backward_error"][1:3]).all() and (f["backward_error"][[0, 3]] < 1e-15).all()
PY
# singular matrices name the row
expect 1 run fail.cfg -o singular.h5 -s 'bands={ m1="1"; main="i == 9 ? 0 : 1"; p1="0"; }' -s 'sweep.k=[1]' \
    -s 'rhs="1"' -s 'exact="1"'
says 'the matrix is singular to working precision: elimination finds no pivot at row '
# elimination without row exchanges: a pivot of zero, and an x that is lost, whose backward error the table has
lost=(-s 'sweep.k=[1, 4, 10, 16]' -s 'bands={ m2="1"; m1="1"; main="10^-k"; p1="1"; p2="1"; }' -s 'exact="i"')
expect 1 run fail.cfg -o lost.h5 "${lost[@]}" -s 'solver="cpu.thomas"'
says 'cpu.thomas has lost x: its backward error is '
says ', above 1e-8; it does not exchange rows, as solver = "auto" does'
expect 0 run fail.cfg -o found.h5 "${lost[@]}"; says '4 ok'
expect 1 run fail.cfg -o zero.h5 -s 'matrix="zero_main"' -s 'bands={}' -s 'solver="cpu.thomas"' -s 'exact="i"' \
    -s 'seed="k"'
says 'cpu.thomas finds no pivot in row 1; it does not exchange rows, as solver = "auto" does'
expect 0 run fail.cfg -o exchanged.h5 -s 'matrix="zero_main"' -s 'bands={}' -s 'exact="i"' -s 'seed="k"'
[ -z "$python" ] || py - 2>out <<'PY' || fail "the backward error of runs that are lost"
import h5py, numpy as np
f, g = h5py.File("lost.h5"), h5py.File("found.h5")
lost = f["backward_error"][:] > 1e-8
assert lost.any() and not lost[0] and ((f["status"][:] == 1)[:3] == ~lost[:3]).all()
assert np.isnan(f["x"][:][lost]).all() and (g["backward_error"][:] < 1e-14).all()
PY
# rows for symmetric positive definite matrices
spd=(-s 'sweep.k=[1, 2]' -s 'solver="cpu.lapack_spd"' -s 'exact="i"')
expect 0 run fail.cfg -o spd.h5 "${spd[@]}" -s 'bands={ m1="-1"; main="2+k"; p1="-1"; }'; says '2 ok'
expect 1 run fail.cfg -o spd.h5 --force "${spd[@]}" -s 'bands={ m1="-1"; main="2+k"; p1="1"; }'
says '; it takes symmetric positive definite matrices only'
# units: nothing depends on them
expect 0 run fail.cfg -o units.h5 -s 'sweep.k=[1e-200, 1, 1e200]' \
    -s 'bands={ m2="k*rand(1)"; m1="k*rand(2)"; main="k*rand(3)"; p1="k*rand(4)"; p3="k"; }' -s 'exact="i"'
says '3 ok'

# ---- many, in shards, with threads and stopped: the same bits
cat >many.cfg <<'CFG'
problem = "banded";
sweep   = { k = "range(1, 3000, 1)"; };
grid    = { n = 16; };
bands   = { m2 = "rand(k)"; m1 = "-k/3000"; main = "2"; p1 = "1"; p2 = "rand(k + 1/2)"; };
exact   = "randn(k)";
run     = { device = "cpu"; };
output  = { file = "many.h5"; fields = { precision = "double"; }; };
CFG
expect 0 run many.cfg; says '3000 ok'
expect 0 run many.cfg -o single.h5 -j 1; same many.h5 single.h5
expect 0 run many.cfg -o batches.h5 -s run.batch=7; [ -z "$python" ] || py - 2>out <<'PY' || fail "batches"
import h5py
assert (h5py.File("many.h5")["x"][:] == h5py.File("batches.h5")["x"][:]).all()
PY
expect 0 run many.cfg -o joined.h5 --shard 1/2; expect 0 run many.cfg -o joined.h5 --shard 2/2
expect 0 merge joined.shard-*.h5 -o joined.h5; same many.h5 joined.h5
expect 0 run many.cfg -o rest.h5 --only 'k <= 1000'; expect 0 run many.cfg -o rest.h5; says '2000 of 3000 runs left'
same many.h5 rest.h5

for most in 0.02 0.02 0.02 60; do  # stopped, and continued
    "$sweep" run many.cfg -o stopped.h5 -q -s run.batch=50 --max-time $most >out 2>err
    [ $? = 0 ] && break
done
[ -e stopped.h5 ] || fail 'a sweep that is stopped and continued ends'
[ -z "$python" ] || py - 2>out <<'PY' || fail "stopped and continued"
import h5py
assert (h5py.File("many.h5")["x"][:] == h5py.File("stopped.h5")["x"][:]).all()
PY

# ---- Matrix Market: the width is that of the file, or what the config allows
cat >a.mtx <<'MTX'
%%MatrixMarket matrix coordinate real general
8 8 18
1 1 5
2 2 5
3 3 5
4 4 5
5 5 5
6 6 5
7 7 5
8 8 5
3 1 1
4 2 -1
5 3 2
6 4 0.5
7 5 1
8 6 -2
1 4 1
2 5 1
4 7 1
5 8 -1
MTX
printf '%%%%MatrixMarket matrix array real general\n8 1\n1\n2\n3\n4\n5\n6\n7\n8\n' >f.mtx
cat >market.cfg <<'CFG'
problem = "banded";
source  = { file = "a.mtx"; rhs = "f.mtx"; };
run     = { device = "cpu"; };
output  = { file = "market.h5"; fields = { precision = "double"; }; };
CFG
expect 0 check market.cfg; prints 'bands    m2, main, p3: 2 below the main diagonal, 3 above'
expect 0 run market.cfg
[ -z "$python" ] || py - 2>out <<'PY' || fail "market.h5"
import h5py, numpy as np
a = np.zeros((8, 8))
for line in open("a.mtx").read().split("\n")[2:-1]:
    i, j, v = line.split()
    a[int(i) - 1, int(j) - 1] = float(v)
assert np.allclose(h5py.File("market.h5")["x"][0, 0], np.linalg.solve(a, np.arange(1.0, 9)), rtol=1e-13)
PY
expect 3 check market.cfg -s 'source.width="2"'
says "'source.file' = \"a.mtx\": line 17: the entry (1, 4) is off the 5 diagonals that the matrix may have, 2 on each "
expect 3 check market.cfg -s 'source.width="1"'
says 'line 11: the entry (3, 1) is off the three diagonals; the matrix has to be tridiagonal'
expect 3 check market.cfg -s 'source.width="5"'
printf '%%%%MatrixMarket matrix coordinate real general\n8 8 9\n' >narrow.mtx
printf '1 1 2\n2 2 2\n3 3 2\n4 4 2\n5 5 2\n6 6 2\n7 7 2\n8 8 2\n2 1 1\n' >>narrow.mtx
for width in 1 2 file; do
    expect 0 -q run market.cfg -s 'source.file="narrow.mtx"' -s "source.width=\"$width\"" \
        -o narrow.h5 --force
done
# ---- a row that is lost beside one that is 1e20 times as large: a failed run, though the backward error is 5e-21
cat >lost.cfg <<'CFG'
problem = "banded";
grid    = { n = 3; };
bands   = { main = "i==1?1e-17:i==3?1e20:1"; m1 = "i==2?1:0"; p1 = "i==1?1:0"; };
rhs     = "i==3?1e20:i";
solver  = "cpu.thomas";
run     = { device = "cpu"; };
CFG
expect 1 -q run lost.cfg -o row.h5
expect 0 show row.h5; matches 'cpu.thomas has lost x: it does not solve row 2 to 1e-8 of its terms; it does not'
expect 0 -q run lost.cfg -o row.h5 --force -s 'solver="cpu.lu"'
# ---- a matrix without a diagonal: no x, and no error of it
cat >empty.cfg <<'CFG'
problem = "banded";
grid    = { n = 1; };
bands   = { p1 = "1"; };
rhs     = "1";
CFG
expect 1 -q run empty.cfg -o empty.h5
expect 0 show empty.h5; matches '^ +0 +error +nan +nan '
sed 's/^5 8 -1/1 8 -1/' a.mtx >corner.mtx
expect 3 check market.cfg -s 'source.file="corner.mtx"'
says 'line 20: the entry (1, 8) is off the diagonals; cyclic = true closes the system'
expect 0 run market.cfg -o corner.h5 -s 'source.file="corner.mtx"' -s cyclic=true
[ -z "$python" ] || py - 2>out <<'PY' || fail "corner.h5"
import h5py, numpy as np
a = np.zeros((8, 8))
for line in open("corner.mtx").read().split("\n")[2:-1]:
    i, j, v = line.split()
    a[int(i) - 1, int(j) - 1] = float(v)
assert np.allclose(h5py.File("corner.h5")["x"][0, 0], np.linalg.solve(a, np.arange(1.0, 9)), rtol=1e-13)
PY
sed 's/^8 8 18/12 12 19/; $a 1 7 1' a.mtx >far.mtx
expect 3 check market.cfg -s 'source.file="far.mtx"'
says 'line 21: the entry (1, 7) is off the 9 diagonals that the matrix may have, 4 on each side of the main one'
expect 3 check market.cfg -s 'source.main="/d"'
says 'a Matrix Market matrix has no datasets: all diagonals are taken; leave it out'

# ---- HDF5: one system or many, beside expressions
if [ -n "$python" ]; then
    py - <<'PY'
import h5py, numpy as np
rng = np.random.default_rng(1)
with h5py.File("system.h5", "w") as f:
    for name in ("a", "b", "c", "f"):
        f["batch/" + name] = rng.uniform(-1, 1, (3, 40))
        f[name] = f["batch/" + name][0]
    f["short"] = f["a"][1:]
    bad = f["b"][:]
    bad[[3, 39]] = np.nan
    f["bad"] = bad
PY
    cat >batch.cfg <<'CFG'
problem = "banded";
sweep   = { s = [1, 2, 3]; };
source  = { file = "system.h5"; m3 = "/batch/a"; main = "/batch/b"; p2 = "/batch/c"; rhs = "/batch/f"; system = "s"; };
bands   = { p1 = "s/i"; };
run     = { device = "cpu"; };
output  = { file = "batch.h5"; fields = { precision = "double"; }; };
CFG
    expect 0 check batch.cfg; prints 'bands    m3, main, p1, p2: 3 below'
    for cyclic in false true; do
        expect 0 run batch.cfg -o batch.$cyclic.h5 -s cyclic=$cyclic
        py - 2>out <<PY || fail "batch.$cyclic.h5"
import numpy as np
exec(open("matrix.py").read())
f, r = h5py.File("system.h5"), h5py.File("batch.$cyclic.h5")
for s in range(3):
    a = dense({-3: f["batch/a"][s], 0: f["batch/b"][s], 1: (s + 1)/np.arange(1, 41), 2: f["batch/c"][s]}, 40,
              "$cyclic" == "true")
    x = np.linalg.solve(a, f["batch/f"][s])
    assert np.abs(r["x"][s, 0] - x).max() < 1e-10*np.abs(x).max(), s
    assert r["backward_error"][s] < 1e-15
PY
    done
    expect 1 run batch.cfg -o bad.h5 -s 'source.main="/bad"'; says 'main of row 4 is not a number'
    expect 3 check batch.cfg -s 'source.main="/short"'
    says "'source.main' = \"/short\": it has 39 entries, and source.m3 40"
    expect 3 check batch.cfg -s 'bands.main="1"'; says "'bands.main' = \"1\": the source has it as well"
    expect 3 check batch.cfg -s 'source={ file="system.h5"; }'
    says 'say what to take from it: source.m4 to m1, main, p1 to p4 or rhs name its datasets'
    expect 3 check batch.cfg -s 'sweep.s=[4]'; says 'system.h5 holds 3 systems'
fi

# ---- what is refused, with its line
refused() { expect 3 check given.cfg "${@:2}"; says "$1"; }
cat >none.cfg <<'CFG'
problem = "banded";
grid    = { n = 5; };
rhs     = "1";
CFG
expect 3 check none.cfg
says "'bands.main' is missing: give bands = { main = \"..\"; p1 = \"..\"; .. }, each an expression in i = 1 .. n, or the "
refused "a cyclic system with 3 diagonals below the main one and 4 above has 8 unknowns at least" -s cyclic=true
refused "'run.precision' = \"single\": banded systems are solved in double precision only" \
    -s 'run.precision="single"'
refused "'matrix' = \"uniforn\"" -s 'matrix="uniforn"'
refused "matrix = \"uniform\" has its own diagonals; leave one of the two out" -s 'matrix="uniform"'
refused "unknown key 'bands.p5'" -s 'bands.p5="1"'
refused "'source.p1' = \"/d\": source.file is missing: which file is it in?" -s 'source={ p1="/d"; }'
refused "'source.width' = \"2\": source.file is missing: which file is it of?" -s 'source.width="2"'
expect 0 check named.cfg -o idle.h5 -s 'sweep={ kind=["toeppen", "grcar"]; s=[1, 2]; }' -s 'seed="s"'
prints 'note     seed changes nothing: matrix = "toeppen" has no random numbers; runs that differ in s alone are equal'
expect 0 check named.cfg -o idle.h5 -s 'sweep={ kind=["uniform"]; s=[1, 2]; }' -s 'sigma="s"'
prints 'note     sigma changes nothing: it is for matrix = "hyperdiffusion"'
expect 3 check none.cfg -s 'bands={ main="1"; }' -s 'rhs=""'
expect 3 check none.cfg -s 'bands={ main="1"; p1="y"; }'; says "'bands.p1'"
sed 's/^rhs .*/bands = { main = "1"; };/' none.cfg >norhs.cfg
expect 3 check norhs.cfg
says "'rhs' is missing: give rhs, source.rhs, or exact, the solution: the right-hand side is then A x"
expect 4 check none.cfg -s 'bands={ m4="1"; main="9"; p4="1"; }' -s grid.n=1000000000; says 'one run needs '
expect 3 check none.cfg -s 'bands={ main="k"; }' -s 'sweep={ k="range(1, 100000, 1)"; l="range(1, 10000, 1)"; }'
says '1e+09 runs, more than 1e+07, the most that a sweep may have, and some 400 GB of memory'
expect 0 check none.cfg -s 'bands={ main="2"; p1="1"; }'; prints 'matrices one for all runs'
summary
