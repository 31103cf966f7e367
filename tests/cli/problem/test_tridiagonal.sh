#!/bin/bash
# Tridiagonal systems as a user meets them: matrices with a name and given ones, columns, failed runs, and what is
# refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- a few systems whose solutions are known by hand; one that is singular, which harms no other
cat >given.cfg <<'CFG'
problem = "tridiagonal";
sweep   = { a = [0.0, 1.0, -4.0]; };
grid    = { n = 7; };
lower   = "1";
main    = "a";
upper   = "1";
rhs     = "i";
run     = { device = "cpu"; };
output  = { file = "given.h5"; fields = { precision = "double"; }; };
CFG
expect 0 check given.cfg
expect 1 run given.cfg
says '2 ok, 1 failed (run 0: the matrix is singular to working precision: elimination finds no pivot at row 7)'
expect 0 show given.h5 --csv; prints 'residual,backward_error,forward_error'
expect 1 run given.cfg; says 'nothing to do'
[ -z "$python" ] || py - 2>out <<'PY' || fail "given.h5"
import h5py, numpy as np
f = h5py.File("given.h5")
assert f["x"].shape == (3, 1, 7) and list(f["i"][:]) == [1, 2, 3, 4, 5, 6, 7], f["x"].shape
assert f["x"].dims[2][0].name == "/i"
assert list(f["status"][:]) == [3, 1, 1] and b"row 7" in f["message"][0] and not f["message"][1]
x = f["x"][:, 0]
assert np.isnan(x[0]).all() and np.array_equal(x[1], [3, -2, 1, 4, -1, 2, 5])
a = np.diag(-4.0 * np.ones(7)) + np.diag(np.ones(6), 1) + np.diag(np.ones(6), -1)
assert np.abs(x[2] - np.linalg.solve(a, np.arange(1.0, 8))).max() < 1e-15
assert np.isnan(f["residual"][0]) and f["residual"][1] == 0 and 0 < f["backward_error"][2] < 1e-16
assert np.isnan(f["forward_error"][:]).all() and np.isnan(f["err_l2"][:]).all()
r = a @ x[2] - np.arange(1.0, 8)
assert np.isclose(f["residual"][2], np.linalg.norm(r) / np.linalg.norm(np.arange(1.0, 8)), rtol=1, atol=1e-16)
PY
expect 0 xdmf given.h5
expect 1 run given.cfg -o single.h5 -s output.fields.precision=single -s 'sweep.n=[5, 9]' -s 'grid.n="n"' -s run.batch=2
[ -z "$python" ] || py - 2>out <<'PY' || fail "single.h5"
import h5py, numpy as np
f = h5py.File("single.h5")
assert f["n00009/x"].dtype == np.float32 and list(f["n00009/i"][:]) == list(range(1, 10))
PY

# ---- closed to a circle; one and two unknowns; a longer sweep computes only what is new
expect 0 run given.cfg -o circle.h5 -s cyclic=true -s 'lower="i"' -s 'upper="2 - i"' -s 'main="a + 3*i"'
[ -z "$python" ] || py - 2>out <<'PY' || fail "circle.h5"
import h5py, numpy as np
f, i = h5py.File("circle.h5"), np.arange(1.0, 8)
for run, a in enumerate(f["a"][:]):
    m = np.diag(a + 3 * i) + np.diag(i[1:], -1) + np.diag(2 - i[:-1], 1)
    m[0, 6] += 1
    m[6, 0] += -5
    assert np.allclose(f["x"][run, 0], np.linalg.solve(m, i), rtol=1e-12), run
PY
for n in 1 2; do expect 1 run given.cfg -o small.h5 --force -s "grid.n=$n"; says '1 failed'; done
expect 1 run given.cfg -s 'sweep.a=[0.0, 1.0, -4.0, 5.0]'; says '1 of 4 runs left'

# ---- the matrices with a name: those without random numbers, against numpy; the others by what they promise
cat >words.cfg <<'CFG'
problem = "tridiagonal";
sweep   = { kind = ["lesp", "kms_inverse", "dorr", "clement", "svd_one_small", "svd_geometric", "svd_one_large",
                    "svd_arithmetic", "uniform", "cut", "half_zero", "lower_1e50", "zero_main", "main_64", "main_1e8",
                    "main_1e8_inverse"];
            unit = "range(1, 60, 1)"; };
