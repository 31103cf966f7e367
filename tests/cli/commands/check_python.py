"""check_python.py TOP: what pysweep does, in one process, since xarray and pandas take a second to load. The current
folder is empty but for a link to the configs; SWEEP names the program."""
import contextlib
import io
import json
import os
import pickle
import re
import runpy
import signal
import subprocess
import sys
import threading
import time
import types
import warnings

import pysweep

HEAVY = ("numpy", "h5py", "xarray", "pandas", "matplotlib")
loaded = [name for name in HEAVY if name in sys.modules]
import pysweep.results as reader
from pysweep.config import as_text
from pysweep.program import FRAME, cut_letter

light = [name for name in HEAVY[2:] if name in sys.modules]
import h5py
import numpy as np

TOP, SWEEP = sys.argv[1], os.environ["SWEEP"]
HEAT = {"problem": "heat", "title": 'a "quoted" \\ text', "physics": {"kappa": "k"},
        "sweep": {"k": [1, 2.5, 10], "A": np.array([1, 2])},
        "grid": {"n": np.int64(16), "length": 1}, "time": {"dt": 1e-3, "end": 1e-2}, "initial": "A*cos(2*pi*x)",
        "output": {"fields": {"times": [0, "end"]}, "scalars": {"every": 2e-3}}, "run": {"device": "cpu"}}
failed = False
quiet = {"progress": False}


def refusal(work, *texts, code=None):
    """work() is refused in one line that has these texts."""
    try:
        work()
    except pysweep.Refusal as error:
        said = str(error)
        assert all(text in said for text in texts), said
        assert code is None or error.code == code, (error.code, said)
        return said
    raise AssertionError(f"not refused: {texts}")


def warned(work, text):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = work()
    assert any(text in str(one.message) for one in found), (text, [str(one.message) for one in found])
    assert all(one.filename == __file__ for one in found if text in str(one.message)), found[0].filename
    return result


