"""What the fuzzers that run the program share: run a command, judge how it ended, keep what was found."""
import argparse
import atexit
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CODES = {0, 1, 2, 3, 4, 5, 75}  # sweep(1), EXIT STATUS; 1: some runs diverged or failed
KILLED = 137                    # what build/at_call says of a command that it has killed
HANG = 10                       # seconds of computing; six times as long in all (SW_FUZZ_HANG: another number)
REPORT = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|Traceback \(most recent call last\)")

# what a terminal would act on; --json, --csv and the list of runs have their own way to say it
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
RAW = {"--json", "--csv", "--list"}

FRAME = re.compile(r"#\d+ 0x\w+ (?:in )?(\S+ \S+)")
OWN = re.compile(r"\bsrc/(?!libsanitizer)")


def is_own_memory(err):
    """Whether HDF5 was beyond what our code allocated, which it was told to be larger then."""
    told = re.search(r"allocated by thread|located in stack of", err)
    return bool(told) and any(OWN.search(f) for f in FRAME.findall(err[told.end():])[:2])


def options(about):
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("sweep", help="the program, best built with SANITIZE=1")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default="build/fuzz", help="where inputs go that found something")
    parser.add_argument("--count", type=int, help="so many mutants, if SECONDS allow as many")
    parser.add_argument("--part", default="0/1", help="I/N: of attacks that are counted beforehand, the I-th and each "
                        "N-th after it: other processes have the others")
    parser.add_argument("--plain", help="the program without sanitizers, for pictures and what takes long")
    return parser.parse_args()


