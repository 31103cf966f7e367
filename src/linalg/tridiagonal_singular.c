/* Whether a matrix of doubles is singular, exactly: doubles are whole numbers times powers of two, so its determinant
 * is zero modulo every odd prime where it is zero. Where it is not, it is zero modulo three primes near 2^31 with a
 * probability of some 2^-93. Rounding has no part in it, nor have the sizes of rows. */
#include <math.h>

#include "linalg/sw_tridiagonal_impl.h"

enum { LOWEST = -1074 - 53, EXPONENTS = 1024 - LOWEST };

struct field {
    uint64_t p;
    uint64_t power[EXPONENTS];  /* 2^(LOWEST + k) */
};

static uint64_t times(const struct field *f, uint64_t u, uint64_t v) { return u * v % f->p; }
static uint64_t minus(const struct field *f, uint64_t u, uint64_t v) { return (u + f->p - v) % f->p; }

static void make_field(uint64_t p, struct field *f)
{
    const uint64_t half = (p + 1) / 2;
    f->p = p;
    f->power[-LOWEST] = 1;
    for (int k = -LOWEST; k > 0; k--) f->power[k - 1] = times(f, f->power[k], half);
    for (int k = -LOWEST; k < EXPONENTS - 1; k++) f->power[k + 1] = 2 * f->power[k] % p;
}

static uint64_t residue(const struct field *f, double v)
{
    int e;
    const double m = ldexp(frexp(fabs(v), &e), 53);
    const uint64_t r = times(f, (uint64_t)m % f->p, f->power[v == 0 ? 0 : e - 53 - LOWEST]);
    return v < 0 ? minus(f, 0, r) : r;
}

/* Of rows first .. last-1 and these columns, by its last row; 1 where there are none. */
static uint64_t determinant(const struct field *f, const struct sw_tridiagonal_rows *r, int64_t first, int64_t last)
{
    uint64_t before = 0, d = 1;
    for (int64_t i = first; i < last; i++) {
        const uint64_t one = times(f, residue(f, r->main[i]), d),
                       two = i == first ? 0 : times(f, residue(f, r->lower[i]), residue(f, r->upper[i - 1]));
        const uint64_t next = minus(f, one, times(f, two, before));
        before = d;
        d = next;
    }
    return d;
}

static uint64_t product(const struct field *f, const double *v, int64_t n)
{
    uint64_t p = 1;
    for (int64_t i = 0; i < n; i++) p = times(f, p, residue(f, v[i]));
    return p;
}

static bool is_zero(const struct field *f, int64_t n, bool cyclic, const struct sw_tridiagonal_rows *r)
{
    const uint64_t open = determinant(f, r, 0, n);
    if (!cyclic) return open == 0;
    const uint64_t corners = times(f, residue(f, r->lower[0]), residue(f, r->upper[n - 1])),
                   circles = product(f, r->lower, n) + product(f, r->upper, n),
                   rest = minus(f, open, times(f, corners, determinant(f, r, 1, n - 1)));
    return (n % 2 ? rest + circles : minus(f, rest, circles % f->p)) % f->p == 0;
}

bool sw_tridiagonal_is_singular(int64_t n, bool cyclic, const struct sw_tridiagonal_rows *rows)
{
    static const uint64_t prime[] = {2147483629, 2147483587, 2147483579};
    struct field f;
    for (int k = 0; k < 3; k++) {
        make_field(prime[k], &f);
        if (!is_zero(&f, n, cyclic, rows)) return false;
    }
    return true;
}
