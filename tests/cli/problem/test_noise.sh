#!/bin/bash
# Noise in each step as a user meets it: spectra of linear equations against the discrete formula of
# docs/howto/noise.md, sums that are kept, walls, streams, what does not change bits, and what is refused. SWEEP is the
# program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- spectra: each wave's variance within 4 standard errors of B^2 dt P^2/(1 - R^2); imex2's within 2 % of theory up
# to half the Nyquist wave, where a = 0.1 (1 + 2)
cat >line.cfg <<'CFG'
problem = "equation";
rhs     = "dxx(u) - u";
sweep   = { method = ["imex1", "imex2"]; seed = "range(1, 100)"; };
method  = "$method";
define  = { T = 0.5; };
noise   = "sqrt(2*T)";
grid    = { n = 32; length = 32.0; };
time    = { dt = 0.1; end = 40.0; };
initial = "0";
run     = { device = "cpu"; };
output  = { fields = { times = "linspace(10, end, 7)"; }; };
CFG
cat >cook.cfg <<'CFG'
problem = "equation";
rhs     = "dxx(2*u - dxx(u))";
sweep   = { method = ["imex1", "imex2"]; seed = "range(1, 200)"; };
method  = "$method";
noise   = { conserved = "1"; stream = "seed"; };
grid    = { n = 16; length = 16.0; };
time    = { dt = 0.05; end = 100.0; };
initial = "0.25";
run     = { device = "cpu"; };
output  = { fields = { times = "linspace(50, end, 6)"; }; };
CFG
sed -e 's/^problem.*/problem = "heat"; order = 2; physics = { kappa = 2.0; };/' -e '/^rhs/d' \
    -e 's/"imex1", "imex2"/"crank_nicolson"/' -e 's/dt = 0.05/dt = 0.25/' cook.cfg >heat.cfg
cat >plane.cfg <<'CFG'
problem = "equation";
rhs     = "lap(u) - u";
sweep   = { method = ["imex1", "imex2"]; seed = "range(1, 60)"; };
method  = "$method";
noise   = { u = "1"; stream = "seed"; };
grid    = { n = [12, 10]; length = [12.0, 12.0]; };
time    = { dt = 0.1; end = 60.0; };
initial = "0";
run     = { device = "cpu"; };
output  = { fields = { times = "linspace(10, end, 11)"; }; };
CFG
sed -e 's/lap(u) - u/lap(2*u - lap(u))/' -e 's/u = "1"/conserved = "1"/' -e 's/"0"/"0.25"/' plane.cfg >cook2.cfg
for name in line cook heat plane cook2; do expect 0 run $name.cfg -o $name.h5; done
expect 0 check line.cfg
matches 'u_t +noise +\(sqrt\(2\*T\)\)\*xi/sqrt\(dt\*dx\)'
expect 0 check cook2.cfg
prints 'div(f, g), each (1)*xi/sqrt(dt*dx*dy)'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'spectra'
import h5py, numpy as np
g = 1 - 2**-0.5
def spectrum(name, dx):
    u = h5py.File(name + ".h5")["u"][:]
    axes = tuple(range(2 - u.ndim, 0))
    n = np.prod(u.shape[2:])
    U = np.fft.fftn(u, axes=axes)
    return u, (abs(U)**2)/n*np.prod(dx)  # [run][time][..k]
def symbols(shape, dx):
    one = [(2/d*np.sin(np.pi*np.fft.fftfreq(n)))**2 for n, d in zip(shape, dx)]
    return np.meshgrid(*one, indexing="ij")
def step(method, parts, dt):
    """R of a wave with F = -lam u and the implicit parts of P, of k+ = Q dt F: docs/explanation/fields.md (33)"""
    lam = sum(parts["F"])
    gamma = {"imex1": 1.0, "imex2": g, "crank_nicolson": 0.5}[method]
    Q = 1/np.prod([1 + gamma*dt*p for p in parts["P"]], axis=0)
    z = -lam*dt
    if method == "imex1": return 1 + Q*z, lam
    if method == "crank_nicolson": return (1 + z/2)/(1 - z/2), lam
    rest, h = 1 + 2**-0.5, -2*g
    k1 = Q*z
    k2 = Q*(z*(1 + g*k1) + h*k1) - h*k1
    return 1 + (1 - rest)*k1 + rest*k2, lam
