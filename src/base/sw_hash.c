#include "base/sw_hash.h"

#include <nettle/sha2.h>
#include <nettle/version.h>

_Static_assert(sizeof(struct sha256_ctx) <= sizeof(struct sw_hash), "a state has to fit");
_Static_assert(_Alignof(struct sha256_ctx) <= _Alignof(struct sw_hash), "a state has to lie as it wants to");

static struct sha256_ctx *context(struct sw_hash *h) { return (struct sha256_ctx *)h->state; }

void sw_hash_start(struct sw_hash *h) { sha256_init(context(h)); }

void sw_hash_add(struct sw_hash *h, const void *bytes, size_t length) { sha256_update(context(h), length, bytes); }

void sw_hash_end(struct sw_hash *h, unsigned char digest[32])
{
#if NETTLE_VERSION_MAJOR >= 4  /* all of the digest; before, as much of it as one asks for */
    sha256_digest(context(h), digest);
#else
    sha256_digest(context(h), 32, digest);
#endif
}

void sw_hash_hex(const unsigned char digest[32], int digits, char *text)
{
    for (int k = 0; k < digits; k++) text[k] = "0123456789abcdef"[(digest[k / 2] >> (k % 2 ? 0 : 4)) & 15];
    text[digits] = 0;
}

uint64_t sw_hash_end_with(struct sw_hash start, const void *bytes, size_t length)
{
    unsigned char digest[32];
    uint64_t first = 0;
    sw_hash_add(&start, bytes, length);
    sw_hash_end(&start, digest);
    for (int k = 0; k < 8; k++) first = first << 8 | digest[k];
    return first;
}
