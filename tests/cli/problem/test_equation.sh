#!/bin/bash
# Equations of the user's own as a user meets them: the bits of the built-in equation, orders against exact solutions,
# several unknowns, what `check` shows, what goes on, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- the text of Cahn-Hilliard has the bits of cahn_hilliard, on every row of the CPU that takes it
rest='sweep = { seed = [1, 2, 3]; }; grid = { n = 50; length = 40.0; }; time = { dt = 0.02; end = 2.0; };
initial = "0.05*randn(seed)"; run = { device = "cpu"; }; output = { fields = { times = [1.0, 2.0]; }; };'
echo "problem = \"cahn_hilliard\"; physics = { D = 0.7; gamma = 1.3; }; $rest" >kind.cfg
echo "problem = \"equation\"; define = { D = 0.7; gamma = 1.3; }; rhs = \"D*dxx(u^3 - u - gamma*dxx(u))\";
method = \"imex1\"; $rest" >text.cfg
for row in cpu.plain cpu.simd; do
    expect 0 run kind.cfg -o kind.h5 --force -s "stepper=\"$row\""
    expect 0 run text.cfg -o text.h5 --force -s "stepper=\"$row\""
    [ -z "$python" ] || py - <<'PY' 2>err || fail "bits of $row"
import h5py
a, b = h5py.File("kind.h5"), h5py.File("text.h5")
assert (a["u"][:] == b["u"][:]).all() and abs(a["u"][:]).max() > 0.01
PY
done
expect 0 run text.cfg -o text.h5 -s 'stepper="cpu.simd"'; says 'nothing to do'
expect 0 check text.cfg -o text.h5 -s 'stepper="cpu.simd"'; prints '3 of 3 runs are in text.h5 already'
prints 'u_t      implicit    -D*gamma*dxxxx(u)'; prints 'solver cpu.simd'; prints 'batches  0'

# ---- orders in dt and dx: a wave that decays and travels, exact; by every method, two unknowns that feed each other
cat >wave.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
// u = exp(-t) cos(x - c t), v = exp(-t) sin(x - c t): a rotation, all orders of derivatives, a nonlinear term that the
// force cancels
rhs      = { u = "-c*dx(u) + 0.5*dxx(u) - 0.5*dxxxx(u) + w*dx(v) + w*dxxx(v) + u^2 - exp(-2*t)*cos(x - c*t)^2";
             v = "-c*dx(v) - v + 0.25*dx(u^2) + 0.25*exp(-2*t)*sin(2*(x - c*t))"; };
define   = { c = 1.5; w = 0.3; };
sweep    = { method = ["imex1", "imex2", "imex3"]; dt = [0.1, 0.05, 0.025, 0.0125]; };
grid     = { n = 32; length = "2*pi"; };
time     = { dt = "dt"; end = 1.0; };
method   = "$method";
initial  = { u = "cos(x)"; v = "sin(x)"; };
exact    = { u = "exp(-t)*cos(x - c*t)"; v = "exp(-t)*sin(x - c*t)"; };
run      = { device = "cpu"; };
output   = { fields = { times = [1.0]; }; };
CFG
expect 0 check wave.cfg
prints 'u_t      implicit    -0.5*dxxxx(u) + 0.5*dxx(u) - c*dx(u)'; prints 'v_t      implicit    -c*dx(v) - v'
expect 0 run wave.cfg -o dx.h5 -s 'sweep.dt=[0.001]' -s 'sweep.n=[16, 32, 64]' -s grid.n=n -s 'sweep.method=["imex3"]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'the order in dx'
import h5py, numpy as np
e = h5py.File("dx.h5")["err_l2"][:]
slope = np.log2(e[:-1]/e[1:])
print(e, slope)
assert abs(slope[-1] - 2) < 0.1
PY
# the order in dt, of the differences: against the same points with small steps
sed 's/^exact.*//' wave.cfg >steps.cfg
expect 0 run steps.cfg -o steps.h5
expect 0 run steps.cfg -o fine.h5 -s 'sweep.dt=[0.0005]' -s 'sweep.method=["imex3"]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'the order in dt'
import h5py, numpy as np
f, g = h5py.File("steps.h5"), h5py.File("fine.h5")
assert list(f["u"].shape) == [12, 1, 32] and list(f["v"].shape) == [12, 1, 32]
e = np.sqrt(((f["u"][:, 0] - g["u"][0, 0])**2 + (f["v"][:, 0] - g["v"][0, 0])**2).sum(1)).reshape(3, 4)
slope = np.log2(e[:, :-1]/e[:, 1:])[:, -1]
print(e, slope)
assert (abs(slope - [1, 2, 3]) < 0.1).all()
PY