worst = 0
for name, dx, dt, kind, methods in [("line", [1.0], 0.1, "decay", ["imex1", "imex2"]),
                                    ("cook", [1.0], 0.05, "cook", ["imex1", "imex2"]),
                                    ("heat", [1.0], 0.25, "heat", ["crank_nicolson"]),
                                    ("plane", [1.2, 1.0], 0.1, "decay", ["imex1", "imex2"]),
                                    ("cook2", [1.2, 1.0], 0.1, "cook", ["imex1", "imex2"])]:
    u, S = spectrum(name, dx)
    D = symbols(u.shape[2:], dx)
    d = len(D)
    P = {"decay": [x + 1/d for x in D], "cook": [2*x + x**2 for x in D], "heat": [2*x for x in D]}[kind]
    F = {"decay": P, "cook": [2*sum(D) + sum(D)**2], "heat": P}[kind]
    B2 = 1 if kind == "decay" else sum(D)
    for m, method in enumerate(methods):
        of = S[m*len(S)//len(methods):(m + 1)*len(S)//len(methods)]
        if name == "cook2": P = [2*x + {"imex1": 1.0, "imex2": 1.15}[method]*x**2 for x in D]  # sigma of w_methods.c
        R, lam = step(method, {"P": P, "F": F}, dt)
        with np.errstate(all="ignore"):
            a = lam*dt
            wanted = B2*dt*((1 - R)/a)**2/(1 - R**2)
            theory = B2/(2*lam)
        # samples of one run are T apart, with the correlation R^(T/dt): they count less; a wave is complex, or real
        per = [(2, 1)[int(any(i not in (0, n//2) for i, n in zip(at, u.shape[2:])))] for at in np.ndindex(*u.shape[2:])]
        apart = {"line": 5, "cook": 10, "heat": 10, "plane": 5, "cook2": 5}[name]
        with np.errstate(all="ignore"):
            c = R**(2*apart/dt)
            count = of.shape[0]*of.shape[1]*(1 - c)/(1 + c)
        off = (of.mean(axis=(0, 1)) - wanted)/wanted/np.sqrt(np.reshape(per, u.shape[2:])/count)
        off = off[np.isfinite(off)]
        print(name, method, "largest", abs(off).max(), "rms", np.sqrt((off**2).mean()))
        assert abs(off).max() < 4 and 0.6 < np.sqrt((off**2).mean()) < 1.4
        if name == "line" and method == "imex2":
            half = u.shape[2]//4
            print("to half of Nyquist", (wanted/theory)[:half + 1])
            assert (abs(wanted/theory - 1)[:half + 1] < 0.02).all()
    if kind != "decay":
        off = abs(u.mean(axis=tuple(range(2, u.ndim))) - 0.25).max()
        print(name, "sum", off)
        assert off < 3e-13  # 600 to 2000 steps, each a rounding of 0.25
PY

# ---- the sum is kept to 1e-13 over 1000 steps, also between walls, where C depends on the place and on u
cat >box.cfg <<'CFG'
problem  = "cahn_hilliard";
physics  = { D = 1.0; gamma = 1.0; };
method   = "imex1";
noise    = { conserved = "0.3 + 0.1*u + 0.02*x"; };
boundary = "no_flux";
grid     = { n = [13, 11]; length = [12.0, 10.0]; };
time     = { dt = 0.02; end = 20.0; };
initial  = "0.1*cos(pi*x/12)";
run      = { device = "cpu"; };
output   = { fields = { times = [10.0, 20.0]; }; };
CFG
expect 0 run box.cfg -o box.h5
expect 0 run box.cfg -o wall.h5 -s 'grid.n=13' -s 'grid.length=12.0'
expect 0 run box.cfg -o circle.h5 -s 'grid.n=12' -s 'grid.length=12.0' -s 'boundary="periodic"' \
    -s 'initial="0.1*cos(2*pi*x/12)"'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'the sum of u'
import h5py, numpy as np
for name in ["box", "wall", "circle"]:
    u = h5py.File(name + ".h5")["u"][0]
    w = np.ones(u.shape[1:])
    for axis in range(w.ndim):
        if name == "circle": break
        edge = np.moveaxis(w, axis, 0)
        edge[0] *= 0.5; edge[-1] *= 0.5
    off = abs((u*w).reshape(len(u), -1).sum(axis=1)/w.sum())
    print(name, off, u.std())
    assert off.max() < 1e-13 and u.std() > 0.1
PY

# ---- points at walls have half a dV: waves cos(pi m x/L) of the trapezoidal rule each have their variance
sed -e 's/n = 32; length = 32.0/n = 9; length = 8.0/' \
    -e 's/^initial/boundary = "no_flux";\ninitial/' line.cfg >walls.cfg
expect 0 run walls.cfg -o walls.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'noise at walls'
import h5py, numpy as np
u = h5py.File("walls.h5")["u"][:]
g, n, dt = 1 - 2**-0.5, 9, 0.1
C = np.cos(np.pi*np.outer(np.arange(n), np.arange(n))/(n - 1))
w = np.ones(n); w[0] = w[-1] = 0.5
A2 = ((u*w) @ C.T)**2/(C**2*w).sum(axis=1)
a = dt*(1 + 4*np.sin(np.pi*np.arange(n)/2/(n - 1))**2)
for m, R in enumerate([1/(1 + a), (1 - (1 - 2*g)*a)/(1 + g*a)**2]):
    of = A2[m*100:(m + 1)*100]
    wanted = dt*((1 - R)/a)**2/(1 - R**2)
    off = (of.mean(axis=(0, 1))/wanted - 1)/np.sqrt(2/of[..., 0].size)
    print(off)
    assert abs(off).max() < 4
PY

# ---- noise of u itself: the strong order of Euler's and Milstein's steps, of u_t = -u + 0.5 u xi at points by
# themselves; what steps of dt do with the numbers of a run is u+ = (u + ..)/(1 + dt)
cat >own.cfg <<'CFG'
problem = "equation";
unknowns = ["u", "v"];
rhs     = { u = "-u"; v = "-v"; };
method  = "imex1";
noise   = { u = "0.5*u"; v = "1"; method = "milstein"; };
grid    = { n = 64; length = 16.0; };
time    = { dt = 0.1; end = 0.1; };
initial = { u = "1"; v = "0"; };
run     = { device = "cpu"; };
output  = { fields = { times = [0.1]; }; };
CFG
expect 0 run own.cfg -o milstein.h5
expect 0 run own.cfg -o euler.h5 -s 'noise.method="euler"'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'Milstein'
import h5py, numpy as np
dt, dx, b = 0.1, 0.25, 0.5
u, e = h5py.File("milstein.h5")["u"][0, -1], h5py.File("euler.h5")["u"][0, -1]
v = h5py.File("euler.h5")["v"][0, -1]
xi = (e*(1 + dt) - 1)/(b*np.sqrt(dt/dx))
assert abs(xi.mean()) < 0.5 and 0.6 < xi.std() < 1.4
assert abs(u*(1 + dt) - (1 + b*xi*np.sqrt(dt/dx) + b*b*(xi**2 - 1)*dt/(2*dx))).max() < 1e-13
eta = v*(1 + dt)/np.sqrt(dt/dx)
assert abs(np.corrcoef(xi, eta)[0, 1]) < 0.5 and abs(eta - xi).max() > 0.1
PY

# ---- the same by numpy alone: Philox 4x32-10, keys, Box and Muller in single precision, fluxes, and steps by a dense
# matrix. Two programs that round differently come to differ by 1e-16 a step, times what the equation makes of it
cat >path.cfg <<'CFG'
problem = "equation";
rhs     = "dxx(u^3 - u) - dxxxx(u)";
method  = "imex1";
noise   = { u = "0.2 + 0.1*u"; conserved = "0.3 + 0.2*u + 0.1*cos(2*pi*x/n)"; stream = 7; };
grid    = { n = 16; length = 16.0; };
time    = { dt = 0.02; end = 4.0; };
initial = "cos(2*pi*x/16)";
run     = { device = "cpu"; };
output  = { fields = { times = [0.02, 4.0]; }; };
CFG
expect 0 run path.cfg -o path.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'a path by numpy'
import h5py, numpy as np
MASK = (1 << 32) - 1
def philox(x, k0, k1):
    for _ in range(10):
        a, b = 0xD2511F53*x[0], 0xCD9E8D57*x[2]
        x = [(b >> 32) ^ x[1] ^ k0, b & MASK, (a >> 32) ^ x[3] ^ k1, a & MASK]
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return x
def key(stream, unknown, of):
    w = int(np.float64(stream).view(np.uint64))
    x = philox([w & MASK, w >> 32, 4*unknown + of, 0x6e6f6973], 0x73776565, 0x70206b79)
    return (x[0] << 32 | x[1]) & ~(1 << 62)
f32 = np.float32
def fma(a, b, c): return f32(np.float64(a)*np.float64(b) + np.float64(c))  # rounded twice, which shows once in 2^29
def horner(z, *c):
    p = f32(float.fromhex(c[0]))
    for x in c[1:]: p = fma(p, z, f32(float.fromhex(x)))
    return p
def normal(k, cell, step):  # number cell % 4 of block cell//4
    x = philox([cell//4, step, 0, 1 | 0xc0000000], k & MASK, k >> 32)
    radius, angle = x[cell & 2], x[(cell & 2) + 1]
    upper = radius >> 31
    y = fma(f32(radius ^ MASK if upper else radius), f32(2.0**-32), f32(2.0**-33))
    m, e = np.frexp(y)
    f, e = (-y, 0) if upper else (f32(m - f32(1)), -int(e))
    p = horner(f, "-0x1.70ec72p+1", "-0x1.b220bcp+1", "-0x1.41f6a6p+1", "-0x1.a0d908p-2", "-0x1.14155ep-1",
               "0x1.f143cap-2", "-0x1.55b59ep-1", "0x1.fffe2p-1", "-2")
    r = np.sqrt(fma(f32(e), f32(float.fromhex("0x1.62e43p+0")), f*p))
    a = f32(np.int64(np.uint32((angle << 2 | 2) & MASK).view(np.int32)))*f32(2.0**-32)
    z = a*a
    sine = a*horner(z, "-0x1.2d9302p-8", "0x1.465e92p-4", "-0x1.4abbbap-1", "0x1.921fb6p+0")
    cosine = horner(z, "-0x1.4e35dap-6", "0x1.03ae64p-2", "-0x1.3bd38cp+0", "0x1.fffffep-1")
    exact = np.sqrt(-2*np.log((radius + 0.5)*2.0**-32))  # what it is to single precision
    turn = np.pi/2*(np.int64(np.uint32((angle << 2) & MASK).view(np.int32)) + 2)*2.0**-32
    first = (angle >> 30 ^ cell) & 1
    value = (-r if angle >> 31 else r)*(cosine if first else sine)
    exact *= (-1 if angle >> 31 else 1)*(np.cos(turn) if first else np.sin(turn))
    assert type(value) is f32 and abs(value - exact) < 2e-6*abs(exact) + 1e-9
    return float(value)
n, dx, dt = 16, 1.0, 0.02
x = dx*np.arange(n)
u = np.cos(2*np.pi*x/16)
I = np.eye(n)
d2 = (np.roll(I, 1, 0) + np.roll(I, -1, 0) - 2*I)/dx**2
white, flux = key(7, 0, 0), key(7, 0, 1)
saved = h5py.File("path.h5")["u"][0]
for step in range(200):
    xi = np.array([normal(white, i, step) for i in range(n)])
    at_face = np.array([normal(flux, i, step) for i in range(n)])
    middle = (u + np.roll(u, -1))/2
    f = (0.3 + 0.2*middle + 0.1*np.cos(2*np.pi*(x + dx/2)/n))*at_face/np.sqrt(dt*dx)
    explicit = d2 @ (u**3 - u) + (0.2 + 0.1*u)*xi/np.sqrt(dt*dx) + (f - np.roll(f, 1))/dx
    u = np.linalg.solve(I + dt*(d2 @ d2), u + dt*explicit)
    if step in (0, 199):
        off = abs(u - saved[int(step > 0)]).max()
        print(step, off)
        assert off < (1e-14 if step == 0 else 1e-12)
PY

# ---- neighbours differ by their noise, which is no interface that points are too few for; a step among it is
expect 0 run line.cfg -q -o rough.h5 -s 'sweep.seed=[1, 2]' -s 'grid.n=256' -s 'grid.length=256.0'
expect 0 show rough.h5; ! grep -q under-resolved out || fail 'noise is taken for an interface'
expect 0 run line.cfg -q -o step.h5 -s 'sweep.seed=[1, 2]' -s 'grid.n=256' -s 'grid.length=256.0' \
    -s 'rhs="1e-9*dxx(u)"' -s 'noise="0.001"' -s 'initial="x < 128"' -s time.end=1.0 -s 'output.fields.times=[1.0]'
expect 0 show step.h5; prints 'under-resolved: at the end u has its range within'

# ---- streams: runs of one stream have one path, others none; a longer axis keeps them
cat >stream.cfg <<'CFG'
problem = "allen_cahn";
sweep   = { gamma2 = [1.0, 2.0]; seed = [1, 2, 3]; };
physics = { gamma = 1.0; };
noise   = { u = "0.1"; stream = "seed"; };
grid    = { n = 16; length = 16.0; };
time    = { dt = 0.1; end = 2.0; };
initial = "0*gamma2";
run     = { device = "cpu"; };
output  = { fields = { times = [2.0]; }; };
CFG
expect 0 run stream.cfg -o stream.h5
expect 0 run stream.cfg -o own_paths.h5 -s 'noise={ u = "0.1"; }'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'streams'
import h5py, numpy as np
u = h5py.File("stream.h5")["u"][:, -1]
assert (u[:3] == u[3:]).all() and not any((u[i] == u[j]).any() for i in range(3) for j in range(i))
u = h5py.File("own_paths.h5")["u"][:, -1]
assert not any((u[i] == u[j]).any() for i in range(6) for j in range(i))
PY

# a longer axis that gives runs other numbers says so; with streams that stay with the runs it goes on
runs=(-s 'sweep.seed=[1, 2, 3, 4]')
expect 5 run stream.cfg -o own_paths.h5 -s 'noise={ u = "0.1"; }' "${runs[@]}"
says 'own_paths.h5 holds another sweep (sweep.seed [1, 2, 3] -> [1, 2, 3, 4]: runs have other numbers by that, and'
says "'noise.stream' = \"run\" takes these; an axis there, or an expression of axes, would stay with its run)"
says "use -o FILE, with -s 'reuse=\"own_paths.h5\"' for the runs that both have, or --force"
expect 5 run stream.cfg -o own_paths.h5 -s 'noise={ u = "0.1"; }' -s 'sweep.gamma2=[1.0]'
says 'holds another sweep (sweep.gamma2 [1.0, 2.0] -> [1.0]); use'
expect 0 run stream.cfg -o own_paths.h5 -s 'noise={ u = "0.1"; stream = "3*(gamma2 - 1) + seed - 1"; }'
says 'nothing to do: 6 done'
cp stream.h5 longer.h5
expect 0 run stream.cfg -o longer.h5 "${runs[@]}"; says '2 of 8 runs left'
expect 0 run stream.cfg -o at_once.h5 "${runs[@]}"; same longer.h5 at_once.h5
# the runs that are on the first places of a longer axis keep their numbers, and a later end keeps all
expect 0 run stream.cfg -o first.h5 -s 'noise="0.1"' -s 'output.state=true'
expect 0 run stream.cfg -o first.h5 -s 'noise="0.1"' -s 'output.state=true' -s 'sweep.gamma2=[1.0, 2.0, 3.0]'
says '3 of 9 runs left'
expect 0 run stream.cfg -o first.h5 -s 'noise="0.1"' -s 'output.state=true' -s 'sweep.gamma2=[1.0, 2.0, 3.0]' \
    -s time.end=3.0 -s 'output.fields.times=[2.0, 3.0]'
says '9 runs of first.h5 continue from where they ended'

# ---- the same bits by any batch, threads, shards and stops, on lines and in planes; plain rows to rounding
for name in cook cook2; do
    few=(-s 'sweep.seed=range(1, 5)' -s 'output.state=true' -s 'time.end=5.0' -s 'output.fields.times=[5.0]')
    expect 0 run $name.cfg -o ${name}_one.h5 "${few[@]}" -j 1
    expect 0 run $name.cfg -o ${name}_two.h5 "${few[@]}" -j 2 -s 'run.batch=3'
    same ${name}_one.h5 ${name}_two.h5
    expect 0 run $name.cfg -o ${name}_plain.h5 "${few[@]}" -s 'stepper="cpu.plain"'
    for k in 1 2 3; do expect 0 run $name.cfg -o $name.h5 "${few[@]}" --shard $k/3; done
    expect 0 merge $name.shard-*.h5 -o ${name}_shards.h5
    same ${name}_one.h5 ${name}_shards.h5
    expect 0 run $name.cfg -o ${name}_on.h5 "${few[@]}" -s 'time.end=2.5' -s 'output.fields.times=[2.5]'
    expect 0 run $name.cfg -o ${name}_on.h5 "${few[@]}"
    [ -z "$python" ] || py - $name >out 2>err <<'PY' || fail 'rows, and what goes on'
import h5py, sys
one, plain, on = (h5py.File(f"{sys.argv[1]}_{of}.h5")["u"][:, -1] for of in ("one", "plain", "on"))
print(abs(one - plain).max())
assert (one == on).all() and abs(one - plain).max() < 1e-12
PY
done

# ---- no error of half steps is claimed
expect 0 run stream.cfg -o accuracy.h5 -s 'accuracy.runs=2'
says '0 of 2 sampled runs computed again (2 with noise at each step'

# ---- runs that sweep.where leaves keep their noise: the file is one with the others added
expect 0 run line.cfg -q -o some.h5 -s 'sweep.where="seed > 90"' -s time.end=1.0 -s 'output.fields.times=[1.0]'
expect 0 run line.cfg -q -o every.h5 -s time.end=1.0 -s 'output.fields.times=[1.0]'
expect 0 run line.cfg -o some.h5 -s time.end=1.0 -s 'output.fields.times=[1.0]'; says '180 of 200 runs left'
[ -z "$python" ] || py -c 'import h5py
a, b = h5py.File("every.h5"), h5py.File("some.h5")
assert all((a[n][()] == b[n][()]).all() for n in ("u", "run_id"))' 2>err || fail 'noise with where'

# ---- refused: the key, the cause, the way out
refuse() { expect 3 check "${@:2}"; says "$1"; }
refuse "'noise' in run 100 (method = imex2, seed = 1): noise that depends on the unknowns" line.cfg -s 'noise=u'
refuse 'by method = "imex1" alone' line.cfg -s 'noise={ conserved = "u"; }'
refuse 'give time.dt, without time.tolerance' line.cfg -s 'time={ end = 1.0; }'
refuse 'give time.dt, without time.tolerance' plane.cfg -s 'time={ end = 1.0; tolerance = 1e-3; dt = 0.1; }'
refuse "'method' = \"imex3\": noise" line.cfg -s 'method="imex3"'
refuse "there is no unknown 'w'" line.cfg -s 'noise={ w = "1"; }'
refuse "there is no unknown 'w'" line.cfg -s 'noise={ conserved = { w = "1"; }; }'
refuse "did you mean 'noise.stream'" line.cfg -s 'noise={ u = "1"; steam = "seed"; }'
refuse 'the amplitude of noise has no derivatives' line.cfg -s 'noise=dx(u)'
refuse 'the amplitude of noise is no random number' plane.cfg -s 'noise=randn(1)'
refuse "unknown name 'q'" line.cfg -s 'noise=q'
refuse "unknown name 'q'" stream.cfg -s 'noise={ conserved = "q"; }'
refuse 'a random flux keeps the sum of u between walls without flux' cook.cfg -s 'left={ dirichlet = "0"; }' \
    -s 'right={ dirichlet = "0"; }'
refuse 'leave it at "euler"' own.cfg -s 'noise={ u = "v"; method = "milstein"; }'
refuse 'leave it at "euler"' own.cfg -s 'noise={ conserved = { u = "u"; }; method = "milstein"; }'
refuse 'no source makes up for noise' line.cfg -s 'source="exact"' -s 'exact="0"'
refuse "unknown key 'noise': bvp has no time" "$top/configs/tiny_bvp.cfg" -s 'noise="1"'
refuse "'noise' has a key of this name" line.cfg -s 'unknowns=["stream"]'
expect 1 run line.cfg -o nan.h5 -s 'noise="sqrt(-1)"' -s 'sweep.seed=[1]'
says 'or its noise, is not finite'
summary
