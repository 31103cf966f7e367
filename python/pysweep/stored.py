"""Reading HDF5 such that a damaged file is one message: each access to the file is made here, and what h5py or HDF5
says about it becomes a Refusal with the name of the file and of what could not be read."""
import contextlib
import os

import h5py
import numpy as np

from .guard import HINT, watched
from .refusal import FILE, Refusal

# what h5py makes of a file whose bytes are wrong
BROKEN = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError,
          MemoryError, NotImplementedError, SystemError)


INSIDE = (h5py.h5l.TYPE_HARD, h5py.h5l.TYPE_SOFT)


def is_below(name):
    """Whether a name leads to a file of the same folder, or below it."""
    return bool(name) and not name.startswith("/") and ".." not in name.split("/")


def text_of(value):
    """Bytes that are no UTF-8 (h5py hands them on as surrogates) are drawn as replacement characters."""
    value = value if isinstance(value, bytes) else str(value).encode(errors="surrogateescape")
    return value.decode(errors="replace")


class Stored:
    """An HDF5 file, opened for reading. A group is given as h5py's object, a dataset by its group and name."""

    def __init__(self, path):
        self.path = path
        if not os.path.exists(path):
            hint = " yet; its parts are there: sweep resume finishes it" if os.path.isdir(path + ".d") else ""
            raise Refusal(f"there is no file {path}{hint}", FILE)
        try:
            with watched("it"):
                if not os.path.isfile(path):
                    raise OSError("it is no regular file")
                # HDF5 wants a name; one that is open, and has none any more, is read by Python
                self.root = h5py.File(open(path, "rb") if path.startswith("/proc/self/fd/") else path, "r")
        except BROKEN as error:
            raise Refusal(f"cannot read {path} as HDF5: {first_line(error)}; "
                          "give a file that sweep wrote, whole (sweep show FILE tells what it holds)", FILE)
        self.bytes = os.path.getsize(path)
        self.inspected = set()      # datasets, and those of parts, that hold their values themselves
        self.looked_up = {}         # by the name of a group, and theirs: h5py takes 50 microseconds each time
        self.refuse_links()

    def damaged(self, what):
        """The refusal of a file that says what cannot be."""
        return Refusal(f"{self.path}: {what}; {HINT}", FILE)

    @contextlib.contextmanager
    def reading(self, what):
        try:
            with watched(what):
                yield
        except BROKEN as error:
            raise self.damaged(f"cannot read {what}: {first_line(error)}")

    def refuse_links(self):
        """No way out of the file is followed: what it leads to may be anybody's, or a pipe. sweep writes none."""
        with self.reading("its links"):
            away = self.root.id.links.visit(lambda name, info: None if info.type in INSIDE else name, info=True)
        if away is not None:
            raise self.damaged(f"{text_of(away)} is a link into another file, as sweep never writes one")

    def require_inside(self, data):
        """The dataset, if its values are in the file, unfiltered, or in listed parts that hold them themselves."""
        if data.name in self.inspected:
            return data
        self.inspected.add(data.name)
        how = data.id.get_create_plist()
        if how.get_external_count() or how.get_nfilters():
            raise TypeError("it has its values in another file, or filtered, as sweep never writes them")
        if how.get_layout() != h5py.h5d.VIRTUAL:
            return data
        for k in range(how.get_virtual_count()):
            part, path = how.get_virtual_filename(k), how.get_virtual_dsetname(k)
            if (part, path) not in self.inspected:
                self.inspect_source(part.replace("%%", "%"), path)
                self.inspected.add((part, path))
        return data

    def inspect_source(self, part, path):
        if not is_below(part):
            raise TypeError("its values are in a file that is not in its folder, nor below it")
        with Stored(os.path.join(os.path.dirname(self.path), part)) as other:
            how = h5py.h5d.open(other.root.id, path.encode()).get_create_plist()
            if how.get_external_count() or how.get_nfilters() or how.get_layout() == h5py.h5d.VIRTUAL:
                raise TypeError(f"{part} does not hold the values itself, as sweep never writes it")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.root.close()

    def names(self, group):
        with self.reading(f"the names in {group.name}"):
            return list(group)

    def has(self, group, name):
        if (group.name, name) in self.looked_up:
            return True
        with self.reading(f"the names in {group.name}"):
            return name in group

    def groups(self, having):
        """The groups of the root that have one of these names."""
        with self.reading("its groups"):
            return [g for g in self.root.values() if isinstance(g, h5py.Group) and any(name in g for name in having)]

    def dataset(self, group, name):
        """The dataset itself, whose numbers or words are not read yet."""
        if (group.name, name) in self.looked_up:
            return self.looked_up[group.name, name]
        with self.reading(f"'{name}'"):
            data = group[name]
            if not isinstance(data, h5py.Dataset):
                raise TypeError("it is no dataset")
            self.require_inside(data)
            data.shape, data.dtype      # which h5py reads when asked for
            self.looked_up[group.name, name] = data
            return data

    def datasets(self, group):
        """The datasets of a group, by name."""
        found = {}
        for name in self.names(group):
            with self.reading(f"'{name}'"):
                data = group[name]
                if not isinstance(data, h5py.Dataset):
                    continue
                self.require_inside(data)       # first: for its shape HDF5 may open the files of a virtual one
                if data.dtype is not None and data.shape is not None:
                    found[name] = data
        return found

    def numbers(self, group, name, at=(), shape=None):
        """A dataset, or the part of it that at selects, as floating-point numbers. shape: what it has to have, None
        where any length will do."""
        data = self.dataset(group, name)
        with self.reading(f"'{name}'"):
            if data.dtype.kind not in "iufb":
                raise TypeError(f"it holds no numbers, but {data.dtype}")
            self.require_shape(name, data.shape, shape)
            return data[at].astype(float)

    def require_shape(self, name, found, shape):
        if shape is not None and (len(found) != len(shape) or any(b not in (None, a) for a, b in zip(found, shape))):
            raise ValueError(f"its shape is {found}, not {shape}")

    def texts(self, group, name, count):
        data = self.dataset(group, name)
        with self.reading(f"'{name}'"):
            self.require_shape(name, data.shape, (count,))
            return [text_of(v) for v in data[:]]

    def ids(self, group, name, count):
        """As texts of 16 hexadecimal digits, which files before schema 3 hold in place of numbers."""
        data = self.dataset(group, name)
        if data.dtype.kind != "u":
            return self.texts(group, name, count)
        with self.reading(f"'{name}'"):
            self.require_shape(name, data.shape, (count,))
            return [f"{v:016x}" for v in data[:].tolist()]

    def attribute(self, owner, name, default=""):
        """As text."""
        with self.reading(f"the attribute {name} of '{owner.name}'"):
            value = owner.attrs.get(name, default)
            return text_of(value if not isinstance(value, np.ndarray) or value.size != 1 else value.ravel()[0])

    def dimensions(self, data, scales):
        """The names of the dimensions of a dataset; scales: of its group, by name. They are compared: HDF5 finds the
        name of a scale by a walk through the file, 0.1 s and more where there are a hundred groups."""
        with self.reading(f"the dimensions of '{data.name}'"):
            return [next((s for s, scale in scales.items() if len(dim) and dim[0].id == scale.id), "")
                    for dim in data.dims]

    def check_parts(self):
        """Of a virtual file whose part is not there, or cannot be opened any more, HDF5 reads NaN and says nothing."""
        if not self.has(self.root, "provenance/parts"):
            return
        with self.reading("'provenance/parts'"):
            parts = [text_of(v) for v in self.require_inside(self.root["provenance/parts"])[:]]
            sizes = self.require_inside(self.root["provenance/part_bytes"])[:].astype(int)
            for part in parts:
                if not is_below(part):
                    raise ValueError(f"{part!a} is not in the folder of the file, nor below it")
            if len(parts) != len(sizes):
                raise ValueError(f"{len(parts)} parts have {len(sizes)} sizes")
        for part, size in zip(parts, sizes):
            there = os.path.join(os.path.dirname(self.path), part)
            if "\0" in part or not os.path.isfile(there) or os.path.getsize(there) != size:
                raise Refusal(f"{self.path} is virtual: the fields are in its parts, and {there!a} is not there or not "
                              "what it was; a virtual file and its parts are moved together", FILE)
        import resource     # not every system has it
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        need = len(parts) + 64
        if soft == resource.RLIM_INFINITY or soft >= need:
            return
        if hard != resource.RLIM_INFINITY and hard < need:
            raise Refusal(f"{self.path} is virtual and has {len(parts)} parts, more than may be open at once here "
                          f"(ulimit -n: {hard}); make a file of its own of it: sweep merge {self.path} -o OTHER.h5",
                          FILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))


def first_line(error):
    """What an exception says, in a line and without its type; KeyError puts its text in quotes."""
    text = error.args[0] if isinstance(error, KeyError) and error.args else error
    return (str(text).splitlines() or [""])[0].strip() or type(error).__name__
