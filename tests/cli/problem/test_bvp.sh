#!/bin/bash
# The boundary value problem as a user meets it: results, fields or none, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
tiny=$top/configs/tiny_bvp.cfg

# ---- the file, with fields: u falls from its largest to 0, and all rows agree
expect 0 run "$tiny" -o tiny.h5
[ -z "$python" ] || py - 2>out <<'PY' || fail "tiny.h5"
import h5py, numpy as np
f = h5py.File("tiny.h5")
assert list(f["status"][:]) == [1] * 24, f["status"][:]
assert not any(name in f for name in ("mass", "time_s"))
n, a, u = f["n"][:], f["a"][:], {}
for size in (1, 2, 64, 1001):
    g = f["n%05d" % size]
    assert g["u"].shape == (6, 1, size) and np.allclose(g["x"][:], np.arange(size) / size, rtol=0, atol=1e-15)
    exact = np.outer(a[n == size], np.cos(np.pi / 2 * g["x"][:]))
    d = g["u"][:, 0] - exact
    assert np.abs(d).max() <= 3 * 0.24 / size**2, (size, np.abs(d).max())  # pi^2/48 h^2 for h -> 0; 0.234 for h = 1
    rel = np.sqrt((d**2).sum(1) / (exact**2).sum(1))
    assert np.allclose(rel, f["err_rel"][:][n == size], rtol=1e-6), size
    rows = g["u"][:, 0].reshape(2, 3, size)
    assert np.abs(rows - rows[:, :1]).max() <= 1e-13
PY

# ---- once more: nothing is left to do; a longer axis computes only what is new
expect 0 run "$tiny" -o tiny.h5; says 'nothing to do'
expect 0 run "$tiny" -o tiny.h5 -s 'sweep.a=[1.0, 3.0, 4.0]'; says '12 of 36 runs left'

# ---- fields in single precision; none at all
expect 0 run "$tiny" -o single.h5 -s 'output.fields.precision=single'
sed 's/ fields = .*;/ };/' "$tiny" >none.cfg
expect 0 run none.cfg -o none.h5
[ -z "$python" ] || py - 2>out <<'PY' || fail "precision of the fields"
import h5py, numpy as np
wide, narrow, none = (h5py.File(f) for f in ("tiny.h5", "single.h5", "none.h5"))
assert narrow["n01001/u"].dtype == np.float32 and "n01001" not in none
assert (none["err_rel"][:] == narrow["err_rel"][:]).all()
PY

# ---- on a GPU, if there is one: the same rows, the same numbers
"$sweep" run "$tiny" -o gpu.h5 -s run.device=cuda -s 'sweep.algorithm=["a2s", "a2sd", "a2d"]' >out 2>err ||
    skip_gpu "${tiny##*/}"
[ -z "$python" ] || [ ! -e gpu.h5 ] || py - 2>out <<'PY' || fail "gpu.h5"
import h5py, numpy as np
gpu, cpu = (h5py.File(f) for f in ("gpu.h5", "tiny.h5"))
for size in (1, 2, 64, 1001):
    found = gpu["n%05d/u" % size][:, 0].reshape(2, 3, size)
    wanted = cpu["n%05d/u" % size][:6, 0].reshape(2, 3, size)[:, 1:2]  # a2d
    for row, most in enumerate((3e-4, 3e-4, 1e-13)):                   # 2 (r + s) additions of 6e-8, of up to 3
        assert np.abs(found[:, row:row + 1] - wanted).max() <= most, (size, row)
PY

# ---- 2^28 points in less memory than a field of them: 2 GiB
(ulimit -v 2000000; expect 0 run "$top/configs/bvp_convergence.cfg" -o large.h5 -j 2 -s 'sweep.n=[268435456]' \
    -s run.device=cpu)
