#!/bin/bash
# Output times that round to one step: the k-th entry is of the same time in every run, NaN where a run has none.
. tests/helpers/helpers.sh || exit 1
cat >times.cfg <<'END'
problem = "hyperdiffusion";
grid = { n = 16; length = 1.0; };
physics = { gamma = 1.0; D = 1.0; };
time = { dt = "d"; end = 1.0; };
sweep = { d = [0.05, 0.25]; };
initial = "2 + cos(2*pi*x)";
output = { fields = { times = "linspace(0, end, 6)"; }; scalars = { every = 0.1; }; };
END
said='times fall on a step that a nearer or the same one has, being given twice or closer than time.dt: '
said+='NaN there, so that the k-th entry is of the same time in every run'
expect 0 check times.cfg --device cpu
prints "note     output.fields: 1 of 6 $said"
prints "note     output.scalars: 6 of 11 $said"
expect 0 run times.cfg --device cpu -o times.h5
says "note     output.scalars: 6 of 11 $said"
[ -z "$python" ] || py - <<'END' 2>err || fail 'entries are not where their times are'
import h5py, numpy as np
with h5py.File("times.h5") as f:
    t_s, mass, t, u = (f[name][()] for name in ("t_s", "mass", "t", "u"))
tenths = np.arange(11) / 10
assert np.allclose(t_s[0], tenths, atol=1e-12) and np.isfinite(mass[0]).all() and np.isfinite(u[0]).all()
assert np.allclose(t_s[1], [0, .1, .25, .3, .4, .5, .6, .75, .8, .9, 1], atol=1e-12)
assert np.array_equal(np.isfinite(mass[1]), [1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1])
assert np.allclose(t[1], [0, .25, .5, .6, .75, 1], atol=1e-12)
assert np.array_equal(np.isfinite(u[1]).all(axis=-1), [1, 1, 1, 0, 1, 1])
assert np.all(np.diff(t_s, axis=1) > 0) and np.all(np.diff(t, axis=1) > 0)
END
# a shard, whose runs are alike, keeps the places of the sweep
expect 0 run times.cfg --device cpu --only 'd > 0.2' -o one.h5
says "note     output.scalars: 6 of 11 $said"
# where all runs of the sweep have the same steps, no run has an entry of what is left out
expect 0 check times.cfg --device cpu -s 'sweep.d=[0.25]'
prints 'note     output.fields: 1 of 6 times fall on a step that a nearer or the same one has, being given twice or closer than time.dt: left out, in all runs'
prints 'note     output.scalars: 6 of 11 times'
expect 0 check times.cfg --device cpu -s 'sweep.d=[0.25]' -s 'output.fields.times=[1.0, 1.0]'
prints 'note     output.fields: 1 of 2 times fall on a step that a nearer or the same one has, being given twice'
# ends that differ: the end has no entry unless its time is one
expect 0 run times.cfg --device cpu -s 'sweep.d=[1.05, 2.0]' -s time.dt=0.05 -s time.end=d -o ends.h5
[ -z "$python" ] || py - <<'END' 2>err || fail 'the end of a shorter run takes the place of another time'
import h5py, numpy as np
with h5py.File("ends.h5") as f:
    time, mass = f["time_s"][()], f["mass"][()]
assert np.allclose(time, np.arange(21) / 10, atol=1e-12) and np.isfinite(mass[0]).sum() == 11
END
expect 3 check times.cfg --device cpu -s output.scalars.every=1e-8; says 'more than 10 million times in a run'
summary
