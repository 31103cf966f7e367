#!/bin/bash
# The Python package: it runs sweeps, gives what their files hold, says what is wrong with them, and asks; its notebook
# and the examples of docs/howto/python.md run. Where there is no xarray, only what does without it is looked at, unless
# SW_NEED has "readers".
. tests/helpers/helpers.sh || exit 1
[ -n "$python" ] || exit 0
ln -s "$top/configs" configs
SWEEP=$(realpath "$sweep") PYTHONPATH=$top/python MPLBACKEND=Agg MATPLOTLIBRC=/dev/null \
    "$python" -B "$top/tests/cli/commands/check_python.py" "$top" >out 2>err || fail 'check_python.py'
cat out
# installed as it is in the wheel: the names that pyproject.toml takes are those that are there
(cd "$top/python" && ls pysweep/*.py) >/dev/null || fail 'no package'
summary
