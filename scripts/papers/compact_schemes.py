"""What the compact schemes are, without their table: coefficients from the conditions that a scheme of so many points
and this order must meet (Lele 1992, sections 2.1, 2.2, appendix B; filters: Gaitonde and Visbal 2000), solved in
fractions, and what such a scheme makes of a wave. Standard library only."""
import math
from fractions import Fraction

SCHEMES = ["d1_c4", "d1_c6", "d1_c8", "d1_c10", "d2_c4", "d2_c6", "d2_c8", "d1s_c4", "d1s_c6", "mid_c4", "mid_c6",
           "f2", "f4", "f6", "f8", "f10"]
FAMILIES = ["d1_a2", "d1_a4", "d2_a2", "d2_a4"]     # of that order for every alpha
FIRST, SECOND, STAGGERED, MIDPOINT, FILTER = "d1", "d2", "d1s", "mid", "f"


def kind_of(scheme):
    return scheme.split("_")[0] if "_" in scheme else FILTER


def order_of(scheme):
    return int(scheme.split("_")[1][1:] if "_" in scheme else scheme[1:])


def takes_alpha(scheme):
    return scheme in FAMILIES or kind_of(scheme) == FILTER


def series(even, q, powers):
    """Of cos(q w) or sin(q w): the first coefficients of w^0, w^2 ... or w^1, w^3 ..."""
    first = 0 if even else 1
    return [Fraction(-1)**j * Fraction(q)**(2 * j + first) / math.factorial(2 * j + first) for j in range(powers)]


def term(kind, m):
    """The m-th pair of points of a right-hand side, of a wave: factor, whether it is a cosine, multiple of w = k h."""
    return {FIRST: (Fraction(1, m or 1), False, Fraction(m)), SECOND: (Fraction(-2, m * m or 1), True, Fraction(m)),
            STAGGERED: (Fraction(2, 2 * m - 1), False, Fraction(2 * m - 1, 2)),
            MIDPOINT: (Fraction(1), True, Fraction(2 * m - 1, 2)), FILTER: (Fraction(1), True, Fraction(m))}[kind]


def solve(rows, right):
    """Gauss's elimination in fractions."""
    rows = [row + [b] for row, b in zip(rows, right)]
    for c in range(len(rows)):
        pivot = next(r for r in range(c, len(rows)) if rows[r][c] != 0)
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [v / rows[c][c] for v in rows[c]]
        for r in range(len(rows)):
            if r != c:
                rows[r] = [v - rows[r][c] * p for v, p in zip(rows[r], rows[c])]
    return [row[-1] for row in rows]


class Scheme:
    """beta (g_{i-2} + g_{i+2}) + alpha (g_{i-1} + g_{i+1}) + g_i = r_i, a[m] the weights of r_i as
    docs/explanation/compact.md has them."""
    def __init__(self, name, alpha=0.0):
        self.name, self.kind, self.order = name, kind_of(name), order_of(name)
        self.alpha, self.beta = Fraction(alpha), Fraction(0)
        self.a = (self.filter_weights() if self.kind == FILTER else
                  self.family_weights() if name in FAMILIES else self.weights())

    def side(self, m, count):
        """The m-th pair's series, over the powers of w that the exact result t(w) (1 + 2 alpha cos w ...) has."""
        factor, even, q = term(self.kind, m)
        if self.kind == SECOND:     # 1 - cos: the power w^0 is gone
            return [factor * v for v in series(even, q, count + 1)[1:]]
        return [factor * v for v in series(even, q, count)]

    def weights(self):
        """As many conditions as there are unknowns: weights, alpha, beta. t(w) is w, w^2 or 1."""
        unknowns = self.order // 2
        pairs = min(unknowns - 1, 3)
        columns = [self.side(m, unknowns) for m in range(1, pairs + 1)]
        columns += [[-2 * v for v in series(True, j, unknowns)] for j in range(1, unknowns - pairs + 1)]
        solution = solve([list(row) for row in zip(*columns)], [Fraction(int(j == 0)) for j in range(unknowns)])
        self.alpha, self.beta = solution[pairs], solution[pairs + 1] if unknowns > pairs + 1 else Fraction(0)
        return [Fraction(0)] + solution[:pairs]

    def family_weights(self):
        """As many pairs as conditions; alpha is given: (1 + 2 alpha cos w) t(w)."""
        count = self.order // 2
        rows = [list(row) for row in zip(*(self.side(m, count) for m in range(1, count + 1)))]
        right = [(1 if j == 0 else 0) + 2 * self.alpha * v for j, v in enumerate(series(True, 1, count))]
        return [Fraction(0)] + solve(rows, right)

    def filter_weights(self):
        """Powers up to w^(order - 2) stay as they are; the shortest wave goes."""
        count = self.order // 2
        rows = [list(row) for row in zip(*(self.side(m, count) for m in range(count + 1)))]
        rows.append([Fraction(-1)**m for m in range(count + 1)])
        left = [(1 if j == 0 else 0) + 2 * self.alpha * v for j, v in enumerate(series(True, 1, count))]
        return solve(rows, left + [Fraction(0)])

    def symbol(self, w):
        """What a wave is multiplied by, w = k h: k' h, (k'' h)^2, or the transfer function."""
        total = 0.0
        for m, a in enumerate(self.a):
            if a == 0:
                continue
            factor, even, q = term(self.kind, m)
            f, angle = float(a * factor), float(q) * w
            if self.kind == SECOND:     # 1 - cos without its rounding
                total -= 2 * f * math.sin(angle / 2)**2
            else:
                total += f * (math.cos if even else math.sin)(angle)
        return total / (1 + 2 * float(self.alpha) * math.cos(w) + 2 * float(self.beta) * math.cos(2 * w))

    def gain(self):
        """The largest result of any field between -1 and 1: |T^-1| |R| h^d. T^-1 of positive alpha has entries of
        alternating sign, so that its row sum is 1 over the symbol of T at the shortest wave; else at the longest."""
        a, b = float(abs(self.alpha)), float(self.beta)
        right = sum(float(abs(w)) * {FIRST: 1 / (m or 1), SECOND: 4 / (m * m or 1), STAGGERED: 2 / (2 * m - 1)}
                    .get(self.kind, 1.0) for m, w in enumerate(self.a))
        return right / (1 - 2 * a + 2 * b)
