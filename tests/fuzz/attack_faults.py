"""Fail every system call with which a command reads: it ends with a named error and the code for it, or with what it
says and writes undisturbed.

build/at_call fails the k-th read, pread, lseek, close, mmap, open, getdents, stat of a file in the folder of the sweep
(EIO, EMFILE, ENOMEM), lets the k-th read or write come back with half of its bytes, or fails the k-th write, fsync,
rename (ENOSPC, EIO), whichever library makes the call: of show, status, xdmf, merge, resume, run and plot, on whole
files, checkpoints and parts. Every k of every kind comes once, in an order of the seed's.
"""
import errno
import re
import sys

from judge import Judge, counted, options
from scenes import CHECKPOINTS, PARTS, RUN, SHARDS, SLOWLY, Scenes

# kind: (the calls, what happens to one of them)
KINDS = {
    "read": ("read,pread64", errno.EIO),
    "short": ("read,pread64", "short"),
    "lseek": ("lseek", errno.EIO),
    "close": ("close", errno.EIO),
    "mmap": ("mmap", errno.ENOMEM),
    "memory": ("mmap,brk", errno.ENOMEM),
    "open": ("open,openat", errno.EMFILE),
    "list": ("getdents64", errno.EIO),
    "stat": ("stat,lstat,newfstatat,fstat,access,readlink", errno.EIO),
    "write": ("write,pwrite64,writev,ftruncate", errno.ENOSPC),
    "short write": ("write,pwrite64", "short"),
    "sync": ("fsync,fdatasync", errno.EIO),
    "rename": ("rename,renameat,renameat2,link,linkat", errno.EIO),
    "remove": ("unlink,unlinkat,rmdir", errno.EIO),
    "folder": ("mkdir,mkdirat", errno.ENOSPC),
}
EVERY = ",".join(sorted({name for names, _ in KINDS.values() for name in names.split(",")}))
STOPPED = [*RUN, *CHECKPOINTS, "--max-time", "0.2"]
IN_PARTS = [*RUN, "-s", "run.batch=1", "--max-time", "0.2"]
PLAIN, RESUME = {}, ["resume", "k.h5", "-q"]

# name: (what is there before, the command, what goes on with it, the result, more of the environment)
SCENES = {
    "show": ([RUN], ["show", "k.h5"], ["show", "k.h5"], None, PLAIN),
    "show --csv": ([RUN], ["show", "k.h5", "--csv"], ["show", "k.h5", "--csv"], None, PLAIN),
    "show --run": ([RUN], ["show", "k.h5", "--run", "2"], ["show", "k.h5", "--run", "2"], None, PLAIN),
    "show parts": ([IN_PARTS], ["show", "k.h5"], ["show", "k.h5"], None, SLOWLY),
    "status": ([RUN], ["status", "k.h5", "--json"], ["status", "k.h5", "--json"], None, PLAIN),
    "status parts": ([IN_PARTS], ["status", "k.h5"], ["status", "k.h5"], None, SLOWLY),
    "status config": ([IN_PARTS], ["status", "k.cfg"], ["status", "k.cfg"], None, SLOWLY),
    "status shards": (SHARDS, ["status", "k.h5"], ["status", "k.h5"], None, PLAIN),
    "verify": ([RUN], ["verify", "k.h5"], ["verify", "k.h5"], None, PLAIN),
    "plan": ([STOPPED], [*RESUME, "-n"], [*RESUME, "-n"], None, SLOWLY),
    "check": ([], ["check", "k.cfg"], ["check", "k.cfg"], None, PLAIN),
    "run": ([], RUN, RUN, "k.h5", PLAIN),
    "resume": ([STOPPED], RESUME, RESUME, "k.h5", SLOWLY),
    "resume parts": ([IN_PARTS], RESUME, RESUME, "k.h5", SLOWLY),
    "lengthen": ([RUN + ["-s", "sweep.g=[0.5, 1.0]"]], RUN, RUN, "k.h5", PLAIN),
    "merge": (SHARDS, ["merge", *PARTS, "-q", "-o", "k.h5"], ["merge", *PARTS, "-q", "-o", "k.h5"], "k.h5", PLAIN),
    "xdmf": ([RUN], ["xdmf", "-q", "k.h5"], ["xdmf", "-q", "k.h5"], "k.xdmf", PLAIN),
    "plot": ([RUN], ["plot", "k.h5", "-o", "p.png", "--kind", "lines"], ["plot", "k.h5", "-o", "p.png", "--kind",
                                                                         "lines"], "p.png", PLAIN),
}
NAMED = re.compile(r"k\.\w|p\.png|folder|\.sweep-|standard (output|error)|configuration|[Oo]ut of memory|thread")


