#include "sweep/expand_impl.h"

/* Sobol's sequence with the direction numbers of Joe and Kuo ("Constructing Sobol sequences with better two-dimensional
 * projections", SIAM J. Sci. Comput. 30, 2008; file new-joe-kuo-6.21201), dimensions 2 to 21: the degree s of a
 * primitive polynomial, its inner coefficients a, and m_1 .. m_s. Dimension 1 is van der Corput's sequence. */
static const struct { int s; uint32_t a, m[7]; } polynomial[SOBOL_AXES - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

void sobol_directions(int dimension, uint32_t v[32])
{
    if (dimension == 0) {
        for (int k = 0; k < 32; k++) v[k] = 1u << (31 - k);
        return;
    }
    int s = polynomial[dimension - 1].s;
    uint32_t a = polynomial[dimension - 1].a;
    for (int k = 0; k < s; k++) v[k] = polynomial[dimension - 1].m[k] << (31 - k);
    for (int k = s; k < 32; k++) {
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (int i = 1; i < s; i++)
            if ((a >> (s - 1 - i)) & 1) v[k] ^= v[k - i];
    }
}

/* In Gray code order (Antonov and Saleev 1979), as the usual programs have it. */
uint32_t sobol_point(const uint32_t direction[32], uint32_t index)
{
    uint32_t x = 0;
    for (uint32_t gray = index ^ (index >> 1), k = 0; gray; gray >>= 1, k++)
        if (gray & 1) x ^= direction[k];
    return x;
}
