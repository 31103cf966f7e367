#!/bin/bash
# Equations in two and three dimensions as a user meets them: orders against exact solutions, several unknowns, built-in
# kinds against their texts, what goes on, what files hold, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- orders in dt and dx: a wave that decays and travels askew, by each method, two unknowns that feed each other
cat >wave.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
// u = exp(-t) cos(x + 2 y - c t), v = exp(-t) sin(..): a nonlinear term and a mixed derivative that forces cancel
rhs      = { u = "c*v - u + 0.2*(lap(u) + 5*u) + 0.1*(dxy(u) + 2*u) + u^2 - (exp(-t)*cos(x + 2*y - c*t))^2";
             v = "-c*u - v - 0.02*lap(lap(v)) + 0.5*v"; };
define   = { c = 1.5; };
sweep    = { method = ["imex1", "imex2", "imex3"]; dt = [0.1, 0.05, 0.025, 0.0125]; };
grid     = { n = [32, 40]; length = "2*pi"; };
time     = { dt = "dt"; end = 1.0; };
method   = "$method";
initial  = { u = "cos(x + 2*y)"; v = "sin(x + 2*y)"; };
exact    = { u = "exp(-t)*cos(x + 2*y - c*t)"; v = "exp(-t)*sin(x + 2*y - c*t)"; };
run      = { device = "cpu"; };
output   = { fields = { times = [1.0]; }; };
CFG
expect 0 check wave.cfg
prints 'order 1 in time, 2 in space'; prints 'solver cpu.simd'; matches 'v_t +linear +.*v'
expect 0 run wave.cfg -o dx.h5 -s 'sweep.dt=[0.005]' -s 'sweep.n=[32, 64, 128]' -s 'grid.n=["n", "n"]' \
    -s 'sweep.method=["imex3"]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'the order in dx'
import h5py, numpy as np
e = np.ravel(h5py.File("dx.h5")["err_l2"][:])
slope = np.log2(e[:-1]/e[1:])
print(e, slope)
assert abs(slope[-1] - 2) < 0.1
PY
sed 's/^exact.*//' wave.cfg >steps.cfg
expect 0 run steps.cfg -o steps.h5
expect 0 run steps.cfg -o fine.h5 -s 'sweep.dt=[0.002]' -s 'sweep.method=["imex3"]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'the order in dt'
import h5py, numpy as np
f, g = h5py.File("steps.h5"), h5py.File("fine.h5")
for v in "uv":
    u, fine = f[v][:, -1], g[v][0, -1]
    e = abs(u - fine).reshape(3, 4, -1).max(axis=2)
    slope = np.log2(e[:, :-1]/e[:, 1:])
    print(v, e, slope)
    assert (abs(slope[:, -1] - [1, 2, 3]) < 0.15).all()
PY