grid    = { n = 60; };
matrix  = "$kind";
rhs     = "i == unit";                   // columns of the inverse
run     = { device = "cpu"; };
output  = { file = "words.h5"; fields = { precision = "double"; }; };
CFG
expect 0 run words.cfg
[ -z "$python" ] || py - 2>out <<'PY' || fail "words.h5"
import h5py, numpy as np
f, n = h5py.File("words.h5"), 60
i, h, m = np.arange(1.0, n + 1), 1 / (n + 1), (n + 1) // 2
def tridiagonal(lower, main, upper):
    return np.diag(main * np.ones(n)) + np.diag((lower * np.ones(n))[1:], -1) + np.diag((upper * np.ones(n))[:-1], 1)
term = 1e-4 / h**2
low = np.where(i <= m, -term, -term + (0.5 - i * h) / h)
high = np.where(i <= m, -term - (0.5 - i * h) / h, -term)
kms = 0.5 ** np.abs(np.subtract.outer(i, i))
known = {"lesp": tridiagonal(1 / i, -(2 * i + 3), i + 1), "kms_inverse": np.linalg.inv(kms),
         "dorr": tridiagonal(low, -(low + high), high), "clement": tridiagonal(n + 1 - i, 0, i)}
kind = f["kind"].asstr()[:]
inverse = {k: f["x"][:][kind == k][:, 0].T for k in dict.fromkeys(kind)}
assert (f["status"][:] == 1).all() and (f["backward_error"][:] < 1e-15).all()
for k, a in known.items():
    assert np.abs(a @ inverse[k] - np.eye(n)).max() < 1e-13 * np.linalg.cond(a), k
s = {k: 1 / np.linalg.svd(inverse[k], compute_uv=False)[::-1] for k in inverse}
geometric = 1e15 ** (-np.arange(n) / (n - 1))
assert np.allclose(s["svd_geometric"][-20:], geometric[-20:], rtol=0.2) and 0.5e-15 < s["svd_one_small"][-1] < 2e-15
for k in ("svd_one_large", "svd_one_small", "svd_arithmetic"):
    assert 0.3e-15 < s[k][-1] < 3e-15, (k, s[k])
assert abs(s["svd_one_small"][-2] - 1) < 0.5
PY

# the diagonals themselves, of random matrices: A x with x = e_j comes back as rhs of a given matrix
cat >same.cfg <<'CFG'
problem = "tridiagonal";
sweep   = { s = [1, 7]; n = [512, 1000]; };
grid    = { n = "n"; };
seed    = "s";
matrix  = "uniform";
exact   = "3 + randn(5)";
run     = { device = "cpu"; };
output  = { file = "same.h5"; fields = { precision = "double"; }; };
CFG
expect 0 run same.cfg
expect 0 run same.cfg -o expressions.h5 -s 'matrix="given"' -s 'lower="2*rand(s + 0.25) - 1"' \
    -s 'main="2*rand(s + 0.5) - 1"' -s 'upper="2*rand(s + 0.75) - 1"'
[ -z "$python" ] || py - 2>out <<'PY' || fail "a matrix with a name and its expressions"
import h5py, numpy as np
a, b = h5py.File("same.h5"), h5py.File("expressions.h5")
for n in ("n00512", "n01000"):
    assert np.array_equal(a[n]["x"][:], b[n]["x"][:]) and np.ptp(a[n]["x"][:, 0, 0]) < 1e-9
assert (a["forward_error"][:] < 1e-9).all() and (a["err_rel"][:] < 1e-9).all()
assert len(set(a["residual"][:])) == 4
PY

# ---- seeds that change nothing are told, unless an expression takes them
expect 0 check same.cfg -o none.h5; ! grep -q 'changes nothing' out || fail 'seeds of random matrices'
expect 0 check same.cfg -o none.h5 -s 'matrix="dorr"'
prints 'note     seed changes nothing: matrix = "dorr" has no random numbers; runs that differ in s alone are equal'
expect 0 check same.cfg -o none.h5 -s 'matrix="$kind"' -s 'sweep.kind=["uniform", "lesp", "svd_arithmetic", "clement"]'
prints 'note     seed changes nothing: matrix = "lesp" has no random numbers; runs that differ in s alone are equal; 8 of 16'
[ $(grep -c 'changes nothing' out) = 1 ] || fail 'one note is enough'
expect 0 check same.cfg -o none.h5 -s lower=1 -s main=4 -s upper=1 -s 'matrix="given"'
prints 'seed changes nothing: it is for the random matrices with a name; runs that differ in s alone are equal'
for more in 'main="4 + rand(s)"' 'rhs="rand(seed)"' 'exact="rand(double)"'; do
    expect 0 check same.cfg -o none.h5 -s 'matrix="given"' -s lower=1 -s main=4 -s upper=1 -s 'define.double="2*s"' \
        -s "$more"
    ! grep -q 'changes nothing' out || fail "$more has the seed"
