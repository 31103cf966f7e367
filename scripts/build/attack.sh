#!/bin/bash
# attack.sh [--short] [--seconds N] [--count N] [--seed N] [--jobs N] [PART...]: attack the program as somebody would
# who can write what it reads, or as a machine does that fails. Without a PART all of them are run, each for N seconds
# (an hour; --short: 5 s in all) or for --count attacks, by --jobs processes at a time. SWEEP names the program that is
# attacked; without it two are built, one of them with sanitizers, which finds more.
#     results   attributes, datasets, links, heaps and bits of results files, read by every command that reads them
#     kills     the end of the program at any of its system calls; what goes on must come to the same bits
#     faults    errors of the system at any call that reads or writes a file, and short reads; each call once
#     lies      writes that the disk does not do as it says: a bit flipped, nothing, half of it, zeros in the midst; and
#               reads in which it flips a bit once
#     limits    limits of a process: its memory, its open files, the length of a file
#     chaos     several errors of the system in a command, and again when it recovers, all along the life of a file
#     writers   two or three processes at once on one file, each pair of commands
#     configs   configs with a few edits, through check and run
#     folders   what another user puts where files are written: links, pipes, folders, at any moment (needs root)
# A new part is a function attack_NAME here, which runs for $seconds or $count attacks, whichever ends first, prints
# what it has found, a summary with numbers last, and returns 1 if it has found something.
# What was found, and the logs, are in build/attack. Exit code 1: something was found; 77: no python3 with h5py.
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
seconds=3600 count=1000000 seed=$(date +%Y%m%d) jobs=1 short=
folder=$top/build/attack
python=$(scripts/build/find_python.sh)

# ---- the parts
by() {  # by SCRIPT PROGRAM OPTION...: what is written in Python
    [ -n "$python" ] || { echo "$1: no python3 with h5py"; return 77; }
    local job code=0 pids=()
    trap 'kill "${pids[@]}" 2>/dev/null; wait; exit 130' INT TERM HUP  # what is started by & hears no Ctrl-C
    for ((job = 0; job < jobs; job++)); do
        "$python" "tests/fuzz/$1.py" "$2" "$seconds" --count $(((count + jobs - 1) / jobs)) --seed $((seed + job)) \
            --part $job/$jobs --folder "$folder" "${@:3}" &
        pids+=($!)
    done
    for job in "${pids[@]}"; do wait "$job" || code=$?; done
    return $code
}
attack_results() { by attack_results "$program" --plain "$plain"; }
attack_kills() { by attack_kills "$plain"; }    # sanitizers do not go with a program that is traced
attack_faults() { by attack_faults "$plain"; }
attack_lies() { by attack_lies "$plain"; }
attack_limits() { by attack_limits "$plain"; }
attack_chaos() { by attack_chaos "$plain"; }
attack_writers() { by attack_writers "$plain"; }
attack_configs() { by mutate_configs "$program" --plain "$plain"; }
attack_folders() { by attack_folders "$plain"; }

# ---- what runs them
parts() { declare -F | sed -n 's/^declare -f attack_//p'; }
names=()
while [ $# -gt 0 ]; do
    case $1 in
    --short) short=1 ;;
    --seconds) seconds=$2; shift ;;
    --count) count=$2; shift ;;
    --seed) seed=$2; shift ;;
    --jobs) jobs=$2; shift
            [ "$jobs" -ge 1 ] || { echo "attack.sh: --jobs takes a number from 1 on" >&2; exit 2; } ;;
    -*) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    *) declare -F "attack_$1" >/dev/null || { echo "attack.sh: no part '$1'; there is: $(parts | xargs)" >&2; exit 2; }
       names+=("$1") ;;
    esac
    shift
done
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(parts)
[ -z "$short" ] || seconds=$((5 / ${#names[@]} + 1))
mkdir -p "$folder" || exit 1
program=$SWEEP plain=$SWEEP
if [ -z "$program" ]; then
    make -s -j"$(nproc)" sweep build/at_call build/jump_clock.so &&
        make -s -j"$(nproc)" B=build/sanitize SANITIZE=1 CUDA= build/sanitize/sweep || exit 1
    program=$top/build/sanitize/sweep plain=$top/build/sweep
fi
export SW_TOOLS=${SW_TOOLS:-$(dirname "$plain")}  # at_call and what is preloaded
export SWEEP_SHARE=$top/scripts/plot
export OMP_WAIT_POLICY=passive SW_FUZZ_HANG=${SW_FUZZ_HANG:-30}
found=0
for name in "${names[@]}"; do
    "attack_$name" 2>&1 | tee "$folder/$name.log" | { [ -n "$short" ] && grep -v '^ ' || cat; }
    case ${PIPESTATUS[0]} in
    0) ;;
    77) [ ${#names[@]} -gt 1 ] || found=77 ;;
    130) exit 130 ;;
    *) found=1 ;;
    esac
done
exit $found
