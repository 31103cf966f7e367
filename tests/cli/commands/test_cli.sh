#!/bin/bash
# The program as a user meets it: every command, its exit code and what it says. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
library=$(dirname "$sweep")/fail_nth.so
[ -e "$library" ] || { echo "$library is missing: make tests" >&2; exit 1; }
unset NO_COLOR

cat >small.cfg <<'CFG'
title   = "small";
problem = "cahn_hilliard";
grid    = { n = 16; length = "2*pi*2"; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.05; end = 1.0; };
sweep   = { a = [0.0, 0.1, 0.2]; seed = [1, 2]; };
initial = "0.05*randn(seed)";
forcing = "a*cos(x)";
output  = { fields = { times = "linspace(0, end, 3)"; }; scalars = { every = 0.25; }; };
run     = { device = "cpu"; };
CFG
sed 's/seed = \[1, 2\]/seed = [1, 2]; big = [0.05, 1000.0]/; s/0.05\*randn/big*randn/' small.cfg >bad.cfg

sed 's/\[0.0, 0.1, 0.2\]/[0.0, 0.1, 0.2, 0.3]/' small.cfg >longer.cfg

# ---- usage
expect 2; says 'a config or a command is needed'
expect 2 chek small.cfg; says "unknown command 'chek'; did you mean 'check'?"
expect 2 run --ouput x small.cfg; says "unknown option '--ouput'; did you mean '--output'?"
expect 2 run -x small.cfg; says "unknown option '-x'"
expect 2 run small.cfg -o; says "needs its FILE"
expect 2 run small.cfg -o ''; says "option '--output' needs its FILE, not ''"
expect 2 run; says 'needs CONFIG...'
expect 2 list --csv; says "has no option '--csv'"
expect 2 run small.cfg --shard 3/2; says '--shard takes I/N'
expect 2 run small.cfg --shard 1/1000000000; says '--shard takes I/N with 1 <= I <= N <= 100000'
expect 2 run small.cfg --shard 1/4294967297; says '--shard takes I/N'
expect 0 check small.cfg --shard 6/100000; prints '1 of them'
expect 2 check small.cfg --shard 7/100000
says 'shard 7 of 100000 has no run: there are only 6; cut the sweep into fewer shards'
expect 2 run small.cfg --max-time soon; says '--max-time takes a positive time'
expect 2 run small.cfg -j none; says "-j takes a whole number from 1 to 4096; got 'none'"
expect 2 run small.cfg -j 100000; says "-j takes a whole number from 1 to 4096; got '100000'"
expect 2 run small.cfg --color maybe; says 'takes auto, always or never'
expect 2 run small.cfg --device gpu; says "there is no device 'gpu'; use auto, cpu, cuda, cuda:N or cuda:N,M,..."
expect 2 run small.cfg --device cuda:0,0; says "device 'cuda:0,0' names 0 twice; name each device once"
expect 2 run small.cfg --device cuda:0,two; says "there is no device 'cuda:0,two'"
expect 2 run small.cfg --device cpu:0,2; says "two groups of threads are 'cpu:0,1'"
expect 4 run small.cfg --device cuda:998,999; says CUDA  # which of several reasons depends on the machine
expect 2 bench band:n=16,batch=8 --device cpu:0,1; says "'cpu:0,1' are 2 devices, and here one is used"
expect 2 run small.cfg -s novalue; says 'KEY=VALUE'
expect 2 explain stpo; says "did you mean 'stop'?"
expect 2 init gray_scot; says "unknown problem 'gray_scot'; did you mean 'gray_scott'?"
expect 2 init wave; says 'equation.burgers'
expect 2 run small.cfg --only 'nosuch > 1'; says nosuch
for runs in 0-3 0,2 0:3 2; do
    expect 2 run small.cfg --only "$runs"; says "--only, '$runs' is no condition on runs: write run <= 9"
