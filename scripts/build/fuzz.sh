#!/bin/sh
# fuzz.sh SECONDS [FOLDER]: run each tests/fuzz/fuzz_NAME.c (libFuzzer, address and undefined sanitizers) for that long,
# starting from the texts in tests/fuzz/NAME/. What it finds goes to FOLDER (build/fuzz); CLANG=... picks a compiler.
# FUZZ_SANITIZERS=fuzzer has the fuzzer alone, which takes half the time to compile.
# Comment lines of a target say what it is made of:
#     // sources: src/expr/*.c src/base/sw_err.c
#     // without: src/expr/analyze.c       none of them, as the target has its functions itself
#     // link: -lconfig
# Exit code 77: there is no clang with libFuzzer here.
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-60}
folder=${2:-build/fuzz}
# Of pointers that are NULL or beyond an object AddressSanitizer tells, as in the Makefile.
# Not -O0: with these sanitizers clang 14 then passes vectors of 512 bits to libmvec wrongly.
flags="-gline-tables-only -O1 -std=c11 -D_GNU_SOURCE -ffp-contract=off \
-fsanitize=${FUZZ_SANITIZERS:-fuzzer,address,undefined} -fno-sanitize=null,object-size -fno-sanitize-recover=all"
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1

clang=''
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n);
int LLVMFuzzerTestOneInput(const char *d, unsigned long n)
{ return d && n > 1000000; }' > "$folder/probe.c"
for candidate in ${CLANG:-clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14}; do
    # shellcheck disable=SC2086
    if "$candidate" $flags -o "$folder/probe" "$folder/probe.c" 2> "$folder/probe.log"; then clang=$candidate; break; fi
done
[ -n "$clang" ] || { echo 'fuzz: there is no clang with libFuzzer here; apt-get install clang' >&2; exit 77; }

# shellcheck disable=SC2046
sources_of() { ls $(sed -n 's,^// sources: ,,p' "$1") | grep -vxF "$(sed -n 's,^// without: ,,p' "$1")"; }
object_of() { echo "$folder/objects/$(echo "$1" | tr / _).o"; }
# What targets share is compiled once.
mkdir -p "$folder/objects"
for target in tests/fuzz/fuzz_*.c; do
    # shellcheck disable=SC2046
    printf '%s\n' "$target" $(sources_of "$target")
done | sort -u | while read -r source; do echo "$source" "$(object_of "$source")"; done |
    xargs -P "$(nproc)" -n 2 sh -c "exec '$clang' $flags -Isrc -c -o \"\$1\" \"\$0\"" || exit 1

for target in tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c)
    libraries=$(sed -n 's,^// link: ,,p' "$target")
    objects=''
    for source in "$target" $(sources_of "$target"); do objects="$objects $(object_of "$source")"; done
    mkdir -p "$folder/$name.corpus"
    # shellcheck disable=SC2086
    "$clang" $flags -o "$folder/$name" $objects $libraries -lm || exit 1
    "$folder/$name" -max_total_time="$seconds" -timeout=1 -max_len=2000 -artifact_prefix="$folder/$name." \
        "$folder/$name.corpus" "tests/fuzz/${name#fuzz_}" > "$folder/$name.log" 2>&1 ||
        { tail -n 40 "$folder/$name.log" >&2; echo "fuzz: $name failed; its input is in $folder" >&2; exit 1; }
    texts=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$folder/$name.log")
    echo "fuzz: $name: $texts texts in $seconds s, nothing found"
done
