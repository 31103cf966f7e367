#!/usr/bin/python3
"""fuzz_plot.py SECONDS SEED FILE.h5...: sweep plot on damaged copies of files that sweep wrote.

Files are cut short, bits of them are flipped, and their datasets and attributes are removed, replaced by others of
another type or shape, or filled with other numbers. Each ends as a picture (what is damaged may not matter to it), or
as one message with exit code 2 or 5; anything else is printed with its seed, and is a failure. Each copy is drawn in a
process of its own, because HDF5 itself may crash or hang.
"""
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "plot"))
warnings.simplefilter("ignore")
import h5py
import numpy as np
import plot
from pysweep import guard

LONGEST = 300   # seconds for one picture, on a busy machine


def cut(path, rng):
    with open(path, "r+b") as f:
        f.truncate(rng.choice([0, 7, 512, rng.randrange(os.path.getsize(path))]))


def flip(path, rng):
    """Bits of the whole file, or of its first part, where most of the structure is."""
    with open(path, "r+b") as f:
        size = os.path.getsize(path)
        for _ in range(rng.choice([1, 1, 3, 20, 300])):
            place = rng.randrange(rng.choice([min(size, 4096), size]))
            f.seek(place)
            byte = f.read(1)[0]
            f.seek(place)
            f.write(bytes([byte ^ 1 << rng.randrange(8)]))


def overwrite(path, rng):
    with open(path, "r+b") as f:
        f.seek(rng.randrange(os.path.getsize(path)))
        f.write(rng.choice([bytes(rng.randrange(4096)), b"\xff" * rng.randrange(512), rng.randbytes(256)]))


def objects(f):
    found = []
    f.visititems(lambda name, thing: found.append(name))
    return found


def other_dataset(parent, name, rng):
    """In place of a dataset: one of another type, of another shape, a group, or nothing."""
    what = rng.randrange(7)
    shape = rng.choice([(), (0,), (1,), (3,), (2, 3), (5, 2, 4), (4, 1, 1, 9)])
    if what == 1:
        parent.create_group(name)
    elif what == 2:
        parent[name] = "a word"
    elif what == 3:
        parent.create_dataset(name, shape, h5py.string_dtype())
    elif what == 4:
        parent[name] = np.full(shape, rng.choice([0.0, -1.0, np.nan, np.inf, 1e308]))
    elif what == 5:
        parent[name] = np.zeros(shape, rng.choice(["i1", "u8", "f4", "c16", "S3", "V5"]))
    elif what == 6:
        parent[name] = h5py.SoftLink("/nowhere")


def fill(data, rng):
    """Other numbers in a dataset."""
    if data.dtype.kind not in "iuf" or data.size == 0:
        return
    values = data[()]
    flat = np.atleast_1d(values).reshape(-1)
    some = slice(None) if rng.random() < 0.3 else rng.randrange(flat.size)
    if data.dtype.kind == "f":
        flat[some] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-320, 1e300, -1e308, 0.5])
    else:
        flat[some] = rng.choice([0, 1, 2, 99, np.iinfo(data.dtype).max, np.iinfo(data.dtype).min])
    if rng.random() < 0.2:
        rng.shuffle(flat)
    data[...] = flat.reshape(values.shape)


def alter_attribute(thing, rng):
    names = [n for n in thing.attrs if n not in ("DIMENSION_LIST", "REFERENCE_LIST")] or ["title"]
    name = rng.choice(names)
    if rng.random() < 0.4:
        if name in thing.attrs:
            del thing.attrs[name]
        return
    thing.attrs[name] = rng.choice([7, -1.5, "x", "", "$\\foo$", np.zeros(3), np.zeros((2, 2)), b"\xff\xfe", "y" * 5000,
                                    h5py.Empty("f")])


def alter(path, rng):
    """Objects of the file."""
    with h5py.File(path, "r+") as f:
        for _ in range(rng.choice([1, 1, 2, 5])):
            name = rng.choice(objects(f) + ["run", "status", "t_reached", "run_id"] * 2)
            if name not in f:
                continue
            what = rng.randrange(4)
            if what == 0:
                parent, last = f[name].parent, name.rsplit("/", 1)[-1]
                del f[name]
                other_dataset(parent, last, rng)
            elif what == 1 and isinstance(f[name], h5py.Dataset):
                fill(f[name], rng)
            elif what == 2:
                alter_attribute(rng.choice([f, f[name]]), rng)
            elif isinstance(f[name], h5py.Dataset) and f[name].shape and f[name].chunks:
                f[name].resize(rng.choice([0, 1, f[name].shape[0] + 3]), 0)


def options(rng):
    some = [[], [], ["--run=all"], ["--run=0-3"], ["--log=xy"], ["--log=c"], ["--time=0.3"], ["--at=z=0.5"],
            ["--size=5x4"]]
    return rng.choice([[], *([f"--kind={kind}"] for kind in plot.KINDS)]) + rng.choice(some)


def run(work, said):
    """The exit code that work() gives in a process of its own, negative for a signal. What it says is in a file."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            with open(said, "w") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            signal.alarm(LONGEST)
            code = work()
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def fault_of(code, text, picture):
    """What is wrong with how it ended, or None."""
    errors = [line for line in text.splitlines() if line.startswith("error: ")]
    if code < 0:
        return f"signal {-code}"
    if "Traceback" in text or "a mistake in sweep plot" in text:
        return "an exception"
    if code == 0:
        return None if os.path.exists(picture) and not errors else "exit code 0 without a picture"
    if code not in (2, 5):
        return f"exit code {code}"
    if len(errors) != 1 or not text.splitlines()[-1]:
        return f"{len(errors)} messages"
    return "a picture in spite of an error" if os.path.exists(picture) else None


def main(seconds, seed, files):
    guard.LONGEST = 5   # of processor time for one access: the files are small
    begin, count, failed = time.monotonic(), 0, 0
    drawn = 0
    with tempfile.TemporaryDirectory() as folder:
        copy, picture, said = (os.path.join(folder, name) for name in ("copy.h5", "copy.png", "said"))
        while time.monotonic() - begin < seconds:
            rng = random.Random(seed)
            source = rng.choice(files)
            shutil.copyfile(source, copy)
            os.chmod(copy, 0o600)
            try:
                how = rng.choice([cut, flip, flip, overwrite, alter, alter, alter])
                how(copy, rng)
            except (OSError, RuntimeError, KeyError, TypeError, ValueError):
                pass        # h5py could not alter it further: what there is is damaged enough
            words = options(rng) + ["-o", picture, copy]
            if os.path.exists(picture):
                os.unlink(picture)
            code = run(lambda: plot.main(words), said)
            with open(said, errors="replace") as f:
                text = f.read()
            fault = fault_of(code, text, picture)
            if fault:
                failed += 1
                print(f"seed {seed}: {how.__name__} {source} {' '.join(words[:-3])}: {fault}\n{text}", flush=True)
            drawn += code == 0
            count += 1
            seed += 1
    print(f"{count} damaged files: {drawn} drawn, {count - drawn - failed} refused, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
