#!/bin/bash
# Shards without a scheduler, and what goes wrong with them: two processes on one, one killed at random moments and
# begun again, one whose disk is full. The others do not notice, a merge says what is missing, and the file at the end
# has the bits of one process.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
config() {  # config END
    cat <<CFG
problem = "cahn_hilliard";
grid    = { n = 64; length = "2*pi*4"; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.0002; end = $1; };
sweep   = { seed = "range(1, 60)"; };
initial = "0.05*randn(seed)";
output  = { file = "s.h5"; fields = { times = "linspace(0, end, 5)"; }; scalars = { every = "end/20"; }; };
run     = { device = "cpu"; checkpoint = 0.001; };
CFG
}
config 1.0 >trial.cfg
began=$EPOCHREALTIME
"$sweep" -q trial.cfg -j 1 -o trial.h5 || fail 'the trial'
end=$(echo "$began $EPOCHREALTIME" | awk '{print int(1 + 3/($2 - $1))}')  # three seconds in one process
config "$end.0" >s.cfg
"$sweep" -q s.cfg -j 1 -o whole.h5 || fail 'the undisturbed run'

# ---- two processes on one shard: the second names the first, and does no harm
"$sweep" -q s.cfg -j 1 --shard 1/3 & first=$!
begun s.shard-1-of-3.h5.d/part-000001.h5.tmp
kill -STOP $first  # it holds the lock for as long as this takes
expect 5 s.cfg -j 1 --shard 1/3
says "s.shard-1-of-3.h5 is being written by process $first on $(hostname); wait for it, stop it, or use -o FILE"
kill -CONT $first
wait $first || fail 'the first of two processes on one shard'

# ---- killed at random moments, begun again; another cannot be merged meanwhile
kills=0
for ((tries = 0; tries < 60; tries++)); do
    "$sweep" s.cfg -j 1 --shard 2/3 >/dev/null 2>err & pid=$!
    if [ $tries = 0 ]; then begun s.shard-2-of-3.h5.d/part-000001.h5.tmp
    else sleep "$(awk -v s="$RANDOM" 'BEGIN {print s/32768*0.8}')"
    fi
    [ $tries -lt 6 ] && kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
    code=$?
    [ $code = 0 ] && break
    [ $code = 137 ] || fail "shard 2: exit code $code: $(cat err)"
    expect 5 merge s.shard-1-of-3.h5 s.shard-2-of-3.h5 s.shard-3-of-3.h5 -o s.h5
    [ ! -e s.h5 ] || fail 'merged without shard 2'
done
[ $kills -gt 0 ] || fail 'shard 2 was never killed'
[ ! -e s.shard-2-of-3.h5.d ] || fail "parts of shard 2 are left: $(ls s.shard-2-of-3.h5.d)"

# ---- no room for one of them, on its node alone
(failures=0; ulimit -f 12; expect 5 s.cfg -j 1 --shard 3/3
 says 's.shard-3-of-3.h5'; says 'File too large'; exit $failures) ||
    fail 'a shard without room'
[ ! -e s.shard-3-of-3.h5 ] || fail 'a file that did not fit is there'
expect 5 merge s.shard-1-of-3.h5 s.shard-2-of-3.h5 -o s.h5; says '3'
expect 0 status s.h5; prints '3 shards: 2 done, 1 '
expect 0 s.cfg -j 1 --shard 3/3

expect 0 merge s.shard-*-of-3.h5 -o s.h5
same whole.h5 s.h5

# ---- a folder with the name of a shard says nothing of the files in it; a file's name holds against the option
folder=d/x.shard-1-of-2.old
mkdir -p $folder
tiny=$top/configs/tiny_ch.cfg
expect 0 "$tiny" -o one.h5
"$sweep" run "$tiny" -q -o $folder/part.h5 -s time.end=200000.0 -s run.device=cpu -s run.checkpoint=0.001 & pid=$!
for ((k = 0; k < 500; k++)); do [ ! -e $folder/part.h5.d/part-000001.h5 ] || break; sleep 0.02; done
kill -TERM $pid; wait $pid; [ $? = 75 ] || fail 'a part of it'
expect 0 status $folder/part.h5; prints 'runs     12: '; prints '12 pending'
slowly 0.005 expect 75 resume $folder/part.h5 --max-time 0.3s
expect 0 status $folder/part.h5; prints 'runs     12: '
expect 0 submit "$tiny" -o $folder/s.h5 --shards 2 --print
cp out job.sh
for k in 1 2; do SLURM_ARRAY_TASK_ID=$k sh job.sh >log 2>&1 || fail "job.sh, task $k: $(cat log)"; done
expect 0 status $folder/s.h5; prints '2 shards: 2 done'
expect 0 merge $folder/s.shard-*-of-2.h5 -o $folder/s.h5; same one.h5 $folder/s.h5
expect 2 "$tiny" --shard 2/4 -o x.shard-1-of-4.h5
says 'x.shard-1-of-4.h5 is by its name shard 1 of 4, and --shard asks for 2 of 4'
[ ! -e x.shard-1-of-4.h5 ] || fail 'shard 2 went into the file of shard 1'
expect 2 resume $folder/s.shard-1-of-2.h5 --shard 2/2; says 'by its name shard 1 of 2'
expect 2 submit "$tiny" -o x.shard-1-of-4.h5 --shards 2 --print; says 'not the output of all'
for plan in run.shard-plan.h5 run.shard-0-of-4.h5; do
    expect 0 "$tiny" --shard 2/4 -o $plan
    [ ! -e $plan ] && [ -e "${plan%.h5}.shard-2-of-4.h5" ] || fail "shard 2 of $plan: $(ls run*)"
    expect 0 resume "${plan%.h5}.shard-2-of-4.h5"; says 'nothing to do: 3 done'
done
summary "$kills kills"
