"""py_server.py SAID [MODULE...]: Python that has loaded h5py, numpy and those modules that are there, once for many
programs; py in helpers.sh asks it.

Each request is a number of arguments, the process that asks, its folder, and the arguments of Python (`-c TEXT ...`,
`- ...` or `FILE ...`), each ended by a 0 byte. A fork of this process does them. It reads the standard input of the one
that asks, and writes to SAID.out and SAID.err. The answer is a line with its exit code, as a shell tells it.
"""
import atexit
import gc
import importlib
import os
import signal
import sys
import traceback
import types

import h5py
import numpy

SAID = os.path.abspath(sys.argv[1])


def load(names):
    os.environ.update(MPLBACKEND="Agg", MATPLOTLIBRC=os.devnull)  # as plot.py loads matplotlib
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            pass


def next_word(requests):
    word = bytearray()
    while not word.endswith(b"\0"):
        byte = requests.read(1)
        if not byte:
            sys.exit(0)
        word += byte
    return os.fsdecode(bytes(word[:-1]))


def take_streams(pid):
    anew = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    streams = (0, f"/proc/{pid}/fd/0", os.O_RDONLY), (1, SAID + ".out", anew), (2, SAID + ".err", anew)
    for number, path, flags in streams:
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)


def execute(words):
    """As `python3 WORDS` does."""
    first, name = "", "<stdin>"
    if words[0] == "-c":
        text, name, words = words[1], "<string>", ["-c", *words[2:]]
    elif words[0] == "-":
        text = sys.stdin.read()
    else:
        name = words[0]
        first = os.path.dirname(os.path.realpath(name))
        with open(name, "rb") as f:
            text = f.read()
    sys.argv = words
    sys.path[0] = first
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__ = name
    exec(compile(text, name, "exec"), main.__dict__)


def serve():
    requests, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    while True:
        count, pid, folder = int(next_word(requests)), next_word(requests), next_word(requests)
        words = [next_word(requests) for _ in range(count)]
        child = os.fork()
        if child == 0:
            requests.close()
            os.close(answers)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            take_streams(pid)
            os.chdir(folder)
            return words
        _, status = os.waitpid(child, 0)
        code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        os.write(answers, f"{code}\n".encode())


def exit_code(words):
    try:
        execute(words)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def end(code):
    """Files are closed and texts written; to take all of Python apart would be most of the time."""
    atexit._run_exitfuncs()
    for file in h5py.h5f.get_obj_ids(types=h5py.h5f.OBJ_FILE):
        h5py.File(file).close()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


load(sys.argv[2:])
gc.freeze()     # forks are short: none looks for cycles, among all that is loaded
gc.disable()
end(exit_code(serve()))
