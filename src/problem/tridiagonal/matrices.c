#include "problem/tridiagonal/matrices.h"

/* Random numbers of the three diagonals are those of three keys, seed + 1/4, 1/2 and 3/4, and so independent of each
 * other, of those of another seed, and of rand(k) with a whole k in the config's own expressions. Off-diagonals that
 * the paper calls Toeplitz and random at once are taken as random. */
#define UNIFORM(key) "2*rand(" key ") - 1"
#define LOWER UNIFORM("seed + 1/4")
#define MAIN  UNIFORM("seed + 1/2")
#define UPPER UNIFORM("seed + 3/4")

/* gallery('lesp', n) */
#define LESP {"1/i", "-(2*i + 3)", "i + 1"}

/* inv(gallery('kms', n, 1/2)): -rho, 1 + rho^2 (1 in the corners), -rho over 1 - rho^2 */
#define KMS {"-2/3", "n == 1 ? 1 : i == 1 || i == n ? 4/3 : 5/3", "-2/3"}

/* gallery('dorr', n, theta), theta = 1e-4, h = 1/(n + 1), in the rows up to floor((n + 1)/2) upwind to one side, in the
 * others to the other: off-diagonals -theta/h^2 and -theta/h^2 -+ (1/2 - i h)/h, and the main diagonal is minus their
 * sum. */
#define TERM   "1e-4*(n + 1)^2"
#define ACROSS "((n + 1)/2 - i)"
#define FIRST  "i <= floor((n + 1)/2) ? "
#define DORR                                                                                 \
    {FIRST "-" TERM " : -" TERM " + " ACROSS, "2*" TERM " + abs" ACROSS,                      \
     FIRST "-" TERM " - " ACROSS " : -" TERM}

const struct named_matrix tridiagonal_matrices[] = {
    {"uniform", "every entry from U(-1, 1)", {LOWER, MAIN, UPPER}, 0},
    {"main_1e8", "main diagonal 1e8, off-diagonals from U(-1, 1)", {LOWER, "1e8", UPPER}, 0},
    {"lesp", "gallery('lesp', n): real eigenvalues, smoothly distributed from about -2n - 3.5 to -4.5", LESP, 0},
    {"cut", "every entry from U(-1, 1), the lower one in the middle times 1e-50",
     {"(i == floor(n/2) + 1 ? 1e-50 : 1)*(" LOWER ")", MAIN, UPPER}, 0},
    {"half_zero", "main diagonal from U(-1, 1), each off-diagonal entry 0 or from U(-1, 1), with equal chances",
     {"rand(seed + 1/8) < 1/2 ? 0 : " LOWER, MAIN, "rand(seed + 7/8) < 1/2 ? 0 : " UPPER}, 0},
    {"main_64", "main diagonal 64, off-diagonals from U(-1, 1)", {LOWER, "64", UPPER}, 0},
    {"kms_inverse", "inv(gallery('kms', n, 1/2)): inverse of a Kac-Murdock-Szego matrix", KMS, 0},
    {"svd_one_small", "gallery('randsvd', n, 1e15, 2, 1, 1): random, one small singular value", {NULL}, 2},
    {"svd_geometric", "gallery('randsvd', n, 1e15, 3, 1, 1): random, geometric singular values", {NULL}, 3},
    {"svd_one_large", "gallery('randsvd', n, 1e15, 1, 1, 1): random, one large singular value", {NULL}, 1},
    {"svd_arithmetic", "gallery('randsvd', n, 1e15, 4, 1, 1): random, arithmetic singular values", {NULL}, 4},
    {"lower_1e50", "every entry from U(-1, 1), the lower diagonal times 1e-50", {"1e-50*(" LOWER ")", MAIN, UPPER}, 0},
    {"dorr", "gallery('dorr', n, 1e-4): ill-conditioned, diagonally dominant", DORR, 0},
    {"main_1e8_inverse", "main diagonal 1e-8, off-diagonals from U(-1, 1)", {LOWER, "1e-8", UPPER}, 0},
    {"clement", "gallery('clement', n, 0): main diagonal 0, eigenvalues +-(n - 1), +-(n - 3), ..",
     {"n + 1 - i", "0", "i"}, 0},
    {"zero_main", "main diagonal 0, off-diagonals from U(-1, 1)", {LOWER, "0", UPPER}, 0},
    {NULL},
};

const char *tridiagonal_matrix_word(int k)
{
    enum { WORDS = sizeof tridiagonal_matrices / sizeof *tridiagonal_matrices - 1 };
    return k < WORDS ? tridiagonal_matrices[k].word : k == WORDS ? "given" : NULL;
}