done

# ---- blocks of a matrix with given singular values, cyclic ones, any n
for n in 1 2 3 511 513 1100; do
    expect 0 run same.cfg -o svd.h5 --force -s 'matrix="svd_arithmetic"' -s 'sweep.s=[1]' -s "sweep.n=[$n]"
    says '1 ok'
done
expect 0 run same.cfg -o svd.h5 --force -s cyclic=true -s 'sweep.n=[3, 64]'; says '4 ok'

# ---- both rhs and exact: exact is only compared with
expect 0 run same.cfg -o both.h5 -s 'rhs="0"' -s 'exact="1"'
[ -z "$python" ] || py - 2>out <<'PY' || fail "rhs and exact"
import h5py
f = h5py.File("both.h5")
assert (f["residual"][:] == 0).all() and (f["backward_error"][:] == 0).all()
assert (f["n00512/x"][:] == 0).all() and (f["forward_error"][:] == 1).all() and (f["err_l2"][:] == 1).all()
PY

# ---- on a GPU, if there is one: the same runs end, and x is as good
if "$sweep" run words.cfg -o words_gpu.h5 -s run.device=cuda >out 2>err; then
    expect 1 run given.cfg -o given_gpu.h5 -s run.device=cuda
    says '2 ok, 1 failed (run 0: the matrix is singular to working precision: elimination finds no pivot at row 7)'
    expect 1 run given.cfg -o bad_gpu.h5 -s run.device=cuda -s 'main="a/(i - 3)"'; says 'main of row 3 is infinite'
    sed '/^rhs/d' given.cfg >exact.cfg
    expect 1 run exact.cfg -o bad_gpu.h5 --force -s run.device=cuda -s 'main="a + 9"' -s 'exact="i == 5 ? 0/0 : i"'
    says 'exact of row 5 is not a number'
    expect 0 run exact.cfg -o large_gpu.h5 -s run.device=cuda -s 'main="a + 9"' -s 'exact="i == 5 ? 1e39 : i"' \
        -s output.fields.precision=single
    says '1 number is beyond single precision'
    for cyclic in false true; do
        expect 0 run same.cfg -o "same_gpu_$cyclic.h5" -s run.device=cuda -s cyclic=$cyclic -s 'sweep.n=[3, 64, 1000]'
        expect 0 run same.cfg -o "same_cpu_$cyclic.h5" -s cyclic=$cyclic -s 'sweep.n=[3, 64, 1000]'
    done
    expect 0 run same.cfg -o single_gpu.h5 -s run.device=cuda -s output.fields.precision=single
else
    skip_gpu words.cfg
fi
[ -z "$python" ] || [ ! -e words_gpu.h5 ] || py - 2>out <<'PY' || fail "a GPU beside the CPU"
import h5py, numpy as np
gpu, cpu = h5py.File("words_gpu.h5"), h5py.File("words.h5")
assert (gpu["status"][:] == cpu["status"][:]).all() and (gpu["backward_error"][:] < 4e-15).all()
gpu, cpu = h5py.File("given_gpu.h5"), h5py.File("given.h5")
assert np.allclose(gpu["x"][:], cpu["x"][:3], rtol=1e-12, equal_nan=True)
for cyclic in ("false", "true"):
    gpu, cpu = h5py.File(f"same_gpu_{cyclic}.h5"), h5py.File(f"same_cpu_{cyclic}.h5")
    assert (gpu["backward_error"][:] < 4e-15).all() and (gpu["forward_error"][:] < 1e-8).all()
    for n in ("n00003", "n00064", "n01000"):
        assert np.allclose(gpu[n]["x"][:], cpu[n]["x"][:], rtol=1e-8), (cyclic, n)
gpu, cpu = h5py.File("single_gpu.h5"), h5py.File("same.h5")
assert np.allclose(gpu["n00512/x"][:], cpu["n00512/x"][:], rtol=1e-6) and gpu["n00512/x"].dtype == np.float32
PY

# ---- a run that is done and certain of nothing says so
expect 0 run given.cfg -o hilbert.h5 \
    -s 'main="i == 1 ? 1 : i == 7 ? 1 + 1e-16 + a : 2"' -s 'lower="-1"' -s 'upper="-1"' \
    -s 'sweep.a=[3e-16, 1.0]'
