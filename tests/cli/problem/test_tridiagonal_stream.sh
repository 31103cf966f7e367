#!/bin/bash
# Runs of `tridiagonal` that do not fit the memory (run.memory makes it small): slice by slice, the file has the bits of
# the same run in one piece, also where it was killed or stopped on its way and went on.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

. "$top/tests/helpers/tridiagonal_config.sh"
config() { tridiagonal_config 'checkpoint = 1e-6;' "$@"; }

# ---- the same bits, whatever the slices
pair() {  # pair NAME MEMORY OPTION...: in one piece and in slices
    local name=$1 memory=$2
    shift 2
    expect 0 -q run "$name.cfg" -j 2 -o whole.h5 "$@"
    expect 0 check "$name.cfg" -j 2 --set run.memory="$memory" "$@"; matches ' [0-9]+ slices a run'
    expect 0 -q run "$name.cfg" -j 2 -o slices.h5 --set run.memory="$memory" "$@"
    same whole.h5 slices.h5
    [ -e slices.h5.d ] && fail 'slices.h5.d was left'
    rm -f whole.h5 slices.h5
}
config 300000 'matrix = "uniform"; exact = "3 + randn(1)";' >uniform.cfg
config 300000 'sweep = { at = [0, 250000]; };' \
    'lower = "1"; main = "(i == at ? 1/0 : 4)"; upper = "1"; rhs = "1";' >bad.cfg
pair uniform 0.006
pair uniform 0.003 --set cyclic=true
# several devices take slices of one run side by side
pair uniform 0.006 --device cpu:0,1
expect 0 check uniform.cfg -j 3 --set run.memory=0.003 --device cpu:0,1,2; prints ' slices a run, 3 at once'
pair uniform 0.003 --device cpu:0,1,2 --set cyclic=true
pair bad 0.003 --device cpu:0,1,2 --set run.checkpoint=0 --only 'at == 0'
pair uniform 0.006 --set run.checkpoint=0
pair uniform 0.006 --set output.fields.precision=single
config 300000 "$given" 'rhs = "sin(i/1000)";' >given.cfg
pair given 0.003
# SPIKE: x has the same bits. The residual of a row beside a cut is measured with an unknown of the reduced system,
# which differs from x by rounding.
# same_x WHOLE SLICES [OFF]: off by OFF of a condition of 3 where a slice begins partitions of its own
same_x() {
    [ -z "$python" ] || py - "$@" 2>err <<'PY' || fail "$2 differs from $1: $(cat err)"
import h5py, numpy, sys
whole, slices = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])
off = float(sys.argv[3]) if sys.argv[3:] else 0
for name in "x", "err_max", "err_l2":
    assert numpy.abs(slices[name][...] - whole[name][...]).max() <= off, name
for name in "residual", "backward_error":
    assert numpy.allclose(slices[name][...], whole[name][...], rtol=0.5 if off else 1e-3, atol=0), \
        (name, slices[name][0], whole[name][0])
PY
}
spike() {  # spike SOLVER OPTION...
    local solver=$1
    shift
    expect 0 -q run spike.cfg -j 2 -o whole.h5 --set solver="$solver"
    expect 0 check spike.cfg -j 2 --set solver="$solver" "$@"; matches ' [0-9]+ slices a run'
    expect 0 -q run spike.cfg -j 2 -o slices.h5 --set solver="$solver" "$@"
    same_x whole.h5 slices.h5
    rm -f whole.h5 slices.h5
}
config 300000 'lower = "-1 + rand(1)/4"; main = "4"; upper = "1 - rand(2)/4"; exact = "cos(i)";' >spike.cfg
for solver in cpu.spike cpu.spike_thomas; do
    spike $solver --set run.memory=0.006
    spike $solver --set run.memory=0.003 --device cpu:0,1,2
done
config 300000 'matrix = "svd_geometric"; exact = "cos(i)";' >svd.cfg
# its smallest rows are not held by their own size: in one piece x is refined, in slices it is as it comes, and both are
# as near as elimination with pivoting in double precision gets (condition 1e13)
expect 0 -q run svd.cfg -j 2 -o whole.h5
expect 0 -q run svd.cfg -j 2 -o slices.h5 --set run.memory=0.004
[ -z "$python" ] || py - 2>err <<'PY' || fail 'svd: in one piece and in slices'
import h5py
for name in "whole", "slices":
    f = h5py.File(name + ".h5")
    assert f["backward_error"][0] < 1e-15 and f["forward_error"][0] < 1e-2, (name, f["forward_error"][0])
