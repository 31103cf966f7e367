#!/bin/bash
# What a config asks for and no stepper, solver or problem does is refused with the file, the line, the cause and a
# hint: a table. Of what depends on the device check says that it is not planned here, and run refuses.
. tests/helpers/helpers.sh || exit 1

cat >heat.cfg <<'C'
problem = "heat";
order   = 2;
grid    = { n = 65; length = 1.0; };
physics = { kappa = 0.1; };
time    = { dt = 1e-3; end = 0.01; };
initial = "0";
C
cat >ch.cfg <<'C'
problem = "cahn_hilliard";
grid    = { n = 64; length = 1.0; };
physics = { gamma = 0.001; D = 1.0; };
time    = { dt = 1e-4; end = 0.01; };
initial = "0.1*cos(2*pi*x)";
C
cat >own.cfg <<'C'
problem = "equation";
rhs     = "dxx(u)";
grid    = { n = 64; length = 1.0; };
time    = { dt = 1e-3; end = 0.1; };
initial = "sin(2*pi*x)";
C
cat >bvp.cfg <<'C'
problem = "bvp";
grid    = { n = 64; length = 1.0; };
f       = "1";
C
cat >systems.cfg <<'C'
problem  = "tridiagonal";
grid     = { n = 64; };
lower    = "-1";
main     = "3";
upper    = "-1";
rhs      = "1";
C
cat >box.cfg <<'C'
problem = "elliptic";
grid    = { n = [8, 8, 4]; };
physics = { omega2 = 1.0; };
f       = "x";
C
cat >derivative.cfg <<'C'
problem = "compact";
grid    = { n = 16; length = "2*pi"; };
field   = "sin(x)";
C
cat >waves.cfg <<'C'
problem  = "advection";
grid     = { n = 64; length = 1.0; };
velocity = { x = "1"; };
time     = { dt = 1e-3; end = 0.1; };
initial  = "sin(2*pi*x)";
C