class Faults(Scenes):
    def __init__(self, judge):
        super().__init__(judge, SCENES)
        self.fired, self.all, self.ends, self.said = 0, 0, {}, {}

    def prepare(self, name):
        self.make(name)
        self.said[name] = self.shown(self.keep_whole(name))
        calls = self.calls(name, EVERY)
        for kind, (names, _) in KINDS.items():
            if kind == "memory" and name == "plot":
                continue  # Python's own
            counted = self.calls(name, names, self.where(name, kind)) if kind == "memory" else calls
            count = sum(call in names.split(",") for call in counted)
            self.all += count
            self.plan += [(name, kind, k) for k in range(1, count + 1) if k % self.judge.step == self.judge.first]

    @staticmethod
    def where(name, kind):
        """Calls for memory count once the command has opened its file."""
        return ["-f", next(w for w in SCENES[name][1] if w.startswith("k."))] if kind == "memory" else None

    @staticmethod
    def shown(out):
        """Without what tells of the moment, and of the error itself where a plan goes without a file."""
        said = re.sub(rb"(?m)^time .*$|^.*\b(ago|took|wall|disk|memory|seconds?|finished|updated|Input/output error|"
                      rb"Too many open files|No such file or directory)\b.*$", b"", out)
        return [line for line in said.splitlines() if line]

    def attack(self, name, kind, k):
        command, _, result = SCENES[name][1:4]
        judge = self.judge
        calls, how = KINDS[kind]
        self.set_scene(name)
        self.place(name)
        judge.mutants += 1
        if kind == "memory":
            command = [word for word in command if word != "-q"]  # a sample given up for want of memory is a warning
        faulty = self.at_call(k, command, calls, str(how), self.where(name, kind))
        code = judge.run(faulty, [], allowed={0, 4, 5})
        self.fired += ":" in self.log()
        self.ends[(kind, code)] = self.ends.get((kind, code), 0) + 1
        if code is None:
            print(f"  {name}, {kind} {k}: {self.log()}", flush=True)
            return
        if code in (4, 5) and not NAMED.search(judge.err):
            self.fault(f"{name}, {kind}: names no file: {judge.err.strip()[:200]}", faulty)
        if code == 0 and not result and self.shown(judge.out) != self.said[name]:
            said = sorted(set(self.shown(judge.out)) ^ set(self.said[name]))
            self.fault(f"{name}, {kind}: says something else, with exit code 0: {said}", faulty)
        if code == 0 and result and "libmvec" not in self.log():  # without it sin, cos and exp have other last bits
            lost = {"error_time", "message"} if re.search("accuracy: .*memory", judge.err) else set()
            self.check_result(name, f"{name}, {kind} (exit code 0)", faulty, lost)
        if result and code != 0:
            on, codes = self.further_command(name)
            if judge.run([self.program, *on], ["k.h5.d", "k.h5"], allowed=codes) is not None:
                self.check_result(name, f"{name}, {kind}, the call after it", faulty)

    def check_result(self, name, what, faulty, allowed=frozenset()):
        for difference in self.differences(name):
            if difference.split()[0] in allowed:
                continue
            self.fault(f"{what}: {difference}", faulty)


def main():
    judge = Judge("faults", options(__doc__.splitlines()[0]))
    faults = Faults(judge)
    faults.prepared(faults.prepare)
    judge.random.shuffle(faults.plan)
    while faults.plan and judge.time_left():
        faults.attack(*faults.plan.pop())
    ends = counted(faults.ends)
    left_out = ", ".join(sorted(SCENES.keys() - faults.said.keys()))
    print(f"faults: {faults.fired} calls failed, of {faults.all} that there are, {len(faults.plan)} left; {ends}"
          f"{'; not prepared in time: ' if left_out else ''}{left_out}")
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
