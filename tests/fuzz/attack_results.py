"""Results files as an attacker writes them, read by show, status, merge, xdmf, resume, plot and, where there is one,
verify.

Each attribute and each dataset of files of every kind is replaced, one at a time: by other classes, sizes, ranks,
extents, layouts and links; by values in other files, among them a secret one and a pipe; heaps of texts get other
sizes, references and numbers; bits are flipped. Each command must end by itself, with a documented exit code and no
report of a sanitizer, and nothing that it prints or writes may hold what is in the secret file, which must stay as it
is, or what a terminal would act on.
"""
import itertools
import os
import shutil
import signal
import struct
import sys

import h5py
import numpy as np

from damage_results import damage_bytes, damaged_files, forget_checksums, make_seeds, names_in
from judge import Judge, options

SECRET = b"SECRET~!" * 512
NEEDLES = [b"SECRET~!", b"%.6g" % struct.unpack("<d", SECRET[:8]), b"%d" % struct.unpack("<q", SECRET[:8]),
           b"%.6g" % struct.unpack("<f", SECRET[:4]), b"%.6g" % struct.unpack("<f", SECRET[4:8])]
LIST = "DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"


def array_type():
    return np.dtype(("i8", (8,)))


# ---- attributes: name -> what it becomes
def attribute_values():
    text = h5py.string_dtype()
    yield "8 integers", np.arange(8) + 0x4141414141414141
    yield "1000 integers", np.full(1000, 7, "i8")
    yield "60000 bytes", np.zeros(60000, "u1")
    yield "no integers", np.zeros(0, "i8")
    yield "a table", np.ones((2, 3), "i8")
    yield "32 dimensions", np.ones((1,) * 32, "i8")
    yield "a real number", np.float64(1e300)
    yield "a number that is none", np.float64("nan")
    yield "half precision", np.float16(1)
    yield "extended precision", np.longdouble(1)
    yield "the least integer", np.int64(-2**63)
    yield "the largest integer", np.int64(2**63 - 1)
    yield "unsigned", np.uint64(2**64 - 1)
    yield "another order", np.array(1, ">i2")
    yield "zero", np.int64(0)
    yield "a bool", np.array(True)
    yield "fixed text", np.bytes_(b"x" * 300)
    yield "fixed texts", np.array([b"a", b"bc"])
    yield "a text", "y" * 5000
    yield "controls", "\x1b]0;owned\x07\x1b[31m\n%s%n"
    yield "texts", np.array(["a", "b" * 300] * 4, dtype=text)
    yield "nothing", h5py.Empty("i8")
    yield "no text", h5py.Empty(text)
    yield "a record", np.zeros((), [("a", "i8", (8,)), ("b", "f8")])
    yield "opaque", np.zeros((), "V64")


def put_special(h, name, which):
    """Attributes that numpy has no type for."""
    attrs = h[name].attrs
    if which == "an array":
        attrs.create("x", np.zeros(8, "i8"), shape=(), dtype=array_type())
    elif which == "lists":
        attrs.create("x", np.array([np.arange(5), np.arange(90)], dtype=object), dtype=h5py.vlen_dtype(np.int64))
    else:
        attrs.create("x", h["/"].ref, dtype=h5py.ref_dtype)


def attack_attribute(h, name, attribute, how):
    attrs = h[name].attrs
    if attribute in attrs:
        del attrs[attribute]
    if how is None:
        return
    if isinstance(how, str) and how.startswith("special "):
        put_special(h, name, how[8:])
        attrs.rename("x", attribute)
    else:
        attrs[attribute] = how


# ---- datasets
def stored_elsewhere(file, dtype):
    def put(h, name, old):
        shape = old.shape if old.shape else (1,)
        size = int(np.prod(shape)) * np.dtype(dtype or old.dtype).itemsize
        h.create_dataset(name, shape, dtype or old.dtype, external=[(file, 0, size)])
    return put


def link(what):
    def put(h, name, old):
        h[name] = what
    return put


