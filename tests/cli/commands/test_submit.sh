#!/bin/bash
# sweep submit without a Slurm: what it prints, what it refuses. tests/cli/commands/test_slurm.sh has the real thing.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
config="$top/configs/tiny_ch.cfg"
subcommand=submit
mkdir bin; for tool in sh hostname date; do ln -s "$(command -v $tool)" bin; done
full=$PATH
says_usage() { [ ! -e t.h5.jobs ] || fail 'a folder was made'; says "$1"; }

expect 2; says 'needs CONFIG, or --missing FILE'
expect 2 "$config" -o t.h5; says_usage 'needs --shards N'
expect 2 "$config" -o t.h5 --shards 0; says_usage '--shards takes a whole number from 1 to'
expect 2 "$config" -o t.h5 --shards 1000; says_usage 'there are only'
expect 2 "$config" -o t.h5 --shards 2 --gpus-per-shard few; says_usage '--gpus-per-shard takes a whole number from 0 to'
for time in 1h 1:2:3:4 -5 1- : 0:30 2-; do
    expect 2 "$config" -o t.h5 --shards 2 --time="$time"; says_usage "got '$time'"
done
expect 2 "$config" -o t.h5 --shards 2 "--only=a >
0"; says_usage 'line break'
expect 2 "$config" more.cfg; says "does not take 'more.cfg'"
expect 5 --missing t.h5; says 'there is no t.h5.jobs/arguments'
mkdir t.h5.jobs; : > t.h5.jobs/arguments
expect 2 --missing t.h5; says '`arguments` beside t.h5.jobs/sweep.cfg is missing'
subcommand=status expect 2 t.h5; says 'is missing'
rm -r t.h5.jobs
expect 2 --missing t.h5 --shards 3; says 'does not take --shards'
expect 2 run "$config" --shards 3 2>/dev/null; says "does not take"
expect 3 "$config" -o t.h5 --shards 2 -s time.dt=-1; says 'time.dt'
PATH="$tmp/bin" expect 4 "$config" -o t.h5 --shards 2; says_usage 'no sbatch here'; says '--print'

# ---- the scripts
expect 0 "$config" -o 't 1.h5' --shards 2 --max-parallel 1 --time 1-02:00:00 --partition gpu --account 'my project' \
    --gpus-per-shard 1 --cpus-per-shard 4 -s 'title="it'"'"'s"' --only 'a >= 0' --print
[ ! -e 't 1.h5.jobs' ] || fail '--print left a folder'
prints '#SBATCH --array=1-2%1'
prints '#SBATCH --time=1-02:00:00'
prints '#SBATCH --partition=gpu'
prints "#SBATCH --account='my project'"
prints '#SBATCH --cpus-per-task=4'
prints '#SBATCH --gres=gpu:1'
prints '#SBATCH --signal=B:USR1@120'
prints "#SBATCH --output='$tmp/t 1.h5.jobs/shard-%a.log'"
prints "--device cuda"
sh -n out || fail 'the script is no shell'
sed -n '/^# ---- the second job/,$p' out >merge.sh
sh merge.sh >log 2>&1 && fail 'merged without shards'
grep -qF "to continue: sweep submit --missing '$tmp/t 1.h5'" log || fail "merge.sh: $(cat log)"
expect 0 "$config" -o t.h5 --shards 1 --time 4 --print; prints 'USR1@60'
expect 0 "$config" -o t.h5 --shards 1 --print; cp out one.sh

# ---- an sbatch of our own: what it is asked for, and what --missing remembers
printf '#!/bin/sh\nprintf "<%%s>" "$@" >>%s/asked\necho "17;cluster"\n' "$tmp" >bin/sbatch
printf '#!/bin/sh\ncat %s/queue\n' "$tmp" >bin/squeue
chmod +x bin/sbatch bin/squeue
ln -s "$(command -v cat)" bin
: >queue
PATH="$tmp/bin"
expect 0 "$config" -o f.h5 --shards 3 --only 'a >= 0' -s time.end=2.0 --gpus-per-shard 1 --time 30 -j 2 -- -C 'a b'
PATH=$full
prints 'shards   job 17: 1-3 of 3'
prints "merge    job 17, after them, into $tmp/f.h5"
jobs=$tmp/f.h5.jobs after='<--dependency=afterany:17>'
[ "$(cat asked)" = "<-C><a b><--parsable><$jobs/shards.sh><-C><a b><--parsable>$after<$jobs/merge.sh>" ] ||
    fail "sbatch was asked for $(cat asked)"
