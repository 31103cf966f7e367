"""Cells of a refined sweep (`refine` in the config), each at its true size."""
import bisect

import matplotlib
import numpy as np

from pysweep.results import cell_edges, levels

from . import look


class Axis:
    """The values of a parameter: at which level each came, and which value halves a cell."""

    def __init__(self, values, level):
        self.level = {}
        for value, one in zip(values, level):
            self.level[value] = min(one, self.level.get(value, one))
        self.at = [sorted(v for v, one in self.level.items() if one == k) for k in range(int(max(level)) + 2)]

    def half(self, low, high, level):
        """The value of a level between two of lower ones; None: there is none."""
        there = self.at[level] if level < len(self.at) else []
        k = bisect.bisect_right(there, low)
        return there[k] if k < len(there) and there[k] < high else None


def whole_cells(results, pair):
    """[x0, x1, y0, y1] of the cells that are not split, over two parameters that are refined."""
    level = results.refine_level
    places = set(zip(*(results.param[p] for p in pair)))
    x, y = (Axis(results.param[p], level) for p in pair)
    rest = [(a, b, c, d, 0) for a, b in zip(x.at[0], x.at[0][1:]) for c, d in zip(y.at[0], y.at[0][1:])]
    cells = []
    while rest:
        x0, x1, y0, y1, depth = rest.pop()
        middle = x.half(x0, x1, depth + 1), y.half(y0, y1, depth + 1)
        if middle in places:
            rest += [(*one, *other, depth + 1) for one in ((x0, middle[0]), (middle[0], x1))
                     for other in ((y0, middle[1]), (middle[1], y1))]
        elif places & {(x0, y0), (x0, y1), (x1, y0), (x1, y1)}:
            cells.append((x0, x1, y0, y1))
    return cells


def corners_of(cell):
    x0, x1, y0, y1 = cell
    return (x0, y0), (x0, y1), (x1, y0), (x1, y1)


def intervals(results, pair):
    """The same where one of the two parameters is refined: from each of its values to the next there is, a row of them
    for each value of the other; and the ends of each. The other's rows are as wide as their values are apart."""
    turned = pair[0] not in results.refined
    along, other = (results.param[p] for p in (pair[::-1] if turned else pair))
    rows = levels(other)
    words = isinstance(rows[0], str)
    edges = np.arange(len(rows) + 1) - 0.5 if words else cell_edges(np.array(rows))
    cells, ends = [], []
    for row, low, high in zip(rows, edges, edges[1:]):
        there = sorted(set(along[other == row]))
        for a, b in zip(there, there[1:]):
            cells.append((low, high, a, b) if turned else (a, b, low, high))
            ends.append(((row, a), (row, b)) if turned else ((a, row), (b, row)))
    return cells, ends


def draw_cells(results, pair, axes, means, colours):
    """A rectangle for each cell, in the colour of the mean over its corners that have a value; grey where none has."""
    if set(pair) <= set(results.refined):
        cells = whole_cells(results, pair)
        ends = [corners_of(cell) for cell in cells]
    else:
        cells, ends = intervals(results, pair)
    known = [[means[place] for place in one if place in means] for one in ends]
    shapes = [((x0, y0), (x1, y0), (x1, y1), (x0, y1)) for x0, x1, y0, y1 in cells]
    grey = [shape for shape, values in zip(shapes, known) if not values]
    if grey:
        axes.add_collection(matplotlib.collections.PolyCollection(grey, facecolors=look.MISSING, edgecolors="face",
                                                                  linewidths=0.2))
    image = matplotlib.collections.PolyCollection([shape for shape, values in zip(shapes, known) if values],
                                                  edgecolors="face", linewidths=0.2, **colours)
    image.set_array(np.array([np.mean(values) for values in known if values]))
    axes.add_collection(image)
    x0, x1, y0, y1 = np.array(cells).T
    axes.set(xlim=(x0.min(), x1.max()), ylim=(y0.min(), y1.max()))
    for axis, name, room in ((axes.xaxis, pair[0], 5.5), (axes.yaxis, pair[1], 3.5)):
        if results.param[name].dtype.kind != "f":
            look.category_ticks(axis, levels(results.param[name]), room)
    return image
