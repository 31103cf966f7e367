#!/usr/bin/env python3
"""Condition numbers of the 16 matrices of table III of the SPIKE paper, n = 512, in the 2-norm: as the paper's Matlab
computes them, in double precision, and as they are, by inverse iteration with as many digits as it takes.

usage: condition_numbers.py CSV [SEEDS]    SEEDS of the random matrices (default 5)
A line a matrix: type,matrix,seeds,least,median,most,double; double is the median of numpy's. The matrices are made from
the paper's descriptions, not by the program: bench_accuracy has the condition numbers of the program's own.
Needs numpy and mpmath."""
import multiprocessing
import os
import statistics
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # processes share the cores

try:
    import mpmath
    import numpy
except ImportError as error:
    print(f"error: {error}; install python3-numpy and python3-mpmath (Debian, Ubuntu)", file=sys.stderr)
    sys.exit(4)

N = 512
UNIT = lambda random, count=None: random.uniform(-1, 1, count)


def toeplitz(main):
    """The paper's word for matrices 2, 6, 14 and 16: three numbers."""
    return lambda random: (numpy.full(N, UNIT(random)), numpy.full(N, main), numpy.full(N, UNIT(random)))


def lesp(_):
    k = numpy.arange(1, N + 1, dtype=float)
    return numpy.concatenate(([0], 1 / k[1:])), -(2 * k + 3), numpy.concatenate((k[1:], [0]))


def uniform(random):
    return UNIT(random, N), UNIT(random, N), UNIT(random, N)