"$sweep" show large.h5 | grep -q done || fail "large n without fields"
expect 4 check "$top/configs/bvp_convergence.cfg" -s 'sweep.n=[549755813888L]' -s solver=a2d -s run.device=cpu
says 'one run needs'; says 'lower grid.n to at most'
expect 4 check "$top/configs/bvp_convergence.cfg" -s 'sweep.n=[549755813888L]' -s 'output.fields.precision=double' \
    -s run.device=cpu
says 'one run needs'

# ---- runs that cannot be: each says why, the others go on
expect 1 run none.cfg -o bad.h5 -s 'f=a/(x - 0.5)' -s 'sweep.n=[4, 5]'; says 'f = "a/(x - 0.5)" is inf at x = 0.5'
expect 0 show bad.h5; prints ' error '; prints 'done'

# ---- whole numbers are shown whole
expect 0 run "$top/configs/bvp_convergence.cfg" -o whole.h5 -s 'sweep.n=[1048576]' -s run.device=cpu
expect 0 show whole.h5; prints ' 1048576 '
grep -q 'e+06' out && fail 'show writes 1048576 with an exponent'

# ---- what is refused before anything is done
cat >plain.cfg <<'CFG'
problem = "bvp"; grid = { n = 100; }; f = "1"; run = { device = "cpu"; };
CFG
expect 0 check plain.cfg
expect 3 check plain.cfg -s solver=a3d
says "'solver' = \"a3d\": there is no such row; did you mean 'a1d'?"
expect 3 check "$tiny" -s solver=a3d; says "'solver' = \"a3d\": there is no such row; did you mean 'a1d'?"
grep -q 'changes nothing' err && fail 'a slip in solver is taken for an axis that changes nothing'
expect 3 check "$tiny" -s 'sweep.algorithm=["scan", "cpu.a2e"]'
says "'sweep.algorithm' = \"cpu.a2e\": there is no such row; did you mean 'cpu.a2d'?"
expect 3 check "$tiny" -s 'sweep.algorithm=["scan", "multigrid"]'; says 'there is no such row; `sweep list` shows'
# r that does not fit, where a row uses it: the first run is named, and how many there are
sed 's/^solver .*/&\nr = "a + 2";/' "$tiny" >r.cfg
expect 3 check r.cfg -s 'sweep.n=[4, 7, 8]' -s 'sweep.a=[1, 2]'
says "r.cfg:7: error: 'r' = 3 in run 1 (n = 4, a = 1, algorithm = a2d): a2d needs r columns of at least two entries"
says '1 <= r <= 2 here; r = 0 takes the square root of n; 3 of 18 runs do not fit'
expect 3 run r.cfg -o r.h5 -s 'sweep.n=[4, 7, 8]' -s 'sweep.a=[1, 2]'; [ ! -e r.h5 ] || fail 'r.h5 is written'
expect 0 check r.cfg -s 'sweep.n=[4, 7, 8]' -s 'sweep.a=[1, 2]' -s 'sweep.algorithm=["a1d", "scan"]' -s run.device=cpu
expect 3 check plain.cfg -s solver=cpu.a2d -s r=51; says "'r' = 51: cpu.a2d needs r columns"; says '<= 50 here'
expect 0 check plain.cfg -s solver=cpu.a2d -s r=50
expect 4 check plain.cfg -s grid.n=68719476736L -s 'output.fields.precision=double'; says 'one run needs 51'; says 'GiB'
expect 3 check plain.cfg -s time.dt=1; says "unknown key 'time': bvp has no time; leave the group out"
expect 3 check plain.cfg -s output.scalars.every=1; says "unknown key 'output.scalars'"
expect 3 check plain.cfg -s output.fields.times=1; says "'output.fields.times': bvp has no time; leave it out"
expect 3 check plain.cfg -s f=x*t; says "unknown name 't'"
expect 3 check plain.cfg -s 'f=rand(1)'; says 'rand'
expect 3 check plain.cfg -s r=-1; says "'r' = -1: must be at least 0"
expect 3 check plain.cfg -s grid.n=0; says 'must be at least 1'
expect 3 check plain.cfg -s r=1.5; says 'whole number'
# what the rows of the general problem would not look at
for row in cpu.thomas relations cpu.lapack auto; do
    expect 3 check plain.cfg -s q=1 --solver $row -s run.precision=single
    says "'run.precision' = \"single\": the general problem, by thomas, relations and lapack, is solved in double"
    expect 3 check plain.cfg -s q=1 --solver $row -s r=4
    says "'r' = 4: solver \"$row\" has no columns, and does not use it; a2s, a2d and a2sd do"
