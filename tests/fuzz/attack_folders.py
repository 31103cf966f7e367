"""Write into a folder into which another user writes too, who puts links, pipes and folders under the names that the
program uses, before it begins or at one of its system calls.

The names are those of an undisturbed call, as build/at_call lists them: in FILE.d, FILE.jobs and beside the output. The
shared folder has the sticky bit, as /tmp has it, or not; the other user owns what he puts there. No command may crash
or hang, and all that is in the user's own folder must stay as it is, whatever links lead there.
"""
import hashlib
import os
import re
import shutil
import subprocess
import sys

from judge import Judge, options
from scenes import CHECKPOINTS, PARTS, RUN, SHARDS, SLOWLY, Scenes

USER, OTHER = 1234, 65534
CHANGES = "write,pwrite64,ftruncate,fsync,flock,open,openat,rename,link,unlink,unlinkat,mkdir,rmdir,stat,newfstatat"
STOPPED = RUN + CHECKPOINTS + ["--max-time", "0.2"]
RESUME, MERGE = ["resume", "k.h5", "-q"], ["merge", *PARTS, "-q", "-o", "k.h5"]

SCENES = {
    "run": ([], RUN, RUN, "k.h5", {}),
    "checkpoints": ([], RUN + CHECKPOINTS, RUN, "k.h5", SLOWLY),
    "force": ([RUN], RUN + ["--force"], RUN, "k.h5", {}),
    "lengthen": ([RUN + ["-s", "sweep.g=[0.5, 1.0]"]], RUN, RUN, "k.h5", {}),
    "resume": ([STOPPED], RESUME, RESUME, "k.h5", SLOWLY),
    "merge": (SHARDS, MERGE, MERGE, "k.h5", {}),
    "xdmf": ([RUN], ["xdmf", "-q", "k.h5"], ["xdmf", "k.h5"], "k.xdmf", {}),
    "submit": ([], ["submit", "k.cfg", "--shards", "2", "-o", "k.h5"], ["status", "k.h5"], "k.h5", {}),
}
# what the other user puts under a name: $1; $2 is the folder of the user, $3 his own
PUTS = ['ln -s "$2/text" "$1"', 'ln -s "$2/whole.h5" "$1"', 'ln -s "$2" "$1"', 'ln -s "$2/new" "$1"',
        'ln "$2/text" "$1"', 'ln "$2/whole.h5" "$1"', 'ln -s /etc/passwd "$1"', 'ln -s "$1" "$1"', 'mkfifo "$1"',
        'mkdir "$1"', 'mkdir -m 777 "$1"', 'echo text >"$1"', 'cp "$3/whole.h5" "$1"',
        'mkfifo "$3/p"; ln -s "$3/p" "$1"', 'ln -s /dev/zero "$1"', 'mv "$1" "$1.old"; ln -s "$2/text" "$1"',
        'rm -rf "$1"; ln -s "$2/whole.h5" "$1"',
        'mv "$1" "$1.old"; ln -s "$2" "$1"', 'rm -rf "$1"; mkdir -m 777 "$1"', 'rm -rf "$1"']


def give(path, user):
    for folder, _, files in os.walk(path):
        for p in [folder, *(os.path.join(folder, f) for f in files)]:
            os.chown(p, user, user, follow_symlinks=False)


