#!/bin/bash
# bench_checksum.sh [OPTION...] BUILD FOLDER [CSV]: what checksums cost where files are written: the same dataset with
# and without them, in turn, until it is on disk; and what it costs to read it back from there and compare, likewise
# (tests/bench/bench_checksum.c).
#   BUILD        a folder with the program and bench_checksum, as `make benches` leaves in build
#   FOLDER       what is written to: a disk, or memory (/dev/shm)
#   CSV          where the rows are added (default: results/bench/checksum.csv)
#   --mib M      MiB of a file (default: 256)
#   --repeats N  how often (default: 25)
# Rows: `part`, chunks of 4 MiB; `join`, 32 MiB at a time; `shards`, every eighth MiB, eight times; these with
# `back`, read back and not, both with checksums; `read`, 16 MiB at a time from the system's memory. Columns: least and
# median seconds without and with it; processor seconds, least,
# user and system; percent: what the least differ by, the median of what each pair differs by, and the least processor
# seconds, all of those without. On a machine that does other things only the last says something.
. "$(dirname "$0")/measure.sh"
mib=256 repeats=25
take_options 'mib= repeats=' "$@"
[ ${#arguments[@]} -ge 2 ] && [ ${#arguments[@]} -le 3 ] || usage
take_program "${arguments[0]}"
program=${arguments[0]}/bench_checksum folder=${arguments[1]} csv=${arguments[2]:-results/bench/checksum.csv}
[ -x "$program" ] || give_up "no program $program: make benches"
make_tmp "$folder/bench-checksum-XXXXXX"
mkdir -p "$(dirname "$csv")" || exit 1
of="$(stat -f -c %T "$tmp"),$(machine),$(nproc),$(commit),$(date -u +%Y-%m-%dT%H:%M:%SZ)"
"$program" "$tmp" "$mib" "$repeats" >"$tmp/rows" || exit 1
[ -e "$csv" ] || sed -n '1s/$/,file_system,machine,threads,commit,when/p' "$tmp/rows" >"$csv"
sed '1d' "$tmp/rows" | sed "s|\$|,$of|" | tee -a "$csv"