# ---- built-in kinds are their texts; energies fall, mass stays; steps of a run's own land where they are to
cat >kind.cfg <<'CFG'
problem = "cahn_hilliard";
physics = { D = 0.7; gamma = 1.3; };
sweep   = { seed = [1, 2]; };
grid    = { n = [24, 20]; length = [30.0, 25.0]; };
time    = { dt = 0.05; end = 5.0; };
initial = "0.05*randn(seed) + 0.1";
forcing = "0.02*cos(2*pi*x/30 + t)*sin(2*pi*y/25)";
run     = { device = "cpu"; };
output  = { fields = { times = [2.5, 5.0]; }; scalars = { every = 0.5; }; };
CFG
cat >text.cfg <<'CFG'
problem = "equation";
define  = { D = 0.7; gamma = 1.3; };
rhs     = "D*lap(u^3 - u - gamma*lap(u)) + 0.02*cos(2*pi*x/30 + t)*sin(2*pi*y/25)";
method  = "imex1";
sweep   = { seed = [1, 2]; };
grid    = { n = [24, 20]; length = [30.0, 25.0]; };
time    = { dt = 0.05; end = 5.0; };
initial = "0.05*randn(seed) + 0.1";
run     = { device = "cpu"; };
output  = { fields = { times = [2.5, 5.0]; }; };
CFG
expect 0 run kind.cfg -o kind.h5
expect 0 run text.cfg -o text.h5
expect 0 run kind.cfg -o free.h5 -s 'forcing=0' -s 'grid.n=[12, 10, 8]' -s 'grid.length=[15.0, 12.5, 10.0]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'kinds'
import h5py, numpy as np
a, b, free = h5py.File("kind.h5"), h5py.File("text.h5"), h5py.File("free.h5")
assert abs(a["u"][:] - b["u"][:]).max() < 1e-12 and a["u"][:].std() > 0.02
assert a["u"].shape == (2, 2, 20, 24) and free["u"].shape == (2, 2, 8, 10, 12)
energy, mass = free["energy"][:], free["mass"][:]
print(energy, mass)
assert (np.diff(energy, axis=1) < 0).all() and abs(np.diff(mass, axis=1)).max() < 1e-11
assert np.isfinite(free["domain_length"][:]).all()
PY
for kind in 'heat -s physics.kappa=0.3' 'hyperdiffusion -s physics.gamma=0.1 -s physics.D=2' \
    'allen_cahn -s physics.gamma=0.5' 'swift_hohenberg -s physics.r=0.2'; do
    set -- $kind
    sed 's/^physics.*//; s/^problem.*/problem = "'"$1"'";/' kind.cfg >one.cfg
    expect 0 run one.cfg -o "$1.h5" "${@:2}"
done

# ---- scalars of the user's own with derivatives along all axes, in two and three dimensions; they end runs, too
cat >scalars.cfg <<'CFG'
problem = "cahn_hilliard";
physics = { D = 0.7; gamma = 1.3; };
sweep   = { seed = [1, 2]; };
grid    = { n = [24, 20]; length = [30.0, 25.0]; };
time    = { dt = 0.05; end = 5.0; };
initial = "0.5*randn(seed) + 0.1";
run     = { device = "cpu"; };
output  = { fields = { times = [2.5, 5.0]; };
            scalars = { times = [2.5, 5.0];
                        define = { steep = "mean(grad2(u))"; bent = "max(abs(lap(u)))"; cross = "mean(u*dxy(u))";
                                   free = "integral((u^2 - 1)^2/4 + gamma*grad2(u)/2)"; flux = "mean(u*%s)";
                                   about = "mean(grad2(u - mean(u)))"; }; }; };
CFG
sed 's/%s/div(u*dx(u), u*dy(u))/' scalars.cfg >plane.cfg
sed 's/%s/div(u*dx(u), u*dy(u), u*dz(u))/; s/\[24, 20\]/[12, 10, 8]/; s/\[30.0, 25.0\]/[15.0, 12.5, 10.0]/' \
    scalars.cfg >box.cfg
expect 0 run plane.cfg -o plane.h5
expect 0 run box.cfg -o box.h5
expect 0 run plane.cfg -o ends.h5 -s 'stop={ when="mean(grad2(u)) < 0.025"; every=0.05; }'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'scalars with derivatives'
import h5py, numpy as np
for name, dx in (("plane", (1.25, 1.25)), ("box", (1.25, 1.25, 1.25))):
    f = h5py.File(name + ".h5")
    u = f["u"][:]
    axes = [(u.ndim - 1 - d, dx[d]) for d in range(len(dx))]
    mean = lambda v: v.mean(axis=tuple(range(2, u.ndim)))
    grad2 = sum(((np.roll(u, -1, a) - np.roll(u, 1, a))/(2*h))**2 for a, h in axes)
    lap = sum((np.roll(u, -1, a) - 2*u + np.roll(u, 1, a))/h**2 for a, h in axes)
    half = lambda a: (u + np.roll(u, -1, a))/2*(np.roll(u, -1, a) - u)
    div = sum((half(a) - np.roll(half(a), 1, a))/h**2 for a, h in axes)
    (ax, hx), (ay, hy) = axes[:2]
    at = lambda i, j: np.roll(np.roll(u, -i, ax), -j, ay)
    cross = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1))/(4*hx*hy)
    want = {"steep": mean(grad2), "about": mean(grad2), "bent": abs(lap).max(axis=tuple(range(2, u.ndim))),
            "cross": mean(u*cross), "flux": mean(u*div),
            "free": mean((u**2 - 1)**2/4 + 1.3*grad2/2)*np.prod([h*u.shape[a] for a, h in axes])}
    for scalar, value in want.items():
        e = abs(f[scalar][:] - value).max()/abs(value).max()
        print(name, scalar, e)
        assert f[scalar].shape == value.shape and e < 1e-12, scalar
    assert want["steep"].min() > 1e-3
