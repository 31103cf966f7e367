#!/bin/sh
# A few seconds of every fuzz target, so that they stay buildable; `make fuzz` is the real thing. Under sanitizers
# test_mutants and the tests of expressions go through the same functions.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
FUZZ_SANITIZERS=fuzzer scripts/build/fuzz.sh 1 "$folder"
code=$?
[ $code -ne 77 ] || { echo 'skipped: no clang with libFuzzer'; exit 0; }
exit $code