done
expect 0 check small.cfg --only 'a == 0.30000000000000004/3'; prints '2 of them'
expect 2 run small.cfg --only 'a > 5'; says 'no run is left: none of the 6 runs fits --only'
expect 2 run small.cfg bad.cfg -o one.h5; says 'run them one by one'
expect 5 missing.cfg; says missing.cfg
expect 5 small.cfg -o small.cfg/x.h5; says 'small.cfg: Not a directory'
expect 3 check small.cfg --solver cpu.magic; says "--solver: error: 'solver' = \"cpu.magic\": there is no such row"
expect 3 check small.cfg -s "$(printf 'title=b\344se')"; says "-s: error: 'title': byte 0xe4 is not UTF-8"
sed 's/^grid /gird /' small.cfg >gird.cfg
expect 3 check gird.cfg
head -n 1 err | grep -q "unknown key 'gird'; did you mean 'grid'?" || fail 'the misspelt key is not told first'
expect 3 check small.cfg --solver cpu.plian+cpu.lapack; says "did you mean 'cpu.plain+cpu.lapack'?"
expect 3 check small.cfg -s stepper=cpu.thomas
says '-s: error: stepper cpu.thomas: this is a band solver, which goes with a stepper: "cpu.plain+cpu.thomas"'
expect 0 check small.cfg --solver cpu.plain+cpu.lapack; prints cpu.plain+cpu.lapack
expect 0 --help; prints 'sweep CONFIG...'; prints '--max-time'
awk '/^  run / {column = index($0, "run a sweep,")}
     /^  / && column {
         rows++; if (substr($0, column - 2, 2) != "  " || substr($0, column, 1) == " " || length($0) > 120) bad = 1
     }
     END {exit bad || rows < 40}' out || fail 'the help is no table, or wide'
expect 0 check --help; prints '--list'
expect 0 -V; prints 'sweep 1.0.0'; prints 'compiler'
grep -qE '^built .*CUDA.*, with(out)? mpi$' out || fail 'the version does not say whether there is MPI'

# ---- what there is
expect 0 list; prints cahn_hilliard; prints cpu.plain; prints cpu.thomas
expect 0 explain heat; prints 'u_t = kappa u_xx + forcing'; prints physics.kappa; prints '`sweep explain` prints them'
expect 2 explain cfll; says "did you mean 'cfl'?"
expect 0 explain time.dt; prints 'Time step'; silent err
expect 0 explain atan2; prints 'atan2(a, b)'; prints 'A function of expressions; in C: atan2(a, b).'
expect 0 explain randn; prints 'A function of expressions: random numbers'
expect 0 explain range; prints 'range(a, b) or range(a, b, step)'
expect 0 explain dxx;   prints 'A derivative in x, of order 2'
expect 2 explain lnspace; says "did you mean 'linspace'?"
expect 0 explain; prints time.end; prints physics.gamma
prints 'All of them are above; `sweep explain allen_cahn` prints them, too.'
for case in 'bvp stepper solver' 'compact stepper differences' 'heat differences stepper' 'bvp differences solver'; do
    set -- $case
    "$sweep" init $1 >row.cfg
    expect 3 check row.cfg -s $2=auto; says "'$2' is a key of "; says ", not of $1; did you mean '$3'?"
done
"$sweep" init advection >row.cfg
expect 3 check row.cfg -s left.x.neumann=1; says "unknown key 'left.x.neumann'; did you mean 'left.neumann.x'?"
expect 3 check row.cfg -s initial.file=1; says "'initial.file' must be a text in quotes"
expect 0 explain grid; prints grid.n; prints grid.x0
expect 0 explain forcing; prints 'forcing  (hyperdiffusion, heat, '
expect 0 explain --markdown; prints '| `time.dt` |'; prints '| `left.z.dzzz` |'
prints '### Keys of equation in two and three dimensions that are not above'
expect 0 explain boundary.y; prints 'boundary.y  (advection)'
prints 'boundary.y  (in two and three dimensions: hyperdiffusion, heat, cahn_hilliard, swift_hohenberg, allen_cahn, '
expect 0 explain right.z.neumann; prints 'u_z at the right wall of z'; prints 'expression: in x, y, z, t'
expect 0 explain cahn_hilliard; prints 'Keys of cahn_hilliard in two and three dimensions'; prints left.y.dyyy
expect 0 explain cpu.fourier; prints 'A stepper of fields in two and three dimensions'
expect 0 explain --man; prints '.B time.dt'
expect 2 explain time.dtt; says "did you mean 'time.dt'?"
expect 0 init; cp out made.cfg
expect 0 check made.cfg
for problem in $("$sweep" list | awk '/^problems/ {on = 1; next} /^[a-z]/ {on = 0} on && /^  [a-z]/ {print $1}'); do
    expect 0 init "$problem"; cp out "init_$problem.cfg"
    expect 0 check "init_$problem.cfg"
