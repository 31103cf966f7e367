"""The numbers of the catalogue of equations against those that its comments name.

    test_equations.py FOLDER     that has NAME.h5 of each configs/equations/NAME.cfg"""
import sys

import h5py
import numpy as np

failures = 0


def check(what, true, *numbers):
    global failures
    if not true:
        print("FAILED", what, *(np.array2string(np.asarray(number), precision=5) for number in numbers))
    failures += not true


class File:
    """The last entries of series, and parameters, by their names."""
    def __init__(self, name):
        self.file = h5py.File(f"{sys.argv[1]}/{name}.h5")
        check(f"{name}: all runs are done", (self.file["status"][:] == 1).all())

    def __getattr__(self, name):
        values = self.file[name][:]
        return values[:, -1] if values.ndim == 2 else values

    def series(self, name):
        return self.file[name][:]


def near(what, found, known, by):
    check(what, np.abs(np.asarray(found) - known).max() <= by, found, known)


f = File("swift_hohenberg")
above = f.r - (1 - f.k**2)**2
grown = above > 0.05                                    # the others take long to grow
# a third harmonic and differences of k, (k dx)^2/12 of itself at most
near("swift_hohenberg: amplitude", f.amplitude[grown], f.predicted[grown], 0.015)
check("swift_hohenberg: below the neutral curve", np.abs(f.amplitude[above < -0.03]).max() < 1e-3)
at = (np.abs(f.r - 0.1) < 1e-9) & (np.abs(f.k - 1) < 1e-9)
near("swift_hohenberg: as its comment says", f.amplitude[at], 0.3652, 5e-5)

f = File("kuramoto_sivashinsky")
power = f.series("power")[:, 100:].mean(axis=1)
check("kuramoto_sivashinsky: rest below 2 pi", power[0] < 1e-4, power)
change = np.abs(np.diff(f.series("power")[1, 150:])).max()
check("kuramoto_sivashinsky: a wave at rest a little above", power[1] > 1 and change < 1e-6, power, change)
near("kuramoto_sivashinsky: power of long lines", power[6:], 1.7, 0.15)

f = File("allen_cahn")
wide = f.file["time_s"][:] <= 12
speed = f.series("speed")[:, wide][:, -1]
near("allen_cahn: speed", speed, f.predicted, 0.003*0.6)

f = File("fisher_kpp")
near("fisher_kpp: speed of gentle tails", f.speed[:3], [2.9, 2 + 4/15, 2.05], 0.006)
near("fisher_kpp: as its comment says", f.speed, [2.896, 2.268, 2.054, 1.996, 1.979], 6e-4)

f = File("kdv")
near("kdv: heights", f.u_max/f.predicted, 1, 0.006)
u = f.file["u"][-1, -1]
peaks = np.sort(u[(u > np.roll(u, 1)) & (u > np.roll(u, -1)) & (u > 0.5)])
near("kdv: as its comment says", peaks, [1.99, 7.99, 18.09], 6e-3)

f = File("burgers")
near("burgers: slope of narrow shocks", (f.slope/f.predicted)[:2], 1, 0.02)

f = File("gray_scott")
check("gray_scott: pulses", (f.pulses[1:] == [2, 10, 0, 6, 2, 0, 1]).all() and f.pulses[0] > 1, f.pulses)
uniform = f.F > 4*(f.F + f.k)**2
check("gray_scott: where there is a uniform state", (uniform == [1, 0, 0, 1, 0, 0, 0, 0]).all())
check("gray_scott: the front leaves it", np.ptp(f.file["v"][3, -1]) < 1e-3 and f.file["v"][3, -1].min() > 0.2)

f = File("fitzhugh_nagumo")
row = np.abs(f.a - 0.1) < 1e-9
near("fitzhugh_nagumo: as its comment says", f.speed[row], [0.554, 0.531, 0.508, 0.480, 0.436, 0, 0, 0, 0], 6e-4)
slow = np.abs(f.eps - 0.002) < 1e-9
check("fitzhugh_nagumo: slower than the limit, by up to 0.06",
      ((f.limit - f.speed)[slow] > 0).all() and (f.limit - f.speed)[slow].max() < 0.06, f.speed[slow], f.limit[slow])

f = File("brusselator")
beyond = f.B - f.turing
check("brusselator: stripes beyond Turing's line", f.stripes[beyond > 0.08].min() > 0.25)
check("brusselator: none before it, unless it oscillates", f.stripes[(beyond < -0.05) & (f.B < 5)].max() < 0.02)
u = f.file["u"][np.flatnonzero((f.D == 8) & (f.B == 3))[0], -1]
waves = np.argmax(np.abs(np.fft.rfft(u - u.mean())))
near("brusselator: their wave number", (2*np.pi*waves/64)**2, 2/8**0.5, 0.15)       # whole waves of the line
u = f.file["u"][np.flatnonzero((f.D == 2) & (f.B == 5.5))[0], 50:].mean(axis=-1)
check("brusselator: oscillation beyond Hopf's", np.ptp(u) > 1, np.ptp(u))

