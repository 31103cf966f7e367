"""Kill the program at a system call, then let it go on: what it leaves is read, and the end is that of a call nobody
killed, bit for bit.

build/at_call counts the calls of an undisturbed command, and kills others at one of them: each that changes a file
once, in an order of the seed's, then any call of the process. Some of the calls that go on are killed too. What is
killed: a sweep in batches, one with checkpoints, one on two devices; resume; a longer axis; --force; merge;
xdmf; submit.
"""
import json
import os
import sys

from judge import KILLED, Judge, options
from scenes import CHECKPOINTS, PARTS, RUN, SHARDS, SLOWLY, Scenes

CHANGES = ("write,pwrite64,writev,ftruncate,fsync,flock,open,openat,rename,renameat,link,linkat,unlink,unlinkat,mkdir,"
           "mkdirat,rmdir,chmod,fchmod")
MERGE, SUBMIT = ["merge", *PARTS, "-q", "-o", "k.h5"], ["submit", "k.cfg", "--shards", "2", "-o", "k.h5"]
RESUME, XDMF = ["resume", "k.h5", "-q"], ["xdmf", "-q", "k.h5"]
SHORTER, OTHER = ["-s", "sweep.g=[0.5, 1.0]"], ["-s", "time.dt=2.0e-4"]

SCENES = {
    "batches": ([], RUN, RUN, "k.h5", {}),
    "checkpoints": ([], RUN + CHECKPOINTS, RUN + CHECKPOINTS, "k.h5", SLOWLY),
    "devices": ([], RUN + ["-s", "run.batch=1", "--device", "cpu:0,1"], RUN, "k.h5", {}),
    "resume": ([RUN + CHECKPOINTS + ["--max-time", "0.2"]], RESUME, RESUME, "k.h5", SLOWLY),
    "lengthen": ([RUN + SHORTER], RUN, RUN, "k.h5", {}),
    "force": ([RUN + OTHER], RUN + ["--force"], RUN + ["--force"], "k.h5", {}),
    "merge": (SHARDS, MERGE, MERGE, "k.h5", {}),
    "xdmf": ([RUN], XDMF, XDMF, "k.xdmf", {}),
    "submit": ([], SUBMIT, SUBMIT, "k.h5.jobs/shards.sh", {}),
}


class Kills(Scenes):
    def __init__(self, judge):
        super().__init__(judge, SCENES)
        self.killed = self.further = 0

    def prepare(self, name):
        """@return the scene, and how many calls its command makes"""
        self.make(name)
        self.keep_whole(name)
        every = self.calls(name)
        changes = self.calls(name, CHANGES)
        self.plan += [(name, CHANGES, k) for k in range(1, len(changes) + 1) if k % self.judge.step == self.judge.first]
        return name, len(every)

    @staticmethod
    def ends(command, codes):
        """submit lives on if it is sbatch or squeue that is killed, and says so."""
        return codes | {KILLED} | ({5} if command[0] == "submit" else set())

    def check_left(self):
        """What status and show say of what a kill has left."""
        judge = self.judge
        if judge.run([self.program, "status", "k.h5", "--json"], ["k.h5.d", "k.h5"], allowed={0, 5}) == 0:
            said = json.loads(judge.out)
            if not 0 <= said.get("done", 0) <= 4:
                self.fault(f"status says {said}", [])
        if os.path.exists(os.path.join(judge.work, "k.h5")):
            judge.run([self.program, "show", "k.h5"], ["k.h5"], allowed={0})

    def check_old(self, killed):
        """--force: until the new file is whole the old one is there, as it was."""
        path = os.path.join(self.judge.work, "k.h5")
        if not os.path.exists(path):
            self.fault("force: the old file is gone", killed)
        elif open(path, "rb").read() != open(self.seed("force/k.h5"), "rb").read() and self.differences("force"):
            self.fault("force: neither the old file nor the new", killed)

    def go_on(self, name, killed):
        """What was killed comes to the end of an undisturbed call, and leaves nothing else."""
        judge, (on, codes) = self.judge, self.further_command(name)
        if judge.run([self.program, *on], ["k.h5.d", "k.h5"], allowed=codes) is None:
            return self.fault(f"{name}: does not go on", killed)
        for difference in self.differences(name):
            self.fault(f"{name}: {difference}", killed)
        left = set(os.listdir(judge.work)) ^ set(os.listdir(self.seed(name, "-whole")))
        if codes == {5}:
            left -= {"k.h5.d"}
        if name == "xdmf":  # beside the file, under a name that no later call knows
            left = {f for f in left if not f.startswith(".sweep-")}
        if left:
            self.fault(f"{name}: left or gone: {' '.join(sorted(left))}", killed)
        return None

    def attack(self, name, calls, k):
        judge, command = self.judge, SCENES[name][1]
        self.set_scene(name)
        self.place(name)
        killed = self.at_call(k, command, calls)
        judge.mutants += 1
        judge.run(killed, [], allowed=self.ends(command, {0}))
        self.killed += judge.last == KILLED
        if name == "force":
            self.check_old(killed)
        self.check_left()
        if self.random.random() < 0.3:
            on, codes = self.further_command(name)
            judge.run(self.at_call(self.random.randrange(1, 1500), on), [], allowed=self.ends(on, codes))
            self.further += judge.last == KILLED
            self.check_left()
        self.go_on(name, killed)


def main():
    judge = Judge("kills", options(__doc__.splitlines()[0]))
    kills = Kills(judge)
    every = kills.prepared(kills.prepare)

    def another():
        name, calls = judge.random.choice(every)
        return name, None, judge.random.randrange(1, calls + 1)
    planned = kills.attack_all(another)
    print(f"kills: {kills.killed} commands killed, and {kills.further} of those that went on; of {planned} calls that "
          f"change a file, {planned - len(kills.plan)}")
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