def virtual(source, path, dtype=None, unlimited=False):
    def put(h, name, old):
        shape = old.shape if old.shape else (1,)
        if unlimited:
            layout = h5py.VirtualLayout(shape, dtype or old.dtype, maxshape=(None,) + shape[1:])
            from_file = h5py.VirtualSource(source, path, shape, maxshape=(None,) + shape[1:])
            layout[0:h5py.h5s.UNLIMITED] = from_file[0:h5py.h5s.UNLIMITED]
        else:
            layout = h5py.VirtualLayout(shape, dtype or old.dtype)
            layout[...] = h5py.VirtualSource(source, path, shape)
        h.create_virtual_dataset(name, layout)
    return put


def unwritten(*shape, dtype="f8", chunks=None):
    def put(h, name, old):
        h.create_dataset(name, shape, dtype, chunks=chunks or tuple(max(1, min(n, 100)) for n in shape),
                         maxshape=(None,) * len(shape))
    return put


def same_but(**how):
    def put(h, name, old):
        h.create_dataset(name, data=old[()], dtype=old.dtype, **how)
    return put


def sparse(h, name, old):
    """The same extent, one chunk of which is there."""
    if not old.shape:
        raise ValueError
    new = h.create_dataset(name, old.shape, old.dtype, chunks=(1,) * len(old.shape))
    if h5py.check_string_dtype(old.dtype) is None:
        new[(0,) * len(old.shape)] = 1


def typed(dtype):
    def put(h, name, old):
        h.create_dataset(name, old.shape, dtype)[...] = 0
    return put


def reshaped(shape_of):
    def put(h, name, old):
        h.create_dataset(name, shape_of(old.shape), old.dtype, fillvalue=None)[...] = old[()].flat[0] if old.size else 0
    return put


def many_names(h, name, old):
    """One dataset, and many names for it that say they are parameters."""
    h[name].attrs["sweep_role"] = "parameter"
    for k in range(500):
        h[f"/name{k}"] = h[name]


def named_group(h, name, old):
    h[name] = h["/"]


def dataset_attacks():
    text = h5py.string_dtype()
    yield "gone", lambda h, name, old: None
    yield "a group", lambda h, name, old: h.create_group(name)
    yield "the root", named_group
    yield "a type", lambda h, name, old: h.__setitem__(name, np.dtype("f8"))
    yield "nowhere", link(h5py.SoftLink("/nowhere"))
    yield "itself", lambda h, name, old: h.__setitem__(name, h5py.SoftLink(name))
    yield "a link to a pipe", link(h5py.ExternalLink("pipe", "/u"))
    yield "a link to a secret", link(h5py.ExternalLink("secret.h5", "/u"))
    yield "a link to /etc", link(h5py.ExternalLink("/etc/passwd", "/u"))
    for size in "f8", "f4", "i8", "u1", None:
        yield f"secret storage {size}", stored_elsewhere("secret.raw", size)
    yield "pipe storage", stored_elsewhere("pipe", None)
    yield "passwd storage", stored_elsewhere("/etc/passwd", "u1")
    for source in "secret.h5", "../secret.h5", "/etc/passwd", "pipe", ".", "secret%b.h5":
        yield f"virtual {source}", virtual(source, "/u")
    yield "virtual, without a limit", virtual("pipe", "/u", unlimited=True)
    yield "10^12 numbers", unwritten(10**12)
    yield "2^40 x 3 numbers", unwritten(2**40, 3)
    yield "3 x 2^61", unwritten(3, 2**61, chunks=(1, 2**20))
    yield "1 x 10^9 x 4", unwritten(1, 10**9, 4)
    yield "10^7 texts", unwritten(10**7, dtype=text)
    yield "one chunk", sparse
    yield "gzip", same_but(compression="gzip")
    yield "lzf", same_but(compression="lzf")
    yield "checked", same_but(fletcher32=True)
    for dtype in "i1", "i8", "u8", "f2", "f4", "f8", ">f8", "g", "S8", "V16", "c16", text, h5py.vlen_dtype("f8"):
        yield f"type {dtype}", typed(dtype)
    yield "an array type", lambda h, name, old: h.create_dataset(name, old.shape, array_type())
    yield "longer", reshaped(lambda s: (2 * s[0] + 1,) + s[1:] if s else (8,))
    yield "shorter", reshaped(lambda s: (max(s[0] - 1, 0),) + s[1:] if s else ())
    yield "deeper", reshaped(lambda s: (1,) + s)
    yield "32 dimensions", reshaped(lambda s: (1,) * 32)
    yield "flat", reshaped(lambda s: (int(np.prod(s)),))
    yield "empty", lambda h, name, old: h.create_dataset(name, data=h5py.Empty("f8"))


