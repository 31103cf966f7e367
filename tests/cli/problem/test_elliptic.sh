#!/bin/bash
# Elliptic problems as a user meets them: orders, walls, coefficients, columns, failed runs, and what is refused. SWEEP
# is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- orders: of the box with values at its walls; with coefficients, periodic, u up to a constant; of the shell
orders() {  # orders FILE LEAST MOST COLUMN...: slopes of err_l2 where n, or levels, doubles, by words of the columns
    [ -z "$python" ] || py - "$@" >out 2>err <<'PY' || fail "orders of $1"
import sys, h5py, numpy as np
f, least, most = h5py.File(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
groups = {}
for k, n in enumerate(f["levels" if "levels" in f else "n"][:]):
    groups.setdefault(tuple(str(f[c][k]) for c in sys.argv[4:]), []).append((n, f["err_l2"][k]))
for key, pairs in groups.items():
    slope = np.log2(pairs[-2][1] / pairs[-1][1])
    assert least <= slope <= most, (key, slope)
PY
}
cat >walls.cfg <<'CFG'
problem = "elliptic";
sweep   = { grading = ["uniform", "quadratic"]; n = [8, 16, 32]; };
grid    = { n = ["n", "n", "n"]; depth = 0.5; grading = "$grading"; };
physics = { omega2 = 1.0; delta = 0.0; lambda2 = 2.0; };
boundary = { bottom = "dirichlet"; top = "dirichlet"; value = "1 + exp(x)*sin(y)*cosh(z)"; };
f       = "-2*exp(x)*sin(y)*cosh(z)";
exact   = "1 + exp(x)*sin(y)*cosh(z)";
run     = { device = "cpu"; };
output  = { fields = { precision = "double"; }; };
CFG
expect 0 check walls.cfg
expect 0 run walls.cfg -o walls.h5; orders walls.h5 1.9 2.1 grading
cat >periodic.cfg <<'CFG'
problem = "elliptic";
sweep   = { n = [8, 16, 32]; };
grid    = { n = ["n", "n+1", "n"]; };
physics = { omega2 = 1.0; delta = 0.0; lambda2 = 2.0; };
boundary = { sides = "periodic"; };
gauge   = "zero_mean";
kx = "2 + sin(2*pi*x)"; ky = 3.0; kz = "1 + z^2";
define  = { w = "2*pi"; };
f       = "w^2*((2+sin(w*x))*cos(w*x) + cos(w*x)*sin(w*x))*cos(pi*z)"
          " + cos(w*x)*2*(pi^2*(1+z^2)*cos(pi*z) + 2*pi*z*sin(pi*z))";
exact   = "cos(w*x)*cos(pi*z)";
run     = { device = "cpu"; };
CFG
expect 0 run periodic.cfg -o periodic.h5; orders periodic.h5 1.95 2.1
# f that has no mean but the one that the midpoint rule makes: taken off, told, and of second order against exact
said() {  # said FILE LEAST MOST: each run says what was taken off; by which slope it falls from one n to its double
    [ -z "$python" ] || py - "$@" >out 2>err <<'PY' || fail "messages of $1"
import re, sys, h5py, numpy as np
f, least, most = h5py.File(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
what = r"the mean of f( and the fluxes)? on this grid, (\S+), was taken off; a finer rule has (\S+)"
found = [re.fullmatch(what, m.decode()) for m in f["message"][:]]
assert all(found), f["message"][:]
mean = np.array([float(m[2]) for m in found])
assert all(abs(float(m[3])) < 1e-4*abs(x) for m, x in zip(found, mean)), found
slopes = np.log2(mean[:-1]/mean[1:])
assert ((least <= slopes) & (slopes <= most)).all(), slopes
PY
}
cat >balance.cfg <<'CFG'
problem = "elliptic";
sweep   = { n = [8, 16, 32]; };
grid    = { n = ["n", "n + 1", "n + 2"]; grading = "quadratic"; };
physics = { omega2 = 1.0; delta = 0.0; };
boundary = { sides = "neumann"; };
gauge   = "zero_mean";
f       = "(x^2 + x - 1)*exp(x) + pi^2*cos(pi*y) - 2*(1 - 2*z)";
exact   = "(3*x - x^2 - 3)*exp(x) - (8 - 4*e) + cos(pi*y) + z^2 - 2*z^3/3 - 1/6";
run     = { device = "cpu"; };
output  = { fields = { precision = "double"; }; };
CFG
expect 0 run balance.cfg -o balance.h5; orders balance.h5 1.9 2.1; said balance.h5 1.9 2.1
# a single column, which is its own neighbour: each solver comes to the solution along z
sed -e 's/^sweep .*/sweep = { levels = [8, 16, 32]; };/' -e 's/"neumann"/"periodic"/' \
    -e 's/^grid .*/grid = { n = (1, 1, "levels"); grading = "quadratic"; };/' -e 's/^f .*/f = "-2*(1 - 2*z)";/' \
    -e 's|^exact .*|exact = "z^2 - 2*z^3/3 - 1/6";|' balance.cfg >column.cfg
for solver in pcg multigrid modal interleaved; do
    expect 0 run column.cfg -o column.h5 --force -s "solver=\"$solver\""; orders column.h5 1.9 2.1
done
expect 0 run balance.cfg -o flat.h5 -s 'grid.n=["n", "n"]' -s 'f="(x^2 + x - 1)*exp(x)"' \
    -s 'exact="(3*x - x^2 - 3)*exp(x) - (8 - 4*e)"'
orders flat.h5 1.9 2.1; said flat.h5 1.99 2.01
expect 0 run balance.cfg -o round.h5 -s 'geometry="shell"' -s grid.depth=0.5 -s 'exact="0"' \
    -s 'f="(x^4 + y^4 + 1)/(1 + x^2 + y^2)^2 - 0.6 + cos(4*pi*(z - 1))/z^2"'
said round.h5 1.9 2.1
expect 1 run balance.cfg -o own.h5 -s 'f="0.01 + (x^2 + x - 1)*exp(x)"' -s 'sweep.n=[32]'
expect 0 show own.h5 --run 0
matches 'f has the mean 0.00955[0-9]* \(by a finer rule 0.01\): with gauge = "zero_mean" there is a solution only where'
expect 0 run balance.cfg -o jump.h5 -s 'f="(x < 0.3) - 0.3"' -s 'sweep.n=[8]'
expect 0 show jump.h5 --run 0; prints 'the mean of f on this grid, -0.05, was taken off; a finer rule has'
expect 0 run balance.cfg -o same.h5 -s 'sweep={ m=[8, 16]; }' -s 'grid.n=(1, "m", 3)' -s 'f="(x^2 + x - 1)*exp(x)"' \
    -s 'exact="0"'
expect 0 show same.h5 --csv; awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    $at["err_max"] != 0 { bad = 1 } END { exit bad }' out || fail 'an f that is the same in all cells leaves u'
expect 1 run balance.cfg -o random.h5 -s 'f="randn(1)"' -s 'sweep.n=[8]'
expect 0 show random.h5 --run 0; prints 'f has the mean '
expect 0 run balance.cfg -o none.h5 -s 'f="cos(pi*x)*cos(pi*y)"'
expect 0 show none.h5 --csv; grep -q 'taken off' out && fail 'an f that has no mean on the grid is said to have one'

# a coefficient that jumps at the seam of a periodic box: told, and of second order as well
cat >seam.cfg <<'CFG'
problem = "elliptic";
sweep   = { n = [16, 32, 64]; };
grid    = { n = ("n", "n", 2); };
physics = { omega2 = 1.0; };
boundary = { sides = "periodic"; };
kx = "1 + x";
define  = { c = "1 - 5/3 + 3/4"; };
f       = "8 + 2*x - 27*x^2 + 2*x - 5*x^2 + 3*x^3 - c";
exact   = "2*x - 5*x^2 + 3*x^3 - c";
run     = { device = "cpu"; };
CFG
seam='one face of the periodic box'
expect 0 run seam.cfg -o seam.h5
says "note     kx = \"1 + x\" is 1 at x = 0 and 2 at x = 1, $seam (y = 0.03125, z = 0.25): it gets their harmonic"
orders seam.h5 1.95 2.05
expect 0 show seam.h5 --run 0; prints 'harmonic mean, 1.33333'
expect 0 run seam.cfg -o seam_y.h5 -s kx=1.0 -s 'ky="1 + y"' -s 'exact="2*y - 5*y^2 + 3*y^3 - c"' \
    -s 'f="8 + 2*y - 27*y^2 + 2*y - 5*y^2 + 3*y^3 - c"'
says "note     ky = \"1 + y\" is 1 at y = 0 and 2 at y = 1, $seam (x = 0.03125, z = 0.25): it gets their harmonic"
orders seam_y.h5 1.95 2.05
expect 0 check seam.cfg -s 'kx="1 + 0.1*(y > 0.4)*x"' -s 'grid.n=["n", "n"]'
prints "is 1 at x = 0 and 1.1 at x = 1, $seam (y = 0.40625): it gets their harmonic mean, 1.04762"
expect 0 check seam.cfg -s 'kx="2 + sin(2*pi*x)"' -s 'kz="1 + z"'
grep -q 'periodic box' out && fail 'a periodic coefficient is said to jump'
expect 0 check seam.cfg -s 'boundary.sides="neumann"'; grep -q 'periodic box' out && fail 'a box with walls has a seam'

expect 0 run "$top/configs/elliptic_convergence.cfg" --device cpu -o shell.h5 -s 'sweep.n=[16, 32]'
expect 0 show shell.h5 --csv; prints 'residual,residual_reported,iterations'
[ -z "$python" ] || py - 2>out <<'PY' || fail "shell.h5"
import h5py, numpy as np
f = h5py.File("shell.h5")
error = {(word.decode(), int(n)): e for word, n, e in zip(f["stencil"], f["n"], f["err_rel"])}
assert abs(np.log2(error["full", 16] / error["full", 32]) - 2) < 0.05, error
assert 0.015 < error["tpfa", 32] < 0.025, error        # stalls at 2 %
assert (f["residual"][:] <= 1e-10).all() and (f["iterations"][:] >= 1).all()
PY

# of the shell with values that vary along its walls, and without fluxes through them: the largest error, which is there
harmonic() {  # harmonic FILE EXPRESSION DEGREE OPTION...: of that degree, on the sphere
    local file=$1 u=$2 degree=$3
    shift 3
    expect 0 run "$top/configs/elliptic_convergence.cfg" --device cpu -o "$file" -s 'sweep={ n=[16, 32, 64]; }' \
        -s 'stencil="full"' -s 'grid.n=("n", "n", 16)' -s "exact=\"$u\"" "$@" \
        -s "f=\"(delta + omega2*$degree*($degree + 1)/z^2)*($u)\""
    [ -z "$python" ] || py - "$file" >out 2>err <<'PY' || fail "orders of $file"
import sys, h5py, numpy as np
e = h5py.File(sys.argv[1])["err_max"][:]
slopes = np.log2(e[:-1] / e[1:])
assert (slopes > 1.8).all(), slopes
PY
}
harmonic values.h5 'x/sqrt(1+x^2+y^2)' 1 -s 'boundary.value="x/sqrt(1+x^2+y^2)"'
harmonic product.h5 'x*y/(1+x^2+y^2)' 2 -s 'boundary.value="x*y/(1+x^2+y^2)"'
harmonic closed.h5 '(x^4+y^4+1)/(1+x^2+y^2)^2 - 0.6' 4 -s 'boundary.sides="neumann"'

# ---- what is in the file: cells' centres, levels thin at the bottom; a plane of two dimensions; words as axes
cat >small.cfg <<'CFG'
problem = "elliptic";
sweep   = { depth = [0.1, 0.2]; sides = ["dirichlet", "neumann"]; };
grid    = { n = [4, 3, 5]; depth = "depth"; grading = "quadratic"; };
physics = { courant = 3.0; };
boundary = { sides = "$sides"; };
f       = "1 + x - y*z";
run     = { device = "cpu"; };
output  = { fields = { precision = "double"; }; };
CFG
expect 0 run small.cfg -o small.h5
expect 0 run small.cfg -o one.h5 -s run.batch=1; same small.h5 one.h5
expect 0 run small.cfg -o row.h5 -s 'sweep.row=["cpu.pcg", "auto"]' -s 'solver="$row"'
expect 0 xdmf small.h5; grep -q 'VXVYVZ' small.xdmf || fail 'a graded grid is not written as one'
[ -z "$python" ] || py - 2>out <<'PY' || fail "small.h5"
import h5py, numpy as np
f = h5py.File("small.h5")
assert f["u"].shape == (4, 1, 5, 3, 4)
assert np.allclose(f["x"], [0.125, 0.375, 0.625, 0.875]) and np.allclose(f["y"], [1/6, 0.5, 5/6])
for run, depth in enumerate(f["depth"][:]):
    face = depth * (np.arange(6) / 5) ** 2
    assert np.allclose(f["zc"][run], (face[1:] + face[:-1]) / 2, rtol=1e-14)
    if run % 2 == 0: continue
    # Neumann walls all around, delta = 1: the mean of u is that of f
    volume = np.diff(face)[:, None, None] * np.ones((1, 3, 4)) / 12
    x, y, z = f["x"][:][None, None], f["y"][:][None, :, None], f["zc"][run][:, None, None]
    assert np.isclose((volume * f["u"][run, 0]).sum(), (volume * (1 + x - y * z)).sum(), rtol=1e-8)
PY
expect 0 run small.cfg -o plane.h5 -s 'grid.n=[6, 7]' -s 'f="x"'
[ -z "$python" ] || py -c 'import h5py; assert h5py.File("plane.h5")["u"].shape == (4, 1, 7, 6)' || fail 'plane.h5'

# ---- runs that fail are stored with what they reached, and harm no other
expect 1 run small.cfg -o slow.h5 -s 'sweep.most=[3, 500]' -s 'iterations="most"' -s 'grid.n=[16, 16, 4]' \
    -s physics.courant=20.0 -s 'solver="cpu.pcg"'
says '4 failed'
expect 0 show slow.h5 --run 0; matches 'the residual is [0-9.e-]+ after 3 iterations, above tolerance = 1e-08'
expect 0 show slow.h5 --csv
count=$(awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    $at["status"] == "error" && $at["residual"] > 1e-8 && $at["iterations"] == 3 { n++ }
    END { print n + 0 }' out)
[ "$count" = 4 ] || fail "$count failed runs have a residual, not 4"
expect 1 run small.cfg -o one_step.h5 -s iterations=1 -s 'solver="cpu.pcg"' -s 'sweep.sides=["dirichlet"]'
expect 0 show one_step.h5 --run 0; matches 'after 1 iteration, above tolerance = 1e-08; raise iterations, or take'
expect 1 run small.cfg -o floor.h5 -s tolerance=1e-18
expect 0 show floor.h5 --run 0; matches 'rounding keeps the residual at [0-9.e-]+ .*raise tolerance'
# ---- single precision: the best row that has it; what it does not reach, and who does not have it, is said
single='-s run.precision="single"'
expect 3 check small.cfg $single
says 'with run.precision = "single" u is rounded by 6e-08: tolerance is at least 1e-07, more where levels are thin'
expect 3 check small.cfg $single -s tolerance=1e-4 -s 'solver="cpu.modal"'
says 'it computes in double precision only; in single: cpu.interleaved cpu.pcg cpu.csr'
expect 0 check small.cfg $single -s tolerance=1e-4 --device cpu; prints 'solver cpu.interleaved in single precision'
rows='--device cpu -s sweep.row=["pcg","interleaved","csr"] -s solver="$row" -s output.fields.precision="double"'
expect 0 run small.cfg -o single.h5 $rows $single -s tolerance=1e-4
expect 0 run small.cfg -o double.h5 $rows -s tolerance=1e-12
[ -z "$python" ] || py - <<'PY' || fail 'single.h5'
import h5py, numpy as np
one, two = (h5py.File(name)["u"][:] for name in ("single.h5", "double.h5"))
assert not np.array_equal(one, two) and np.abs(one - two).max() < 1e-3 * np.abs(two).max()
PY
expect 1 run small.cfg -o rounded.h5 --device cpu $single -s tolerance=2e-7 -s 'grid.n=[32, 32, 16]'
expect 0 show rounded.h5 --run 0
matches 'rounding keeps the residual at [0-9.e-]+ .*u is rounded to single precision; raise tolerance, or take'
expect 1 run small.cfg -o nan.h5 -s 'f="1/(x - 0.125)"'
expect 0 show nan.h5 --run 0; prints 'f is inf at x = 0.125, y = 0.166667, z = '
# delta that hardly holds u; numbers that leave their range in a cell
weak() {  # weak FILE TEXT OPTION...: small.cfg without walls that hold u
    local file=$1 text=$2
    shift 2
    expect 1 run small.cfg -o "$file" -s 'physics={omega2=1.0; delta="d";}' -s 'sweep.sides=["neumann"]' "$@"
    expect 0 show "$file" --run 0; matches "$text"
}
weak weak.h5 'raise tolerance, or delta, which hardly holds u, or take the mean off f' -s 'sweep.d=[1e-8]' \
    -s tolerance=1e-10
weak free.h5 'delta( = 1e-20)? hardly holds (it|u): raise it, or set it to 0 and a gauge' -s 'sweep.d=[1e-20]' \
    -s 'solver="cpu.modal"'
weak slow_free.h5 'after 2 iterations, above .*; delta hardly holds u: raise it, or set' -s 'sweep.d=[1e-20]' \
    -s 'solver="cpu.pcg"' -s iterations=2
weak large.h5 'u is not finite: f, what walls add to it, or the coefficients, times sizes of cells, are beyond' \
    -s 'sweep.d=[1.0]' -s kx=1e308 -s physics.omega2=1e3
# of the top, which holds no u, boundary.value is not asked for
bottom='-s boundary.bottom="dirichlet" -s boundary.value="log(0.2-z)"'
expect 0 run small.cfg -o bottom.h5 $bottom -s 'sweep.depth=[0.2]' -s 'sweep.sides=["neumann"]'
expect 1 run small.cfg -o bottom.h5 --force $bottom -s 'sweep.depth=[0.2]' -s 'sweep.sides=["dirichlet"]' \
    -s 'boundary.top="dirichlet"'
expect 0 show bottom.h5 --run 0; prints 'boundary.value is -inf at x = 0.125, y = 0.166667, z = 0.2'
# what cannot be solved for is known before
expect 0 check small.cfg -s 'f="1/(x - 0.125)"'
prints 'note     f = "1/(x - 0.125)" is inf at x = 0.125, y = 0.166667, z = '; prints ': the run will fail'
expect 0 check small.cfg -s 'ky="y - 0.5"' -s 'grid.n=[4, 3]' -s 'f="x"'
prints 'note     ky is -0.5 at x = 0.125, y = 0; it has to be above 0: the run will fail'
expect 0 check small.cfg -s 'boundary.value="log(x)"' -s 'sweep.sides=["dirichlet"]'
prints 'note     boundary.value is -inf at x = 0, y = 0.166667, z = '; prints '; 2 of 2 runs alike'
expect 0 check small.cfg -s grid.depth=1e-13 -s 'geometry="shell"' -s 'grid.n=[4, 3, 64]' -s 'sweep={ a=[1.0, 2.0]; }' \
    -s 'boundary.sides="neumann"' -s 'physics.lambda2="a"'
prints 'note     level 0 of 64 has no thickness in double precision: depth = 1e-13 is too small: the run will fail'
expect 0 check balance.cfg -s 'f="1 + x"'
prints 'note     f has the mean 1.5: with gauge = "zero_mean" there is a solution only where it is 0: the run will fail'
expect 0 check balance.cfg; grep -q ' the mean ' out && fail 'an f, or exact, without a mean is said to have one'
expect 0 run balance.cfg -o constant.h5 -s 'exact="x + y - 0.9"'
says 'note     exact has the mean 0.1, and u has the mean 0: the error norms measure that difference'
expect 0 show constant.h5 --run 0; prints 'exact has the mean 0.1, and u has the mean 0'
expect 0 run small.cfg -o zero.h5 -s 'f="0*x"' -s 'exact="0"'
expect 0 show zero.h5; grep -q -- '-nan' out && fail 'a NaN has a sign'
expect 1 run small.cfg -o k.h5 -s 'ky="y - 4*(depth - 0.1)"'
expect 0 show k.h5 --run 0; prints 'ky is 0 at x = 0.125, y = 0, z = 0.002; it has to be above 0'
expect 1 run walls.cfg -o wall.h5 -s 'boundary.value="log(z)"' -s 'sweep.n=[8]' -s 'sweep.grading=["uniform"]'
expect 0 show wall.h5 --csv; prints 'boundary.value is -inf at x = 0.0625, y = 0.0625, z = 0'
expect 1 run periodic.cfg -o mean.h5 -s 'f="1 + cos(w*x)"'
expect 0 show mean.h5 --run 0; prints 'f has the mean 1: with gauge = "zero_mean" there is a solution'

# ---- f and u whose squares are no numbers; levels without thickness, or too thin for their distance from the centre
cat >far.cfg <<'END'
problem = "elliptic"; geometry = "shell"; stencil = "full"; grid = { n = [16, 16, 64]; depth = 0.01; };
sweep = { size = [1.0, 1e-200, 1e250]; }; physics = { courant = 8.4; lambda2 = 0.033; };
f = "size*cos(x)"; exact = "size"; solver = "cpu.pcg"; run = { device = "cpu"; };
output = { fields = { precision = "double"; }; };
END
expect 0 run far.cfg -o far.h5
[ -z "$python" ] || py - <<'PY' || fail 'far.h5'
import h5py, numpy as np
with h5py.File("far.h5") as f:
    for run, size in enumerate((1, 1e-200, 1e250)):
        assert np.allclose(f["u"][run, 0]/size, f["u"][0, 0], rtol=1e-6)
        for name in "err_l2", "err_max":
            assert np.isclose(f[name][run]/size, f[name][0], rtol=1e-6), (name, run)
        assert np.isclose(f["err_rel"][run], f["err_rel"][0], rtol=1e-6)
PY
expect 1 run far.cfg -o thin.h5 -s 'sweep.size=[1.0]' -s grid.depth=1e-13 -s 'grid.grading="quadratic"'
expect 0 show thin.h5 --run 0
prints 'level 0 of 64 has no thickness in double precision: depth = 1e-13 is too small'
expect 1 run far.cfg -o thin.h5 --force -s 'sweep.size=[1.0]' -s 'physics={omega2=1e200; lambda2=1e200;}'
expect 0 show thin.h5 --run 0
prints 'the coefficients between levels are not finite at level 0 of 64: omega2 = 1e+200, lambda2 = 1e+200'
expect 1 run far.cfg -o thin.h5 --force -s 'sweep.size=[1.0]' -s grid.depth=1e-9 -s 'grid.grading="quadratic"'
expect 0 show thin.h5 --run 0; matches 'rounding keeps the residual at [0-9.e+]+ \(iteration [0-9]+\): u has no digit'

# ---- refused, with file, line, cause and hint
refused() {  # refused KEY TEXT OPTION...: small.cfg
    local key=$1 text=$2
    shift 2
    expect 3 check small.cfg "$@"
    grep -F "'$key'" err | grep -qF -- "$text" || fail "$* does not say: $key, $text"
}
expect 3 check small.cfg -s stop.steady=1e-6; says "'stop': elliptic has no time; leave the group out"
expect 3 check small.cfg -s output.scalars.every=1.0; says "'output.scalars': elliptic has no time"
expect 3 check small.cfg -s 'output.fields.times=[0.0]'
says "'output.fields.times': elliptic has no time; leave it out"
expect 3 check small.cfg -s 'boundary="periodic"'; says "'boundary' is a group of sides, bottom, top, value: write"
expect 3 check small.cfg -s tol=1e-9; says "did you mean 'tolerance'?"
expect 0 check small.cfg -s 'boundary.value="x"' -s 'boundary.top="dirichlet"'
matches '^sides    u = x$'; matches '^bottom   no flux$'; matches '^top      u = x$'
prints '         so the first runs; others differ by the words of axes'
expect 0 check small.cfg -s 'sweep.sides=["dirichlet"]' -s 'grid.n=[4, 4]' -s f=x
matches '^sides    u = 0$'; grep -qE '^top|others differ' out && fail 'two dimensions have a top, or shapes that differ'
expect 0 check small.cfg; matches '^batches +[0-9]+$'; prints 'points/s'
refused grid.n 'n = [nx, ny] or [nx, ny, nz]' -s grid.n=8
refused physics.courant 'one of physics.omega2 and physics.courant' -s physics.omega2=1.0
refused physics.omega2 'one of physics.omega2 and physics.courant' -s physics.courant=0
refused physics.courant 'omega2 = (courant dx/2)^2 is 0 in double precision' -s physics.courant=1e-300
refused physics.delta 'set gauge = "zero_mean"' -s physics.delta=0 -s 'boundary.sides="neumann"'
refused boundary.sides 'boundary.sides = "periodic" is the same problem' -s physics.delta=0 \
    -s 'boundary.sides="neumann"' -s 'gauge="zero_mean"' -s 'grid.n=[1, 1, 4]'
refused gauge 'leave it out' -s 'gauge="zero_mean"'
refused boundary.sides 'has walls at its sides' -s 'geometry="shell"' -s 'boundary.sides="periodic"'
# Cells of 1 and 10^6 in disorder: multigrid hardly gets on.
level='floor(16*sqrt(10*z))' face='floor(16*sqrt(10*z) + 0.5)'
cell() { echo "(1 + 1e6*step(sin(5e4*($1)^2*(1 + ($2)) + 3e4*($2)^2 + 777.7*($3)^2*(1 + ($1)))))"; }
mean_of() { echo "$1=\"2/(1/$2 + 1/$3)\""; }
expect 0 run small.cfg -o jumps.h5 -s 'solver="cpu.multigrid"' -s iterations=500 -s tolerance=1e-5 \
    -s 'grid={ n = [16, 16, 16]; depth = 0.1; grading = "quadratic"; }' \
    -s 'physics={ omega2 = 1.0; lambda2 = 0.033; }' -s 'sweep={ sides = ["dirichlet"]; }' \
    -s "$(mean_of kx "$(cell 'x - 1/32' y "$level")" "$(cell 'x + 1/32' y "$level")")" \
    -s "$(mean_of ky "$(cell x 'y - 1/32' "$level")" "$(cell x 'y + 1/32' "$level")")" \
    -s "$(mean_of kz "$(cell x y "$face - 1")" "$(cell x y "$face")")"
says 'cpu.pcg solved it: the coefficients differ too much for cpu.multigrid'
refused kx 'are those of the sphere' -s 'geometry="shell"' -s kx=2.0
refused boundary.top 'has no bottom and no top' -s 'grid.n=[4, 4]' -s 'boundary.top="dirichlet"'
refused kz 'no fluxes along z' -s 'grid.n=[4, 4]' -s kz=2.0
expect 0 check small.cfg -s 'grid.n=[4, 4]' -s 'sweep.l=[1, 2]' -s physics.lambda2=l -s f=x
prints 'note     physics.lambda2 changes nothing: a grid of 2 dimensions has no fluxes along z; runs that differ in l alone'
refused boundary.value 'is not used' -s 'boundary.sides="periodic"' -s boundary.value=1.0
refused tolerance 'tolerance is at least 1e-07' -s 'run.precision="single"'
refused solver 'cpu.gauss' -s 'solver="cpu.gauss"'
refused solver 'the same everywhere' -s 'solver="cpu.modal"' -s kx=2.0
refused physics.delta 'at least 0' -s physics.delta=-1.0
refused tolerance 'greater than 0' -s tolerance=0.0
refused grid.depth 'greater than 0' -s sweep.depth='[0.0]'
expect 3 check small.cfg -s grid.length=1.0; says 'grid.length'
sed '/^f /d' small.cfg >no_f.cfg
expect 3 check no_f.cfg; says "'f' is missing"

summary
