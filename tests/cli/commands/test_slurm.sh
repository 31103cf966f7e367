#!/bin/bash
# A sweep through a real Slurm, which this test starts for itself on the loopback: submitted, stopped by its time limit
# and queued again, a shard killed, what is missing submitted again, merged; the file equals that of one process, bit by
# bit. Skipped where Slurm and munge are not installed. Mostly waits: for Slurm's clock, and little is computed.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
. "$top/tests/helpers/mpi_helpers.sh" || exit 1
PATH=$PATH:/usr/sbin:/sbin
for tool in munged slurmctld slurmd sbatch squeue scontrol scancel; do
    command -v $tool >/dev/null || { echo "# skipped: no $tool (Debian: slurmctld slurmd slurm-client munge)"; exit 0; }
done
[ -n "$python" ] || { echo "# skipped: no python3 with h5py"; exit 0; }
[ "$(id -u)" = 0 ] || { echo "# skipped: Slurm's daemons are started by root alone"; exit 0; }

# ---- Slurm on one node, which it takes to have four CPUs; nothing of it is outside $slurm
slurm=$tmp/slurm
export SLURM_CONF=$slurm/slurm.conf
stop_slurm() {
    local file
    scancel --state=RUNNING,PENDING --user=root 2>/dev/null && sleep 1
    for file in slurmd.pid ctld.pid munge/pid; do
        [ -f "$slurm/$file" ] && kill "$(cat "$slurm/$file")"
    done
    for ((k = 0; k < 50; k++)); do [ -e "$slurm/ctld.pid" ] || break; sleep 0.1; done
    rm -rf "$tmp"
}
start_slurm() {
    local port=$((20000 + $$ % 10000))
    mkdir -p "$slurm"/{state,spool,munge}
    chmod 755 "$tmp" "$slurm" "$slurm/munge"
    head -c 1024 /dev/urandom >"$slurm/munge/key"
    chmod 600 "$slurm/munge/key"
    # a job that was queued again waits for as long as its old credential holds: 5 s, not 120
    cat >"$SLURM_CONF" <<C
ClusterName=sweeptest
SlurmctldHost=localhost(127.0.0.1)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/sock,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$slurm/ctld.pid
SlurmdPidFile=$slurm/slurmd.pid
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldLogFile=$slurm/ctld.log
SlurmdLogFile=$slurm/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=5
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
MinJobAge=600
KillWait=30
NodeName=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=100 State=UNKNOWN
PartitionName=debug Nodes=localhost Default=YES MaxTime=INFINITE State=UP
C
    munged --force --key-file="$slurm/munge/key" --socket="$slurm/munge/sock" --pid-file="$slurm/munge/pid" \
           --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" && slurmctld -c && slurmd -N localhost
    for ((k = 0; k < 200; k++)); do sinfo -h -o %T 2>/dev/null | grep -q idle && return; sleep 0.5; done
    tail -n 20 "$slurm"/*.log >err
    fail 'Slurm does not come up'
    exit 1
}
trap stop_slurm EXIT
start_slurm

# until SECONDS COMMAND...: wait for it to hold
until_it() {
    local limit=$1
    shift
    for ((k = 0; k < 4*limit; k++)); do "$@" && return; sleep 0.25; done
    { squeue -a; tail -n +1 "$jobs"/*.log; } >err 2>&1
    fail "after $limit s not yet: $*"
    return 1
}
queue_is_empty() { [ -z "$(squeue -h)" ]; }
log_says() { grep -qF -- "$2" "$jobs/$1" 2>/dev/null; }

config() {  # config END SECOND-END: a run each; SECOND-END is of the second one
    cat <<CFG
problem = "cahn_hilliard";
grid    = { n = 64; length = "2*pi*4"; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.0002; end = "until"; };
sweep   = { until = [$1.0, $2.0]; };
initial = "0.05*randn(until)";
output  = { fields = { times = "linspace(0, end, 5)"; }; scalars = { every = "end/50"; }; };
run     = { device = "cpu"; };
CFG
}
config 20 21 >trial.cfg
# seconds of computing: the time passed, on a busy machine, may be longer than the same takes a minute later
took=$({ TIMEFORMAT=%U; time "$sweep" -q trial.cfg -j 1 -o trial.h5 2>err; } 2>&1) || fail 'trial.cfg'
end_of() { echo "$took" | awk -v s="$1" '{print int(s*41/($1 + 0.01))}'; }  # of a run that takes so many seconds

here="$tmp/a folder"  # names with blanks go into job scripts too
mkdir "$here"; cd "$here" || exit 1
out() { cp out err "$tmp"; }

# The shards do not compute while Slurm's clock is waited for, and the parts below go on meanwhile.
begun() { for k in 1 2; do until_it 100 test -e "$1.shard-$k-of-2.h5.d/part-000001.h5.tmp"; done; }
pid_of() { pgrep -f "^$sweep run $2.jobs/sweep.cfg .* --shard $1/2\$"; }
signalled() { grep -q '^ShdPnd:.*[1-9a-f]' "/proc/$1/status"; }

# ---- a time limit, a killed shard, what is missing. Slurm gives the warning 15 to 45 s after the start of a job with a
# limit of a minute (it looks at the clock twice a minute): the first shard is held for so long.
config "$(end_of 10)" "$(end_of 5)" >night.cfg
jobs="$here/n.h5.jobs"
expect 0 submit night.cfg -o n.h5 --shards 2 --time 1; out
begun n
held=$(pid_of 1 "$here/n.h5")
kill -STOP "$held" || fail 'nothing to hold'
expect 0 status n.h5; out
prints 'n.h5  2 shards: 2 running'; matches 'process [0-9]+, job [0-9]+_1 RUNNING'
sed -i 's/until = \[.*/until = [7.0]; };/' night.cfg  # of no consequence: the jobs have a copy
expect 0 submit --missing n.h5; out; says 'in the queue'
expect 5 submit night.cfg -o n.h5 --shards 2; out; says 'sweep submit --missing'
kill -9 "$(pid_of 2 "$here/n.h5")" || fail 'nothing to kill'
(until_it 200 signalled "$held"; got=$?; kill -CONT "$held" && exit $got) & holder=$!
"$sweep" -q "$jobs/sweep.cfg" -j 1 -o one.h5 & alone=$!

