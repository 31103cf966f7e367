#!/bin/bash
# sweep status of a sweep in shards: what each is at, as files tell, and as a Slurm of our own tells; from a terminal of
# 80 columns; a thousand shards; --watch.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
subcommand=status
cat >n.cfg <<'CFG'
problem = "cahn_hilliard";
grid    = { n = 64; length = "2*pi*4"; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.001; end = "until"; };
sweep   = { seed = "range(1, 10)"; until = [1.0]; };
initial = "0.05*randn(seed)";
output  = { file = "r/n.h5"; scalars = { every = "end/20"; }; };
run     = { device = "cpu"; };
stepper = "cpu.plain";
CFG
host=$(hostname)
# watched TEXT FILE: what --watch draws on a terminal goes to page, until it has drawn TEXT, a minute at most
watched() {
    : >page
    script -qfec "stty rows 50 cols 80; echo \$\$ >watching; exec '$sweep' status $2 --watch" /dev/null \
        >page </dev/null 2>err & local terminal=$!
    for ((k = 0; k < 600; k++)); do
        grep -q -- "$1" page && break
        kill -0 $terminal 2>/dev/null || break
        sleep 0.1
    done
    kill "$(cat watching)" 2>/dev/null || fail '--watch on a terminal has ended by itself'
    wait $terminal
}

# ---- one file, before anything of it is on disk: it lives, and dies
long=(-s 'sweep.until=[40000.0]' -o r/one.h5)
"$sweep" run n.cfg -q -j 1 "${long[@]}" & pid=$!
begun r/one.h5.d/status.json
expect 0 r/one.h5; matches "^r/one.h5  running \(process $pid, "
subcommand=
expect 5 show r/one.h5; says "nothing of it is on disk yet; process $pid on $host computes it"
expect 5 resume r/one.h5; says "process $pid on $host computes it"
expect 5 merge r/one.h5 -o r/all.h5; says "r/one.h5 is not there yet: process $pid on $host computes it; merge when"
subcommand=status
kill -9 $pid; wait $pid 2>/dev/null
expect 0 r/one.h5; matches '^r/one.h5  interrupted before its first checkpoint; sweep run CONFIG -o r/one.h5 begins'
matches "^died     process $pid on this machine is gone"
expect 0 r/one.h5 --json; is_json out; prints '"state": "interrupted"'; prints '"pending": 10'
subcommand= expect 5 resume r/one.h5
says "process $pid on $host is gone, which ended before its first checkpoint: \`sweep run CONFIG -o r/one.h5\`"
rm -r r

# ---- in a container of the same name its number is another process's here, or nobody's: its lock says that it lives
if unshare --pid --fork --mount-proc true 2>err; then
    unshare --pid --fork --kill-child --mount-proc "$sweep" run n.cfg -q -j 1 "${long[@]}" & pid=$!
    begun r/one.h5.d/lock
    for ((k = 0; k < 500; k++)); do [ -s r/one.h5.d/lock ] && break; sleep 0.01; done
    expect 0 r/one.h5; matches '^r/one.h5  running \(process 1, '
    begun r/one.h5.d/status.json
    expect 0 r/one.h5; matches '^r/one.h5  running \(process 1, '
    expect 0 r/one.h5 --json; prints '"state": "running"'
    subcommand= expect 5 resume r/one.h5; says "process 1 on $host computes it"
    subcommand= expect 5 run n.cfg "${long[@]}"; says "r/one.h5 is being written by process 1 on $host; wait for it"
    for ((k = 0; k < 20; k++)); do "$sweep" status r/one.h5 & done >asked 2>&1; wait $(jobs -p | grep -v $pid)
    [ "$(grep -c ' running ' asked)" = 20 ] || fail 'twenty that ask at once'
    kill -9 $pid; wait $pid 2>/dev/null
    for ((k = 0; k < 500; k++)); do flock -n r/one.h5.d/lock true && break; sleep 0.01; done
    expect 0 r/one.h5; prints interrupted; matches '^died     process 1 on this machine is gone'
    rm -r r
else skipped "containers: $(cat err)"; fi

