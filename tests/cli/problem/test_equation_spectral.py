"""Equations of the user's own against solutions that share nothing with the program: Fourier modes in space, ETDRK4 in
time (Cox and Matthews 2002, with the contour integrals of Kassam and Trefethen 2005), exact solutions, known speeds.

    test_equation_spectral.py SWEEP FOLDER     the program, and a folder to work in

Derivatives of the reference are either those of the modes, or those that differences of second order have of them
(dx: i sin(k h)/h, dxx: -(2 - 2 cos(k h))/h^2, their products): against the former the program's error is one in space,
against the latter, which solves the program's equations at its points exactly, it is one in time. That of the reference
itself, told by solving again with half the step, is below a hundredth of the smallest error measured with it."""
import subprocess
import sys

import h5py
import numpy as np

program, folder = sys.argv[1:3]
failures = 0


def check(what, true, *numbers):
    global failures
    said = " ".join(f"{number:.6g}" for number in numbers)
    print(f"{'ok    ' if true else 'FAILED'} {what}: {said}", flush=True)
    failures += not true


# ---- the program
def solve(text, n, length, end, dt, method="imex3", times=None, more=""):
    """The fields of runs with these steps dt: {name: [run, time, x]}, and the whole file beside them."""
    config, out = f"{folder}/one.cfg", f"{folder}/one.h5"
    length, end = float(length), float(end)  # NumPy's own have a repr that is no number
    with open(config, "w") as file:
        file.write(f"""problem = "equation"; {text}
            grid = {{ n = {n}; length = {length!r}; }}; time = {{ dt = "step_"; end = {end!r}; }}; method = "{method}";
            sweep = {{ step_ = [{", ".join(f"{float(step)!r}" for step in dt)}]; }};
            output = {{ fields = {{ times = {[float(t) for t in times or [end]]}; }}; {more} }};""")
    done = subprocess.run([program, "run", "-q", "--force", "--device", "cpu", "-o", out, config], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise SystemExit(f"{open(config).read()}\n{done.stdout}")
    with h5py.File(out) as file:
        return {name: file[name][:] for name in file if isinstance(file[name], h5py.Dataset) and name != "message"}


# ---- the reference
class Modes:
    """Waves of a periodic line, and what derivatives make of them."""
    def __init__(self, n, length, differences=False):
        self.n, self.x = n, np.arange(n)*length/n
        k, h = 2*np.pi*np.fft.rfftfreq(n, length/n), length/n
        self.d1 = 1j*np.sin(k*h)/h if differences else 1j*np.where(np.arange(len(k))*2 == n, 0, k)
        self.d2 = -(2 - 2*np.cos(k*h))/h**2 if differences else -k**2
        self.d3, self.d4 = self.d1*self.d2, self.d2**2

    def of(self, u):
        return np.fft.rfft(u, axis=-1)

    def at(self, modes):
        return np.fft.irfft(modes, self.n, axis=-1)

    def dx(self, u):
        return self.at(self.d1*self.of(u))

    def dxx(self, u):
        return self.at(self.d2*self.of(u))


def march(modes, linear, nonlinear, u, end, steps):
    """u_t = linear u + nonlinear(u) by ETDRK4. linear: of each mode; nonlinear: of fields, fields."""
    h = end/steps
    root = np.exp(2j*np.pi*(np.arange(64) + 0.5)/64)[:, None]
    z = h*np.atleast_2d(linear)[:, None, :] + root
    def mean(f):
        return h*f.mean(axis=1)
    once, half = np.exp(h*linear), np.exp(h*linear/2)
    q = mean((np.exp(z/2) - 1)/z).reshape(np.shape(linear))
    f1 = mean((-4 - z + np.exp(z)*(4 - 3*z + z**2))/z**3).reshape(np.shape(linear))
    f2 = mean((2 + z + np.exp(z)*(z - 2))/z**3).reshape(np.shape(linear))
    f3 = mean((-4 - 3*z - z**2 + np.exp(z)*(4 - z))/z**3).reshape(np.shape(linear))
    def rate(v):
        return modes.of(nonlinear(modes.at(v)))
    v = modes.of(u)
    for _ in range(steps):
        r0 = rate(v)
        a = half*v + q*r0
        ra = rate(a)
        b = half*v + q*ra
        rb = rate(b)
        c = half*a + q*(2*rb - r0)
        v = once*v + f1*r0 + 2*f2*(ra + rb) + f3*rate(c)
    return modes.at(v)


def reference(modes, linear, nonlinear, initial, end, steps):
    """The fields at the end, and their error."""
    coarse, fine = (march(modes, linear(modes), nonlinear(modes), initial(modes.x), end, k) for k in (steps, 2*steps))
    return fine, np.abs(fine - coarse).max()/15             # of fourth order


def order(errors, ratio=2):
    return np.log(np.array(errors[:-1])/errors[1:])/np.log(ratio)


def fields(found, names, time=-1):
    return [np.array([found[name][run, time] for name in names]) for run in range(len(found["run"]))]


def compare(what, text, names, initial, linear, nonlinear, length, end, space, time):
    """Orders in dx against the modes, and in dt against the differences.
    linear, nonlinear: of Modes; initial: of x; space: the numbers of points, the step, and the steps of the reference;
    time: the number of points, the steps, and the steps of the reference."""
    ns, dt, steps = space
    exact, own = reference(Modes(max(ns), length), linear, nonlinear, initial, end, steps)
    errors = []
    for n in ns:
        u = fields(solve(text, n, length, end, [dt]), names)[0]
        errors.append(np.abs(u - np.atleast_2d(exact)[:, ::max(ns)//n]).max())
    # the leading term of the error is alone when the last two are within 0.1 of the order, here and below
    check(f"{what}: order in dx", abs(order(errors)[-1] - 2) < 0.1, *order(errors), *errors)
    check(f"{what}: error of the reference", own < 0.01*errors[-1], own)
    n, dt, steps = time
    exact, own = reference(Modes(n, length, differences=True), linear, nonlinear, initial, end, steps)
    for method in ("imex1", "imex2", "imex3"):
        errors = [np.abs(u - np.atleast_2d(exact)).max()
                  for u in fields(solve(text, n, length, end, dt, method), names)]
        slope = order(errors)
        check(f"{what}: order in dt of {method}", abs(slope[-1] - int(method[-1])) < 0.1, *slope, *errors)
    check(f"{what}: error of the reference in dt", own < 0.01*errors[-1], own)


def stack(*rows):
    return np.array(rows)


# ---- Kuramoto and Sivashinsky: fields before chaos has told solutions apart
def kuramoto_sivashinsky():
    compare("Kuramoto-Sivashinsky", 'rhs = "-u*dx(u) - dxx(u) - dxxxx(u)"; initial = "cos(x/4)*(1 + sin(x/4))";', ["u"],
            lambda x: np.cos(x/4)*(1 + np.sin(x/4)), lambda m: -m.d2 - m.d4, lambda m: lambda u: -u*m.dx(u),
            8*np.pi, 10.0, ((64, 128, 256), 0.02, 200), (32, [0.05, 0.025, 0.0125, 0.00625], 800))


# ---- its energy spectrum, when chaos has developed: means over time and eight starts, in bands of waves
def kuramoto_sivashinsky_spectrum():
    n, length, begin, end = 128, 20*np.pi, 100, 300
    text = 'rhs = "-u*dx(u) - dxx(u) - dxxxx(u)"; initial = "0.1*randn(1000*step_)";'
    times = np.arange(begin, end + 1, 2.0)
    u = solve(text, 2*n, length, float(end), [0.05, 0.04, 0.02, 0.025], "imex2", list(times))["u"]
    own = (np.abs(np.fft.rfft(u, axis=-1)/(2*n))**2).mean(axis=(0, 1))
    modes = Modes(n, length)
    v = np.random.default_rng(1).normal(size=(4, n))*0.1
    v = march(modes, -modes.d2 - modes.d4, lambda w: -w*modes.dx(w), v, float(begin), 10*begin)
    total = 0
    for _ in range(100):
        v = march(modes, -modes.d2 - modes.d4, lambda w: -w*modes.dx(w), v, 2.0, 20)
        total = total + (np.abs(modes.of(v)/n)**2).mean(axis=0)/100
    bands = [(1, 4), (4, 7), (7, 10), (10, 14)]             # the plateau, the peak at k = 0.85, the steep fall
    ratio = [own[a:b].sum()/total[a:b].sum() for a, b in bands]
    # 400 samples of three or four waves, 2 apart where the correlation time is some 5
    check("Kuramoto-Sivashinsky: energies of bands of waves", all(abs(r - 1) < 0.25 for r in ratio), *ratio)


# ---- Swift and Hohenberg: the pattern that grows
def swift_hohenberg():
    compare("Swift-Hohenberg", 'define = { r = 0.3; }; rhs = "r*u - u - 2*dxx(u) - dxxxx(u) - u^3"; '
            'initial = "0.1*cos(x) + 0.05*sin(1.25*x)";', ["u"],
            lambda x: 0.1*np.cos(x) + 0.05*np.sin(1.25*x), lambda m: 0.3 - 1 - 2*m.d2 - m.d4, lambda m: lambda u: -u**3,
            8*np.pi, 10.0, ((64, 128, 256), 0.05, 100), (16, [0.2, 0.1, 0.05, 0.025], 400))
    r = 0.01
    u = solve(f'rhs = "{r}*u - u - 2*dxx(u) - dxxxx(u) - u^3"; initial = "0.1*cos(x)";', 64, 2*np.pi, 2000.0, [0.5],
              "imex2")["u"][0, -1]
    amplitude = 2*abs(np.fft.rfft(u)[1])/64
    # the third harmonic changes it by a^2/512 = 3e-5 of itself, differences by (h^2/12)^2/(2 r) = 3e-5
    check("Swift-Hohenberg: amplitude is sqrt(4 r/3)", abs(amplitude/np.sqrt(4*r/3) - 1) < 1e-4,
          amplitude, np.sqrt(4*r/3))


# ---- Allen and Cahn: a front of the tilted potential, u = tanh(x/sqrt 2), which travels with m sqrt 2
def allen_cahn():
    m, length, end = 0.2, 40.0, 10.0
    wave = "tanh((x - 12)/sqrt(2)) - tanh((x - 28)/sqrt(2)) - 1"
    speed, errors, off = -m*np.sqrt(2), [], []
    for n in (128, 256, 512):
        found = solve(f'define = {{ m = {m}; }}; rhs = "dxx(u) + (1 - u^2)*(u + m)"; initial = "{wave}";', n, length,
                      end, [0.02], times=[0, end],
                      more='scalars = { every = 1.0; define = { wide = "integral(u)"; }; };')
        x, u = found["x"], found["u"][0, -1]
        exact = np.tanh((x - 12 - speed*end)/2**0.5) - np.tanh((x - 28 + speed*end)/2**0.5) - 1
        errors.append(np.abs(u - exact).max())
        wide = found["wide"][0]                             # each of the two fronts sweeps 2 speed a time
        off.append((wide[-1] - wide[2])/(found["time_s"][-1] - found["time_s"][2])/4 + speed)
    check("Allen-Cahn: order in dx of the front", abs(order(errors)[-1] - 2) < 0.1, *order(errors), *errors)
    check("Allen-Cahn: its speed m sqrt 2, and the order of that", abs(order(np.abs(off))[-1] - 2) < 0.1 and
          abs(off[-1]) < 1e-4, *off)


# ---- Fisher, Kolmogorov, Petrovsky and Piskunov: 2 sqrt(r D), which a steep front nears slowly
def fisher_kpp():
    d, r = 0.25, 2.0
    unit = np.sqrt(d/r)                                     # of length; that of time is 1/r
    found = solve(f'rhs = "{d}*dxx(u) + {r}*u*(1 - u)"; '
                  f'initial = "exp(-(x/{unit})^2) + exp(-((x - length)/{unit})^2)";', 2048, 400*unit, 80/r, [0.02/r],
                  "imex2", more=f'scalars = {{ every = {float(1/r)!r}; define = {{ all = "integral(u)"; }}; }};')
    place = found["all"][0]/2                               # two fronts, from the two ends
    speed = (place[80] - place[40])/(40/r)
    # in units: v = 2 - 3/(2 t) + 3 sqrt(pi)/(2 t^(3/2)) (Bramson 1983, Ebert and van Saarloos 2000); the next term, of
    # order log(t)/t^2, is some 2e-3 at t = 40 to 80; differences add dx^2/12 = 3e-3
    law = np.sqrt(r*d)*(2 - 1.5*np.log(2)/40 + 3*np.sqrt(np.pi)*(40**-0.5 - 80**-0.5)/40)
    check("Fisher-KPP: speed nears 2 sqrt(r D) as its law says", abs(speed - law) < 8e-3*np.sqrt(r*d), speed, law)
    # a front that is known: u = (1 + exp(z/sqrt 6))^-2, z = x - 5/sqrt(6) t (Ablowitz and Zeppetella 1979), and back
    errors, c = [], 5/np.sqrt(6)
    def exact(x, t):
        return (1 + np.exp((np.abs(x - 60) - 20 - c*t)/6**0.5))**-2
    for n in (240, 480, 960):
        found = solve('rhs = "dxx(u) + u*(1 - u)"; initial = "(1 + exp((abs(x - 60) - 20)/sqrt(6)))^(-2)";', n, 120.0,
                      4.0, [0.01])
        errors.append(np.abs(found["u"][0, -1] - exact(found["x"], 4.0))[n//2 + n//8:n - n//12].max())
    check("Fisher-KPP: order in dx of a front with speed 5/sqrt 6", abs(order(errors)[-1] - 2) < 0.1, *order(errors),
          *errors)
    compare("Fisher-KPP", 'rhs = "0.5*dxx(u) + u*(1 - u)"; initial = "0.3 + 0.2*cos(x)^3";', ["u"],
            lambda x: 0.3 + 0.2*np.cos(x)**3, lambda m: 0.5*m.d2 + 1, lambda m: lambda u: -u**2,
            2*np.pi, 2.0, ((32, 64, 128), 0.02, 50), (32, [0.1, 0.05, 0.025, 0.0125], 200))


# ---- Korteweg and de Vries: a soliton keeps its shape and its speed; two leave a collision as they were, but shifted
def kdv():
    text = 'rhs = "-6*u*dx(u) - dxxx(u)"; initial = "{}";'
    c, length, end = 4.0, 24.0, 3.0
    errors = []
    for n in (256, 512, 1024):
        u = solve(text.format("2/cosh(x - 6)^2"), n, length, end, [0.001])["u"][0, -1]
        x = np.arange(n)*length/n
        errors.append(np.abs(u - 2/np.cosh(x - 6 - c*end)**2).max())
    check("KdV: order in dx of a soliton", abs(order(errors)[-1] - 2) < 0.1, *order(errors), *errors)
    turned = np.angle(np.fft.rfft(2/np.cosh(x - 6)**2)[1]) - np.angle(np.fft.rfft(u)[1])
    moved = turned*length/(2*np.pi) % length
    check("KdV: its speed c, height c/2", abs(moved/end - c) < 5e-3 and abs(u.max() - c/2) < 2e-3, moved/end, u.max())
    compare("KdV, two solitons", text.format("2/cosh(x - 12)^2 + 1/cosh((x - 20)/sqrt(2))^2"), ["u"],
            lambda x: 2/np.cosh(x - 12)**2 + 1/np.cosh((x - 20)/2**0.5)**2, lambda m: -m.d3,
            lambda m: lambda u: -6*u*m.dx(u), 40.0, 2.0, ((256, 512, 1024), 0.002, 1000),
            (128, [0.004, 0.002, 0.001, 0.0005], 2000))


# ---- Gray and Scott: a pulse that splits
def gray_scott():
    text = '''unknowns = ["u", "v"]; define = { F = 0.04; k = 0.06; };
              rhs = { u = "2e-5*dxx(u) - u*v^2 + F*(1 - u)"; v = "1e-5*dxx(v) + u*v^2 - (F + k)*v"; };
              initial = { u = "1 - 0.5*exp(-100*(x - 0.5)^2)"; v = "0.25*exp(-100*(x - 0.5)^2)"; };'''
    def initial(x):
        return stack(1 - 0.5*np.exp(-100*(x - 0.5)**2), 0.25*np.exp(-100*(x - 0.5)**2))
    def nonlinear(_):
        return lambda w: stack(-w[0]*w[1]**2 + 0.04, w[0]*w[1]**2)
    compare("Gray-Scott", text, ["u", "v"], initial, lambda m: stack(2e-5*m.d2 - 0.04, 1e-5*m.d2 - 0.1), nonlinear,
            1.0, 200.0, ((64, 128, 256), 1.0, 200), (64, [2.0, 1.0, 0.5, 0.25], 800))


# ---- Ginzburg and Landau: one complex unknown as two; its plane wave is exact
def ginzburg_landau():
    b, c, length, end = 0.5, -1.5, 8*np.pi, 4.0
    def text(p, q):
        return f'''unknowns = ["p", "q"]; define = {{ b = {b}; c = {c}; }};
                   rhs = {{ p = "p + dxx(p) - b*dxx(q) - (p^2 + q^2)*(p - c*q)";
                            q = "q + dxx(q) + b*dxx(p) - (p^2 + q^2)*(q + c*p)"; }};
                   initial = {{ p = "{p}"; q = "{q}"; }};'''
    k = 0.5
    size, turn = np.sqrt(1 - k**2), c + (b - c)*k**2
    errors = []
    for n in (64, 128, 256):
        found = solve(text(f"{float(size)!r}*cos({k}*x)", f"{float(size)!r}*sin({k}*x)"), n, length, end, [0.01])
        a = found["p"][0, -1] + 1j*found["q"][0, -1]
        errors.append(np.abs(a - size*np.exp(1j*(k*found["x"] - turn*end))).max())
    check("Ginzburg-Landau: order in dx of a plane wave", abs(order(errors)[-1] - 2) < 0.1, *order(errors), *errors)
    def nonlinear(m):
        def rate(w):
            p, q = w
            s = p**2 + q**2
            return stack(p - s*(p - c*q) - b*m.dxx(q), q - s*(q + c*p) + b*m.dxx(p))
        return rate
    compare("Ginzburg-Landau", text("0.5*cos(0.25*x)", "0.3*sin(0.5*x)"), ["p", "q"],
            lambda x: stack(0.5*np.cos(0.25*x), 0.3*np.sin(0.5*x)), lambda m: stack(m.d2, m.d2), nonlinear,
            length, end, ((64, 128, 256), 0.02, 400), (64, [0.1, 0.05, 0.025, 0.0125], 400))


for case in (kuramoto_sivashinsky, kuramoto_sivashinsky_spectrum, swift_hohenberg, allen_cahn, fisher_kpp, kdv,
             gray_scott, ginzburg_landau):
    case()
raise SystemExit(1 if failures else 0)
