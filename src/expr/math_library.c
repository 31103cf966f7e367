#include "expr/sw_math_library.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>   /* also says whose C library this is */

#include "base/sw_hash.h"
#include "expr/expr_impl.h"
#include "expr/vector_math.h"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
static const char *library_name(void) { return "glibc "; }
static const char *library_version(void) { return gnu_get_libc_version(); }
#else
static const char *library_name(void) { return "another C library"; }
static const char *library_version(void) { return ""; }
#endif

enum { VALUES = 2000 };  /* of a function: some 1 % of values differ between glibc's code with FMA and without it */

/* Weyl's sequence of the golden ratio, in [0, 1): exact. */
static double unit(uint64_t k) { return (double)(k * 0x9e3779b97f4a7c15u >> 11) * 0x1p-53; }

/* acos() has values on [-1, 1] alone, exp() other code beyond: every second argument is up to 16. */
static void set_arguments(double *a, double *b)
{
    for (uint64_t k = 0; k < VALUES; k++) {
        a[k] = unit(k) * (k % 2 ? 16 : 1);
        b[k] = 8 * unit(k + VALUES) - 4;
    }
}

/* The sign and the bits of a NaN mean nothing. */
static void add_values(struct sw_hash *h, double *v)
{
    for (int k = 0; k < VALUES; k++)
        if (isnan(v[k])) v[k] = 0;
    sw_hash_add(h, v, VALUES * sizeof *v);
}

static void hash_functions(char *digits)
{
    static double a[VALUES], b[VALUES], v[VALUES];
    unsigned char digest[32];
    struct sw_hash h;
    set_arguments(a, b);
    sw_hash_start(&h);
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_table[op].library) continue;
        for (int k = 0; k < VALUES; k++) v[k] = op_value(op, a[k], b[k], 0);
        add_values(&h, v);
        if (op_vector(op, VALUES, a, b, v)) add_values(&h, v);
    }
    sw_hash_end(&h, digest);
    sw_hash_hex(digest, 8, digits);
}

static char text[96];

static void describe(void)
{
    char digits[9];
    hash_functions(digits);
    snprintf(text, sizeof text, "%s%s, %s, bits %s", library_name(), library_version(), vector_math_name(), digits);
}

const char *sw_math_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, describe);
    return text;
}
