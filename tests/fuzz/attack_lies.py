"""Let the disk lie: one write of a command is not what the program asked for, and the system says that it was.

build/at_call flips a bit of the k-th write, loses it, halves it, or puts zeros into it: of a sweep in batches whose
parts are joined, one that is continued from a checkpoint, a longer axis, a longer time, a merge. Then either the
command ends with a named error, and the same command on a disk that is mended comes to the bits of one that nobody
lied to; or its result is the right one, and `verify` finds it whole. A bit of the k-th read of an output, a part or
what belongs to them is flipped likewise. Every k comes once in each of these ways, in an order of the seed's; then
bits are flipped, another one each time.
"""
import os
import sys

from judge import Judge, counted, options
from scenes import CHECKPOINTS, PARTS, RUN, SHARDS, SLOWLY, Scenes

WRITES, READS = "write,pwrite64", "read,pread64"
RESUME, MERGE = ["resume", "k.h5", "-q"], ["merge", *PARTS, "-q", "-o", "k.h5"]
STATES = RUN + ["-s", "output.state=true"]
LONGER = STATES + ["-s", "time.end=2.0e-2"]

SCENES = {
    "join": ([], RUN, RUN, "k.h5", {}),
    "one part": ([], RUN + ["-s", "run.batch=4"], RUN, "k.h5", {}),
    "checkpoints": ([], RUN + CHECKPOINTS, RUN + CHECKPOINTS, "k.h5", SLOWLY),
    "resume": ([RUN + CHECKPOINTS + ["--max-time", "0.2"]], RESUME, RESUME, "k.h5", SLOWLY),
    "axis": ([RUN + ["-s", "sweep.g=[0.5, 1.0]"]], RUN, RUN, "k.h5", {}),
    "time": ([STATES], LONGER, LONGER, "k.h5", {}),
    "merge": (SHARDS, MERGE, MERGE, "k.h5", {}),
}
HOW = ("flip", "lost", "halved", "holed", "misread")


class Lies(Scenes):
    def __init__(self, judge):
        super().__init__(judge, SCENES)
        self.fired, self.ends, self.count = 0, {}, {}

    def prepare(self, name):
        self.make(name)
        self.keep_whole(name)
        for how in HOW:
            self.count[name, how] = len(self.calls(name, *self.where(how)))
        every = [(name, how, k) for how in HOW for k in range(1, self.count[name, how] + 1)]
        self.plan += every[self.judge.first::self.judge.step]

    @staticmethod
    def where(how):
        """The calls that count, and of which files: of a config that is misread nothing can be said."""
        return (READS, ["-p", ".h5"]) if how == "misread" else (WRITES, None)

    def is_right(self, name, what, lying):
        """Whether its result is there, the same to the bit, and said to be whole."""
        wrong = self.differences(name)
        if not wrong and self.judge.run([self.program, "verify", "k.h5"], ["k.h5"], allowed={0, 5}) == 0:
            return
        self.fault(f"{what}: {wrong[0] if wrong else 'damaged: ' + self.judge.err.strip()[:200]}", lying)

    def attack(self, name, how, k):
        judge = self.judge
        self.set_scene(name)
        self.place(name)
        judge.mutants += 1
        bit = self.random.getrandbits(40)
        calls, files = self.where(how)
        lying = self.at_call(k, SCENES[name][1], calls, f"flip:{bit}" if how in ("flip", "misread") else how, files)
        code = judge.run(lying, ["k.h5.d"], allowed={0, 5})
        self.fired += ":" in self.log()
        self.ends[(how, code)] = self.ends.get((how, code), 0) + 1
        if code == 0:
            self.is_right(name, f"{name}, {how} (exit code 0)", lying)
        elif code == 5:
            said = judge.err.strip()
            if "k." not in said:
                self.fault(f"{name}, {how}: names no file: {said[:200]}", lying)
            on, codes = self.further_command(name)
            if judge.run([self.program, *on], ["k.h5.d", "k.h5"], allowed=codes) is not None:
                self.is_right(name, f"{name}, {how}, the call after it", lying)
            if os.path.exists(os.path.join(judge.work, "k.h5.d")):
                self.fault(f"{name}, {how}: k.h5.d is left", lying)


def main():
    judge = Judge("lies", options(__doc__.splitlines()[0]))
    lies = Lies(judge)
    lies.prepared(lies.prepare)

    def another():
        name, how = judge.random.choice([key for key in lies.count if key[1] in ("flip", "misread")])
        return name, how, judge.random.randrange(1, lies.count[name, how] + 1)
    planned = lies.attack_all(another)
    ends = counted(lies.ends)
    print(f"lies: {lies.fired} calls that lied, {planned - len(lies.plan)} of the {planned} ways planned; {ends}")
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
