/* 0, 1, .. N - 1 as the arguments of a template, for what is to be written out before the compiler sees it: loops that
 * it unrolls cost it more, and templates that call the next one more than that. */
template <int... K> struct sequence {};
template <int N, int... K> struct sequence_below { typedef typename sequence_below<N - 1, N - 1, K...>::type type; };
template <int... K> struct sequence_below<0, K...> { typedef sequence<K...> type; };
template <int N> __device__ static __forceinline__ typename sequence_below<N>::type below(void) { return {}; }