says 'no digit of x is certain'

# ---- measures at the ends of the range of numbers; 4.40077e-17 is the exact fraction, rounded
ends() {  # ends A RHS: a (1 4 1), all right-hand sides alike
    printf 'problem = "tridiagonal"; grid = { n = 6; }; lower = "%s"; main = "4*%s"; upper = "%s"; rhs = "%s";\n' \
        "$1" "$1" "$1" "$2" >ends.cfg
    expect 0 run ends.cfg --device cpu -o ends.h5 --force
    "$sweep" show ends.h5 >out
}
ends 1 1e308; matches 'done +4.32112e-17 +4.40077e-17$'
ends 1 1e-300; matches 'done +[0-9.]+e-17 +[0-9.]+e-17$'
ends 1 1e-304; matches 'done +nan +nan +no residual is known: the right-hand side is below 1e-301'
ends 1e-310 1e-5; matches 'done +[0-9.]+e-1[67] +[0-9.]+e-1[67]$'  # a condition number of 3, not of infinity
ends 1e300 1e-25; matches 'done +1 +1 +x has a backward error of 1: .* leaves 1e-16, unless numbers underflow'

# ---- what is saved in single precision may be beyond it: a run says so
sed '/^rhs/d' given.cfg >large.cfg
expect 0 run large.cfg -o large.h5 -s 'sweep.a=[1.0, 3.0, 4.0]' -s output.fields.precision=single \
    -s 'exact="a < 2 ? i : i > a ? 1e39 : 3.4e38"'
says '3 ok'; "$sweep" show large.h5 >out; [ $(grep -c 'beyond single' out) = 2 ] || fail 'the run of small numbers'
matches '^ +1 .*  4 numbers are beyond single precision and saved as infinite; use output.fields.precision = "double"$'
matches '^ +2 .*  3 numbers are beyond single precision'
expect 0 run large.cfg -o large.h5 --force -s 'sweep.a=[3.0]' -s 'exact="1e39"'; "$sweep" show large.h5 >out
! grep -q 'beyond single' out || fail 'double precision'

# ---- failed runs: entries that are not finite, a row of zeros, a solution beyond the range of numbers
expect 1 run given.cfg -o bad.h5 -s 'main="a/(i - 3)"'; says 'main of row 3 is not a number'
says 'main of row 3 is infinite'
expect 1 run given.cfg -o bad.h5 --force -s 'rhs="i == 5 ? 1/0 : 1"'; says 'rhs of row 5 is infinite'
for cyclic in false true; do  # with exact alone, rhs is A exact
    exact=(-s 'sweep.a=[1.0, 3.0]' -s "cyclic=$cyclic" -s 'main="a > 2 ? 5 : 4"')
    sed '/^rhs/d' given.cfg >exact.cfg
    expect 1 run exact.cfg -o bad.h5 --force "${exact[@]}" -s 'exact="i == 5 && a > 2 ? 0/0 : i"'
    says '1 ok, 1 failed (run 1: exact of row 5 is not a number)'
    expect 1 run exact.cfg -o bad.h5 --force "${exact[@]}" -s 'exact="i == 7 && a > 2 ? -1/0 : i"'
    says '1 ok, 1 failed (run 1: exact of row 7 is infinite)'
    expect 1 run exact.cfg -o bad.h5 --force "${exact[@]}" -s 'exact="i == 4 && a > 2 ? 1e308 : i"'
    says '1 ok, 1 failed (run 1: rhs = A exact overflows at row 4)'
    expect 0 run given.cfg -o bad.h5 --force "${exact[@]}" -s 'exact="i == 5 && a > 2 ? 0/0 : i"'  # only compared with
    says 'run 1: no error norms: exact is nan at i = 5'
    "$sweep" show bad.h5 >out; matches '^ +1 +3 +done.* no error norms: exact is nan at i = 5$'
    [ $(grep -c 'no error norms' out) = 1 ] || fail 'the other run has norms'
done
expect 1 run given.cfg -o bad.h5 --force -s 'lower="i != 4"' -s 'main="a*(i != 4)"' -s 'upper="i != 4"'
says 'singular to working precision: elimination finds no pivot at row 4'
expect 1 run given.cfg -o bad.h5 --force -s 'lower="0"' -s 'upper="0"' -s 'main="i == 6 ? 1e-300 : 1"' \
    -s 'rhs="1e10"' -s 'sweep.a=[1.0]'
