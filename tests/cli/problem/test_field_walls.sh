#!/bin/bash
# Walls of fields in two and three dimensions as a user meets them: no flux against periodic fields with their mirror
# images, orders in dt and dx with all kinds of walls that move, a dense solution of the same differences, what is kept,
# what goes on, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- no flux is half a period of an even field: Cahn-Hilliard, and two unknowns in three dimensions with cross
# derivatives, products and fluxes of each other
cat >closed.cfg <<'CFG'
problem  = "cahn_hilliard";
physics  = { D = 0.7; gamma = 1.3; };
sweep    = { method = ["imex1", "imex2", "imex3"]; };
method   = "$method";
boundary = "no_flux";
grid     = { n = [17, 13]; length = [16.0, 12.0]; };
time     = { dt = 0.05; end = 5.0; };
initial  = "0.3*cos(pi*x/16)*cos(2*pi*y/12) + 0.2*cos(3*pi*x/16) + 0.1";
run      = { device = "cpu"; };
output   = { fields = { times = [5.0]; }; scalars = { every = 0.5; }; };
CFG
sed 's/^boundary.*//; s/^grid.*/grid = { n = [32, 24]; length = [32.0, 24.0]; };/' closed.cfg >round.cfg
cat >closed3.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
rhs      = { u = "0.1*div((1 + u^2)*dx(u + v), (1 + v)*dy(u), (2 + cos(x)*cos(y))*dz(u)) + 0.1*dxy(dx(u)*dy(u)) + u*v";
             v = "lap(u*v) - 0.1*lap(lap(v)) + 0.05*dzz(dx(u)*dx(v)) + 0.1*lap(v) - v*u^2"; };
method   = "imex3";
boundary = { x = "no_flux"; z = "no_flux"; };
grid     = { n = [9, 12, 7]; length = [pi, 2*pi, pi]; };
time     = { dt = 0.002; end = 0.1; };
initial  = { u = "1 + 0.3*cos(x)*sin(y)*cos(z)"; v = "0.5 + 0.2*cos(2*x + 0*y)*cos(2*z) + 0.1*cos(y)"; };
run      = { device = "cpu"; };
output   = { fields = { times = [0.1]; }; };
CFG
sed -i 's/length = .pi.*/length = ["pi", "2*pi", "pi"]; };/' closed3.cfg
sed 's/^boundary.*//; s/^grid.*/grid = { n = [16, 12, 12]; length = "2*pi"; };/' closed3.cfg >round3.cfg
own=(-s 'time={ end=50.0; tolerance=1e-5; }' -s 'sweep.method=["imex2", "imex3"]')
for k in closed round; do
    expect 0 run $k.cfg -o $k.h5
    expect 0 run $k.cfg -o $k.own.h5 "${own[@]}" -s 'output.fields.times=[50.0]'
    expect 0 run ${k}3.cfg -o ${k}3.h5
done
expect 0 check closed.cfg; prints 'left  y  u_y = 0, u_yyy = 0'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'no flux'
import h5py, numpy as np
worst = 0
for one in ("", ".own"):
    a, b = h5py.File("closed%s.h5" % one), h5py.File("round%s.h5" % one)
    worst = max(worst, abs(a["u"][:] - b["u"][:, :, :13, :17]).max())
    mass, energy = a["mass"][:]/192, a["energy"][:]
    print(worst, abs(mass - 0.1).max(), np.diff(energy).max())
    assert a["u"][:].std() > 0.1 and (np.diff(energy) < 0).all()
    # sums of up to some thousand steps, each off by an ulp of what it adds
    assert abs(mass - mass[:, :1]).max() < 1e-14 if not one else abs(mass - mass[:, :1]).max() < 1e-13
    for name, part in (("mass", 4), ("energy", 4), ("domain_length", 1)):
        assert np.allclose(a[name][:], b[name][:]/part, rtol=1e-11, atol=1e-12)
a, b = h5py.File("closed3.h5"), h5py.File("round3.h5")
for name in "uv":
    x, y = a[name][0, -1], b[name][0, -1][:7, :, :9]
    print(name, abs(x - y).max(), x.std())
    worst = max(worst, abs(x - y).max())
    assert x.std() > 0.05