t = h5py.File("ends.h5")["t_reached"][:]
print(t)
assert (t > 0.05).all() and (t < 2.5).all()
PY
expect 3 check plane.cfg -s 'output.scalars.define.cross="mean(dz(u))"'
says "unknown function 'dz'"; says 'a grid of two dimensions has the axes x and y'

# ---- one text in one, two and three dimensions; on a line its bits are those of dx and dxx
cat >dims.cfg <<'CFG'
problem = "equation";
rhs     = "0.2*lap(u) - grad2(u)/2 + 0.1*div(%s) - u*lap(u)/10";
method  = "imex2";
initial = "cos(x)";
grid    = { n = 32; length = "2*pi"; };
time    = { dt = 0.01; end = 0.5; };
run     = { device = "cpu"; };
output  = { fields = { precision = "double"; times = ["end"]; }; scalars = { times = ["end"]; define = {
            a = "mean(grad2(u) + u*lap(u))"; }; }; };
CFG
sed 's/%s/u*dx(u)/' dims.cfg >line.cfg
sed 's/lap(/dxx(/g; s/grad2(u)/dx(u)^2/g; s/div(%s)/dx(u*dx(u))/' dims.cfg >plain.cfg
expect 0 run line.cfg -o line.h5
expect 0 run plain.cfg -o plain.h5
sed 's/%s/u*dx(u), u*dy(u)/' dims.cfg >two.cfg
sed 's/%s/u*dx(u), u*dy(u), u*dz(u)/' dims.cfg >three.cfg
expect 0 run two.cfg -o two.h5 -s 'grid.n=[32, 8]'
expect 0 run three.cfg -o three.h5 -s 'grid.n=[32, 8, 5]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'one text in several dimensions'
import h5py
f = {name: h5py.File(name + ".h5") for name in ("line", "plain", "two", "three")}
u, a = f["line"]["u"][0, -1], f["line"]["a"][0, -1]
assert (f["plain"]["u"][0, -1] == u).all() and f["plain"]["a"][0, -1] == a
for name in ("two", "three"):
    e = abs(f[name]["u"][0, -1] - u).max(), abs(f[name]["a"][0, -1] - a)
    print(name, e)
    assert max(e) < 2e-4   # methods of order 2 that take other terms as implicit
PY
expect 3 check two.cfg -s 'rhs="lapp(u)"' -s 'grid.n=[32, 8]'
says "did you mean 'lap'? known:"; says 'lap grad2 div dx dy dxx dxy dyy'

# ---- steps of each run's own: interrupted runs go on to the same bits, in any batch, and in shards
sed 's/dt = 0.05; //; s/^method.*//' text.cfg >own.cfg
expect 0 run own.cfg -o whole.h5
expect 0 run own.cfg -o single.h5 -s run.batch=1
for k in 1 2; do expect 0 run own.cfg -o shards.h5 --shard $k/2; done
expect 0 merge shards.*.h5 -o shards.h5
long=(-s 'grid.n=[160, 120]' -s time.end=20.0)
expect 0 run own.cfg "${long[@]}" -o long.h5
stops=0
while "$sweep" run own.cfg "${long[@]}" -o stopped.h5 -j 1 --max-time 0.05s >out 2>err; [ $? = 75 ]; do
    stops=$((stops + 1))
