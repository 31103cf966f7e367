"""cuPentBatch: what it publishes, and ours (see published.py)."""
import math
import statistics

from published import data, claim, judged, Ours, read, slope, span, text


def speedups(part, row, chosen=lambda n, batch: True):
    """function of a folder: {(n, batch): speed-up} of a part of reproduce_cupentbatch.sh"""
    def found(folder):
        measured = data.figures(folder).get(part)
        return measured.points(row, chosen) if measured else {}
    return found


def largest(points, k):
    """The values where n (k = 0) or the batch (k = 1) is largest."""
    top = max(at[k] for at in points)
    return [value for at, value in points.items() if at[k] == top]


def smallest(points, k):
    low = min(at[k] for at in points)
    return [value for at, value in points.items() if at[k] == low]


def figure(number, what, published, part, row, met, at=lambda points: points.values(), chosen=lambda n, batch: True,
           why=""):
    points = speedups(part, row, chosen)

    def ours(folder):
        found = points(folder)
        if not found:
            return None
        there, all_points = span(at(found)), span(found.values())
        return Ours(there + (f"; all points {all_points}" if all_points != there else ""), met(found))
    claim("P", f"Figure {number}", what, published, f"cupentbatch_{part}", ours, why=why, lacks="needs a GPU")


PUBLISHED_SLOPE = -2.0162


def convergence(folder, over):
    """[(n or steps, error)] of the part convergence of reproduce_cupentbatch.sh"""
    return [(float(line["value"]), float(line["err_l2"])) for line in read(folder, "cupentbatch_convergence")
            if line["over"] == over]


def fitted(over, there, tolerance):
    def ours(folder):
        points = convergence(folder, over)
        if len(points) < 3:
            return None
        value = slope(points)
        what = "steps" if over == "steps" else "n"
        return Ours(f"{value:.4f}, {what} = {points[0][0]:.0f} … {points[-1][0]:.0f}", abs(value - there) <= tolerance)
    return ours


def decay(folder):
    lines = read(folder, "cupentbatch_spacetime")
    if not lines:
        return None
    first, last = lines[0], lines[-1]
    rate = math.log(float(first["u_max"]) / float(last["u_max"])) / float(last["t"])
    exact = (4 * math.pi)**4
    return Ours(f"u_max falls to {text(float(last['u_max']))}: rate {rate:.1f}, exact {exact:.1f}",
                abs(rate / exact - 1) < 0.01)


def any_band(folder):
    """The largest error of cuPentBatch's row on bands of which each system has its own."""
    lines = [line for line in read(folder, "steps_bands") if line["row"] == "cuda.thomas" and line["state"] == "ok"
             and "uniform" not in line["spec"]]
    return judged([float(line["error"]) for line in lines], lambda values: max(values) < 1e-12,
                  " error") if lines else None


def share_above(limit, row):
    def ours(folder):
        values = [value for part in ("small", "large", "long") for value in speedups(part, row)(folder).values()]
        above = sum(value > limit for value in values)
        return Ours(f"{above} of {len(values)} points", above >= 0.9 * len(values)) if values else None
    return ours


CHAINS = "so small a batch waits for its chains of loads on an H200, not for bytes"
C, R = data.CONSTANT, data.REWRITE

claim("P", "Abstract", "cuPentBatch is faster than gpsv for parabolic problems, one factor for all steps", "> 1",
      "cupentbatch_small cupentbatch_large cupentbatch_long", share_above(1, C), lacks="needs a GPU")
claim("P", "Section II.2", "Crank–Nicolson: error O(dt²), stable for any dt", "slope -2 over the number of steps",
      "cupentbatch_convergence", fitted("steps", -2, 0.05), note=f"dt up to {1e-4 / 4 * 2048**4:.0e} dx⁴")
claim("P", "Section II.2", "heat equation with differences of high order: pentadiagonal, too", "stated",
      "cupentbatch_convergence", fitted("heat", -4, 0.05), note="u_xx to fourth order")
