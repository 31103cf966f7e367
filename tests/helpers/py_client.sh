#!/bin/bash
# py_client.sh ARGUMENT...: Python for `sweep plot`, by the py_server.py that PY_SAID, PY_ASK and PY_TOLD name;
# helpers.sh sources it for py_request.
py_request() {
    local code
    printf '%s\0' $# $BASHPID "$PWD" "$@" >&"$PY_ASK"
    read -r -u "$PY_TOLD" code || { echo 'py_server.py has ended' >&2; return 1; }
    [ ! -s "$PY_SAID.out" ] || cat "$PY_SAID.out"
    [ ! -s "$PY_SAID.err" ] || cat "$PY_SAID.err" >&2
    return "$code"
}
[ "$0" != "${BASH_SOURCE[0]}" ] || py_request "$@"