# ---- refusals
expect 5 n.cfg; says 'r/n.h5: there is no such file'
expect 5 r/n.h5; says 'r/n.h5: there is no such file'
expect 5 absent.cfg; says 'cannot read absent.cfg: No such file'
expect 2 r/n.h5 --shards 4; says '--shards 4: there is no shard of r/n.h5 that is one of 4'
expect 2 r/n.h5 --watch --json; says 'not both'
expect 2; says 'needs FILE|CONFIG'
sed 's/time /tiem /' n.cfg >wrong.cfg
expect 3 wrong.cfg; says "unknown key 'tiem"
mkdir -p r/other.h5.jobs; echo --nonsense >r/other.h5.jobs/arguments
expect 2 r/other.h5; says "unknown option '--nonsense'"
printf '%s\n' --shards 3 >r/other.h5.jobs/arguments
expect 5 r/other.h5; says 'other.h5.jobs/sweep.cfg'
rm -r r/other.h5.jobs

# ---- done, stopped, running, waiting
"$sweep" run n.cfg -q --shard 1/5 || fail 'shard 1'
"$sweep" run n.cfg -q --shard 2/5 || fail 'shard 2'
expect 0 r/n.h5; prints 'r/n.h5  5 shards: 2 done, 3 waiting'; prints 'runs     10: 4 done, 6 pending'
prints 'now      40 %'; prints 'done     1-2'; prints 'waiting  3-5'; silent err
prints 'next     sweep run CONFIG --shard 3/5 -o r/n.h5'
expect 0 r/n.h5 --json; is_json out; prints '"state": "interrupted"'; prints '"nshards": 5'
expect 0 r/n.shard-1-of-5.h5; prints finished
expect 2 r/n.h5 --shards 4; says '--shards 4: there is no shard'
cp r/n.shard-1-of-5.h5 r/n.shard-1-of-2.h5
expect 2 r/n.h5; says 'was cut in several ways'; says '--shards N'
expect 0 r/n.h5 --shards 5; prints '2 done, 3 waiting'
rm r/n.shard-1-of-2.h5

# ---- a folder that breaks off in the middle is an error: shards that are there do not wait
for k in 1 2 3 4; do
    FAIL_KIND=readdir FAIL_AT=$k FAIL_LOG=$tmp/log LD_PRELOAD=$(dirname "$sweep")/fail_nth.so expect 5 r/n.h5
    says 'r: Input/output error'; grep -q fired log || fail 'readdir did not fail'; silent out
done

# ---- a shard of another sweep is not counted as one of this: it is the config that says which is meant, or the first
"$sweep" run n.cfg -q --shard 3/5 -s physics.gamma=2.0 -o r/n.h5 || fail 'a shard of another sweep'
expect 0 n.cfg; prints '5 shards: 2 done, 1 foreign, 2 waiting'; prints 'runs     10: 4 done, 6 pending'
matches '^       3  foreign          0/2         0%  .*of another sweep, [0-9a-f]{12}; this one is [0-9a-f]{12}$'
matches '^next     move away what is of another sweep, r/n.shard-3-of-5.h5[*]: it cannot be merged$'
prints 'now      40 %'
subcommand= expect 5 merge r/n.shard-*-of-5.h5 -o r/all.h5; says 'are of different sweeps'
expect 0 r/n.h5; prints '2 done, 1 foreign, 2 waiting'
matches 'another sweep, [0-9a-f]{12}; shard 1 is of [0-9a-f]{12}$'
expect 0 r/n.h5 --json; is_json out; prints '"foreign": 1'; prints '"message": "of another sweep, '
prints '"sweep_id": "'
sed 's/gamma = 1.0/gamma = 2.0/' n.cfg >two.cfg
expect 0 two.cfg; prints '1 done, 2 foreign, 2 waiting'; prints ', and the others: it'
rm r/n.shard-3-of-5.h5
expect 0 r/n.h5 --shards 5; prints '2 done, 3 waiting'
"$sweep" run n.cfg -q -j 1 -s 'sweep.until=[4000.0]' -o r/n.h5 --shard 4/5 & pid=$!
begun r/n.shard-4-of-5.h5.d/status.json
expect 0 n.cfg; prints '2 done, 1 foreign, 2 waiting'
matches "^       4  foreign .*$host process $pid  of another sweep"
kill -9 $pid; wait $pid 2>/dev/null; rm -r r/n.shard-4-of-5.h5.d
"$sweep" run n.cfg -q -j 1 -s 'sweep.until=[4000.0]' -s output.file=r/long.h5 --shard 2/5 & pid=$!
begun r/long.shard-2-of-5.h5.d/status.json
for ((k = 0; k < 100; k++)); do grep -q '"eta": [0-9]' r/long.shard-2-of-5.h5.d/status.json && break; sleep 0.1; done
expect 0 r/long.h5; prints '5 shards: 1 running, 4'
matches "^       2  running          0/[0-9]+ .* [0-9].*e\+.* $host process $pid\$"; prints ' with the 1 that runs'
expect 0 r/long.h5 --json; is_json out; prints '"state": "running"'; prints "\"pid\": $pid"; prints '"eta_seconds": '
kill -9 $pid; wait $pid 2>/dev/null; rm -r r/long.shard-2-of-5.h5.d
# one whose parent asks for no child's end: it stays, as a zombie
("$sweep" run n.cfg -q -j 1 -s 'sweep.until=[4000.0]' -s output.file=r/long.h5 --shard 2/5 & echo $! >pid
 exec sleep 100) & parent=$!