cmp -s "$config" f.h5.jobs/sweep.cfg || fail 'the config was not copied'
cp f.h5.jobs/arguments first
expect 5 "$config" -o f.h5 --shards 3; says 'was submitted before'
printf '17 2\n17 3\n16 1\n4 N/A\n' >queue
PATH="$tmp/bin" expect 0 --missing f.h5 --time 2:00:00 --gpus-per-shard 0; prints '17: 1 of 3'
grep -qF -- '--dependency=afterany:17:17' asked || fail "the merge does not wait for what is in the queue: $(cat asked)"
printf '%s\n' --shards 3 --only 'a >= 0' -s time.end=2.0 --gpus-per-shard 0 --time 2:00:00 -j 2 -- -C 'a b' >second
cmp -s second f.h5.jobs/arguments || fail "arguments: $(cat f.h5.jobs/arguments)"
grep -q gres f.h5.jobs/shards.sh && fail 'a GPU nobody wants any more'
grep -qF -- "--only 'a >= 0' -j 2 -o" f.h5.jobs/shards.sh || fail "shards.sh: $(cat f.h5.jobs/shards.sh)"
rm -f asked; : >queue
PATH="$tmp/bin" expect 0 "$config" -o 'f 1.h5' --shards 3
says "if a shard is lost: sweep submit --missing '$tmp/f 1.h5'"
expect 5 "$config" -o 'f 1.h5' --shards 3; says "submitted before: \`sweep submit --missing '$tmp/f 1.h5'\` submits"
rm -r 'f 1.h5.jobs'
# a number that begins like another one's
echo 171 >>f.h5.jobs/jobs
printf '171 2\n17 3\n' >queue
PATH="$tmp/bin" expect 0 --missing f.h5; prints '17: 1 of 3'
grep -qF -- '--dependency=afterany:171:17:17' asked || fail "the merge does not wait for both jobs: $(cat asked)"
# standard streams that are closed: the answer of sbatch goes to nobody else
for closed in '>&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
    rm -rf c.h5.jobs asked
    (PATH="$tmp/bin"; eval "exec 2>err $closed"; exec "$sweep" submit "$config" -o c.h5 --shards 2)
    [ $? = 5 ] || fail "$closed: standard output did not take it, and that is no error"
    [ "$(cat c.h5.jobs/jobs)" = 17 ] || fail "$closed: the job is not noted"
    grep -qF 'afterany:17><' asked || fail "$closed: no merge: $(cat asked)"
done
# a squeue that fails is no empty queue; where there is none, there is no sbatch either
cp bin/squeue squeue
printf '#!/bin/sh\necho "slurm_load_jobs error: Unable to contact slurm controller" >&2\nexit 1\n' >bin/squeue
: >asked
PATH="$tmp/bin" expect 5 --missing f.h5; says 'Unable to contact slurm controller'; silent asked
says "squeue does not answer, and what is in the queue would be submitted twice; once it does: sweep submit --missing $tmp/f.h5"
PATH="$tmp/bin" expect 0 --missing f.h5 --print; prints '#SBATCH --array=1-3'
mkdir none; PATH="$tmp/none" expect 4 --missing f.h5; says 'no sbatch here'
PATH="$tmp/none" expect 0 --missing f.h5 --print; prints '#SBATCH --array=1-3'
mv squeue bin/squeue
# a list of jobs of which the system cannot say whether it is there: nobody asks squeue, and nothing is submitted twice
at_call=$(dirname "$sweep")/at_call
if "$at_call" true 2>/dev/null; then
    : >asked
    PATH="$tmp/bin" "$at_call" -k 1 -c access -f f.h5.jobs/jobs -a 5 -l fired "$sweep" submit --missing f.h5 >out 2>err
    grep -q ': access .*f.h5.jobs/jobs' fired || fail "no access to the list of jobs failed: $(cat fired)"
    grep -qF '1-3 of 3' out && fail 'what is queued is submitted twice'
else
    skipped 'a list of jobs that cannot be read: no program may be traced here'
fi
# a job that cannot be noted
cp bin/sbatch sbatch
printf '#!/bin/sh\nmkdir %s/lost.h5.jobs/jobs\necho 18\n' "$tmp" >bin/sbatch
ln -s "$(command -v mkdir)" bin
PATH="$tmp/bin" expect 5 "$config" -o lost.h5 --shards 2; says 'job 18 is submitted, but that could not be recorded ('
says 'lost.h5.jobs/jobs: Is a directory'; says 'scancel 18, and once that is mended: sweep submit --missing '
PATH="$tmp/bin" expect 5 --missing lost.h5; says 'lost.h5.jobs/jobs: Is a directory'
rm -r lost.h5.jobs/jobs; mv sbatch bin/sbatch
PATH="$tmp/bin" expect 0 --missing lost.h5; prints '17: 1-2 of 2'
printf '#!/bin/sh\necho "sbatch: error: no such account" >&2\nexit 1\n' >bin/sbatch
: >queue
PATH="$tmp/bin" expect 5 --missing f.h5; says 'sbatch: error: no such account'; says 'did not take'
says 'for the reason above; once that is mended: sweep submit --missing '