done
[ "$stops" -gt 0 ] || fail 'a run that is stopped'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'bits of batches, shards and runs that were stopped'
import h5py
u = h5py.File("whole.h5")["u"][:]
for name in ("single", "shards"): assert (h5py.File(name + ".h5")["u"][:] == u).all()
assert (h5py.File("stopped.h5")["u"][:] == h5py.File("long.h5")["u"][:]).all()
PY

# ---- forces are looked at before the first step: a field at rest, whose errors no size of its own measures, is driven
# by a pulse that comes late; one that begins at t = 0 is not stepped over
cat >pulse.cfg <<'CFG'
problem = "heat";
physics = { kappa = 0.01; };
sweep   = { u0 = [0.0, 1.0]; a = [100.0, 1.0]; };
define  = { begin = "a > 1 ? 0 : 20"; end_of = "a > 1 ? 0.01 : 21"; };
grid    = { n = [32, 8]; length = "2*pi"; };
time    = { end = 100.0; tolerance = 1e-3; };
initial = "u0";
forcing = "t >= begin && t < end_of ? a : 0";
run     = { device = "cpu"; };
output  = { fields = { precision = "double"; times = [50.0, 100.0]; }; };
CFG
expect 0 run pulse.cfg -o pulse.h5
expect 0 run pulse.cfg -o alone.h5 -s run.batch=1
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'pulses'
import h5py
f = h5py.File("pulse.h5")
brought = f["u"][:].mean(axis=(2, 3)) - f["u0"][:][:, None]
print(brought, f["steps"][:])
assert abs(brought - 1).max() < 0.01 and f["steps"][:].max() < 2000   # tolerance 1e-3 of 2, in each of two steps
assert (h5py.File("alone.h5")["u"][:] == f["u"][:]).all()
PY

# ---- the next sweep begins with a field of this one
expect 0 run text.cfg -o next.h5 -s 'initial={ file="text.h5"; time=2.5; }' -s 'time.end=2.5' \
    -s 'output.fields.times=[2.5]' -s 'rhs="D*lap(u^3 - u - gamma*lap(u))"'
expect 0 verify next.h5

# ---- what is refused
refused() { expect 3 check "$1" "${@:3}"; says "$2"; }
refused text.cfg "'left.dirichlet' belongs to equation on a line, not in 2 dimensions" -s 'left.dirichlet="1"'
refused text.cfg "'implicit' belongs to equation on a line" -s 'implicit="lap(u)"'
refused text.cfg "needs at least 5 points" -s 'grid.n=[3, 20]'
refused text.cfg "'rhs'" -s 'rhs="dzz(u)"'
refused text.cfg "ill-posed" -s 'rhs="-lap(u)"'
refused text.cfg "ill-posed" -s 'rhs="lap(lap(u))"'
refused text.cfg "short waves grow without bound" -s 'rhs="lap(u) + 2.1*dxy(u)"'
refused text.cfg "double precision" -s 'run.precision="single"'
refused own.cfg "it needs a method that estimates its errors" -s 'method="imex1"'
refused own.cfg "rand and randn are drawn anew at each step" -s 'rhs="lap(u) + 0.1*randn(seed)"'
refused text.cfg "is a list of 4" -s 'grid.n=[8, 8, 8, 8]' -s 'grid.length=20.0'
# ---- what is warned of
expect 0 check text.cfg -s 'rhs="0.01*lap(u) - 3*dx(u)"' -s time.dt=0.5 -s time.end=5.0
prints 'odd derivatives of u'; prints 'imex3" is stable up to 2.60'
expect 0 check text.cfg -s 'rhs="0.1*lap(u) - 3*dx(u)"' -s time.dt=0.01 -s time.end=5.0
grep -q 'odd derivatives' out && fail 'a warning of steps that are damped'
expect 0 check text.cfg -s 'rhs="-30*lap(lap(u))"' -s time.dt=5.0
prints 'a step damps the shortest waves of u by'

