"""A session of `sweep ask` as a Python object: rows of parameters in, what the runs came to out.

    with Session("configs/front_fit.cfg", "--of", "miss") as session:
        answers = session.ask([{"D": 0.8, "r": 1.2}, {"D": 0.9, "r": 1.2}])
        print(answers[0]["status"], answers[0]["miss"])

It needs nothing but Python. The protocol is in docs/howto/ask.md.
"""
import argparse
import json
import os
import subprocess
import sys


class Session:
    """Each list that ask() gets is computed as one batch; all runs are in the output file at the end."""

    def __init__(self, config, *options, program=None):
        program = program or os.environ.get("SWEEP", "sweep")
        try:
            self.process = subprocess.Popen([program, "ask", config, *options], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True, encoding="utf-8")
        except FileNotFoundError:
            raise RuntimeError(f"there is no program '{program}': put sweep into a folder of PATH, or name it by the "
                               "environment variable SWEEP") from None

    def ask(self, rows):
        """A list of dictionaries, one for each row. RuntimeError where the session has ended; ValueError names the
        first row that was refused."""
        answers = self.ask_all(rows)
        for row, answer in zip(rows, answers):
            if "error" in answer:
                raise ValueError(f"{row}: {answer['error']}")
        return answers

    def ask_all(self, rows):
        """The same; of a row that was refused the answer has nothing but "error"."""
        rows = list(rows)
        try:
            self.process.stdin.write(json.dumps(rows) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has said why on standard error
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"sweep ask ended with exit code {self.process.wait()}")
        answers = json.loads(line)
        return answers if isinstance(answers, list) else [answers] * len(rows)  # the line was refused

    def close(self):
        """The end of its input ends the session; all runs are then in the file. Returns the exit code."""
        self.process.stdin.close()
        code = self.process.wait()
        self.process.stdout.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        code = self.close()
        if code and not any(failure):
            raise RuntimeError(f"sweep ask ended with exit code {code}")


def numbers(answers, name):
    """What is to be made small, of each answer: infinite where the run failed, or has no finite number."""
    return [float("inf") if a["status"] != "done" or a[name] is None else a[name] for a in answers]


def command_line(about, **numbers):
    """CONFIG SCALAR NAME=LOW,HIGH ..., whole numbers (name: default, help), and behind -- options of `sweep ask`:
    what the programs beside this one take, with args.ends as of bounds() and args.options."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config")
    parser.add_argument("scalar")
    parser.add_argument("ends", nargs="+", metavar="NAME=LOW,HIGH")
    for name, (default, text) in {**numbers, "seed": (1, None)}.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=text)
    own = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    args = parser.parse_args(own)
    args.ends, args.options = bounds(args.ends), sys.argv[len(own) + 2:]
    return args


def bounds(words):
    """["D=0.2,3", "r=1,2"] as {"D": (0.2, 3.0), "r": (1.0, 2.0)}"""
    found = {}
    for word in words:
        name, _, ends = word.partition("=")
        low, _, high = ends.partition(",")
        found[name] = float(low), float(high)
    return found