done
expect 2 init cahn_hiliard; says "did you mean 'cahn_hilliard'?"

# ---- check
expect 0 check small.cfg; prints '6 runs = a(3) × seed(2)'; prints 'batches  1'; prints 'results/small.h5'
prints 'time     ≈'; prints ' · 20 steps a run'; prints ' · solver cpu.'
expect 0 check small.cfg -s run.batch=1 -s time.end=0.05; prints ', and some 20 ms a batch'
few_alike=(check small.cfg -s 'sweep.a=[0.1]' -s 'sweep.seed=[1]' -s 'time.dt="end/m"' -s 'noise={ conserved=0.1; }')
expect 0 "${few_alike[@]}" -s 'sweep.m="range(100, 699)"'
prints 'note     600 batches for 600 runs, ≈ 12 s beside their steps: runs that differ in one of these do not advance'
prints 'together: number of steps (time.end/time.dt); let fewer'
expect 0 "${few_alike[@]}" -s 'sweep.m="range(100, 299)"'; grep -q 'batches for' out && fail 'a note for 4 s'
expect 0 check "$top/configs/compact_convergence.cfg"; grep -q 'batches for' out && fail 'a note for 2 s'
expect 0 check "$top/configs/compact_convergence.cfg" -s 'sweep.n="range(16, 64)"'
prints 'do not advance together: points of the grid, scheme; let'
# a billion runs are refused at once, without the memory for them
(ulimit -v 4000000; expect 3 check small.cfg -s 'sweep.mode="random"' -s 'sample.count=1000000000' \
    -s 'sweep.seed="uniform(0, 1)"'; exit $failures) || failures=$((failures + 1))
says "'sample.count' = 1000000000: must be at most 1e+07"
expect 3 check small.cfg -s 'sweep.a="range(1, 1000000000)"'; says "'sweep.a' has 1e+09 values, more than 1e+07"
cat >walls.cfg <<'CFG'
problem  = "advection";
sweep    = { walls = ["3-4-6", "4-4-6"]; n = [17, 33, 65]; };
grid     = { n = "n"; length = 1.0; };
velocity = { x = 1.0; };
boundary = { x = "$walls"; };
time     = { cfl = 0.5; end = 1.0; };
initial  = "x";
CFG
expect 0 check walls.cfg; prints ' · 32 to 128 steps a run'
[ "$(grep -c '^note .*4-4-6' out)" = 1 ] || fail 'check says the same more than once'
fields=(--device cpu -s 'sweep={ walls=["3-4-6"]; n=[17]; }' -s 'output={ fields={ times=[0.0, 1.0]; }; }')
expect 0 run walls.cfg "${fields[@]}" -o "it's one.h5"
says "next     sweep plot 'it'\\''s one.h5'"
expect 0 run walls.cfg "${fields[@]}" -s grid.dim=2 -o two.h5
says 'next     sweep plot two.h5'; rm -f two.h5
expect 1 run walls.cfg "${fields[@]}" -s 'time={ dt=1.0; end=400.0; }' -s 'output.fields.times=[0.0]' -o two.h5
says 'next     sweep show two.h5'
rm -f "it's one.h5" two.h5
# where fields are saved often the CPU takes all runs as one batch, so that they are written once; else small ones
sed 's/^output.*//; s/^sweep .*/sweep = { a = "linspace(0, 1, 5000)"; };/; s/^initial.*/initial = "a";/' \
    small.cfg >large.cfg
