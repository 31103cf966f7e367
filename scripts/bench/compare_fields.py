"""The works of compare_equations.py in two dimensions: Cahn-Hilliard, many runs of 128 x 128 points and one of 512 x
512 (`sweep`, JAX, on the CPU py-pde), and Gray-Scott, two unknowns (`sweep`, exponax). See there."""
import csv
import importlib.metadata
import json
import math
import multiprocessing
import os
import subprocess
import tempfile
import time

import numpy as np

CPUS = len(os.sched_getaffinity(0))
SHIFTS = 64  # run j has s = (j mod 64)/64
LOOKED_AT = 0, 21, 42, 63


class Refused(Exception):
    """A row of `sweep` that does not take a work."""


class Work:
    """An equation, its runs and steps. `check` is the time at which answers are compared, `bound` the largest error."""
    def __init__(self, n, runs):
        self.n, self.runs, self.known = n, runs, {}
        self.name = f"{self.equation}, {n} x {n}" + (f" x {runs}" if runs > 1 else "")

    def shifts(self, runs=None):
        return np.arange(runs or self.runs) % SHIFTS / SHIFTS

    def looked_at(self):
        return sorted({min(j, self.runs - 1) for j in LOOKED_AT})

    def grid(self):
        x = np.arange(self.n) * self.length / self.n
        return np.meshgrid(x, x, indexing="ij")

    def square(self):
        """kx^2 + ky^2 of real transforms."""
        k = 2 * np.pi / self.length * np.fft.fftfreq(self.n, 1 / self.n)
        return k[:, None]**2 + k[:self.n // 2 + 1]**2 + 0 * k[:, None]

    def reference(self, s):
        """At `check`, with all unknowns; ETDRK4 (Cox and Matthews 2002), contour integrals of Kassam and Trefethen."""
        if s in self.known:
            return self.known[s]
        steps = math.ceil(self.check / self.reference_dt)
        h = self.check / steps
        z = h * self.linear(s)
        sums = np.zeros((4,) + z.shape)
        for m in range(32):
            r = z + np.exp(1j * np.pi * (m + 0.5) / 32)
            e = np.exp(r)
            sums += np.real([(np.exp(r / 2) - 1) / r, (-4 - r + e * (4 - 3 * r + r**2)) / r**3,
                             (2 + r + e * (-2 + r)) / r**3, (-4 - 3 * r - r**2 + e * (4 - r)) / r**3])
        e, e2, (q, f1, f2, f3) = np.exp(z), np.exp(z / 2), h * sums / 32
        shape = (self.n, self.n)
        nonlinear = lambda v: self.nonlinear(np.fft.irfft2(v, shape), s)
        v = np.fft.rfft2(self.initial(s))
        for _ in range(steps):
            n0 = nonlinear(v)
            a = e2 * v + q * n0
            n1 = nonlinear(a)
            n2 = nonlinear(e2 * v + q * n1)
            v = e * v + f1 * n0 + 2 * f2 * (n1 + n2) + f3 * nonlinear(e2 * a + q * (2 * n2 - n0))
        self.known[s] = np.fft.irfft2(v, shape)
        return self.known[s]

    def error(self, answers):
        """The largest of the runs that are looked at; `answers` has one for each of those."""
        s = self.shifts()
        return max(float(np.abs(got - self.reference(s[j])).max()) for got, j in zip(answers, self.looked_at()))


class CahnHilliard(Work):
    """u_t = lap(u^3 - u - g lap u), g of each run's own."""
    equation, dt, check, reference_dt, bound = "Cahn-Hilliard", 0.05, 10.0, 0.1, 0.1
    method, unknowns, define = "imex1", ["u"], 'k = "2*pi/length"; q = 0.08;'

    def __init__(self, n, runs):
        self.length = 25 * np.pi * n / 128
        super().__init__(n, runs)

    def width(self, s):
        return 1 + s / 2

    def initial(self, s):
        (x, y), k, q = self.grid(), 2 * np.pi / self.length, 0.08
        return (0.3 * (np.cos(4 * q * x + s) * np.cos(2 * q * y) + 0.5 * np.sin(3 * q * x - 5 * q * y)
                       + 0.25 * np.cos(2 * k * x + 3 * k * y - 2 * s)))[None]

    def linear(self, s):
        return -self.width(s) * self.square()[None]**2

    def nonlinear(self, u, s):
        return -self.square() * np.fft.rfft2(u**3 - u)

    config = """problem = "cahn_hilliard"; physics = { D = 1.0; gamma = "1 + s/2"; };
initial = "0.3*(cos(4*q*x + s)*cos(2*q*y) + 0.5*sin(3*q*x - 5*q*y) + 0.25*cos(2*k*x + 3*k*y - 2*s))";"""


class GrayScott(Work):
    """u_t = Du lap u - u v^2 + F (1 - u), v_t = Dv lap v + u v^2 - (F + k) v, F of each run's own."""
    equation, length, dt, check, reference_dt, bound = "Gray-Scott", 1.0, 1.0, 200.0, 1.0, 0.05
    method, unknowns, define = "imex2", ["u", "v"], 'F = "0.03 + 0.03*s";'
    diffusion, kill = (2e-5, 1e-5), 0.06

    def feed(self, s):
        return 0.03 + 0.03 * s

    def initial(self, s):
        x, y = self.grid()
        spot = np.exp(8 * (np.cos(2 * np.pi * x + s) + np.cos(2 * np.pi * y) - 2))
        return np.stack([1 - spot / 2, spot / 4])

    def linear(self, s):
        feed = self.feed(s)
        return np.stack([-self.diffusion[0] * self.square() - feed,
                         -self.diffusion[1] * self.square() - (feed + self.kill)])

    def nonlinear(self, w, s):
        r = w[0] * w[1]**2
        return np.fft.rfft2(np.stack([self.feed(s) - r, r]))

    config = """problem = "equation"; unknowns = ["u", "v"];
rhs = { u = "2e-5*lap(u) - u*v^2 + F*(1 - u)"; v = "1e-5*lap(v) + u*v^2 - (F + 0.06)*v"; };
initial = { u = "1 - exp(8*(cos(2*pi*x + s) + cos(2*pi*y) - 2))/2";
            v = "exp(8*(cos(2*pi*x + s) + cos(2*pi*y) - 2))/4"; };"""


# ------------------------------------------------------------------ programs

class Program:
    """check() gives the answers at `check` of the runs that are looked at; measure(repeats, seconds) steps and the
    least time that they took."""
    def __init__(self, work):
        self.work, self.dt, self.method = work, work.dt, work.method
        self.runs = work.runs


class Sweep(Program):
    name = "sweep"

    def __init__(self, work, program, device, row, order):
        super().__init__(work)
        self.program, self.device, self.row, self.order = program, device, row, order
        self.setup = f"order {order} in space" + (f", {row}" if row else "")

    def version(self):
        return subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout.split("\n")[0]

    def text(self, steps, look):
        w = self.work
        runs = min(self.runs, SHIFTS) if look else self.runs
        out = 'output = { fields = { times = ["end"]; }; };' if look else ""
        return (f'{w.config} grid = {{ n = [{w.n}, {w.n}]; length = {float(w.length)!r}; }};\n'
                f'sweep = {{ j = "range(0, {runs - 1})"; }};\n'
                f'define = {{ s = "(j - {SHIFTS}*floor(j/{SHIFTS}))/{SHIFTS}"; {w.define} }};\n'
                f'time = {{ dt = {w.dt}; end = {float(steps * w.dt)!r}; }}; method = "{w.method}"; '
                f'order = {self.order};\n{out} accuracy = {{ runs = 0; }}; run = {{ device = "{self.device}"; }};\n')

    def call(self, command, folder, steps, look, options):
        config = os.path.join(folder, "c.cfg")
        with open(config, "w") as out:
            out.write(self.text(steps, look))
        done = subprocess.run([self.program, command, config, "-q", *options], capture_output=True, text=True)
        if done.returncode:
            raise Refused(done.stderr.strip())

    def check(self):
        import h5py
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "u.h5")
            self.call("run", folder, round(self.work.check / self.dt), True,
                      ["-o", file] + (["--solver", self.row] if self.row else []))
            with h5py.File(file) as f:
                fields = [f[name][:, -1] for name in self.work.unknowns]
            return [np.stack([field[j].T for field in fields]) for j in self.work.looked_at()]

    def measure(self, repeats, seconds):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "rows.csv")
            self.call("bench", folder, 10**5, False, ["--rows", self.row or "cpu.simd", "--repeats", str(2 * repeats),
                                                      "--longest", str(seconds / 2), "-o", file])
            with open(file, newline="") as rows:
                row = next(csv.DictReader(rows))
            if row["state"] != "ok":
                raise Refused(row["state"])
            return int(row["steps"]), float(row["least_s"])


