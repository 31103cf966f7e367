#!/bin/bash
# The whole sphere as a user meets it: orders against spherical harmonics, a mean that is kept, rows and their
# iterations, where points are, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# slopes FILE LEAST MOST [NORM]: of NORM (err_l2 and err_max) where n doubles, of the finest two grids, by other words
slopes() {
    [ -z "$python" ] || py - "$@" >out 2>err <<'PY' || fail "slopes of $1: $(cat err)"
import sys, h5py, numpy as np
f, least, most = h5py.File(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
norms = sys.argv[4:] or ["err_l2", "err_max"]
words = [k for k in ("row", "stencil") if k in f]
groups = {}
for k in range(len(f["n"])):
    groups.setdefault(tuple(str(f[w][k]) for w in words), []).append([f[norm][k] for norm in norms])
for key, runs in groups.items():
    slope = np.log2(np.divide(runs[-2], runs[-1]))
    assert (least <= slope).all() and (slope <= most).all(), (key, norms, slope)
PY
}
config=$top/configs/elliptic_sphere.cfg
expect 0 check "$config"; prints 'sides    six panels, joined'

# ---- order two in the maximum norm as well, whichever row; multigrid takes few iterations for all n
expect 0 run "$config" --device cpu -o rows.h5 -s 'stencil="full"' -s 'solver="$row"' \
    -s 'sweep={ row = ["pcg", "interleaved", "multigrid"]; n = [8, 16, 32]; }'
slopes rows.h5 1.85 2.1
[ -z "$python" ] || py - >out 2>err <<'PY' || fail "rows.h5: $(cat err)"
import h5py, numpy as np
f = h5py.File("rows.h5")
error, iterations = f["err_l2"][:].reshape(3, 3), f["iterations"][:].reshape(3, 3)
assert np.ptp(error, axis=0).max() < 1e-7, error
assert abs(iterations[0] - iterations[1]).max() <= 1 and iterations[2].max() <= 14, iterations
PY
expect 0 run "$config" --device cpu -o stencils.h5 -s 'sweep.n=[16, 32]'
expect 0 show stencils.h5 --csv
awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    { e[$at["stencil"], $at["n"]] = $at["err_rel"] }
    END { exit !(e["tpfa", 32] > 0.03 && e["tpfa", 16] < 1.2*e["tpfa", 32] && e["full", 32] < 3e-3) }' out ||
    fail 'tpfa does not stall, or full does'


# ---- zonal and oblique harmonics in two dimensions, of a thin level
s='((cos(y)*(cos(x) + 2*sin(x)) + 3*sin(y))/sqrt(14))'
cat >flat.cfg <<CFG
problem  = "elliptic";
sweep    = { n = [16, 32, 64]; };
geometry = "sphere";
grid     = { n = ["n", "n"]; depth = 1e-8; };
physics  = { omega2 = 1.0; };
f        = "21*(35*$s^4 - 30*$s^2 + 3)/8";
exact    = "(35*$s^4 - 30*$s^2 + 3)/8";
run      = { device = "cpu"; };
output   = { fields = { precision = "double"; }; };
CFG
expect 0 run flat.cfg -o oblique.h5; slopes oblique.h5 1.95 2.05
expect 0 run flat.cfg -o zonal.h5 -s 'f="13*(5*sin(y)^3 - 3*sin(y))/2"' -s 'exact="(5*sin(y)^3 - 3*sin(y))/2"'
slopes zonal.h5 1.95 2.05

# ---- walls at the top and the bottom that hold u; u and 1/r are harmonic
expect 0 run "$config" --device cpu -o walls.h5 -s 'stencil="full"' -s 'sweep={ n = [8, 16, 32]; }' \
    -s physics='{ omega2 = 1.0; delta = 0.0; }' \
    -s 'boundary={ bottom = "dirichlet"; top = "dirichlet"; value = "1/z + z*cos(y)*cos(x)"; }' \
    -s 'f=0.0' -s 'exact="1/z + z*cos(y)*cos(x)"'
slopes walls.h5 1.9 2.1 err_l2

# ---- no wall at all, delta = 0: u has the mean 0, and a constant in exact is told; an f with a mean is refused
mean=(-s physics.delta=0.0 -s 'gauge="zero_mean"')
expect 0 run flat.cfg -o mean.h5 "${mean[@]}" -s "f=\"20*(35*$s^4 - 30*$s^2 + 3)/8\""; slopes mean.h5 1.95 2.05
[ -z "$python" ] || py - >out 2>err <<'PY' || fail "mean.h5: $(cat err)"
import h5py, numpy as np
f = h5py.File("mean.h5")
for n in (16, 32, 64):
    group = [g for g in f.values() if isinstance(g, h5py.Group) and "u" in g and g["u"].shape[-1] == n][0]
    u = group["u"][...].reshape(6 * n, n)
    c = -1 + 2*np.arange(n + 1)/n
    angle = lambda x, y: np.arctan(x*y/np.sqrt(1 + x*x + y*y))
    corners = angle(c[None, :], c[:, None])
    area = np.tile(np.diff(np.diff(corners, axis=0), axis=1), (6, 1))
    assert abs(area.sum() - 4*np.pi) < 1e-12 and abs((area*u).sum()) < 1e-13, (area.sum(), (area*u).sum())
PY
expect 1 run flat.cfg -o none.h5 "${mean[@]}" -s 'f="1 + sin(y)"' -s 'sweep.n=[16]'
expect 0 show none.h5 --run 0; prints 'f has the mean 1'
refused() {  # refused KEY TEXT OPTION...: an error of the config
    local key=$1 text=$2
    shift 2
    expect 3 check flat.cfg "$@"
    says "'$key'"; says "$text"
}
refused physics.delta 'set gauge = "zero_mean"' -s physics.delta=0.0
refused grid.n '16 x 17 cells of a panel: six panels make the sphere' -s 'grid.n=["n", "n + 1"]'
refused boundary.sides 'the sphere has no sides' -s 'boundary.sides="neumann"'
refused boundary.sides 'the sphere has no sides' -s 'boundary.sides="periodic"'
refused kx 'are those of the sphere' -s kx=2.0
refused boundary.value 'no wall is a dirichlet one' -s boundary.value=1.0
for row in cpu.modal cuda.pcg cuda.csr cuda.interleaved cuda.multigrid cuda.modal; do
    refused solver 'not the whole sphere: cpu.multigrid, cpu.interleaved and cpu.pcg do' -s "solver=\"$row\""
done

# the grid is not cut: refused where that is asked for
expect 3 run flat.cfg -o cut.h5 -s 'sweep.n=[16]' -s 'run={ device = "cpu:0,1"; split = "grid"; }'
says 'the whole sphere is not cut over ranks'
expect 0 run flat.cfg -o cut.h5 -s 'sweep.n=[16]' -s 'run={ device = "cpu:0,1"; }'

# ---- a file has the longitude and latitude of each column, also after a longer sweep
harmonic=(-s 'stencil="full"' -s 'grid.n=[12, 12, 4]' -s 'output.fields.precision="double"' --device cpu -o points.h5)
expect 0 run "$config" "${harmonic[@]}" -s 'sweep={ omega2 = [0.01, 0.02, 0.03]; }' -s physics.omega2=omega2
expect 0 run "$config" "${harmonic[@]}" -s 'sweep={ omega2 = [0.01, 0.02, 0.03, 0.04]; }' -s physics.omega2=omega2
expect 0 verify points.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail "points.h5: $(cat err)"
import h5py, numpy as np
f = h5py.File("points.h5")
lon, lat = f["lon"][...], f["lat"][...]
assert lon.shape == lat.shape == (4, 72, 12) and f["u"].shape == (4, 1, 4, 72, 12), f["u"].shape
assert f["lon"].attrs["units"] == b"radian" or f["lon"].attrs["units"] == "radian"
coordinates = f["u"].attrs["coordinates"]
assert (coordinates.decode() if isinstance(coordinates, bytes) else coordinates).endswith("lon lat"), coordinates
harmonic = np.cos(3*lon)*np.cos(lat)**3*np.sin(lat)
for k in range(4):
    u = f["u"][k, 0, 0]
    assert np.corrcoef(u.ravel(), harmonic[k].ravel())[0, 1] > 0.99999
PY
if [ -n "$python" ] && "$python" -c 'import matplotlib' 2>/dev/null; then
    expect 0 plot points.h5 --kind slice -o points.png
    [ -s points.png ] || fail 'no map of the sphere'
fi
expect 0 xdmf points.h5

# ---- a number that is not finite, by the longitude and latitude of its point
expect 1 run flat.cfg -o bad.h5 -s 'f="1/(y > 0.9)"' -s 'sweep.n=[16]'; expect 0 show bad.h5 --run 0
matches 'f is inf at x = [-0-9.]*, y = [-0-9.]*'

# ---- panels of an odd number of cells: conjugate gradients, which multigrid is slower than
expect 0 check flat.cfg -s 'sweep.n=[33]'; prints 'cpu.interleaved'
expect 0 check flat.cfg -s 'sweep.n=[48]'; prints 'cpu.multigrid'
summary
