#include <string.h>

#include "base/sw_hash.h"

/* SHA-256 of LANES messages side by side: the words of a block, and the eight words of the state, are vectors with a
 * message in each lane. A block is 64 rounds of some 26 operations whatever the number of lanes. */
enum { LANES = 8, BLOCK = 64, WORDS = 16 };
typedef uint32_t vec __attribute__((vector_size(4 * LANES)));

/* FIPS 180-4, 4.2.2: the first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* Where the compiler is not told of AVX (sanitized builds), it warns that a vector is returned in another way than with
 * it; no vector leaves this file. */
#pragma GCC diagnostic ignored "-Wpsabi"
static inline vec turn(vec x, int bits) { return x >> bits | x << (32 - bits); }

/* FIPS 180-4, 6.2.2; w: the block, used up. */
static void compress(vec state[8], vec w[WORDS])
{
    vec a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t++) {
        vec *word = &w[t % WORDS];
        if (t >= WORDS) {
            const vec x = w[(t + 1) % WORDS], y = w[(t + 14) % WORDS];
            *word += w[(t + 9) % WORDS] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
        }
        const vec one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + *word;
        const vec two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

/* The end of a message as blocks: its last bytes, a one bit, zeros, its length in bits. Returns how many, 1 or 2. */
static int pad(const unsigned char *bytes, size_t length, uint64_t bits, unsigned char end[2 * BLOCK])
{
    const int blocks = length + 9 > BLOCK ? 2 : 1;
    memset(end, 0, 2 * BLOCK);
    memcpy(end, bytes, length);
    end[length] = 0x80;
    for (int k = 0; k < 8; k++) end[blocks * BLOCK - 1 - k] = (unsigned char)(bits >> 8 * k);
    return blocks;
}

static void compress_bytes(vec state[8], const unsigned char *const at[LANES])
{
    vec w[WORDS];
    for (int k = 0; k < WORDS; k++)
        for (int l = 0; l < LANES; l++) {
            uint32_t word;
            memcpy(&word, at[l] + 4 * k, sizeof word);
            w[k][l] = __builtin_bswap32(word);
        }
    compress(state, w);
}

static void hash_lanes(const struct sw_hash *const start[LANES], const unsigned char *const bytes[LANES], size_t length,
                       uint64_t digest[LANES])
{
    const size_t whole = length / BLOCK * BLOCK;
    unsigned char end[LANES][2 * BLOCK];
    const unsigned char *at[LANES];
    vec state[8];
    int blocks = 0;
    for (int l = 0; l < LANES; l++) {
        for (int k = 0; k < 8; k++) state[k][l] = start[l]->ctx.state.st32[k];
        blocks = pad(bytes[l] + whole, length - whole, start[l]->ctx.bitcount[0] + 8 * length, end[l]);
    }
    for (size_t from = 0; from < whole; from += BLOCK) {
        for (int l = 0; l < LANES; l++) at[l] = bytes[l] + from;
        compress_bytes(state, at);
    }
    for (int b = 0; b < blocks; b++) {
        for (int l = 0; l < LANES; l++) at[l] = end[l] + b * BLOCK;
        compress_bytes(state, at);
    }
    for (int l = 0; l < LANES; l++) digest[l] = (uint64_t)state[0][l] << 32 | state[1][l];
}

void sw_hash_end_many(const struct sw_hash *const *start, const unsigned char *bytes, size_t length, int count,
                      uint64_t *digest)
{
    const struct sw_hash *from[LANES];
    const unsigned char *at[LANES];
    uint64_t out[LANES];
    for (int first = 0; first < count; first += LANES) {
        const int here = count - first < LANES ? count - first : LANES;
        for (int l = 0; l < LANES; l++) {  /* lanes without a message of their own do the last one again */
            const int j = first + (l < here ? l : here - 1);
            from[l] = start[j];
            at[l] = bytes + (size_t)j * length;
        }
        hash_lanes(from, at, length, out);
        memcpy(digest + first, out, (size_t)here * sizeof *out);
    }
}
