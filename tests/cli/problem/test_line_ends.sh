#!/bin/bash
# Lines that end, of the built-in problems: orders in dx and dt against exact solutions for every kind of end, the bits
# of the same equation written as text, what no_flux keeps, what is measured, said and refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- orders in dx: u = exp(-t) w, w = cos(x) + sin(2x)/5, between x = 0.3 and 2.3; values, slopes and one of each move
of() { echo "exp(-t)*($1)"; }
value() { of "cos($1) + 0.2*sin(2*$1)"; }
slope() { of "-sin($1) + 0.4*cos(2*$1)"; }
second() { of "-cos($1) - 0.8*sin(2*$1)"; }
third() { of "sin($1) - 1.6*cos(2*$1)"; }
fourth() { of "cos($1) + 3.2*sin(2*$1)"; }
u="$(value x)"
cubed_xx="(6*($u)*($(slope x))^2 + 3*($u)^2*($(second x)))"
end() {  # end SIDE KIND X HIGHEST: its settings
    local more=''
    if [ $2 = value ]; then
        [ $4 = 2 ] || more="dxx = \"$(second $3)\";"
        echo "$1 = { dirichlet = \"$(value $3)\"; $more };"
    else
        [ $4 = 2 ] || more="dxxx = \"$(third $3)\";"
        echo "$1 = { neumann = \"$(slope $3)\"; $more };"
    fi
}
common='sweep = { n = [17, 33, 65]; }; grid = { n = "n"; length = 2.0; x0 = 0.3; }; run = { device = "cpu"; };
time = { dt = 0.0005; end = 0.2; }; output = { fields = { times = [0.2]; }; };'
problem() {  # problem NAME HIGHEST MORE FORCING
    echo "problem = \"$1\"; $3 initial = \"$(sed 's/exp(-t)\*//' <<<"$u")\"; exact = \"$u\"; forcing = \"$4\";" >$1.cfg
    echo "$common" >>$1.cfg
    for left in value slope; do for right in value slope; do
        for row in cpu.plain cpu.simd; do
            { cat $1.cfg; end left $left 0.3 $2; end right $right 2.3 $2; } >one.cfg
            expect 0 run one.cfg -o $row.h5 --force -s "stepper=\"$row\""
        done
        [ -z "$python" ] || py - >out 2>err <<'PY' || fail "the order of $1 with ends $left, $right: $(cat out)"
import h5py, numpy as np
f, g = h5py.File("cpu.plain.h5"), h5py.File("cpu.simd.h5")
e = f["err_l2"][:]
slope = np.log2(e[:-1]/e[1:])
print(e, slope, abs(e - g["err_l2"][:]).max())
assert abs(slope[-1] - 2) < 0.1
assert abs(e - g["err_l2"][:]).max() < 1e-3*e.min()  # another elimination of matrices of a condition below 1e6
PY
    done; done
}
problem hyperdiffusion 4 'physics = { gamma = 0.5; D = 2.0; };' "$(of '3*sin(2*x)')"
problem heat 2 'order = 2; physics = { kappa = 1.0; };' "$(of '0.6*sin(2*x)')"
problem cahn_hilliard 4 'method = "imex3"; physics = { D = 0.5; gamma = 0.3; };' \
    "-($u) - 0.5*($cubed_xx - ($(second x)) - 0.3*($(fourth x)))"
problem allen_cahn 2 'method = "imex3"; physics = { gamma = 0.7; };' "-($u) - 0.7*($(second x)) - ($u) + ($u)^3"
problem swift_hohenberg 4 'method = "imex3"; physics = { r = 0.3; };' \
    "-($u) + 0.7*($u) + 2*($(second x)) + $(fourth x) + ($u)^3"