def attack_dataset(h, name, put):
    old = h[name]
    keep = {k: v for k, v in old.attrs.items() if k not in LIST}
    del h[name]
    put(h, name, old)
    try:
        if isinstance(h.get(name), h5py.Dataset) and not isinstance(h.get(name, getlink=True), h5py.ExternalLink):
            for k, v in keep.items():
                h[name].attrs[k] = v
    except (OSError, RuntimeError, KeyError):
        pass  # h5py does not open everything that it makes


# ---- heaps of texts, as bytes
def attack_heaps(random, path):
    with open(path, "r+b") as f:
        data = f.read()
        heaps = [at for at in range(0, len(data) - 16, 8) if data[at:at + 4] == b"GCOL"]
        if not heaps:
            return
        huge = [0, 1, 7, 8, 16, 17, 4096, 2**16, 2**31, 2**32 - 1, 2**63, 2**64 - 1, len(data)]
        for _ in range(random.choice([1, 1, 3])):
            at = random.choice(heaps)
            kind = random.randrange(4)
            f.seek(at + 8 if kind == 0 else at + 16 + 8 * random.randrange(64))
            if kind == 3:  # a reference to it: its length, its number
                uses = [k for k in range(0, len(data) - 16, 4) if data[k:k + 8] == struct.pack("<Q", at)]
                if uses:
                    f.seek(random.choice(uses) + random.choice([-4, 8, 0]))
                    f.write(struct.pack("<I", random.choice(huge) & 0xffffffff))
                    continue
            f.write(struct.pack("<Q", random.choice(huge)))


# ---- all of them
def plans(judge, seeds_at, seeds):
    """(seed, file, what, how): every attack on every attribute and dataset once, in an order of the seed's, but for
    those of other processes."""
    every = []
    special = [f"special {s}" for s in ("an array", "lists", "a reference")]
    values = [("gone", None), *attribute_values(), *((s, s) for s in special)]
    for files, given in seeds:
        for path in damaged_files(seeds_at, files):
            file = os.path.relpath(path, seeds_at)
            if not h5py.is_hdf5(path):
                continue
            with h5py.File(path) as h:
                for name in names_in(h):
                    known = [k for k in h[name].attrs if k not in LIST]
                    if isinstance(h[name], h5py.Group):
                        known += [k for k in ("points_along", "field_first", "scalar_first", "piece_first",
                                              "piece_count", "step", "cut") if k not in known]
                    every += [(files, given, file, f"{name}@{a}: {what}", ("attribute", name, a, how))
                              for a in known for what, how in values]
                    if isinstance(h[name], h5py.Dataset):
                        every += [(files, given, file, f"{name}: {what}", ("dataset", name, put))
                                  for what, put in (*dataset_attacks(), ("many names", None))]
            every += [(files, given, file, f"heaps {k}", ("heaps",)) for k in range(200)]
            every += [(files, given, file, f"bits {k}", ("bytes",)) for k in range(200)]
    own = every[judge.first::judge.step]
    judge.random.shuffle(own)
    return own