def sweep(*words):
    return subprocess.run([SWEEP, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def copy(name, to):
    with open(name, "rb") as f, open(to, "wb") as g:
        g.write(f.read())
    return to


# ------------------------------------------------------------------------------------------ without xarray

def it_loads_what_it_needs():
    assert not loaded, loaded       # a session of ask needs nothing
    assert not light, light         # the reader needs h5py


def a_config_of_python_is_one():
    assert as_text([1, 2.0]) == "[1.0, 2.0]" and as_text([1, "end"]) == '(1, "end")' and as_text([]) == "[]"
    assert as_text(2**40) == "1099511627776L" and as_text(True) == "true" and as_text(np.float64(1e-5)) == "1e-05"
    assert as_text({"a": {"b": range(3)}}) == "{ a = { b = [0, 1, 2]; }; }"
    refusal(lambda: as_text(float("nan"), "time.end"), "time.end = nan")
    refusal(lambda: as_text({"a b": 1}), "'a b' is no name")
    refusal(lambda: as_text(None, "grid"), "grid is a NoneType")
    text = '''problem = "heat"; title = "a \\"quoted\\" \\\\ text"; physics = { kappa = "k"; };
        sweep = { k = [1.0, 2.5, 10.0]; A = [1, 2]; }; grid = { n = 16; length = 1; };
        time = { dt = 1e-3; end = 1e-2; }; initial = "A*cos(2*pi*x)"; run = { device = "cpu"; };
        output = { fields = { times = (0, "end"); }; scalars = { every = 2e-3; }; };'''
    with open("heat.cfg", "w") as f:
        f.write(text)
    files = [pysweep.run(HEAT, file="dict.h5", **quiet), pysweep.run(text + "\n", file="text.h5", **quiet),
             pysweep.run("heat.cfg", **quiet)]
    assert list(map(str, files)) == ["dict.h5", "text.h5", "results/heat.h5"], files
    ids = [reader.Results(str(file)).run_id for file in files]
    assert len(ids[0]) == 6 and ids[0] == ids[1] == ids[2], ids
    assert reader.Results("dict.h5").title == 'a "quoted" \\ text'
    assert str(pysweep.run(HEAT, **quiet)) == "results/heat.h5"        # of the problem: nothing to do
    other = pysweep.run("heat.cfg", time__end=2e-2, sweep={"k": [1.0], "A": [1.0]}, file="other.h5", **quiet)
    found = reader.Results(str(other))
    assert len(found.run) == 1 and found.t_reached[0] == 2e-2


def what_sweep_refuses_is_refused():
    said = refusal(lambda: pysweep.run({**HEAT, "physics": {"kapa": 1}}, **quiet), "heat.cfg:", "kapa", code=3)
    assert "pysweep-" not in said, said      # no name of a temporary folder
    refusal(lambda: pysweep.run("nowhere.cfg", **quiet), "nowhere.cfg")
    refusal(lambda: pysweep.run("heat.cfg", "--frobnicate", **quiet), "--frobnicate", code=2)
    refusal(lambda: pysweep.run("heat.cfg", initial="A*sin(2*pi*x)", **quiet), "results/heat.h5 holds another sweep",
            code=5)
    refusal(lambda: pysweep.run("heat.cfg", program="/nowhere/sweep"), "there is no program '/nowhere/sweep'", code=4)


def shown(tty, work):
    """What work() writes to standard error."""
    stream = io.StringIO()
    stream.isatty = lambda: tty
    with contextlib.redirect_stderr(stream):
        work()
    return stream.getvalue()


def progress_is_shown():
    run = lambda **how: pysweep.run(HEAT, "--force", file="progress.h5", **how)
    assert FRAME in shown(True, run) and "done     6 ok" in shown(True, run)
    lines = shown(False, run)
    assert FRAME not in lines and "done     6 ok" in lines, lines
    assert shown(True, lambda: run(progress=False)) == ""
    assert FRAME in shown(False, lambda: run(progress=True))
    for text in ("a…b", "…", "é", "abc", "𝄞"):
        data = text.encode()
        for k in range(len(data) + 1):
            whole, rest = cut_letter(data[:k])
            assert whole.decode() == text[:len(whole.decode())] and whole + rest == data[:k] and len(rest) < 4


def a_notebook_has_the_bar_in_one_place():
    said = []
    handle = types.SimpleNamespace(update=lambda what, raw: said.append(what["text/plain"]))
    shell = type("ZMQInteractiveShell", (), {})()
    display = types.ModuleType("IPython.display")
    display.display = lambda *what, **how: handle
    notebook = types.ModuleType("IPython")
    notebook.get_ipython, notebook.display = lambda: shell, display
    sys.modules.update({"IPython": notebook, "IPython.display": display})
    lines = io.StringIO()
    try:
        with contextlib.redirect_stdout(lines):
            pysweep.run(HEAT, "--force", file="progress.h5")
    finally:
        del sys.modules["IPython"], sys.modules["IPython.display"]
    assert any("%" in one for one in said) and not any("\n" in one or "\x1b" in one for one in said), said
    assert "done     6 ok" in lines.getvalue() and "\x1b" not in lines.getvalue(), lines.getvalue()


def interrupted(number, kind):
    """The program has stored what it has, and ended, when the caller goes on."""
    slow = {**HEAT, "time": {"dt": 1e-6, "end": 50.0}, "output": {}, "grid": {"n": 256, "length": 1}}
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), number))
    timer.start()
    try:
        pysweep.run(slow, file="slow.h5", **quiet)
        raise AssertionError("no interrupt")
    except kind:
        pass
    finally:
        timer.cancel()
    try:
        raise AssertionError(f"goes on: {os.waitpid(-1, os.WNOHANG)}")
    except ChildProcessError:
        pass
    if os.path.exists("slow.h5.d"):     # else it came before the first step
        refusal(lambda: reader.Results("slow.h5"), "there is no file slow.h5 yet", "sweep resume")
    refusal(lambda: pysweep.run(slow, "--max-time", "0.3", file="slow.h5", **quiet), "the same call goes on", code=75)


def an_interrupt_keeps_what_is_there():
    interrupted(signal.SIGINT, KeyboardInterrupt)


def so_does_an_end_from_elsewhere():
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
    try:
        interrupted(signal.SIGTERM, SystemExit)
    finally:
        signal.signal(signal.SIGTERM, before)