# ---- lines that end: orders in dx for values and slopes at either end that move, one of each for two unknowns
cat >ends.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
// u = v = exp(-t) (cos(x) + sin(2 x)/5)
rhs      = { u = "-dxxxx(u) + a*dxx(u^2) + exp(-t)*3*sin(2*x) - a*2*exp(-2*t)*((-sin(x) + 0.4*cos(2*x))^2 - "
                 "(cos(x) + 0.2*sin(2*x))*(cos(x) + 0.8*sin(2*x))) + dx(v) - exp(-t)*(-sin(x) + 0.4*cos(2*x))";
             v = "dxx(v) + exp(-t)*0.6*sin(2*x)"; };
define   = { a = 0.1; };
sweep    = { n = [17, 33, 65]; };
grid     = { n = "n"; length = 2.0; x0 = 0.3; };
time     = { dt = 0.0005; end = 0.2; };
method   = "imex3";
initial  = { u = "cos(x) + 0.2*sin(2*x)"; v = "cos(x) + 0.2*sin(2*x)"; };
exact    = { u = "exp(-t)*(cos(x) + 0.2*sin(2*x))"; v = "exp(-t)*(cos(x) + 0.2*sin(2*x))"; };
run      = { device = "cpu"; };
output   = { fields = { times = [0.2]; }; scalars = { every = 0.1; }; };
CFG
value() { echo "exp(-t)*(cos($1) + 0.2*sin(2*$1))"; }
slope() { echo "exp(-t)*(-sin($1) + 0.4*cos(2*$1))"; }
second() { echo "exp(-t)*(-cos($1) - 0.8*sin(2*$1))"; }
third() { echo "exp(-t)*(sin($1) - 1.6*cos(2*$1))"; }
of() {  # of SIDE KIND X: the settings of an end; v has the other kind
    local x=$3
    if [ $2 = value ]; then
        echo "$1 = { dirichlet = { u = \"$(value $x)\"; }; dxx = { u = \"$(second $x)\"; };"
        echo "neumann = { v = \"$(slope $x)\"; }; };"
    else
        echo "$1 = { neumann = { u = \"$(slope $x)\"; }; dxxx = { u = \"$(third $x)\"; };"
        echo "dirichlet = { v = \"$(value $x)\"; }; };"
    fi
}
for left in value slope; do for right in value slope; do
    { cat ends.cfg; of left $left 0.3; of right $right 2.3; } >one.cfg
    expect 0 run one.cfg -o ends.h5 --force
    [ -z "$python" ] || py - >out 2>err <<'PY' || fail "the order with ends $left, $right"
