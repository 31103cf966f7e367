"""Damage output files, parts and checkpoints, and have all commands that read them do so: show, status, verify, merge,
xdmf, resume, run and plot.

Damage: bits flipped, blocks of zeros, files cut; and by h5py: datasets and groups dropped, renamed, replaced by other
types, shapes and layouts, links into nowhere and in circles, attributes of other types and lengths. Each command must
end by itself, with a documented exit code and no report of a sanitizer or of Python.
"""
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

from judge import Judge, options

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


np.seterr(all="ignore")  # numbers that do not fit their new type are as good as others


# ---- files to damage

def config(name):
    return os.path.join(TOP, "configs", f"tiny_{name}.cfg")


def make_seeds(judge, program, folder):
    """[(files, main)]: what is copied for a mutant, and the file the commands are given."""
    def sweep(*arguments, codes=(0, 1, 75)):
        done = subprocess.run([program, *arguments], cwd=folder, env=judge.env, capture_output=True, text=True)
        if done.returncode not in codes:
            sys.exit(f"cannot make the files: {' '.join(arguments)}: {done.stderr}")

    seeds = []
    for name in ("advection", "bvp", "ch", "compact", "diverge", "elliptic", "heat", "hyperdiffusion", "nsweep"):
        sweep("run", config(name), "-q", "-o", f"{name}.h5", "--device", "cpu")
        seeds.append(([f"{name}.h5"], f"{name}.h5"))
    slow = ["-s", "time.dt=0.0005", "-s", "time.end=100.0", "--device", "cpu", "-q"]
    sweep("run", config("ch"), *slow, "-o", "state.h5", "--max-time", "0.3")
    sweep("run", config("ch"), *slow, "-o", "parts.h5", "-s", "run.batch=1", "--max-time", "1")
    for name in ("heat", "nsweep"):
        for k in (1, 2):
            sweep("run", config(name), "-q", "-o", f"{name}_m.h5", "--shard", f"{k}/2", "--device", "cpu")
        shards = [f"{name}_m.shard-{k}-of-2.h5" for k in (1, 2)]
        sweep("merge", *shards, "-o", f"{name}_virtual.h5", "-q")
        make_virtual = os.path.join(TOP, "tests", "helpers", "make_virtual.py")
        subprocess.run([sys.executable, make_virtual, f"{name}_virtual.h5", *shards], cwd=folder, check=True)
        seeds.append((shards, shards[0]))
        seeds.append((shards + [f"{name}_virtual.h5"], f"{name}_virtual.h5"))
    for name in ("state", "parts"):
        there = [f for f in (f"{name}.h5", f"{name}.h5.d") if os.path.exists(os.path.join(folder, f))]
        seeds.append((there, f"{name}.h5"))
    for _, given in seeds:  # with a program of another version all would be refused, and nothing found
        status = subprocess.run([judge.args.sweep, "status", given], cwd=folder, env=judge.env, capture_output=True,
                                text=True)
        if status.returncode not in (0, 1):
            sys.exit(f"a file without damage is refused: {status.stderr}")
    return seeds


def damaged_files(folder, files):
    """The HDF5 files among them, those in folders too."""
    for name in files:
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            yield from (os.path.join(path, f) for f in sorted(os.listdir(path)))
        else:
            yield path


def forget_checksums(random, path):
    """Of most mutants: else nothing would get beyond the checksums."""
    if random.random() < 0.8:
        try:
            with h5py.File(path, "r+") as h:  # HDF5 cuts off what lies behind its end
                h.attrs.pop("sweep_checksum", None)
        except OSError:
            pass  # it is no HDF5 file


# ---- damage to the bytes

