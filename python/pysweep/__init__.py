"""Sweeps of PDE problems: run them, open what they came to, and let an optimiser choose their parameters.

    import pysweep

    file = pysweep.run("configs/tiny_ch.cfg")
    ds = pysweep.open(file)         # an xarray Dataset; of several grids a DataTree
    ds.sweep.table()                # a pandas DataFrame, a row a run

The reader of files (results.py over stored.py) needs h5py alone, and draws the pictures of `sweep plot` as well. run()
and ask() start the program `sweep`: the one that program= or the environment variable SWEEP names, else that of PATH.
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .refusal import PROGRAM, Refusal
from .running import run
from .session import Session, ask

if TYPE_CHECKING:
    import xarray

__all__ = ["Refusal", "Session", "ask", "open", "run"]
__version__ = "1.0.0"


def open(file: str | os.PathLike[str], group: str | None = None, *,
         verify: bool | None = None) -> xarray.Dataset | xarray.DataTree:
    """The results in a file, with the parameters as coordinates, units and long names. Fields and series are read when
    they are used; of a run that diverged or failed they are NaN from there on.

    group: of several grids, or beside the runs, one alone: "n00064", "statistics"; always a Dataset.
    verify: compare all bytes with the checksums, by the program `sweep`; None: where there is one, and the file has no
    more than 1 GiB.
    Refusal, in a line, where the file is not there, unfinished, damaged, of a newer sweep or not of sweep at all.
    Needs xarray; a DataTree xarray 2024.10.
    """
    try:
        from .dataset import open_file
    except ImportError as error:
        raise Refusal(f"a Dataset needs h5py, xarray and pandas (pip install xarray h5py): {error}", PROGRAM) from None
    return open_file(os.fspath(file), group, verify)