# coefficients that are not constant: by the largest at the initial values, and by the field at the end, where that is
# news; runs that are warned of do grow
cat >burgers.cfg <<'CFG'
problem = "equation";
rhs     = "0.005*lap(u) - dx(u^2/2) - dy(u^2/2)";
sweep   = { dt = [0.05, 0.2]; };
method  = "imex3";
initial = "0.3 + 0.5*sin(x + y) + 0.3*cos(2*x - y)";
grid    = { n = [64, 64]; length = "2*pi"; };
time    = { end = 2.0; dt = "dt"; };
run     = { device = "cpu"; };
CFG
expect 0 check burgers.cfg
matches 'dt times the largest is 4\.4. at the initial values, and short waves grow beyond 2.60.*(dt = 0.2)'
expect 0 check burgers.cfg -s 'rhs="0.005*lap(u) - u*dx(u) - u*dy(u)"'
prints 'dt times the largest is 4.4'
expect 1 run burgers.cfg -o burgers.h5
expect 0 show burgers.h5; matches ' 0 .*done'; matches ' 1 .*diverged'
expect 0 check burgers.cfg -s 'sweep.dt=[0.2]' -s 'rhs="0.5*lap(u) - dx(u^2/2) - u*dy(u)"'
grep -q 'odd derivatives' out && fail 'a warning of waves that are damped'
cat >spots.cfg <<'CFG'
problem = "equation";
rhs     = "0.002*lap(u) - dx(u^2/2) + u*(4 - u)*cos(x)^2";
method  = "imex2";
initial = "0.001";
grid    = { n = [64, 16]; length = "2*pi"; };
time    = { end = 2.0; dt = 0.05; };
run     = { device = "cpu"; };
CFG
expect 0 check spots.cfg; grep -q 'odd derivatives' out && fail 'a warning of what is not there yet'
expect 0 run spots.cfg -o spots.h5
expect 0 show spots.h5; prints 'at the end, and imex2 lets such waves grow'

expect 1 run text.cfg -o grows.h5 -s 'rhs="lap(u) + u^2"' -s 'initial="5 + 0*seed"' -s 'time.end=5.0'

# ---- a dt with which two stiff axes keep what should have died out: half of it goes the same way, so that error_time
# says nothing (0.0016 where the error is 0.86); F tells
cat >long.cfg <<'CFG'
problem = "equation";
rhs     = "10*div(u*dx(u), u*dy(u))";
method  = "imex2";
initial = "2 + sin(2*pi*x)*cos(2*pi*y)";
grid    = { n = [16, 16]; length = 1.0; };
time    = { end = 1.0; dt = 0.1; };
CFG
expect 0 run long.cfg -o toolong.h5
expect 0 show toolong.h5; matches 'dt = 0.1 is too long: at the end the right-hand side would'
expect 0 run long.cfg -o short.h5 -s time.dt=0.01
expect 0 show short.h5; grep -q 'too long' out && fail 'a dt that is short enough'

# ---- cells a thousand times as long along an axis are as good as others, on each row
cat >thin.cfg <<'CFG'
problem = "equation";
rhs     = "lap(u)/50 + dxy(u)/30 - 1e-3*lap(lap(u)) - u^3";
exact   = "exp(-t/2)*(cos(2*pi*x)*sin(2*pi*y/H) + 0.5*sin(4*pi*x + 2*pi*y/H))";
source  = "exact";
sweep   = { H = [1.0, 1e3]; row = ["cpu.simd", "cpu.plain", "cpu.fourier"]; };
stepper = "$row";
grid    = { n = [32, 32]; length = ["1.0", "H"]; };
time    = { end = 1.0; dt = 0.01; };
method  = "imex3";
run     = { device = "cpu"; };
CFG
expect 0 run thin.cfg -o thin.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'thin cells'
import h5py, numpy as np
e = np.ravel(h5py.File("thin.h5")["err_l2"][:])
print(e)
assert (e < 0.006).all() and abs(e[[1, 2, 4, 5]]/e[[0, 0, 3, 3]] - 1).max() < 1e-3  # of dx; steps are 1e-6 off
PY

