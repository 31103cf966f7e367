#!/bin/bash
# Lists of an axis that have lists as elements.
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
summary
