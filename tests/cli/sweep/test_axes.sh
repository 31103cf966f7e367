#!/bin/bash
# Lists of an axis that have lists as elements; points of the axes that are no runs (sweep.where).
. tests/helpers/helpers.sh || exit 1
cat >a.cfg <<'C'
problem = "hyperdiffusion";
grid    = { n = 16; length = 1.0; };
physics = { gamma = "a"; D = "b"; };
time    = { dt = 0.001; end = 0.01; };
sweep   = { a = ["linspace(1, 3, 3)", 2, 4]; b = [1.0]; };
initial = "2 + cos(2*pi*x)";
output  = { scalars = { every = 0.01; }; };
C
list() { "$sweep" check --list --device cpu "$@" 2>err | cut -d, -f3- | tail -n +2 | tr '\n' ' '; }
runs() {  # runs VALUES COMMAND...: the axes of all runs
    local wanted=$1
    shift
    [ "$("$@")" = "$wanted" ] || { "$@" >out; fail "not the runs that are wanted: $wanted"; }
}
# in the order in which they are written; what comes again is computed once
runs '1,1 2,1 3,1 4,1 ' list a.cfg
says "a.cfg:5: warning: 'sweep.a' has 2 again: it is computed once"
runs '1,1 2,1 3,1 10,1 100,1 ' list a.cfg -s 'sweep.a=["range(1, 3)", "logspace(10, 100, 2)"]'; silent err
runs '1,1 5,1 2,1 3,1 ' list a.cfg -s 'sweep.a=[1, 5, "range(1, 3)", 5]'
says "-s: warning: 'sweep.a' has 1 and other values again: each is computed once"
runs '0.1,1 0.2,1 0.3,1 3.5,1 ' list a.cfg -s 'sweep.a=("range(0.1, 0.3, 0.1)", 0.3, "7/2")'
# a zip goes value by value, and may have one twice
runs '1,1 2,2 1,3 ' list a.cfg -s sweep.mode=zip -s 'sweep.a=["range(1, 2)", 1]' -s 'sweep.b=["range(1, 2)", 3]'
# beside axes that are drawn
runs '1,1 2,1 3,1 4,1 ' list a.cfg -s sweep.mode=random -s sample.count=1 -s 'sweep.b=uniform(1, 1.0000000000000002)'
while IFS='|' read -r value message; do
    expect 3 check a.cfg --device cpu -s "sweep.a=$value"
    says "$message"
done <<'R'
["linspace(0, 1, 3)", "x"]|'sweep.a': an element of such a list is a number, or linspace(a, b, k) and the like
("linspace(1, 2, 3)", [1])|'sweep.a': an element of such a list is a number, or linspace(a, b, k) and the like
("linspace(1, 2, 3)", "1/0")|'sweep.a': a value is not finite
["linspace(1, 2)", 3]|'sweep.a': write linspace(a, b, k)
["uniform(1, 2)", 3]|'sweep.a': uniform needs sweep.mode = "random"
["range(1, 6000000)", "range(-6000000, 0)"]|'sweep.a' has 1.2e+07 values, more than 1e+07
["words", 3]|'sweep.a': array mixes numbers and strings
R
expect 3 check a.cfg -s sweep.mode=random -s sample.count=2 -s 'sweep.a=["uniform(1, 2)", 3]' -s 'sweep.b=uniform(1,2)'
says "'sweep.a': uniform is drawn at random, no part of a list"
# a stored config says nothing again
expect 0 run a.cfg --device cpu -o a.h5; says 'is computed once'
expect 0 resume a.h5 --device cpu; grep -q 'computed once' err && fail 'what comes again is told again'
[ -z "$python" ] || py - <<'P' 2>err || fail 'the axis in the file'
import h5py
with h5py.File("a.h5") as f: assert list(f["a"][()]) == [1, 2, 3, 4]
P