assert worst < 1e-12  # the same sums in another order, and other eliminations of matrices of condition 1e3
PY

# ---- fluxes with coordinates in them are 0 at walls in differences, too: the mean stays to rounding
cat >flux.cfg <<'CFG'
problem  = "equation";
rhs      = "div((1 + x + y^2)*dx(u), exp(x)*(2 + y)*dy(u), (1 + x*z)*dz(u)) - 0.01*lap(lap(u))
            + 0.01*dx((1 + x)*u^2*dx(lap(u))) + dz(z*dz(u)*(1 + x*y))";
boundary = "no_flux";
method   = "imex3";
grid     = { n = [9, 10, 7]; length = [1.0, 1.2, 0.8]; };
time     = { dt = 0.0005; end = 0.05; };
initial  = "1 + 0.1*randn(1)";
run      = { device = "cpu"; };
output   = { fields = { times = [0.0, 0.05]; }; };
CFG
sed -i -e ':a' -e '/"div/N; s/\n *+ 0/ + 0/' flux.cfg
expect 0 check flux.cfg; grep -q 'the mean is not kept' out && fail 'a warning of fluxes that are 0'
expect 0 run flux.cfg -o flux.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'the mean'
import h5py, numpy as np
u = h5py.File("flux.h5")["u"][0]
w = [np.r_[0.5, np.ones(n - 2), 0.5] for n in u.shape[1:]]
mean = np.einsum("tzyx,z,y,x->t", u, *w)/np.prod([a.sum() for a in w])
print(mean[1] - mean[0], u.std(axis=(1, 2, 3)))
assert abs(mean[1] - mean[0]) < 1e-14 and u[1].std() < 0.5*u[0].std()
PY
expect 0 check flux.cfg -s 'rhs="lap(u) - dy(u^2)"'; prints 'rhs of u, column 10: no flux at walls of y is u_y = u_yyy'
expect 0 check flux.cfg -s 'rhs="lap(u) + dxy(u)"'; prints 'the mean is not kept'

# ---- walls that move: orders in dx, and in dt against short steps. u = cos(x + y - 3 t) has the derivatives
# -sin, -cos, sin along each axis; the orders in dt of imex3 are those of its stages (docs/explanation/field_methods.md)
cat >moving.py <<'PY'
import sys
name, op, source, first, second = {
    "values":  ("values", "lap(u)", "3*s + 2*c", ("dirichlet", "c"), None),
    "slopes":  ("slopes", "lap(u)", "3*s + 2*c", ("neumann", "-s"), None),
    "cross":   ("cross", "lap(u) + 1.2*dxy(u)", "3*s + 3.2*c", ("neumann", "-s"), None),
    "bent":    ("bent", "-0.01*lap(lap(u))", "3*s + 0.04*c", ("dirichlet", "c"), ("d%s%s", "-c")),
    "sloped":  ("sloped", "-0.01*lap(lap(u))", "3*s + 0.04*c", ("neumann", "-s"), ("d%s%s%s", "s")),
    "clamped": ("clamped", "-0.01*lap(lap(u))", "3*s + 0.04*c", ("dirichlet", "c"), ("neumann", "-s")),
    "mixed":   ("mixed", "-0.01*lap(lap(u))", "3*s + 0.04*c", None, None),
}[sys.argv[1]]
c, s = "cos(x + y - 3*t)", "sin(x + y - 3*t)"
text = lambda e: e.replace("c", "C").replace("s", "S").replace("C", c).replace("S", s)
kinds = {"v": (("dirichlet", "c"), ("d%s%s", "-c")), "s": (("neumann", "-s"), ("d%s%s%s", "s")),
         "k": (("dirichlet", "c"), ("neumann", "-s"))}
print('problem = "equation"; rhs = "%s + %s";' % (op, text(source)))
mixed = {"leftx": "k", "rightx": "v", "lefty": "s", "righty": "k"}
for side in ("left", "right"):
    walls = ""
    for axis in "xy":
        f, g = (first, second) if first else kinds[mixed[side + axis]]
        inside = '%s = "%s"; ' % (f[0], text(f[1]))
        if g: inside += '%s = "%s"; ' % (g[0] % ((axis,)*g[0].count("%")), text(g[1]))
        walls += "%s = { %s}; " % (axis, inside)
    print("%s = { %s};" % (side, walls))