done
expect 0 check plain.cfg -s run.precision=single
sed 's/f = "1"; //' plain.cfg >nof.cfg
expect 3 check nof.cfg; says "'f' is missing"

expect 3 check plain.cfg -s 'left={neumann=1.0; dirichlet=2.0;}'; says "'left' has more than one of"
sed 's/^problem/left = { dirichlet = "1";\n  neumann = "0"; };\n&/' plain.cfg >two.cfg
expect 3 check two.cfg
says "two.cfg:2: error: 'left.neumann' = \"0\": 'left' has more than one of dirichlet, neumann and robin"
sed 's/^problem/right = { robin = [1.0,\n  0.0, 2.0]; };\n&/' plain.cfg >beta.cfg
expect 3 check beta.cfg; says "beta.cfg:2: error: 'right.robin.1' = 0: it is the beta of [alpha, beta, value]"
expect 3 check plain.cfg -s 'p="-1"'; says "'p' = \"-1\": p must be positive and finite"
sed 's/^problem/right = { neumann = "0"; };\n&/' plain.cfg >slopes.cfg
expect 3 check slopes.cfg
says "slopes.cfg:1: error: 'right.neumann' = \"0\": with u' alone at both ends and q = 0, u is known but for"
expect 3 check plain.cfg -s 'right.robin=["0", "1", "2"]' -s 'left.robin=["0", "1", "2"]'
says "'right.robin.0' = \"0\""
expect 3 check plain.cfg -s 'left.robin=[1.0, 2.0]'; says "'left.robin' is a list of 3 numbers or expressions"
expect 3 check plain.cfg -s 'left.robin=1.0'; says "'left.robin' is a list of 3 numbers or expressions"
expect 3 check plain.cfg -s 'left.dirichlet=x'; says "unknown name 'x'"
expect 3 check plain.cfg -s p=1+x -s solver=scan; says 'solver scan: it sums, for p = 1'
says 'fit here: cpu.thomas cpu.lapack cpu.relations'
expect 1 run plain.cfg -o singular.h5 -s 'right.neumann=0.0' -s 'q=a' -s 'sweep.a=[0, 1]'; says 'singular at x = 0'
says '1 ok, 1 failed'
says 'where gauge = "zero_mean" takes a solution'
# u' at both ends: a run that is compatible, one that is not; where u is determined there is nothing to gauge
expect 0 run "$top/configs/bvp_neumann.cfg" -o neumann.h5 -s run.device=cpu; says '6 ok'
expect 1 run plain.cfg -o incompatible.h5 -s 'right.neumann="a"' -s 'sweep.a=[-1, 0]' -s 'gauge="zero_mean"'
says '1 ok, 1 failed'
expect 0 show incompatible.h5
prints 'no solution: f h and the fluxes at the ends sum to 1 and not to 0; subtract 1 from f to make them'
expect 0 check plain.cfg -s 'right.neumann="a"' -s 'sweep.a=[1, 2]' -s 'gauge="zero_mean"'
prints 'note     no solution: f h and the fluxes at the ends sum to 2 and not to 0; subtract 2 from f to make them: the run'
# one whose integral is compatible, but not its sum
expect 0 run plain.cfg -o balance.h5 -s 'right.neumann="0"' -s 'f="(x^2 + x - 1)*exp(x)"' -s 'gauge="zero_mean"'
says 'the mean of f and the fluxes on this grid, '; says ', was taken off; a finer rule has '
grep -qE 'will fail|exact has the mean' err && fail 'f, or exact, without a mean is said to have one'
expect 0 run plain.cfg -o exact.h5 -s 'right.neumann="0"' -s 'f="(x^2 + x - 1)*exp(x)"' -s 'gauge="zero_mean"' \
    -s 'exact="(3*x - x^2 - 3)*exp(x)"'