class Folders(Scenes):
    def __init__(self, judge):
        super().__init__(judge, SCENES)
        top = os.path.dirname(judge.work)
        os.chmod(top, 0o755)
        self.home, self.lair, self.names = os.path.join(top, "home"), os.path.join(top, "lair"), {}
        self.own["HOME"] = self.home
        self.puts, self.seen = 0, {}

    @staticmethod
    def by(user, command):
        return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]

    def prepare(self, name):
        self.make(name)
        self.keep_whole(name)
        self.calls(name, CHANGES)
        paths = {line.split(" ", 1)[1] for line in self.log().splitlines()[:-1] if " " in line}
        inside = {os.path.relpath(os.path.join(self.judge.work, p), self.judge.work) for p in paths}
        self.names[name] = sorted(p for p in inside if not p.startswith("..") and p not in (".", "k.cfg", *PARTS)
                                  and not re.search(r"\.sweep-\w{6}$", p)) + [".sweep-k.h5.new.d", "k.h5.tmp"]
        self.seen[name] = len(paths) * 4
        if not os.path.exists(self.home):
            for folder, user, mode in (self.home, USER, 0o755), (self.lair, OTHER, 0o777):
                os.mkdir(folder)
                shutil.copy(self.seed(name, "-whole/k.cfg"), os.path.join(folder, "text"))
                if os.path.exists(self.seed(name, "-whole/k.h5")):
                    shutil.copy(self.seed(name, "-whole/k.h5"), os.path.join(folder, "whole.h5"))
                give(folder, user)
                os.chmod(folder, mode)
        return name

    def state(self):
        """Of all that is the user's, outside the shared folder."""
        for folder, _, files in os.walk(self.home):
            for path in [folder, *(os.path.join(folder, f) for f in files)]:
                s = os.lstat(path)
                read = os.path.isfile(path) and not os.path.islink(path)
                yield path, s.st_mode, s.st_uid, s.st_size, read and hashlib.sha256(open(path, "rb").read()).hexdigest()

    def put(self, name):
        """@return what a shell of the other user does"""
        lines = []
        for _ in range(self.random.choice([1, 1, 2, 3])):
            path = os.path.join(self.judge.work, self.random.choice(self.names[name]))
            lines.append(f"set -- '{path}' '{self.home}' '{self.lair}'; {self.random.choice(PUTS)}")
        return "; ".join(lines)

    def attack(self, name):
        judge, random = self.judge, self.random
        self.set_scene(name)
        self.place(name)
        give(judge.work, USER)
        os.chmod(judge.work, random.choice([0o1777, 0o777]))
        if os.path.exists(os.path.join(self.lair, "p")):
            os.remove(os.path.join(self.lair, "p"))
        before, put = sorted(self.state()), self.put(name)
        as_other = f"setpriv --reuid={OTHER} --regid={OTHER} --clear-groups sh -c \"$PUT\" 2>/dev/null || true"
        judge.env["PUT"] = put
        judge.mutants += 1
        command = self.by(USER, [self.program, *SCENES[name][1]])
        if random.random() < 0.5:
            subprocess.run(["sh", "-c", as_other], env=judge.env)
        else:
            at = random.randrange(1, self.seen[name])
            command = [os.path.join(self.tools, "at_call"), "-k", str(at), "-a", f"run:{as_other}", "-c", CHANGES, "-p",
                       judge.work, "-l", self.seed("log"), *command]
        looks = [self.by(USER, [self.program, word, "k.h5"]) for word in ("status", "show")]
        for c in command, *looks:
            code = judge.run(c, [])
            if code is None:
                print(f"  {name}: {put}", flush=True)
            if sorted(self.state()) != before:
                judge.fault(f"{name}: touches what is not its own: {put}", c, [], judge.err + "\n" + put)
                shutil.rmtree(self.home)
                shutil.rmtree(self.lair)
                self.prepare_home()
                break

    def prepare_home(self):
        shutil.copytree(self.seed("home-kept"), self.home)
        give(self.home, USER)
        shutil.copytree(self.seed("lair-kept"), self.lair)
        give(self.lair, OTHER)
        os.chmod(self.lair, 0o777)


def main():
    judge = Judge("folders", options(__doc__.splitlines()[0]))
    if os.geteuid() or not shutil.which("setpriv"):
        print("folders: skipped: only root can be other users, by setpriv")
        sys.exit(77)
    folders = Folders(judge)
    names = folders.prepared(folders.prepare)
    for folder in "home", "lair":
        whole = next(p for n in names for p in [folders.seed(n, "-whole/k.h5")] if os.path.exists(p))
        shutil.copy(whole, folders.seed(folder, "/whole.h5"))
        give(folders.seed(folder), USER if folder == "home" else OTHER)
        shutil.copytree(folders.seed(folder), folders.seed(folder, "-kept"))
    while judge.time_left():
        folders.attack(judge.random.choice(names))
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
