#!/bin/bash
# What run, merge, status and show suggest can be typed as it stands, and works: each suggestion is performed here.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
mkdir bin && ln -s "$sweep" bin/sweep
performed=0
[ -z "$python" ] || py_plots

# Commands in what the program said: after "next", and in backquotes. CONFIG is the user's to fill in.
commands() {
    { sed -n 's/^next  *\(sweep .*\)/\1/p' out err
      grep -ohE '`sweep [^`]*`' out err | tr -d '`'
      sed -n 's/.*; \(sweep resume .*\) continues it$/\1/p
              s/.*checkpoint; \(sweep run .*\) begins again$/\1/p' out; } |
        sed "s/\\bCONFIG\\b/$config/"
}
# suggests COUNT [TEXT...]: so many commands, with these among them, all of which end with 0
suggests() {
    local count=$1 command
    shift
    commands >suggested
    [ "$(wc -l <suggested)" = "$count" ] || fail "suggests $(wc -l <suggested) commands, not $count: $(cat suggested)"
    for text; do grep -qxF -- "$text" suggested || fail "does not suggest: $text"; done
    mv suggested to_do
    while read -r command; do
        case $command in *' plot '*) [ -n "$python" ] || continue ;; esac
        PATH=$tmp/bin:$PATH SWEEP_SHARE=$top/scripts/plot timeout 120 bash -c "$command" >out 2>err </dev/null ||
            fail "'$command' ends with $?"
        performed=$((performed + 1))
    done <to_do
}
draws() { [ -z "$python" ] || prints ".$1.png"; }    # draws KIND: the picture just drawn is of that kind
heat() {  # heat FILE SETTING...: a config
    cat >"$1" <<'CFG'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = 1.0; };
time    = { dt = 0.001; end = 0.01; };
run     = { device = "cpu"; };
CFG
    grep -q initial <<<"$*" || echo 'initial = "cos(2*pi*x)";' >>"$1"
    printf '%s;\n' "${@:2}" >>"$1"
    config=$1
}
fields='output = { fields = { times = "linspace(0, end, 3)"; }; }'
series='output = { scalars = { every = "end/5"; }; }'
exact='exact = "cos(2*pi*x)*exp(-4*pi^2*kappa*t)"'

# ---- a field over x and t: the run that is named is in the file, and is done
heat a.cfg 'sweep = { a = [0.0, 0.5, 2.0, 3.0]; }' 'initial = "1/(x - a)"' "$fields"
expect 1 run a.cfg -o a.h5; says 'at x = 0.5'
suggests 2 'sweep show a.h5 --status diverged' 'sweep plot a.h5'; draws spacetime
expect 1 run a.cfg -o a.h5; says 'nothing to do: 2 done, 2 diverged'
suggests 2 'sweep plot a.h5'
expect 0 run a.cfg -o "it's b.h5" --only 'a > 2.5'
suggests 1 "sweep plot 'it'\\''s b.h5'"
expect 1 run a.cfg -o none.h5 --only 'a < 1'
suggests 1 'sweep show none.h5 --status diverged'
expect 0 run a.cfg -o one.h5 --only 'a > 2.5' -s 'output.fields.times=[0.01]'
suggests 1 'sweep plot one.h5'; draws lines

# ---- shards, and what merges them
heat s.cfg 'sweep = { a = [0.0, 2.0, 3.0, 4.0]; }' 'initial = "1/(x - a)"' "$fields"
expect 1 run s.cfg -o s.h5 --shard 1/2
suggests 2 'sweep show s.shard-1-of-2.h5 --status diverged' 'sweep plot s.shard-1-of-2.h5'
expect 0 status s.h5; suggests 1 'sweep run s.cfg --shard 2/2 -o s.h5'
rm s.shard-2-of-2.h5
expect 0 run s.cfg -o s.h5 --shard 2/2; suggests 1 'sweep plot s.shard-2-of-2.h5'
expect 0 status s.h5
commands >suggested; grep -qxF 'sweep merge s.shard-*-of-2.h5 -o s.h5' suggested || fail 'does not suggest the merge'
expect 1 merge s.shard-*-of-2.h5 -o s.h5   # its code tells of the run that diverged
suggests 2 'sweep show s.h5 --status diverged' 'sweep plot s.h5'

