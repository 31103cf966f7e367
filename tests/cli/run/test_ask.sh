#!/bin/bash
# sweep ask: rows of parameters on standard input are computed, a line as one batch, and answered. The runs are those of
# a table with these rows, to the same bits, whatever ends the session; what is wrong with a row is its answer.
. tests/helpers/helpers.sh || exit 1
subcommand=''
cat >a.cfg <<'C'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = "k"; };
time    = { dt = 1.0e-5; end = 1.0e-4; };
sweep   = { k = [1.0, 2.0, 3.0]; A = [1.0]; };
initial = "A*cos(2*pi*x)";
output  = { file = "a.h5"; fields = { times = [1.0e-4]; };
            scalars = { every = 1.0e-4; define = { top = "max(u)"; }; }; };
run     = { device = "cpu"; };
C
# ask CODE ARGUMENT...: a session that reads the file `asked`
ask() {
    local code=$1
    shift
    "$sweep" ask "$@" <asked >out 2>err
    local got=$?
    [ $got = "$code" ] || fail "sweep ask $*: exit code $got, expected $code"
}
line() { sed -n "$1p" out | grep -qF -- "$2" || fail "answer $1 does not have: $2"; }  # line NUMBER TEXT
answers() { [ "$(wc -l <out)" = "$1" ] || fail "not $1 answers"; }

# one row, generations, rows that come again; a last line without its end
printf '%s\n' '{"k": 0.3, "A": 2}' '[{"k": 0.3, "A": 2}, {"k": 0.5, "A": 1}, {"A": 1.0, "k": 5e-1}]' '' ' [ ] ' >asked
printf '%s' '[{"k":-1,"A":1},{"k":0.7,"A":1},{"k":0.3,"A":2.0},{"k":-1,"A":1},{"k":1e1,"A":-0.0}]' >>asked
ask 0 a.cfg --of top; answers 4
line 1 '{"run": 0, "status": "done", "top": 1.99'
line 1 '"message": "", "again": false}'
line 2 '[{"run": 0, "status": "done", "top": 1.99'
line 2 '"again": true}, {"run": 1, '
line 2 '"again": false}, {"run": 1, '
line 3 '[]'
line 4 "[{\"error\": \"'physics.kappa' = -1 in run 2 (k = -1, A = 1): must be greater than 0\"}, {\"run\": 2, "
line 4 '}, {"run": 0, '
line 4 '"again": true}, {"error": "'"'physics.kappa' = -1"
line 4 '{"run": 3, "status": "done", "top": 0, '
says 'ask for k, A'; says 'asked    3 · 1 computed'; says 'asked    5 · 2 computed'; says '2 refused'
says 'done     4 runs in a.h5'
[ ! -e a.h5.d ] || fail 'the session leaves a folder'
# the same as a table, which another call continues
printf 'k,A\n0.3,2\n0.5,1\n0.7,1\n10,0\n' >t.csv
table() { "$sweep" run a.cfg -s 'sweep={mode="table";file="t.csv";}' -s accuracy.runs=0 -q "$@" || fail "table $*"; }
table -o t.h5; same a.h5 t.h5
expect 0 resume a.h5; says 'nothing to do: 4 done'
expect 0 show a.h5; prints '  3   10  0  done'
# another session goes on with the file, also with one that a sweep of other axes has made
echo '[{"k": 0.5, "A": 1}, {"k": 0.9, "A": 1}]' >asked
ask 0 a.cfg; says 'there    4 runs in a.h5'; line 1 '[{"run": 1, "k": 0.5, "A": 1, "status": "done", '
line 1 '"again": true}, {"run": 4, "k": 0.9, "A": 1, "status": "done", "t_reached": 0.0001, "steps": 10, '
echo 0.9,1 >>t.csv; table -o t.h5; same a.h5 t.h5
expect 0 run a.cfg -q -o grid.h5
echo '[{"k": 2, "A": 1}, {"k": 4, "A": 1}]' >asked
ask 0 a.cfg -o grid.h5 --of A,top; says 'there    3 runs in grid.h5'
line 1 '[{"run": 1, "A": 1, "status": "done", "top": '; line 1 '{"run": 3, "A": 1, '
# nothing is asked for: there is no file
: >asked; ask 0 a.cfg -o none.h5; silent out; [ ! -e none.h5 ] && [ ! -e none.h5.d ] || fail 'a file of no runs'

