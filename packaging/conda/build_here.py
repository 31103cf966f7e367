#!/usr/bin/env python3
"""build_here.py SOURCES.tar.xz FOLDER: rattler-build builds the recipe in FOLDER, and runs its tests on the package,
where conda-forge cannot be reached: compiler and libraries are this system's, so the package is for trying only. It
needs the Python package py-rattler-build."""
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import rattler_build
import yaml


def folders(option):
    """What pkg-config's -I or -L of HDF5 name, for gcc's environment."""
    for module in ("hdf5", "hdf5-serial"):
        asked = subprocess.run(["pkg-config", option, module], stdout=subprocess.PIPE, text=True)
        if asked.returncode == 0:
            return ":".join(word[2:] for word in asked.stdout.split())
    sys.exit("build_here.py: pkg-config knows no hdf5; apt-get install libhdf5-dev")


def build(sources, out):
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(sources) as archive:
            archive.extractall(work)
        [top] = pathlib.Path(work).iterdir()
        recipe = yaml.safe_load((top / "packaging/conda/recipe.yaml").read_text())
        recipe["requirements"] = {}
        recipe["source"] = {"path": str(top)}
        recipe["build"]["script"] = {"file": "build.sh", "env": {
            "CC": "gcc", "PATH": "/usr/bin:/bin", "C_INCLUDE_PATH": folders("--cflags-only-I"),
            "LIBRARY_PATH": folders("--libs-only-L")}}
        rattler_build.Stage0Recipe.from_dict(recipe, recipe_dir=top / "packaging/conda").run_build(
            output_dir=out, channels=[out.as_uri()], tool_config=rattler_build.ToolConfiguration(test_strategy="skip"))
    [package] = out.glob("linux-64/*.conda")
    for test in rattler_build.Package.from_file(package).run_tests(channel=[out.as_uri()]):
        if not test.success:
            sys.exit("\n".join(["build_here.py: a test of the recipe fails", *test.output]))
    return package


if len(sys.argv) != 3:
    sys.exit("usage: build_here.py SOURCES.tar.xz FOLDER")
folder = pathlib.Path(sys.argv[2]).absolute()
folder.mkdir(parents=True)
for subdir in ("linux-64", "noarch"):   # an empty channel, which is asked before the package is in it
    (folder / subdir).mkdir()
    (folder / subdir / "repodata.json").write_text('{"packages": {}, "packages.conda": {}}\n')
print(build(sys.argv[1], folder))