print('''sweep = { n = 33; dt = [0.1, 0.05, 0.025]; method = ["imex1", "imex2", "imex3"]; };
grid = { n = ["n", "n"]; length = [1.0, 1.2]; }; time = { dt = "dt"; end = 1.0; }; method = "$method";
initial = "cos(x + y)"; exact = "%s"; run = { device = "cpu"; }; output = { fields = { times = [1.0]; }; };''' % c)
PY
kinds='values slopes cross bent sloped clamped mixed'
if [ -n "$python" ]; then
    for k in $kinds; do
        py moving.py "$k" >"$k.cfg"
        expect 0 run "$k.cfg" -o "$k.h5"
        expect 0 run "$k.cfg" -o "$k.fine.h5" -s 'sweep.dt=[0.0025]' -s 'sweep.method=["imex3"]'
        expect 0 run "$k.cfg" -o "$k.dx.h5" -s 'sweep.n=[17, 33]' -s 'sweep.dt=[0.005]' -s 'sweep.method=["imex3"]'
    done
    py - >out 2>err <<'PY' || fail 'orders with walls that move'
import h5py, numpy as np
# of imex2 and imex3, dt 0.05 to 0.025
least = {"values": (1.9, 1.8), "slopes": (1.9, 2.5), "cross": (1.9, 2.5), "bent": (1.9, 2.8), "sloped": (1.9, 2.6),
         "clamped": (1.9, 1.5), "mixed": (1.9, 0.9)}
for kind, order in least.items():
    e = np.ravel(h5py.File(kind + ".dx.h5")["err_max"][:])
    f, g = h5py.File(kind + ".h5"), h5py.File(kind + ".fine.h5")
    t = abs(f["u"][:, -1] - g["u"][0, -1]).max(axis=(1, 2)).reshape(3, 3).T  # [method][dt]
    slope = np.log2(t[:, :-1]/t[:, 1:])
    print(kind, "dx", np.log2(e[0]/e[1]), "dt", t, slope)
    assert abs(np.log2(e[0]/e[1]) - 2) < 0.1
    assert slope[1, -1] > order[0] and slope[2, -1] > order[1]
PY
fi
# ---- a jump of a value, and of one that falls between steps, are those of a periodic axis that has it inside: the heat
# that comes in is there at the end, whatever dt is
cat >jump.cfg <<'CFG'
problem = "equation";
rhs     = "lap(u)";
left    = { y = { dirichlet = "step(t - 0.0499)"; }; };
right   = { y = { dirichlet = 0.0; }; };
sweep   = { dt = [0.01, 0.005, 0.0025]; method = ["imex1", "imex2", "imex3"]; };
method  = "$method";
grid    = { n = [8, 33]; length = 1.0; };
time    = { dt = "dt"; end = 1.0; };
initial = "0";
exact   = "1 - y";
run     = { device = "cpu"; };
output  = { fields = { times = [1.0]; }; };
CFG
expect 0 run jump.cfg -o jump.h5
expect 0 run jump.cfg -o jump.own.h5 -s 'time={ end=1.0; tolerance=1e-6; }' -s 'sweep.method=["imex2", "imex3"]' \
    -s 'sweep.dt=[1]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'a jump'
import h5py, numpy as np
# exp(-pi^2 0.95) of the jump is left: 8.5e-5
for name in ("jump.h5", "jump.own.h5"):
    e = np.ravel(h5py.File(name)["err_max"][:])
    print(e)
    assert (e < 3e-4).all()
PY

# ---- -lap(lap(u)) between walls of each kind against the exponential of the same differences, made here of matrices
# along each axis; what is given there is not 0 and rests
cat >dense.cfg <<'CFG'
problem = "equation";
rhs     = "-0.001*lap(lap(u)) + 0.02*lap(u)";
left    = { x = { dirichlet = "y^2"; dxx = "1 + y"; };  y = { neumann = "x/2"; dyyy = 3.0; }; };
right   = { x = { dirichlet = "1 + y"; neumann = "y"; }; y = { dirichlet = "1 + x^2"; neumann = "-x"; }; };
method  = "imex3";
grid    = { n = [12, 11]; length = [1.1, 1.0]; };
time    = { dt = 0.0005; end = 0.2; };
initial = "1 + x*y + sin(5*x)*cos(4*y)";
run     = { device = "cpu"; };
output  = { fields = { times = [0.2]; }; };
CFG
expect 0 run dense.cfg -o dense.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'a dense solution'
import h5py, numpy as np
nx, ny, dx, dy = 12, 11, 0.1, 0.1
x, y = dx*np.arange(nx), dy*np.arange(ny)
X, Y = np.meshgrid(x, y)
P = 2  # points beyond