# what is wrong with a line is its answer, and the session goes on
cat >wrong <<'R'
foo|column 1: '{' is missing before 'foo'
{"k": 1|the line ends where ',' or '}' is missing
{"k": 1, "A": 2} x|column 18: 'x' follows the end of the request
[{"k": 1, "A": 2}|the line ends where ',' or ']' is missing
{k: 1}|column 2: the name of a parameter, \"NAME\", is missing before 'k: 1}'
{"k" 1}|column 6: ':' is missing before '1}'
{"k": , "A": 1}|column 7: a number is missing before ', \"A\": 1}'
{"k": [1], "A": 1}|column 7: a number is missing before '[1], \"A\": 1}'
{"k": "1|the line ends where the end of a text, \", is missing
{"q": 1, "A": 2}|unknown parameter 'q'; they are k, A
{"kk": 1, "A": 2}|unknown parameter 'kk'; did you mean 'k'?
{"k": 1}|parameter 'A' is missing
{}|parameter 'k' is missing
{"k": 1, "k": 1, "A": 1}|parameter 'k' is given twice
{"k": NaN, "A": 1}|parameter 'k' is not a number (NaN)
{"k": 1, "A": -Infinity}|parameter 'A': -Infinity is not finite
{"k": 1e999, "A": 1}|parameter 'k': 1e999 is not finite
{"k": null, "A": 1}|parameter 'k': null is no number
{"k": true, "A": 1}|parameter 'k': true is no number
{"k": 0x10, "A": 1}|parameter 'k': 0x10 is no number
{"k": 01, "A": 1}|parameter 'k': 01 is no number
{"k": +1, "A": 1}|parameter 'k': +1 is no number
{"k": 1., "A": 1}|parameter 'k': 1. is no number
{"k": 1e, "A": 1}|parameter 'k': 1e is no number
{"k": "1", "A": 1}|parameter 'k': \"1\" is a text, where a number is wanted
R
cut -d'|' -f1 wrong >asked; printf '{"k": 1, \xff}\n{"k": \0, "A": 1}\n{"k": 1, "A": 1}\n' >>asked
ask 0 a.cfg -o wrong.h5 --of top; answers $(($(wc -l <wrong) + 3))
k=0
while IFS='|' read -r text message; do
    k=$((k + 1))
    [ "$(sed -n "${k}p" out)" = "{\"error\": \"$message\"}" ] || fail "answer $k, to $text"
done <wrong
line $((k + 1)) 'column 10: byte 0xff is not UTF-8'
line $((k + 2)) "parameter 'k': ? is no number"
line $((k + 3)) '{"run": 0, "status": "done", "top": 0.99'
# words, where the config has words; runs that diverge say why, and have no numbers
sed 's/^sweep .*/sweep = { how = ["imex1", "imex2"]; k = [1.0]; };\nmethod = "$how";/; s/A\*/1*/' a.cfg >w.cfg
printf '%s\n' '[{"how": "imex1", "k": 1}, {"how": "crank_nicolson", "k": 2}]' '{"how": 1, "k": 1}' \
    '{"how": "imex,2", "k": 1}' '{"how": "", "k": 1}' '{"how": "imex7", "k": 1}' '{"how": "#x", "k": 3}' \
    '{"how": " imex1", "k": 4}' '{"how": "imex2", "k": 5}' >asked
ask 0 w.cfg -o w.h5
line 6 "letters, digits and"; line 7 "letters, digits and"; line 8 '"how": "imex2", "k": 5, "status": "done"'
line 1 '"how": "crank_nicolson", "k": 2, "status": "done"'
line 2 "parameter 'how': 1 is a number, where a word is wanted"; line 3 "parameter 'how': letters, digits and"
line 4 "parameter 'how': the word is empty"; line 5 'imex7'
sed 's/^problem.*/problem = "equation"; rhs = "k*u^3";/; /^physics/d; s/1\.0e-5/0.1/; s/1\.0e-4/2.0/g' a.cfg >d.cfg
echo '[{"k": 1, "A": 0.1}, {"k": 1000, "A": 9}]' >asked
ask 0 d.cfg -o d.h5 --of top; line 1 '{"run": 1, "status": "diverged", "top": null, "message": "not finite'
line 1 '[{"run": 0, "status": "done", "top": 0.1'; says '1 diverged'

# what cannot be asked
: >asked
refused() {  # refused CODE WHY ARGUMENT...
    ask "$1" a.cfg -o r.h5 "${@:3}"; says "$2"; silent out
    [ ! -e r.h5 ] && [ ! -e r.h5.d ] || fail 'a refused session leaves something'
}
refused 3 'has no axis' -s 'sweep={}' -s 'define={k=1.0;A=1.0;}'
refused 3 'has a ladder' -s 'sweep.k={values=[1.0,2.0];ladder="up";}'
refused 3 'has `refine`, which chooses points itself' -s 'refine={of="top";over=["k"];where="jump";levels=1;}'
refused 3 'has a table' -s 'sweep={mode="table";file="t.csv";}'
refused 3 "'sweep.where': who asks decides" -s 'sweep.where=k<3'
refused 3 "'sample': who asks draws the points" -s 'sweep={mode="random";k="uniform(1,2)";A=1;}' -s sample.count=4
refused 3 "'reuse': \`sweep ask\` takes no runs over" -s 'reuse="a.h5"'
refused 3 'leave `keep` out' -s 'output.fields.keep=false' -s 'statistics={over=["k"];of=["u"];}'
refused 2 "--of: no answer has 'tip'" --of tip
refused 2 '`sweep ask` has no option' --only k==1
refused 3 "unknown key 'foo'" -s foo=1
echo '{"k": 1, "A": 1}' >asked
ask 5 a.cfg -o a.h5 -s grid.n=32; says 'grid.n 16 -> 32'; silent out
says '(`sweep ask` has no --force: move the file away)'
ask 5 w.cfg -o a.h5; says 'a.h5 has other parameters (k, A) than the config; use -o FILE'
expect 0 show a.h5; prints 'heat · 5 runs'

[ -n "$python" ] || { summary; exit; }
cat >client.py <<'P'
import json, os, random, signal, subprocess, sys, time
sys.path.insert(0, sys.argv[1] + "/python")
import pysweep
sys.stderr = open("err", "w")
def session(config, *more):
    return pysweep.ask(config, "-q", *more, program=sys.argv[2])
def rows(first, count):
    return [{"k": 0.1 + 0.01*i, "A": 1 + i % 3} for i in range(first, first + count)]
def table(file):
    shown = subprocess.run([sys.argv[2], "show", "--json", file], capture_output=True, check=True)
    return json.loads(shown.stdout)["runs"]
# three generations; between them the parts can be read; killed, nothing of them is lost
s = session("a.cfg", "-o", "k.h5")
first = [a for g in range(3) for a in s.ask(rows(5*g, 6))]
assert [a["run"] for a in first] == [0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 10, 11, 12, 13, 14, 15], first
assert [a["again"] for a in first].count(True) == 2
there = {r["run"]: r for r in table("k.h5")}
assert sorted(there) == list(range(16))
for a in first: assert {k: v for k, v in a.items() if k != "again"} == there[a["run"]], (a, there[a["run"]])
assert not os.path.exists("k.h5")
s.process.kill(); s.process.wait()
assert sorted(r["run"] for r in table("k.h5")) == list(range(16))
s = session("a.cfg", "-o", "k.h5")
again = s.ask(rows(0, 17))
assert all(a["again"] for a in again[:16]) and not again[16]["again"] and again[16]["run"] == 16
for a in again[:16]: assert there[a["run"]]["top"] == a["top"]
# one session at a time
other = session("a.cfg", "-o", "k.h5")
try: other.ask(rows(0, 1)); raise SystemExit("two sessions write one file")
except pysweep.Refusal as e: assert e.code == 5 and "k.h5" in str(e), e
# a signal between requests: the file is whole
s.process.send_signal(signal.SIGTERM)
assert s.process.wait(20) == 75
assert os.path.exists("k.h5") and not os.path.exists("k.h5.d")
open("k.csv", "w").write("k,A\n" + "".join(f"{r['k']!r},{r['A']}\n" for r in rows(0, 17)))
# refused rows, by the client
s = session("a.cfg", "-o", "k.h5")
try: s.ask([{"k": 1}]); raise SystemExit("a row without A is taken")
except ValueError as e: assert "parameter 'A' is missing" in str(e), e
assert s.close() == 0
# a reader that goes away ends the session; what it has asked for is in the file all the same
s = session("a.cfg", "-o", "p.h5")
s.ask(rows(0, 2))
s.process.stdout.close()
s.process.stdin.write(json.dumps(rows(2, 2)) + "\n"); s.process.stdin.flush()
assert s.process.wait(20) == 5
assert [r["run"] for r in table("p.h5")] == [0, 1, 2, 3]
# a signal in the middle of a request: what was begun goes on from its checkpoint in the next session, to the same bits
# (a machine that has answered within that time shows less)
long = ["-s", "time.end=20.0", "-s", "output.fields.times=[20.0]", "-s", "output.scalars.every=20.0",
        "-s", "run.batch=1", "-s", 'grid.n="32*A"']
s = session("a.cfg", "-o", "m.h5", *long)
s.process.stdin.write(json.dumps(rows(0, 2)) + "\n"); s.process.stdin.flush()
time.sleep(0.25)
s.process.send_signal(signal.SIGINT)
assert s.process.wait(60) == 130
s = session("a.cfg", "-o", "m.h5", *long)
assert all(a["again"] and a["status"] == "done" for a in s.ask(rows(0, 2)))
assert s.close() == 0
# several devices, each with its batches of a request
s = session("a.cfg", "-o", "two.h5", "--device", "cpu:0,1", "-s", "run.batch=3")
assert [a["run"] for a in s.ask(rows(0, 17))] == list(range(17))
assert s.close() == 0
# where the tables in the parts outweigh the file they are joined before the end
many = [f"p{i}" for i in range(20)]
text = open("a.cfg").read().replace("A = [1.0];", "A = [1.0]; " + " ".join(p + " = [0.5];" for p in many))
open("many.cfg", "w").write(text.replace("A*cos(2*pi*x)", "A*cos(2*pi*x) + 0*(" + " + ".join(many) + ")"))
random.seed(1)
s = session("many.cfg", "-o", "j.h5", "--of", "top")
for request in range(36):
    got = s.ask([{"k": 1, "A": 1, **{p: random.random() for p in many}} for _ in range(1 if request else 1500)])
    assert all(a["status"] == "done" for a in got) and got[0]["run"] == (1499 + request if request else 0)
assert os.path.exists("j.h5") and os.path.exists("j.h5.d")
assert s.close() == 0
assert [r["run"] for r in table("j.h5")] == list(range(1535))
print("ok")
P
py client.py "$top" "$sweep" >said || fail 'client.py'
grep -q ok said || fail 'client.py does not come to its end'
cp k.csv t.csv; table -o kt.h5; same k.h5 kt.h5
head -n 3 k.csv >t.csv
table -o mt.h5 -s time.end=20.0 -s output.fields.times=[20.0] -s output.scalars.every=20.0 -s 'grid.n="32*A"'
same m.h5 mt.h5; same two.h5 kt.h5

# a program that is not there is named
"$python" -B - "$top/python" 2>err <<'PY' || fail 'a session without the program'
import sys
sys.path.insert(0, sys.argv[1])
import pysweep
try:
    pysweep.ask("x.cfg", program="/nowhere/sweep")
except pysweep.Refusal as error:
    assert "there is no program '/nowhere/sweep'" in str(error), error
else:
    sys.exit("it begins")
PY

# scipy's differential evolution finds what two numbers of a front came from
if "$python" -c 'import scipy.optimize as o; assert o.differential_evolution' 2>err; then
    SWEEP=$sweep "$python" -B "$top/scripts/ask/differential_evolution.py" "$top/configs/front_fit.cfg" miss \
        D=0.2,3 r=0.2,3 --generations 15 -- -o fit.h5 --device cpu -q >out 2>err || fail differential_evolution.py
    "$python" -B - out <<'P' || fail 'the parameters of the front'
import sys
found = dict(line.split(" = ") for line in open(sys.argv[1]))
assert abs(float(found["D"]) - 0.8) < 0.05 and abs(float(found["r"]) - 1.2) < 0.05, found
P
    expect 0 show fit.h5 --csv; [ "$(wc -l <out)" -gt 300 ] || fail 'not all runs are in the file'
else
    case $SW_NEED in *scipy*) fail 'scipy is needed' ;; *) skipped 'differential evolution: no scipy' ;; esac
fi
if "$python" -c 'import optuna' 2>err; then
    SWEEP=$sweep "$python" -B "$top/scripts/ask/optuna_study.py" "$top/configs/front_fit.cfg" miss D=0.2,3 r=0.2,3 \
        --batches 4 --rows 8 -- -o study.h5 --device cpu -q >out 2>err || fail optuna_study.py
    prints 'after 32 runs in 4 batches'
else
    case $SW_NEED in *optuna*) fail 'optuna is needed' ;; *) skipped "a study of optuna's: no optuna" ;; esac
fi
summary