for times in 3,2 30,1; do
    expect 0 check large.cfg -s grid.n=256 -s time.dt=0.01 -s time.end=10.0 \
        -s "output={ fields={ times=\"linspace(0, end, ${times%,*})\"; }; }"
    prints "batches  ${times#*,}"
done
[ ! -e results ] || fail "check wrote something"
expect 0 small.cfg -n; prints '6 runs'
expect 0 check small.cfg --list; [ "$(wc -l <out)" = 7 ] || fail "--list has not 7 lines"; prints 'run,run_id,a,seed'
expect 0 check small.cfg -v; says 'time.dt'; says '(given)'; says '(default)'
expect 3 check small.cfg -s time.dtt=1; says "unknown key 'time.dtt'"
LC_ALL=C expect 0 check small.cfg; prints '6 runs = a(3) x seed(2)'
printf 'problem = "heat";\ngrid = { n = 64; lenth = 1.0; };\ntime = { dt = "x1"; end = 1.0; };\n' >wrong.cfg
expect 3 check wrong.cfg; says 'wrong.cfg:2: error:'; says 'wrong.cfg:3: error:'

# ---- a path with ~/ that no shell has seen, of an output and of what is read
mkdir home
HOME=$PWD/home expect 0 run -q small.cfg -o '~/x.h5'; [ -f home/x.h5 ] || fail 'no file in the home folder'
HOME=$PWD/home expect 0 run -q small.cfg -s 'output.file="~/y.h5"'; [ -f home/y.h5 ] || fail 'none of output.file there'
HOME=$PWD/home expect 0 show '~/x.h5'
from=(-s 'initial={ file="~/x.h5"; run=0; }' -s 'sweep.seed=[1]')
HOME=$PWD/home expect 0 run -q small.cfg "${from[@]}" -o z.h5
HOME=$PWD/home expect 5 run -q small.cfg "${from[@]}" -o '~/x.h5'; says "is the file that 'initial.file' reads"
[ ! -e '~' ] || fail 'a folder called ~'

# ---- run
expect 0 small.cfg; says 'sweep 1.0.0 · cahn_hilliard · 6 runs = a(3) × seed(2)'; says 'done     6 ok'
says 'next     sweep plot results/small.h5'; silent out
[ ! -e results/small.h5.d ] || fail "the folder of the parts is still there"
expect 0 small.cfg; says 'nothing to do: 6 done'
expect 0 small.cfg -q -o quiet.h5; silent err; silent out
same results/small.h5 quiet.h5
expect 5 small.cfg -s time.end=2.0; says 'error: results/small.h5 holds no states to continue from'
expect 5 small.cfg -s physics.gamma=2.0
says 'error: results/small.h5 holds another sweep (physics.gamma 1.0 -> 2.0); use -o FILE or --force'
# of several differences the one that decides: not an axis that is longer, nor one that is renamed as all that uses it
expect 5 longer.cfg -s physics.gamma=2.0 -o results/small.h5; says 'holds another sweep (physics.gamma 1.0 -> 2.0); use'
expect 5 longer.cfg -s 'sweep.seed=[2, 3]' -o results/small.h5; says 'another sweep (sweep.seed [1, 2] -> [2, 3]); use'
expect 5 small.cfg -s 'define.c=1.0' -s 'physics.D=c' -s 'forcing="2*a*cos(x)"'
says 'another sweep (forcing "a*cos(x)" -> "2*a*cos(x)"); use'
# a file that an earlier version has begun, whose axis was off in a last digit: it goes on as it is, and
# differs from others by what differs; --force begins with the decimals
axis() { sed "s/a = .*seed = .*/a = $1; seed = [1]; };/" small.cfg; }
axis '"linspace(0.1, 0.9, 9)"' >axis.cfg
axis '[0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6, 0.7000000000000001, 0.8, 0.9]' >listed.cfg
expect 0 run -q axis.cfg -o now.h5; expect 0 show now.h5 --csv
[ "$(sed -n 's/^[2-7],\([^,]*\),.*/\1/p' out | tr '\n' ' ')" = '0.3 0.4 0.5 0.6 0.7 0.8 ' ] || fail 'values of linspace'
expect 0 run -q listed.cfg -o as_before.h5
expect 0 run -q listed.cfg --only 'a < 0.75' -o begun.h5
if [ -n "$python" ]; then
    py -c '
