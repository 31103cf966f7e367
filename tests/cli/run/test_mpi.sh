#!/bin/bash
# Ranks that mpirun has started, 1, 2 and 3 of them: what sw_comm.h promises; lines cut over them; and one sweep by all,
# to the bits of one process, also when a rank is killed, when all are stopped, and when another number goes on. Skipped
# where the program is built without MPI, or there is no mpirun.
build=$(dirname "${SWEEP:-build/sweep}")
[ -x "$build/test_comm" ] || build=build
cd "$(dirname "$0")/../../.." || exit 1
case $build in /*) ;; *) build=$PWD/$build ;; esac
. tests/helpers/helpers.sh || exit 1
. "$top/tests/helpers/mpi_helpers.sh"

config() {  # config NAME END [INITIAL]: some runs of two sizes, a batch each
    cat >"$1.cfg" <<CFG
problem = "cahn_hilliard";
grid    = { n = "points"; length = "2*pi*4"; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.0002; end = $2; };
sweep   = { points = [32, 64]; seed = [1, 2, 3]; };
initial = "${3:-0.05*randn(seed)}";
output  = { fields = { times = "linspace(0, end, 5)"; }; scalars = { every = "end/50"; }; };
run     = { device = "cpu"; batch = 1; };
accuracy = { runs = $accuracy; };
CFG
}
accuracy=0  # what memory is too little for leaves error_time NaN, and the rest as it is
config quick 1.0

if ! built_with_mpi; then
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 expect 4 run quick.cfg
    says 'mpirun has started 2 processes, but this program cannot have them work together: built without MPI'
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 expect 0 run quick.cfg; silent err
    expect 0 list; matches '^  mpi +absent: built without MPI: install Open MPI'
    skipped 'what several ranks do: built without MPI'
    summary
    exit
fi
need_mpirun

# until_it COMMAND...: wait for it to hold
until_it() {
    local end=$((EPOCHSECONDS + patience))
    until "$@"; do [ $EPOCHSECONDS -lt $end ] && sleep 0.05 || return; done
}
# The parts of this test wait more than they compute: they run side by side, each in a folder of its own.
parts=
part() {  # part NAME: run the function of that name
    (
        mkdir "$1" && cd "$1" && cp ../quick.cfg . && tmp=$PWD && : >out && : >err && "$1"
        exit "$failures"
    ) >"$1.log" 2>&1 &
    parts="$parts $1:$!"
}

# ---- the file system holds up rank 0 for 50 s, in its main thread (its first rename is that of status.json): nobody
# takes it for dead. Meanwhile all else is tested
config hangs 100.0
mkdir hangs
"$sweep" -q hangs.cfg -j 1 -o hangs/one.h5 || fail 'hangs.cfg'
hangs_since=$EPOCHSECONDS
timeout -k 5 $patience mpirun -n 2 sh -c "[ \$OMPI_COMM_WORLD_RANK != 0 ] || export FAIL_KIND=rename FAIL_AT=1 \
    FAIL_SLEEP=50 FAIL_LOG=$tmp/hangs/log LD_PRELOAD=$build/fail_nth.so; exec '$sweep' run hangs.cfg -o hangs/h.h5" \
    >hangs/out 2>hangs/err </dev/null &
hangs=$!

"$sweep" -q quick.cfg -j 1 -o whole.h5 || fail 'quick.cfg'
communicators() {
    # ---- communicators
    for n in 1 2 3; do
        how=; [ $n != 2 ] || how=$unbuffered
        head -c 64 /dev/zero >shared
        SW_TEST_SHARED=$tmp/shared ranks 0 $n $how "$build/test_comm" mpi
        # the row itself, and for two kinds of devices; more where there are GPUs
        [ "$(grep -c '17 test(s) run' out)" -ge $((3 * n)) ] || fail "test_comm: not all of $n ranks ran"
        [ $n = 1 ] || ranks 0 $n "$build/test_fd_cut"
    done
    SW_TESTS=helpers_and_leaders_may_break_off timeout -k 5 $patience $unbuffered "$build/test_workers" >out 2>err ||
        fail "test_workers, unbuffered: exit code $?"
    # a rank that fails while the others wait for it ends the job; where they fail together all return the error
    ranks 5 3 "$build/test_comm" mpi fail 2; once 'error: rank 2 of 3 on '; says ': a disk is full'; silent out
    ranks 5 3 "$build/test_comm" mpi fail -1
    [ "$(grep -c 'run: a disk is full' out)" = 3 ] || fail 'not all ranks return it'

    # ---- one sweep by all: the same bits
    for n in 1 2 3; do
        how=; [ $n != 2 ] || how=$unbuffered
        ranks 0 $n $how "$sweep" run quick.cfg -o by-$n.h5
        once 'done     6 ok'
        [ $n = 1 ] || once "ranks    $n on 1 machine · $n devices"
        same ../whole.h5 by-$n.h5
        [ -e by-$n.h5.d ] && fail "by-$n.h5.d was left"
    done
    ranks 0 2 "$sweep" run quick.cfg -o by-2.h5; once 'nothing to do: 6 done'
    ranks 0 2 "$sweep" run quick.cfg -o by-2.h5 --force --log-json log; once 'done     6 ok'; same ../whole.h5 by-2.h5
    [ "$(grep -c '"event": "batch"' log)" = 6 ] || fail 'the log does not have the batches of both ranks'
    config other 0.5
    ranks 0 3 "$sweep" run quick.cfg other.cfg --only 'points == 32' -s run.batch=2
    [ "$(grep -c 'done     3 ok' err)" = 2 ] || fail 'two configs, one after another'
}

# faulty RANK FAULT ARGUMENT...: what each rank runs, where that rank meets a fault of the preloaded library in a batch.
# The others, of one device each, hang as they write their first part until it has: however late it comes, it gets
# batches, as many as there are. What is in $here is said to that rank alone.
faulty() {
    local rank=$1 fault=$2
    shift 2
    echo "export LD_PRELOAD=$build/fail_nth.so; if [ \$OMPI_COMM_WORLD_RANK = $rank ]; then
        export $fault FAIL_LOG=$tmp/fault FAIL_MARK=$tmp/met; here='$here'
    else
        export FAIL_KIND=fsync FAIL_AT=1 FAIL_FROM=part- FAIL_SLEEP=$patience FAIL_UNTIL=$tmp/met
    fi
    exec '$sweep' run quick.cfg \$here $*"
}

failing_ranks() {
    # ---- parts that are removed while rank 1 writes its first one: their runs are computed again, by all, and that is
    # said once
    gone_parts() { ls gone.h5.d/part-*.h5 2>/dev/null; }
    (until_it gone_parts && until_it [ -e met ] && sleep 1 && rm gone.h5.d/part-*.h5 && touch removed) \
        >/dev/null 2>&1 & removing=$!
    # the folder of its first part is written for so long; the other then begins to write, too
    harming="FAIL_KIND=fsync FAIL_AT=2 FAIL_FROM=part- FAIL_SLEEP=$patience FAIL_UNTIL=$tmp/removed"
    ranks 0 2 sh -c "$(faulty 1 "$harming" -o gone.h5)"
    wait $removing || fail 'there were no parts to remove'
    rm -f met removed
    once 'had ended are gone (run'; once 'computed again'; once 'done     6 ok'; same ../whole.h5 gone.h5
    [ ! -e gone.h5.d ] || fail "gone.h5.d was left: $(ls gone.h5.d)"

    # ---- starts that are to end before they begin: each gets further all the same
    for ((starts = 1; starts < 200; starts++)); do
        timeout -k 5 $patience mpirun -n 2 "$sweep" run quick.cfg -o short.h5 -v --max-time 0.001s >out 2>err </dev/null
        code=$?
        [ $code = 75 ] && grep -qE '^(checkpoint|batch) ' err || break
    done
    [ $code = 0 ] || fail "start $starts of 0.001 s: exit code $code"
    same ../whole.h5 short.h5

    # ---- the first process alone has the other commands, and speaks for all
    ranks 0 3 "$sweep" check quick.cfg
    [ "$(grep -c '^batches ' out)" = 1 ] || fail 'sweep check says it more than once'
    OMPI_MCA_odls_base_sigkill_timeout=1 ranks 2 3 "$sweep" runn; once "unknown command 'runn'"
    ranks 3 2 "$sweep" run quick.cfg -s time.methd=1; once "unknown key 'time.methd'"
    ranks 5 2 sh -c "[ \$OMPI_COMM_WORLD_RANK = 0 ] || more='-s time.dt=1e-4'
        exec '$sweep' run quick.cfg -o n.h5 \$more"
    once 'rank 1 on '; says ' has another config or other options than rank 0 on '
    ranks 4 2 sh -c "[ \$OMPI_COMM_WORLD_RANK = 0 ] || cd /; exec '$sweep' run quick.cfg -o '$tmp/n.h5'"
    once 'rank 1 of 2: '; says 'quick.cfg: '
    [ -e n.h5 ] && fail 'n.h5 was made'
    PMI_SIZE=2 PMI_RANK=0 expect 4 run quick.cfg -o n.h5
    says 'mpirun started 2 processes, but MPI ('
    says ') finds 1: start them with the mpirun that belongs to that library'

    # ---- a run that diverges is a result; with --fail-fast it stops all
    config bad 1.0 '(points == 64 && seed == 2 ? 1e100 : 0.05)*randn(seed)'
    "$sweep" -q bad.cfg -o bad.h5
    ranks 1 2 "$sweep" run bad.cfg -o bad-2.h5; once '1 diverged (run 4: '; same bad.h5 bad-2.h5
    ranks 1 2 "$sweep" run bad.cfg -o fast.h5 --fail-fast -s 'time.end=200.0'
    once 'stopped at the first failure: run 4: '

    # ---- ranks that would do other runs than the others, or by another solver
    "$sweep" -q bad.cfg -o again.h5 --only 'points == 64 && seed < 3'
    ranks 5 2 sh -c "[ \$OMPI_COMM_WORLD_RANK = 0 ] || more=--retry-failed
        exec '$sweep' run bad.cfg -o again.h5 \$more"
    once 'rank 1 on '; says ' has other batches or another solver than rank 0 on '
    timeout -k 5 $patience mpirun -n 2 sh -c "device=cuda; [ \$OMPI_COMM_WORLD_RANK = 0 ] || device=cpu
        exec '$sweep' run quick.cfg -o n.h5 --device \$device" >out 2>err </dev/null
    if [ $? = 5 ]; then
        once 'rank 1 on '; says ' has other batches or another solver than rank 0 on '
    else
        skip_gpu 'one rank of two'
    fi

    # ---- a rank whose disk is full ends it, and says who it is
    ranks 5 3 sh -c "$(faulty 1 'FAIL_KIND=fsync FAIL_AT=1 FAIL_FROM=part-' -o full.h5)"
    once 'error: rank 1 of 3 on '; says 'full.h5.d/part-'; says 'Input/output error'
    ranks 0 2 "$sweep" run quick.cfg -o full.h5; same ../whole.h5 full.h5
}

memory_fails() {
    # ---- memory that fails: in a batch the others do it; before that, and before the ranks have met, the job ends
    memory() { echo "[ \$OMPI_COMM_WORLD_RANK != ${2:-1} ] || export FAIL_KIND=memory FAIL_AT=$1 FAIL_LOG=$tmp/fault \
    LD_PRELOAD=$build/fail_nth.so; exec '$sweep' run quick.cfg -o memory.h5 ${*:3}"; }
    # Rank 1 ends before MPI_Init, which mpirun once in some hundred times does not notice: then it waits for ever; or
    # it still writes to rank 1, and SIGPIPE ends it, when it has told of the exit code (141)
    for tries in 1 2 3; do
        timeout -k 5 30 mpirun -n 2 sh -c "$(memory 2)" >out 2>err </dev/null
        code=$?
        [ $code = 124 ] || [ $code = 137 ] || [ $code = 141 ] || break
    done
    [ $code = 4 ] || fail "no memory before MPI_Init: exit code $code, expected 4, $tries tries"
    says 'error: out of memory'
    ranks 4 2 sh -c "$(memory 10)"; once 'error: rank 1 of 2: out of memory'
    ranks 4 2 sh -c "$(memory 100)"; once 'error: rank 1 of 2: out of memory'
    [ -e memory.h5 ] && fail 'memory.h5 was made'
    # from its first part on: what its device needs for a batch
    in_batch() { faulty "$2" "FAIL_KIND=memory FAIL_FROM=part- FAIL_AT=$1" -o memory.h5 "${@:3}"; }
    # lost RANK WARNING ARGUMENT...: a device of it ends like this. The next call where the one that failed was not the
    # device's, but one beside it, as for names of files
    lost() {
        local rank=$1 warning=$2 tries
        shift 2
        for ((tries = 0; tries < 20; tries++)); do
            rm -rf memory.h5* fault met
            timeout -k 5 $patience mpirun -n 2 sh -c "$(in_batch $((1 + tries)) "$rank" "$@")" >out 2>err </dev/null
            code=$?
            # a message's memory, which a thread of its own asks for meanwhile: the job ends, as below
            [ $code = 4 ] && grep -qF "a message to rank $((1 - rank)): out of memory" err && continue
            [ $code = 0 ] || fail "rank $rank loses a device: exit code $code, expected 0"
            grep -q fired fault || fail "rank $rank has lost no device"
            grep -qF "$warning" err && break
        done
        once "$warning"; once 'the other devices continue without it'; same ../whole.h5 memory.h5
        [ ! -e memory.h5.d ] || fail "memory.h5.d was left: $(ls memory.h5.d)"
    }
    lost 1 'warning: rank 1 of 2 on '
    lost 0 'warning: rank 0 of 2: '
    local here='--device cpu:0,1'
    lost 1 'warning: rank 1 of 2 on '
    for at in 5 20 60 120 240; do  # while it writes, with its next batch asked for: the other device does that one
        rm -rf memory.h5* fault met
        timeout -k 5 $patience mpirun -n 2 sh -c "$(in_batch $at 1)" >out 2>err </dev/null
        code=$?
        case $code in
            0) mv memory.h5 memory-$at.h5
               grep -q fired fault || fail "call $at of rank 1 did not fail: $(cat fault)" ;;
            4) once 'a message to rank 0: out of memory' ;;
            *) fail "call $at of rank 1: exit code $code" ;;
        esac
    done
    here=
    same ../whole.h5 memory-*.h5
    # for a message, which is so long until MPI has sent it: no device is lost; the job ends, and nobody waits for it
    local messages
    for rank in 1 0; do
        messages=0
        for ((at = 1; at < 300; at++)); do  # a driver and many cores ask for others, as long, before
            rm -rf memory.h5* fault
            FAIL_BYTES=1088 timeout -k 5 $patience mpirun -n 2 sh -c "$(memory $at $rank)" >out 2>err </dev/null
            code=$?
            case $code in
                0) mv memory.h5 message-$rank-$at.h5 ;;  # not sent: an event, a heartbeat, or an exit
                4) if grep -qE 'error: (rank . of 2: )?out of memory' err; then continue; fi  # another array, as long
                   once "a message to rank $((1 - rank)): out of memory: 1088 bytes"
                   messages=$((messages + 1)) ;;
                *) fail "message $at of rank $rank: exit code $code" ;;
            esac
            [ $code = 0 ] && ! grep -q fired fault && break
        done
        [ $messages -gt 0 ] || fail "rank $rank sends no messages"
    done
    same ../whole.h5 message-*.h5
}

long_runs() {
    # ---- runs that last: some 1 s each, at most
    config long 20.0
    trial() { "$sweep" -q long.cfg --only 'points == 64 && seed == 1' -o trial.h5 -j 1 2>/dev/null; }
    took=$( { TIMEFORMAT=%U; time trial; } 2>&1)
    config long "$(echo "$took" | awk '{printf "%.1f", 20/($1 + 0.02)}')"
    "$sweep" -q long.cfg -o long.h5 || fail 'long.cfg'
    pid_of() {  # pid_of RANK FILE
        for p in $(pgrep -f "run long.cfg .*-o $2\$"); do
            tr '\0' '\n' </proc/$p/environ 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo $p
        done | tail -n 1
    }
    # interrupt FILE RANKS RANK SIGNAL CODE: of one rank of so many, under way; its time to end goes to $ended. Again
    # from the beginning where all was done before the signal came
    interrupt() {
        local file=$1 n=$2 rank=$3 signal=$4 code=$5 got tries
        new_part() { [ -n "$(find $file.d -name 'part-*.tmp' -newer begin 2>/dev/null)" ]; }
        for ((tries = 0; tries < 10; tries++)); do
            touch begin
            # on a busy machine, the usual 1 s is short for those that are left to say something
            OMPI_MCA_odls_base_sigkill_timeout=4 timeout -k 5 $patience mpirun -n $n "$sweep" run long.cfg -o $file \
                >out 2>err </dev/null &
            until_it new_part || fail "$file: no batch began"
            sleep 0.2
            kill -$signal $(pid_of $rank $file) 2>/dev/null
            local start=$EPOCHREALTIME
            wait $!
            got=$?
            ended=$(echo "$start $EPOCHREALTIME" | awk '{print $2 - $1}')
            [ $got = 0 ] && [ -e $file ] || break
            rm -rf $file $file.d
        done
        [ $got = $code ] || fail "after $signal of rank $rank of $n: exit code $got, expected $code"
        [ ! -e $file ] || fail "$file is there, after $signal of rank $rank"
    }
    soon() { echo "$ended" | awk '{exit !($1 < 60)}' || fail "it took $ended s to end"; }

    # ---- killed: it ends, says what to do, and another number of ranks goes on
    interrupt k.h5 2 0 KILL 137; soon
    says 'rank 0 of 2 on '; says 'run the same command again to continue'
    interrupt k.h5 3 1 KILL 137; soon
    says 'rank 1 of 3 on '; says 'run the same command again to continue'
    ranks 0 3 "$sweep" run long.cfg -o k.h5; same long.h5 k.h5

    # ---- a rank that outlives the first, as where mpirun cannot reach it: nobody else begins while it may still write
    mpirun -n 2 sh -c "[ \$OMPI_COMM_WORLD_RANK != 0 ] || exec '$sweep' run long.cfg -o o.h5
        setsid '$sweep' run long.cfg -o o.h5; exit" >out 2>err </dev/null &
    mpirun=$!
    parts() { find "$1.d" -name "part-*.$2" 2>/dev/null | wc -l; }
    both_write() { [ "$(parts "$1" tmp)" = 2 ]; }
    # the second holds the lock too, from its first batch on
    until_it both_write o.h5 || fail 'o.h5: not both ranks write'
    first=$(pid_of 0 o.h5) left=$(pid_of 1 o.h5)
    kill -STOP "$left"; kill -KILL "$first"; wait $mpirun
    expect 5 run long.cfg -o o.h5
    says "o.h5 is being written by process $first on $(hostname), or another rank of its job"
    kill -KILL "$left"
    has_ended() { ! kill -0 "$1" 2>/dev/null; }
    until_it has_ended "$left"
    expect 0 run long.cfg -o o.h5; same long.h5 o.h5

    # ---- stopped: a signal to any of them stops all, with checkpoints; so does the time limit; one process goes on
    interrupt s.h5 3 2 USR1 75; once 'stopped; run the same command again to continue'
    ls s.h5.d/part-*.h5 >/dev/null || fail 'no checkpoint'
    ranks 75 2 "$sweep" run long.cfg -o s.h5 --max-time 0.3s; once 'stopped; run the same command again to continue'
    says ' from step '
    expect 0 resume s.h5; same long.h5 s.h5

    # ---- rank 0 is asked to stop while it joins the parts, of which it opens one that rank 1 has written
    all_there() { [ "$(parts m.h5 h5)" = 6 ]; }
    stop_merge() {
        local part
        for part in 1 2 3 4 5 6; do
            rm -rf m.h5*
            timeout -k 5 $patience mpirun -n 1 "$build/at_call" -k 1 -c openat -f m.h5.d/part-00000$part.h5 \
                -a 'run:pkill -TERM -P $PPID' "$sweep" run quick.cfg -o m.h5 : -n 1 "$sweep" run quick.cfg -o m.h5 \
                >out 2>err </dev/null
            [ $? = 75 ] && all_there && return
        done
        fail 'no merge was stopped'
    }
    if "$build/at_call" true 2>/dev/null; then
        stop_merge; once 'stopped; run the same command again to continue'
        [ ! -e m.h5 ] || fail 'm.h5 is there'
        expect 0 resume m.h5; expect 0 run quick.cfg -o quick.h5; same quick.h5 m.h5
    else
        skipped 'a merge that is stopped: this machine lets no program be traced'
    fi

    # ---- rank 0 has nothing to do any more, rank 1 has: it is still told how far all are, once a second
    some=(--only 'points == 64 && seed < 3')
    "$sweep" -q long.cfg "${some[@]}" -o some.h5 || fail 'some runs of long.cfg'
    timeout -k 5 $patience mpirun -n 2 "$sweep" run long.cfg "${some[@]}" -o idle.h5 >out 2>err </dev/null &
    mpirun=$!
    until_it both_write idle.h5 || fail 'idle.h5: not both ranks write'
    busy=$(pid_of 1 idle.h5); kill -STOP "$busy" || fail 'rank 1 is not there'
    one_writes() { [ "$(parts idle.h5 tmp)-$(parts idle.h5 h5)" = 1-1 ]; }
    until_it one_writes || fail "rank 0 is not through: $(ls idle.h5.d)"
    sleep 0.2
    told() { stat -c %y idle.h5.d/status.json; }
    for times in 1 2; do
        then=$(told)
        tells() { [ "$(told)" != "$then" ]; }
        until_it tells || fail 'nothing is told while rank 0 waits for rank 1'
    done
    kill -CONT "$busy"
    wait $mpirun || fail "rank 1 was suspended for some seconds: exit code $?"
    same some.h5 idle.h5
}

part communicators
part failing_ranks
part memory_fails
part long_runs
for part in $parts; do
    wait "${part#*:}" || { failures=$((failures + 1)); cat "${part%:*}.log" >&2; }
done

# ---- what hung
wait $hangs || fail "rank 0 hung: exit code $?: $(cat hangs/err)"
grep -q fired hangs/log && [ $((EPOCHSECONDS - hangs_since)) -ge 49 ] || fail 'rank 0 did not hang'
grep -q 'done     6 ok' hangs/err || fail "rank 0 hung: $(cat hangs/err)"
same hangs/one.h5 hangs/h.h5

summary