class Compiled(Program):
    """A program of JAX: `block` steps of all runs compiled once, and called again and again."""
    def __init__(self, work, device, batch):
        super().__init__(work)
        self.device, self.batch, self.block = device, batch, 100 if device == "cuda" else 10
        self.block = min(self.block, round(work.check / work.dt))
        self.setup = f"{batch} runs at once" if batch else "all runs at once"
        if work.runs == 1:
            self.setup = "one run"

    def prepare(self):
        if hasattr(self, "step"):
            return
        import jax
        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() != {"cuda": "gpu"}.get(self.device, self.device):
            raise SystemExit(f"JAX takes {jax.default_backend()}, not {self.device}")
        s = self.work.shifts()
        self.first = jax.device_put(np.array([self.work.initial(each) for each in s]))
        self.own = jax.device_put(self.parameters(s))
        one = self.steps()
        if self.work.runs == 1:
            step = lambda u, p: one(u[0], p[0])[None]
        elif self.batch == 1:
            step = lambda u, p: jax.lax.map(lambda a: one(*a), (u, p))
        elif self.batch:
            step = lambda u, p: jax.lax.map(lambda a: one(*a), (u, p), batch_size=self.batch)
        else:
            step = jax.vmap(one)
        state = self.enter(self.first)
        self.step = jax.jit(step, donate_argnums=0).lower(state, self.own).compile()

    def advance(self, steps, look=False):
        self.prepare()
        state = self.enter(self.first).block_until_ready()
        began = time.perf_counter()
        for _ in range(steps // self.block):
            state = self.step(state, self.own)
        state.block_until_ready()
        seconds = time.perf_counter() - began
        return [np.asarray(self.leave(state[j])) for j in self.work.looked_at()] if look else None, seconds

    def check(self):
        return self.advance(round(self.work.check / self.dt), look=True)[0]

    def measure(self, repeats, seconds):
        steps = self.block
        while (least := self.advance(steps)[1]) < 0.5 * seconds and steps < 10**6:
            steps = self.block * math.ceil(steps / self.block * min(max(seconds / least, 2), 20))
        return steps, min([least] + [self.advance(steps)[1] for _ in range(repeats - 1)])


class Jax(Compiled):
    """The state is a real transform throughout; denominators are formed of k^2 and of the run's g in the same loop."""
    name = "JAX"

    def __init__(self, work, device, batch):
        super().__init__(work, device, batch)
        self.method = "imex1, pseudo-spectral, stabilised"

    def version(self):
        return "jax " + importlib.metadata.version("jax")

    def parameters(self, s):
        return self.work.width(s)

    def enter(self, u):
        import jax.numpy as jnp
        return jnp.fft.rfft2(u)

    def leave(self, v):
        import jax.numpy as jnp
        return jnp.fft.irfft2(v, (self.work.n, self.work.n))

    def steps(self):
        import jax
        import jax.numpy as jnp
        square, dt, shape = jnp.asarray(self.work.square()), self.dt, (self.work.n, self.work.n)

        def step(v, g):
            """u^3 - u = (u^3 - 3 u) + 2 u, the latter implicit: no wave grows where |u| <= 1 (Eyre)."""
            u = jnp.fft.irfft2(v, shape)
            n = jnp.fft.rfft2(u * u * u - 3 * u)
            return (v - dt * square * n) / (1 + dt * square * (2 + g * square))
        return lambda v, g: jax.lax.fori_loop(0, self.block, lambda _, v: step(v, g), v)


class Exponax(Compiled):
    name = "exponax"

    def __init__(self, work, device, batch):
        super().__init__(work, device, batch)
        self.method = "ETDRK2"

    def version(self):
        return "exponax " + importlib.metadata.version("exponax") + ", jax " + importlib.metadata.version("jax")

    def parameters(self, s):
        return self.work.feed(s)

    def enter(self, u):
        return u + 0  # the first state is kept

    def leave(self, u):
        return u

    def steps(self):
        import exponax
        w = self.work

        def steps(u, feed):
            stepper = exponax.stepper.reaction.GrayScott(2, w.length, w.n, w.dt, diffusivity_1=w.diffusion[0],
                                                         diffusivity_2=w.diffusion[1], feed_rate=feed,
                                                         kill_rate=w.kill, order=2)
            return exponax.repeat(stepper, self.block)(u)
        return steps


def solve_with_py_pde(task):
    n, runs, s, end, dt, explicit = task
    os.environ["NUMBA_NUM_THREADS"] = "1" if runs > 1 else str(CPUS)
    import pde
    pde.solvers.controller.Controller._get_current_time = time.perf_counter  # not the sum over threads
    work = CahnHilliard(n, runs)
    grid = pde.CartesianGrid([[0, work.length]] * 2, n, periodic=True)
    field = pde.ScalarField(grid, work.initial(s)[0])
    eq = pde.CahnHilliardPDE(interface_width=float(work.width(s)))
    how = {"solver": "euler"} if explicit else {"solver": "runge-kutta", "adaptive": True, "tolerance": 1e-4}
    out, info = eq.solve(field, t_range=end, dt=dt, tracker=None, backend="numba", ret_info=True, **how)
    return out.data[None], info["solver"].get("steps", 0), info["controller"]["profiler"]["solver"]


class PyPde(Program):
    """One run for each processor at once, as it has no batches: `runs` of a row are those."""
    name = "py-pde"

    def __init__(self, work, explicit):
        super().__init__(work)
        self.explicit = explicit
        self.runs = min(CPUS, work.runs)
        self.dt = 0.9 * (work.length / work.n)**4 / (32 * 1.5) if explicit else math.nan  # 0.9 of what is stable
        self.method = "Euler, explicit" if explicit else "adaptive Runge-Kutta 4(5)"
        self.setup = "one run a processor" if self.runs > 1 else "one run"

    def version(self):
        return "py-pde " + importlib.metadata.version("py-pde")

    def solve(self, shifts, end):
        tasks = [(self.work.n, self.work.runs, s, end, self.dt if self.explicit else 1e-3, self.explicit)
                 for s in shifts]
        with multiprocessing.get_context("spawn").Pool(min(CPUS, len(tasks))) as pool:
            return pool.map(solve_with_py_pde, tasks, chunksize=1)

    def check(self):
        s = self.work.shifts()
        return [done[0] for done in self.solve([s[j] for j in self.work.looked_at()], self.work.check)]

    def measure(self, repeats, seconds):
        """Each solve compiles for a quarter of a minute."""
        self.end = (8 if self.explicit else 2) * self.work.check / (1 if self.work.runs > 1 else 16)
        done = [self.solve(self.work.shifts(self.runs), self.end) for _ in range(min(repeats, 3))]
        return min(((max(d[1] for d in one), max(d[2] for d in one)) for one in done), key=lambda t: t[1] / t[0])


# ------------------------------------------------------------------ rows

def measure(program, repeats, seconds):
    steps, least = program.measure(repeats, seconds)
    end = program.end if isinstance(program, PyPde) else steps * program.dt
    points = program.runs * program.work.n**2
    return {"runs": program.runs, "steps": steps, "end": f"{end:.6g}", "seconds": f"{least:.4g}",
            "rate": f"{points * steps / least:.4g}", "time_rate": f"{points * end / least:.4g}"}


def programs(sweep, device, runs):
    """All of `sweep` first: JAX keeps the memory of a GPU that it once had."""
    gpu = device == "cuda"
    many, one = CahnHilliard(128, runs or (1024 if gpu else 64)), CahnHilliard(512, 1)
    spots = GrayScott(128, runs or (4096 if gpu else 64))
    for work in many, one, spots:
        for row in (("cuda.fused", "cuda.stream") if gpu else ("",)):
            for order in (2,) if gpu else (2, 4):
                yield Sweep(work, sweep, device, row, order)
    for batch in (0,) if gpu else (0, 1, 8):
        yield Jax(many, device, batch)
    yield Jax(one, device, 0)
    for batch in (0,) if gpu else (0, 1, 8):
        yield Exponax(spots, device, batch)
    for work in () if gpu else (many, one):
        for explicit in True, False:
            yield PyPde(work, explicit)


def rows(sweep, device, given):
    """A row of each program and work, verified, without where it comes from."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    for program in programs(sweep, device, given.runs):
        work = program.work
        if given.only not in f"{work.name} {program.name}":
            continue
        try:
            error = work.error(program.check())
            if not error <= work.bound:
                raise SystemExit(f"{program.name}: {work.name}: off by {error:.2e}, more than {work.bound:g}")
            row = {"equation": work.name, "program": program.name, "method": program.method, "setup": program.setup,
                   "n": f"{work.n}x{work.n}", "dt": f"{program.dt:.4g}", "error": f"{error:.3g}",
                   "error_at": work.check}
            yield program, row | measure(program, given.repeats, given.seconds)
        except Refused as why:
            if not program.row:
                raise SystemExit(f"{program.name}: {why}") from None
            print(f"{work.name}: {program.row} does not take it: {json.dumps(str(why)[:200])}", flush=True)
        program.step = program.first = None  # frees memory
