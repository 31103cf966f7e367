#!/bin/bash
# `reuse`: runs of other results in which all that decides numbers is the same are copied, to the same bits as those
# that are computed.
. tests/helpers/helpers.sh || exit 1
cat >coarse.cfg <<'C'
problem = "hyperdiffusion";
grid    = { n = 16; length = 1.0; };
physics = { gamma = "a"; D = "b"; };
time    = { dt = 0.001; end = 0.01; };
sweep   = { a = "linspace(1, 2, 3)"; b = [1, 2]; };
initial = "2 + cos(2*pi*x)";
output  = { scalars = { every = 0.01; }; fields = { times = [0.01]; }; };
C
sed 's/a = .*; b = .*; }/a = "linspace(1, 2, 5)"; b = [1, 3]; }/; $a reuse = "coarse.h5";' coarse.cfg >fine.cfg
expect 0 run coarse.cfg --device cpu -o coarse.h5
# three of ten runs, which are not the first ones there; the others of coarse.h5 are not of this sweep
expect 0 check fine.cfg --device cpu -s output.file=fine.h5
prints 'reuse    3 of 10 runs from coarse.h5, which are counted below as others are'
expect 0 run fine.cfg --device cpu -o fine.h5
says 'reuse    3 of 10 runs from coarse.h5'; says '7 of 10 runs left'
expect 0 run fine.cfg --device cpu -o computed.h5 -s reuse=; grep -q reuse err && fail 'reuse, which is taken out'
expect 0 verify fine.h5
[ -z "$python" ] || py - <<'P' 2>err || fail 'runs that are taken over are not those that are computed'
import h5py, numpy as np
with h5py.File("fine.h5") as f, h5py.File("computed.h5") as c:
    for name in "run", "run_id", "a", "b", "status", "u", "mass", "time", "steps_done":
        if name in c: assert np.array_equal(f[name][()], c[name][()]), name
    assert len(f["run"]) == 10 and "coarse.cfg" in f.attrs["history"] and "fine.cfg" in f.attrs["history"]
P
# an output that is there is continued, without the other file
mv coarse.h5 away.h5
expect 0 run fine.cfg --device cpu -o fine.h5; says 'nothing to do: 10 done'
expect 0 resume fine.h5 --device cpu; says 'nothing to do: 10 done'
expect 5 run fine.cfg --device cpu -o new.h5; says "fine.cfg:8: 'reuse': there is no file coarse.h5"
mv away.h5 coarse.h5
# all of it; a part of it by --only, by shards
sed 's/\[1, 2\]/[1]/; $a reuse = "coarse.h5";' coarse.cfg >part.cfg
expect 0 run part.cfg --device cpu -o part.h5; says 'reuse    3 of 3 runs'; says 'nothing to do: 3 done'
expect 0 run fine.cfg --device cpu -o only.h5 --only 'a < 1.3'; says 'reuse    1 of 4 runs'; says '3 of 4 runs left'
for k in 1 2 3; do expect 0 run fine.cfg --device cpu -o s.h5 --shard $k/3; says 'reuse    '; done
expect 0 merge s.shard-?-of-3.h5 -o s.h5; same s.h5 fine.h5
# by a table, and where a run failed
expect 0 run fine.cfg --device cpu -o table.h5 -s sweep='{ mode = "table"; }' -s 'table.rows="b,a\n2,2\n7,1\n1,1.5\n"'
says 'reuse    2 of 3 runs'
# what is another run, and what is refused
expect 0 run fine.cfg --device cpu -o other.h5 -s time.dt=0.002
says 'note     no run of coarse.h5 is one of this sweep: all that decides numbers has to be the same'
expect 5 run fine.cfg --device cpu -o no.h5 -s 'output.fields.times=[0.005]'
says "fine.cfg:8: 'reuse': coarse.h5 holds other outputs of its runs (output.fields.times [0.01] -> [0.005])"
expect 5 check fine.cfg --device cpu -s output.file=no.h5 -s 'output.fields.precision=single'
says 'output.fields.precision not set -> "single"'
expect 5 run fine.cfg --device cpu -o no.h5 -s output.state=true
says "coarse.h5 does not hold the states in which its runs end (output.state)"
expect 3 check fine.cfg -s reuse=1; says "'reuse' must be a text in quotes"
echo text >text.h5; expect 5 run fine.cfg --device cpu -o no.h5 -s reuse=text.h5; says 'text.h5 is not an HDF5 file'
head -c 5000 coarse.h5 >cut.h5; expect 5 run fine.cfg --device cpu -o no.h5 -s reuse=cut.h5; says cut.h5
[ ! -e no.h5 ] || fail 'a refusal leaves a file'
# a call that was killed before its first part leaves a folder: it has not begun
mkdir empty.h5.d
expect 0 run fine.cfg --device cpu -o empty.h5; says 'reuse    3 of 10 runs'; same empty.h5 fine.h5
# runs of a ladder need the end of the one below, which a finished file keeps where that was asked for
sed 's/"linspace(1, 2, 3)"/{ values = [1, 2]; ladder = "up"; }/' coarse.cfg >ladder.cfg
expect 0 run ladder.cfg --device cpu -o ladder.h5
longer=(-s 'sweep.a.values=[1, 2, 3]' -s 'reuse="ladder.h5"')
expect 5 run ladder.cfg --device cpu -o longer.h5 "${longer[@]}"
says 'run 4 starts from the end of run 2, and ladder.h5 does not keep it: leave `reuse` out, or compute that file with'
expect 5 check ladder.cfg --device cpu -s output.file=longer.h5 "${longer[@]}"; says 'does not keep it'
[ ! -e longer.h5 ] || fail 'a refusal leaves a file'
expect 0 run ladder.cfg --device cpu -o ladder.h5 --force -s output.state=true
expect 0 run ladder.cfg --device cpu -o longer.h5 -s output.state=true "${longer[@]}"; says 'reuse    4 of 6 runs'
# with --force all is computed
expect 0 run fine.cfg --device cpu -o fine.h5 --force; says 'plan     1 batch'
grep -q '^plan .* fine.h5$' err || fail 'the plan does not name fine.h5'
says "note     --force computes all runs: 'reuse' takes none"
summary