def cut(random):
    lower, main, upper = uniform(random)
    lower[N // 2 - 1] *= 1e-50
    return lower, main, upper


def half_zero(random):
    lower, main, upper = uniform(random)
    return lower * (random.random(N) < 0.5), main, upper * (random.random(N) < 0.5)


def lower_small(random):
    lower, main, upper = uniform(random)
    return lower * 1e-50, main, upper


def kms_inverse(_):
    rho = 0.5
    main = numpy.full(N, 1 + rho**2)
    main[0] = main[-1] = 1
    off = numpy.full(N, -rho)
    return off / (1 - rho**2), main / (1 - rho**2), off / (1 - rho**2)


def dorr(_):
    """gallery('dorr', n, 1e-4)"""
    theta, h, half = 1e-4, 1 / (N + 1), (N + 1) // 2
    i = numpy.arange(1, N + 1, dtype=float)
    term = theta / h**2
    first = i <= half
    lower = numpy.where(first, -term, -term + (0.5 - i * h) / h)
    upper = numpy.where(first, -term - (0.5 - i * h) / h, -term)
    return lower, -(lower + upper), upper


def clement(_):
    k = numpy.arange(1, N, dtype=float)
    return numpy.concatenate(([0], k[::-1])), numpy.zeros(N), numpy.concatenate((k, [0]))


def randsvd(mode):
    """gallery('randsvd', n, 1e15, mode, 1, 1): singular values between random orthogonal matrices, reduced to three
    diagonals by reflections from both sides."""
    def make(random):
        kappa, k = 1e15, numpy.arange(N) / (N - 1)
        sigma = {1: numpy.where(k == 0, 1, 1 / kappa), 2: numpy.where(k == 1, 1 / kappa, 1), 3: kappa**-k,
                 4: 1 - k * (1 - 1 / kappa)}[mode]
        u, v = (numpy.linalg.qr(random.standard_normal((N, N)))[0] for _ in range(2))
        a = (u * sigma) @ v
        for j in range(N - 2):
            reflect(a[j + 1:, j:], a[j + 1:, j].copy())
            reflect(a[j:, j + 1:].T, a[j, j + 1:].copy())
        return (numpy.concatenate(([0], numpy.diag(a, -1))), numpy.diag(a).copy(),
                numpy.concatenate((numpy.diag(a, 1), [0])))
    return make


def reflect(a, x):
    """Rows of a: those of a Householder reflection that leaves of x the first entry alone."""
    x[0] += numpy.copysign(numpy.linalg.norm(x), x[0])
    length = x @ x
    if length > 0:
        a -= numpy.outer(2 * x / length, x @ a)


MATRICES = [("uniform", uniform, True), ("main_1e8", toeplitz(1e8), True), ("lesp", lesp, False), ("cut", cut, True),
            ("half_zero", half_zero, True), ("main_64", toeplitz(64.0), True), ("kms_inverse", kms_inverse, False),
            ("svd_one_small", randsvd(2), True), ("svd_geometric", randsvd(3), True),
            ("svd_one_large", randsvd(1), True), ("svd_arithmetic", randsvd(4), True),
            ("lower_1e50", lower_small, True), ("dorr", dorr, False), ("main_1e8_inverse", toeplitz(1e-8), True),
            ("clement", clement, False), ("zero_main", toeplitz(0.0), True)]


# ---------------------------------------------------------------- the 2-norm of an inverse

class Factors:
    """P L U of a tridiagonal matrix, rows exchanged, in the digits of mpmath; lower[i] stands left of main[i]."""
    def __init__(self, lower, main, upper):
        diagonal, above, beyond = list(main), list(upper), [mpmath.mpf(0)] * N
        self.steps = []
        for i in range(N - 1):
            row = [lower[i + 1], diagonal[i + 1], above[i + 1]]
            exchanged = abs(row[0]) > abs(diagonal[i])
            if exchanged:
                row, (diagonal[i], above[i], beyond[i]) = [diagonal[i], above[i], beyond[i]], row
            by = row[0] / diagonal[i]
            diagonal[i + 1], above[i + 1] = row[1] - by * above[i], row[2] - by * beyond[i]
            self.steps.append((exchanged, by))
        self.rows = list(zip(diagonal, above, beyond))

    def solve(self, x):
        x = list(x) + [mpmath.mpf(0)] * 2
        for i, (exchanged, by) in enumerate(self.steps):
            if exchanged:
                x[i], x[i + 1] = x[i + 1], x[i]
            x[i + 1] -= by * x[i]
        for i in reversed(range(N)):
            diagonal, above, beyond = self.rows[i]
            x[i] = (x[i] - above * x[i + 1] - beyond * x[i + 2]) / diagonal
        return x[:N]


def length(x):
    return mpmath.sqrt(mpmath.fsum(v * v for v in x))


def inverse_norm(lower, main, upper):
    """Of A^-1 A^-T, by iteration: to a hundredth."""
    lower, main, upper = ([mpmath.mpf(float(v)) for v in diagonal] for diagonal in (lower, main, upper))
    here = Factors(lower, main, upper)
    transposed = Factors([mpmath.mpf(0)] + upper[:-1], main, lower[1:] + [mpmath.mpf(0)])
    x, last = [mpmath.mpf(1 + k % 7) for k in range(N)], mpmath.mpf(0)
    for _ in range(60):
        x = transposed.solve(x)
        whole = length(x)
        x = here.solve([v / whole for v in x])
        whole = length(x)
        if abs(whole - last) < 0.003 * whole:
            break
        x, last = [v / whole for v in x], whole
    return whole


def condition(lower, main, upper):
    """As it is, and in double precision."""
    dense = numpy.diag(main) + numpy.diag(lower[1:], -1) + numpy.diag(upper[:-1], 1)
    return mpmath.mpf(float(numpy.linalg.norm(dense, 2))) * inverse_norm(lower, main, upper), numpy.linalg.cond(dense)


def condition_of(job):
    """Of the matrix of so many a seed."""
    number, seed = job
    name, make, _ = MATRICES[number]
    # those of Toeplitz matrices with a small main diagonal are powers of a ratio, to 1e400
    mpmath.mp.dps = 700 if name in ("main_1e8_inverse", "zero_main") else 130
    with numpy.errstate(all="ignore"):
        return condition(*make(numpy.random.default_rng(seed)))


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    seeds = int(sys.argv[2]) if len(sys.argv) == 3 else 5
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        print(f"# Condition numbers of the matrices of table III, n = {N}, 2-norm; numpy {numpy.__version__}, mpmath "
              f"{mpmath.__version__}", file=file)
        print("type,matrix,seeds,least,median,most,double", file=file)
        jobs = [(number, seed) for number, (_, _, random) in enumerate(MATRICES)
                for seed in range(1, 1 + (seeds if random else 1))]
        with multiprocessing.Pool() as pool:  # a core a matrix: some seconds each
            results = dict(zip(jobs, pool.map(condition_of, jobs, chunksize=1)))
        for number, (name, _, _) in enumerate(MATRICES):
            found = [results[job] for job in jobs if job[0] == number]
            exact = sorted(one for one, _ in found)
            texts = [mpmath.nstr(one, 3, min_fixed=0, max_fixed=0)
                     for one in (exact[0], exact[len(exact) // 2], exact[-1])]
            double = statistics.median(one for _, one in found)
            print(f"{number + 1},{name},{len(found)},{','.join(texts)},{double:.3g}", file=file, flush=True)
    print(os.path.abspath(sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