def asks():
    with pysweep.ask(HEAT, "-q", of=["u_max"], file="asked.h5", output__scalars={"every": 1e-2}) as session:
        answers = session.ask([{"k": np.float64(1.0), "A": a} for a in (1, 2)])
        assert [answer["status"] for answer in answers] == ["done"]*2 and set(answers[0]) >= {"run", "u_max"}
        assert answers[1]["u_max"] == 2*answers[0]["u_max"], answers
        try:
            session.ask([{"k": 1.0}])
        except ValueError as error:
            assert "parameter 'A' is missing" in str(error), error
        else:
            raise AssertionError("a row without A is taken")
    assert len(reader.Results("asked.h5").run) == 2
    refused = pysweep.ask({**HEAT, "grid": {}}, "-q")
    said = refusal(lambda: refused.ask([{"k": 1.0, "A": 1.0}]), "heat.cfg:", "grid.n", code=3)
    assert "pysweep-" not in said and refused.close() == 3
    text = json.load(open(f"{TOP}/python/examples/first_steps.ipynb"))
    assert not any(cell.get("outputs") for cell in text["cells"]), "outputs of the notebook are not kept"


def files_that_are_wrong():
    """By the reader alone."""
    refusal(lambda: reader.Results("nowhere.h5"), "there is no file nowhere.h5", code=5)
    with open("words.h5", "w") as f:
        f.write("no HDF5 at all\n")
    refusal(lambda: reader.Results("words.h5"), "cannot read words.h5 as HDF5", code=5)
    with h5py.File("strange.h5", "w") as f:
        f["x"] = [1.0]
    refusal(lambda: reader.Results("strange.h5"), "not one that sweep wrote", code=5)
    with h5py.File(copy("dict.h5", "newer.h5"), "r+") as f:
        f.attrs["sweep_schema"] = f"{reader.NEWEST_SCHEMA + 1}.0"
    refusal(lambda: reader.Results("newer.h5"), f"newer.h5 has schema {reader.NEWEST_SCHEMA + 1}.0", "a newer sweep",
            code=5)
    with open(copy("dict.h5", "short.h5"), "r+b") as f:
        f.truncate(3000)
    refusal(lambda: reader.Results("short.h5"), "cannot read short.h5 as HDF5", code=5)


def it_says_what_a_dataset_needs():
    refusal(lambda: pysweep.open("dict.h5"), "a Dataset needs h5py, xarray and pandas", code=4)


# ------------------------------------------------------------------------------------------ with xarray

def made():
    """Files of the shipped configs, as programs find them."""
    for name, code in (("tiny_ch", 0), ("tiny_nsweep", 0), ("tiny_diverge", 1), ("tiny_compact", 0),
                       ("tiny_advection", 0)):
        told = sweep("run", "-q", f"configs/{name}.cfg", "--device", "cpu", "-o", f"{name}.h5")
        assert told.returncode == code, told.stderr
    told = sweep("run", "-q", "configs/tiny_ch.cfg", "-s", "sweep.v=[0.0,1.0]", "-s", 'time.end="10*(1+v)"', "-s",
                 'grid.length="6*pi*(1+v)"', "-s", 'output.scalars.every="1+v"', "-s",
                 'statistics={over=["seed"];of=["energy"];}', "-o", "times.h5")
    assert told.returncode == 0, told.stderr
    return [f"{name}.h5" for name in ("tiny_ch", "tiny_nsweep", "tiny_diverge", "tiny_compact", "tiny_advection",
                                      "times")]


def groups_of(file):
    with h5py.File(file) as f:
        return [name for name, group in f.items() if isinstance(group, h5py.Group) and "group_run" in group]


def opened(file):
    """The Datasets of a file, by the group in it."""
    names = groups_of(file)
    if not names:
        return {"/": pysweep.open(file)}
    found = {name: pysweep.open(file, group=name) for name in names}
    if hasattr(xr, "DataTree"):
        tree = pysweep.open(file)
        found["/"] = tree.to_dataset()
        for name in names:
            xr.testing.assert_identical(found[name].drop_attrs(), tree[name].to_dataset(inherit=False).drop_attrs())
    else:
        refusal(lambda: pysweep.open(file), "several grids", "xarray 2024.10", names[0], code=4)
    return found


