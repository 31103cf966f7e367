/* Iterations and seconds of elliptic problems whose coefficients jump: checkerboards, channels and walls one cell wide,
 * islands, holes, blobs, random cells, by 10^2 to 10^8. bench_jumps.sh writes them to a file.
 *   bench_jumps LABEL ROW N NZ [DECADES...]    a box of N x N x NZ cells, solved by a row ("cpu.multigrid") to 1e-8
 * A line a problem: label,row,pattern,decades,n,nz,iterations,seconds,residual,by; `by` is the row that took over. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "elliptic/sw_elliptic_impl.h"
#include "need.h"

static double random_of(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* Whether a cell conducts well. */
static double even_squares(int64_t i, int64_t j) { return (i / 8 + j / 8) % 2; }
static double odd_squares(int64_t i, int64_t j) { return ((i + 3) / 5 + (j + 3) / 5) % 2; }
static double cells(int64_t i, int64_t j) { return (i + j) % 2; }
static double channels(int64_t i, int64_t j) { (void)j; return i % 8 == 3; }
static double stripes(int64_t i, int64_t j) { (void)j; return i % 3 == 0; }
static double walls(int64_t i, int64_t j) { (void)j; return i % 8 != 3; }
static double boxed(int64_t i, int64_t j) { return i % 4 != 3 && j % 4 != 3; }
static double islands(int64_t i, int64_t j) { return i % 13 >= 3 && i % 13 < 9 && j % 11 >= 2 && j % 11 < 8; }
static double holes(int64_t i, int64_t j) { return !islands(i, j); }
static double blobs(int64_t i, int64_t j)
{
    const double x = (double)i, y = (double)j;
    return sin(0.21 * x + 3 * sin(0.05 * y)) + sin(0.17 * y + 2 * cos(0.06 * x)) > 0.3;
}
static double diagonals(int64_t i, int64_t j) { return i % 9 == j % 9; }

static const struct { const char *name; double (*good)(int64_t i, int64_t j); } pattern[] = {
    {"constant", NULL}, {"aligned_squares", even_squares}, {"odd_squares", odd_squares}, {"cells", cells},
    {"channels", channels}, {"stripes", stripes}, {"walls", walls}, {"boxes", boxed}, {"islands", islands},
    {"holes", holes}, {"blobs", blobs}, {"diagonals", diagonals}, {"random_log", NULL}, {"random_two", NULL},
    {"layers", NULL}
};
enum { PATTERNS = sizeof pattern / sizeof *pattern };

/* Coefficients of cells [ny][nz][nx]. In the highest quarter of the levels good and bad cells are exchanged. */
static void fill_cells(int which, double decades, int64_t n, int64_t nz, double *k)
{
    uint64_t seed = 7;
    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < nz; l++)
            for (int64_t i = 0; i < n; i++) {
                const char *const name = pattern[which].name;
                double part = 0;
                if (pattern[which].good) part = (pattern[which].good(i, j) > 0) != (4 * l > 3 * nz);
                else if (!strcmp(name, "random_log")) part = random_of(&seed);
                else if (!strcmp(name, "random_two")) part = random_of(&seed) < 0.5;
                else if (!strcmp(name, "layers")) part = (l + (i > n / 3)) % 2;
                k[(j * nz + l) * n + i] = pow(10, decades * part);
            }
}

static double mean(double a, double b) { return 2 * a * b / (a + b); }

/* Harmonic means at the faces between cells; a wall has its cell's. */
static void fill_faces(int64_t n, int64_t nz, const double *k, double *kx, double *ky, double *kz)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < nz; l++)
            for (int64_t i = 0; i < n; i++) {
                const double *at = k + (j * nz + l) * n + i;
                double *x = kx + (j * nz + l) * (n + 1) + i, *y = ky + (j * nz + l) * n + i,
                       *z = kz + (j * (nz + 1) + l) * n + i;
                x[0] = i ? mean(at[-1], at[0]) : at[0];
                y[0] = j ? mean(at[-nz * n], at[0]) : at[0];
                z[0] = l ? mean(at[-n], at[0]) : at[0];
                if (i == n - 1) x[1] = at[0];
                if (j == n - 1) y[nz * n] = at[0];
                if (l == nz - 1) z[n] = at[0];
            }
}

static void solve(const char *label, const char *row, int which, double decades, int64_t n, int64_t nz)
{
    const struct sw_elliptic_desc d = {.n = {n, n, nz}, .graded = true, .variable = true, .batch = 1,
                                       .bottom = SW_ELLIPTIC_NEUMANN, .top = SW_ELLIPTIC_NEUMANN};
    const struct sw_elliptic_numbers p = {.omega2 = 1, .lambda2 = 0.033, .delta = 1, .depth = nz > 1 ? 0.1 : 1,
                                          .tolerance = 1e-8,
                                          .iterations = n * nz > 64 ? 300 : 1000};
    const size_t all = sw_elliptic_cells(&d), plane = (size_t)(n * n);
    double *k, *kx, *ky, *kz, *f, *u;
    uint64_t seed = 11;
    struct sw_device *cpu;
    struct sw_elliptic *solver;
    struct sw_elliptic_matrix m;
    struct sw_elliptic_outcome o;
    need(sw_alloc(all, &k));
    need(sw_alloc(all + (size_t)(n * nz), &kx));
    need(sw_alloc(all + (size_t)(n * nz), &ky));
    need(sw_alloc(all + plane, &kz));
    need(sw_alloc(all, &f));
    need(sw_alloc(all, &u));
    fill_cells(which, decades, n, nz, k);
    fill_faces(n, nz, k, kx, ky, kz);
    for (size_t i = 0; i < all; i++) f[i] = random_of(&seed) - 0.5;
    need(sw_device_open("cpu", 1, &cpu));
    need(sw_elliptic_matrix_make(&d, &p, &(struct sw_elliptic_faces){kx, ky, kz}, NULL, &m));
    need(sw_elliptic_create(&d, row, cpu, &solver));
    const double start = sw_clock();
    need(sw_elliptic_load(solver, 1, &p, &m));
    need(sw_elliptic_solve(solver, f, u, &o, NULL, 0));
    printf("%s,%s,%s,%g,%lld,%lld,%d,%.3g,%.2g,%s\n", label, row, pattern[which].name, decades, (long long)n,
           (long long)nz, o.iterations, sw_clock() - start, o.residual, o.by ? o.by : o.fault ? "none" : "");
    fflush(stdout);
    sw_elliptic_destroy(&solver);
    sw_elliptic_matrix_free(&m);
    sw_device_close(&cpu);
    double *const arrays[] = {k, kx, ky, kz, f, u};
    for (int a = 0; a < 6; a++) sw_free(arrays[a]);
}

int main(int count, char **word)
{
    if (count < 5) return fprintf(stderr, "usage: bench_jumps LABEL ROW N NZ [DECADES...]\n"), 2;
    for (int which = 0; which < PATTERNS; which++)
        for (int a = 5; a < count; a++) solve(word[1], word[2], which, atof(word[a]), atoll(word[3]), atoll(word[4]));
    return 0;
}