claim("P", "Section II", "the algorithms are generic: any pentadiagonal system without pivoting", "stated",
      "steps_bands", any_band, note="random diagonally dominant bands, a matrix each, periodic")
claim("P", "Section II.4", "vectors of the method", "6: five of the matrix, one right-hand side", "", None,
      why="`cuda.thomas` keeps five of the matrix and one right-hand side, too, and the closure of the circle")
claim("P", "Section II.6", "gpsv (QR) has more operations than cuPentBatch (LU)", "not counted", "", None,
      why="the library does not say what it computes; times are in figures 4, 6, 8 and 10")
claim("P", "Figure 1", "space and time of hyperdiffusion to T = 1e-4: a wave decays as exp(-λt)", "a picture",
      "cupentbatch_spacetime", decay, lacks="needs python3 with h5py")
claim("P", "Figure 2", "slope of the error over N", f"{PUBLISHED_SLOPE} (theory: -2)", "cupentbatch_convergence",
      fitted("n", -2, abs(PUBLISHED_SLOPE + 2)), note="P does not state its N")
figure(3, "constant / gpsv over the batch: at high n", "generally over 2", "small", C,
       lambda p: statistics.median(largest(p, 0)) > 2, lambda p: largest(p, 0), why=CHAINS)
figure(4, "rewrite / gpsv over the batch: at larger batches", "1.2 to 1.3", "small", R,
       lambda p: min(largest(p, 1)) >= 1.2, lambda p: largest(p, 1), why=CHAINS)
figure(5, "constant / gpsv, batches 10⁴ to 10⁵", "falls with the batch, stays above 1", "large", C,
       lambda p: min(p.values()) > 1 and max(largest(p, 1)) < min(smallest(p, 1)), lambda p: largest(p, 1),
       why="stays above 1, and grows: bytes decide at the largest batches only")
figure(6, "rewrite / gpsv, batches 10⁴ to 10⁵", "falls with the batch, stays above 1", "large", R,
       lambda p: min(p.values()) > 1 and max(largest(p, 1)) < min(smallest(p, 1)), lambda p: largest(p, 1),
       why="stays above 1, and grows: bytes decide at the largest batches only")
figure(7, "constant / gpsv over n: at higher n", "well over 2", "small", C,
       lambda p: statistics.median(largest(p, 0)) > 2, lambda p: largest(p, 0), why=CHAINS)
figure(8, "rewrite / gpsv over n: at higher n", "above 1", "small", R,
       lambda p: min(largest(p, 0)) > 1, lambda p: largest(p, 0), why=CHAINS)
figure(9, "constant / gpsv, n of order 10⁴", "confirms figure 7", "long", C,
       lambda p: statistics.median(p.values()) > 2, why=CHAINS)
figure(10, "rewrite / gpsv, n of order 10⁴", "confirms figure 8", "long", R,
       lambda p: min(p.values()) > 1, why=CHAINS)
claim("P", "Section III.1", "faster than gpsv for almost all batches, with a new matrix each step, too", "> 1",
      "cupentbatch_small cupentbatch_large cupentbatch_long", share_above(1, R), lacks="needs a GPU", why=CHAINS)
figure(11, "constant / serial, a batch of 8192", "over 20", "serial", C,
       lambda p: min(p.values()) > 20, chosen=lambda n, batch: batch == 8192)
figure(11, "constant / serial, low batches", "minimal", "serial", C,
       lambda p: max(p.values()) < 3, chosen=lambda n, batch: batch <= 128)
figure(12, "constant / serial, batches above 2048", "over 10 for most n", "serial", C,
       lambda p: statistics.median(p.values()) > 10, chosen=lambda n, batch: 2048 < batch <= 8192)
figure(13, "constant / serial, batches to 10⁵", "goes on growing", "serial", C,
       lambda p: min(largest(p, 1)) > max(smallest(p, 1)), lambda p: largest(p, 1),
       chosen=lambda n, batch: batch > 8192)
figure(14, "constant / OpenMP, 8 threads, n = 512", "5 to 6 in every case", "openmp", C,
       lambda p: min(p.values()) >= 5)
