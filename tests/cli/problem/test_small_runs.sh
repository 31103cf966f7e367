#!/bin/bash
# The small sweeps that sanitizers look at on a GPU, by every row of the CPU: none fails, each leaves its file.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
cd "$top" || exit 1
script=scripts/gpu/small_runs.sh

$script --device cpu "$sweep" "$tmp" > "$tmp/out" || fail "$(grep -vE ' ok$' "$tmp/out")"
names=$($script --device cpu --list "$sweep")
[ "$(wc -w <<< "$names")" -ge 25 ] || fail "there are few: $names"
for name in $names; do [ -s "$tmp/$name.h5" ] || fail "$name left no file"; done
# ---- one that fails is told, with what it printed
$script --device cpu --only bvp "$sweep" "$tmp" false > "$tmp/out" && fail 'a command that fails passes'
grep -qE '^bvp +[0-9]+ s  exit code 1$' "$tmp/out" || fail "$(cat "$tmp/out")"
$script > "$tmp/out"; [ $? = 2 ] && grep -qF 'small_runs.sh [OPTION...] SWEEP FOLDER' "$tmp/out" || fail 'no usage'
summary
