#!/bin/bash
# order = 4: the order in dx against exact solutions, of all problems on the line equation and rows; forced
# Cahn-Hilliard against Fourier modes; what `check` says, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# fourth NAME: name.cfg has the order 4 from n = 64 to 128 on all rows here, which differ by no more than rounding
fourth() {
    local rows='cpu.plain cpu.simd'
    for row in $rows; do
        expect 0 run "$1.cfg" -o "$row.h5" --force -s "stepper=\"$row\""
    done
    for row in cuda.split cuda.fused; do
        if "$sweep" run "$1.cfg" -o $row.h5 --force -s "stepper=\"$row\"" --device cuda >out 2>err; then rows+=" $row"
        else skip_gpu "the order of $1 by $row"; fi
    done
    [ -z "$python" ] || py - "$1" $rows >out 2>err <<'PY' || fail "the order of $1: $(cat out)"
import sys, h5py, numpy as np
for row in sys.argv[2:]:
    file = h5py.File(row + ".h5")
    names = [name for name in file if name.startswith("err_l2")]
    e = np.sqrt(sum(file[name][:]**2 for name in names))
    slope = np.log2(e[:-1]/e[1:])
    print(sys.argv[1], row, e, slope)
    assert abs(slope[-1] - 4) < 0.1
    assert abs(e - np.sqrt(sum(h5py.File("cpu.plain.h5")[name][:]**2 for name in names))).max() < 1e-3*e.min()
PY
}
common='order = 4; sweep = { n = [32, 64, 128]; }; grid = { n = "n"; length = "2*pi"; }; method = "imex3";
run = { device = "cpu"; }; output = { fields = { times = [0.25]; }; };'
time='time = { dt = 0.0005; end = 0.25; };'
w='cos(2*x - t)'