def numbers_are_those_of_the_file():
    for file in made():
        for name, data in opened(file).items():
            with h5py.File(file) as f:
                lazy = [one for one in data.variables.values() if one.ndim > 1]
                assert not any(one._in_memory for one in lazy), f"{file}{name}: read before it is used"
                for key, one in f[name].items():
                    if isinstance(one, h5py.Dataset):
                        raw = one.asstr()[()] if one.dtype.kind == "O" else one[()]
                        if key == "run_id":     # as sweep shows them
                            raw = np.array([f"{v:016x}" for v in raw.tolist()], object)
                        np.testing.assert_array_equal(data[key].values, raw, f"{file}{name} {key}")
                        assert data[key].dtype == raw.dtype and data[key].dims[0] in ("run", "group_run", key)
                        assert one.attrs.get("long_name", "") == data[key].attrs.get("long_name", "")
                        assert one.attrs.get("units", "1") == data[key].attrs.get("units", "1")
                parameters = [key for key, one in f.items() if one.attrs.get("sweep_role") == "parameter"]
                assert all(key in data.coords for key in parameters) and "status" in data.variables
                if name != "/":
                    rows = f[name]["group_run"][:]
                    for key in parameters:
                        raw = f[key].asstr()[:] if f[key].dtype.kind == "O" else f[key][:]
                        np.testing.assert_array_equal(data[key].values, raw[rows])


def parts_are_read_as_numpy_takes_them():
    data, whole = pysweep.open("tiny_ch.h5"), pysweep.open("tiny_ch.h5").u.values
    for key in (np.s_[3], np.s_[::-2, 1:4, [5, 0, 47]], np.s_[[7, 7, 1], :, ::5], np.s_[:, -1], np.s_[2:2],
                np.s_[np.int64(1), [2, 0], 3]):
        key = key if isinstance(key, tuple) else (key,)
        taken = whole
        for axis in reversed(range(len(key))):
            taken = np.take(taken, range(whole.shape[axis])[key[axis]] if isinstance(key[axis], slice) else key[axis],
                            axis)
        np.testing.assert_array_equal(data.u[key].values, taken)
    points = xr.DataArray([4, 1, 1], dims="point"), xr.DataArray([0, 5, 2], dims="point")
    np.testing.assert_array_equal(data.u.isel(run=points[0], time=points[1]).values, whole[[4, 1, 1], [0, 5, 2]])
    xr.testing.assert_identical(pickle.loads(pickle.dumps(data)), data)
    data = pysweep.open("tiny_ch.h5")
    data.close()
    refusal(lambda: data.u.values, "tiny_ch.h5 is closed")


def runs_that_fail_are_nan():
    data = pysweep.open("tiny_diverge.h5")
    state = data.status.values
    assert list(state) == [1, 1, 2, 1] and np.isnan(data.u.sel(run=2, time=slice(1, None))).all()
    assert np.isfinite(data.u.sel(run=[0, 1, 3])).all()
    done = data.sweep.converged()
    assert list(done.run) == [0, 1, 3] and not done.u.variable._in_memory
    assert data.sweep.table().loc[2, ["energy", "u_max"]].isna().all()


def the_table_is_that_of_sweep_show():
    for file in ("tiny_ch.h5", "tiny_nsweep.h5", "tiny_diverge.h5", "tiny_compact.h5", "times.h5"):
        rows = {row.pop("run"): row for row in json.loads(sweep("show", "--json", file).stdout)["runs"]}
        grids = groups_of(file)
        tables = [pysweep.open(file).sweep.table()] if not grids or hasattr(xr, "DataTree") else \
            [pysweep.open(file, group=name).sweep.table() for name in grids]
        for table in tables:
            assert not grids or len(tables) > 1 or list(table.index) == list(rows)
            for run, row in table.iterrows():
                assert grids or set(row.index) == set(rows[run]), set(row.index) ^ set(rows[run])
                for name, value in row.items():
                    known = rows[run][name]
                    assert value == known or known is None and np.isnan(value), (file, run, name, value, known)
    data = pysweep.open("times.h5")
    early = data.sweep.table(time=5)
    for k in range(data.sizes["run"]):
        at = int(abs(data.t_s.values[k] - 5).argmin())
        assert early.energy.iloc[k] == data.energy.values[k, at]
    means = pysweep.open("times.h5", group="statistics")
    first = data.energy.isel(time_s=-1).where((data.a == 0) & (data.v == 0), drop=True).mean("run")
    np.testing.assert_allclose(means.energy_mean.sel(a=0, v=0).isel(time_s=-1), first, rtol=1e-14)
    refusal(lambda: pysweep.open("times.h5", group="n1"), "no group 'n1'", "statistics")
    if hasattr(xr, "DataTree"):
        tree = pysweep.open("tiny_nsweep.h5")
        kept = tree.sweep.converged()
        assert sorted(kept.children) == sorted(tree.children) and kept.sweep.table().equals(tree.sweep.table())


