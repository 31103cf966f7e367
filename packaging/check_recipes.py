#!/usr/bin/python3
"""check_recipes.py: the recipes of Debian, conda, Spack and Apptainer are what these would read, of the program's
version, and need what scripts/build/setup.sh installs; each setting that they give make is one of the Makefile.
Nothing is built and none of the four is needed; where rattler-build is (pip install py-rattler-build), it reads its
recipe. Silent if all is well."""
import os
import re
import subprocess
import sys
import types

import yaml     # as mkdocs has it

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)

# What setup.sh installs: what for, and its names in conda and Spack. base: Debian's build-essential has it; build,
# run: each recipe names it; option: what a row or pysweep can use besides; test: recipes run no test that needs it.
PACKAGES = """
gcc                 base    ${{compiler("c")}}  c
libc6-dev           base    ${{stdlib("c")}}    -
make                base    make                gmake
pkg-config          build   pkg-config          pkgconfig
libconfig-dev       build   libconfig           libconfig
libhdf5-dev         build   hdf5                hdf5
nettle-dev          build   nettle              nettle
libxxhash-dev       build   xxhash              xxhash
python3-h5py        run     h5py                py-h5py
python3-matplotlib  run     matplotlib-base     py-matplotlib
python3-xarray      option  -                   -
liblapack3          option  -                   -
libcmocka-dev       test    -                   -
python3-h5netcdf    test    -                   -
python3-netcdf4     test    -                   -
hdf5-tools          test    -                   -
netcdf-bin          test    -                   -
mandoc              test    -                   -
"""
ROWS = [line.split() for line in PACKAGES.strip().splitlines()]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def need(true, text):
    if not true:
        sys.exit(f"check_recipes.py: {text}")


def same(recipe, what, have, wanted):
    """Two sets of names."""
    for name in sorted(set(wanted) - set(have)):
        need(False, f"{recipe}: {what} lacks {name}")
    for name in sorted(set(have) - set(wanted)):
        need(False, f"{recipe}: {what} has {name}, which is not in the table of check_recipes.py")


def names_of(column, *purposes):
    return [row[column] for row in ROWS if row[1] in purposes and row[column] != "-"]


MAKEFILE = read(TOP, "Makefile")
VERSION = re.search(r'^#define SW_VERSION "(.*)"', read(TOP, "src", "base", "sw_version.h"), re.M)[1]


def settings_exist(recipe, names):
    need(len(names) >= 6, f"{recipe}: few settings")
    for name in names:
        need(re.search(rf"\$\({name}\)|^{name} *[?+:]?=", MAKEFILE, re.M), f"{recipe}: the Makefile has no {name}")


def shell_reads(recipe, text):
    done = subprocess.run(["sh", "-n"], input=text, text=True, stderr=subprocess.PIPE)
    need(done.returncode == 0, f"{recipe}: {done.stderr.strip()}")


def setup():
    listed = re.search(r"^packages='([^']*)'", read(TOP, "scripts", "build", "setup.sh"), re.M)[1].split()
    same("setup.sh", "the table of check_recipes.py", [row[0] for row in ROWS], listed)


def debian():
    fields = {}
    for name, value in re.findall(r"^([A-Z][A-Za-z-]*):((?:.*\n)(?: .*\n)*)", read(HERE, "debian", "control"), re.M):
        fields.setdefault(name, []).append([word.split()[0].split(":")[0] for word in value.split(",") if word.strip()])
    need(fields["Package"] == [["sweep"], ["sweep-doc"]], "Debian: other packages")
    same("Debian", "Build-Depends", fields["Build-Depends"][0], names_of(0, "build") + ["debhelper-compat"])
    same("Debian", "Recommends", fields["Recommends"][0], names_of(0, "run"))
    same("Debian", "Suggests", fields["Suggests"][0], names_of(0, "option") + ["python3-scipy", "sweep-doc"])
    rules = os.path.join(HERE, "debian", "rules")
    need(os.access(rules, os.X_OK), "Debian: rules is not executable")
    given = re.search(r"^settings =(?:.*\\\n)*.*", read(rules), re.M)[0]
    settings_exist("Debian", re.findall(r"\b([A-Z][A-Z0-9]*)=", given))


def conda():
    recipe = yaml.safe_load(read(HERE, "conda", "recipe.yaml"))
    need(recipe["context"]["version"] == VERSION, f"conda: not version {VERSION}")
    needs = {part: [text.replace(" ", "") for text in names] for part, names in recipe["requirements"].items()}
    same("conda", "build and host", needs["build"] + needs["host"], names_of(2, "base", "build"))
    same("conda", "run", needs["run"], names_of(2, "run") + ["python"])
    source = os.path.join(HERE, "conda", recipe["source"]["path"])
    need(os.path.samefile(source, TOP), "conda: the source is not this checkout")
    need(os.path.exists(os.path.join(source, recipe["about"]["license_file"])), "conda: no license")
    for test in recipe["tests"]:
        shell_reads("conda", "\n".join(test["script"]))
    script = read(HERE, "conda", "build.sh")
    shell_reads("conda", script)
    settings_exist("conda", re.findall(r"\b([A-Z][A-Z0-9_]*)=", re.search(r"^make(?:.*\\\n)*.*", script, re.M)[0]))
    try:
        import rattler_build
    except ImportError:
        return
    variants = rattler_build.VariantConfig({"c_compiler": ["gcc"], "c_stdlib": ["sysroot"]})    # conda-forge's
    rendered = rattler_build.Stage0Recipe.from_file(os.path.join(HERE, "conda", "recipe.yaml")).render(variants)
    need(str(rendered[0].recipe.package.version) == VERSION, "conda: rattler-build reads another version")


class Anything:
    """Stands for what Spack knows of a spec."""
    def __getattr__(self, name):
        return Anything()

    __getitem__ = lambda self, name: Anything()
    __call__ = lambda self, *args, **named: Anything()
    __contains__ = lambda self, text: True
    __str__ = lambda self: "any"


def spack():
    said = []
    names = {name: (lambda *args, of=name, **named: said.append((of, args[0], named))) for name in
             ("license", "version", "variant", "depends_on")}
    spack_package = types.ModuleType("spack.package")
    spack_package.__dict__.update(names, MakefilePackage=object, __all__=[*names, "MakefilePackage"])
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": spack_package})
    scope = {}
    exec(compile(read(HERE, "spack", "package.py"), "package.py", "exec"), scope)
    need(any(of == "version" and name == VERSION and named.get("tag") == f"v{VERSION}" for of, name, named in said),
         f"Spack: not version {VERSION}")
    needs = [re.split(r"[+~@]", name)[0] for of, name, named in said if of == "depends_on" and "when" not in named]
    same("Spack", "depends_on", needs, names_of(3, "base", "build", "run") + ["python"])
    package = scope["Sweep"]()
    package.spec, package.compiler = Anything(), None
    settings_exist("Spack", [setting.split("=")[0] for setting in package.settings()])


def apptainer():
    text = read(HERE, "apptainer", "sweep.def")
    need(re.search(r"^Bootstrap: \w+\nFrom: \S+", text, re.M), "Apptainer: no base")
    for section in ("files", "post", "runscript", "test"):
        body = re.search(rf"^%{section}\n((?:    .*\n|\n)+)", text, re.M)
        need(body, f"Apptainer: no %{section}")
        if section != "files":
            shell_reads("Apptainer", body[1])


setup()
debian()
conda()
spack()
apptainer()
