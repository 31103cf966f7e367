"""How the program says no, and how it says what it does in place of what was asked for."""
import functools
import sys

USAGE, FILE, PROGRAM = 2, 5, 4      # exit codes of sweep: usage, input or output, what is missing here


class Refusal(Exception):
    """What was asked for cannot be drawn; the text tells the user why. code is the exit code of the program."""
    def __init__(self, text, code=USAGE):
        super().__init__(text)
        self.code = code


def shown(text):
    """A text that may come from the file, as a terminal can show it: what it would act on is escaped."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in str(text))


@functools.lru_cache(maxsize=None)      # once each, not once a run or a size of print
def say(text, file=None):
    print(shown(text), file=file or sys.stdout)


def note(text):
    say(f"note: {text}", sys.stderr)
