#!/bin/bash
# FILE.xdmf beside FILE.h5: that it says where the fields are, and when it is written. SWEEP is the program. With VTK in
# $SWEEP_PYTHON (pip install vtk h5py) it is read as ParaView does.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
configs=$top/configs
# right FILE.xdmf [RUNS]
right() {
    [ -e "$1" ] || { fail "there is no $1"; return; }
    [ -z "$python" ] || py "$top/tests/helpers/check_xdmf.py" "$@" >notes 2>out || fail "$*"
    [ ! -s notes ] || sort -u notes -o notes
}
# look CONFIG EXIT-CODE RUNS OPTION...: run it, and look at what the key and the command make of it
look() {
    local config=$configs/$1.cfg code=$2 runs=$3
    shift 3
    rm -f a.h5 a.xdmf
    expect "$code" run "$config" --device cpu -o a.h5 -s output.xdmf=true "$@"
    says 'xdmf     a.xdmf: '
    right a.xdmf "$runs"
    mv a.xdmf of_the_key
    expect 0 xdmf a.h5
    cmp -s a.xdmf of_the_key || fail "$config: the command and the key differ"
}
look tiny_ch 0 12
look tiny_diverge 1 4    # what is behind a blow-up is left out
look tiny_nsweep 0 6
look tiny_compact 0 16   # planes and boxes, in groups of their own
box=(-s grid.dim=3 -s 'grid.n=[8, 10, 12]')
# a box whose sides differ: points, steps and the order of the axes; walls; single precision
look tiny_compact 0 6 "${box[@]}" -s 'grid.length=(1.0, "a", "2*a")' -s 'grid.x0=("a", 0.0, -1.0)' \
    -s 'boundary="3-4-6"' -s 'sweep={ a=[0.5, 1.0, 2.0]; axis=["x", "z"]; }' -s output.fields.precision=single
look tiny_compact 0 1 "${box[@]}" -s 'sweep={}' -s grid.length=1.0 -s axis=x -s 'field=sin(2*pi*x)'    # one run
look tiny_compact 0 1 -s 'sweep={}' -s grid.dim=1 -s grid.n=8 -s grid.length=1.0 -s axis=x -s 'field=sin(2*pi*x)'
# times, points and words that differ from run to run
look tiny_ch 0 16 -s grid.length=length -s time.end=end -s time.dt=d -s 'stepper=$row' -s 'initial="0.05*cos(x)"' \
    -s forcing=0 -s run.batch=3 \
    -s 'sweep={ length=["2*pi*2","2*pi*3"]; end=[1.0,2.0]; d=[0.05,0.1]; row=["cpu.plain","cpu.plain+cpu.lapack"]; }'

# ---- where it lies: beside the file, whatever that is called
mkdir 'a & b'
expect 0 run "$configs/tiny_ch.cfg" --device cpu -q -o 'a & b/<1> "x".h5' -s output.xdmf=true
silent err
right 'a & b/<1> "x".xdmf' 12
expect 0 run "$configs/tiny_ch.cfg" --device cpu -q -o noname; expect 0 xdmf noname; says 'noname.xdmf'
[ -e noname.xdmf ] && [ -z "$(find . -name '.sweep-*')" ] || fail 'a file without .h5'

# ---- when it is written: at the end, again when the file changes, by merge as the config says
expect 0 run "$configs/tiny_ch.cfg" --device cpu -o grow.h5 --only 'a == 0'
[ ! -e grow.xdmf ] || fail 'written unasked'
expect 0 xdmf grow.h5; says 'xdmf     grow.xdmf: 24 outputs of 4 runs'; right grow.xdmf 4
expect 0 run "$configs/tiny_ch.cfg" --device cpu -o grow.h5; says '72 outputs of 12 runs'; right grow.xdmf 12
expect 0 run "$configs/tiny_ch.cfg" --device cpu -o grow.h5 -s output.xdmf=true; says 'nothing to do'; says '72 outputs'
for k in 1 2; do
    expect 0 run "$configs/tiny_nsweep.cfg" --device cpu -o s.h5 --shard $k/2 -s output.xdmf=true
    right s.shard-$k-of-2.xdmf 3
done
expect 0 merge s.shard-1-of-2.h5 s.shard-2-of-2.h5 -o merged.h5; says 'merged   2 files'; says 'xdmf     merged.xdmf'
right merged.xdmf 6
# a file whose fields have gone takes it along
plain=(-s 'output={ file="no.h5"; scalars={ every=1.0; }; }')
cp grow.h5 gone.h5; cp grow.xdmf gone.xdmf
expect 0 run "$configs/tiny_ch.cfg" --device cpu -o gone.h5 --force "${plain[@]}"
[ ! -e gone.xdmf ] || fail 'an .xdmf of fields that are gone'

# ---- what is refused
expect 5 xdmf gone.h5; says 'gone.h5 holds no fields: set output.fields in its config'
[ ! -e gone.xdmf ] && [ -z "$(find . -name '.sweep-*')" ] || fail 'something is left of a refusal'
echo mine >gone.xdmf
cp grow.h5 gone.h5
expect 5 xdmf gone.h5; says 'gone.xdmf is there and was not written by sweep; move it away'
grep -q mine gone.xdmf || fail 'a file of the user is overwritten'
expect 0 run "$configs/tiny_ch.cfg" --device cpu -o gone.h5
grep -q mine gone.xdmf || fail 'a file of the user is overwritten'
cp grow.h5 12:00.h5
expect 5 xdmf 12:00.h5; says 'an .xdmf cannot name a file with a colon'
latin=$(printf 'gr\xf6n.h5'); cp grow.h5 "$latin"
expect 5 xdmf "$latin"; says 'an .xdmf, which is XML, cannot name a file whose name is not UTF-8'
expect 5 xdmf nothing.h5; says 'there is no file nothing.h5'
echo text >text.h5
expect 5 xdmf text.h5; says 'text.h5 is not an HDF5 file'
expect 2 xdmf; expect 2 xdmf grow.h5 merged.h5
cp grow.xdmf before
(ulimit -f 8; trap '' XFSZ; "$sweep" xdmf grow.h5 >out 2>err) && fail 'a disk that is full'
says 'grow.xdmf: File too large'
cmp -s grow.xdmf before && [ -z "$(find . -name '.sweep-*')" ] || fail 'a disk that is full: what was there'
slowly 0.02 expect 75 run "$configs/tiny_ch.cfg" --device cpu -o parts.h5 -s time.end=1000.0 --max-time 0.1s
expect 5 xdmf parts.h5; says 'there is no file parts.h5 yet, only parts of it; sweep resume finishes it'
expect 3 check "$configs/tiny_ch.cfg" "${plain[@]}" -s output.xdmf=true
says "'output.xdmf' says where fields are: add output.fields"
expect 3 check "$configs/tiny_ch.cfg" -s 'output.xdmf="yes"'
says "'output.xdmf' must be true or false, without quotes"
expect 0 check "$configs/tiny_ch.cfg" -s output.xdmf=false
expect 0 explain output.xdmf; prints 'true or false'
chmod a-w . 2>/dev/null
[ -w . ] || { expect 5 xdmf merged.h5; right merged.xdmf 6; }
chmod u+w .
[ ! -s notes ] || cat notes
summary
