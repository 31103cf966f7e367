"""What attacks at system calls share: a small sweep, what is there before a command, and its end undisturbed.

A scene is a command: (what is run before it, the command, what goes on with it after a mishap, its result or None, more
of the environment). Its seed is a folder as the command finds it; NAME-whole is one as it leaves it.
"""
import os
import shutil
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "helpers"))
import compare_h5  # noqa: E402
import h5py  # noqa: E402

CONFIG = """
title   = "kills";
problem = "cahn_hilliard";
grid    = { n = 16; length = 1.0; };
physics = { gamma = "g"; D = 1.0; };
time    = { dt = 1.0e-4; end = 1.0e-2; };
sweep   = { g = [0.5, 1.0, 2.0, 4.0]; };
initial = "0.1*cos(2*pi*x)";
output  = { file = "k.h5"; fields = { times = "linspace(0, end, 3)"; }; scalars = { every = 1.0e-3; }; };
run     = { batch = 2; device = "cpu"; };
"""
RUN = ["run", "k.cfg", "-q", "-o", "k.h5"]
SHARDS = [RUN + ["--shard", "1/2"], RUN + ["--shard", "2/2"]]
PARTS = ["k.shard-1-of-2.h5", "k.shard-2-of-2.h5"]
# a clock that goes 0.01 s further at each look: a checkpoint after some chunks of steps, however fast the machine is
SLOWLY = {"LOOK": "0.01", "LD_PRELOAD": "jump_clock.so"}
CHECKPOINTS = ["-s", "run.batch=0", "-s", "run.checkpoint=0.001"]



class Scenes:
    def __init__(self, judge, scenes):
        judge.args.sweep, judge.args.folder = map(os.path.abspath, (judge.args.sweep, judge.args.folder))
        judge.hang = float(os.environ.get("SW_FUZZ_HANG", 30))
        self.judge, self.random, self.program, self.scenes = judge, judge.random, judge.args.sweep, scenes
        self.tools = os.environ.get("SW_TOOLS", os.path.join(TOP, "build"))  # where at_call is
        self.plan = []
        os.mkdir(os.path.join(judge.work, "bin"))
        for name, says in ("sbatch", "echo 17"), ("squeue", "exit 0"):
            path = os.path.join(judge.work, "bin", name)
            with open(path, "w") as f:
                f.write(f"#!/bin/sh\n{says}\n")
            os.chmod(path, 0o755)
        judge.env["PATH"] = os.path.join(judge.work, "bin") + ":" + judge.env["PATH"]
        self.own = dict(judge.env)
        judge.work = os.path.join(judge.work, "here")

    def attack_all(self, another):
        """What is planned, in any order, then what another() returns, until time is up. Returns how much was planned"""
        planned = len(self.plan)
        self.random.shuffle(self.plan)
        while self.judge.time_left():
            self.attack(*(self.plan.pop() if self.plan else another()))
        return planned

    def prepared(self, prepare):
        """What prepare(name) returns for each scene, or for those that half of the time suffices for. SW_SCENES: these
        alone, separated by commas."""
        only = [n for n in os.environ.get("SW_SCENES", "").split(",") if n]
        known = {s[1][0] for s in self.scenes.values() if not subprocess.run(
            [self.program, "help", s[1][0]], env=self.judge.env, capture_output=True).returncode}
        names = only or [n for n, s in self.scenes.items() if s[1][0] in known and
                         (n != "plot" or self.judge.args.seconds > 60)]  # Python calls a lot
        self.random.shuffle(names)
        self.judge.start()
        half = self.judge.until - self.judge.args.seconds / 2
        done = [prepare(names[0])]
        for name in names[1:]:
            if time.time() < half:
                done.append(prepare(name))
        self.judge.leave_half()
        return done

    def set_scene(self, name):
        more = {k: os.path.join(self.tools, v) if k == "LD_PRELOAD" else v for k, v in self.scenes[name][4].items()}
        self.judge.env = dict(self.own, **more)

    def seed(self, name, what=""):
        return os.path.join(os.path.dirname(self.judge.work), f"{name}{what}")

    def place(self, name):
        shutil.rmtree(self.judge.work, ignore_errors=True)
        shutil.copytree(self.seed(name), self.judge.work)

    def call(self, command, codes=(0, 75)):
        done = subprocess.run([self.program, *command], cwd=self.judge.work, env=self.judge.env, capture_output=True)
        if done.returncode not in codes:
            sys.exit(f"cannot make the files: {' '.join(command)}: {done.stderr.decode()}")
        return done

    def make(self, name):
        """The seed of a scene."""
        self.set_scene(name)
        shutil.rmtree(self.judge.work, ignore_errors=True)
        os.mkdir(self.judge.work)
        with open(os.path.join(self.judge.work, "k.cfg"), "w") as f:
            f.write(CONFIG)
        for command in self.scenes[name][0]:
            self.call(command)
        shutil.copytree(self.judge.work, self.seed(name))

    def keep_whole(self, name):
        """The end of its command, of which the undisturbed output is returned."""
        self.place(name)
        done = self.call(self.scenes[name][1])
        shutil.copytree(self.judge.work, self.seed(name, "-whole"))
        return done.stdout

    def at_call(self, k, command, calls=None, action="kill", where=None):
        """@param calls  those that count; None: all; @param where  the files that count, not those in the folder"""
        only = ["-c", calls, *(where or ["-p", self.judge.work])] if calls else []
        return [os.path.join(self.tools, "at_call"), "-k", str(k), "-a", action, "-l", self.seed("log"), *only,
                self.program, *command]

    def calls(self, name, calls=None, where=None):
        """The names of the calls that its command makes, undisturbed."""
        self.place(name)
        subprocess.run(self.at_call(0, self.scenes[name][1], calls, "list", where), cwd=self.judge.work,
                       env=self.judge.env, capture_output=True)
        return [line.split()[0] for line in self.log().splitlines()[:-1]]

    def further_command(self, name):
        """@return what goes on with it, and the exit codes for that: a file that is whole is not merged again"""
        on = self.scenes[name][2]
        if on[0] == "merge" and os.path.exists(os.path.join(self.judge.work, "k.h5")):
            return on, {5}
        if on[0] == "submit" and os.path.exists(os.path.join(self.judge.work, "k.h5.jobs", "arguments")):
            return ["submit", "--missing", "k.h5"], {0}
        return on, {0}

    def log(self):
        return open(self.seed("log")).read().strip()

    def fault(self, what, command):
        """@param command  the one that was disturbed"""
        self.judge.fault(what, command, os.listdir(self.judge.work), f"{self.log()}\n{what}")

    def differences(self, name):
        """Of its result from that of the undisturbed command."""
        result = self.scenes[name][3]
        a, b = self.seed(name, f"-whole/{result}"), os.path.join(self.judge.work, result)
        if not os.path.exists(b):
            return [f"there is no {result}"]
        return self.compare(a, b)

    @staticmethod
    def compare(a, b):
        if a.endswith(".h5"):
            with h5py.File(a) as x, h5py.File(b) as y:
                return compare_h5.compare(x, y)
        return [] if open(a, "rb").read() == open(b, "rb").read() else [f"{os.path.basename(a)} differs"]
