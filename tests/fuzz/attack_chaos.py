"""Fail several calls of a command, again when it recovers, all along the life of a file: it is computed, gets a longer
axis, a later end and another title, and is merged.

build/at_call fails one to four of the calls of a command that touch a file (EIO, ENOSPC, EMFILE, EDQUOT, ESTALE), and
may kill it at the last; what goes on with it is disturbed likewise, up to three times, then it is left alone. Whatever
was disturbed ends with a named error or with the right result; what was reported done before it stays, to the bit; and
the call that is left alone comes to the bits of one that nobody disturbed, and leaves nothing else.
"""
import errno
import os
import re
import shutil
import sys

from attack_faults import EVERY, NAMED
from judge import KILLED, Judge, counted, options
from scenes import PARTS, RUN, Scenes

STATE = RUN + ["-s", "output.state=true"]
LATER = STATE + ["-s", "time.end=2.0e-2"]
AGAIN = LATER + ["-s", 'title="again"']
COMMANDS = {
    "run": STATE + ["-s", "sweep.g=[0.5, 1.0]"],
    "extend": STATE,
    "lengthen": LATER,
    "retitle": AGAIN,
    "merge": ["merge", PARTS[1], "k.h5", "-q", "-o", "m.h5"],
}
RESULTS = {"merge": "m.h5"}
ERRORS = errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EDQUOT, errno.ESTALE
CALLS = ",".join([*(c for c in EVERY.split(",") if c not in ("mmap", "brk")), "flock"])


def scenes():
    before = []
    for name, command in COMMANDS.items():
        shard = [AGAIN + ["--shard", "2/2"]] if name == "merge" else []
        yield name, (before + shard, command, command, RESULTS.get(name, "k.h5"), {})
        before = before + [command]


class Chaos(Scenes):
    def __init__(self, judge):
        super().__init__(judge, dict(scenes()))
        self.fired = self.disturbed = self.killed = 0
        self.count, self.ends = {}, {}

    def prepare(self, name):
        self.make(name)
        self.keep_whole(name)
        self.count[name] = len(self.calls(name, CALLS))

    def is_one_of(self, result, names):
        """Whether the result in the folder is, to the bit, what one of these commands leaves undisturbed."""
        b = os.path.join(self.judge.work, result)
        return os.path.exists(b) and any(not self.compare(self.seed(n, f"-whole/{result}"), b) for n in names)

    def disturb(self, name, last):
        """@param last  the step before, which is done; None: there was none  @return a fault was found"""
        judge, random = self.judge, self.random
        count = random.choice((1, 2, 2, 3, 4))
        at = sorted(random.sample(range(1, int(1.2 * self.count[name]) + 1), count))
        how = [str(random.choice(ERRORS)) for _ in at]
        if random.random() < 0.25:
            how[-1] = "kill"
        where = ["-k", ",".join(map(str, at)), "-a", ",".join(how), "-c", CALLS, "-p", judge.work, "-l",
                 self.seed("log")]
        command = [os.path.join(self.tools, "at_call"), *where, self.program, *COMMANDS[name]]
        code = judge.run(command, [], allowed={0, 4, 5, KILLED})
        self.disturbed += 1
        self.killed += code == KILLED
        self.fired += self.log().count(": ")
        self.ends[code] = self.ends.get(code, 0) + 1
        what = f"{name}, at {', '.join(map('{} {}'.format, at, how))}"
        if code is None:
            print(f"  {what}: {self.log()}", flush=True)
        elif code in (4, 5) and not NAMED.search(judge.err) and not re.search(r"\bm\.\w", judge.err):
            self.fault(f"{name}: names no file: {judge.err.strip()[:200]}", command)
        elif code == 0 and not self.is_one_of(RESULTS.get(name, "k.h5"), [name]):
            self.fault(f"{name}: exit code 0, and another result", command)
        elif last and not self.is_one_of("k.h5", {last, name} - {"merge"}):
            self.fault(f"{name}: what {last} had done is lost", command)
        else:
            return False
        return True

    def step(self, name, last):
        judge = self.judge
        for _ in range(self.random.choice((1, 1, 2, 3))):
            if self.disturb(name, last):
                return False
        result = RESULTS.get(name, "k.h5")
        done = name == "merge" and os.path.exists(os.path.join(judge.work, result))
        if judge.run([self.program, *COMMANDS[name]], ["k.h5.d"], allowed={5} if done else {0}) is None:
            print(f"  {name}, left alone, after {self.log()}", flush=True)
            return False
        left = {f for f in os.listdir(judge.work) if f.endswith(".d")} - ({"m.h5.d"} if done else set())
        wrong = self.differences(name) + [f"{f} is left" for f in sorted(left)]
        for difference in wrong[:1]:
            self.fault(f"{name}, left alone: {difference}", COMMANDS[name])
        return not wrong

    def attack(self):
        judge, last = self.judge, None
        self.set_scene("run")
        self.place("run")
        judge.mutants += 1
        for name in COMMANDS:
            if name == "merge":
                shutil.copy(self.seed("merge", f"/{PARTS[1]}"), judge.work)
            if not self.step(name, last):
                return
            last = name
        judge.run([self.program, "verify", "m.h5"], ["m.h5"], allowed={0})


def main():
    judge = Judge("chaos", options(__doc__.splitlines()[0]))
    chaos = Chaos(judge)
    for name in COMMANDS:
        chaos.prepare(name)
    judge.leave_half()
    while judge.time_left():
        chaos.attack()
    print(f"chaos: {judge.mutants} sequences, {chaos.disturbed} commands disturbed, {chaos.fired} calls failed, "
          f"{chaos.killed} killed; {counted(chaos.ends)}")
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