# refused NAME LINES LINE TEXT: the config NAME with lines after its own is refused by check and by run, at LINE ("+1":
# the first that is added) with TEXT, and nothing else is said. absent: check plans nothing, run refuses; so that it may
# be checked for another machine
make() {  # NAME LINES LINE
    { cat "$1.cfg"; printf '%s\n' "$2"; } >asked.cfg
    line=$3
    case $line in +*) line=$(($(wc -l <"$1.cfg") + ${line#+})) ;; esac
}
refused() {
    make "$@"
    for command in check run; do
        expect 3 $command asked.cfg --device cpu
        says "asked.cfg:$line: error: $4"
        [ "$(grep -c 'error:' err)" = 1 ] || fail "$command, $2: more than one error"
        ! grep -q 'cfg: error' err || fail "$command, $2: an error without a line"
    done
}
absent() {
    make "$@"
    expect 0 check asked.cfg --device cpu; prints "note     not planned here: asked.cfg:$line: $4"
    expect 4 run asked.cfg --device cpu; says "asked.cfg:$line: error: $4"
}
ends='left = { dirichlet = "t"; }; right = { dirichlet = "0"; };'
# two lines a refusal: its kind, the config, the line to blame and what is added; the message behind "error:"
while IFS='|' read -r kind name line lines; do
    case $kind in '#'*) continue ;; esac
    read -r text
    $kind "$name" "$lines" "$line" "$text"
done <<'TABLE'
# rows of steppers
refused|heat|+1|stepper = "mpi.gauss";
    'stepper' = "mpi.gauss": there is no such row; `sweep list` shows those there are
refused|heat|+1|stepper = "cpu.plian";
    'stepper' = "cpu.plian": there is no such row; did you mean 'cpu.plain'?
refused|heat|+1|stepper = "cpu.thomas";
    stepper cpu.thomas: this is a band solver, which goes with a stepper: "cpu.plain+cpu.thomas"
refused|heat|+1|stepper = "cpu.plain+cpu.foo";
    band solver cpu.foo: there is no such row; fit here: cpu.thomas cpu.lu cpu.lapack
refused|heat|+1|stepper = "cpu.simd+cpu.thomas";
    stepper cpu.simd: it works without a band solver; leave "+cpu.thomas" out, or take "cpu.plain+cpu.thomas"
refused|heat|+1|sweep = { s = ["cpu.simd", "cpu.foo"]; }; stepper = "$s";
    'sweep.s' = "cpu.foo": there is no such row
refused|heat|+1|sweep = { s = ["cpu.simd", "cpu.thomas"]; }; stepper = "$s";
    stepper cpu.thomas: this is a band solver
refused|heat|+1|stepper = "$s";
    'stepper' = "$s": the sweep has no axis of words 's'
absent|heat|+1|stepper = "cuda.fused";
    stepper cuda.fused:
absent|heat|+1|stepper = "cuda.stream";
    stepper cuda.stream:
absent|heat|+1|stepper = "cuda.split";
    stepper cuda.split:
absent|heat|+1|stepper = "cuda.cufft";
    stepper cuda.cufft:
absent|heat|+1|stepper = "cpu.plain+cuda.thomas";
    band solver cuda.thomas:
refused|heat|+1|run = { precision = "single"; }; stepper = "cpu.plain";
    stepper cpu.plain: it does not do these runs in single precision; set run.precision = "double"; fit here: cpu.simd
# ends
refused|heat|+1|left = { dirichlet = "exp("; }; right = { dirichlet = "0"; };
    'left.dirichlet', column 4: '(' without ')'
refused|heat|+1|left = { dirichlet = "x"; }; right = { dirichlet = "0"; };
    'left.dirichlet', column 1: unknown name 'x'
refused|heat|+1|left = { dirichlet = "0"; }; right = { neumann = "2*"; };
    'right.neumann', column 2: missing operand after '*'
refused|heat|+1|left = { dirchlet = "0"; }; right = { neumann = "0"; };
    unknown key 'left.dirchlet'; did you mean 'dirichlet'?
refused|heat|+1|left = { dirichlet = "0"; };
    'boundary' = "periodic", its default: nothing is said of u at the right end: set right.dirichlet or right.neumann,
refused|heat|+1|left = { dirichlet = "0"; neumann = "0"; }; boundary = "no_flux";
    'left.neumann' = "0": left.dirichlet of u is given as well: one of the two
refused|heat|+1|left = { dirichlet = "0"; }; boundary = "periodic";
    'left.dirichlet' means nothing with boundary = "periodic": leave one of the two out
refused|ch|+1|left = { dxx = "0"; }; boundary = "no_flux";
    'left.dxx' = "0": it goes with left.dirichlet of u, which is not given
refused|ch|+1|left = { dxxx = "0"; }; boundary = "no_flux";
    'left.dxxx' = "0": it goes with left.neumann of u, which is not given
refused|own|+1|left = { dirichlet = "0"; dxx = "0"; }; boundary = "no_flux";
    'left.dxx': nothing uses it: no derivative of u is above the second; leave it out
refused|own|+1|boundary = "dirichlet";
    'boundary' = "dirichlet" is none of periodic, no_flux
# order 4 with ends: given, by default, and as an axis
refused|ch|+1|order = 4; boundary = "no_flux";
    'order' = 4: lines that end are of second order in space: leave it at 2, or boundary at "periodic"
refused|ch|+1|order = 4; left = { dirichlet = "0"; }; right = { dirichlet = "0"; };
    'order' = 4: lines that end are of second order in space
refused|own|+1|order = 4; boundary = "no_flux";
    'order' = 4: lines that end are of second order in space
# steps of each run's own
refused|ch|+1|time2 = 0;
    unknown key 'time2'; did you mean 'time'?
# bvp
refused|bvp|+1|solver = "cpu.foo";
    'solver' = "cpu.foo": there is no such row
refused|bvp|+1|solver = "a2d"; q = "1";
    solver a2d: it sums, for p = 1, q = 0, u' = 0 at the left end and u = 0 at the right one; fit here:
absent|bvp|+1|solver = "cuda.a2d";
    solver cuda.a2d:
refused|bvp|+1|left = { dirichlet = "exp("; };
    'left.dirichlet', column 4: '(' without ')'
refused|bvp|+1|left = { dirichlet = "0"; neumann = "0"; };
    'left
refused|bvp|+1|gauge = "zero_mean"; left = { dirichlet = "0"; };
    'gauge' = "zero_mean": the ends determine u
# tridiagonal
refused|systems|+1|solver = "cpu.foo";
    'solver' = "cpu.foo": there is no such row
refused|systems|+1|run = { precision = "single"; };
    'run.precision' = "single": tridiagonal systems are solved in double precision only
absent|systems|+1|solver = "cuda.relations";
    tridiagonal solver cuda.relations:
# elliptic
refused|box|+1|solver = "cpu.foo";
    'solver' = "cpu.foo": there is no such row; did you mean 'cpu.pcg'?
absent|box|+1|solver = "cuda.pcg";
    elliptic solver cuda.pcg:
# differences
refused|derivative|+1|differences = "cpu.foo";
    'differences' = "cpu.foo": there is no such row
refused|derivative|1|operator = "laplacian";
    'scheme' = "d1_c6", its default: the laplacian takes a scheme of second derivatives
refused|derivative|+1|boundary = "3-4-7";
    'boundary' = "3-4-7"
absent|derivative|+1|differences = "cuda.cr";
    compact differences cuda.cr:
refused|waves|+1|differences = "cpu.foo";
    'differences' = "cpu.foo": there is no such row
absent|waves|+1|differences = "cuda.cr";
    compact differences cuda.cr:
refused|waves|+1|left = { x = "0"; };
    'left.x' = "0": x is periodic: there is no wall where u could be given
refused|waves|+1|velocity2 = 1;
    unknown key 'velocity2'
TABLE

# heat's order is 4 unless it is given: at the line of the problem whose default it is
sed '/^order/d' heat.cfg >four.cfg
refused four "$ends" 1 "'order' = 4, its default: lines that end are of second order in space: set it to 2, or boundary"
refused four 'boundary = "no_flux";' 1 "'order' = 4, its default: lines that end are of second order in space"
refused four "order = 4; $ends" +1 "'order' = 4: lines that end are of second order in space: set it to 2, or boundary"

# a key that is misspelt as well hides a default, which it may have meant, and no more
sed '/^order/d' heat.cfg >axis.cfg; echo 'sweep = { k = [0.1, 0.2]; }; physics.kappa = "k";' >>axis.cfg
sed -i '/^physics/d; s/physics.kappa = "k"/physics = { kappa = "k"; }/' axis.cfg
for config in four.cfg axis.cfg; do
    make "${config%.cfg}" "$ends" +1
    expect 3 check asked.cfg --device cpu -s order=4 -s frobnicate=3
    says "-s: error: unknown key 'frobnicate'"
    says "-s: error: 'order' = 4"
    expect 3 check asked.cfg --device cpu -s ordre=2
    says "-s: error: unknown key 'ordre'; did you mean 'order'?"
    ! grep -q 'its default' err || fail "$config: a default is blamed for the key that is misspelt"
done

# no row at all: the reason of each, and what would help
{ cat heat.cfg; echo "$ends"; } >ended.cfg
absent ended 'run = { precision = "single"; };' 1 \
    'stepper: no row does this problem on this device in single precision; fit here: none'
says '    cpu.simd     it does not do these runs in single precision; set run.precision = "double"'
says '    cpu.plain    it does not do these runs in single precision; set run.precision = "double"'
expect 3 run ended.cfg --device cpu -s run.precision=single --solver cpu.simd
says '-s: error: stepper cpu.simd: it does not do these runs in single precision'

summary
