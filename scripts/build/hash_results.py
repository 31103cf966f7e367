#!/usr/bin/python3
"""hash_results.py SWEEP DEVICE FILE: run every config of configs/ with the program SWEEP on DEVICE (cpu, cuda) and
write a line for each dataset of each result into FILE: config, dataset, and the SHA-256 of its bytes.

Two such files of the same machine differ where a change of the program changed a result by a bit: `diff` names config
and dataset. What a config asks of a night or of many GiB is cut down by the settings below. Left out is what
compare_h5.py leaves out: what tells of the call and not of the results."""
import hashlib
import pathlib
import platform
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/helpers"))
from compare_h5 import datasets  # all but what tells of the call

CUT = {  # a config -> settings that make it a matter of seconds on two cores
    "night": ["time.end=100.0", "sweep.a=logspace(0.001, 0.2, 4)", "sweep.seed=[1]", "output.scalars.every=10.0"],
    "bvp_table1": ["sweep.n=[1048576]"],
    "bvp_table2": ["sweep.n=[1048576]"],
    "ch_forcing": ["time.end=20.0"],
    "ch_coarsening": ["time.end=200.0"],
    "advection_3d": ["sweep.n=[16, 24]"],
}


def digest(item):
    values = item[()]
    if item.dtype.kind == "O":  # texts of variable length
        return hashlib.sha256(b"\0".join(np.ravel(values).tolist())).hexdigest()
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def hashes(sweep, device, config, folder):
    """Run one config; its lines. A program that ends badly is a line, too."""
    output = folder / (config.stem + ".h5")
    where = [] if device == "cuda" and config.stem.startswith("bvp_table") else ["--device", device]
    settings = [word for setting in CUT.get(config.stem, []) for word in ("-s", setting)]
    done = subprocess.run([sweep, "run", config, "-q", "-o", output, *where, *settings], check=False,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        return [f"{config.stem} exit code {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"]
    with h5py.File(output, "r") as file:
        return [f"{config.stem} {path} {digest(item)}" for path, item in datasets(file)]


def main():
    sweep, device, target = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder, open(target, "w", encoding="utf-8") as out:
        version = subprocess.run([sweep, "--version"], check=True, capture_output=True, text=True).stdout.split("\n")
        print(f"# {version[0]} {device} {platform.machine()}", file=out)
        for config in sorted(pathlib.Path("configs").glob("*.cfg")):
            for line in hashes(sweep, device, config, pathlib.Path(folder)):
                print(line, file=out)


if __name__ == "__main__":
    main()