def files_of_older_schemas_have_the_names_of_today():
    for file, schema in (("tiny_ch.h5", "1"), ("tiny_nsweep.h5", "1"), ("tiny_ch.h5", "2")):
        old = copy(file, f"old_{file}")
        arguments, sys.argv = sys.argv, ["as_schema.py", schema, old]
        runpy.run_path(f"{TOP}/tests/helpers/as_schema.py", run_name="__main__")
        sys.argv = arguments
        with h5py.File(old) as f:
            groups = [name for name, group in f.items() if isinstance(group, h5py.Group) and "points" in group.attrs]
        for name in groups or [None]:
            one, other = (pysweep.open(path, group=name).drop_attrs() if hasattr(xr.Dataset, "drop_attrs") else
                          pysweep.open(path, group=name) for path in (old, file))
            one.attrs = other.attrs = {}
            assert set(one.variables) == set(other.variables), set(one.variables) ^ set(other.variables)
            assert one.equals(other)


def damaged_and_unfinished_files():
    refusal(lambda: pysweep.open("nowhere.h5"), "there is no file nowhere.h5", code=5)
    refusal(lambda: pysweep.open("words.h5"), "words.h5", code=5)
    with h5py.File("tiny_ch.h5") as f:
        place = f["u"].id.get_offset() or f["u"].id.get_chunk_info(0).byte_offset
    with open(copy("tiny_ch.h5", "damaged.h5"), "r+b") as f:
        f.seek(place + 1000)
        byte = f.read(1)
        f.seek(place + 1000)
        f.write(bytes([byte[0] ^ 4]))
    said = refusal(lambda: pysweep.open("damaged.h5"), "damaged.h5", "by their checksum", code=5)
    assert "\n" not in said, said
    assert pysweep.open("damaged.h5", verify=False).sizes["run"] == 12
    with h5py.File(copy("tiny_ch.h5", "changed.h5"), "r+") as f:
        f["energy"][0, 0] = 7.0
    assert warned(lambda: pysweep.open("changed.h5"), "was changed after sweep had written it").energy[0, 0] == 7.0
    sweep("run", "-q", "configs/tiny_ch.cfg", "--only", "a == 0.05", "-o", "some.h5")
    some = warned(lambda: pysweep.open("some.h5"), "some.h5 is unfinished: it has 4 of 12 runs")
    assert some.sizes["run"] == 4
    program = os.environ.pop("SWEEP")
    path, os.environ["PATH"] = os.environ["PATH"], "/nowhere"
    try:
        assert pysweep.open("damaged.h5").sizes["run"] == 12        # nothing can tell
        refusal(lambda: pysweep.open("damaged.h5", verify=True), "verify=True needs the program 'sweep'", code=4)
    finally:
        os.environ.update(SWEEP=program, PATH=path)
    refusal(lambda: xr.Dataset({"a": 1}).sweep.table(), "no dimension run")