import h5py, numpy as np
f = h5py.File("ends.h5")
slope = np.log2(f["err_l2"][:-1]/f["err_l2"][1:])
print(f["err_l2"][:], slope)
assert abs(slope[-1] - 2) < 0.1
PY
done; done
# in dt: the same points, small steps. Ends that move limit imex3 to an order between 2 and 3 where the matrix is stiff,
# as of any method whose stages are of a lower order; those that do not, do not
steps() {  # steps CONFIG ORDER LEAST: of imex3 an order of at least LEAST
    expect 0 run $1 -o steps.h5 --force
    expect 0 run $1 -o fine.h5 --force -s 'sweep.dt=[0.0001]' -s 'sweep.method=["imex3"]'
    [ -z "$python" ] || py - $2 >out 2>err <<'PY' || fail "the order in dt with ends: $1"
import sys, h5py, numpy as np
f, g = h5py.File("steps.h5"), h5py.File("fine.h5")
e = np.sqrt(((f["u"][:, 0] - g["u"][0, 0])**2).sum(1)).reshape(3, 3)
slope = np.log2(e[:, :-1]/e[:, 1:])[:, -1]
print(e, slope)
assert (abs(slope[:2] - [1, 2]) < 0.1).all() and float(sys.argv[1]) < slope[2] < 3.1
PY
}
axes='sweep = { method = ["imex1", "imex2", "imex3"]; dt = [0.01, 0.005, 0.0025]; };'
{ sed "s/^exact.*//; s/^sweep.*/$axes/; s/n = \"n\"/n = 13/; s/dt = 0.0005/dt = \"dt\"/
       s/^method.*/method = \"\$method\";/" ends.cfg
  of left value 0.3; of right slope 2.3; } >moving.cfg
steps moving.cfg 2.3
cat >still.cfg <<CFG
problem  = "equation";
${axes/0.01, 0.005, 0.0025/0.004, 0.002, 0.001}
rhs      = "dxx(u) - dxxxx(u) + u - u^3 + sin(t)*sin(x)^2";
left     = { dirichlet = 1.0; };
right    = { neumann = 0.0; };
grid     = { n = 13; length = "pi"; };
time     = { dt = "dt"; end = 0.2; };
method   = "\$method";
initial  = "1 + 0.3*sin(x/2)^2*sin(x)^2";
run      = { device = "cpu"; };
output   = { fields = { times = [0.2]; }; };
CFG
steps still.cfg 2.8
# no flux: Cahn-Hilliard keeps its mean (the ends count half), and a field that is even about both ends is that of the
# periodic line of twice the length
no_flux 'dxx(u^3 - u - dxx(u))' 65 20.0 2.0 '0.1 + 0.2*cos(2*pi*x/40) + 0.1*cos(6*pi*x/40)' \
    'scalars = { every = 1.0; };' >flux.cfg
expect 0 run flux.cfg -o flux.h5
expect 0 run flux.cfg -o round.h5 -s 'boundary="periodic"' -s grid.n=128 -s grid.length=40.0
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'no flux'
import h5py, numpy as np
f, g = h5py.File("flux.h5"), h5py.File("round.h5")
mean = f["u_mean"][0]
print(mean, abs(f["u"][0, 0] - g["u"][0, 0][:65]).max(), abs(f["u"][0, 0]).max())
assert abs(mean - mean[0]).max() < 1e-13
# two eliminations of a matrix of the condition 16 s4 + 1 = 2e3, 400 solves
assert abs(f["u"][0, 0] - g["u"][0, 0][:65]).max() < 400*2e3*2.0**-53
PY

# the same and conditions that move, on a GPU; its solves round by as much
for name in flux moving; do
    expect 0 run $name.cfg -o ends.h5 --force
    for row in cuda.split cuda.fused; do
        if ! "$sweep" run $name.cfg -o gpu.h5 --force -s run.device=cuda -s "stepper=\"$row\"" >out 2>err; then
            skip_gpu "ends of $name.cfg by $row"
            continue
        fi
        [ -z "$python" ] || py - >out 2>err <<'PY' || fail "ends of $name.cfg by $row"
import h5py, numpy as np
def fields(name):
    found = []
    def take(path, item):
        if path.split("/")[-1] in ("u", "v") and isinstance(item, h5py.Dataset): found.append(item[:])
    h5py.File(name).visititems(take)
    return found
for u, g in zip(fields("ends.h5"), fields("gpu.h5"), strict=True):
    print(abs(u - g).max(), abs(u).max())
    assert abs(u - g).max() < 400*2e3*2.0**-53*abs(u).max()
