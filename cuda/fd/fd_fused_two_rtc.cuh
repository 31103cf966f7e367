/* Compact differences of a field along two axes at once: f comes from memory with the tiles along the first and from
 * the cache with those along the second, 24 bytes a point where two kernels move 32 (single precision: 12, 16).
 * Namespaces `first` and `second` have fd_tile_rtc.cuh and fd_fused_rtc.cuh, shaped for their axes; bits are those of
 * the two kernels.
 *
 * Tiles of both are given out evenly mixed, those along the second axis `lead` tiles behind: by then all of what they
 * read has been given out along the first, and is in the cache or on its way there. */

/* How many of the first t tiles are along the second axis; it grows by one or not at all. */
FD_INLINE unsigned second_of(const struct sw_fd_fused_joined &d, unsigned t)
{
    const unsigned even = t > d.lead ? (unsigned)((unsigned long long)(t - d.lead) * d.tiles[1] /
                                                  (d.tiles[0] + d.tiles[1])) : 0;
    return t > d.tiles[0] ? max(even, t - d.tiles[0]) : even;
}

/* THREAD_LIMIT: threads of all blocks on a multiprocessor. */
extern "C" __global__ void __launch_bounds__(THREAD_LIMIT)
fused_two_k(const __grid_constant__ struct sw_fd_fused_joined d, const real_t *f, real_t *out_1, real_t *out_2,
            unsigned *next)
{
    extern __shared__ __align__(128) float4 memory[];
    real_t *const ring = (real_t *)memory, *const behind = ring + STAGES * d.tile_size;
    const auto start = [&](const struct tile &b, int stage) {
        real_t *to = ring + stage * d.tile_size;
        if (b.there && b.second) second::load_tile(d.second, second::tile_of(d.second, b), f, to);
        else if (b.there) first::load_tile(d.first, first::tile_of(d.first, b), f, to);
        commit_copies();
    };
    for_each_tile(
        d.tiles[0] + d.tiles[1], next,
        [&](unsigned index, struct tile *b) {
            const unsigned before = second_of(d, index);
            const bool is_second = second_of(d, index + 1) > before;
            if (is_second) second::locate_tile(d.second, before, b);
            else first::locate_tile(d.first, index - before, b);
            b->second = is_second;
        },
        start,
        [&](const struct tile &found, int stage, const struct tile &following) {
            real_t *tile = ring + stage * d.tile_size;
            const auto freed = [&] { start(following, stage); };
            if (found.second) {
                const struct tile b = second::tile_of(d.second, found);
                const struct second::scratch s = second::partition_shared(d.second, behind, d.tile_size);
                second::solve_tile(d.second, b, second::segment_of_thread(d.second, b), tile, s, out_2, freed);
            } else {
                const struct tile b = first::tile_of(d.first, found);
                const struct first::scratch s = first::partition_shared(d.first, behind, d.tile_size);
                first::solve_tile(d.first, b, first::segment_of_thread(d.first, b), tile, s, out_1, freed);
            }
        });
}