echo "problem = \"hyperdiffusion\"; physics = { gamma = 0.5; D = 0.5; }; initial = \"cos(2*x)\";
exact = \"exp(-4*t)*cos(2*x)\"; $time $common" >hyperdiffusion.cfg
echo "problem = \"heat\"; physics = { kappa = 0.5; }; initial = \"cos(2*x)\"; exact = \"exp(-2*t)*cos(2*x)\";
$time $common" >heat.cfg
# u = cos(2x - t): u_t = sin(2x - t), u^3 = (3 cos(2x - t) + cos(3 (2x - t)))/4
echo "problem = \"cahn_hilliard\"; physics = { D = 0.5; gamma = 0.3; }; initial = \"cos(2*x)\"; exact = \"$w\";
forcing = \"sin(2*x - t) + 0.5*(3*$w + 9*cos(3*(2*x - t)) - 4*$w + 4.8*$w)\"; $time $common" >cahn_hilliard.cfg
echo "problem = \"swift_hohenberg\"; physics = { r = 0.3; }; initial = \"cos(2*x)\"; exact = \"$w\";
forcing = \"sin(2*x - t) + 9*$w - 0.3*$w + $w^3\"; $time $common" >swift_hohenberg.cfg
echo "problem = \"allen_cahn\"; physics = { gamma = 0.7; }; initial = \"cos(2*x)\"; exact = \"$w\";
forcing = \"sin(2*x - t) + 2.8*$w - $w + $w^3\"; $time $common" >allen_cahn.cfg
# one unknown: fourth derivatives, none above the second, and a soliton of third ones with damping
echo "problem = \"equation\"; initial = \"cos(2*x)\"; exact = \"$w\"; rhs = \"0.5*dx(u) - 0.2*dxxxx(u) - dxx(u) + \
0.3*dxx(u^2) - u*dx(u) + sin(2*x - t) + sin(2*x - t) - 0.8*$w + 2.4*cos(2*(2*x - t)) - sin(2*(2*x - t))\";
$time $common" >fourth_derivative.cfg
echo "problem = \"equation\"; initial = \"cos(2*x)\"; exact = \"$w\"; rhs = \"0.5*dx(u) + 0.2*dxx(u) - 0.3*u + \
0.05*dxx(u^2) - u*dx(u) + sin(2*x - t) + sin(2*x - t) + 1.1*$w + 0.4*cos(2*(2*x - t)) - sin(2*(2*x - t))\";
$time $common" >second_derivative.cfg
echo "problem = \"equation\"; initial = \"cos(2*x)\"; exact = \"$w\"; rhs = \"0.5*dx(u) + 0.2*dxx(u) - 0.3*u - \
0.4*dxxx(u) + 0.05*dxx(u^2) - u*dx(u) + sin(2*x - t) + sin(2*x - t) + 1.1*$w + 3.2*sin(2*x - t) + \
0.4*cos(2*(2*x - t)) - sin(2*(2*x - t))\"; $time $common" >third_derivative.cfg
# two unknowns, each with another P, that feed each other
echo "problem = \"equation\"; unknowns = [\"u\", \"v\"]; initial = { u = \"cos(2*x)\"; v = \"sin(2*x)\"; };
exact = { u = \"$w\"; v = \"sin(2*x - t)\"; };
rhs = { u = \"-0.2*dxxxx(u) + 3.2*$w + v + 0.1*dx(u*v) - 0.2*cos(2*(2*x - t)) + 0.3*dxx(v) + 1.2*sin(2*x - t)\";
        v = \"-0.4*dxxx(v) - 3.2*$w - u + 0.5*dxx(v) + 2*sin(2*x - t) + u*dx(v) - 2*$w^2\"; };
$time $common" >two_unknowns.cfg
for name in hyperdiffusion heat cahn_hilliard swift_hohenberg allen_cahn fourth_derivative second_derivative \
            third_derivative two_unknowns; do
    fourth $name
done

# fields(FILE): u of the runs of a file, by their number of points
cat >fields.py <<'PY'
import h5py
def fields(name):
    found = {}
    def take(path, item):
        if path.split("/")[-1] == "u" and isinstance(item, h5py.Dataset): found[item.shape[-1]] = item[:].ravel()
    h5py.File(name).visititems(take)
    return found
PY

# ---- forced Cahn-Hilliard against Fourier modes: errors at t = 2
cat >forced.cfg <<'CFG'
problem = "cahn_hilliard"; physics = { D = 1.0; gamma = 1.0; }; method = "imex3"; order = 4;
sweep   = { n = [32, 64, 128]; };
grid    = { n = "n"; length = "8*pi"; };
time    = { dt = 0.002; end = 2.0; };
initial = "0.1*cos(x/4) + 0.2*sin(x/2)"; forcing = "0.3*cos((x - 0.1*t)/2)";
run     = { device = "cpu"; }; output = { fields = { times = [2.0]; }; };
CFG
expect 0 run forced.cfg -o fourth.h5
expect 0 run forced.cfg -o second.h5 -s order=2
[ -z "$python" ] || py - >out 2>err <<'PY' || fail "forced Cahn-Hilliard: $(cat out)"
import numpy as np
from fields import fields
n, end, steps = 256, 2.0, 4000
h, x, k = end/steps, np.arange(n)*8*np.pi/n, np.fft.rfftfreq(n, 1/n)/4
root = np.exp(2j*np.pi*(np.arange(64) + 0.5)/64)[:, None]
z = -h*k**4 + root
mean = lambda f: h*f.mean(axis=0).real
whole, half, q = np.exp(-h*k**4), np.exp(-h*k**4/2), mean((np.exp(z/2) - 1)/z)
f1 = mean((-4 - z + np.exp(z)*(4 - 3*z + z**2))/z**3)  # ETDRK4, as in test_equation_spectral.py
f2 = mean((2 + z + np.exp(z)*(z - 2))/z**3)
f3 = mean((-4 - 3*z - z**2 + np.exp(z)*(4 - z))/z**3)
def rate(v, t):
    u = np.fft.irfft(v, n)
    return -k**2*np.fft.rfft(u**3 - u) + np.fft.rfft(0.3*np.cos((x - 0.1*t)/2))
v = np.fft.rfft(0.1*np.cos(x/4) + 0.2*np.sin(x/2))
for step in range(steps):
    t = step*h
    at = rate(v, t)
    a = half*v + q*at
    at_a = rate(a, t + h/2)
    at_b = rate(half*v + q*at_a, t + h/2)
    c = half*a + q*(2*at_b - at)
    v = whole*v + at*f1 + 2*(at_a + at_b)*f2 + rate(c, t + h)*f3
exact = np.fft.irfft(v, n)
error = {name: [abs(u - exact[::n//points]).max() for points, u in sorted(fields(name + ".h5").items())]
         for name in ("second", "fourth")}
slope = {name: np.log2(e[-2]/e[-1]) for name, e in error.items()}
print(error, slope)
assert abs(slope["second"] - 2) < 0.1 and abs(slope["fourth"] - 4) < 0.1
assert error["fourth"][0] < 8.5e-4 and error["fourth"][1] < 5.5e-5 and error["fourth"][2] < 3.4e-6
PY

# ---- steps of each run's own: the same order, on both rows
sed 's/^time .*/time = { tolerance = 1e-8; end = 2.0; };/' forced.cfg >own.cfg
for row in cpu.plain cpu.simd; do
    expect 0 run own.cfg -o "own_$row.h5" -s "stepper=\"$row\""
    [ -z "$python" ] || py - "own_$row.h5" >out 2>err <<'PY' || fail "steps of each run's own: $(cat out)"
import sys
from fields import fields
own, same = fields(sys.argv[1]), fields("fourth.h5")
off = [abs(own[n] - same[n]).max() for n in same]
print(off)
assert len(off) == 3 and max(off) < 1e-5  # some hundred steps, each of which may be off by the tolerance
PY
done

# ---- what is said, and what is refused
expect 0 check fourth_derivative.cfg; prints 'order 3 in time, 4 in space'
expect 0 check forced.cfg
expect 3 check forced.cfg -s order=3; says '"3" is none of 2, 4'
expect 0 check forced.cfg -s 'order="4"'
expect 0 check allen_cahn.cfg -s 'order="$o"' -s 'sweep.o=["2", "4"]'
expect 3 check second_derivative.cfg -s 'order="$o"' -s 'sweep.o=["2", "4"]'; says 'it is one for all runs, no axis'
refused() { expect 3 check second_derivative.cfg -s "rhs=$1" "${@:3}"; says "$2"; }
refused '-dxxx(u) - dxxxx(u)' "cannot have dxxx(u) and dxxxx(u) with constant coefficients"
refused '-dx(u^3*dxxx(u))' 'with order = 4 explicit terms have first and second derivatives'
refused 'dx(u*dx(u))' 'take the derivatives of a product apart'
refused 'cos(t)*dxxx(u)' 'with order = 4 explicit terms have first and second derivatives'
refused '-dxxxx(u) + dxx(u)' 'with order = 4 explicit terms have first and second derivatives' -s 'implicit=-2*dxxxx(u)'
refused 'a*dxxxx(u)' 'ill-posed' -s 'sweep.a=[0.1]'
expect 0 check second_derivative.cfg -s 'rhs=-a*dxxxx(u) + u*dx(u) + dx(u)^2 + u*dxx(u)' -s 'sweep.a=[0.1, 0.2]'
expect 3 check second_derivative.cfg -s boundary=no_flux; says 'lines that end are of second order in space'
summary