PY
    done
done

# what holds at the ends is told, and what that lets through
expect 0 check flux.cfg; prints 'left     u_x = 0, u_xxx = 0'; ! grep -q note out || fail 'a note on no flux'
expect 0 check flux.cfg -s 'rhs="dxx(u) - dx(u^2)"'; prints 'left     u_x = 0'; prints 'the mean is not kept'
prints 'rhs of u, column 10'
expect 0 check moving.cfg; matches '^left     u = .*, u_xx = .* · v_x = exp'
expect 0 check flux.cfg -s 'rhs="-dxxx(u)"' -s 'left.dirichlet="sin(t)"' \
    -s right.neumann=0.0 -s right.dxxx=1.0
prints 'left     u = sin(t), u_xx = 0'; prints 'right    u_x = 0, u_xxx = 1'
prints 'at the left end u_xx = 0 holds as well, unless left.dxx is given'

# ---- coefficients whose sign differs from run to run: a run has the same bits whatever the others
cat >signs.cfg <<'CFG'
problem = "equation";
rhs     = "nu*dxx(u) - dxxxx(u) - r*u - u^3";
sweep   = { nu = [1.0, -1.0, 0.0]; r = [0.5, -0.5]; };
grid    = { n = 40; length = 20.0; };
time    = { dt = 0.05; end = 1.0; };
initial = "cos(2*pi*x/length) + 0.1*sin(6*pi*x/length)";
run     = { device = "cpu"; };
output  = { fields = { times = [1.0]; }; };
CFG
expect 0 check signs.cfg; prints 'by its sign nu*dxx(u) - r*u'
expect 0 run signs.cfg -o signs.h5 -s 'stepper="cpu.plain"'
k=0
for nu in 1.0 -1.0 0.0; do for r in 0.5 -0.5; do
    expect 0 run signs.cfg -o one.h5 --force -s "sweep.nu=[$nu]" -s "sweep.r=[$r]" -s 'stepper="cpu.plain"'
    [ -z "$python" ] || py - $k <<'PY' 2>err || fail "bits of nu = $nu, r = $r"
import sys, h5py
assert (h5py.File("signs.h5")["u"][int(sys.argv[1])] == h5py.File("one.h5")["u"][0]).all()
PY
    k=$((k + 1))
done; done

# ---- white noise in time: u_t = -u + noise has the variance 1/2 whatever dt is; of 4 * 4096 points with some 1 %
cat >noise.cfg <<'CFG'
problem = "equation";
rhs     = "-u + randn(seed)/sqrt(dt)";
initial = "0";
grid    = { n = 4096; length = 1.0; };
sweep   = { dt = [0.05, 0.0125]; seed = [1, 2, 3, 4]; };
time    = { dt = "dt"; end = 5.0; };
run     = { device = "cpu"; };
output  = { scalars = { times = ["end"]; define = { variance = "mean(u^2)"; }; }; };
CFG
expect 0 run noise.cfg -o noise.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'the variance of noise'
import h5py
v = h5py.File("noise.h5")["variance"][:, -1].reshape(2, 4).mean(1)
print(v)
# sqrt(2/16384) = 1.1 % by chance, and of the larger dt about dt/3 by the steps
assert abs(v[0]/0.5 - 1) < 0.06 and abs(v[1]/0.5 - 1) < 0.04
PY

# ---- stopped and resumed, to the same bits
expect 0 run wave.cfg -o whole.h5 -s 'sweep.dt=[0.00004]'
slowly 0.005 expect 75 run wave.cfg -o parts.h5 -s 'sweep.dt=[0.00004]' --max-time 0.05s
expect 0 resume parts.h5; same whole.h5 parts.h5