def beyond(u):
    """[ny, nx] with two points beyond all walls, and what is given at them."""
    w = np.full((ny + 2*P, nx + 2*P), np.nan)
    w[P:-P, P:-P] = u
    w[P:-P, P], w[P:-P, -P - 1] = y**2, 1 + y
    for k in (1, 2):
        w[P:-P, P - k] = -w[P:-P, P + k] + 2*y**2 + (k*dx)**2*(1 + y)
        w[P:-P, -P - 1 + k] = w[P:-P, -P - 1 - k] + 2*k*dx*y
    xs = dx*np.arange(-P, nx + P)
    w[-P - 1] = 1 + xs**2
    for k in (1, 2):
        w[P - k] = w[P + k] - 2*k*dy*xs/2 - (k*dy)**3/3*3
        w[-P - 1 + k] = w[-P - 1 - k] + 2*k*dy*(-xs)
    return w

def rate(u):
    w = beyond(u)
    at = lambda i, j: w[P + j:P + j + ny, P + i:P + i + nx]
    second = lambda f: (f(1) - 2*f(0) + f(-1))
    fourth = lambda f: (f(2) - 4*f(1) + 6*f(0) - 4*f(-1) + f(-2))
    xx, yy = second(lambda i: at(i, 0))/dx**2, second(lambda j: at(0, j))/dy**2
    mixed = second(lambda i: second(lambda j: at(i, j)))/(dx*dy)**2
    f = 0.02*(xx + yy) - 0.001*(fourth(lambda i: at(i, 0))/dx**4 + 2*mixed + fourth(lambda j: at(0, j))/dy**4)
    f[:, 0] = f[:, -1] = f[-1] = 0
    return f

u = 1 + X*Y + np.sin(5*X)*np.cos(4*Y)
u = beyond(u)[P:-P, P:-P].copy()  # with the values at walls
b = rate(u).ravel()
L = np.stack([rate(u + e.reshape(u.shape)).ravel() - b for e in np.eye(u.size)], axis=1)
v, Q = np.linalg.eig(L)
print("eigenvalues", v.real.min(), v.real.max())
assert v.real.max() < 1e-9
t = 0.2
phi = np.where(abs(v*t) > 1e-8, np.expm1(v*t)/np.where(v == 0, 1, v), t)
exact = (u.ravel() + (Q @ (phi*np.linalg.solve(Q, b))).real).reshape(u.shape)
e = abs(h5py.File("dense.h5")["u"][0, -1] - exact).max()
print("error", e, "of a change of", abs(exact - u).max())
assert abs(exact - u).max() > 0.1 and e < 2e-7  # of dt: 1e-7 at most, and eigenvectors of condition 1e5
PY

# ---- no wave grows, however long the step, with any kind of wall
cat >stiff.cfg <<'CFG'
problem = "equation";
rhs     = "-lap(lap(u))";
sweep   = { s = [1.0, 1e2, 1e4, 1e6]; method = ["imex1", "imex2", "imex3"]; };
method  = "$method";
grid    = { n = [17, 15]; length = [16.0, 14.0]; };
time    = { dt = "s"; end = "200*s"; };
initial = "randn(7)";
run     = { device = "cpu"; };
output  = { fields = { times = ["end"]; }; };
CFG
sed -i 's/times = \["end"\]/times = "linspace(0, end, 2)"/' stiff.cfg
kinds=('dirichlet = 0.0;' 'neumann = 0.0;' 'dirichlet = 0.0; neumann = 0.0;')
for k in 0 1 2; do
    for l in 0 1 2; do
        left="left={ x={ ${kinds[k]} }; y={ ${kinds[l]} }; }" right="right={ x={ ${kinds[l]} }; y={ ${kinds[k]} }; }"
        expect 0 run stiff.cfg -o "stiff$k$l.h5" -s "$left" -s "$right"
    done