def pictures_show_the_numbers():
    import matplotlib.pyplot as plt

    data = pysweep.open("tiny_ch.h5")
    axes = data.sweep.plot.heatmap("energy", over=("v", "a"))
    last = data.energy.isel(time_s=-1)
    shown = axes.collections[0].get_array().reshape(3, 2)
    for i, a in enumerate((0.0, 0.05, 0.1)):
        for j, v in enumerate((0.0, 0.5)):
            mean = float(last.where((data.a == a) & (data.v == v)).mean())
            assert abs(shown[i, j] - mean) < 1e-12 * abs(mean), (i, j)
    assert axes.get_xlabel() == "v" and axes.get_ylabel() == "a" and axes.get_title() == "mean over seed"
    assert axes.figure.axes[1].get_ylabel().startswith(data.energy.attrs["long_name"][:5])
    axes = data.sweep.plot.spacetime(run=3, of="u", cmap="RdBu")
    np.testing.assert_array_equal(axes.collections[0].get_array().reshape(6, 48), data.u.sel(run=3))
    assert axes.get_title() == "run 3, a = 0, v = 0.5, seed = 2" and axes.get_xlabel() == "x", axes.get_title()
    own = pysweep.open("times.h5")
    axes = own.sweep.plot.spacetime(run=2)
    assert np.isclose(axes.get_ylim()[1], own.t.sel(run=2).max()) and np.isclose(axes.get_xlim()[1],
                                                                                own.xc.sel(run=2).max())
    broken = pysweep.open("tiny_diverge.h5").sweep.plot.spacetime(run=2).collections[0].get_array()
    assert broken.mask.any() and not broken.mask.all()
    refusal(lambda: data.sweep.plot.heatmap("energi"), "did you mean 'energy'?")
    refusal(lambda: data.sweep.plot.heatmap(over=("a", "b")), "no parameter 'b'")
    refusal(lambda: data.sweep.plot.spacetime(run=99), "no run 99: there are 0 to 11")
    refusal(lambda: data.sweep.plot.spacetime(of="w"), "no field 'w'")
    refusal(lambda: pysweep.open("tiny_diverge.h5").sweep.plot.heatmap(), "two swept parameters; this sweep has 1")
    box = pysweep.open("tiny_compact.h5", group="n00012x00012x00012")
    refusal(lambda: box.sweep.plot.spacetime(), "3 dimensions in space")
    if hasattr(xr, "DataTree"):
        tree = pysweep.open("tiny_nsweep.h5")
        shown = tree.sweep.plot.heatmap("err_l2", over=("g", "n")).collections[0].get_array().reshape(3, 2)
        np.testing.assert_array_equal(shown, tree.err_l2.values.reshape(3, 2))
        assert tree.sweep.plot.spacetime(run=5).collections[0].get_array().size == 2*64
        words = pysweep.open("tiny_compact.h5").sweep.plot.heatmap("err_max", over=("axis", "m"))
        assert [one.get_text() for one in words.get_xticklabels()][0] in "xyz"
    plt.close("all")


def the_notebook_and_the_examples_run():
    sys.path.insert(0, f"{TOP}/scripts/build")
    import matplotlib.pyplot as plt
    import run_notebook

    os.mkdir("examples")
    os.symlink(f"{TOP}/configs", "examples/configs")
    os.chdir("examples")
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
        run_notebook.run(f"{TOP}/python/examples/first_steps.ipynb")
    asked = reader.Results("asked.h5")
    died = asked.final("pulses", None)[0] == 0
    assert len(asked.run) == 28 and 0.064 < asked.param["k"][died].min() < 0.066
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
        space = {}
        for block in re.findall("```python\n(.*?)```", open(f"{TOP}/docs/howto/python.md").read(), re.S):
            exec(block, space)
        plt.close("all")


def main(tests):
    global failed
    for test in tests:
        begin = time.monotonic()
        try:
            test()
            print(f"  ok    {test.__name__.replace('_', ' ')} ({time.monotonic() - begin:.1f} s)")
        except Exception:
            import traceback
            traceback.print_exc()
            print(f"  BAD   {test.__name__.replace('_', ' ')}")
            failed = True


main([it_loads_what_it_needs, a_config_of_python_is_one, what_sweep_refuses_is_refused, progress_is_shown,
      a_notebook_has_the_bar_in_one_place, an_interrupt_keeps_what_is_there, so_does_an_end_from_elsewhere,
      asks, files_that_are_wrong])
try:
    import pandas
    import xarray as xr
except ImportError as error:
    main([it_says_what_a_dataset_needs])
    print(f"# skipped: Datasets: {error}")
    sys.exit(failed or "readers" in os.environ.get("SW_NEED", ""))
main([numbers_are_those_of_the_file, parts_are_read_as_numpy_takes_them, runs_that_fail_are_nan,
      the_table_is_that_of_sweep_show, files_of_older_schemas_have_the_names_of_today, damaged_and_unfinished_files])
try:
    import matplotlib
except ImportError as error:
    print(f"# skipped: pictures: {error}")
    sys.exit(failed)
main([pictures_show_the_numbers, the_notebook_and_the_examples_run])
sys.exit(failed)