begun r/long.shard-2-of-5.h5.d/status.json; pid=$(cat pid); kill -9 $pid
for ((k = 0; k < 100; k++)); do grep -q ') Z' /proc/$pid/stat && break; sleep 0.1; done
expect 0 r/long.h5; prints '1 died'; prints "process $pid on this machine is gone"
kill $parent; wait $parent 2>/dev/null
prints 'run the command of each shard that is not running again'

# its number has gone to another process: ours, which is alive
sed -i "s/\"pid\": $pid/\"pid\": $$/" r/long.shard-2-of-5.h5.d/status.json
expect 0 r/long.h5; prints '1 died'

# ---- what is told of by another machine: the age of what it last wrote decides, by the clock of the files
state=r/long.shard-2-of-5.h5.d/status.json
sed -i 's/"host": "[^"]*"/"host": "node07"/' "$state"
expect 0 r/long.h5; prints '1 running'; prints 'node07 process'
touch -d '14 minutes ago' "$state"
expect 0 r/long.h5; prints '1 silent'; matches 'node07 process [0-9]+: no sign of life for (840 s|14 min)'
expect 0 r/long.h5 --json; is_json out; prints '"state": "silent"'; matches '"seconds_since_sign_of_life": 84[0-9]'
touch -d '3 hours' "$state"
expect 0 r/long.h5; prints '1 silent'; matches 'wrote (180 min|3.0 h) in the future: a clock is wrong'
# our own clock is a day off: the same
touch "$state"
JUMP=-86400 LD_PRELOAD=$(dirname "$sweep")/jump_clock.so expect 0 r/long.h5; prints '1 running'
# only its lock is there yet
rm "$state"
echo -n 'process 77 on node08' >r/long.shard-2-of-5.h5.d/lock
expect 0 r/long.h5; prints '1 running'; prints 'starting, node08 process 77'
expect 0 r/long.shard-2-of-5.h5; prints 'running (process 77, starting)'
grep -qi -e nan -e '^runs' -e '^now' -e '^rate' out && fail 'it tells what is not known'
expect 0 r/long.shard-2-of-5.h5 --json; is_json out
for key in fraction t end points_steps_per_second eta_seconds updated; do prints "\"$key\": null"; done
# before its first part it alone knows its runs: 3 of 10 were there, one of these had diverged, 4 more have come to an
# end, one of these diverged; alone and among the shards it says the same
cat >r/long.shard-2-of-5.h5.d/status.json <<'JSON'
{ "pid": 77, "host": "node08", "phase": "computing", "asked": 10, "was_done": 2, "was_failed": 1, "runs": 7, "done": 4,
  "failed": 1, "fraction": 0.5, "rate": 1e6, "eta": 20, "t": 1, "end": 2 }
JSON
expect 0 r/long.shard-2-of-5.h5; prints 'runs     10: 5 done, 2 diverged, 0 failed, 3 pending'
expect 0 r/long.h5; prints 'runs     10: 5 done, 2 diverged, 3 pending'
rm -rf r/long.*
subcommand= slowly 0.005 expect 75 run n.cfg -j 1 -s 'sweep.until=[40000.0]' \
    -s output.file=r/long.h5 --shard 2/5 --max-time 0.5s
expect 0 r/long.h5; prints '5 shards: 1 stopped, 4 waiting'; prints 'stopped  2'; prints '10 pending'
expect 0 r/long.shard-2-of-5.h5; prints 'interrupted'; prints 'wait at a checkpoint'
rm -rf r/long.*