def attack(random, path, how):
    forget_checksums(random, path)
    if how[0] == "heaps":
        return attack_heaps(random, path)
    if how[0] == "bytes":
        return damage_bytes(random, path)
    try:
        with h5py.File(path, "r+") as h:
            if how[0] == "attribute":
                attack_attribute(h, *how[1:])
            elif how[2] is None:
                many_names(h, how[1], h[how[1]])
            else:
                attack_dataset(h, *how[1:])
    except (KeyError, ValueError, TypeError, RuntimeError, OSError, OverflowError, AttributeError):
        pass  # not everything goes with everything


def attack_in_child(random, path, how):
    """HDF5 may crash, or wait for a pipe, when it makes what it would not read."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            random.seed(random.random())
            attack(random, path, how)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    random.random()  # else every child begins alike


def commands(judge, given, files, verifies):
    program, random = judge.args.sweep, judge.random
    shards = [f for f in files if "shard" in f] or [given]
    yield [program, "show", given, *random.choice([[], [], ["--json"], ["--csv"], ["--run", "0"]])]
    yield [program, "status", given]
    yield [program, "merge", given, "-o", "merged.h5"]
    if len(shards) > 1:
        yield [program, "merge", *shards, "-o", "joined.h5"]
    yield [program, "xdmf", given]
    yield [program, "resume", "-n", given]
    if verifies:
        yield [program, "verify", given]
    if random.random() < 0.1:
        yield [judge.args.plain or program, "plot", given, "-o", "picture.png"]


def clear(folder, keep):
    for old in os.listdir(folder):
        path = os.path.join(folder, old)
        if old not in keep:
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def make_secrets(folder):
    with open(os.path.join(folder, "secret.raw"), "wb") as f:
        f.write(SECRET)
    with h5py.File(os.path.join(folder, "secret.h5"), "w") as h:
        h["u"] = np.frombuffer(SECRET, "f8")
    os.mkfifo(os.path.join(folder, "pipe"))
    return {name: open(os.path.join(folder, name), "rb").read() for name in ("secret.raw", "secret.h5")}


def check_files(judge, secrets, files):
    """What commands have written, and what they must not have."""
    for name in os.listdir(judge.work):
        path = os.path.join(judge.work, name)
        if name in secrets:
            if open(path, "rb").read() != secrets[name]:
                judge.fault("writes into another file", [name], files, "")
        elif name not in files and os.path.isfile(path) and any(n in open(path, "rb").read() for n in NEEDLES[:1]):
            judge.fault("writes what another file holds", [name], files, "")


def main():
    judge = Judge("attack", options(__doc__.splitlines()[0]))
    judge.hang = float(os.environ.get("SW_FUZZ_HANG", 30))
    judge.args.sweep = os.path.abspath(judge.args.sweep)
    judge.args.plain = judge.args.plain and os.path.abspath(judge.args.plain)
    seeds_at = os.path.join(judge.work, "seeds")
    os.mkdir(seeds_at)
    seeds = make_seeds(judge, judge.args.plain or judge.args.sweep, seeds_at)
    verifies = judge.run([judge.args.sweep, "help", "verify"], [], allowed=range(256)) == 0
    judge.commands = 0
    judge.codes.clear()
    judge.secrets = NEEDLES
    secrets = make_secrets(judge.work)
    stay = {"seeds", "pipe", *secrets}
    judge.start()
    for files, given, target, what, how in itertools.cycle(plans(judge, seeds_at, seeds)):
        if not judge.time_left():
            break
        clear(judge.work, stay)
        for name in files:
            source, to = os.path.join(seeds_at, name), os.path.join(judge.work, name)
            shutil.copytree(source, to) if os.path.isdir(source) else shutil.copy(source, to)
        attack_in_child(judge.random, os.path.join(judge.work, target), how)
        judge.mutants += 1
        for command in commands(judge, given, files, verifies):
            if judge.run(command, files) is None:
                print(f"  attack: {target} {what}", flush=True)
            if not judge.time_left():
                break
        check_files(judge, secrets, files)
    sys.exit(judge.summary())


if __name__ == "__main__":
    main()