# ---- a run that diverges is stored, and harms no other
cat >burst.cfg <<'CFG'
problem = "equation";
rhs     = "dxx(u) + a*u^2";
sweep   = { a = [0.0, 30.0, 1.0]; };
grid    = { n = 32; length = 1.0; };
time    = { dt = 0.001; end = 0.2; };
initial = "1 + cos(2*pi*x)";
run     = { device = "cpu"; };
output  = { fields = { times = [0.2]; }; };
CFG
expect 1 run burst.cfg -o burst.h5
expect 0 show burst.h5 --csv; matches '^1,.*diverged'; matches '^2,.*done'
# its message has t and x: of a blow-up at x = 0.5, and of a division by an unknown that comes to zero at x = 1
expect 1 run burst.cfg -o blow.h5 -s 'initial="1 - cos(2*pi*x)"'
expect 0 show blow.h5 --run 1
matches '^message +not finite at t = 0[.][0-9]* [(]step [0-9]* of 200[)]; first at .*x = 0[.]5'
cat >zero.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
rhs      = { u = "dxx(u) - v/u"; v = "dxx(v)"; };
sweep    = { a = [1.0, 0.2, 0.1]; };
grid     = { n = 64; length = 2.0; };
initial  = { u = "0.5 + a - 0.5*exp(-((x - 1)/0.2)^2)"; v = "1"; };
time     = { tolerance = 1e-6; end = 0.4; };
run      = { device = "cpu"; };
output   = { fields = { times = "linspace(0, end, 401)"; }; };
CFG
for row in cpu.plain cpu.simd; do
    expect 1 run zero.cfg -o zero.h5 --force -s "stepper=\"$row\""
    expect 0 show zero.h5 --csv; matches '^0,1,done'
    expect 0 show zero.h5 --run 1; prints 'u_t was largest at x = 1 (i = 32)'; matches 'message +.* at t = 0[.]'
    # stopped after that and continued, to the same message
    long="-s stepper=\"$row\" -s sweep.a=[0.0,30.0,0.1] -s time.dt=4e-6 -s time.end=1.0 -s output.fields.times=[1.0]"
    expect 1 run burst.cfg -o whole_$row.h5 $long
    slowly 0.003 expect 75 run burst.cfg -o parts_$row.h5 $long --max-time 0.2s
    expect 1 resume parts_$row.h5; same whole_$row.h5 parts_$row.h5
    expect 0 show parts_$row.h5 --run 1; prints 'u_t was largest at x = 0 (i = 0)'
done

# ---- refused, with file, line, place in the text and hint
cat >small.cfg <<'CFG'
problem = "equation";
rhs     = "dxx(u)";
grid    = { n = 16; length = 1.0; };
time    = { dt = 0.01; end = 0.1; };
initial = "x";
CFG
refused() {  # refused TEXT OPTION...: small.cfg
    local text=$1
    shift
    expect 3 check small.cfg "$@"
    grep -qF -- "$text" err || fail "$* does not say: $text"
}
expect 0 check small.cfg
expect 0 check small.cfg -s 'rhs="dxx(u - u^3)"' -s 'implicit="-1e-4*dxx(u)"'; prints 'dxx(u - u^3 + 0.0001*u)'
refused "unknown name 'w'" -s 'rhs="dxx(w)"'
refused 'lines have one coordinate, x' -s 'rhs="dxy(u)"'
refused "did you mean 'dx'? known:" -s 'rhs="dxq(u)"'; says 'randn rand lap grad2 div dx dxx dxxx dxxxx'
refused 'makes a derivative of order 5' -s 'rhs="dxx(dxxx(u))"'
refused 'a derivative in time stands on the left only' -s 'rhs="dt(u)"'
refused 'randn() cannot stand inside a derivative' -s 'rhs="dx(randn(1))"'
refused "'(' without ')'" -s 'rhs="dxx(u"'
refused 'exp(1.02e+03 t)' -s 'rhs="-dxx(u)"'
refused "in run 1 (a = -1): short waves of u grow without bound" -s 'rhs="a*dxx(u)"' -s 'sweep.a=[1.0, -1.0]'
refused 'ill-posed; all 2 runs are refused' -s 'rhs="a*dxx(u)"' -s 'sweep.a=[-2.0, -1.0]'
refused 'is none of periodic, no_flux; values and slopes at the ends are given by left' -s 'boundary="neumann"'
refused '2 of 3 runs are refused, leave them out of the sweep' -s 'rhs="a*dxx(u)"' -s 'sweep.a=[-2.0, -1.0, 1.0]'
refused "'rhs' in run 1 (a = 0): the coefficient of dxx(u) is infinite; 1 of 2 runs is refused" \
    -s 'rhs="dxx(u)/a - u^3"' -s 'sweep.a=[1.0, 0.0]'