PY
rm -f whole.h5 slices.h5
config 300000 'sweep = { s = [1, 2, 3]; };' 'matrix = "uniform"; seed = "s"; exact = "cos(i)";' >three.cfg
pair three 0.004
if [ -n "$python" ]; then  # arrays from a file, one of two systems
    py - <<'PY' || fail 'system.h5'
import h5py, numpy
random = numpy.random.default_rng(1)
with h5py.File("system.h5", "w") as f:
    for name in "dl", "d", "du", "f": f[name] = random.uniform(-1, 1, (2, 300000))
    f["dl"][:, 0] = f["du"][:, -1] = numpy.nan  # do not count
    f["bad"] = f["d"][...]; f["bad"][1, 222221] = numpy.inf
PY
    config 300000 \
        'source = { file = "system.h5"; lower = "/dl"; main = "/d"; upper = "/du"; rhs = "/f"; system = 2; };' >file.cfg
    pair file 0.004
    expect 1 -q run file.cfg -j 2 -o bad-file.h5 --set run.memory=0.004 --set source.main=/bad
    expect 0 show bad-file.h5 --run 0; prints 'main of row 222222 is infinite'
else
    skipped 'arrays in an HDF5 file, which h5py writes'
fi
sed '/^output/d' uniform.cfg >bare.cfg  # no field is saved: nothing but sums
pair bare 0.003
# more points than are joined at once, and slices of several pieces
config 5000000 "$given" 'exact = "1";' >large.cfg
pair large 0.12
pair large 0.2 --device cpu:0,1 --set output.fields.precision=single

# ---- what fails names its row, and harms no other run
expect 1 -q run bad.cfg -j 2 -o bad.h5 --set run.memory=0.003
expect 1 -q run bad.cfg -j 2 -o team.h5 --set run.memory=0.003 --device cpu:0,1,2,3,4; same bad.h5 team.h5
expect 0 show bad.h5 --run 1; prints 'main of row 250000 is infinite'
expect 0 show bad.h5; matches '^ +0       0  done'; matches '^ +1  250000  error'
sed 's/main = .*/main = "4"; upper = "1"; exact = "i == at ? 0\/0 : 1";/' bad.cfg >exact.cfg
expect 1 -q run exact.cfg -j 2 -o exact.h5 --set run.memory=0.003
expect 0 show exact.h5 --run 1; prints 'exact of row 250000 is not a number'
expect 0 -q run exact.cfg -j 2 -o exact.h5 --force --set run.memory=0.003 --set 'rhs="1"'
expect 0 show exact.h5 --run 1; prints 'no error norms: exact is nan at i = 250000'
config 300000 'lower = "(i == 1001 ? 0 : 1)"; main = "(i == 1000 ? 0 : 4)"; upper = "(i == 999 ? 0 : 1)"; rhs = "1";' \
    >singular.cfg
expect 1 -q run singular.cfg -j 2 -o singular.h5 --set run.memory=0.003
expect 0 show singular.h5 --run 0; prints 'the matrix is singular to working precision'
expect 1 -q run singular.cfg -j 2 -o spike.h5 --set run.memory=0.003 --set solver=cpu.spike
expect 0 show spike.h5 --run 0; prints 'the matrix is singular to working precision'

# no judge looks at slices: rows from 1e-300 to 1e300 are solved in one piece only
wild='10^(600*rand(9) - 300)'
config 300000 "lower = \"$wild\"; main = \"4*$wild\"; upper = \"$wild\"; rhs = \"$wild\";" >wild.cfg
expect 0 -q run wild.cfg -j 2 -o wild.h5
expect 1 -q run wild.cfg -j 2 -o wild-slices.h5 --set run.memory=0.003
expect 0 show wild-slices.h5 --run 0; prints 'whole, with more run.memory, it may be solved'

# ---- what has failed is stored with its cause, whatever stops the sweep
expect 1 -q run bad.cfg -j 2 -o fast.h5 --set run.memory=0.003 --fail-fast --only 'at > 0'
expect 0 show fast.h5 --run 1; prints 'main of row 250000 is infinite'
expect 1 -q run bad.cfg -j 2 -o fast.h5 --set run.memory=0.003; same bad.h5 fast.h5
expect 1 run bad.cfg -j 2 -o fast.h5 --set run.memory=0.003 --retry-failed; says 'main of row 250000 is infinite'
same bad.h5 fast.h5