# ---- submit and go: shards, then the merge
config 1 2 >quick.cfg
"$sweep" -q quick.cfg -j 1 -o whole.h5 || fail 'quick.cfg'
jobs="$here/q.h5.jobs"
expect 0 submit quick.cfg -o q.h5 --shards 2 --max-parallel 1 --cpus-per-shard 1 -- --comment=passed; out
cd "$tmp"; prints 'shards   job '; prints ': 1-2 of 2'; prints 'merge    job '; says 'sweep submit --missing'
scontrol show job | grep -q 'Comment=passed' || fail 'what follows -- did not reach sbatch'
cd "$here"
until_it 200 log_says merge.log 'merged'
same whole.h5 q.h5
for k in 1 2; do log_says shard-$k.log 'ok' || fail "no account of shard $k"; done
expect 0 submit --missing q.h5; out; says 'nothing to do: all runs are in'

# ---- one job whose two processes cut the grid of each run; Open MPI finds Slurm's own way to start them
cut="$top/configs/tiny_advection.cfg"
if built_with_mpi && command -v mpirun >/dev/null; then
    "$sweep" -q "$cut" -j 1 -o uncut.h5 -s accuracy.runs=0 || fail 'tiny_advection.cfg'
    jobs="$here/c.h5.jobs"
    expect 0 submit "$cut" -o c.h5 --nodes 1 --ranks-per-node 2 -s 'run.split="grid"' -s accuracy.runs=0; out
    until_it 200 log_says job.log 'done     12 ok'
    log_says job.log 'over 2 devices: slabs of' || fail 'the job does not cut grids'
    echo uncut.h5 c.h5 1e-12 | py "$helpers/near_h5.py" >"$tmp/out" 2>"$tmp/err" || fail 'uncut.h5 and c.h5 differ'
    expect 0 submit --missing c.h5; out; says 'nothing to do: all runs are in'
fi

# ---- a shard that is cancelled stays so; one that others queue again (a pre-emption, a node that went down) goes on.
# Both leave a checkpoint, and --missing takes the cancelled one alone.
config "$(end_of 6)" "$(end_of 7)" >stopped.cfg
jobs="$here/s.h5.jobs"
expect 0 submit stopped.cfg -o s.h5 --shards 2; out
begun s
array=$(head -n 1 "$jobs/jobs")
scontrol requeue "${array}_2"
scancel "${array}_1"
until_it 100 log_says shard-1.log 'stopped; run the same command again'
until_it 100 log_says shard-2.log 'stopped; run the same command again'
left_queue() { ! squeue -h -r -o %F_%K | grep -qx "$1"; }
until_it 100 left_queue "${array}_1"
expect 0 submit --missing s.h5; out; prints ': 1 of 2'
expect 0 submit --missing s.h5; out; says 'in the queue'
"$sweep" -q stopped.cfg -j 1 -o stopped.h5 || fail 'in one process'
until_it 200 log_says merge.log 'merged'
for k in 1 2; do log_says shard-$k.log 'from step' || fail "shard $k did not go on from its checkpoint"; done
same stopped.h5 s.h5

# ---- the first shard has met its limit
jobs="$here/n.h5.jobs"
wait $holder || fail 'shard 1 was not warned of its limit'
until_it 200 log_says shard-1.log 'queued again'
until_it 300 queue_is_empty
log_says shard-1.log 'from step' || fail 'the second turn did not begin at the checkpoint'
[ -e n.h5 ] && fail 'merged without shard 2'
log_says merge.log 'these are not finished: 2' || fail 'the merge does not say what is missing'
log_says merge.log 'sweep submit --missing' || fail 'the merge does not say what to do'
expect 0 status n.h5; out; prints '1 done, 1 '; prints 'next     sweep submit --missing n.h5'
expect 0 submit --missing n.h5 --time 10; out; prints ': 2 of 2'
until_it 300 queue_is_empty
wait $alone || fail 'in one process'
same one.h5 n.h5
cd "$tmp"
summary "$(grep -c 'queued again' "$jobs/shard-1.log") times through the time limit"
