#!/bin/bash
# The configs that are shipped: none has a run that diverges, but the one whose purpose that is; and what `sweep check`,
# a run and the file say of steps too long for u and of interfaces with too few points.
. tests/helpers/helpers.sh || exit 1

# ---- no warning, and no run lost
for config in "$top"/configs/*.cfg; do
    name=$(basename "$config" .cfg)
    [ "$name" = tiny_diverge ] && continue
    expect 0 check "$config"
    if grep -qE 'may diverge|probably diverge|under-resolved|rounding of' out; then fail "check $name warns"; fi
    case $name in
    night)       reduced=(--only 'a > 0.19 && seed == 1' -s time.end=60.0 -s output.scalars.every=20.0) ;;
    ch_forcing)  reduced=(--only 'a > 0.15 && seed == 1') ;;
    tridiagonal | tridiagonal_table4) reduced=(--only 'seed == 1') ;;
    tridiagonal_sizes)    reduced=(--only 'n <= 3000') ;;
    tridiagonal_backward) reduced=(--only 'seed == 1 && unknowns <= 256') ;;
    bvp_table* | compact_waves | compact_filters | compact_families | advection_3d | tiny_advection)
        continue ;;  # they take too long
    *)           reduced=() ;;
    esac
    expect 0 run "$config" --device cpu -o "$name.h5" -q "${reduced[@]}"
    expect 0 show "$name.h5" --csv
    if grep -q 'rounding of' out; then fail "the runs of $name are said to lose digits"; fi
done

# ---- steps so long that the rounding of the right-hand side moves the mean, which nothing damps: none is silent whose
# mean is off by 1e-3, and none is warned of that is right to 1e-5
for problem in cahn_hilliard hyperdiffusion; do
    cat >mean.cfg <<END
problem = "$problem";
grid = { n = 64; length = 0.64; };
physics = { D = 1.0; gamma = 1.0; };
sweep = { h = [1e2, 1e4, 1e6, 1e7, 1e8, 1e10, 1e12, 1e14]; };
time = { dt = "h"; end = "4*h"; };
initial = "0.3 + 0.05*cos(2*pi*x/length)";
output = { fields = { times = ["4*h"]; }; scalars = { every = "h"; }; };
END
    [ "$problem" = hyperdiffusion ] && echo 'forcing = "cos(2*pi*x/length + 1)";' >>mean.cfg
    expect 0 check mean.cfg --device cpu
    prints 'note     rounding of the right-hand side could move the mean of u by'
    expect 0 run mean.cfg --device cpu -o mean_$problem.h5
    says 'note     rounding of the right-hand side could move the mean of u by'
    expect 0 show mean_$problem.h5 --csv
    cp out mean.csv
    [ -n "$python" ] || continue
    py -c 'import h5py, sys; print(*h5py.File(sys.argv[1])["mass"][:].flat, sep="\n")' mean_$problem.h5 >mass
    [ "$(wc -l <mass)" = 40 ] || fail "$problem: not 5 times of 8 runs"
    for run in 0 1 2 3 4 5 6 7; do
        grep "^$run," mean.csv | grep -q 'rounding of' && warned=1 || warned=0
        awk -v run=$run -v warned=$warned 'int((NR - 1)/5) == run { off = $1/0.192 - 1; off = off < 0 ? -off : off
                                                                    if (off > most) most = off }
            END { exit !(warned ? most > 1e-5 : most < 1e-3) }' mass || fail "$problem, run $run, warned: $warned"
    done
    [ "$warned" = 1 ] || fail "$problem: the longest step is not warned of"
done

# ---- steps that are too long for u
expect 0 check "$top/configs/tiny_diverge.cfg"
prints 'note     time.dt = 0.05 is stable for |u| up to 2.13 but the initial value is up to 100: the run may diverge; time.dt <= 2.5e-06 is stable (amplitude = 100)'
expect 1 run "$top/configs/tiny_diverge.cfg" --device cpu -o diverge.h5
says 'note     time.dt = 0.05 is stable for |u| up to 2.13'
expect 0 show diverge.h5
prints '(step 5 of 100); first at all x'
prints '; time.dt = 0.05 is stable for |u| up to 2.13 but the initial value is up to 100; use time.dt <= 2.5e-06'

# forces at rest and travelling: the strong slow ones are warned of, and only runs that were warned of diverge
cat >force.cfg <<'END'
problem = "cahn_hilliard";
grid = { n = 128; length = "2*pi*8"; };
physics = { D = 1.0; gamma = 1.0; };
time = { dt = 0.02; end = 40.0; };
sweep = { a = [0.1, 0.2, 0.35, 0.6]; v = [0.0, 8.0]; };
define = { q = 0.125; };
initial = "0.05*randn(1)";
forcing = "a*cos(q*(x - v*t))";
output = { scalars = { every = 1.0; }; };
END
expect 0 check force.cfg --device cpu
prints 'a force of 0.35 over a wavelength of 50.3 drives it to 2.9'
prints '(a = 0.35, v = 0); 2 of 8 runs alike'
expect 1 run force.cfg --device cpu -o force.h5
expect 0 show force.h5 --csv
[ "$(grep -c ',diverged,' out)" = 2 ] || fail 'other runs diverged than those with a = 0.35 and 0.6, v = 0'
matches '^4,0.3[0-9]*,0,diverged,.*a force of 0.35 over a wavelength of 50.3 drives it to 2.9.*; use time.dt <= 0.01'
expect 0 run force.cfg --device cpu -o force2.h5 -s time.dt=0.01 --only 'a < 0.5'

# a force with a mean: u grows without limit, and a step is advised that is stable to the end
expect 0 check force.cfg --device cpu -s sweep.v=[0.0] -s sweep.a=[0.0] -s forcing=1.0 -s time.end=4.0
prints 'but a force of mean 1 makes it grow without limit, to 4 by the end: the run may diverge'
expect 1 run force.cfg --device cpu -s sweep.v=[0.0] -s sweep.a=[0.0] -s forcing=1.0 -s time.end=40.0 -o mean.h5
expect 0 show mean.h5
prints 'a force of mean 1 makes it grow without limit, to 40 by the end; use time.dt <= '

# ---- interfaces with too few points
cat >coarse.cfg <<'END'
problem = "cahn_hilliard";
grid = { n = 64; length = "2*pi*4"; };
physics = { D = 1.0; gamma = "g"; };
time = { dt = 0.01; end = 0.1; };
sweep = { g = [1.0e-4, 1.0]; };
initial = "0.05*randn(1)";
output = { scalars = { every = 0.1; }; };
END
expect 0 check coarse.cfg --device cpu
prints 'note     under-resolved: interfaces 3*sqrt(gamma) = 0.03 wide have 0.076 points (dx = 0.393) and stick to them; 4 need grid.n >= 3352 (g = 0.0001)'
expect 0 run coarse.cfg --device cpu -o coarse.h5 -s accuracy.runs=0
says 'note     under-resolved: interfaces'
expect 0 show coarse.h5 --csv
matches '^0,0.0001[0-9]*,done,.*under-resolved: interfaces 3\*sqrt\(gamma\) = 0.03 wide have 0.076 points'
matches '^1,1,done,.*,$'
expect 0 check coarse.cfg --device cpu -s grid.n=3352
if grep -q under-resolved out; then fail 'the number of points that is advised is not enough'; fi
# a field that is constant has none
for u in 0.0 2.0; do
    expect 0 run coarse.cfg --device cpu -o flat$u.h5 -s initial=$u
    if grep -q under-resolved err; then fail "a field that is $u everywhere is said to have interfaces"; fi
    expect 0 show flat$u.h5 --csv
    if grep -q under-resolved out; then fail "a field that is $u everywhere is stored as under-resolved"; fi
done
expect 0 check coarse.cfg --device cpu -s initial=0.0 -s 'forcing=0.1*cos(x/4)'
prints 'note     under-resolved: interfaces'
# nor does what has decayed to numbers of few digits
cat >decayed.cfg <<'CFG'
problem = "equation";
grid    = { n = 64; length = 1.0; };
time    = { dt = 0.1; end = 780.0; };
rhs     = "-u";
method  = "imex1";
initial = "cos(2*pi*x)";
output  = { scalars = { every = 780.0; }; };
CFG
expect 0 run decayed.cfg --device cpu -o decayed.h5
expect 0 show decayed.h5 --csv
if grep -q under-resolved out; then fail 'what has decayed is said to be under-resolved'; fi

# ---- equations with a source of their own: too long a step, a mean force that the source balances, waves too coarse
cat >source.cfg <<'END'
problem = "allen_cahn";
grid = { n = 64; length = 32.0; };
physics = { gamma = 1.0; };
time = { dt = "h"; end = 60.0; };
sweep = { h = [0.1, 0.75, 1.5]; };
initial = "0.1*randn(1)";
output = { scalars = { every = 6.0; }; };
END
expect 0 check source.cfg --device cpu -s 'initial=3*cos(2*pi*x/length)'
prints 'note     time.dt = 0.1 is stable for |u| up to 2.65 but the initial value is up to 3: the run may diverge; time.dt <= 0.076 is stable (h = 0.1); 3 of 3 runs alike'
expect 1 run source.cfg --device cpu -s 'initial=30.0' -o source.h5
# numbers beyond all bounds: neither nan nor 70 digits
for problem in 'allen_cahn gamma=1.0;' 'swift_hohenberg r=0.2;' 'cahn_hilliard gamma=1.0;D=1.0;'; do
    printf 'problem="%s"; grid={n=64; length=32.0;}; physics={%s}; time={dt=0.05; end=1.0;}; initial="0.1*randn(1)";' \
        "${problem% *}" "${problem#* }" >huge.cfg
    expect 0 check huge.cfg --device cpu -s initial=1e200
    prints 'but the initial value is up to 1e+200: the run may diverge; no time.dt is stable for such a u'
    expect 1 run huge.cfg --device cpu -s initial=1e200 -o huge.h5 --force
    says 'no time.dt is stable for such a u'
    if grep -qw nan out err; then fail 'nan in a note'; fi
    [ "${problem% *}" = swift_hohenberg ] || continue
    expect 0 check huge.cfg --device cpu -s physics.wavenumber=3.0
    prints 'note     time.dt = 0.05 is stable for no u but the initial value is up to 0.2'
    expect 0 check huge.cfg --device cpu -s physics.r=50.0
    prints 'note     time.dt = 0.05 is stable for |u| up to 5.45 but u grows by itself to 7.'
    expect 1 run huge.cfg --device cpu -s physics.r=50.0 -o huge.h5 --force
    says 'is stable for |u| up to 5.45 but u grows by itself to 7.'
    expect 0 check huge.cfg --device cpu -s physics.r=10.0
    if grep -q 'may diverge' out; then fail 'a pattern that saturates below the limit is warned of'; fi
done
# what these steps let grow first is a wave of 53,000 points of so fine a line
expect 0 check huge.cfg --device cpu -s method=imex1 -s grid.n=1000000 -s grid.length=100.0 -s time.dt=1.0 \
    -s time.end=10.0 -s 'initial="1.25*cos(2*pi*x/length)"'
prints 'note     time.dt = 1 is stable for |u| up to 1.13 but the initial value is up to 1.25'
# about u = 0.577 steps of any size are stable, about u = 0 they are not: a step is named that is for all between
expect 1 run huge.cfg --device cpu -s method=imex3 -s grid.length='"2*pi"' -s time.dt=5.0 -s time.end=100.0 \
    -s 'initial="0.577*cos(x)"' -o huge.h5 --force
expect 0 show huge.h5 --csv
prints 'time.dt = 5 is stable for no u but the initial value is up to 0.577; use time.dt <= 1.1'
expect 0 check source.cfg --device cpu -s physics.gamma=1e-300
prints '4 need grid.n >= 4.27e+151, more than it may be: a smaller grid.length does'
expect 0 check source.cfg --device cpu -s forcing=20.0 -s 'sweep.h=[0.1]' -s time.end=1000.0
prints 'is stable for |u| up to 2.65 but a force of mean 20 drives it to 2.84: the run may diverge; time.dt <= 0.08'
expect 0 check source.cfg --device cpu -s forcing=2.0 -s 'sweep.h=[0.1]' -s time.end=1000.0
if grep -q 'may diverge' out; then fail 'a force that the source balances is warned of'; fi
expect 0 run source.cfg --device cpu -s forcing=2.0 -s 'sweep.h=[0.1]' -o balanced.h5
cat >waves.cfg <<'END'
problem = "swift_hohenberg";
grid = { n = 64; length = "2*pi*m"; };
physics = { r = 0.2; };
time = { dt = 0.1; end = 1.0; };
sweep = { m = [8, 16]; };
initial = "0.1*randn(1)";
output = { scalars = { every = 0.1; }; };
END
expect 0 check waves.cfg --device cpu
prints 'note     under-resolved: waves 2*pi/wavenumber = 6.28 long have 4 points (dx = 1.57) and come out too short; 8 need grid.n >= 128 (m = 16)'
expect 0 check waves.cfg --device cpu -s method=crank_nicolson
prints 'note     method = "crank_nicolson": the explicit terms are of first order in time all the same'
summary
