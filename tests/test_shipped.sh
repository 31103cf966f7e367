#!/bin/bash
# The configs that are shipped: none has a run that diverges, but the one whose purpose that is; and what `sweep check`,
# a run and the file say of steps too long for u and of interfaces with too few points.
. tests/helpers.sh

# ---- no warning, and no run lost
for config in "$top"/configs/*.cfg; do
    name=$(basename "$config" .cfg)
    [ "$name" = tiny_diverge ] && continue
    expect 0 check "$config" --device cpu
    if grep -qE 'may diverge|probably diverge|under-resolved' out; then fail "check $name warns"; fi
    case $name in
    night)       reduced=(--only 'a > 0.19 && seed == 1' -s time.end=60.0 -s output.scalars.every=20.0) ;;
    ch_forcing)  reduced=(--only 'a > 0.15 && seed == 1') ;;
    bvp_table* | compact_waves | compact_filters | advection_3d | tiny_advection) continue ;;  # they take too long
    *)           reduced=() ;;
    esac
    expect 0 run "$config" --device cpu -o "$name.h5" -q "${reduced[@]}"
done

# ---- steps that are too long for u
expect 0 check "$top/configs/tiny_diverge.cfg" --device cpu
prints 'note     time.dt = 0.05 is stable for |u| up to 2.13 but the initial value is up to 100: the run may diverge; time.dt <= 2.5e-06 is stable (amplitude = 100)'
expect 1 run "$top/configs/tiny_diverge.cfg" --device cpu -o diverge.h5
says 'note     time.dt = 0.05 is stable for |u| up to 2.13'
expect 0 show diverge.h5
prints '(step 5 of 100); time.dt = 0.05 is stable for |u| up to 2.13 but the initial value is up to 100; use time.dt <= 2.5e-06'

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
expect 0 run coarse.cfg --device cpu -o coarse.h5
says 'note     under-resolved: interfaces'
expect 0 show coarse.h5 --csv
matches '^0,0.0001[0-9]*,done,.*under-resolved: interfaces 3\*sqrt\(gamma\) = 0.03 wide have 0.076 points'
matches '^1,1,done,.*,$'
expect 0 check coarse.cfg --device cpu -s grid.n=3352
if grep -q under-resolved out; then fail 'the number of points that is advised is not enough'; fi
summary