done
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'stiff steps'
import h5py, numpy as np
for k in range(9):
    u = h5py.File("stiff%d%d.h5" % (k//3, k % 3))["u"][:]
    size = np.sqrt((u**2).mean(axis=(2, 3)))
    print(k, size[:, 1])
    assert (size[:, 1] < size[:, 0]).all()
PY

# ---- runs of their own steps between walls that move: interrupted ones go on to the same bits, in any batch
cat >own.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
rhs      = { u = "0.1*lap(u) + u*v - u^3"; v = "-0.001*lap(lap(v)) + 0.1*dxy(u) - v"; };
boundary = { x = "no_flux"; };
left     = { y = { dirichlet = { u = "sin(3*t + x)"; v = "t*x"; }; neumann = { v = "cos(t)"; }; }; };
right    = { y = { neumann = { u = "w*t*cos(x)"; }; dirichlet = { v = 1.0; }; }; };
sweep    = { w = [0.1, 0.2, 0.3]; };
grid     = { n = [24, 21]; length = 2.0; };
time     = { end = 3.0; tolerance = 1e-4; };
initial  = { u = "sin(x)*(1 - y)"; v = "y^2/4 + y*(2 - y)"; };
run      = { device = "cpu"; };
output   = { fields = { times = [1.5, 3.0]; }; scalars = { every = 0.5; }; };
CFG
expect 0 check own.cfg
prints 'u = sin(3*t + x) · v = t*x, v_y = cos(t)'
expect 0 run own.cfg -o whole.h5
expect 0 run own.cfg -o single.h5 -s run.batch=1
expect 0 run own.cfg -o fine.h5 -s time.tolerance=1e-7
stops=0
while [ "$stops" -lt 9 ]; do  # each time some steps further, on a busy machine maybe none
    "$sweep" run own.cfg -o stopped.h5 -s 'grid.n=[48, 41]' -j 1 --max-time 0.2s >out 2>err
    [ $? = 75 ] || break
    stops=$((stops + 1))
done
[ "$stops" -gt 0 ] || fail 'a run that is stopped'
expect 0 run own.cfg -o stopped.h5 -s 'grid.n=[48, 41]'
expect 0 run own.cfg -o long.h5 -s 'grid.n=[48, 41]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'steps of their own between walls that move'
import h5py, numpy as np
f = {k: h5py.File(k + ".h5") for k in ("whole", "single", "fine", "stopped", "long")}
for v in "uv":
    u = f["whole"][v][:]
    assert (f["single"][v][:] == u).all() and (f["stopped"][v][:] == f["long"][v][:]).all()
    print(v, abs(u - f["fine"][v][:]).max(), abs(u).max())
    assert abs(u - f["fine"][v][:]).max() < 3e-3 and u.std() > 0.1
assert abs(f["whole"]["u"][0, -1, 0] - np.sin(9 + 2*np.arange(24)/23)).max() < 1e-14
PY

# ---- scalars with derivatives at walls of each kind, of exact fields and at the end of a run: of order 2, beside Gauss
# quadrature of the exact solution; lap(u) between walls with slopes is what goes through them, to rounding
cat >energy.py <<'PY'
import sys
kind = sys.argv[1]
kinds = {"values": (("dirichlet", "c"),), "slopes": (("neumann", "-s"),),
         "bent": (("dirichlet", "c"), ("d%s%s", "-c")), "sloped": (("neumann", "-s"), ("d%s%s%s", "s")),
         "clamped": (("dirichlet", "c"), ("neumann", "-s")), "no_flux": ()}
text = lambda e: e.replace("c", "C").replace("s", "S").replace("C", "cos(x + y - 3*t)").replace("S", "sin(x + y - 3*t)")
exact = "cos(pi*x)*cos(pi*y/0.6)*exp(-t)" if kind == "no_flux" else text("c")
print('problem = "equation"; rhs = "%s - u^3"; exact = "%s"; source = "exact";'
      % ("-0.01*lap(lap(u))" if kind in ("bent", "sloped", "clamped") else "lap(u)", exact))
for side in ("left", "right"):
    walls = ""
    for axis in "xy":
        inside = "".join('%s = "%s"; ' % (k % ((axis,)*k.count("%")), text(v)) for k, v in kinds[kind])
        walls += "%s = { %s}; " % (axis, inside)
    if kinds[kind]: print("%s = { %s};" % (side, walls))
if kind == "no_flux": print('boundary = "no_flux";')
print('''sweep = { n = [17, 33]; }; grid = { n = ["n", "n"]; length = [1.0, 1.2]; };
time = { dt = 0.005; end = 0.5; }; method = "imex3"; initial = "%s"; run = { device = "cpu"; };
output = { scalars = { every = 0.5; define = { energy = "integral(grad2(u)/2 + (u^2 - 1)^2/4)";
    bending = "integral(lap(u)^2/2)"; cross = "integral(dxy(u)^2)"; flux = "integral(lap(u))"; }; }; };'''
      % exact.replace("- 3*t", "").replace("*exp(-t)", ""))
PY
kinds='values slopes bent sloped clamped no_flux'
if [ -n "$python" ]; then
    for k in $kinds; do
        py energy.py "$k" >"energy.$k.cfg"
        expect 0 run "energy.$k.cfg" -o "energy.$k.h5"
    done
    py - >out 2>err <<'PY' || fail 'energies between walls'
import h5py, numpy as np
p, w = np.polynomial.legendre.leggauss(20)
x, y = np.meshgrid((p + 1)/2, 0.6*(p + 1))
w = 0.3*np.outer(w, w)
for kind in ("values", "slopes", "bent", "sloped", "clamped", "no_flux"):
    f = h5py.File("energy.%s.h5" % kind)
    f = [f["n%05dx%05d" % (n, n)] for n in (17, 33)]
    for at, t in ((0, 0.0), (-1, 0.5)):
        c, s = np.cos(x + y - 3*t), np.sin(x + y - 3*t)
        u, g, lap, cross = c, 2*s*s, -2*c, -c
        if kind == "no_flux":
            a, b, e = np.pi, np.pi/0.6, np.exp(-t)
            X, Y = np.array([np.cos(a*x), np.sin(a*x)]), np.array([np.cos(b*y), np.sin(b*y)])
            u, g = e*X[0]*Y[0], e*e*((a*X[1]*Y[0])**2 + (b*X[0]*Y[1])**2)
            lap, cross = -(a*a + b*b)*u, a*b*e*X[1]*Y[1]
        want = {"energy": g/2 + (u*u - 1)**2/4, "bending": lap**2/2, "cross": cross**2}
        for name, of in want.items():
            e = [abs(g[name][0, at] - (w*of).sum()) for g in f]
            print(kind, t, name, e, np.log2(e[0]/e[1]))
            assert np.log2(e[0]/e[1]) > 1.9 - 0.1*(name == "cross")  # errors of third order at walls beside
        flux = [g["flux"][0, at] for g in f]
        print(kind, t, flux)
        if kind == "no_flux": assert max(map(abs, flux)) < 1e-13
        if kind == "slopes":  # the same sum over what is given at walls, by the trapezoidal rule
            for n, value in zip((17, 33), flux):
                X, Y = np.linspace(0, 1, n), np.linspace(0, 1.2, n)
                rule = lambda v, d: d*(v.sum() - (v[0] + v[-1])/2)
                through = (rule(np.sin(Y - 3*t) - np.sin(1 + Y - 3*t), 1.2/(n - 1)) +
                           rule(np.sin(X - 3*t) - np.sin(X + 1.2 - 3*t), 1.0/(n - 1)))
                assert abs(through - value) < 1e-12
PY
fi
# the energy of the steps is what its text gives, without flux and where u, u_nn, slopes and both are given
cat >same.cfg <<'CFG'
problem  = "cahn_hilliard";
physics  = { D = 0.7; gamma = 1.3; };
boundary = { x = "no_flux"; };
left     = { y = { dirichlet = "0.2 + 0.1*cos(pi*x/8 - t)"; }; z = { neumann = 0.1; }; };
right    = { y = { dirichlet = 0.3; dyy = 0.1; }; z = { dirichlet = "0.1*y"; neumann = 0.2; }; };
sweep    = { row = ["cpu.simd", "cpu.plain"]; };
stepper  = "$row";
grid     = { n = [9, 8, 7]; length = [8.0, 7.0, 6.5]; };
time     = { dt = 0.05; end = 0.5; };
initial  = "0.2 + 0.1*randn(3)";
run      = { device = "cpu"; };
output   = { scalars = { every = 0.1; define = { own = "integral((u^2 - 1)^2/4 + gamma*grad2(u)/2)"; }; }; };
CFG
expect 0 run same.cfg -o same.h5
expect 0 run same.cfg -o one.h5 -j 1
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'two energies'
import h5py, numpy as np
f, one = h5py.File("same.h5"), h5py.File("one.h5")
own, energy = f["own"][:, 1:], f["energy"][:, 1:]  # at t = 0 the noise is not what is given at walls
print(own, energy - own)
assert np.allclose(own, energy, rtol=1e-13) and (f["own"][:] == one["own"][:]).all()
PY

# ---- what is refused
cat >text.cfg <<'CFG'
problem = "equation";
rhs     = "lap(u)";
grid    = { n = [16, 12]; length = 1.0; };
time    = { dt = 0.001; end = 0.01; };
initial = "0";
CFG
refused() { expect 3 check text.cfg "${@:2}"; says "$1"; }
value=(-s 'left.y.dirichlet="1"') closed=(-s 'boundary.y="no_flux"')
refused "'right.y.dirichlet' is missing: nothing is said of u at the right wall of y" "${value[@]}"
refused "both hold where u has derivatives along y above the second" "${value[@]}" "${closed[@]}" \
    -s 'left.y.neumann="1"'
refused "no derivative of u along y is above the second" "${value[@]}" -s 'left.y.dyy="1"' "${closed[@]}"
refused "it goes with left.y.neumann of u, which is not given" -s 'left.y.dyyy="1"' "${closed[@]}"
refused "two conditions are all that hold at a wall" -s 'rhs="-lap(lap(u))"' "${closed[@]}" \
    -s 'left.y={ dirichlet=0.0; neumann=0.0; dyy=0.0; }'
refused "the grid has no axis z: it has 2 dimensions" -s 'left.z.dirichlet="1"'
refused "the grid has no axis z" -s 'boundary.z="no_flux"'
refused "unknown key 'boundary.q'" -s 'boundary.q="no_flux"'
refused 'an axis each: boundary = { y = "no_flux"; }' -s 'boundary="clamped"'
refused 'it means nothing with boundary.y = "periodic"' "${value[@]}" -s 'boundary.y="periodic"'
refused 'means nothing with boundary = "periodic"' "${value[@]}" -s 'boundary="periodic"'
refused 'fields between walls are of second order in space' -s 'boundary="no_flux"' -s 'order=4'
refused 'it is one for all runs' -s 'boundary="$b"' -s 'sweep.b=["periodic", "no_flux"]'
expect 4 run text.cfg -o row.h5 -s 'boundary="no_flux"' -s 'stepper="cpu.fourier"' --device cpu
says 'it steps fields that are periodic along all axes'
refused "'left.y' is empty" -s 'left={ y={}; }'
refused "unknown name 'q'" -s 'left.y.dirichlet="x*q"' "${closed[@]}"
expect 0 check text.cfg -s 'left.y.dirichlet="1/t"' "${closed[@]}"; prints 'left.y.dirichlet = "1/t" is inf at t = 0'

# ---- what steps are warned of looks at points between walls, not across them: u_x is 1 there, not -31
cat >slope.cfg <<'CFG'
problem  = "equation";
rhs      = "1e-6*lap(u) - 0.5*grad2(u)";
method   = "imex3";
initial  = "x";
boundary = "no_flux";
grid     = { n = [64, 16]; length = 1.0; };
time     = { dt = 0.01; end = 0.02; };
run      = { device = "cpu"; };
CFG
expect 0 check slope.cfg; grep -q 'odd derivatives' out && fail 'a warning of a jump across the box'
expect 0 check slope.cfg -s time.dt=0.1 -s time.end=0.2; prints 'dt times the largest is 6.3 at the initial values'
summary