# ---- too little memory for a slice; a solver of whole systems only
expect 4 -q run uniform.cfg -j 2 -o no.h5 --set run.memory=0.0001
says ' slices, and run.memory allows 0.00010 GiB; raise it'
grep -q 'grid.n' err && fail 'a smaller n may need more: slices are not smaller'
need=$(sed -n 's/.*needs \([0-9.]*\) GiB even in.*/\1/p' err)
expect 0 check uniform.cfg -j 2 --set run.memory="$need"; matches ' [0-9]+ slices a run'
expect 4 -q run uniform.cfg -j 2 -o no.h5 --set run.memory=0.003 --set solver=cpu.lapack; says 'run.memory'
most=$(sed -n 's/.*lower grid.n to at most \([0-9]*\)$/\1/p' err)
expect 0 check uniform.cfg -j 2 --set run.memory=0.003 --set solver=cpu.lapack --set grid.n="$most"
if [ -n "$python" ]; then  # n is what the file has
    expect 4 check file.cfg -j 2 --set run.memory=0.003 --set solver=cpu.lapack; says 'raise it'
    grep -q 'grid.n' err && fail 'n of a file cannot be lowered'
fi

# ---- killed or stopped at any slice, it goes on
config 1000000 "$given" 'exact = "sin(i)*cos(i/3)*exp(-i*1e-7) + tanh(i/1e6)";' >slow.cfg
expect 0 -q run slow.cfg -j 1 -o whole.h5
parts() { local p=0 f; for f in "$1".d/part-*.h5; do [ -e "$f" ] && p=$((p + 1)); done; echo $p; }
interrupted() {  # interrupted SIGNAL CODE PARTS OPTION...: when there are so many parts
    local signal=$1 code=$2 wanted=$3
    shift 3
    "$sweep" -q run slow.cfg -j 1 -o slow.h5 --set run.memory=0.004 "$@" >out 2>err </dev/null &
    local pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(parts slow.h5)" -lt "$wanted" ]; do sleep 0.005; done
    kill -"$signal" $pid 2>/dev/null || fail "it had ended before $wanted parts were there"
    wait $pid 2>/dev/null
    local got=$?
    [ $got = "$code" ] || fail "SIG$signal: exit code $got, expected $code"
}
expect 0 check slow.cfg -j 1 --set run.memory=0.004
slices=$(sed -n 's/.* \([0-9]*\) slices a run.*/\1/p' out)
[ "$slices" -ge 16 ] || fail "only $slices slices"
for signal in 'KILL 137' 'INT 130'; do
    set -- $signal
    rm -rf slow.h5 slow.h5.d
    interrupted "$1" "$2" 2             # in the first pass
    interrupted "$1" "$2" $((slices / 2))
    interrupted "$1" "$2" $((slices + 3))   # in the second pass, twice
    interrupted "$1" "$2" $((slices + slices / 2))
    expect 0 run slow.cfg -j 1 -o slow.h5 --set run.memory=0.004
    step=$(sed -n 's/.*from step \([0-9]*\) of.*/\1/p' err)
    [ "${step:-0}" -ge $((slices + slices / 2 - 2)) ] || fail "it goes on from step $step"
    same whole.h5 slow.h5
    [ -e slow.h5.d ] && fail 'slow.h5.d was left'
done
# with a part of the chain gone the field is written again
rm -rf slow.h5 slow.h5.d
interrupted KILL 137 $((slices + 6))
rm slow.h5.d/part-*"$((slices + 3))".h5
expect 0 run slow.cfg -j 1 -o slow.h5 --set run.memory=0.004
same whole.h5 slow.h5
# so does the count of numbers that single precision does not hold
large=(--set run.memory=0.005 --set output.fields.precision=single
       --set 'exact="mod(i, 1000) == 0 ? 1e39 : 1 + sin(i)*cos(i/3)*exp(-i*1e-7)"')
