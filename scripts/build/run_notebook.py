#!/usr/bin/env python3
"""run_notebook.py NOTEBOOK...: run the cells of notebooks, in the current folder, by jupyter where it is there, else
one after the other in this Python. The program `sweep` is the one that the environment variable SWEEP names."""
import json
import os
import sys


def by_jupyter(path):
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor

    notebook = nbformat.read(path, as_version=4)
    ExecutePreprocessor(timeout=300).preprocess(notebook, {"metadata": {"path": os.getcwd()}})


def run_cells(path):
    """Without jupyter. Pictures are drawn, and closed."""
    with open(path, encoding="utf-8") as f:
        cells = ["".join(cell["source"]) for cell in json.load(f)["cells"] if cell["cell_type"] == "code"]
    space = {"__name__": "__main__"}
    for number, text in enumerate(cells, 1):
        try:
            exec(compile(text, f"{path}, cell {number}", "exec"), space)
        except Exception as error:
            raise RuntimeError(f"{path}, cell {number}: {type(error).__name__}: {error}") from error


def run(path):
    """By what it was."""
    try:
        import ipykernel, nbconvert     # noqa: F401, E401
    except ImportError:
        run_cells(path)
        return "this Python"
    by_jupyter(path)
    return "jupyter"


def main(paths):
    for path in paths:
        print(f"{path}: ran by {run(path)}")


if __name__ == "__main__":
    main(sys.argv[1:])
