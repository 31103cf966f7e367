"""Give `check` the shipped configs, and what `init` prints, with one to three random edits, and run what it takes.

The edits are those of mutants.h, with words from what the program says of itself (list, explain); here the whole
program meets them: overrides, the trial of the device, the run itself, made small, and its table of runs.
"""
import glob
import os
import re
import subprocess
import sys

from judge import Judge, options

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIGNS = "abcdnxyztu0123456789 .,;=+-*/^()[]{}\"$_#\\\n\t%&!?<>|~@é"
PART = re.compile(r"[A-Za-z0-9_.$]+|[^\sA-Za-z0-9_.$]")
VALUES = ["0", "1", "-1", "0.5", "1e-3", "1e300", "-1e300", "2147483648", "9007199254740993L", "true", "[]", "{}", "()",
          '""', '"n"', "[1, 2]", "[8, 16, 24]", "[1.0, 2]", '["a", "b"]', "{ x = 1; }", '"linspace(0, end, 3)"',
          '"range(1, 4)"', '"uniform(0, 1)"', '"0/0"', '"1/0"', '"end/7"', '"$n"', '"$order"', "pi", "u", "x", "i"]


def texts_and_words(judge):
    def said(*arguments):
        return subprocess.run([judge.args.sweep, *arguments], env=judge.env, capture_output=True, text=True).stdout

    texts = [open(path).read() for path in sorted(glob.glob(os.path.join(TOP, "configs", "*.cfg")))]
    words, problems = set(VALUES), []
    for line in said("list").splitlines():
        words.update(re.findall(r"[A-Za-z][\w.+-]*", line))
        first = line.split()
        if first and said("init", first[0]):
            problems.append(first[0])
    for problem in problems:
        texts.append(said("init", problem))
        for line in said("explain", problem).splitlines():
            words.update(re.findall(r"[A-Za-z][\w]*|\d-\d-\d", line.split("  ")[0] if "  " in line else line))
    keys = set(re.findall(r"([A-Za-z]\w*)\s*=", " ".join(texts)))
    return texts, sorted(words | keys), problems


def edit_number(random, old):
    return random.choice([f"-{old}", f"{old}.0", f'"{old}"', f"[{old}, {old}]", f"{old}0", f"0.{old}", "",
                          str(random.randrange(-20, 180)), f"{random.random() * 10:.3g}",
                          f"1e{random.randrange(-330, 310)}"])


def edit(random, text, words):
    parts = [m.span() for m in PART.finditer(re.sub(r"//.*", lambda m: " " * len(m.group()), text))]
    kind = random.randrange(12)
    if not parts or kind == 0:
        at = random.randrange(len(text) + 1)
        return text[:at] + random.choice(["", random.choice(SIGNS)]) + text[at + random.randrange(2):]
    if kind == 1:
        lines = text.splitlines(keepends=True)
        k, other = random.randrange(len(lines)), random.choice(lines)
        lines[k:k + 1] = random.choice([[], [lines[k]] * 2, [other]])
        return "".join(lines)
    named = [p for p in parts if text[p[0]].isalnum()]
    a, b = random.choice(named if named and random.random() < 0.8 else parts)
    old, (c, d) = text[a:b], random.choice(named or parts)
    if kind == 2:
        new = ""
    elif kind == 3:
        new = old + " " + old
    elif kind == 4:
        new = text[c:d]
    elif old[0].isdigit():
        new = edit_number(random, old)
    elif kind < 7:  # a typo
        at = random.randrange(len(old))
        new = old[:at] + random.choice("cdnx0178_.") + old[at + random.randrange(2):]
    else:
        new = random.choice(words)
    return text[:a] + new + text[b:]


# Small enough to run: the first of the runs, a few steps.
SMALL = ["--max-time", "2", "-q", "--device", "cpu"]


def main():
    judge = Judge("configs", options(__doc__.splitlines()[0]))
    judge.args.sweep = os.path.abspath(judge.args.sweep)
    program, random = judge.args.sweep, judge.random
    texts, words, problems = texts_and_words(judge)
    if len(texts) < 10 or len(words) < 100 or len(problems) < 4:
        sys.exit("there are hardly any configs to begin with")
    taken = 0
    judge.start()
    while judge.time_left():
        text = random.choice(texts)
        for _ in range(random.choice([1, 1, 2, 3])):
            text = edit(random, text, words)
        judge.mutants += 1
        with open(os.path.join(judge.work, "m.cfg"), "w") as f:
            f.write(text)
        extra = []
        if random.random() < 0.15:
            key = random.choice(re.findall(r"[A-Za-z][\w.]*", text))
            extra = ["-s", f"{random.choice(['', 'sweep.', 'grid.', 'time.', 'physics.'])}{key}={random.choice(words)}"]
        code = judge.run([program, "check", "m.cfg", *extra, *random.choice([[], [], ["-v"], ["--list"]])], ["m.cfg"],
                         allowed={0, 2, 3, 4, 5})
        if code != 0:
            continue
        taken += 1
        if judge.run([program, "run", "m.cfg", "-o", "m.h5", *SMALL, *extra], ["m.cfg"]) in (0, 1):
            judge.run([program, "show", "m.h5"], ["m.cfg"], allowed={0})
        subprocess.run("rm -rf m.h5 m.h5.d results m.xdmf", shell=True, cwd=judge.work, check=False)
    print(f"configs: {len(texts)} to begin with, {len(words)} words; {taken} mutants were taken and run")
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