import h5py
with h5py.File("begun.h5", "r+") as f:
    del f.attrs["sweep_checksum"]
    f["provenance/config_text"][()] = open("axis.cfg").read()' 2>err || fail 'the config of a file'
    expect 0 check axis.cfg -o begun.h5; prints '7 of 9 runs are in begun.h5 already'
    expect 0 resume begun.h5; says 'an earlier version of sweep has begun begun.h5: its axes keep the last digits'
    same as_before.h5 begun.h5
    expect 5 run axis.cfg -s physics.D=2.0 -o begun.h5; says 'another sweep (physics.D 1.0 -> 2.0); use'
    expect 0 run -q axis.cfg -o begun.h5 --force; same now.h5 begun.h5
fi
# another sample and other combinations of the axes are told for what they are
random='sweep={mode="random"; a="uniform(0.1, 1)"; seed=[1.0];}'
sampled() { expect "$1" run -q small.cfg -s "$random" -o sampled.h5 "${@:2}"; }
sampled 0 -s sample.count=5
sampled 5 -s sample.count=7
says 'holds another sweep (sample.count 5 -> 7, on which all points of sample.method lhs depend); use'
sampled 5 -s sample.count=5 -s sample.seed=2; says 'holds another sweep (sample.seed not set -> 2); use'
sampled 0 -s sample.count=5 -s 'sample.method="sobol"' --force
sampled 0 -s sample.count=7 -s 'sample.method="sobol"'
sampled 5 -s sample.count=6 -s 'sample.method="sobol"'; says 'holds another sweep (sample.count 7 -> 6); use'
sampled 5 -s sample.count=9 -s 'sample.method="sobol"' -s sample.seed=2; says 'another sweep (sample.seed not set -> 2)'
expect 0 run -q small.cfg -s 'sweep={a=[0.1, 0.2]; seed=[1.0, 2.0];}' -o sampled.h5 --force
expect 5 run -q small.cfg -s 'sweep={a=[0.1, 0.2]; seed=[1.0, 2.0]; mode="zip";}' -o sampled.h5
says 'holds another sweep (sweep.mode not set -> "zip"); use'
expect 5 small.cfg -s output.scalars.every=0.5; says 'other outputs of this sweep (output.scalars.every 0.25 -> 0.5)'
same results/small.h5 quiet.h5
# several devices: the same bits, the same ids, and who it was
expect 0 check small.cfg --device cpu:0,1 -o groups.h5; prints ' (cpu:0, cpu:1) '; prints 'batches  2 '
expect 0 run small.cfg --device cpu:0,1 -j 2 -o groups.h5; says ' (cpu:0, cpu:1) '; says '2 batches'
same results/small.h5 groups.h5
expect 0 run small.cfg --device cpu -o groups.h5; says 'nothing to do: 6 done'
expect 0 show groups.h5 --json; matches '"device": "cpu:[01] '  # both, if the second began before the first was done
rm -f groups.h5
expect 0 small.cfg -s time.end=2.0 --force -o quiet.h5; says 'done     6 ok'
[ ! -e .sweep-quiet.h5.new ] && [ ! -e .sweep-quiet.h5.new.d ] || fail "--force left something behind"
expect 0 small.cfg -s time.end=2.0 -o quiet.h5; says 'nothing to do'
mkdir quiet.h5.d
flock quiet.h5.d/lock "$sweep" small.cfg -s time.end=3.0 --force -o quiet.h5 >out 2>err
[ $? = 5 ] && grep -q 'quiet.h5 is being written by' err ||
    fail "--force replaced a file that another process writes: $(cat err)"