says 'note     exact has the mean -2.87'; expect 0 show exact.h5 --run 0; prints ', and u has the mean 0: the error norms'
matches_ends() { grep -qxF "left     $1" out && grep -qxF "right    $2" out || fail "the ends are not $1, $2"; }
expect 0 check plain.cfg; matches_ends "u' = 0" 'u = 0'
expect 0 check plain.cfg -s 'sweep.a=[1, 2]' -s 'left.dirichlet="a"' -s 'right.robin=["1", "2", "3*a"]'
matches_ends 'u = a' "(1)*u + (2)*u' = 3*a"
sed 's/^problem/gauge = "zero_mean";\n&/' plain.cfg >gauge.cfg
expect 3 check gauge.cfg
says "gauge.cfg:1: error: 'gauge' = \"zero_mean\": the ends determine u; it goes with left.neumann"
expect 3 check gauge.cfg -s right.neumann=0.0 -s q=2; says "'gauge' = \"zero_mean\": q determines u"
expect 3 check gauge.cfg -s right.neumann=0.0 -s solver=scan; says 'fit here: cpu.thomas cpu.lapack cpu.relations'
expect 3 check gauge.cfg -s 'gauge="zero_meen"'; says "did you mean 'zero_mean'?"
[ "$(grep -c zero_meen err)" = 1 ] || fail 'told twice'
expect 0 run plain.cfg -o robin.h5 -s 'left.robin=["1", "-1", "0"]' -s 'right.robin=[1.0, 1.0, 0.0]'; says '1 ok'

# ---- u at the right end is in the field and the norms where it is solved for: u = a + a x - a x²/2 is largest there
cat >right.cfg <<'CFG'
problem = "bvp"; sweep = { a = [1.0, 2.0]; }; grid = { n = 8; }; f = "a"; left = { dirichlet = "a"; };
right = { neumann = "0"; }; exact = "a + a*x - a*x*x/2 - (x > 0.99 ? 1 : 0)"; run = { device = "cpu"; };
output = { fields = { precision = "double"; }; };
CFG
expect 0 run right.cfg -o right.h5; says '2 ok'
expect 0 run right.cfg -o right.h5 -s 'sweep.a=[1.0, 2.0, 3.0]'; says '1 of 3 runs left'
expect 0 run right.cfg -o right_n.h5 -s 'sweep.n=[8, 16]' -s 'grid.n="n"'
[ -z "$python" ] || py - 2>out <<'PY' || fail "the right end"
import h5py, numpy as np
f = h5py.File("right.h5")
x, a = f["x"][:], f["a"][:]
assert (x == np.arange(9) / 8).all() and f["u"].shape == (3, 1, 9)
assert np.abs(f["u"][:, 0] - np.outer(a, 1 + x - x * x / 2)).max() <= 1e-15 * 8  # a parabola is exact
assert np.allclose(f["err_max"][:], 1) and np.allclose(f["err_l2"][:], 1 / 3)    # of 9 points, the last is off by 1
g = h5py.File("right_n.h5")
assert g["n00017/x"][-1] == 1 and g["n00017/u"].shape == (2, 1, 17)
PY

# ---- the elimination without pivots: 22 % off, and 4e11 for a problem that is singular
sed 's/^problem.*/problem = "bvp"; grid = { n = 10; }; f = "2.0"; left = { robin = [2.0, 1.0, 0.0]; };/;
     s/f = "1";//' plain.cfg >pivot.cfg