# ---- stopped, and where nothing is on disk yet
heat long.cfg "$series" 'stepper = "cpu.plain"'
sed -i 's/end = 0.01/end = 2000.0/' long.cfg
slowly 0.005 expect 75 run long.cfg -o long.h5 --max-time 0.2s; says 'the same command again'
expect 0 status long.h5; prints interrupted
suggests 1 'sweep resume long.h5'
expect 0 run long.cfg -o long.h5; says 'nothing to do: 1 done'

# ---- series: a line a run, and where there are too many of them their last values
heat r.cfg "$series" 'sweep = { mode = "random"; a = "uniform(0.5, 1)"; }' 'initial = "a*cos(2*pi*x)"' \
    'sample = { count = 70; }'
expect 0 run r.cfg -o r.h5; suggests 1 'sweep plot r.h5'; draws curves
expect 0 run r.cfg -o r8.h5 --only 'run < 8'; suggests 1 'sweep plot r8.h5'; draws lines
heat p.cfg 'sweep = { a = "linspace(0.5, 1, 10)"; b = [1.0, 2.0]; }' 'initial = "a*b*cos(2*pi*x)"' "$series"
expect 0 run p.cfg -o p.h5; suggests 1 'sweep plot p.h5'; draws lines

# ---- numbers at the end alone: over the axes; of one run there is nothing to draw
end='output = { scalars = { times = ["end"]; define = { top = "max(u)"; }; }; }'
heat e.cfg "$end" 'sweep = { a = "linspace(0.5, 1, 10)"; b = "linspace(1, 2, 10)"; }' 'initial = "a*b*cos(2*pi*x)"'
expect 0 run e.cfg -o e.h5; suggests 1 'sweep plot e.h5'; draws heatmap
expect 0 run e.cfg -o e0.h5 --only 'b == 1'; suggests 1 'sweep plot e0.h5'; draws curves
expect 0 run e.cfg -o e1.h5 --only 'run == 7'; suggests 1 'sweep show e1.h5'

# ---- convergence: two points on a line, or another picture
heat n.cfg 'sweep = { m = [16, 32]; k = [0.5, 1.0]; }' "$exact" "$series"
sed -i 's/n = 16/n = "m"/; s/kappa = 1.0/kappa = "k"/' n.cfg
expect 0 run n.cfg -o n.h5; suggests 1 'sweep plot n.h5'; draws convergence
expect 0 run n.cfg -o n1.h5 --only 'm < 20'; suggests 1 'sweep plot n1.h5'; draws lines
expect 0 run n.cfg -o zip.h5 -s 'sweep.mode="zip"'; suggests 1 'sweep plot zip.h5'; draws lines
heat bare.cfg "$exact"
expect 0 run bare.cfg -o bare.h5; suggests 1 'sweep show bare.h5'

# ---- problems without time, and of two dimensions
cat >bvp.cfg <<'CFG'
problem = "bvp"; grid = { n = "n"; }; sweep = { n = [64, 128]; };
f = "pi^2/4*cos(pi*x/2)"; exact = "cos(pi*x/2)";
CFG
config=bvp.cfg
expect 0 run bvp.cfg -o bvp.h5; suggests 1 'sweep plot bvp.h5'; draws convergence
expect 0 run bvp.cfg -o bvp1.h5 --only 'n == 64'; suggests 1
cat >flow.cfg <<'CFG'
problem = "advection"; grid = { n = [16, 16]; length = [1.0, 1.0]; }; velocity = { x = 1.0; };
time = { dt = 0.01; end = 0.02; }; initial = "sin(2*pi*x)";
output = { fields = { times = "linspace(0, end, 3)"; }; };
CFG
config=flow.cfg
expect 0 run flow.cfg -o flow.h5; suggests 1 'sweep plot flow.h5'; draws image

# ---- show --status
expect 0 show a.h5 --status diverged; prints '2 of 4 runs diverged'; prints 'at x = 0.5 (i = 8)'
[ "$(grep -c 'diverged ' out)" = 3 ] || fail 'not the two runs that diverged'
expect 0 show a.h5 --status done --csv; [ "$(wc -l <out)" = 3 ] || fail 'not the two that are done'
expect 0 show a.h5 --status error --json; is_json out; prints '"runs": []'
expect 2 show a.h5 --status bad; says "--status takes pending, done, diverged or error; got 'bad'"
expect 2 show a.h5 --status done --run 2; says 'not both'
expect 2 run a.cfg --status done; says "has no option '--status'"
summary "$performed suggestions performed"
