#!/bin/sh
# sweep submit without a Slurm: what it prints, what it refuses. tests/test_slurm.sh has the real thing.
cd "$(dirname "$0")/.." || exit 1
. tests/helpers.sh
config="$top/configs/tiny_ch.cfg"
subcommand=submit
mkdir bin; for tool in sh hostname date; do ln -s "$(command -v $tool)" bin; done
full=$PATH
says_usage() { [ ! -e t.h5.jobs ] || fail 'a folder was made'; says "$1"; }

expect 2; says 'needs CONFIG, or --missing FILE'
expect 2 "$config" -o t.h5; says_usage 'needs --shards N'
expect 2 "$config" -o t.h5 --shards 0; says_usage '--shards takes a whole number from 1 to'
expect 2 "$config" -o t.h5 --shards 1000; says_usage 'there are only'
expect 2 "$config" -o t.h5 --shards 2 --gpus-per-shard 4; says_usage 'more GPUs are used by more shards'
for time in 1h 1:2:3:4 -5 1- : 0:30 2-; do
    expect 2 "$config" -o t.h5 --shards 2 --time="$time"; says_usage "got '$time'"
done
expect 2 "$config" -o t.h5 --shards 2 "--only=a >
0"; says_usage 'line break'
expect 2 "$config" more.cfg; says "does not take 'more.cfg'"
expect 5 --missing t.h5; says 'there is no t.h5.jobs/arguments'
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
expect 0 "$config" -o t.h5 --shards 1 --time 4 --print; prints 'USR1@60'
expect 0 "$config" -o t.h5 --shards 1 --print; cp out one.sh

# what is printed does what it says, whoever starts it
expect 0 "$config" -o t.h5 --shards 2 --print
cp out job.sh
subcommand=
expect 0 run "$config" -o whole.h5
for k in 1 2; do SLURM_ARRAY_TASK_ID=$k sh job.sh >log 2>&1 || fail "job.sh, task $k: $(cat log)"; done
sed -n '/^# ---- the second job/,$p' job.sh >merge.sh
mv t.shard-2-of-2.h5 away
sh merge.sh >log 2>&1 && fail 'merged without a shard'
grep -q 'not finished: 2' log || fail "merge.sh: $(cat log)"
mv away t.shard-2-of-2.h5
sh merge.sh >log 2>&1 || fail "merge.sh: $(cat log)"
sh merge.sh >log 2>&1 || fail "a second merge.sh: $(cat log)"
same whole.h5 t.h5
expect 0 submit "$config" -o t.h5 --shards 2; says 'nothing to do: all runs are in'
summary
