#!/bin/sh
# Fail if a line of a source, test, script or config is longer than 120 columns: characters of UTF-8, not bytes.
# Exempt: a line of a shell test that is an expected message and no more, since grep looks for it in one line.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C.UTF-8
long=$(git ls-files src cuda tests scripts configs Makefile .clang-format |
    grep -vE '^tests/fuzz/(config|expr|options)/' |  # what the fuzzer begins with
    xargs grep -nE '^.{121,}' | grep -vE '^tests/[a-z_]*[.]sh:[0-9]*:(says|prints|matches) ')
[ -z "$long" ] || { printf '%s\n' "$long" | sed -E 's/^([^:]*:[0-9]*):.*/\1: longer than 120 columns/' >&2; exit 1; }