# ---- what it says to type can be typed, whatever the file is called
for shard in 1 2; do "$sweep" run n.cfg -q --shard $shard/2 -o "r/it's 1.h5" || fail "it's 1.h5"; done
expect 0 "r/it's 1.h5"; prints "next     sweep merge 'r/it'\\''s 1'.shard-*-of-2.h5 -o 'r/it'\\''s 1.h5'"
command=$(sed -n 's/^next     sweep //p' out)
eval "$sweep $command" >out 2>err || fail "$command"
expect 0 "r/it's 1.h5"; prints '10 done'
rm r/it*
subcommand= slowly 0.005 expect 75 run n.cfg -j 1 -s 'sweep.until=[40000.0]' -o 'r/t 1.h5' --max-time 0.5s
expect 0 'r/t 1.h5'; prints "; sweep resume 'r/t 1.h5' continues it"
subcommand= expect 5 merge 'r/t 1.h5' -o r/all.h5; says "by \`sweep resume 'r/t 1.h5'\`"
rm -r r/t*

# ---- files that change under its eyes: many parts come and go, and nothing is warned of
"$sweep" run n.cfg -q -j 1 -s 'sweep.seed="range(1, 200)"' -s run.batch=1 -s 'sweep.until=[0.2]' \
    -s output.file=r/busy.h5 --shard 1/2 & pid=$!
begun r/busy.shard-1-of-2.h5.d
looks=0
while kill -0 $pid 2>/dev/null; do
    expect 0 r/busy.h5; silent err
    looks=$((looks + 1))
done
wait $pid || fail 'busy'
[ $looks -gt 2 ] || fail "only $looks looks"
expect 0 r/busy.h5; prints '1 done, 1 waiting'; prints 'runs     200: 100 done, 100 pending'