f = File("ginzburg_landau")
stable = 1 + f.b*f.c > 0
check("ginzburg_landau: step is kept", f.least[stable].min() > 0.99, f.least[stable].min())
check("ginzburg_landau: defects", f.series("least")[1 + f.b*f.c < -1.2, 200:].min() < 0.1)

f = File("phase_field_crystal")
above = f.r - 3*f.m**2
near("phase_field_crystal: amplitude", f.amplitude[above > 0.1], f.predicted[above > 0.1], 0.003)
check("phase_field_crystal: liquid", np.abs(f.amplitude[above < -0.05]).max() < 0.01)
# but for the rounding of 5000 steps
near("phase_field_crystal: mass is kept", f.file["u"][:, -1].mean(axis=1), f.m, 1e-9)
at = [np.flatnonzero((np.abs(f.m - m) < 1e-9) & (np.abs(f.r - r) < 1e-9))[0] for m, r in ((0.04, 0.15), (0.2, 0.4))]
near("phase_field_crystal: as its comment says", f.amplitude[at], [0.4402, 0.6202], 6e-5)

f = File("thin_film")
h = f.file["h"][:, -1]
check("thin_film: below 0.63 it stays flat", np.ptp(h[0]) < 1e-3, np.ptp(h[0]))
check("thin_film: above it beads up", (h[1:].max(axis=1) > 1.8*h[1:].mean(axis=1)).all(), h.max(axis=1))
near("thin_film: and leaves films of b, thicker where they end in drops", h[1:].min(axis=1), 0.52, 0.012)
near("thin_film: liquid is kept", h.mean(axis=1)/f.file["h"][:, 0].mean(axis=1), 1, 1e-6)     # single precision

# ---- in two dimensions
f = File("swift_hohenberg_2d")
near("swift_hohenberg_2d: stripes and hexagons", f.power[:3]/f.predicted[:3], 1, 0.04)  # to lowest order
near("swift_hohenberg_2d: as its comment says", f.power, [0.0667, 0.0655, 0.0236, 0.0080, 0, 0], 6e-5)

f = File("ginzburg_landau_2d")
power = f.series("power")[:, -50:].mean(axis=1)
check("ginzburg_landau_2d: falls with c", (np.diff(power) < 0).all() and power[0] > 0.95 and power[3] < 0.75, power)
check("ginzburg_landau_2d: cores", (f.least < 0.1).all(), f.least)

f = File("gray_scott_2d")
check("gray_scott_2d: which die", ((f.most < 1e-6) == [0, 0, 0, 1, 0, 1]).all(), f.most)
near("gray_scott_2d: the uniform state", [f.amount[4], f.most[4]], 0.04*(1 + (1 - 4*0.095**2/0.04)**0.5)/0.19, 1e-6)
check("gray_scott_2d: spots", 0.08 < f.amount[2] < 0.15, f.amount)

f = File("fitzhugh_nagumo_2d")
late = f.series("excited")[:, 75:]
check("fitzhugh_nagumo_2d: which turn", ((late.min(axis=1) > 0.01) == [0, 1, 1, 0]).all(), late.min(axis=1))

f = File("kuramoto_sivashinsky_2d")
mean, sinks, step = f.series("mean")[:, 20:], f.series("sinks")[:, 20:], 0.5
sunk = (sinks[:, 1:] + sinks[:, :-1]).sum(axis=1)*step/2
near("kuramoto_sivashinsky_2d: the mean sinks", (mean[1:, 0] - mean[1:, -1])/sunk[1:], 1, 1e-3)  # trapezoidal rule
check("kuramoto_sivashinsky_2d: rest below 2 pi", f.power[0] < 1e-12 and f.power[3] > 5, f.power)

f = File("phase_field_crystal_2d")
near("phase_field_crystal_2d: amplitudes", f.power[:2]/f.predicted[:2], 1, 0.003)
near("phase_field_crystal_2d: as its comment says", f.power, [0.1469, 0.0868, 0], 6e-5)

f = File("thin_film_2d")
growth = np.diff(np.log(f.series("roughness")), axis=1)
near("thin_film_2d: growth", [growth[0, 25], growth[1, 33]], [0.117, 0.096], 1e-3)
near("thin_film_2d: films between drops", f.least, [0.191, 0.257], 6e-4)

f = File("cahn_hilliard_2d")
wide = f.file["time_s"][:] > 100


def slope(values):
    return np.polyfit(np.log(f.file["time_s"][:][wide]), np.log(values[wide]), 1)[0]


near("cahn_hilliard_2d: as its comment says", [slope(f.series("energy")[0]), slope(f.series("domain_length")[0])],
     [-0.32, 0.26], 0.01)
check("cahn_hilliard_2d: energies fall", (np.diff(f.series("energy"), axis=1) < 0).all())
check("cahn_hilliard_2d: mass is kept", np.ptp(f.series("mass"), axis=1).max() < 1e-6*128**2)
raise SystemExit(1 if failures else 0)
