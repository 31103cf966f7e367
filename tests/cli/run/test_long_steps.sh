#!/bin/bash
# Steps that are too long, and settle on a wrong state: told by a few runs with half the step, and by a look at the last
# steps. What is right comes from the issue's BDF solutions (SciPy, 1e-8) and from steps 16 to 40 times shorter.
# SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

cat >ch.cfg <<'END'
problem = "cahn_hilliard"; physics = { D = 1.0; gamma = 1.0; };
grid = { n = 64; length = "8*pi"; }; initial = "0.05*randn(1)";
sweep = { dt = [3.2, 4.0, 5.0, 8.0, 10.0]; }; time = { dt = "dt"; end = 4000.0; };
output = { scalars = { times = [4000.0]; }; };
END
# last FILE NAME: the last entry of a series, of run 0
last() { py -c 'import h5py, sys; print(h5py.File(sys.argv[1])[sys.argv[2]][0, -1])' "$1" "$2"; }
expect 0 run ch.cfg -o ch.h5
says 'warning: accuracy: in 5 of them the steps change u by more than 1 %'
[ "$("$sweep" show ch.h5 --csv | grep -c 'half the step changes u by')" = 5 ] || fail 'a message in each run'
expect 0 run ch.cfg -s 'sweep.dt=[0.1]' -o right.h5
grep -q warning err && fail 'a warning of a run that is right'
says 'accuracy 1 run again with half the step: estimated errors at most'
[ -z "$python" ] || last right.h5 energy | awk '{ exit !($1 > 1.865 && $1 < 1.8674) }' || fail "energy is not 1.8662"
expect 0 run ch.cfg -s accuracy.runs=0 -o none.h5
grep -q accuracy err && fail 'accuracy.runs = 0 computes runs again'
"$sweep" show none.h5 --csv | grep -q error_time && fail 'accuracy.runs = 0 has a column'

cat >ac.cfg <<'END'
problem = "allen_cahn"; physics = { gamma = 4.0; }; grid = { n = 128; length = 100.0; };
initial = "sin(2*pi*x/length)"; method = "imex2"; time = { dt = 1.25; end = 400.0; };
output = { scalars = { times = [400.0]; }; };
END
for how in 'method="imex2" time.dt=1.25' 'method="imex3" time.dt=1.6'; do
    set -- $how
    expect 0 run ac.cfg -s "$1" -s "$2" -o ac.h5 --force
    says 'warning: accuracy: in 1 of them'
    "$sweep" show ac.h5 --csv | grep -qE 'cycle of the steps|goes elsewhere' || fail "$how: nothing of its last steps"
done

cat >heat.cfg <<'END'
problem = "heat"; physics = { kappa = 0.01; }; forcing = "-100*u/(1+u^2)"; grid = { n = 64; length = 1.0; };
initial = "1 + 0.1*cos(2*pi*x)"; method = "imex1"; time = { dt = 0.05; end = 5.0; };
END
expect 0 run heat.cfg -o heat.h5; says 'warning: accuracy: in 1 of them'
expect 0 run heat.cfg -s time.dt=0.001 -o heat.h5 --force
grep -q warning err && fail 'heat: a warning of a run that is right'

cat >adv.cfg <<'END'
problem = "advection"; velocity = { x = 1.0; }; physics = { nu = 0.0; }; forcing = "40*(u-u^3)"; method = "ssp_rk3";
grid = { n = 32; length = "2*pi"; }; initial = "0.4*sin(x)"; time = { dt = 0.04; end = 4.0; };
END
expect 0 run adv.cfg -o adv.h5; says 'warning: accuracy: in 1 of them'

# A sweep of many runs: few are computed again, to the same estimates in any batches, shards and after a stop.
cat >many.cfg <<'END'
problem = "heat"; physics = { kappa = "k"; }; grid = { n = 512; length = 1.0; }; initial = "1 + cos(2*pi*x)";
sweep = { k = "linspace(0.01, 0.1, 3000)"; }; time = { dt = 1e-3; end = 0.2; };
END
expect 0 run many.cfg -o many.h5
grep -qE 'accuracy ([3-9]|1[0-2]) runs again with half the step' err || fail 'not a few runs'
expect 0 run many.cfg -s run.batch=700 -o batches.h5
[ "$("$sweep" show many.h5 --csv | cut -d, -f1,2,3,4,5 | grep -v wall)" = \
  "$("$sweep" show batches.h5 --csv | cut -d, -f1,2,3,4,5 | grep -v wall)" ] || fail 'other estimates in other batches'

# Steady is not what a force with the period of the looks is at looks.
cat >steady.cfg <<'END'
problem = "heat"; physics = { kappa = 1.0; }; forcing = "2*pi*sin(2*pi*t)"; grid = { n = 16; length = 1.0; };
initial = "0"; method = "imex1"; time = { dt = 0.01; end = 5.0; }; stop = { steady = 1e-6; every = 1.0; };
END
expect 0 run steady.cfg -o steady.h5
"$sweep" show steady.h5 --csv | tail -n 1 | grep -q steady && fail 'a periodic run is steady'
# A slow unknown beside a large one: its own size counts. v' = 1e-4 of v, of size 1e-6 beside u = 1.
cat >slow.cfg <<'END'
problem = "equation"; unknowns = ["u", "v"]; rhs = { u = "1 - u"; v = "0.1*v*(1e-6 - v)*1e6"; };
grid = { n = 16; length = 1.0; }; initial = { u = "1"; v = "1e-9"; }; method = "imex2";
time = { dt = 0.05; end = 300.0; }; stop = { steady = 1e-4; every = 5.0; };
output = { scalars = { times = ["end"]; }; };
END
expect 0 run slow.cfg -o slow.h5
[ -z "$python" ] || last slow.h5 v_mean | awk '{ exit !($1 > 0.99e-6) }' || fail 'stopped while v still grows'

# some configs with random steps against the same with steps 64 times shorter; a night of it: --count 1000
[ -z "$python" ] || py "$top/tests/fuzz/long_steps.py" "$sweep" --count 8 --seed 21 >out 2>err ||
    fail 'long_steps.py'

summary
