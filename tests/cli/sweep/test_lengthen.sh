#!/bin/bash
# What a finished sweep takes over when its config changes: another title, a later end.
. tests/helpers/helpers.sh || exit 1
tiny=(run "$top/configs/tiny_nsweep.cfg" --device cpu)

# ---- a title decides no numbers
expect 0 "${tiny[@]}" -o title.h5
cp title.h5 before.h5
expect 0 "${tiny[@]}" -o title.h5 -s 'title="anew"'
says 'title    "tiny: several n" -> "anew" in title.h5'; says 'nothing to do: 6 done'
expect 0 show title.h5; prints 'anew · hyperdiffusion'
[ -z "$python" ] || py -c '
import h5py
a, b = (h5py.File(name, "r+") for name in ("title.h5", "before.h5"))
assert a.attrs["title"] == "anew" and a.attrs["history"].count("\n") == 1, a.attrs["history"]
assert a["provenance"].attrs["overrides"] == "title=\"anew\""
b.attrs.modify("title", "anew")
' 2>err || fail 'the title in the file'
same title.h5 before.h5
expect 0 "${tiny[@]}" -o title.h5 -s 'title="anew"'
if grep -q '^title' err; then fail 'a title that is there is set again'; fi
expect 0 resume title.h5; says 'nothing to do'
expect 0 show title.h5; prints 'anew · '
if [ -n "$python" ]; then
    cp title.h5 virtual.h5; as_virtual virtual.h5 title.h5
    expect 0 "${tiny[@]}" -o virtual.h5; says 'note     virtual.h5 keeps its title, "anew"'
fi

# ---- a later end: what is there is gone on with, to the bits of the sweep computed at once
longer() {  # longer NAME CODE SHORT-OPTIONS -- OPTIONS: the config $config, in one go and in two
    local name=$1 code=$2 short=()
    shift 2
    while [ "$1" != -- ]; do short+=("$1"); shift; done
    shift
    "$sweep" run "$config" --device cpu -q -s output.state=true -o $name.h5 "$@" "${short[@]}" >out 2>err
    cp $name.h5 $name.short.h5
    expect $code run "$config" --device cpu -s output.state=true -o $name.h5 "$@"
    says 'continue from where they ended'
    [ ! -e .sweep-$name.h5.longer ] && [ ! -e .sweep-$name.h5.longer.d ] || fail ".sweep-$name.h5.longer is left"
    expect $code run "$config" --device cpu -q -s output.state=true -o $name.whole.h5 "$@"
    same $name.h5 $name.whole.h5
    mkdir .sweep-$name.h5.longer.d && touch .sweep-$name.h5.longer.d/lock || fail mkdir  # it could not be removed
    expect $code run "$config" --device cpu -s output.state=true -o $name.h5 "$@"; says 'nothing to do'
    [ ! -e .sweep-$name.h5.longer.d ] || fail ".sweep-$name.h5.longer.d stays"
}
config=$top/configs/tiny_ch.cfg
longer ch 0 -s time.end=5.0 --
says 'nothing to do: 12 done'
longer noise 0 -s time.end=5.0 -- -s 'forcing="a*randn(seed)*sin(t + v)"' -s run.batch=5 -s run.precision=single
# the shorter one ends between entries of the longer one's series
longer between 0 -s time.end=4.5 -s 'output.fields.times=[0.0, 3.0]' -- -s output.fields.precision=double \
    -s 'output.fields.times=[0.0, 3.0, 9.0]'
# nothing but the run table
longer bare 0 -s time.end=4.0 -- -s 'exact="0"' -s 'output={ file="x.h5"; state=true; }'
# times that round to one step, before, at and behind the old end, in runs of different steps
longer rounded 0 -s time.end=5.0 -s 'output.fields.times=[0.0, 0.04, 5.0]' -- -s 'sweep.a=[0.0, 0.1]' \
    -s 'sweep.d=[0.05, 0.25]' -s time.dt=d -s output.scalars.every=0.125 \
    -s 'output.fields.times=[0.0, 0.04, 5.0, 5.05, 10.0]'
config=$top/configs/tiny_heat.cfg  # with error norms, which are of the last time
longer heat 0 -s time.end=0.2 -s 'output.fields.times=[0.0]' --
# a count of numbers that single precision does not hold goes on
longer huge 0 -s time.end=0.1 -s 'output.fields.times=[0.0, 0.1]' -- -s 'initial="1e39*cos(2*pi*x)"' \
    -s output.fields.precision=single -s 'output.fields.times=[0.0, 0.1, 0.15]'
"$sweep" show huge.short.h5 >short; "$sweep" show huge.h5 >out; matches ' numbers are beyond single precision'
cmp -s short out && fail 'the longer sweep has no more of them'
config=$top/configs/tiny_nsweep.cfg
longer nsweep 0 -s time.end=5.0e-6 -s 'output.fields.times=[0.0]' --
config=$top/configs/tiny_advection.cfg
longer advection 0 -s time.end=0.2 -s 'output.fields.times=[0.0, 0.2]' --
config=$top/configs/tiny_diverge.cfg  # runs that diverge before and behind the old end
longer early 1 -s time.end=0.4 --
longer late 1 -s time.end=0.1 --
config=$top/configs/tiny_ch.cfg  # ends that differ from run to run, one of which stays as it is
longer ends 0 -s 'time.end="5+5*v"' -- -s 'time.end="5+10*v"' -s 'output.fields.times=[0.0, 5.0]'

