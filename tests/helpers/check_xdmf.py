"""check_xdmf.py FILE.xdmf [RUNS]: what an .xdmf says against the HDF5 file beside it: every output of every run is
there once, under its parameters and its time, on the points where it lies, and its hyperslab holds the field. With VTK
the reader that ParaView calls "XDMF Reader" must see the same numbers, bit for bit. RUNS: how many there must be.
Prints what is wrong and exits 1."""
import os
import sys
import xml.etree.ElementTree as xml

import h5py
import numpy as np

PATH = sys.argv[1]
wrong = []


def expect(condition, text):
    if not condition and len(wrong) < 20:
        wrong.append(text)


def numbers(node, kind=float):
    return np.array((node.text or "").split(), kind)


class Field:
    """An attribute: what its slab says, and the values there."""
    def __init__(self, node, name):
        slab = node.find("DataItem")
        choice, source = slab.findall("DataItem")
        self.shape = tuple(int(v) for v in slab.get("Dimensions").split())
        start, stride, count = numbers(choice, int).reshape(3, -1)
        file, self.path = source.text.split(":")
        expect(file == os.path.basename(PATH)[:-len(".xdmf")] + ".h5" and slab.get("ItemType") == "HyperSlab" and
               node.get("Center") == "Node" and choice.get("Dimensions") == f"3 {len(start)}", f"{name}: form")
        data = h5[self.path]
        expect(tuple(int(v) for v in source.get("Dimensions").split()) == data.shape, f"{name}: shape of {self.path}")
        expect(source.get("NumberType") == "Float" and data.dtype.kind == "f" and
               int(source.get("Precision")) == data.dtype.itemsize, f"{name}: type of {self.path}")
        expect(np.all(stride == 1) and np.all(start >= 0) and np.all(count > 0) and
               np.all(start + count <= data.shape), f"{name}: {start} + {count} is outside of {data.shape}")
        self.row, self.output = int(start[0]), int(start[1])
        self.values = data[tuple(slice(s, s + c) for s, c in zip(start, count))].reshape(self.shape)


def runs_of(group):
    """The indices of the runs: in a group for one n, or at the root."""
    return group["group_run"] if "group_run" in group else group["run"]


def own(group, name, own_name, row):
    return group[own_name][row] if own_name in group else group[name][:]


def check_grid(grid, row, name):
    """One output of the run in a row of the table. Returns its time and its fields, (name, Field)."""
    time = float(grid.find("Time").get("Value"))
    shape = tuple(int(v) for v in grid.find("Topology").get("Dimensions").split())
    first, step = (numbers(item) for item in grid.find("Geometry").findall("DataItem"))
    expect(grid.find("Topology").get("TopologyType") == "3DCoRectMesh" and len(shape) == 3 and
           grid.find("Geometry").get("GeometryType") == "ORIGIN_DXDYDZ", f"{name}: form of the grid")
    fields = [(node.get("Name"), Field(node, name)) for node in grid.findall("Attribute")]
    for field_name, field in fields:
        group = h5[field.path].parent
        expect(field.path.split("/")[-1] == field_name and field.shape == shape, f"{name}: {field_name}")
        expect(runs_of(group)[field.row] == h5["run"][row], f"{name}: {field_name} is that of another run")
        expect(own(group, "time", "t", field.row)[field.output] == time, f"{name}: time of {field_name}")
        for k, axis in enumerate("zyx"):
            if axis not in group:
                expect(shape[k] == 1 and first[k] == 0 and step[k] == 1, f"{name}: there is no {axis}")
                continue
            x = own(group, axis, axis + "c", field.row)     # 4 roundings of the far end: a difference, /n, *n, a sum
            expect(len(x) == shape[k] and np.abs(first[k] + step[k] * np.arange(len(x)) - x).max() <=
                   8 * 2.0**-53 * np.abs(x).max(), f"{name}: points along {axis}")
    return time, shape, first, step, fields


