"""HDF5 itself may crash or go round for ever on a damaged file. So a child process does all work, and the parent
explains how it ended."""
import contextlib
import ctypes
import mmap
import os
import signal
import sys
import traceback

from .refusal import FILE, PROGRAM, shown

LONGEST = 30    # seconds of processor time for one access to the file; a damaged heap of strings takes for ever
PR_SET_PDEATHSIG = 1    # of <sys/prctl.h>
HINT = ("the file is damaged, or was changed after sweep wrote it: copy it again, or compute it again "
        "(sweep run CONFIG --force)")

guarding = False                # whether this process is the child of guarded()
doing = mmap.mmap(-1, 256)      # what is being read, shared with the parent
refused = mmap.mmap(-1, 1)      # whether the child has printed its message, shared likewise


@contextlib.contextmanager
def watched(what):
    """An access to the file: in the child of guarded() it ends the process by SIGVTALRM where it takes too long.
    Waiting does not count. A process that others wait for, a notebook's, has no such end."""
    if not guarding:
        yield
        return
    doing[:] = what.encode(errors="replace")[:255].ljust(256, b"\0")
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def print_refusal(refusal):
    """The message of a refusal. HDF5 may still crash when it closes what it has of the file: that is no news then."""
    print(f"error: {shown(refusal)}", file=sys.stderr, flush=True)
    refused[:] = b"1"


def pass_over_closing():
    """h5py cannot raise what goes wrong when it closes an object of a damaged file: it prints it, by sys.excepthook
    and once more as 'Exception ignored in'. What was read is not wrong for that, and a refusal is one line."""
    ours = sys.unraisablehook
    sys.unraisablehook = lambda what: None if "h5py" in str(what.object) else ours(what)
    sys.excepthook = lambda *error: None    # for nothing else: guarded() prints what work() raises


def guarded(work, path):
    """Do work(), which gives an exit code, in a child. Returns that code; where the child was ended by a signal that
    the file is the cause of, a message is printed and it is that of an unreadable file. Other signals (Ctrl-C) end this
    process as well."""
    global guarding
    refused[:] = b"\0"      # of an earlier call: a process may make several
    child = os.fork()
    if child == 0:
        code, guarding = PROGRAM, True
        try:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)    # who ends the parent means the work
            pass_over_closing()
            try:
                code = work()
            except Exception:
                traceback.print_exc()       # os._exit() comes before what Python would print
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code >= 0:
        return code
    return explain_signal(-code, path)


def explain_signal(number, path):
    """What the end of the child by a signal means."""
    what = doing[:].rstrip(b"\0").decode(errors="replace") or "it"
    crashed = number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT)
    if crashed and refused[:] == b"1":
        return FILE
    if crashed:
        print(f"error: {path}: HDF5 crashed reading {what} ({signal.strsignal(number)}); {HINT}", file=sys.stderr)
        return FILE
    if number == signal.SIGVTALRM:
        print(f"error: {path}: HDF5 did not end reading {what} within {LONGEST} s of processor time; {HINT}",
              file=sys.stderr)
        return FILE
    if number == signal.SIGKILL:
        print("error: it was killed while it drew, as the system does where memory is short; choose fewer runs with "
              "--run", file=sys.stderr)
        return PROGRAM
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number
