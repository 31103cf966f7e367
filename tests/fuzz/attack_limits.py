"""Limit what a process may have: its memory, its open files, the length of a file that it writes.

`ulimit` sets one of them, another number each time, for a sweep, one that is continued, a merge and what reads a
file. The command ends as it does undisturbed, or with a message and the code for it: 4 where memory is short, 5 else;
and the same command without a limit comes to the same bits.
"""
import subprocess
import sys

from judge import Judge, counted, options
from scenes import CHECKPOINTS, PARTS, RUN, SHARDS, SLOWLY, Scenes

RESUME, MERGE = ["resume", "k.h5", "-q"], ["merge", *PARTS, "-q", "-o", "k.h5"]
SCENES = {
    "run": ([], RUN, RUN, "k.h5", {}),
    "resume": ([RUN + CHECKPOINTS + ["--max-time", "0.2"]], RESUME, RESUME, "k.h5", SLOWLY),
    "axis": ([RUN + ["-s", "sweep.g=[0.5, 1.0]"]], RUN, RUN, "k.h5", {}),
    "merge": (SHARDS, MERGE, MERGE, "k.h5", {}),
    "show": ([RUN], ["show", "k.h5"], ["show", "k.h5"], "k.h5", {}),
    "verify": ([RUN], ["verify", "k.h5"], ["verify", "k.h5"], "k.h5", {}),
}
# ulimit's letter: (from, to, exit codes), 127 where there is no room for the libraries; above, it needs no more
LIMITS = {"v": (30000, 200000, {0, 4, 127}), "n": (6, 40, {0, 4, 5}), "f": (1, 120, {0, 5})}


class Limits(Scenes):
    def __init__(self, judge):
        super().__init__(judge, SCENES)
        self.ends, self.names, self.early = {}, [], 0

    def prepare(self, name):
        self.make(name)
        self.keep_whole(name)
        self.names.append(name)

    def attack(self, name, letter):
        judge = self.judge
        least, most, codes = LIMITS[letter]
        limit = self.random.randrange(least, most)
        self.set_scene(name)
        self.place(name)
        judge.mutants += 1
        judge.env["OMP_NUM_THREADS"] = str(self.random.choice((1, 2, 4)))
        limited = ["bash", "-c", f'ulimit -c 0; ulimit -{letter} {limit}; exec "$@"', "bash", self.program]
        if letter == "v":  # below the size of the program itself the system ends it before it begins
            begins = subprocess.run([*limited, "--version"], env=judge.env, cwd=judge.work, capture_output=True)
            self.early += begins.returncode in (-11, 127)
            if begins.returncode == -11:
                return
        code = judge.run([*limited, *SCENES[name][1]], ["k.h5.d", "k.h5"], allowed=codes)
        self.ends[(letter, code)] = self.ends.get((letter, code), 0) + 1
        on, codes = self.further_command(name)
        if code is not None and judge.run([self.program, *on], ["k.h5.d", "k.h5"], allowed=codes) is not None:
            for difference in self.differences(name):
                self.judge.fault(f"{name}, ulimit -{letter} {limit}: {difference}", limited, ["k.h5"], difference)


def main():
    judge = Judge("limits", options(__doc__.splitlines()[0]))
    limits = Limits(judge)
    limits.prepared(limits.prepare)
    while judge.time_left():
        limits.attack(judge.random.choice(limits.names), judge.random.choice("vvvnf"))
    print(f"limits: {counted(limits.ends)}; {limits.early} times too little for the program and its libraries")
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
