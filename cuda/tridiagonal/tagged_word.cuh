#ifndef TAGGED_WORD_CUH
#define TAGGED_WORD_CUH
/* A number that a block publishes for others that run beside it, with a tag that says of which solve it is: 16 bytes
 * that are stored and loaded as one (PTX ISA, ld and st of .b128 with a scope: a single access of 16 bytes). So a
 * number and its tag are never of different solves, and no flag, no fence and no clearing between solves is needed.
 * `at` has two words and is aligned to 16 bytes. */

__device__ static inline void store_tagged(long long *at, double value, long long tag)
{
    asm volatile("{.reg .b128 both;\n"
                 "mov.b128 both, {%1, %2};\n"
                 "st.relaxed.gpu.global.b128 [%0], both;}" ::"l"(at),
                 "l"(__double_as_longlong(value)), "l"(tag)
                 : "memory");
}

/* @return the tag */
__device__ static inline long long load_tagged(const long long *at, double *value)
{
    long long word, tag;
    asm volatile("{.reg .b128 both;\n"
                 "ld.relaxed.gpu.global.b128 both, [%2];\n"
                 "mov.b128 {%0, %1}, both;}" : "=l"(word), "=l"(tag)
                 : "l"(at)
                 : "memory");
    *value = __longlong_as_double(word);
    return tag;
}
#endif