# what is printed does what it says, whoever starts it
expect 0 "$config" -o t.h5 --shards 2 --print
cp out job.sh
subcommand=
expect 0 run "$config" -o whole.h5
for k in 1 2; do SLURM_ARRAY_TASK_ID=$k sh job.sh >log 2>&1 || fail "job.sh, task $k: $(cat log)"; done
# a program that is gone, or not on this node, ends the job as a shell says it
sed "s|^.*/sweep'\{0,1\} run|gone/sweep run|" job.sh >gone.sh
SLURM_ARRAY_TASK_ID=1 sh gone.sh >log 2>&1; code=$?
[ $code = 127 ] || fail "gone.sh: exit code $code: $(cat log)"
grep -q gone/sweep log || fail "gone.sh: $(cat log)"
[ "$(wc -l <log)" = 2 ] || fail "gone.sh says more than that: $(cat log)"
sed -n '/^# ---- the second job/,$p' job.sh >merge.sh
mv t.shard-2-of-2.h5 away
sh merge.sh >log 2>&1 && fail 'merged without a shard'
grep -q 'not finished: 2' log || fail "merge.sh: $(cat log)"
mv away t.shard-2-of-2.h5
sh merge.sh >log 2>&1 || fail "merge.sh: $(cat log)"
sh merge.sh >log 2>&1 || fail "a second merge.sh: $(cat log)"
same whole.h5 t.h5
expect 0 submit "$config" -o t.h5 --shards 2; says 'nothing to do: all runs are in'

# ---- only a file that the user wrote is worth a warning that a key has another name now: no copy, nothing stored
subcommand=
{ grep -v '^stepper' "$config"; echo 'solver = "auto";'; } >former.cfg
expect 0 check former.cfg; says "'solver' is now called 'stepper' here"
expect 0 run former.cfg -o former.h5; says 'is now called'
mkdir copy.h5.jobs; cp former.cfg copy.h5.jobs/sweep.cfg
for command in 'check copy.h5.jobs/sweep.cfg' 'status former.h5' 'resume former.h5' 'merge former.h5 -o merged.h5'; do
    expect 0 $command
    grep -q 'is now called' err && fail "$command warns"
done

# ---- one job over nodes, whose processes share the sweep
subcommand=submit
expect 2 "$config" -o n.h5 --shards 2 --nodes 2; says '--shards is for jobs that have a shard each, and --nodes is one'
expect 2 "$config" -o n.h5 --nodes 2 --gpus-per-node 1 --gpus-per-shard 1; says '--gpus-per-shard is for jobs'
expect 2 "$config" -o n.h5 --nodes 2 --ranks-per-node 1 --max-parallel 1; says '--max-parallel is for jobs'
expect 2 "$config" -o n.h5 --shards 2 --gpus-per-node 2; says '--gpus-per-node is for the one job of --nodes N'
expect 2 "$config" -o n.h5 --shards 2 --cpus-per-rank 2; says '--cpus-per-rank is for the one job of --nodes N'
expect 2 "$config" -o n.h5 --nodes 2; says '--nodes takes one of the two: --gpus-per-node G'
expect 2 "$config" -o n.h5 --nodes 2 --gpus-per-node 2 --ranks-per-node 2; says '--nodes takes one of the two'
expect 2 "$config" -o n.h5 --nodes 0; says '--nodes takes a whole number from 1 to 4096'
expect 2 "$config" -o n.h5 --nodes 4096 --ranks-per-node 2 --print; says '8192 processes: a job has 4096 at most'
if ! ldd "$sweep" | grep -q libmpi; then
    expect 4 "$config" -o n.h5 --nodes 2 --ranks-per-node 1 --print; says 'a job of 2 processes takes MPI: '
    summary; exit
