#!/usr/bin/env python3
"""Time `sweep` and three programs in Python on the same equations.
  1-D  forced Cahn-Hilliard (a batched pseudo-spectral step in JAX; py-pde) and Kuramoto-Sivashinsky (exponax; py-pde),
       1024 runs of 256 points, on the CPU
  2-D  Cahn-Hilliard, 64 runs (on a GPU 1024) of 128 x 128 points and one of 512 x 512 (JAX; on the CPU py-pde), and
       Gray-Scott, 64 runs (on a GPU 4096) of 128 x 128 points (exponax); compare_fields.py

usage: compare_equations.py [--dim N] [--device DEVICE] [--csv FILE] [--repeats N] [--seconds S] [--runs N]
                            [--only WORD] [--before SWEEP] SWEEP
  SWEEP      the program
  --dim      1 or 2 (default: both; on a GPU 2 alone)
  --device   cpu (default) or cuda
  --csv      where the rows go (default: results/bench/equations_cpu.csv and fields_peers_DEVICE.csv); they are appended
  --repeats  of each timing, of which the best counts (default: 5, on a GPU 3)
  --seconds  that a timing takes, about (default: 2, on a GPU 0.5)
  --runs     of each equation, where it has more than one (default: as above)
  --only     rows in whose equation or program this word is
  --before   another build, timed in turn with the first in 1-D: it gets rows of its own

The others are not needed by `sweep`, and are installed beside it:
  python3 -m venv ~/compare && ~/compare/bin/pip install jax exponax py-pde h5py      # a GPU: 'jax[cuda13]'
  ~/compare/bin/python scripts/bench/compare_equations.py ./sweep
Where JAX with its GPU and h5py are there, but no network, `--device cuda` needs one package more, exponax, of pure
Python; it needs equinox, jaxtyping, wadler-lindig and typing-extensions, of pure Python too:
  pip install --no-deps --target DIR exponax-*.whl ... && PYTHONPATH=DIR python3 .../compare_equations.py ...

Everything is in double precision, with all processors that the process may use, or one GPU. Before a row is timed, its
result at an early time is compared with a spectral solution of fourth order in time with small steps (NumPy). A row
that is off by more than its bound is not timed, and fails the script. Each program is tuned as its user would:
  sweep    its default stepper, derivatives of second and of fourth order; the whole program is timed, with its start,
           its compilations and its output file; in 2-D the best of the steps of `sweep bench`; on a GPU rows by name
  JAX      compiled loops of many steps, the state in Fourier space, real transforms, the force added to its one mode;
           the runs all at once or in chunks that stay in the cache, whichever is faster; compiled before the clock runs
  exponax  its own stepper (ETDRK2) under vmap and repeat, chunks likewise, compiled before the clock runs
  py-pde   compiled by numba, steps of its own (adaptive Runge-Kutta), in 2-D also Euler's with the longest dt that is
           stable; one run for each processor at once, as it has no batches; without the time of compilation
A rate is points x steps x runs a second; as programs take different steps, `time_rate` has points x time x runs a
second. In 1-D `processor_s` has the least processor time of a timing: where other programs run, it decides."""
import argparse
import csv
import datetime
import importlib.metadata
import math
import multiprocessing
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time

N = 256
CPUS = len(os.sched_getaffinity(0))
os.environ.setdefault("XLA_FLAGS", f"--xla_cpu_multi_thread_eigen=true intra_op_parallelism_threads={CPUS}")
import numpy as np  # noqa: E402

import compare_fields  # noqa: E402