rm -rf slow.h5 slow.h5.d
expect 0 -q run slow.cfg -j 1 -o large.h5 "${large[@]}" --set run.memory=0
interrupted INT 130 $((slices + slices / 2)) "${large[@]}"
expect 0 run slow.cfg -j 1 -o slow.h5 "${large[@]}"; says 'from step'
says '1000 numbers are beyond single precision'
same large.h5 slow.h5
# by one device, by three, by two
rm -rf slow.h5 slow.h5.d
interrupted KILL 137 3
interrupted KILL 137 6 --device cpu:0,1,2
expect 0 run slow.cfg -j 2 -o slow.h5 --set run.memory=0.004 --device cpu:0,1; says 'from step'
same whole.h5 slow.h5
# without a field the second pass has checkpoints, too
sed '/^output/d' slow.cfg >slow-bare.cfg; mv slow-bare.cfg slow.cfg
expect 0 -q run slow.cfg -j 1 -o whole.h5 --force
rm -rf slow.h5 slow.h5.d
interrupted KILL 137 $((slices + 3))
interrupted INT 130 $((slices + 6))
expect 0 run slow.cfg -j 1 -o slow.h5 --set run.memory=0.004; says 'from step'
same whole.h5 slow.h5

# ---- with more memory at the next start it still goes on with the slices it has
rm -rf slow.h5 slow.h5.d
interrupted INT 130 3
expect 0 run slow.cfg -j 1 -o slow.h5; says 'from step'
same whole.h5 slow.h5

# ---- with less it begins again, in more slices
expect 0 check slow.cfg -j 1 --set run.memory=0.008
few=$(sed -n 's/.* \([0-9]*\) slices a run.*/\1/p' out)
[ "$few" -lt "$slices" ] || fail 'more memory, as many slices'
config 1000000 "$given" 'exact = "sin(i)*cos(i/3)*exp(-i*1e-7) + tanh(i/1e6)";' >slow.cfg
expect 0 -q run slow.cfg -j 1 -o whole.h5 --force
for wanted in 3 $((few + 2)); do  # in either pass; then it is interrupted, and goes on
    rm -rf slow.h5 slow.h5.d
    interrupted KILL 137 "$wanted" --set run.memory=0.008
    expect 0 check slow.cfg -j 1 -o slow.h5 --set run.memory=0.004; prints "run 0 begins again, in $slices slices"
    interrupted INT 130 $((wanted + 4))
    expect 0 run slow.cfg -j 1 -o slow.h5 --set run.memory=0.004; says 'from step'
    grep -q 'begins again' err && fail 'it has begun again already'
    same whole.h5 slow.h5
    [ -e slow.h5.d ] && fail 'slow.h5.d was left'
done

# ---- what slices of another row have begun is not gone on with
if [ -n "$python" ]; then
    rm -rf slow.h5 slow.h5.d
    interrupted KILL 137 $((slices + 3))
    py - slow.h5.d/*.h5 <<'PY' || fail 'the row of a part'
import h5py, sys
for part in sys.argv[1:]:
    with h5py.File(part, "a") as f:
        f["provenance"].attrs["solver"] = "cuda.relations"
        del f.attrs["sweep_checksum"]  # as parts of earlier builds are
PY
    expect 0 run slow.cfg -j 1 -o slow.h5 --set run.memory=0.004
    says 'run 0 begins again: its checkpoint has slices of cuda.relations, and those of cpu.relations are others'
    same whole.h5 slow.h5
fi

# ---- on GPUs: slices, in pieces, by one and by all of them
config 20000000 "$given" 'exact = "sin(i/100)";' >gpu.cfg
if "$sweep" -q run gpu.cfg --device cuda:0 -o whole.h5 --force >out 2>err; then
    for device in cuda:0 cuda; do
        expect 0 -q run gpu.cfg --device $device -o slices.h5 --set run.memory=0.2 --force
        same whole.h5 slices.h5
    done
    rm -rf slices.h5 slices.h5.d
    "$sweep" -q run gpu.cfg --device cuda:0 -o slices.h5 --set run.memory=0.05 >out 2>err </dev/null &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(parts slices.h5)" -lt 5 ]; do sleep 0.005; done
    kill -KILL $pid 2>/dev/null; wait $pid 2>/dev/null
    expect 0 -q run gpu.cfg --device cuda:0 -o slices.h5 --set run.memory=0.05
    same whole.h5 slices.h5
    # 4883 leaves: slices differ by one, and the last one ends within a leaf
    sed 's/300000/20000000/' spike.cfg >gpu-spike.cfg
    for solver in cuda.spike cuda.spike_thomas; do
        expect 0 -q run gpu-spike.cfg --device cuda:0 -o whole.h5 --force --set solver=$solver
        for device in cuda:0 cuda; do
            expect 0 -q run gpu-spike.cfg --device $device -o slices.h5 --force --set run.memory=0.2 \
                --set solver=$solver
            same_x whole.h5 slices.h5 4e-15
        done
    done
else
    skip_gpu gpu.cfg
fi

summary
