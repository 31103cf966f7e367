#!/bin/sh
# Fail if a line of a source, test, script or config is longer than 120 columns: characters of UTF-8, not bytes.
# Exempt: a line of a shell test that is an expected message and no more, since grep looks for it in one line.
# A line of a document has 100, unless it is a table's, a picture or set apart by four spaces.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C.UTF-8
long=$(git ls-files src cuda tests scripts packaging python configs Makefile .clang-format |
    grep -vE '^tests/(fuzz/(config|expr|options)/|helpers/promises_)|[.]ipynb$' |  # what the fuzzer begins with, a list
    xargs grep -d skip -nE '^.{121,}' | grep -vE '^tests/[a-z_/]*[.]sh:[0-9]*:(says|prints|matches) ')
wide=$(git ls-files '*.md' | xargs grep -nE '^.{101,}' | grep -vE '^[^:]*:[0-9]*:(\||!\[|    )')
tell() { printf '%s\n' "$1" | sed -E "s/^([^:]*:[0-9]*):.*/\1: longer than $2 columns/" >&2; }
[ -z "$long" ] || tell "$long" 120
[ -z "$wide" ] || tell "$wide" 100
[ -z "$long$wide" ]