# ---- orders in dt: the same points, ends that move
steps() {  # steps CONFIG ORDERS: of its methods, in their order
    expect 0 run $1.cfg -o steps.h5 --force
    expect 0 run $1.cfg -o fine.h5 --force -s 'sweep.dt=[0.0001]' -s "sweep.method=[\"${3:-imex3}\"]"
    [ -z "$python" ] || py - $2 >out 2>err <<'PY' || fail "the order in dt with ends: $1: $(cat out)"
import sys, h5py, numpy as np
f, g = h5py.File("steps.h5"), h5py.File("fine.h5")
order = np.array(eval(sys.argv[1]))
e = np.sqrt(((f["u"][:, 0] - g["u"][0, 0])**2).sum(1)).reshape(len(order), 3)
slope = np.log2(e[:, :-1]/e[:, 1:])[:, -1]
print(e, slope)
assert (abs(slope - order) < 0.15).all()
PY
}
in_time='s/^problem/method = "$method"; problem/; s/dt = 0.0005/dt = "dt"/; s/n = "n"/n = 13/; s/exact = "[^"]*"; //
         s/n = \[17, 33, 65\]/method = [METHODS]; dt = [0.01, 0.005, 0.0025]/'
{ sed "$in_time; s/METHODS/\"crank_nicolson\", \"imex1\", \"imex2\"/" heat.cfg
  end left value 0.3 2; end right slope 2.3 2; } >heat_time.cfg
steps heat_time '[2,1,2]' imex2
{ sed "$in_time; s/METHODS/\"imex1\", \"imex2\"/; s/method = \"imex3\"; //" cahn_hilliard.cfg
  end left slope 0.3 4; end right value 2.3 4; } >ch_time.cfg
steps ch_time '[1,2]' imex2

# ---- the bits of the same equation as a text, fixed steps and steps of each run's own
rest='sweep = { k = [1, 2, 3]; a = [0.0, 0.2]; }; grid = { n = 67; length = 20.0; };
initial = "0.3*cos(pi*k*x/length) + 0.1"; method = "$method"; run = { device = "cpu"; };
output = { fields = { times = [0.5, 1.0]; }; };'
echo "problem = \"cahn_hilliard\"; physics = { D = 0.7; gamma = 1.3; }; forcing = \"a*cos(x - t)\"; $rest" >kind.cfg
echo "problem = \"equation\"; define = { D = 0.7; gamma = 1.3; };
rhs = \"-D*gamma*dxxxx(u) + dxx(D*(u^3 - u)) + a*cos(x - t)\"; $rest" >text.cfg
for row in cpu.plain cpu.simd; do
    for ends in 'boundary = "no_flux";' \
                'left = { dirichlet = "0.4 + a*sin(t)"; dxx = 0.1; }; right = { dirichlet = 0.1; };' \
                'left = { neumann = "a*sin(t)"; dxxx = "a"; }; right = { dirichlet = 0.1; };'; do
        for time in 'time = { dt = 0.01; end = 1.0; };' 'time = { tolerance = 1e-5; end = 1.0; };'; do
            for kind in kind text; do
                { sed "s/sweep = {/sweep = { method = [METHODS];/" $kind.cfg; echo "$ends $time"; } >one.cfg
                methods='"imex1", "imex2", "imex3"'
                [ "${time/tolerance}" = "$time" ] || methods='"imex2", "imex3"'
                sed -i "s/METHODS/$methods/" one.cfg
                expect 0 run one.cfg -o $kind.h5 --force -s "stepper=\"$row\""
            done
            [ -z "$python" ] || py - <<'PY' 2>err || fail "bits of $row, $ends $time"
import h5py, numpy as np
f, g = h5py.File("kind.h5"), h5py.File("text.h5")
assert np.array_equal(f["u"][:], g["u"][:]) and np.isfinite(f["u"][:]).all()
PY
        done
    done
done

# ---- no flux: the mass stays, the energy falls, and a field that is even about both ends is half of a periodic one
cat >flux.cfg <<'CFG'
problem  = "cahn_hilliard";
boundary = "no_flux";
grid     = { n = 129; length = 40.0; };
physics  = { D = 1.0; gamma = 1.0; };
time     = { dt = 0.01; end = 5.0; };
initial  = "0.1 + 0.2*cos(2*pi*x/80) + 0.1*cos(6*pi*x/80)";
run      = { device = "cpu"; };
output   = { fields = { times = [5.0]; }; scalars = { every = 0.5; }; };
CFG
for row in cuda.split cuda.fused cpu.plain cpu.simd; do
    on=(--force -s "stepper=\"$row\"" --device ${row%%.*})
    if ! "$sweep" run flux.cfg -o flux.h5 "${on[@]}" >out 2>err; then
        if [ ${row%%.*} = cuda ]; then skip_gpu "no flux by $row"; else fail "no flux by $row"; fi
        continue
    fi
    expect 0 run flux.cfg -o round.h5 "${on[@]}" -s 'boundary="periodic"' -s grid.n=256 -s grid.length=80.0
    [ -z "$python" ] || py - >out 2>err <<'PY' || fail "no flux on $row: $(cat out)"
