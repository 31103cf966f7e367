#include "base/sw_hash.h"

void sw_hash_start(struct sw_hash *h) { sha256_init(&h->ctx); }

void sw_hash_add(struct sw_hash *h, const void *bytes, size_t length) { sha256_update(&h->ctx, length, bytes); }

void sw_hash_end(struct sw_hash *h, unsigned char digest[32]) { sha256_digest(&h->ctx, 32, digest); }

void sw_hash_hex(const unsigned char digest[32], int digits, char *text)
{
    for (int k = 0; k < digits; k++) text[k] = "0123456789abcdef"[(digest[k / 2] >> (k % 2 ? 0 : 4)) & 15];
    text[digits] = 0;
}

void sw_hash_end_many(const struct sw_hash *const *start, const unsigned char *bytes, size_t length, int count,
                      uint64_t *digest)
{
#pragma omp parallel for if (count > 256)
    for (int j = 0; j < count; j++) {
        struct sw_hash h = *start[j];
        unsigned char all[32];
        uint64_t first = 0;
        sw_hash_add(&h, bytes + (size_t)j * length, length);
        sw_hash_end(&h, all);
        for (int k = 0; k < 8; k++) first = first << 8 | all[k];
        digest[j] = first;
    }
}