[ ! -e .sweep-quiet.h5.new.d ] || fail 'one that is refused has begun'
expect 0 small.cfg -s time.end=3.0 --force -o quiet.h5; says 'done     6 ok'
[ ! -e .sweep-quiet.h5.new ] || fail "a complete new file was not put in place"
expect 0 small.cfg -s 'sweep.a=[0.0, 0.1, 0.2, 0.3]'; says '2 of 8 runs left'; says 'done     8 ok'
expect 0 small.cfg -s 'sweep.a=[0.0, 0.1, 0.2, 0.3]' -o longer.h5
same results/small.h5 longer.h5
touch other.h5; expect 5 small.cfg -o other.h5; says other.h5
expect 5 small.cfg -o small.cfg/x.h5; says small.cfg
NO_COLOR=1 expect 5 small.cfg -o other.h5; grep -q "$(printf '\033')" err && fail "NO_COLOR is not respected"
expect 5 small.cfg -o other.h5 --color always; grep -q "$(printf '\033')" err || fail "--color always has no color"

# ---- a run that diverges
expect 1 bad.cfg; says 'done     6 ok, 6 diverged (t = 0.25)'; says 'sweep show results/bad.h5 --status diverged'
expect 1 bad.cfg; says 'nothing to do: 6 done, 6 diverged; with --retry-failed these are computed again'
expect 1 resume results/bad.h5 --retry-failed; says '6 of 12 runs left'
expect 0 show results/bad.h5; prints diverged; prints 'not finite at t ='
expect 1 bad.cfg -o fast.h5 --fail-fast -s run.batch=1
says 'stopped at the first failure'; says 'the same command continues with the others'
expect 1 bad.cfg longer.cfg; says 'nothing to do: 6 done, 6 diverged'; says 'done     8 ok'

# ---- only, shards
expect 0 small.cfg --only 'a > 0.15' -o only.h5; says '2 of them'
expect 0 small.cfg -o only.h5; says '4 of 6 runs left'
expect 0 small.cfg -o all.h5
same only.h5 all.h5
for k in 1 2 3; do expect 0 small.cfg --shard $k/3 -s output.file=s.h5; done
expect 0 small.cfg --shard 1/3 -s output.file=s.h5; says 'nothing to do: 2 done'
expect 0 small.cfg --shard 2/3 -o s.h5; says 'nothing to do: 2 done'
expect 0 small.cfg --shard 2/3 -o s.shard-2-of-3.h5; says 'nothing to do: 2 done'
expect 0 resume s.shard-2-of-3.h5; says 'nothing to do: 2 done'
expect 0 small.cfg -s output.file=s.h5
expect 0 merge s.shard-1-of-3.h5 s.shard-2-of-3.h5 s.shard-3-of-3.h5 -o merged.h5; says 'merged   3 files'
same merged.h5 s.h5
expect 2 merge s.shard-1-of-3.h5; says '-o FILE'
expect 5 merge s.shard-1-of-3.h5 quiet.h5 -o mixed.h5

# ---- stop and go on
cat >long.cfg <<'CFG'
problem = "cahn_hilliard";
grid    = { n = 64; length = "2*pi*4"; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.001; end = 20.0; };
sweep   = { seed = "range(1, 40)"; };
initial = "0.05*randn(seed)";
output  = { fields = { times = "linspace(0, end, 9)"; }; scalars = { every = 0.5; }; };
run     = { device = "cpu"; };
solver  = "cpu.plain";  // slow enough to be stopped on the way
CFG
slowly 0.005 expect 75 long.cfg -j 1 --max-time 0.3s --log-json log.json
says 'stopped; run the same command again to continue'
expect 0 status results/long.h5; prints interrupted; prints pending
expect 0 status results/long.h5 --json; is_json out; prints '"state": "interrupted"'
expect 0 resume results/long.h5 --log-json log.json; says 'from step'; says 'done     40 ok'
expect 0 long.cfg -o whole.h5 --progress always; says ETA
same results/long.h5 whole.h5
LC_ALL=C expect 0 long.cfg -o ascii.h5 --progress always; says '[##'
tr '\r' '\n' <err | grep -q '\].*\]' && fail "the bar has two ends in ASCII"
expect 0 status results/long.h5; prints finished
for event in start plan checkpoint stopped batch done; do
    grep -q "\"event\": \"$event\"" log.json || fail "the log has no $event"
done
[ -z "$python" ] || py -c 'import json; [json.loads(line) for line in open("log.json")]' 2>err ||
    fail "log.json is not JSON"