import h5py, numpy as np
f, g = h5py.File("flux.h5"), h5py.File("round.h5")
mass, energy = f["mass"][0], f["energy"][0]
print(mass - 4, np.diff(energy), 2*energy/g["energy"][0] - 1, f["domain_length"][0]/g["domain_length"][0] - 1)
# eliminations of a matrix of the condition 16 s4 + 1 = 20, 500 steps, of a u whose size is 0.5 in the mean
rounding = 500*20*2.0**-53
assert abs(mass - 4).max() < 20*rounding and abs(2*mass - g["mass"][0]).max() < 20*rounding
assert (np.diff(energy) < 0).all()
# u_x at an end is 0 in the periodic line; from inside it is off by dx³/4 u_xxxx = 2e-6, whose square is a weight of dx
assert abs(2*energy/g["energy"][0] - 1).max() < 10*rounding
assert abs(f["u"][0, 0] - g["u"][0, 0][:129]).max() < 3*rounding  # u grows by 3 in between
assert abs(f["domain_length"][0]/g["domain_length"][0] - 1).max() < 10*rounding
PY
done
# a flux with x in its coefficient is 0 at closed ends, too, however steep the field is there at first: the mean of x
# stays 1/2; and the order is 2, with u = exp(-t) cos(pi x) of whose slope the other end knows nothing
cat >box.cfg <<'CFG'
problem = "equation"; rhs = "dx((1 + x)*dx(u)) + f*exp(-t)*((pi^2*(1 + x) - 1)*cos(pi*x) + pi*sin(pi*x))";
sweep = { f = [0, 1]; n = [9, 17, 33]; }; grid = { n = "n"; length = 1.0; }; time = { dt = 0.0001; end = 0.1; };
initial = "f == 0 ? x : cos(pi*x)"; exact = "exp(-t)*cos(pi*x)"; run = { device = "cpu"; };
output = { scalars = { every = 0.01; define = { mean = "integral(u)"; }; }; };
CFG
for ends in 'boundary = "no_flux";' 'left = { neumann = 0.0; }; boundary = "no_flux";'; do
    for row in cuda.split cuda.fused cpu.plain cpu.simd; do
        { cat box.cfg; echo "$ends"; } >one.cfg
        if ! "$sweep" run one.cfg -o box.h5 --force -s "stepper=\"$row\"" --device ${row%%.*} >out 2>err; then
            if grep -q 'takes no lines of so few' err; then skipped "a closed box by $row: too few points"
            elif [ ${row%%.*} = cuda ]; then skip_gpu "a closed box by $row"; else fail "a closed box by $row"; fi
            continue
        fi
        [ -z "$python" ] || py - >out 2>err <<'PY' || fail "a closed box by $row: $(cat out)"
import h5py, numpy as np
f = h5py.File("box.h5")
mean, e = np.array([f["n%05d" % n]["mean"][0] for n in (9, 17, 33)]), f["err_l2"][3:]
print(mean - 0.5, np.log2(e[:-1]/e[1:]))
assert abs(mean - 0.5).max() < 2000*2.0**-53 and abs(np.log2(e[1]/e[2]) - 2) < 0.1
PY
    done
done
# the mass and the energy of a parabola between walls: the trapezoidal rule is off by dx²/12 (f'(L) - f'(0)); u_x is
# exact at the ends, too
echo 'problem = "allen_cahn"; left = { dirichlet = 0.0; }; right = { dirichlet = 1.0; };
physics = { gamma = 2.0; }; grid = { n = 41; length = 1.0; }; time = { dt = 0.001; end = 0.001; };
initial = "x^2"; run = { device = "cpu"; }; output = { scalars = { times = [0.0]; }; };' >parabola.cfg
for row in cuda.split cuda.fused cpu.plain; do
    if ! "$sweep" run parabola.cfg -o parabola.h5 --force -s "stepper=\"$row\"" --device ${row%%.*} >out 2>err; then
        if [ ${row%%.*} = cuda ]; then skip_gpu "scalars by $row"; else fail "scalars by $row"; fi
        continue
    fi
    [ -z "$python" ] || py - >out 2>err <<'PY' || fail "scalars between walls by $row: $(cat out)"
