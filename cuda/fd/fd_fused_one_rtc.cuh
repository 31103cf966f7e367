/* Compact differences along an axis (fd_fused_rtc.cuh). THREAD_LIMIT: threads of all blocks on a multiprocessor.
 * @param tile_size   elements of a tile, a multiple of 128 bytes
 * @param tiles  of all lines; where lines are cut over ranks, how many from d.cut.tile on */
extern "C" __global__ void __launch_bounds__(THREAD_LIMIT)
fused_k(const __grid_constant__ struct sw_fd_fused d, const real_t *f, real_t *out, int tile_size, unsigned tiles,
        unsigned *next)
{
    extern __shared__ __align__(128) float4 memory[];
    real_t *const ring = (real_t *)memory;
    const struct scratch s = partition_shared(d, ring + STAGES * tile_size, tile_size);
    struct thread_segment w;
    if (!CHUNKED) {  /* a thread has the same segment in all tiles */
        struct tile any;
        w = segment_of_thread(d, tile_of(d, any));
    }
    const auto start = [&](const struct tile &b, int stage) {
        if (b.there) load_tile(d, tile_of(d, b), f, ring + stage * tile_size);
        commit_copies();
    };
    for_each_tile(
        tiles, next, [&](unsigned index, struct tile *b) { locate_tile(d, index + (CUT ? d.cut.tile : 0), b); }, start,
        [&](const struct tile &found, int stage, const struct tile &following) {
            const struct tile b = tile_of(d, found);
            if (CHUNKED) w = segment_of_thread(d, b);
            solve_tile(d, b, w, ring + stage * tile_size, s, out, [&] { start(following, stage); });
        });
}