# ---- a Slurm of our own
mkdir bin r/n.h5.jobs
cp n.cfg r/n.h5.jobs/sweep.cfg
printf '%s\n' --shards 5 >r/n.h5.jobs/arguments
printf '%s\n' 17 23 >r/n.h5.jobs/jobs
printf '#!/bin/sh\necho "$@" >%s/asked\ncat %s/queue\n' "$tmp" "$tmp" >bin/squeue
printf '#!/bin/sh\ncat %s/past\n' "$tmp" >bin/sacct
chmod +x bin/*
printf '17_1|COMPLETED\n17_3|FAILED\n17_4|TIMEOUT\n17_[5]|PENDING\n23_4|CANCELLED by 0\n' >past
printf '17 5 PENDING Priority\n' >queue
printf 'shard 3 of 5\nerror: no CUDA device\n' >r/n.h5.jobs/shard-3.log
slurm() { PATH=$tmp/bin:$PATH expect 0 "$@"; }
slurm r/n.h5; prints '5 shards: 2 done, 2 failed, 1 queued'; prints 'job 17_3 FAILED'
prints 'log: error: no CUDA device'
prints 'job 23_4 CANCELLED'; prints 'queued   5'; prints 'next     sweep submit --missing r/n.h5'
grep -qx -- '-h -r -j 17,23 -o %F %K %T %r' asked || fail "squeue was asked for $(cat asked)"
slurm r/n.h5 --json; is_json out; prints '"job": "17_5"'; prints '"job_state": "PENDING"'; prints '"reason": "Priority"'
printf '23 3 RUNNING None\n23 4 PENDING Resources\n17 5 PENDING Priority\n' >queue
slurm r/n.h5; prints '2 done, 1 running, 2 queued'; prints 'starting'
grep -q 'CANCELLED: ' out && fail "a user's number as a reason: $(cat out)"
printf '#!/bin/sh\necho "slurm_load_jobs error: Invalid job id specified" >&2; exit 1\n' >bin/squeue; rm bin/sacct
slurm r/n.h5; prints '2 done, 3 waiting'; silent err
# a job that has left the queue while we watch, where nobody keeps accounts
printf '#!/bin/sh\n[ -e gone ] && exit 1\n: >gone\necho "23 3 RUNNING None"\n' >bin/squeue
if command -v script >/dev/null; then
    PATH=$tmp/bin:$PATH watched '2 done, 3 waiting' r/n.h5
    grep -q '2 done, 1 running, 2 waiting' page || fail "the job of the first look: $(cat page)"
    grep -q '2 done, 3 waiting' page || fail "a job that is gone is taken to run: $(cat page)"
fi
: >r/n.h5.jobs/jobs
slurm r/n.h5; prints '2 done, 3 waiting'
for k in 3 4 5; do "$sweep" run n.cfg -q --shard $k/5 || fail "shard $k"; done
echo 'not merged: of 5 shards' >r/n.h5.jobs/merge.log
expect 0 r/n.h5; prints '5 shards: 5 done'; prints 'log: not merged: of 5 shards'
prints 'next     all shards are done; the merge is a job of its own: r/n.h5.jobs/merge.log'
rm -r r/n.h5.jobs
expect 0 r/n.h5; prints 'next     sweep merge r/n.shard-*-of-5.h5 -o r/n.h5'

# ---- --watch: lines where stdout is no terminal, and an end when all is in
rm r/n.shard-4-of-5.h5
"$sweep" status n.cfg --watch >lines 2>&1 & watcher=$!
begun lines; sleep 0.5
"$sweep" run n.cfg -q --shard 4/5 || fail 'shard 4'
for ((k = 0; k < 100; k++)); do kill -0 $watcher 2>/dev/null || break; sleep 0.1; done
kill $watcher 2>/dev/null && fail '--watch goes on though all is in'
wait $watcher || fail "--watch: exit code $?: $(cat lines)"
grep -qE '^20[0-9-]*T[0-9:]*Z  80 %  4 done, 1 waiting$' lines || fail "--watch: $(cat lines)"
tail -n 1 lines | grep -q '100 %  5 done$' || fail "--watch, at the end: $(cat lines)"
grep -q "$(printf '\033')" lines && fail '--watch draws where there is no terminal'
subcommand= expect 0 merge r/n.shard-*-of-5.h5 -o r/n.h5
expect 0 r/n.h5; prints finished
expect 0 r/n.h5 --watch; prints finished

# ---- a thousand shards that run, on a terminal of 80 columns
cat >many.sh <<'SH'
for k in $(seq 1000); do
    mkdir "r/many.shard-$k-of-1000.h5.d"
    cat >"r/many.shard-$k-of-1000.h5.d/status.json" <<JSON
{"pid": $k, "host": "node$k", "phase": "computing", "updated": 1.0, "started": 12.0, "asked": 64, "was_done": 0,
 "was_failed": 0, "points_steps": 1e9, "runs": 64, "done": 16, "failed": 1, "seconds": 100.0, "fraction": 0.25,
 "rate": 1.0e7, "eta": $((300 + k)), "t": 1.0, "end": 4.0}
JSON
done
SH
. ./many.sh
began=$EPOCHREALTIME
expect 0 r/many.h5
took=$(echo "$began $EPOCHREALTIME" | awk '{print $2 - $1}')
prints '1000 shards: 1000 running'; prints 'runs     64000: 15000 done, 1000 diverged, 48000 pending'
prints 'now      25 %'; prints '1e+10 points·steps/s'; prints 'ETA 21:40 with the 1000 that run'
matches '^    1000  running   '; prints 'running  1-980'
[ "$(wc -l <out)" -le 26 ] || fail "$(wc -l <out) lines for a thousand shards"
expect 0 r/many.h5 -v; [ "$(grep -c '  running ' out)" = 1000 ] || fail '-v does not list them all'
awk -v t="$took" 'BEGIN {exit t > 20}' || fail "a thousand shards took $took s"
if command -v script >/dev/null; then
    for columns in 80 120; do
        script -qec "stty rows 50 cols $columns; '$sweep' status r/many.h5" /dev/null >page </dev/null 2>err
        [ "$(tr -d '\r' <page | awk '{if (length($0) > n) n = length($0)} END {print n}')" -le $columns ] ||
            fail "$columns columns: $(cat page)"
    done
    touch -d '1 hour ago' r/many.shard-{1..999..2}-of-1000.h5.d/status.json
    watched '500 running, 500 silent' r/many.h5
    grep -q '500 running, 500 silent' page || fail "--watch on a terminal: $(cat page)"
    grep -qF "$(printf '\033[H')" page || fail '--watch does not draw on a terminal'
else
    echo '# skipped: a terminal: no script(1)'
fi
summary "1000 shards in $took s"