slowly 0.02 expect 75 long.cfg -j 1 --max-time 0.1s -o part.h5
expect 0 long.cfg -o part.h5 --only 'seed == 3'; says '1 of them'
expect 0 status part.h5; prints '1 done'; prints 'wait at a checkpoint'
expect 0 long.cfg -o part.h5; says '39 of 40 runs left'
[ ! -e part.h5.d ] || fail "parts that nobody needs are left: $(ls part.h5.d)"
same part.h5 whole.h5
"$sweep" long.cfg -j 1 -o int.h5 >out 2>err & pid=$!
# once there is a part the batch has begun: a stop before that leaves nothing to resume
begun int.h5.d/part-000001.h5.tmp; kill -INT $pid; wait $pid; code=$?
[ $code = 130 ] || fail "Ctrl-C: exit code $code, expected 130"
says 'stopped; run the same command again to continue'
expect 0 resume int.h5; same int.h5 whole.h5
# stopped before the first step, while its lock is written: the same command begins it, and resume says so
FAIL_KIND=write FAIL_AT=1 FAIL_SLEEP=2 LD_PRELOAD=$library \
    "$sweep" long.cfg -o early.h5 >out 2>err & pid=$!
begun early.h5.d/lock; kill -TERM $pid; wait $pid; code=$?
[ $code = 75 ] || fail "SIGTERM before the first step: exit code $code, expected 75"
says 'stopped before anything new was stored; the same command begins where this one began'
expect 5 resume early.h5
says 'early.h5: there is no such file, and no parts of it in early.h5.d; a sweep that was stopped before its first step '
says 'begins with `sweep run CONFIG -o early.h5`'
expect 5 resume 'no 1.h5'; says "begins with \`sweep run CONFIG -o 'no 1.h5'\`"
# a time limit that is over before the first step is no reason to come to nothing
slowly 0.02 expect 75 long.cfg --max-time 1e-6s -o early.h5 -v
says '--max-time 1e-06 s was over '; says 'each start computes for 0.1 s all the same'
grep -q '^checkpoint' err || fail 'nothing new was stored'
says 'stopped; run the same command again to continue'
expect 0 long.cfg -o early.h5; grep -q 'from step' err || fail 'it began again'
same early.h5 whole.h5
"$sweep" long.cfg -s time.end=4000.0 -o run.h5 >/dev/null 2>&1 & pid=$!
begun run.h5.d/status.json
for ((k = 0; k < 100; k++)); do grep -q '"eta": [0-9]' run.h5.d/status.json && break; sleep 0.1; done
expect 0 status run.h5; prints running; prints ETA
expect 0 status run.h5 --json; is_json out; prints '"state": "running"'
expect 5 long.cfg -s time.end=4000.0 -o run.h5; says run.h5
expect 0 status run.h5; prints running
kill -TERM $pid; wait $pid
expect 0 status run.h5; prints interrupted; prints 'runs wait at a checkpoint'
# what was done before counts, and nothing waits that runs
"$sweep" long.cfg -s time.end=4000.0 -o run.h5 >/dev/null 2>&1 & pid=$!
begun run.h5.d/status.json
expect 0 status run.h5; prints running; prints 'runs would go on from a checkpoint'
grep -q '"fraction": 0\.[0-9]*[1-9]' run.h5.d/status.json || fail 'a sweep that goes on begins at 0'
kill -TERM $pid; wait $pid
for signal in TERM USR1 HUP; do
    env --default-signal=$signal "$sweep" long.cfg -j 1 -o $signal.h5 >out 2>err & pid=$!  # also under nohup
    begun $signal.h5.d; kill -$signal $pid; wait $pid; code=$?
    [ $code = 75 ] || fail "SIG$signal: exit code $code, expected 75"
done

# ---- no room
"$sweep" list >/dev/full 2>err; [ $? = 5 ] || fail "list to a full disk: exit code $?, expected 5"
says 'standard output'
(ulimit -f 40; "$sweep" long.cfg -j 1 -o limit.h5 >out 2>err; [ $? = 5 ] && grep -q 'File too large' err) ||
    fail "a limit on the size of files: expected exit code 5 and 'File too large'"