# sweep.where: points for which it does not hold are no runs
cat >w.cfg <<'C'
problem = "hyperdiffusion";
grid    = { n = 16; length = 1.0; };
physics = { gamma = "a"; D = "b"; };
time    = { dt = 0.001; end = 0.01; };
define  = { r = "a/b"; };
sweep   = { a = [1, 2, 3]; b = [1, 2, 3]; where = "a < 2*b"; };
initial = "2 + cos(2*pi*x)";
output  = { scalars = { every = 0.01; }; };
C
runs '1,1 1,2 1,3 2,2 2,3 3,2 3,3 ' list w.cfg; silent err
expect 0 check w.cfg --device cpu; prints 'hyperdiffusion · 7 runs = a(3) × b(3) where a < 2*b · id '
runs '1,3 ' list w.cfg -s 'sweep.where=r == 1/3'
runs '1,1 2,2 3,3 ' list w.cfg -s 'sweep.where=gamma == D'
runs '1,1 1,2 1,3 2,1 2,2 2,3 3,1 3,2 3,3 ' list w.cfg -s 'sweep.where='
runs '1,1 3,3 ' list w.cfg -s sweep.mode=zip -s 'sweep.where=a != 2'
sed 's/a = \[1, 2, 3\];/mode = "table";/' w.cfg >rows.cfg
runs '2,1 2,2 ' list rows.cfg -s 'sweep.where=a > b - 1 && a != 1' -s 'table.rows="a\n1\n2\n"' -s 'sweep.b=[1, 2]'
runs '2,3,imex2 3,3,imex2 ' list w.cfg -s 'method=$how' -s 'sweep.how=["imex2", "crank_nicolson"]' \
    -s 'sweep.where="how == imex2 && a > 1 && b == 3"'
# a run's id does not depend on it: a sweep with more points goes on; numbers are those of the runs there are
expect 0 run w.cfg --device cpu -o w.h5 -s 'sweep.where=a == b'
expect 0 run w.cfg --device cpu -o w.h5; says '4 of 7 runs left'
expect 5 run w.cfg --device cpu -o w.h5 -s 'sweep.where=a == b'; says 'sweep.where "a < 2*b" -> "a == b"'
expect 0 resume w.h5 --device cpu; says 'nothing to do: 7 done'
expect 0 resume w.h5 --device cpu -s 'sweep.where='; says '2 of 9 runs left'
for k in 1 2 3; do expect 0 run w.cfg --device cpu --shard $k/3 -o s.h5; done
expect 0 merge s.shard-*-of-3.h5 -o s.h5 || ls
expect 0 run w.cfg --device cpu -o one.h5; same s.h5 one.h5
[ -z "$python" ] || py - <<'P' 2>err || fail 'the runs of a sweep with sweep.where'
import h5py
with h5py.File("one.h5") as f:
    assert list(f["a"][()]) == [1, 1, 1, 2, 2, 3, 3] and list(f["b"][()]) == [1, 2, 3, 2, 3, 2, 3]
    assert list(f["run"][()]) == list(range(7)) and len(f["mass"]) == 7
P
while IFS='|' read -r value message; do
    expect 3 check w.cfg --device cpu -s "sweep.where=$value"
    says "$message"
done <<'R'
a > 5|-s: error: 'sweep.where' holds for none of the 9 points of the axes
sqrt(a - b)|-s: error: 'sweep.where' is not a finite number, and so undecided, for a = 1, b = 2
1/(a - 2)|-s: error: 'sweep.where' is not a finite number, and so undecided, for a = 2, b = 1
a <|-s: error: 'sweep.where', column 3: missing operand after '<'
c < 1|-s: error: 'sweep.where', column 1: unknown name 'c'
run < 3|-s: error: 'sweep.where', column 1: unknown name 'run'
x < 3|-s: error: 'sweep.where', column 1: unknown name 'x'
[1]|-s: error: 'sweep.where' must be a text in quotes
R
# beside another error it is looked at all the same
expect 3 check w.cfg -s time.dt=-1 -s 'sweep.where=c'; says "unknown name 'c'"; says "'time.dt' = -1"
# an axis that nothing but sweep.where uses changes nothing
expect 3 check w.cfg -s 'sweep.c=[1, 2]' -s 'sweep.where=a < c'; says "'sweep.c' changes nothing"
# one file has all runs
while IFS='|' read -r name message; do
    expect 3 check w.cfg -s "output.file=\"$name\""
    says "$message"
done <<'R'
ch_{a}_{b}.h5|'output.file' = "ch_{a}_{b}.h5": a sweep has one file, with all its runs
ch_{a}_{b}.h5|name it "ch.h5"; `sweep show FILE --csv` has a row for each run, and in Python ds.where(ds.a == 1,
x/{a:.3f}-b=${b}.h5|columns (a, b): name it "x/-b.h5"
${a}.h5|name it "runs.h5"
R
expect 0 check w.cfg --device cpu -s 'output.file="ch_{1}_{.h5"'
# a dt that divides the end nearly is told of runs that there are
expect 0 check w.cfg --device cpu -s 'sweep.a=[0.00333333333, 0.002]' -s time.dt=a -s physics.gamma=1 \
    -s 'sweep.where=a == 0.002'
grep -q 0.00333 out err && fail 'a dt of no run is told'
summary