def grid_name(row):
    names = h5["status"].attrs["coordinates"].split() if "coordinates" in h5["status"].attrs else []
    text = [f"{p} = " + (h5[p].asstr()[row] if h5[p].dtype.kind == "O" else f"{h5[p][row]:.6g}") for p in names]
    return f"run {h5['run'][row]}" + (": " + ", ".join(text) if text else "")


def expected_outputs(row):
    """(field, time) of a run as far as it came."""
    run, found = h5["run"][row], []
    for group in [h5] + [g for g in h5.values() if isinstance(g, h5py.Group) and "group_run" in g]:
        fields = [k for k, v in group.items() if isinstance(v, h5py.Dataset) and v.ndim > 2]
        at = np.flatnonzero(runs_of(group)[:] == run)
        if len(at) and fields:
            t = own(group, "time", "t", at[0])
            found += [(k, v) for v in t[t <= h5["t_reached"][row] * (1 + 1e-12)] for k in fields]
    return sorted(found)


def check_all():
    """{name: {time: output}} of all runs."""
    domain = xml.parse(PATH).getroot().find("Domain")
    rows, seen = {grid_name(row): row for row in range(h5["run"].size)}, {}
    for run in domain.findall("Grid"):
        name = run.get("Name")
        expect(run.get("CollectionType") == "Temporal" and name in rows and name not in seen, f"{name}: its name")
        if name not in rows:
            continue
        outputs = [check_grid(grid, rows[name], name) for grid in run.findall("Grid")]
        seen[name] = {output[0]: output for output in outputs}
        found = sorted((field, time) for time, *_, fields in outputs for field, _ in fields)
        expect(found == expected_outputs(rows[name]), f"{name}: its outputs")
    for name, row in rows.items():
        expect(name in seen or not expected_outputs(row), f"{name} is missing")
    expect(len(sys.argv) < 3 or len(seen) == int(sys.argv[2]), f"{len(seen)} runs")
    return seen


def check_vtk(runs):
    try:
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
        from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
        from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet
        from vtkmodules.util.numpy_support import vtk_to_numpy
    except ImportError:
        if "vtk" in os.environ.get("SW_NEED", ""):
            wrong.append("VTK is needed (SW_NEED) but missing")
        print("# skipped: what VTK reads: this python has no vtk")
        return
    reader = vtkXdmfReader()
    reader.SetFileName(PATH)
    reader.UpdateInformation()
    known = reader.GetOutputInformation(0)
    times = [known.Get(pipeline.TIME_STEPS(), k) for k in range(known.Length(pipeline.TIME_STEPS()))]
    expect(sorted(times) == sorted({time for run in runs.values() for time in run}), f"VTK: times {times}")
    for time in times:
        reader.UpdateTimeStep(time)
        blocks, data = {}, reader.GetOutputDataObject(0)
        if data.IsA("vtkCompositeDataSet"):
            each = data.NewIterator()
            while not each.IsDoneWithTraversal():
                blocks[each.GetCurrentMetaData().Get(vtkCompositeDataSet.NAME())] = each.GetCurrentDataObject()
                each.GoToNextItem()
        else:
            blocks[next(iter(runs))] = data
        for name, run in runs.items():
            if time not in run:
                continue
            _, shape, first, step, fields = run[time]
            grid = blocks.get(name)
            expect(grid is not None, f"VTK: no {name} at {time}")
            if grid is None:
                continue
            expect(grid.GetDimensions() == shape[::-1] and np.array_equal(grid.GetOrigin(), first[::-1]) and
                   np.array_equal(grid.GetSpacing(), step[::-1]), f"VTK: points of {name}")
            for field_name, field in fields:
                values = grid.GetPointData().GetArray(field_name)
                expect(values is not None, f"VTK: {name} has no {field_name}")
                expect(values is None or np.array_equal(vtk_to_numpy(values).reshape(shape), field.values),
                       f"VTK: {field_name} of {name} at {time}")


with h5py.File(PATH[:-len(".xdmf")] + ".h5") as h5:
    check_vtk(check_all())
for text in wrong:
    print(f"{PATH}: {text}", file=sys.stderr)
sys.exit(bool(wrong))