# ---- stopped half-way, killed, gone on with, and once more
ch=(run "$top/configs/tiny_ch.cfg" --device cpu -s output.state=true -s output.scalars.every=1000.0)
expect 0 "${ch[@]}" -o half.h5 -s time.end=1000.0
cp half.h5 half.before.h5
slowly 0.005 expect 75 "${ch[@]}" -o half.h5 -s time.end=20000.0 --max-time 0.2s
cmp -s half.h5 half.before.h5 || fail 'a file is touched before the longer one is complete'
ls .sweep-half.h5.longer.d/part-*.h5 >out || fail 'no parts'
"$sweep" "${ch[@]}" -q -o half.h5 -s time.end=20000.0 -s run.checkpoint=0.001 2>err & killed=$!
sleep 0.5; kill -9 $killed 2>/dev/null; wait $killed 2>/dev/null
expect 0 "${ch[@]}" -o half.h5 -s time.end=20000.0
expect 0 "${ch[@]}" -o whole.h5 -s time.end=20000.0; same half.h5 whole.h5
# parts that are not all there, or of another end, are made again
cp half.before.h5 cut.h5
slowly 0.02 expect 75 "${ch[@]}" -o cut.h5 -s time.end=30000.0 -s run.batch=5 --max-time 0.1s
rm .sweep-cut.h5.longer.d/part-000002.h5
expect 0 "${ch[@]}" -o cut.h5 -s time.end=20000.0 -s run.batch=5; same cut.h5 whole.h5

# ---- shards; `sweep resume` with another end; the same file as it is under another name
for k in 1 2; do
    expect 0 "${ch[@]}" -o s.h5 --shard $k/2 -s time.end=1000.0
    expect 0 "${ch[@]}" -o s.h5 --shard $k/2 -s time.end=2000.0; says '6 runs of s.shard-'
done
expect 0 merge s.shard-*.h5 -o s.h5
cp s.h5 v.h5; [ -z "$python" ] || as_virtual v.h5 s.shard-*.h5
cp half.before.h5 r.h5; expect 0 resume r.h5 --device cpu -s time.end=2000.0; says '12 runs of r.h5 continue'
expect 0 "${ch[@]}" -o one.h5 -s time.end=2000.0
expect 0 merge v.h5 -o v.h5
for file in s v r; do same $file.h5 one.h5; done
expect 0 "${ch[@]}" -o s.h5 -s time.end=4000.0; says '12 runs of s.h5 continue'
expect 0 "${ch[@]}" -o other.h5 -s time.end=4000.0; same s.h5 other.h5
if grep -qE 'continues? from' err; then fail 'a new file continues from nothing'; fi
expect 0 "${ch[@]}" -o r.h5 -s time.end=4000.0 --force; same r.h5 other.h5
if grep -qE 'continues? from' err; then fail '--force continues'; fi

# ---- what cannot be
refused() {  # refused TEXT OPTIONS: a file that ends at 1000 is not gone on with, and stays as it is
    local text=$1
    shift
    cp half.before.h5 n.h5
    expect 5 "${ch[@]}" -o n.h5 "$@"; says "$text"; says '--force'
    cmp -s n.h5 half.before.h5 || fail "n.h5 is touched: $*"
    [ ! -e .sweep-n.h5.longer.d ] || fail ".sweep-n.h5.longer.d is left: $*"
}
refused 'n.h5 is longer than the config: run 0 took 20000 steps' -s time.end=500.0
refused 'lacks an output at step 10000 that output.scalars asks for' -s time.end=2000.0 -s output.scalars.every=500.0
refused 'lacks an output at step 14000 that output.fields asks for' -s time.end=2000.0 -s 'output.fields.times=[700.0]'
refused "holds in another precision 'u'" -s time.end=2000.0 -s output.fields.precision=double \
    -s 'output.fields.times=[0.0]'
refused 'holds run 1, which --only or --shard leaves out' -s time.end=2000.0 --only 'seed == 1'
refused 'holds another sweep' -s time.end=2000.0 -s physics.gamma=2.0
refused 'holds another sweep' -s time.end=2000.0 -s 'forcing="a*cos(q*(x - v*t))*(t < end/2)"'
refused 'holds another sweep' -s 'sweep.late=[1500.0, 2000.0]' -s time.end=late -s output.fields.times=[0.0]
expect 0 "${ch[@]}" -s output.state=false -o stateless.h5 -s time.end=1000.0
expect 5 "${ch[@]}" -o stateless.h5 -s time.end=2000.0; says 'holds no states to continue from'
expect 0 "${ch[@]}" -o stateless.h5 -s time.end=1000.0; says 'note     stateless.h5 was computed without output.state'
expect 0 check "$top/configs/tiny_ch.cfg" --device cpu -s output.state=true -s output.scalars.every=1000.0 -o r.h5 \
    -s time.end=5000.0
prints 'r.h5 is a shorter sweep of the same runs'
expect 3 run "$top/configs/tiny_compact.cfg" -s output.state=true; says 'output.state'
summary
