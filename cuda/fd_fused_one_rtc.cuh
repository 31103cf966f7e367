/* Compact differences along an axis (fd_fused_rtc.cuh). MOST_THREADS of all blocks on a multiprocessor.
 * @param room   words of a tile, a multiple of 16 bytes
 * @param tiles  of all lines */
extern "C" __global__ void __launch_bounds__(MOST_THREADS)
fused_k(const __grid_constant__ struct sw_fd_fused d, const word_t *f, word_t *out, int room, unsigned tiles,
        unsigned *next)
{
    enum { AT_ONE_PLACE = !CHUNKED || TEAM > 1 };  /* a thread has the same place in all tiles */
    extern __shared__ float4 memory[];
    word_t *const ring = (word_t *)memory;
    const struct shared s = shared_of(d, ring + STAGES * room);
    struct place w;
    if (AT_ONE_PLACE) {
        struct tile any;
        if (CHUNKED) set_piece(d, rank(), &any);
        w = place_of(d, tile_of(d, any));
    }
    const auto start = [&](const struct tile &b, int stage) {
        if (b.there) fetch(d, tile_of(d, b), f, ring + stage * room);
        close_group();
    };
    take_tiles(
        tiles, next, [&](unsigned index, int r, struct tile *b) { find_tile(d, index, r, b); }, start,
        [&](const struct tile &found, int stage, const struct tile &following) {
            const struct tile b = tile_of(d, found);
            if (!AT_ONE_PLACE) w = place_of(d, b);
            work(d, b, w, ring + stage * room, s, out, [&] { start(following, stage); });
        });
}
