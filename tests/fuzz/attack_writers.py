"""Let two or three processes meet on one FILE, each pair of commands: those that write it, and those that read it.

They begin within some milliseconds of each other. Each ends with 0, or is refused with a message and 5; the file is, to
the bit, what those that ended with 0 make one after another, in some order; it is whole, and nothing else is left. Who
only reads finds a file that is whole at any moment.
"""
import itertools
import os
import shutil
import subprocess
import sys
import time

from judge import REPORT, Judge, counted, options
from scenes import PARTS, RUN, Scenes

STATE = RUN + ["-s", "output.state=true"]
OTHER = STATE + ["-s", "physics.D=2.0"]
HALF = STATE + ["-s", "sweep.g=[0.5, 1.0]"]
WRITERS = {
    "run": STATE,
    "again": HALF,
    "resume": ["resume", "k.h5", "-q"],
    "lengthen": STATE + ["-s", "time.end=2.0e-2"],
    "retitle": STATE + ["-s", 'title="again"'],
    "other": OTHER,
    "force": OTHER + ["--force"],
    "merge": ["merge", *PARTS, "-q", "-o", "k.h5", "--force"],
    "join": ["merge", "k.h5", PARTS[1], "-q", "-o", "k.h5"],
}
READERS = {
    "show": ["show", "k.h5"],
    "status": ["status", "k.h5", "--json"],
    "verify": ["verify", "k.h5"],
    "xdmf": ["xdmf", "k.h5", "-q"],
    "plot": ["plot", "k.h5", "-o", "p.png"],
}
COMMANDS = {**WRITERS, **READERS}
SHARDS = [STATE + ["--shard", "1/2"], STATE + ["--shard", "2/2"]]
SCENES = {"none": (SHARDS, [], [], "k.h5", {}), "half": ([*SHARDS, HALF], [], [], "k.h5", {})}


class Writers(Scenes):
    def __init__(self, judge):
        super().__init__(judge, SCENES)
        self.after, self.ends, self.met = {}, {}, {}

    def state_after(self, scene, names):
        """The file that these commands make one after another; None: one of them is refused."""
        key = (scene, *names)
        if key not in self.after and names and self.state_after(scene, names[:-1]) is None and len(names) > 1:
            self.after[key] = None
        if key not in self.after:
            self.place(scene)
            codes = [subprocess.run([self.program, *COMMANDS[n]], cwd=self.judge.work, env=self.judge.env,
                                    capture_output=True).returncode for n in names]
            at, kept = os.path.join(self.judge.work, "k.h5"), self.seed("after-" + "-".join(key) + ".h5")
            self.after[key] = kept if not any(codes) and os.path.exists(at) else None
            if self.after[key]:
                shutil.copy(at, kept)
        return self.after[key]

    def is_serial(self, scene, done):
        """Whether the file is what these make in some order; where none did anything, it is what was there."""
        at = os.path.join(self.judge.work, "k.h5")
        now, kept = self.judge.work, self.seed("result")
        shutil.rmtree(kept, ignore_errors=True)
        os.rename(now, kept)
        try:
            if not done and not os.path.exists(self.seed(scene, "/k.h5")):
                return not os.path.exists(os.path.join(kept, "k.h5"))
            afters = [self.state_after(scene, order) if order else self.seed(scene, "/k.h5")
                      for order in itertools.permutations(done)]
            there = os.path.join(kept, "k.h5")
            return os.path.exists(there) and any(a and not self.compare(a, there) for a in afters)
        finally:
            shutil.rmtree(now, ignore_errors=True)
            os.rename(kept, os.path.dirname(at))

    def together(self, names):
        """@return the exit codes, and what was said on stderr"""
        started = []
        for name in names:
            time.sleep(self.random.choice((0, 0, 0.002, 0.01, 0.03)))
            started.append(subprocess.Popen([self.program, *COMMANDS[name]], cwd=self.judge.work, env=self.judge.env,
                                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE))
        codes, errs = [], []
        for process in started:
            try:
                err = process.communicate(timeout=6 * self.judge.hang)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                err = process.communicate()[1] + b"hangs"
            codes.append(process.returncode)
            errs.append(err.decode(errors="replace"))
        self.judge.commands += len(names)
        return codes, errs

    def attack(self, scene, names):
        judge = self.judge
        self.set_scene(scene)
        self.place(scene)
        judge.mutants += 1
        codes, errs = self.together(names)
        self.met[frozenset(names[:2])] = self.met.get(frozenset(names[:2]), 0) + 1
        told = "; ".join(f"{n}: {c} {e.strip()[-150:]}" for n, c, e in zip(names, codes, errs))
        whole = scene == "half"
        for name, code, err in zip(names, codes, errs):
            judge.codes[code] = judge.codes.get(code, 0) + 1
            self.ends[name, code] = self.ends.get((name, code), 0) + 1
            # who reads a file that is there reads a whole one; it may be replaced meanwhile, which xdmf says
            right = {0} if whole and name in READERS and name != "xdmf" else {0, 5}
            if code not in right or (code and not err.strip()) or REPORT.search(err):
                others = " and ".join(n for n in names if n != name)
                return self.wrong(f"{scene}: {name} with {others} ends with {code}", names, told)
        if os.path.exists(os.path.join(judge.work, "k.h5.d")):
            return self.wrong(f"{scene}: {' and '.join(sorted(names))}: k.h5.d is left", names, told)
        done = [n for n, c in zip(names, codes) if c == 0 and n in WRITERS]
        if not self.is_serial(scene, done):
            return self.wrong(f"{scene}: {' and '.join(sorted(done)) or 'nobody'} ended with 0 of "
                              f"{' and '.join(sorted(names))}, and the file is another", names, told)
        if os.path.exists(os.path.join(judge.work, "k.h5")) and self.random.random() < 0.2:
            judge.run([self.program, "verify", "k.h5"], ["k.h5"], allowed={0})
        return None

    def wrong(self, what, names, told):
        self.judge.fault(what, [*names], os.listdir(self.judge.work), f"{what}\n{told}")
        print(f"  {told}", flush=True)


def main():
    judge = Judge("writers", options(__doc__.splitlines()[0]))
    writers = Writers(judge)
    for scene in SCENES:
        writers.make(scene)
    judge.leave_half()
    names = [n for n in COMMANDS if n != "plot" or judge.args.seconds > 60]  # Python takes long to start
    pairs = [pair for pair in itertools.combinations_with_replacement(names, 2) if set(pair) & WRITERS.keys()]
    plan = []
    while judge.time_left():
        if not plan:
            plan = pairs[judge.first::judge.step]
            judge.random.shuffle(plan)
        pair = list(plan.pop())
        judge.random.shuffle(pair)
        if judge.random.random() < 0.2:
            pair.append(judge.random.choice(names))
        writers.attack(judge.random.choice(list(SCENES)), pair)
    print(f"writers: {judge.mutants} meetings, {len(writers.met)} of {len(pairs)} pairs, each "
          f"{min(writers.met.values(), default=0)} times at least; {counted(writers.ends)}")
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