import h5py, numpy as np
f = h5py.File("parabola.h5")
x = np.linspace(0, 1, 41)
density = (x**4 - 1)**2/4 + (2*x)**2
rule = lambda y: (y.sum() - (y[0] + y[-1])/2)/40
print(f["mass"][0, 0] - rule(x**2), f["energy"][0, 0] - rule(density))
assert abs(f["mass"][0, 0] - rule(x**2)) < 1e-15*40 and abs(f["energy"][0, 0] - rule(density)) < 1e-15*400
PY
done

# ---- told
expect 0 check flux.cfg; prints 'left     u_x = 0, u_xxx = 0'; prints 'right    u_x = 0, u_xxx = 0'
expect 0 check flux.cfg -s 'boundary="periodic"'; ! grep -qE '^(left|right) ' out || fail 'ends of a periodic line'
expect 0 check parabola.cfg; matches '^left     u = 0$'; matches '^right    u = 1$'
expect 0 check flux.cfg -s 'left.dirichlet="9*cos(t)"'; prints 'u = 9*cos(t), u_xx = 0'
prints 'time.dt = 0.01 is stable for |u| up to 3.12 but the value at an end is up to 9: the run may diverge'
expect 0 check flux.cfg -s grid.n=33; prints 'under-resolved'
needed=$(sed -n 's/.*4 need grid.n >= \([0-9]*\).*/\1/p' out)
expect 0 check flux.cfg -s grid.n=$needed; ! grep -q under-resolved out || fail "grid.n = $needed is not enough"
expect 0 check flux.cfg -s grid.n=$((needed - 1)); prints 'under-resolved'
# a force on a line that ends: of half a wave, as of a whole one on the line with its mirror image
expect 0 check flux.cfg -s time.dt=0.5 -s 'forcing="0.4*cos(pi*x/20)"'
prints 'a force of 0.4 over a wavelength of 40 drives it to'

# ---- derivatives in scalars of the user's own, up to the ends: of x^2 and x^4, of which differences are exact but for
# 2 dx² of the second derivative; rounding grows as 1/dx^4
expect 0 run parabola.cfg -o square.h5 -s 'output.scalars.define={ low="min(dx(u))"; high="max(dx(u))";
    bent="mean(dxx(u))"; }'
expect 0 run parabola.cfg -o fourth.h5 -s 'initial="x^4"' -s 'output.scalars.define={ bent="max(abs(dxx(u) - 12*x^2))";
    low="min(dxxxx(u))"; high="max(dxxxx(u))"; }'
[ -z "$python" ] || py -c 'import h5py; f, g = h5py.File("square.h5"), h5py.File("fourth.h5")
assert abs(f["low"][0, 0]) < 1e-13 and abs(f["high"][0, 0] - 2) < 1e-13 and abs(f["bent"][0, 0] - 2) < 1e-11
assert abs(g["bent"][0, 0] - 2/40**2) < 1e-10
assert abs(g["low"][0, 0] - 24) < 1e-6 and abs(g["high"][0, 0] - 24) < 1e-6' 2>err || fail 'derivatives between walls'
define='output.scalars.define.steep="max(dx(u)^2)"'
expect 0 check flux.cfg -s "$define" -s 'sweep.ends=["periodic","no_flux"]' -s 'boundary="$ends"'
expect 0 run flux.cfg -s 'output.scalars.define.m="integral(u)"' -o mass.h5
[ -z "$python" ] || py -c 'import h5py, numpy as np; f = h5py.File("mass.h5")
assert np.allclose(f["m"][0], f["mass"][0], rtol=0, atol=1e-13)' 2>err || fail 'the mass as an integral'
# an axis over both kinds of boundary
expect 0 run flux.cfg -s 'sweep.ends=["periodic","no_flux"]' -s 'boundary="$ends"' -o axis.h5
[ -z "$python" ] || py -c 'import h5py, numpy as np; f, g = h5py.File("axis.h5"), h5py.File("flux.h5")
assert np.array_equal(f["mass"][1], g["mass"][0]) and not np.array_equal(f["mass"][0], g["mass"][0])' 2>err ||
    fail 'an axis over kinds of boundary'