def environment():
    env = dict(os.environ, LC_ALL="C.UTF-8", OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive", MPLBACKEND="Agg")
    # what HDF5 asks for on behalf of a damaged file may be more than there is: it gets NULL, as from malloc()
    env["ASAN_OPTIONS"] = "detect_leaks=1:allocator_may_return_null=1:abort_on_error=0:exitcode=99"
    here = os.path.dirname(os.path.abspath(__file__))
    env["LSAN_OPTIONS"] = "print_suppressions=0:suppressions=" + os.path.join(here, "leaks.txt")
    env["UBSAN_OPTIONS"] = "print_stacktrace=1"
    return env


def counted(ends):
    """The text of {exit code: how many times}, or of {(what, exit code): how many times}."""
    def told(key, n):
        *what, code = key if isinstance(key, tuple) else (key,)
        return "".join(f"{w}: " for w in what) + f"{n} times {code}"
    return ", ".join(told(key, n) for key, n in sorted(ends.items(), key=str))


class Judge:
    """Runs commands until the time is up, and counts; a finding is kept once for each place where it happened."""

    def __init__(self, name, args):
        self.name, self.args = name, args
        self.start()
        self.random = random.Random(args.seed)
        self.first, self.step = map(int, args.part.split("/"))
        self.env = environment()
        self.hang = float(os.environ.get("SW_FUZZ_HANG", HANG))
        self.commands = self.mutants = self.slow = 0
        self.codes, self.found, self.library = {}, {}, {}
        self.secrets = []  # bytes of files that no output may hold
        self.work = tempfile.mkdtemp(prefix="sweep-fuzz-")
        atexit.register(shutil.rmtree, self.work, ignore_errors=True)
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        os.makedirs(args.folder, exist_ok=True)

    def start(self):
        self.until = time.time() + self.args.seconds

    def leave_half(self):
        """Half of the time is for attacks, however long a slow machine took to prepare them."""
        self.until = max(self.until, time.time() + self.args.seconds / 2)

    def time_left(self):
        return time.time() < self.until and not (self.args.count and self.mutants >= self.args.count)

    def outcome(self, command, computing, waiting, by):
        """@param by  the signal it gets after waiting so many seconds  @return its exit code, and what it told"""
        limits = computing, computing + 1
        process = subprocess.Popen(command, cwd=self.work, env=self.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limits))
        self.out = err = b""
        try:
            for number, seconds in (by, waiting), (signal.SIGKILL, 60), (signal.SIGKILL, 60):
                try:
                    self.out, err = process.communicate(timeout=seconds)
                    break
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, number)
        finally:  # Ctrl-C and SIGTERM do not reach it
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        return process.returncode, err.decode(errors="replace")

    def ends_plain(self, command, seconds):
        """Whether it is only the sanitizers that take so long."""
        plain, own = self.args.plain, self.args.sweep
        if not plain or os.path.samefile(plain, own) or own not in command:
            return False
        return self.outcome([os.path.abspath(plain) if w == own else w for w in command], seconds, 6 * seconds,
                            signal.SIGKILL)[0] not in (-signal.SIGXCPU, -signal.SIGKILL)

    def run(self, command, keep, allowed=CODES, hang=None):
        """@param keep  the files that are at fault if it is one  @return its exit code, None after a fault"""
        self.commands += 1
        seconds = int(hang or self.hang)
        code, err = self.outcome(command, seconds, 6 * seconds, signal.SIGKILL)
        self.err = err
        self.last = code
        self.codes[code] = self.codes.get(code, 0) + 1
        report = REPORT.search(err)
        if any(secret in self.out or secret in err.encode() for secret in self.secrets):
            return self.fault("tells of another file", command, keep, err)
        if not RAW & set(command) and CONTROL.search(self.out + err.encode()):
            return self.fault("prints a control character", command, keep, err)
        if code in (-signal.SIGXCPU, -signal.SIGKILL) and self.ends_plain(command, seconds):
            self.slow += 1
            return None
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            # once more, to see where: the sanitizer tells of this signal with the frames
            where = self.outcome(command, 3 * seconds, seconds, signal.SIGSEGV)[1]
            return self.fault("hangs", command, keep, where)
        if code < 0 or report:
            return self.fault(report.group(0) if report else f"signal {-code}", command, keep, err)
        if code not in allowed:
            return self.fault(f"exit code {code}", command, keep, err)
        if re.search("HDF5 (crashed|did not end) reading", err):  # in a child of plot, which tells of it
            return self.fault("in plot", command, keep, err, in_library=True)
        if code not in (0, 1, 75, KILLED) and not err.strip():
            return self.fault(f"exit code {code} without a word", command, keep, err)
        return code

    def fault(self, what, command, keep, err, in_library=False):
        # the place: the first frames of the report, or the last line of a traceback
        frames = FRAME.findall(err)
        own = [f for f in frames if OWN.search(f)][:2]
        places = frames[:3] or err.strip().splitlines()[-1:]
        in_library = in_library or any("libhdf5" in f for f in frames[:6]) and not is_own_memory(err)
        key = (what, " < ".join(own or places))
        store = self.library if in_library else self.found
        store[key] = store.get(key, 0) + 1
        if store[key] > 1:
            return None
        kept = []
        for path in keep:
            to = os.path.join(self.args.folder, f"{self.name}-{self.args.seed}-{self.mutants}-{os.path.basename(path)}")
            source = os.path.join(self.work, path)
            if os.path.isdir(source):
                shutil.copytree(source, to, dirs_exist_ok=True)
            elif os.path.exists(source):
                shutil.copy(source, to)
            kept.append(to)
        print(f"{'in libhdf5' if in_library else 'FOUND'}: {what}: {' '.join(command)}\n  {key[1]}\n  kept: "
              f"{' '.join(kept)}\n" + "\n".join("    " + line for line in err.strip().splitlines()[:30]), flush=True)
        return None

    def summary(self):
        codes = counted(self.codes)
        slow = f"{self.slow} slow under sanitizers alone; " if self.slow else ""
        print(f"{self.name}: {self.mutants} mutants, {self.commands} commands in {self.args.seconds:.0f} s, seed "
              f"{self.args.seed}; exit codes: {codes}; {slow}{len(self.found)} places at fault, {len(self.library)} "
              f"inside libhdf5 ({sum(self.library.values())} times)")
        return 1 if self.found else 0
