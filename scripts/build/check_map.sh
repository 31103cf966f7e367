#!/bin/sh
# Fail if a number of docs/developer/map.md has risen: files of a folder, lines, members, exported functions that one
# file calls, files that call each other. BUILD is a folder with objects; without python3 nothing is checked.
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo '# skipped: no python3'; exit 0; }
exec python3 -B scripts/build/map.py "${BUILD:-build}"