says 'x overflows at row 6: the solution is beyond the range of numbers'
expect 1 run given.cfg -o bad.h5 --force -s grid.n=8 -s 'sweep.a=[0.0]' -s solver=cpu.spike_thomas
says 'cpu.spike_thomas breaks down: x is not finite from row 1 on; with pivoting there is an x: use solver = "auto"'

# ---- rows of very different scale: x = i, exactly; periodic second differences are singular, with any f
cat >scales.cfg <<'CFG'
problem = "tridiagonal";
sweep   = { P = [160, 165, 170, 250, 300]; };
grid    = { n = 3; };
lower   = "-2*10^(-P)";
main    = "i < 2 ? -2*10^P : i < 3 ? -10^(-P) : -2*10^(-P)";
upper   = "i < 2 ? -10^P : 10^(-P)";
exact   = "i";
run     = { device = "cpu"; };
output  = { file = "scales.h5"; fields = { precision = "double"; }; };
CFG
expect 0 run scales.cfg
[ -z "$python" ] || py 2>out -c 'import h5py
assert (abs(h5py.File("scales.h5")["x"][:, 0] - [1, 2, 3]) < 1e-15).all()' || fail "x of scales.h5"
expect 1 run scales.cfg -o singular.h5 -s 'sweep.P=[5, 7, 64]' -s grid.n=P -s cyclic=true \
    -s 'lower="-1"' -s 'main="2"' -s 'upper="-1"' -s 'exact="sin(i)"'
says '3 failed'; says 'the matrix is singular to working precision'

# ---- what is refused, with its line
refused() { expect 3 check given.cfg "${@:2}"; says "$1"; }
refused "'lower' = \"1\": matrix = \"uniform\" has its own diagonals; leave one of the two out" -s 'matrix="uniform"'
refused "-s: error: 'matrix' = \"unifrm\" is none of uniform, " -s 'matrix="unifrm"'
refused "did you mean 'uniform'?" -s 'matrix="unifrm"'
refused "'grid.n' = 0: must be at least 1" -s grid.n=0
refused "'grid.n' = 1000000000000: must be at most 549755813888" -s grid.n=1e12
refused "'grid.n' = 2 in run 0 (a = 0): a cyclic system has 3 unknowns at least" -s grid.n=2 -s cyclic=true
refused "'cyclic' must be true or false, without quotes" -s 'cyclic="yes"'
refused "'grid.length' is a key of" -s grid.length=2
refused "unknown key 'time': tridiagonal has no time; leave the group out" -s time.dt=1
refused "'run.precision' = \"single\": tridiagonal systems are solved in double precision only" \
    -s 'run.precision="single"'
refused "'solver' = \"cpu.lapck\": there is no such row; did you mean 'cpu.lapack'?" -s 'solver="cpu.lapck"'
refused "'solver' = \"cpu.spike\": it takes no cyclic system, which may be singular once opened; cpu.relations does" \
    -s 'solver="cpu.spike"' -s cyclic=true
refused "'solver' = \"cpu.lapack\": LAPACK counts with 32 bits, up to 2147483640 rows; cpu.relations has" \
    -s 'solver="cpu.lapack"' -s grid.n=2147483641.0
refused "unknown name 'x'" -s 'main="x + a"'
refused "'sweep.i' cannot be called 'i': it is a coordinate" -s 'sweep.i=[1, 2]'
refused "'sweep.x' cannot be called 'x'" -s 'sweep.x=[1, 2]'
refused "'seed' = -1: must be at least 0" -s seed=-1
sed '/^rhs/d' given.cfg >none.cfg
expect 3 check none.cfg
says "'rhs' is missing: give rhs, source.rhs, or exact, the solution: the right-hand side is then A x"
sed '/^main/d' given.cfg >none.cfg
expect 3 check none.cfg
says "'main' is missing: give lower, main and upper, each an expression in i = 1 .. n, or the word of a matrix"

# ---- a system that does not fit the memory
expect 4 check given.cfg -s grid.n=1e11 -s solver=cpu.relations_adaptive; says 'lower grid.n to at most'
expect 0 check given.cfg -s grid.n=1e11; matches ' [0-9]{2,} slices a run'  # slice by slice

# ---- names are known to list, explain and completion
expect 0 list; prints 'tridiagonal systems'; prints 'cpu.lapack'
expect 0 explain i; prints 'The number of a row and of its unknown, 1 .. n.'; prints 'lower, main, upper, rhs, exact'
expect 0 explain dorr; prints "gallery('dorr', n, 1e-4)"; prints 'main: 2*1e-4*(n + 1)^2 + abs((n + 1)/2 - i)'
summary