def damage_bytes(random, path):
    with open(path, "r+b") as f:
        size = f.seek(0, 2)
        # what describes the data is in small pieces all over the file, much of it at the beginning
        if size == 0:
            return
        first = size if random.random() < 0.6 else min(size, 4096)
        kind = random.randrange(5)

        def place():
            return random.randrange(first)

        if kind == 0:
            f.truncate(random.choice([0, 1, 8, 96, size // 2, size - 1, random.randrange(size)]))
        elif kind == 1:
            f.seek(place())
            f.write(bytes(random.choice([1, 8, 64, 512])))
        elif kind == 2:
            f.seek(place())
            f.write(random.randbytes(random.choice([1, 2, 4, 8, 32])))
        else:
            for _ in range(random.choice([1, 1, 2, 4, 16])):
                at = place()
                f.seek(at)
                byte = f.read(1)
                f.seek(at)
                f.write(bytes([byte[0] ^ 1 << random.randrange(8)]))


# ---- damage to the structure

def names_in(h):
    names = ["/"]
    h.visit(lambda name: names.append(name))
    return names


NUMBERS = [0, 1, -1, 2, 7, 1000, 2**31, -2**31, 2**53, 2**62, -2**63, 2**63 - 1]


def value(random):
    """Any value an attribute or a dataset may have."""
    kind = random.randrange(14)
    if kind == 0:
        return np.int64(random.choice(NUMBERS))
    if kind == 1:
        return np.full(random.choice([0, 1, 2, 3, 4, 1000]), random.choice(NUMBERS), np.int64)
    if kind == 2:
        return np.float64(random.choice([0.0, -1.0, np.nan, np.inf, 1e300, 0.5]))
    if kind == 3:
        return np.full((random.choice([1, 2, 5]), random.choice([1, 3])), random.random())
    if kind == 4:
        return random.choice(["", "x", "n00064", "nonsense" * 1000, "a\nb", "é", "problem = 1;"])
    if kind == 5:
        return np.array([b"fixed", b"size"], dtype="S5")
    if kind == 6:
        return np.array(["a", "b" * 300, ""] * random.choice([1, 100]), dtype=h5py.string_dtype())
    if kind == 7:
        return h5py.Empty(random.choice(["f8", "i8", h5py.string_dtype()]))
    if kind == 8:
        return np.zeros(2, dtype=[("a", "i4"), ("b", "f8")])
    if kind == 9:
        return np.array([np.arange(3), np.arange(5)], dtype=object)
    if kind == 10:
        return np.uint8(random.randrange(256))
    if kind == 11:
        return np.array([1.5, 2.5], dtype=">f4")
    if kind == 12:
        return np.zeros((1,) * random.choice([4, 6, 32]), np.float32)
    return np.array(random.choice([True, False]))


def put_attribute(attrs, name, new):
    if isinstance(new, np.ndarray) and new.dtype == object and h5py.check_string_dtype(new.dtype) is None:
        attrs.create(name, new, dtype=h5py.vlen_dtype(np.int64))
    else:
        attrs[name] = new


def put_dataset(random, h, name, new):
    if random.random() < 0.2:  # a large one, of which nothing is there
        shape = random.choice([(10**6,), (10**12,), (2**40, 3), (0,), (1, 10**9), (3, 0)])
        chunks = None if 0 in shape else tuple(max(1, min(n, 100)) for n in shape)
        h.create_dataset(name, shape=shape, chunks=chunks, dtype=random.choice(["f8", "i8", "f4", "u1"]), maxshape=None)
    elif isinstance(new, np.ndarray) and new.dtype == object and h5py.check_string_dtype(new.dtype) is None:
        h.create_dataset(name, data=new, dtype=h5py.vlen_dtype(np.int64))
    else:
        h.create_dataset(name, data=new)


def like(random, old):
    """A dataset's values with another type, shape or content."""
    data = old[()] if old.size is not None and old.size < 10**6 else np.zeros(3)
    data = np.asarray(data)
    kind = random.randrange(6)
    if data.dtype == object or data.size == 0:
        return np.array([value(random) if random.random() < 0.5 else "x"] * max(1, data.size), dtype=str).astype(
            h5py.string_dtype()) if kind < 3 else np.arange(data.size + 1)
    if kind == 0:
        return data.astype(random.choice(["i1", "i4", "i8", "f4", "f8", "u2", ">i8"]))
    if kind == 1:
        return data.reshape(-1)[: random.randrange(data.size) if data.size else 0]
    if kind == 2:
        return np.concatenate([data.reshape(-1)] * 2)
    if kind == 3:
        return data.reshape((1,) + data.shape)
    if kind == 4:
        return data.T.copy()
    changed = data.copy().reshape(-1)
    changed[random.randrange(changed.size)] = random.choice([0, 1, 100, 77])
    return changed.reshape(data.shape)


def damage_attribute(random, h, name):
    attrs = h[name].attrs
    known = list(attrs)
    if not known or random.random() < 0.1:
        known = ["points", "points_along", "field_first", "scalar_first", "step", "units", "config", "parts"]
    which = random.choice(known)
    kind = random.randrange(3)
    if kind == 0 and which in attrs:
        del attrs[which]
        return
    if which in attrs:
        del attrs[which]
    put_attribute(attrs, which, value(random))


def damage_object(random, h, name):
    if name == "/":
        return damage_attribute(random, h, name)
    kind = random.randrange(9)
    old = h[name]
    if kind == 0:
        del h[name]
    elif kind == 1:
        new = like(random, old) if isinstance(old, h5py.Dataset) else value(random)
        keep = dict(old.attrs) if random.random() < 0.5 else {}
        keep = {k: v for k, v in keep.items() if k not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME")}
        del h[name]
        put_dataset(random, h, name, new)
        for k, v in keep.items():
            h[name].attrs[k] = v
    elif kind == 2:
        del h[name]
        put_dataset(random, h, name, value(random))
    elif kind == 3:
        del h[name]
        h.create_group(name)
    elif kind == 4:
        del h[name]
        h[name] = random.choice([h5py.SoftLink("/nowhere"), h5py.SoftLink("/" + name), h5py.ExternalLink("no.h5", "/"),
                                 h5py.ExternalLink("heat.h5", "/status")])
    elif kind == 5:
        other = random.choice(names_in(h))
        del h[name]
        h[name] = h[other] if other in h and other != name else h["/"]
    elif kind == 6 and isinstance(old, h5py.Dataset) and old.size:
        new = like(random, old)
        if new.shape == old.shape:
            try:
                old[...] = new
            except (TypeError, OSError):
                pass
        else:
            damage_attribute(random, h, name)
    elif kind == 7:
        h.move(name, random.choice([name + "x", "n00064", "u", "extra", "state", "run"]))
    else:
        damage_attribute(random, h, name)


def damage_structure(random, path):
    try:
        with h5py.File(path, "r+") as h:
            for _ in range(random.choice([1, 1, 2, 3])):
                names = names_in(h)
                name = random.choice(names)
                try:
                    damage_attribute(random, h, name) if random.random() < 0.4 else damage_object(random, h, name)
                except (KeyError, ValueError, TypeError, RuntimeError, OSError, OverflowError):
                    pass  # not everything goes with everything; the rest of the edits does
    except OSError:
        damage_bytes(random, path)


# ---- what reads them

def commands(judge, main, files):
    random, program = judge.random, judge.args.sweep
    yield [program, "show", main], None
    yield [program, "status", main], None
    yield [program, "verify", main], None
    yield [program, random.choice(["xdmf", "xdmf", "show"]), main], None
    choice = random.randrange(4)
    if choice == 0:
        yield [program, "show", main, "--run", random.choice(["0", "3", "-1", "nonsense"])], None
    elif choice == 1:
        yield [program, "show", main, random.choice(["--json", "--csv"])], None
    elif choice == 2:
        yield [program, "status", main, "--json"], None
    yield [program, "resume", "-n", main], None
    shards = [f for f in files if "shard" in f] or [main]
    yield [program, "merge", *shards, "-o", "merged.h5"], None
    if files == [main] and random.random() < 0.3:  # a copy, which is written to
        shutil.copy(os.path.join(judge.work, main), os.path.join(judge.work, "again.h5"))
        run = ["run", config(main[:-3]), "-o", "again.h5"]
        again = random.choice([["resume", "again.h5"], run, run + ["-s", 'title="anew"'],
                               run + ["-s", "time.end=1000.0"]])
        yield [program, *again, "-q", "--device", "cpu", "--max-time", "1"], None
    if judge.args.plain and random.random() < 0.1:
        kind = random.choice([[], ["--kind", "lines"], ["--kind", "spacetime"], ["--kind", "heatmap"],
                              ["--kind", "convergence"], ["--kind", "slice"], ["--run", "0"]])
        yield [judge.args.plain, "plot", main, "-o", "picture.png", "--verbose", *kind], 6 * judge.hang


def main():
    judge = Judge("results", options(__doc__.splitlines()[0]))
    judge.args.sweep = os.path.abspath(judge.args.sweep)
    judge.args.plain = judge.args.plain and os.path.abspath(judge.args.plain)
    seeds_at = os.path.join(judge.work, "seeds")
    os.mkdir(seeds_at)
    seeds = make_seeds(judge, judge.args.plain or judge.args.sweep, seeds_at)
    judge.start()
    while judge.time_left():
        files, given = judge.random.choice(seeds)
        for old in os.listdir(judge.work):
            path = os.path.join(judge.work, old)
            if old != "seeds":
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        for name in files:
            source, to = os.path.join(seeds_at, name), os.path.join(judge.work, name)
            shutil.copytree(source, to) if os.path.isdir(source) else shutil.copy(source, to)
        target = judge.random.choice(list(damaged_files(judge.work, files)))
        forget_checksums(judge.random, target)
        (damage_bytes if judge.random.random() < 0.3 else damage_structure)(judge.random, target)
        judge.mutants += 1
        refused = 0
        for command, hang in commands(judge, given, files):
            code = judge.run(command, files, hang=hang)
            refused += 4 if code is None else code == 5
            if refused > 3 or not judge.time_left():
                break  # all begin by opening it: what four refuse the others hardly ever read further
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
