#!/bin/bash
# Compact differences, and with them grids of two and three dimensions, as a user meets them. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
tiny=$top/configs/tiny_compact.cfg
cat >box.cfg <<'CFG'
problem = "compact";
sweep   = { a = [0.5, 1.0, 2.0]; axis = ["x", "y", "z"]; };
grid    = { n = [8, 9, 10]; length = ("a", 1.0, 3.0); x0 = (0.0, "a", -1.0); };
scheme  = "d2_c6";
boundary = "4-4-6";
axis    = "$axis";
field   = "x^3 + 2*y^4 - z^3*x";
output  = { fields = { precision = "double"; }; };
run     = { device = "cpu"; };
CFG

# ---- what is in the file lies where the scales say: the result less its error is the exact derivative there
expect 0 run box.cfg -o box.h5; says 'sweep plot box.h5'
[ -z "$python" ] || py - 2>out <<'PY' || fail "box.h5"
import h5py, numpy as np
f = h5py.File("box.h5")
assert f.attrs["points"] == 720 and list(f.attrs["points_along"]) == [8, 9, 10]
assert f["g"].shape == (9, 1, 10, 9, 8) == f["g_error"].shape
for run, (a, axis) in enumerate(zip(f["a"][:], f["axis"].asstr()[:])):
    x, y, z = (f[c + "c"][run] if c + "c" in f else f[c][:] for c in "xyz")
    start, length = {"x": (0, a), "y": (a, 1), "z": (-1, 3)}[axis]
    along = {"x": x, "y": y, "z": z}[axis]     # both walls are points; the other axes are periodic
    assert abs(along[0] - start) < 1e-15 and abs(along[-1] - start - length) < 1e-14, (axis, along)
    assert axis == "x" or abs(x[-1] - a * 7 / 8) < 1e-15
    x, y, z = x[None, None, :], y[None, :, None], z[:, None, None]
    exact = {"x": 6 * x + 0 * y * z, "y": 24 * y**2 + 0 * x * z, "z": -6 * z * x + 0 * y}[axis]
    g, e = f["g"][run, 0], f["g_error"][run, 0]
    assert np.abs(g - e - exact).max() < 1e-12 * np.abs(exact).max(), (run, axis)
    assert np.isclose(np.sqrt((e**2).mean()), f["err_l2"][run], rtol=1e-12, atol=0)
    assert np.isclose(np.abs(e).max(), f["err_max"][run], rtol=1e-12, atol=0)
    assert np.isclose(np.sqrt((e**2).sum() / (exact**2).sum()), f["err_rel"][run], rtol=1e-12, atol=0)
    n = e.shape[2 - "xyz".index(axis)]
    middle = np.take(np.abs(e), range(n // 4, n - n // 4), 2 - "xyz".index(axis)).max()
    assert np.isclose(middle, f["err_interior"][run], rtol=1e-12, atol=0), (middle, f["err_interior"][run])
PY

# ---- gradient, divergence, Laplacian: the same, along all axes
cat >nabla.cfg <<'CFG'
problem  = "compact";
sweep    = { a = [0.5, 1.0]; };
grid     = { n = [8, 9, 10]; length = ("a", 1.0, 3.0); x0 = (0.0, "a", -1.0); };
boundary = "4-4-6";
output   = { fields = { precision = "double"; }; };
run      = { device = "cpu"; };
CFG
field=(-s 'field=x^3 + 2*y^4 - z^3*x')
vector=(-s 'vector={ x = "x^2*y"; y = "y^3 + a*z"; z = "z*x"; }')
expect 0 run nabla.cfg "${field[@]}" -s operator=gradient -o gradient.h5
expect 0 run nabla.cfg "${vector[@]}" -s operator=divergence -o divergence.h5
expect 0 run nabla.cfg "${field[@]}" -s operator=laplacian -s scheme=d2_c6 -o laplacian.h5
expect 0 run nabla.cfg "${field[@]}" -s operator=gradient -s run.batch=1 -o other.h5
same gradient.h5 other.h5; rm -f other.h5
expect 5 run nabla.cfg "${vector[@]}" -s operator=divergence -o gradient.h5; says 'holds another sweep'
[ -z "$python" ] || py - 2>out <<'PY' || fail "gradient.h5, divergence.h5, laplacian.h5"
import h5py, numpy as np
gradient, divergence, laplacian = (h5py.File(f + ".h5") for f in ("gradient", "divergence", "laplacian"))
assert sorted(k for k in gradient if k[:2] == "g_") == ["g_" + c + e for c in "xyz" for e in ("", "_error")]
for run, a in enumerate(gradient["a"][:]):
    x, y, z = (gradient[c + "c"][run] if c + "c" in gradient else gradient[c][:] for c in "xyz")
    assert abs(x[-1] - a) < 1e-15 and abs(y[-1] - a - 1) < 1e-14 and z[-1] == 2    # all ends are walls
    x, y, z = x[None, None, :], y[None, :, None], z[:, None, None]
    exact = {"x": 3 * x**2 - z**3 + 0 * y, "y": 8 * y**3 + 0 * x * z, "z": -3 * z**2 * x + 0 * y}
    off = {c: gradient[f"g_{c}_error"][run, 0] for c in "xyz"}
    for c in "xyz":
        assert np.abs(gradient["g_" + c][run, 0] - off[c] - exact[c]).max() < 1e-12 * np.abs(exact[c]).max(), (run, c)
    squares = sum(e**2 for e in off.values())
    assert np.isclose(np.sqrt(squares.mean()), gradient["err_l2"][run], rtol=1e-12, atol=0)
    assert np.isclose(np.sqrt(squares.sum() / sum((e**2).sum() for e in exact.values())), gradient["err_rel"][run],
                      rtol=1e-12, atol=0)
    assert max(np.abs(e).max() for e in off.values()) == gradient["err_max"][run]
    for f, exact in ((divergence, 2 * x * y + 3 * y**2 + x + 0 * z), (laplacian, 6 * x + 24 * y**2 - 6 * z * x)):
        g, e = f["g"][run, 0], f["g_error"][run, 0]
        assert np.abs(g - e - exact).max() < 1e-11 * np.abs(exact).max(), (run, np.abs(g - e - exact).max())
        assert np.isclose(np.sqrt((e**2).mean()), f["err_l2"][run], rtol=1e-12, atol=0)
PY

# ---- any batch, any order of doing it: the same file
expect 0 run "$tiny" --device cpu -o tiny.h5
for batch in 1 2; do
    expect 0 run "$tiny" --device cpu -o other.h5 -s run.batch=$batch; same tiny.h5 other.h5
    expect 0 run box.cfg -o other_box.h5 -s run.batch=$batch; same box.h5 other_box.h5
    rm -f other.h5 other_box.h5
done
expect 0 run "$tiny" --device cpu -o other.h5 --only 'dim == 3'; expect 0 run "$tiny" --device cpu -o other.h5
same tiny.h5 other.h5
# one shape at the root, then several in groups: what is there moves
expect 0 run "$tiny" --device cpu -o grown.h5 -s 'sweep.dim=[2]' -s 'sweep.m=[8]'
expect 0 run "$tiny" --device cpu -o grown.h5; says '12 of 16 runs left'; same tiny.h5 grown.h5
# lines, planes and boxes in one file
mixed=(--device cpu -s 'sweep={ dim=[1, 2, 3]; n=[8, 12]; a=[0.5, 1.0]; }' -s 'grid.n=n' -s axis=x
       -s 'field=sin(2*pi*x/a)')
expect 0 run "$tiny" "${mixed[@]}" -o mixed.h5; expect 0 run "$tiny" "${mixed[@]}" -o other_mixed.h5 -s run.batch=1
same mixed.h5 other_mixed.h5
expect 0 check "$tiny" -v; says 'grid.n.1'
expect 0 run "$tiny" --device cpu -o one.h5 --shard 1/2; expect 0 run "$tiny" --device cpu -o two.h5 --shard 2/2
expect 0 merge two.shard-2-of-2.h5 one.shard-1-of-2.h5 -o both.h5; same tiny.h5 both.h5
expect 0 run "$tiny" --device cpu -o tiny.h5; says 'nothing to do'
[ -z "$python" ] || py -c '
import h5py
f = h5py.File("tiny.h5")
assert [g for g in f if g[0] == "n" and g[1:2].isdigit()] == ["n00008x00008", "n00012x00012", "n00012x00012x00012",
        "n00016x00016x00016"], list(f)' 2>err || fail "groups of tiny.h5"

# ---- on a GPU, if there is one: the same numbers, to the rounding of each
"$sweep" run box.cfg -o gpu.h5 -s run.device=cuda >out 2>err || skip_gpu box.cfg
[ -z "$python" ] || [ ! -e gpu.h5 ] || py - 2>out <<'PY' || fail "gpu.h5"
import h5py, numpy as np
gpu, cpu = (h5py.File(f) for f in ("gpu.h5", "box.h5"))
# D2, 6th order, closures of order 4: g_1 + 10 g_2 = .. and g_1/10 + g_2 + g_3/10 = .. determine g_3 only, so that what
# the right-hand sides are rounded by comes back some hundred times as large in g_1
def most(n):
    A = np.diag(np.ones(n)) + 2 / 11 * (np.eye(n, k=1) + np.eye(n, k=-1))
    A[0, 1] = A[-1, -2] = 10
    A[1, [0, 2]] = A[-2, [-3, -1]] = 0.1
    sums = np.full(n, 2 * (2 * 12 / 11 + 2 * 3 / 11 / 4))  # of the weights of a row, absolute
    sums[[0, -1]] = 145 / 12 + 76 / 3 + 29 / 2 + 4 / 3 + 1 / 12
    sums[[1, -2]] = 4 * 6 / 5
    return (np.abs(np.linalg.inv(A)) @ sums).max()
for run, axis in enumerate(cpu["axis"].asstr()[:]):
    g, c = gpu["g"][run], cpu["g"][run]
    a = cpu["a"][run]
    n, length = {"x": (8, a), "y": (9, 1), "z": (10, 3)}[axis]
    field = a**3 + 2 * (a + 1)**4 + 8 * a    # at most
    bound = 2 * 2**-53 * most(n) * field * ((n - 1) / length)**2  # both round by 2^-53 of each term
    assert np.abs(g - c).max() <= bound, (run, np.abs(g - c).max(), bound)
    assert abs(gpu["err_l2"][run] - cpu["err_l2"][run]) <= bound
PY

for operator in gradient divergence laplacian; do
    [ -e gpu.h5 ] || continue
    [ $operator = laplacian ] && scheme=d2_c6 || scheme=d1_c6
    [ $operator = divergence ] && input=("${vector[@]}") || input=("${field[@]}")
    expect 0 run nabla.cfg "${input[@]}" -s operator=$operator -s scheme=$scheme -s run.device=cuda -o gpu_$operator.h5
    [ -z "$python" ] || py - $operator 2>out <<'PY' || fail "gpu_$operator.h5"
import sys, h5py, numpy as np
gpu, cpu = (h5py.File(f + sys.argv[1] + ".h5") for f in ("gpu_", ""))
for g in (k for k in cpu if k[0] == "g" and isinstance(cpu[k], h5py.Dataset) and cpu[k].ndim == 5):
    assert np.abs(gpu[g][:] - cpu[g][:]).max() < 1e-8, g   # 300 |f| 49 eps (above), |f| < 100 or so
PY
done

# ---- the norm of the middle is shown where there is one, and only there
expect 0 show tiny.h5; prints err_interior
expect 0 show tiny.h5 --json; is_json out; prints '"err_interior"'
expect 0 run "$top/configs/tiny_heat.cfg" --device cpu -o heat.h5
expect 0 show heat.h5 --csv
if grep -q interior out; then fail "heat.h5 has err_interior"; fi

# ---- a run whose step cannot be divided by is a result; the others are what they are without it
lengths=(-s problem=compact -s grid.n=16 -s grid.length=L -s scheme=d2_c4 -s 'field=sin(2*pi*x/L)' --device cpu)
: >lengths.cfg
expect 0 run lengths.cfg "${lengths[@]}" -s 'sweep={ L=[1.0, 2.0]; }' -o fine.h5
expect 1 run lengths.cfg "${lengths[@]}" -s 'sweep={ L=[1.0, 1.0e-200, 2.0, 1.0e200]; }' -o lengths.h5
says '2 ok, 2 failed'
says 'run 1: the distance of points h = 6.25e-202 is not a positive number that can be divided by'
expect 0 show lengths.h5 --csv
matches '^1,[^,]*,error,0,0,.*,nan,nan,nan,nan,[0-9a-f]*,"?the distance of points h = 6.25e-202 is not'
matches '^3,[^,]*,error,0,0,.*the distance of points h = 6.25e\+198 is not'
errors() { awk -F, -v OFS=, '$3 == "done" {print $2, $7, $8, $9, $10, $11}' out; }
errors >some; expect 0 show fine.h5 --csv; errors >all; cmp -s some all || fail "runs beside faulty ones differ"

# ---- settings, keys, remarks
expect 0 explain grid.n; prints '(compact, advection, in two and three dimensions: hyperdiffusion, '
prints '[nx, ny, nz]'
expect 0 explain scheme; prints 'd1_c4, d1_c6'
expect 0 explain field; prints 'in x, y, z'
expect 0 explain boundary; prints 'periodic, 3-4-6'
expect 0 check box.cfg -s run.precision=single -s 'grid.n=[8, 9, 700]' -s 'sweep.axis=["x", "z"]'
prints 'note     d2_c6 in single precision on 700 points: rounding leaves about 0.003 of a wave as long as the domain'
expect 0 run box.cfg -s run.precision=single -s 'grid.n=[8, 9, 700]' -s 'sweep.axis=["z"]' -o single.h5
says 'note     d2_c6 in single precision on 700 points'
expect 0 list; matches '^ *compact +Compact finite differences'

# ---- what does not go: with file and line, and what would
expect 3 run box.cfg -s 'grid.n=[8, 9, 5]' -o no.h5
says "'grid.n' = 5 in run 2 (a = 0.5, axis = z): d2_c6, 4-4-6 needs at least 6 points along z; 3 of 9 runs do not fit"
expect 3 check box.cfg -s 'grid.spacing=[0.1, 0.3]'
says "unknown key 'grid.spacing'; known here: n length x0 dim; points are uniformly spaced, n of them over length"
sed 's/^grid .*/grid = { n = [8, 9]; length = 1.0; };/' box.cfg >flat.cfg
expect 3 check flat.cfg
says "flat.cfg:7: error: 'field' uses z, and the grid has 2 dimensions; write grid.n = [nx, ny, nz]"
says "flat.cfg:6: error: 'axis' = \"\$axis\" in run 2 (a = 0.5, axis = z): there is no z on a grid of 2 dimensions"
sed 's/n = \[8, 9, 10\]/n = [8, 9]/' box.cfg >flat.cfg
expect 3 check flat.cfg
says "flat.cfg:3: error: 'grid.length' is a list of 3, but 'grid.n' one of 2; one number stands for all dimensions"
expect 3 check "$top/configs/tiny_bvp.cfg" -s 'grid.n=[8, 8]'; says 'bvp is 1-D only; write one number'
expect 4 run box.cfg -s 'grid.n=[8000, 8000, 8000]' -o no.h5; says 'one run needs'; says 'points in all'
expect 3 check box.cfg -s 'field=atan(y)*z' -s 'differences=cpu.thomsa'; says "did you mean 'cpu.thomas'?"
expect 1 run box.cfg -s 'field="1/x"' -s 'sweep.a=[1.0]' -o bad.h5
says 'run will fail'; says 'field = "1/x" is inf at x = 0, y = 1, z = -1'
[ ! -e no.h5 ] || fail "no.h5 is there"
summary