refused "'implicit': the coefficient of dxx(u) is infinite" -s 'implicit="1/0*dxx(u)"'
refused "'implicit': the coefficient of u is no number" -s 'implicit="0/0*u"'
refused 'rounding could change u by 6.3 of itself in a step, more than 0.001 (s4 = 0, s2 = 0, s3 = ' \
    -s 'rhs="1e4*dxxx(u)"' -s left.dirichlet=1 -s right.dirichlet=1 -s grid.n=64 -s 'grid.length="2*pi"' \
    -s time.dt=0.05 -s stepper=cpu.plain
refused 'not linear in u with a constant coefficient' -s 'implicit="u^2"'
refused "'rhs' is one expression: with 2 unknowns" -s 'unknowns=["u", "v"]'
refused "there is no unknown 'w'" -s 'rhs={u = "0"; w = "1";}'
refused "no expression for the unknown 'v'" -s 'unknowns=["u", "v"]' -s 'rhs={u = "0";}'
refused "'u' stands there twice" -s 'unknowns=["u", "u"]'
refused 'it is the coordinate' -s 'unknowns=["x"]' -s 'rhs={x="0";}' -s 'initial={x="0";}'
for name in sin:function min:function e:constant mean:reduction crossings:reduction nan:'not finite' Inf:'not finite' \
    file:"'initial' has a key" run:"'initial' has a key" time:"'initial' has a key"; do
    refused "'${name%%:*}' cannot be an unknown" -s "unknowns=[\"${name%%:*}\"]"; says "${name#*:}"
done
refused 'is a list of one to 4 names' -s 'unknowns=["a", "b", "c", "d", "e"]'
[ "$(grep -c error: err)" = 1 ] || fail 'what follows from the list of unknowns is told, too'
refused 'letters, digits and _' -s 'unknowns=["u v"]'
refused 'nothing is said of u at the right end' -s left.dirichlet=0.0
refused 'one of the two' -s left.dirichlet=0.0 -s left.neumann=0.0 -s right.neumann=0.0
refused "'left.dxx': nothing uses it: no derivative of u is above the second" -s left.dirichlet=0.0 -s left.dxx=1.0 \
    -s right.neumann=0.0
refused "'left.dirichlet' means nothing with boundary = \"periodic\": leave one of the two out" -s left.dirichlet=0.0 \
    -s right.neumann=0.0 -s 'boundary="periodic"'
refused 'it goes with left.dirichlet of u' -s left.dxx=0.0 -s 'boundary="no_flux"'
expect 3 check small.cfg -s 'boundary="no_flux"' -s 'stepper="cpu.simd"' -s run.precision=single
says 'it does not do these runs in single precision'
refused 'is a variable of the output file' -s 'unknowns=["status"]' -s 'rhs={status="0";}' -s 'initial={status="0";}'
refused 'is a variable of the output file' -s 'sweep.u_mean=[1.0]' -s 'rhs="u_mean"'
refused 'is none of imex1, imex2, imex3' -s 'method="euler"'
refused 'dx() means something only in' -s 'initial="dx(x)"'
sed 's/^rhs.*/rhs = "dxx(u) + cos(";/' small.cfg >line.cfg
expect 3 check line.cfg; says 'line.cfg:2: error'
expect 0 check small.cfg -s 'rhs="dxx(abs(u))"'; prints "the derivative of 'abs', whose slope jumps"

summary