class Equation:
    """What all programs solve: run j of R has the shift s = j/R."""
    def parameters(self, runs):
        return np.arange(runs) / runs

    def initial(self, s):
        x = np.arange(N) * self.length / N
        k = 2 * np.pi / self.length
        return self.size * (np.cos(4 * k * x + s) + 0.5 * np.sin(7 * k * x) + 0.25 * np.cos(2 * k * x - 2 * s))

    initial_text = "({size}*(cos(4*k*x + s) + 0.5*sin(7*k*x) + 0.25*cos(2*k*x - 2*s)))"

    def wave_numbers(self):
        return 2 * np.pi / self.length * np.arange(N // 2 + 1)

    def reference(self, s, end):
        """ETDRK4 (Cox and Matthews 2002) with the contour integrals of Kassam and Trefethen (2005)."""
        steps = math.ceil(end / self.reference_dt)
        h, k = end / steps, self.wave_numbers()
        z = h * self.linear(k)
        ring = z[:, None] + np.exp(1j * np.pi * (np.arange(1, 65) - 0.5) / 64)
        mean = lambda v: np.real(v.mean(axis=1))
        e, e2, q = np.exp(z), np.exp(z / 2), h * mean((np.exp(ring / 2) - 1) / ring)
        f1 = h * mean((-4 - ring + np.exp(ring) * (4 - 3 * ring + ring**2)) / ring**3)
        f2 = h * mean((2 + ring + np.exp(ring) * (-2 + ring)) / ring**3)
        f3 = h * mean((-4 - 3 * ring - ring**2 + np.exp(ring) * (4 - ring)) / ring**3)
        v = np.fft.rfft(self.initial(s))
        for n in range(steps):
            t = n * h
            n0 = self.nonlinear(v, k, s, t)
            a = e2 * v + q * n0
            n1 = self.nonlinear(a, k, s, t + h / 2)
            b = e2 * v + q * n1
            n2 = self.nonlinear(b, k, s, t + h / 2)
            c = e2 * a + q * (2 * n2 - n0)
            v = e * v + f1 * n0 + 2 * f2 * (n1 + n2) + f3 * self.nonlinear(c, k, s, t + h)
        return np.fft.irfft(v, N)


class CahnHilliard(Equation):
    """u_t = (u^3 - u - u_xx)_xx + a cos(q (x - v t)), a and v of each run's own."""
    name, length, size, check, dt, reference_dt = "forced Cahn-Hilliard", 32 * np.pi, 0.3, 10.0, 0.02, 1e-3
    waves = 4

    def force(self, s):
        return 0.05 + 0.05 * s, 0.1 + 0.4 * s                   # a, v

    def linear(self, k):
        return -k**4

    def nonlinear(self, v, k, s, t):
        u, (a, speed) = np.fft.irfft(v, N), self.force(s)
        n = -k**2 * np.fft.rfft(u**3 - u)
        n[self.waves] += a * N / 2 * np.exp(-1j * 2 * np.pi * self.waves / self.length * speed * t)
        return n

    config = """problem = "cahn_hilliard"; grid = {{ n = {n}; length = "32*pi"; }};
physics = {{ D = 1.0; gamma = 1.0; }};
define = {{ k = "2*pi/length"; q = "4*k"; a = "0.05 + 0.05*s"; v = "0.1 + 0.4*s"; }};
initial = "{initial}"; forcing = "a*cos(q*(x - v*t))";"""


class KuramotoSivashinsky(Equation):
    """u_t = -u u_x - u_xx - u_xxxx."""
    name, length, size, check, dt, reference_dt = "Kuramoto-Sivashinsky", 64.0, 0.5, 10.0, 0.05, 2e-3

    def linear(self, k):
        return k**2 - k**4

    def nonlinear(self, v, k, s, t):
        return -0.5j * k * np.fft.rfft(np.fft.irfft(v, N)**2)

    config = """problem = "equation"; grid = {{ n = {n}; length = 64.0; }}; define = {{ k = "2*pi/length"; }};
initial = "{initial}"; rhs = "-0.5*dx(u^2) - dxx(u) - dxxxx(u)"; method = "imex2";"""


# ------------------------------------------------------------------ programs: advance(end) -> the last states

class Sweep:
    name, first_steps = "sweep", 2000

    def __init__(self, program, equation, order):
        self.program, self.equation, self.dt, self.order = program, equation, equation.dt, order
        self.setup = f"order {order} in space"
        self.method = "imex2" if isinstance(equation, KuramotoSivashinsky) else "imex1"

    def version(self):
        return subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout.split("\n")[0]

    def advance(self, s, end):
        initial = self.equation.initial_text.format(size=self.equation.size)
        text = self.equation.config.format(n=N, initial=initial)
        text += f"""sweep = {{ j = "range(0, {len(s) - 1})"; }}; time = {{ dt = {self.dt}; end = {float(end)!r}; }};
output = {{ fields = {{ times = ["end"]; }}; }}; run = {{ device = "cpu"; }}; order = {self.order};"""
        text = text.replace("define = {", f'define = {{ s = "j/{len(s)}";')
        with tempfile.TemporaryDirectory() as folder:
            config, file = os.path.join(folder, "c.cfg"), os.path.join(folder, "u.h5")
            with open(config, "w") as out:
                out.write(text)
            began = time.perf_counter()
            done = subprocess.run([self.program, "run", config, "-q", "-o", file], capture_output=True, text=True)
            seconds = time.perf_counter() - began
            if done.returncode:
                raise SystemExit(f"{self.program}: {done.stderr}")
            import h5py
            with h5py.File(file) as f:
                return f["u"][:, -1], round(end / self.dt), seconds


def chunked(jax, step, parts):
    """All runs at once, or one part after another, each of which stays in the cache through all steps."""
    def split(v):
        return v.reshape((parts, v.shape[0] // parts) + v.shape[1:])
    if parts == 1:
        return jax.jit(step)
    def each(*arguments):
        out = jax.lax.map(lambda part: step(*part), tuple(split(v) for v in arguments))
        return out.reshape((-1,) + out.shape[2:])
    return jax.jit(each)


class Jax:
    name, method, first_steps = "JAX", "imex1, pseudo-spectral", 20

    def __init__(self, equation, parts):
        self.equation, self.parts, self.dt = equation, parts, equation.dt
        self.setup = f"{parts} chunks" if parts > 1 else "all runs at once"
        self.compiled = {}

    def version(self):
        return "jax " + importlib.metadata.version("jax")

    def loop(self, steps):
        import jax
        import jax.numpy as jnp
        e, dt = self.equation, self.dt
        k = e.wave_numbers()
        explicit, implicit = jnp.asarray(-dt * k**2), jnp.asarray(1 / (1 + dt * k**4))
        q, m = 2 * np.pi * e.waves / e.length, e.waves

        def advance(u, a, speed):
            def step(n, v):
                u = jnp.fft.irfft(v, N)
                force = (dt * N / 2) * a * jnp.exp(-1j * q * speed * (n * dt))
                return ((v + explicit * jnp.fft.rfft(u * u * u - u)).at[:, m].add(force)) * implicit
            return jnp.fft.irfft(jax.lax.fori_loop(0, steps, step, jnp.fft.rfft(u)), N)
        return chunked(jax, advance, self.parts)

    def advance(self, s, end):
        import jax
        jax.config.update("jax_enable_x64", True)
        steps = round(end / self.dt)
        u = jax.numpy.asarray(np.array([self.equation.initial(each) for each in s]))
        a, speed = (jax.numpy.asarray(v) for v in self.equation.force(np.asarray(s)))
        key = (steps, len(s))
        if key not in self.compiled:
            self.compiled[key] = self.loop(steps).lower(u, a, speed).compile()
        began = time.perf_counter()
        out = self.compiled[key](u, a, speed).block_until_ready()
        return np.asarray(out), steps, time.perf_counter() - began


class Exponax:
    name, first_steps = "exponax", 20

    def __init__(self, equation, parts, order=2):
        self.equation, self.parts, self.order, self.dt = equation, parts, order, equation.dt
        self.method = f"ETDRK{order}"
        self.setup = f"{parts} chunks" if parts > 1 else "all runs at once"
        self.compiled = {}

    def version(self):
        return "exponax " + importlib.metadata.version("exponax") + ", jax " + importlib.metadata.version("jax")

    def advance(self, s, end):
        import jax
        jax.config.update("jax_enable_x64", True)
        import exponax
        steps = round(end / self.dt)
        u = jax.numpy.asarray(np.array([self.equation.initial(each) for each in s])[:, None, :])
        key = (steps, len(s))
        if key not in self.compiled:
            stepper = exponax.stepper.KuramotoSivashinskyConservative(1, self.equation.length, N, self.dt,
                                                                      order=self.order)
            loop = chunked(jax, jax.vmap(exponax.repeat(stepper, steps)), self.parts)
            self.compiled[key] = loop.lower(u).compile()
        began = time.perf_counter()
        out = self.compiled[key](u).block_until_ready()
        return np.asarray(out)[:, 0], steps, time.perf_counter() - began


def solve_with_py_pde(work):
    kind, s, end = work
    os.environ["NUMBA_NUM_THREADS"] = "1"
    import pde
    equation = kind()
    grid = pde.CartesianGrid([[0, equation.length]], N, periodic=True)
    field = pde.ScalarField(grid, equation.initial(s))       # its points are half a cell further: all is shifted alike
    if kind is CahnHilliard:
        a, speed = equation.force(s)
        shift = float(grid.axes_coords[0][0])
        rhs = {"c": f"laplace(c**3 - c - laplace(c)) + a*cos(q*(x - {shift} - v*t))"}
        eq = pde.PDE(rhs, consts={"a": float(a), "v": float(speed), "q": 8 * np.pi / equation.length})
    else:
        eq = pde.PDE({"c": "-c*d_dx(c) - laplace(c + laplace(c))"})
    out, info = eq.solve(field, t_range=end, solver="runge-kutta", adaptive=True, tolerance=1e-4, dt=1e-4, tracker=None,
                         backend="numba", ret_info=True)
    steps = info["solver"].get("steps", 0)
    return out.data, steps, info["controller"]["profiler"]["solver"]


class PyPde:
    name, method, setup = "py-pde", "adaptive Runge-Kutta 4(5)", "one run a processor"

    def __init__(self, equation):
        self.equation, self.dt = equation, math.nan

    def version(self):
        return "py-pde " + importlib.metadata.version("py-pde")

    def advance(self, s, end):
        work = [(type(self.equation), each, end) for each in s]
        with multiprocessing.get_context("spawn").Pool(min(CPUS, len(s))) as pool:
            done = pool.map(solve_with_py_pde, work, chunksize=1)
        return np.array([d[0] for d in done]), max(d[1] for d in done), max(d[2] for d in done)


# ------------------------------------------------------------------ one row

def verify(program, bound):
    """The largest error of a few runs at an early time, as `advance` of a few runs gives it."""
    runs = min(CPUS, 4) if isinstance(program, PyPde) else 64
    s = program.equation.parameters(runs)
    u, _, _ = program.advance(s, program.equation.check)
    some = range(0, runs, max(runs // 4, 1))
    want = np.array([program.equation.reference(s[j], program.equation.check) for j in some])
    error = float(np.abs(u[some] - want).max())
    if not error <= bound:
        raise SystemExit(f"{program.name}: {program.equation.name}: off by {error:.2e}, more than {bound:g}")
    return error


def processor_seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def measure(programs, runs, repeats, seconds):
    """The best of some timings, each long enough, of programs in turn. One without batches computes a run for each
    processor."""
    program = programs[0]
    s = program.equation.parameters(CPUS if isinstance(program, PyPde) else runs)
    end = 10 * program.equation.check if isinstance(program, PyPde) else program.first_steps * program.dt
    if isinstance(program, PyPde):
        repeats = 1  # each compiles for a minute
    while not isinstance(program, PyPde):  # find an end that takes long enough
        _, steps, took = program.advance(s, end)
        if took > 0.5 * seconds or steps > 10**6:
            break
        end = program.dt * math.ceil(steps * min(max(seconds / took, 2), 20))
    best, used = [math.inf] * len(programs), [math.inf] * len(programs)
    for k in list(range(len(programs))) * repeats:
        before = processor_seconds()
        _, steps, took = programs[k].advance(s, end)
        used[k] = min(used[k], processor_seconds() - before)
        best[k] = min(best[k], took)
    return [{"runs": len(s), "steps": steps, "end": f"{end:.6g}", "seconds": f"{best[k]:.4g}",
             "rate": f"{len(s) * N * steps / best[k]:.4g}", "time_rate": f"{len(s) * N * end / best[k]:.4g}",
             "processor_s": f"{used[k]:.4g}"} for k in range(len(programs))]


def origin(program, gpu):
    run = lambda *words: subprocess.run(words, capture_output=True, text=True).stdout.strip()
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    card = run("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").split("\n")[0] if gpu else ""
    here = os.path.dirname(os.path.abspath(__file__))
    commit = run("git", "-C", here, "rev-parse", "--short=10", "HEAD")
    if run("git", "-C", here, "status", "--porcelain", "--untracked-files=no"):
        commit += "+"
    if isinstance(program, Sweep):  # that of the program, not of this script
        said = next(line for line in run(program.program, "--version").split("\n") if line.startswith("commit"))
        commit = said.split()[1][:10] + ("+" if "uncommitted" in said else "")
    return {"when": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "device": card or f"{cpu} ({CPUS} threads)", "commit": commit, "python": platform.python_version(),
            "version": program.version(), "load": f"{os.getloadavg()[0]:.1f}"}


def listed(sweep):
    """(program, the largest error at the early time). The bounds are some two times what the methods have: of imex1 the
    steps of 0.02 (sweep and JAX alike), of order 2 also dx^2, of imex2 and ETDRK2 the steps of 0.05."""
    ch, ks = CahnHilliard(), KuramotoSivashinsky()
    for order in 2, 4:
        yield Sweep(sweep, ch, order), 0.1
    for parts in 1, 4, 16, 64:
        yield Jax(ch, parts), 0.1
    yield PyPde(ch), 0.1
    for order in 2, 4:
        yield Sweep(sweep, ks, order), 0.1
    for parts in 1, 4, 16, 64:
        yield Exponax(ks, parts), 0.1
    yield PyPde(ks), 0.1


def line_rows(sweep, given):
    for program, bound in listed(sweep):
        if given.only not in f"{program.equation.name} {program.name}":
            continue
        programs = [program]
        if given.before and isinstance(program, Sweep):
            programs.append(Sweep(os.path.abspath(given.before), program.equation, program.order))
        errors = [verify(one, bound) for one in programs]
        times = measure(programs, given.runs or 1024, given.repeats, given.seconds)
        for one, error, timed in zip(programs, errors, times):
            yield one, {"equation": one.equation.name, "program": one.name, "method": one.method, "setup": one.setup,
                        "n": N, "dt": one.dt, "error": f"{error:.3g}", "error_at": one.equation.check} | timed


def print_ratios(rows):
    """Of each program the best of its ways."""
    for equation in dict.fromkeys(row["equation"] for row in rows):
        best = {}
        for row in rows:
            if row["equation"] == equation:
                rates, name = (float(row["rate"]), float(row["time_rate"])), row["program"]
                best[name] = [max(pair) for pair in zip(rates, best.get(name, (0, 0)))]
        for other in best:
            if other != "sweep" and "sweep" in best:
                print(f"{equation}: sweep: {best['sweep'][0] / best[other][0]:.1f} times the steps of {other}, "
                      f"{best['sweep'][1] / best[other][1]:.1f} times its time")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("sweep")
    parser.add_argument("--dim", type=int, choices=(1, 2))
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--csv")
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--before")
    given = parser.parse_args()
    gpu, program = given.device == "cuda", os.path.abspath(given.sweep)
    if gpu and given.dim == 1:
        parser.error("lines are compared on the CPU alone")
    given.repeats = given.repeats or (3 if gpu else 5)
    given.seconds = given.seconds or (0.5 if gpu else 2.0)
    if given.dim != 2 and not gpu:
        record(line_rows(program, given), given.csv or "results/bench/equations_cpu.csv")
    if given.dim != 1:
        record(compare_fields.rows(program, given.device, given),
               given.csv or f"results/bench/fields_peers_{given.device}.csv", gpu)


def record(measured, path, gpu=False):
    """Print rows and append each to a file as soon as it is there."""
    rows = []
    for program, row in measured:
        used = {"processor_s": row.pop("processor_s")} if "processor_s" in row else {}  # the last column
        rows.append(row | origin(program, gpu) | used)
        print("{equation:30} {program:8} {method:34} {setup:26} error {error:>8}  {rate:>9} points·steps/s  "
              "{time_rate:>9} points·time/s".format(**row), flush=True)
        new = not os.path.exists(path)
        with open(path, "a", newline="") as file:
            out = csv.DictWriter(file, list(rows[-1]), lineterminator="\n")
            if new:
                out.writeheader()
            out.writerow(rows[-1])
    print_ratios(rows)


if __name__ == "__main__":
    sys.exit(main())
