#!/bin/bash
# Equations of the user's own against independent solutions: Fourier modes and ETDRK4 in Python, solutions and speeds
# that are known (tests/cli/problem/test_equation_spectral.py). SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
[ -z "$python" ] || $python -B "$top/tests/cli/problem/test_equation_spectral.py" "$sweep" "$tmp" >out 2>err ||
    fail 'equations against independent solutions'
grep '^ok' out
summary
