#!/bin/bash
# The catalogue of equations: `sweep init`, `sweep list` and `sweep explain` know it, each config passes `sweep check`
# without a note, runs, draws the picture that its comment says, and has the numbers that are known. SWEEP is the
# program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
expect 0 list --equations; cp out listed
expect 0 list --equations --json; is_json out
[ "$(grep -c '"name": "equation[.]' out)" = "$(ls "$top"/configs/equations/*.cfg | wc -l)" ] || fail 'list --json'
if grep -q stepper listed; then fail 'list --equations lists more'; fi
py_plots && draws=1 || skipped 'pictures: no python3 with matplotlib'
for config in "$top"/configs/equations/*.cfg; do
    name=$(basename "$config" .cfg)
    expect 0 init "equation.$name"; silent err
    cmp -s out "$config" || fail "sweep init equation.$name prints another config"
    cp out "$name.cfg"
    grep -q "^  equation[.]$name  *[A-Z]" listed || fail "sweep list --equations does not print $name"
    expect 0 explain "equation.$name"; prints "sweep init equation.$name"
    expect 0 check --device cpu "$name.cfg"  # a GPU has notes on what is formed on the host
    if grep -qE '^(note|warning)' out; then fail "check $name has a note"; fi
    expect 0 run "$name.cfg" --device cpu -q
    plot=$(sed -n 's,^// *sweep plot ,,p' "$name.cfg")
    [ -n "$plot" ] || fail "$name does not say how to draw it"
    [ -z "$draws" ] || expect 0 plot $plot --dpi 30 -o "$name.png"
done
[ -z "$python" ] || $python -B "$top/tests/cli/problem/test_equations.py" results/equations >out 2>err || fail 'numbers'

# ---- names
expect 0 init kdv; cmp -s out kdv.cfg || fail 'sweep init kdv'
expect 0 init swift_hohenberg; prints 'problem = "swift_hohenberg"'
says 'note     this is the problem swift_hohenberg; `sweep init equation.swift_hohenberg` prints the equation written out'
expect 0 init swift_hohenberg -q; silent err
expect 2 init gray_scot; says "did you mean 'gray_scott'?"
expect 2 init nonsense; says 'there are: '; says ' equation.thin_film'
expect 0 explain gray_scott; prints 'u_t = Du u_xx - u v^2 + F (1 - u)'
summary