# ---- what a newcomer gets wrong is told with its key, its cause and what to write
sed '/^source/d; /^exact/d' thin.cfg >new.cfg; echo 'initial = "sin(2*pi*x)";' >>new.cfg
refused() { expect 3 check new.cfg "${@:2}"; says "$1"; }
refused "1e+12 points in all: a field has at most 2147483647" -s 'grid.n=[1000000, 1000000]'
refused 'it has derivatives beyond the fourth order, which are for axes that are periodic, and y has walls' \
    -s 'rhs="dxxxxxx(u) + dyyyyyy(u)"' -s 'boundary.y="no_flux"'
refused 'z is there with grid.n = [nx, ny, nz]' -s 'rhs="dzz(u)"'
refused 'y is there with grid.n = [nx, ny]' -s 'grid={ n=32; length=1.0; }' -s 'rhs="dyy(u)"'
refused 'lines have one coordinate, x; y is there with grid.n = [nx, ny]' -s 'grid={ n=32; length=1.0; }' \
    -s 'rhs="dxx(u)"' -s 'initial="y"'
refused "the stencil of equation needs at least 5 points" -s 'grid.n=[3, 16]'

# ---- imex3 is the method of steps of a run's own, with a tolerance and without
expect 0 check long.cfg; prints 'method   imex2'
sed '/^method/d' long.cfg >method.cfg
expect 0 check method.cfg; prints 'method   imex2'
expect 0 check method.cfg -s 'time={ end=1.0; tolerance=1e-4; }'; prints 'method   imex3'
expect 0 check method.cfg -s 'time={ end=1.0; }'; prints 'method   imex3'

# ---- a dt so long beside dx that rounding of the right-hand side shows: rows differ by no more than three times what
# check and the run estimate, and by a hundredth of it at least (docs/explanation/accuracy.md)
cat >coarse.cfg <<'CFG'
problem = "equation";
rhs     = "lap(u^3 - u - lap(u))";
sweep   = { s = [1e4, 1e8, 1e10]; row = ["cpu.simd", "cpu.plain"]; };
stepper = "$row";
method  = "imex1";
initial = "0.1*randn(1)";
grid    = { n = [128, 128]; length = 128.0; };
time    = { dt = "s"; end = "100*s"; };
run     = { device = "cpu"; };
output  = { fields = { times = "linspace(0, end, 2)"; }; };
accuracy = { runs = 0; };
CFG
expect 0 check coarse.cfg; matches 'rounding of the right-hand side could move u by [0-9.e-]* of max.u., more'
expect 0 check coarse.cfg -s 'sweep.s=[1e4]'
grep -q 'rounding of the right' out && fail 'a rounding that does not show'
expect 0 run coarse.cfg -o coarse.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'rounding of right-hand sides'
import h5py, numpy as np, re
f = h5py.File("coarse.h5")
u = f["u"][:, -1].reshape(3, 2, -1)
told = [re.findall("could move u by ([^ ]*) of", m.decode()) for m in f["message"][:]]
off = abs(u[:, 0] - u[:, 1]).max(axis=1)/abs(u[:, 0]).max(axis=1)
print(off, told)
assert not told[0] and off[0] < 1e-9
for k in (1, 2):
    assert 1/3 < float(told[2*k][0])/off[k] < 100
PY

# ---- PFHub's benchmark problems 1a and 1b: the free energy of 1a at t = 1 against ETDRK4 steps of all Fourier waves
# (scripts/bench/pfhub_reference.py), from which differences of second order are off by 1e-6; both keep the mean
short=(-q --device cpu -s time.end=1.0 -s 'output.fields.times=["end"]' -s 'output.scalars.times=[0.0, 1.0]'
       -s 'output.scalars.define.sum="integral(c)"')
for name in 1a 1b; do
    expect 0 run "$top/configs/pfhub/$name.cfg" -o $name.h5 "${short[@]}"
done
[ -z "$python" ] || py - <<'END' 2>err || fail "PFHub's benchmarks"
import h5py
free, total = ([h5py.File(f"{name}.h5")[key][0] for name in ("1a", "1b")] for key in ("free", "sum"))
assert abs(free[0][1] - 318.8555783) < 0.0006, free
assert all(e[1] < e[0] for e in free), free
assert all(abs(m[1]/m[0] - 1) < 1e-13 for m in total), total
END
summary