expect 0 long.cfg -o limit.h5; same limit.h5 whole.h5
mkdir full
disk() {  # a disk of 300 kB in full/; two runs of the sweep, with more room for the second; what it wrote is kept
    mount -t tmpfs -o size=300k tmpfs full || { touch no_mount; exit; }
    "$sweep" long.cfg -j 1 -o full/x.h5 -s run.batch=4 2>err; echo $? >code
    mount -o remount,size=4m tmpfs full
    "$sweep" long.cfg -j 1 -o full/x.h5 -s run.batch=4 2>again; echo $? >>code
    cp full/x.h5 room.h5
}
export -f disk
export sweep
unshare -m --map-root-user bash -c disk 2>/dev/null || touch no_mount
if [ -e no_mount ]; then
    echo "# skipped: full disk: cannot mount one here"
else
    [ "$(tr '\n' ' ' <code)" = "5 0 " ] || fail "full disk: exit codes $(tr '\n' ' ' <code), expected 5 and 0"
    says 'No space left on device; make room, then run the same command again'
    grep -q 'of 40 runs left' again || fail "a full disk lost what was there: $(cat again)"
    same room.h5 whole.h5
fi

# ---- show
expect 0 show results/small.h5; prints seed; prints done
expect 0 show results/small.h5 --csv; [ "$(wc -l <out)" = 9 ] || fail "show --csv has not 9 lines"
prints 'run,a,seed,status'
expect 0 show results/small.h5 --json; is_json out
expect 0 show results/small.h5 --run 3; prints run_id
grep -E '^(t_reached|wall_time) ' out | grep -qE '[1-9][0-9.]{11}' && fail 'numbers for people have more than 10 digits'
id=$("$sweep" show results/small.h5 --csv | awk -F, 'NR == 5 {print $(NF - 1)}')
expect 0 show results/small.h5 --run "$id"; prints "$id"
expect 2 show results/small.h5 --run 99; says 'no run 99'
expect 5 show missing.h5; says missing.h5
expect 5 status missing.h5; says missing.h5
expect 5 resume missing.h5; says missing.h5
head -c 3000 results/small.h5 >torn.h5; expect 5 show torn.h5; says torn.h5

# ---- plot
expect 5 plot missing.h5; says missing.h5
SWEEP_SHARE=$tmp/nowhere expect 5 plot results/small.h5; says plot.py
SWEEP_PYTHON=$tmp/nopython expect 4 plot results/small.h5; says python3-h5py
if [ -n "$python" ] && py -c 'import matplotlib' 2>/dev/null; then
    SWEEP_PYTHON=$python expect 0 plot results/small.h5 --kind spacetime --run 0 -o picture.png
    [ -s picture.png ] || fail "no picture"
    # where the system's Python lacks a package that of the PATH draws, if it has them; it is tried once
    mkdir -p lacks path
    echo 'raise ImportError("No module named h5py")' >lacks/h5py.py
    printf '#!/bin/sh\necho tried >>"%s/tried"; unset PYTHONPATH; exec %s "$@"\n' "$tmp" "$python" \
        >path/python3
    chmod +x path/python3
    PYTHONPATH=lacks SWEEP_PYTHON='' PATH=$tmp/path:$PATH "$python" "$top/scripts/plot/plot.py" results/small.h5 \
        -o other.png >out 2>err || fail 'the other Python'
    [ -s other.png ] && [ "$(wc -l <tried)" = 1 ] || fail 'the other Python did not draw'
    sed -i 's/unset PYTHONPATH; //' path/python3
    PYTHONPATH=$tmp/lacks SWEEP_PYTHON='' PATH=$tmp/path:$PATH "$python" "$top/scripts/plot/plot.py" results/small.h5 \
        -o none.png >out 2>err && fail 'no Python can draw'
    says 'install python3-h5py and python3-matplotlib'; [ "$(wc -l <tried)" = 2 ] || fail 'it was not tried once'
else
    echo "# skipped: plot: no python3 with matplotlib"
fi

summary