# ---- Crank-Nicolson keeps the waves of a jump at an end, and of noise, where steps are long for these: a note
cat >ringing.cfg <<'CFG'
problem = "hyperdiffusion";
grid    = { n = 65; length = 1.0; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.01; end = 10.0; };
left    = { dirichlet = 1.0; };
right   = { dirichlet = 0.0; };
initial = "0";
exact   = "1 - x";
CFG
rings='Crank-Nicolson keeps short waves of the initial value'
expect 0 run ringing.cfg -o rings.h5; says "$rings or its jump at an end"; says 'use method = "imex2" or time.dt <='
expect 0 run ringing.cfg -s 'method="imex2"' -o rests.h5
grep -q "$rings" err && fail 'imex2 rings'
expect 0 run ringing.cfg -s 'initial="1 - x"' -o fits.h5
grep -q "$rings" err && fail 'no jump rings'
[ -z "$python" ] || py -c 'import h5py
error = [h5py.File(f)["err_max"][0] for f in ("rings.h5", "rests.h5", "fits.h5")]
assert error[0] > 0.1 and error[1] < 1e-9 and error[2] < 1e-9, error' 2>err || fail 'what rings, and what does not'
sed '/^left/d; /^right/d; /^exact/d' ringing.cfg >noise.cfg
for boundary in periodic no_flux; do
    expect 0 check noise.cfg -s boundary="\"$boundary\"" -s 'initial="randn(1)"'; prints "$rings, 0."
    expect 0 check noise.cfg -s boundary="\"$boundary\"" -s 'initial="cos(2*pi*x/length)"'
    grep -q "$rings" out && fail 'a smooth wave rings'
done

# ---- refused
refused() { local why=$1; shift; expect 3 check flux.cfg "$@"; says "$why"; }
refused 'nothing is said of u at the right end: set right.dirichlet or right.neumann' -s left.dirichlet=0.0 \
    -s 'boundary="$b"' -s 'sweep.b=["periodic"]'
refused "'left.dirichlet' means nothing with boundary = \"periodic\": leave one of the two out" -s left.dirichlet=0.0 \
    -s 'boundary="periodic"'
refused 'left.dirichlet of u is given as well: one of the two' -s left.dirichlet=0.0 -s left.neumann=0.0
refused 'it goes with left.dirichlet of u, which is not given' -s left.dxx=0.0
refused 'lines that end are of second order in space: leave it at 2' -s 'order="4"'
# what is refused at an end is not missing there as well
expect 3 check parabola.cfg -s 'left.dirichlet="x"'; says "'left.dirichlet', column 1: unknown name 'x'"
grep -q 'nothing is said' err && fail 'what is refused is missing as well'
# ---- a condition infinite at t = 0 alone: methods that do not see it there go on, and others fail, by both rows alike
for end in 'left = { dirichlet = "0.001/t"; };' 'left = { neumann = "0.001/t"; };'; do
    cat >infinite.cfg <<CFG
problem = "heat"; order = 2; physics = { kappa = 1.0; }; grid = { n = 33; length = 1.0; }; initial = "0*x";
time = { dt = 0.001; end = 0.01; }; $end right = { dirichlet = 0.0; }; run = { device = "cpu"; };
output = { fields = { times = [0.01]; }; };
CFG
    for case in imex1:0 imex2:0 imex3:1 crank_nicolson:1; do
        for row in cpu.plain cpu.simd; do
            expect ${case#*:} run infinite.cfg -o infinite.h5 --force -s "method=\"${case%:*}\"" \
                -s "stepper=\"$row\""
        done
    done
done

# an end of which nothing is said would be none, without a word; where boundary is set it is said
echo 'left = {}; right = {};' | cat flux.cfg - | sed '/^boundary/d' >empty.cfg
expect 3 check empty.cfg
for end in left right; do
    says "empty.cfg:8: error: '$end' is empty: say in it what is known at that end, by one of dirichlet, neumann, dxx"
done
says 'set boundary = "periodic" or "no_flux"'
expect 0 check empty.cfg -s 'boundary="periodic"'
expect 0 check empty.cfg -s left.dirichlet=0.0 -s right.neumann=0.0
expect 3 check heat.cfg -s 'boundary="no_flux"' -s order=4; says "'order' = 4 in run 0"
says 'lines that end are of second order in space: set it to 2'
expect 3 check heat.cfg -s 'boundary="no_flux"' -s left.dxx=0.0
says "'left.dxx' is a key of hyperdiffusion, not of heat"
summary
