/* Compact differences along an axis (fd_fused_rtc.cuh). MOST_THREADS of all blocks on a multiprocessor.
 * @param room   words of a tile, a multiple of 128 bytes
 * @param tiles  of all lines */
extern "C" __global__ void __launch_bounds__(MOST_THREADS)
fused_k(const __grid_constant__ struct sw_fd_fused d, const word_t *f, word_t *out, int room, unsigned tiles,
        unsigned *next)
{
    extern __shared__ __align__(128) float4 memory[];
    word_t *const ring = (word_t *)memory;
    const struct shared s = shared_of(d, ring + STAGES * room, room);
    struct place w;
    if (!CHUNKED) {  /* a thread has the same place in all tiles */
        struct tile any;
        w = place_of(d, tile_of(d, any));
    }
    const auto start = [&](const struct tile &b, int stage) {
        if (b.there) fetch(d, tile_of(d, b), f, ring + stage * room);
        close_group();
    };
    take_tiles(
        tiles, next, [&](unsigned index, struct tile *b) { find_tile(d, index, b); }, start,
        [&](const struct tile &found, int stage, const struct tile &following) {
            const struct tile b = tile_of(d, found);
            if (CHUNKED) w = place_of(d, b);
            work(d, b, w, ring + stage * room, s, out, [&] { start(following, stage); });
        });
}