expect 0 run pivot.cfg -o pivot.h5 -s 'exact=-1+2*x-x*x' -s run.device=cpu
expect 0 show pivot.h5 --run 0; matches '^err_max  *[0-9.]*e-1[67]$'
expect 1 run pivot.cfg -o singular2.h5 -s 'left.robin=["a", "1", "0"]' -s 'sweep.a=[1.0, 2.0]' -s run.device=cpu
says '1 ok, 1 failed'; says 'singular'; says 'alpha or beta'

# ---- one large problem is shared by all threads: the same numbers, and the row that does it
large=(-s grid.n=1048576 -s 'exact=-1+2*x-x*x' -s run.device=cpu)
expect 0 check pivot.cfg "${large[@]}"; prints 'solver cpu.thomas'
expect 0 check pivot.cfg "${large[@]}" --solver relations; prints 'solver cpu.relations'
expect 0 run pivot.cfg -o large1.h5 "${large[@]}" -j 1 --solver cpu.relations
expect 0 run pivot.cfg -o large2.h5 "${large[@]}" -j 2 --solver relations
[ -z "$python" ] || py - 2>out <<'PY' || fail "a large problem"
import h5py
one, two = h5py.File("large1.h5"), h5py.File("large2.h5")
assert one["err_max"][0] == two["err_max"][0] <= 4e-16, (one["err_max"][0], two["err_max"][0])
PY
if [ -e gpu.h5 ]; then
    expect 0 check pivot.cfg -s grid.n=1048576 -s run.device=cuda; prints 'solver cuda.relations'
    expect 0 run pivot.cfg -o large3.h5 "${large[@]}" -s run.device=cuda
    [ -z "$python" ] || py - 2>out <<'PY' || fail "a large problem on a GPU"
import h5py
assert h5py.File("large3.h5")["err_max"][0] <= 4e-16
PY
fi
expect 1 run pivot.cfg -o singular4.h5 -s 'left.robin=["a", "1", "0"]' -s 'sweep.a=[1.0, 2.0]' -s run.device=cpu \
    --solver cpu.relations
says '1 ok, 1 failed'; says 'singular'

# ---- the last line names a failure as far as it has room: the bracket of a formula does not end it
expect 1 run pivot.cfg -o singular3.h5 -s grid.n=64 -s 'left.robin=[1.0, 1.0, 0.0]' \
    -s run.device=cpu --solver cpu.lapack
says "-(p u')' + q u = 0 has a solution of its own"

# ---- what an end gives is refused before any run where it is no number
printf 'problem = "bvp"; sweep = { m = [2.0, 1.0]; }; grid = { n = 64; }; f = "m + x";\n' >ends.cfg
refused() { { cat ends.cfg; echo "$1"; } >end.cfg; expect 3 check end.cfg; says "end.cfg:2: error: $2"; }
refused 'left = { dirichlet = "0/0"; };' "'left.dirichlet' = \"0/0\": it is not a number, and must be finite"
refused 'left = { dirichlet = "1/(m - 1)"; };' "'left.dirichlet' = \"1/(m - 1)\": it is infinite, and must be finite"
refused 'left = { neumann = "1/0"; };' "'left.neumann' = \"1/0\": it is infinite, and must be finite"
refused 'right = { robin = ("log(-m)", 1.0, 1.0); };' "'right.robin.0' = \"log(-m)\": it is not a number"
refused 'left = { robin = [1e300, 1e-300, 1]; };' \
        "'left.robin.1' = 1e-300: alpha/beta = 1e+300/1e-300 overflows, in [alpha, beta, value]; where u itself is"
refused 'right = { robin = [1, 1e-10, 1e300]; };' "'right.robin.1' = 1e-10: value/beta = 1e+300/1e-10 overflows"
refused 'left = { dirichlet = 1e400; };' "number '1e400' is too large: the largest is 1.79e308"

summary