fi
cut="$top/configs/tiny_advection.cfg"
runs='-s accuracy.runs=0 -s time.end=8.0 -s run.batch=1'
expect 2 "$cut" -o n.h5 --nodes 2 --ranks-per-node 2 -s run.ranks_per_run=3
says '2 nodes with 2 processes each are 4, which do not form groups of 3 (run.ranks_per_run)'
expect 0 "$cut" -o 'n 1.h5' --nodes 2 --gpus-per-node 4 --time 2:00:00 --partition gpu --cpus-per-rank 8 --print
prints '#SBATCH --nodes=2'; prints '#SBATCH --ntasks-per-node=4'; prints '#SBATCH --gres=gpu:4'
prints '#SBATCH --cpus-per-task=8'; prints '#SBATCH --signal=B:USR1@120'; prints '#SBATCH --partition=gpu'
prints "#SBATCH --output='$tmp/n 1.h5.jobs/job.log'"; prints 'mpirun --bind-to none -n 8'; prints -- '--device cuda'
sh -n out || fail 'the script is no shell'
grep -qE 'array|shard|-j ' out && fail 'the one job has shards'
[ ! -e 'n 1.h5.jobs' ] || fail '--print left a folder'
printf '#!/bin/sh\nprintf "<%%s>" "$@" >>%s/asked\necho "17;cluster"\n' "$tmp" >bin/sbatch
rm -f asked; : >queue
PATH="$tmp/bin" expect 0 "$cut" -o n.h5 --nodes 2 --ranks-per-node 2 $runs \
    -s run.ranks_per_run=2 -- -C 'a b'
prints "job      17: 2 nodes, 2 processes each, into $tmp/n.h5"; says "if it is lost: sweep submit --missing $tmp/n.h5"
[ "$(cat asked)" = "<-C><a b><--parsable><$tmp/n.h5.jobs/job.sh>" ] || fail "sbatch was asked for $(cat asked)"
expect 5 "$cut" -o n.h5 --nodes 2 --ranks-per-node 2; says 'was submitted before'
echo '17 N/A' >queue
PATH="$tmp/bin" expect 0 --missing n.h5; says 'nothing to do: it is in the queue'
expect 2 --missing n.h5 --shards 3; says 'does not take --shards'
echo '18 N/A' >queue
PATH="$tmp/bin" expect 0 --missing n.h5 --nodes 4 --ranks-per-node 1; prints 'job      17: 4 nodes, 1 process each'
PATH="$tmp/bin" expect 0 --missing n.h5 --nodes 2 --time 30; prints 'job      17: 2 nodes, 1 process each'
expect 2 --missing f.h5 --nodes 2 --ranks-per-node 1; says '--shards is for jobs that have a shard each'
printf '%s\n' --nodes 2 --ranks-per-node 1 $runs -s run.ranks_per_run=2 --time 30 -- -C 'a b' >second
cmp -s second n.h5.jobs/arguments || fail "arguments: $(cat n.h5.jobs/arguments)"
PATH="$tmp/bin" expect 0 --missing n.h5 --ranks-per-node 2 --time 30
# the script does what it says: stopped by the signal before its time limit it queues itself again, and goes on
command -v mpirun >/dev/null || { skipped 'the one job: no mpirun (Debian: openmpi-bin)'; summary; exit; }
build=$(dirname "$sweep"); . "$top/tests/helpers/mpi_helpers.sh"
printf '#!/bin/sh\necho "$@" >>%s/requeued\n' "$tmp" >bin/scontrol
chmod +x bin/scontrol
export SLURM_JOB_ID=17 PATH="$tmp/bin:$full"
job=n.h5.jobs/job.sh
sh $job >log 2>&1 & submitted=$!
for ((k = 0; k < 20 * patience; k++)); do ls n.h5.d/part-*.h5 >/dev/null 2>&1 && break; sleep 0.05; done
kill -USR1 $submitted
wait $submitted || fail "the job is not queued again: $(cat log)"
grep -q 'requeue 17' requeued || fail "the job is not queued again: $(cat log)"
grep -q 'queued again, to continue' log || fail "job.sh: $(cat log)"
subcommand=status expect 0 n.h5; matches ' pending'
sh $job >log 2>&1 || fail "job.sh: $(cat log)"
grep -q 'of 12 runs left\|from step' log || fail "job.sh does not go on: $(cat log)"
grep -q 'cut along z over 2 devices.* 2 groups' log || fail "the job does not cut its runs: $(cat log)"
subcommand=
expect 0 run "$cut" -q -o one.h5 $runs -s 'run.split="runs"' --device cpu
[ -z "$python" ] || echo one.h5 n.h5 1e-11 | $python "$helpers/near_h5.py" 2>err || fail 'the job has other results'
subcommand=submit; PATH="$tmp/bin" expect 0 --missing n.h5; says 'nothing to do: all runs are in'
summary
