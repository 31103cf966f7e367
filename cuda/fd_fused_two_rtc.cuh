/* Compact differences of a field along two axes at once: f comes from memory with the tiles along the first and from
 * the cache with those along the second, 24 bytes a point where two kernels move 32 (single precision: 12, 16).
 * Namespaces `first` and `second` have fd_tile_rtc.cuh and fd_fused_rtc.cuh, shaped for their axes; bits are those of
 * the two kernels.
 *
 * Tiles of both are given out evenly mixed, those along the second axis `lead` tiles behind: by then all of what they
 * read has been given out along the first, and is in the cache or on its way there. */

/* Of the first t tiles so many are of the second kind; it grows by one or not at all. */
FD_INLINE unsigned second_of(const struct sw_fd_fused_two &d, unsigned t)
{
    const unsigned even = t > d.lead ? (unsigned)((unsigned long long)(t - d.lead) * d.tiles[1] /
                                                  (d.tiles[0] + d.tiles[1])) : 0;
    return t > d.tiles[0] ? max(even, t - d.tiles[0]) : even;
}

/* MOST_THREADS of all blocks on a multiprocessor. */
extern "C" __global__ void __launch_bounds__(MOST_THREADS)
fused_two_k(const __grid_constant__ struct sw_fd_fused_two d, const word_t *f, word_t *out_1, word_t *out_2,
            unsigned *next)
{
    extern __shared__ __align__(128) float4 memory[];
    word_t *const ring = (word_t *)memory, *const behind = ring + STAGES * d.room;
    const auto start = [&](const struct tile &b, int stage) {
        word_t *to = ring + stage * d.room;
        if (b.there && b.second) second::fetch(d.second, second::tile_of(d.second, b), f, to);
        else if (b.there) first::fetch(d.first, first::tile_of(d.first, b), f, to);
        close_group();
    };
    take_tiles(
        d.tiles[0] + d.tiles[1], next,
        [&](unsigned index, struct tile *b) {
            const unsigned before = second_of(d, index);
            const bool is_second = second_of(d, index + 1) > before;
            if (is_second) second::find_tile(d.second, before, b);
            else first::find_tile(d.first, index - before, b);
            b->second = is_second;
        },
        start,
        [&](const struct tile &found, int stage, const struct tile &following) {
            word_t *tile = ring + stage * d.room;
            const auto freed = [&] { start(following, stage); };
            if (found.second) {
                const struct tile b = second::tile_of(d.second, found);
                const struct second::shared s = second::shared_of(d.second, behind, d.room);
                second::work(d.second, b, second::place_of(d.second, b), tile, s, out_2, freed);
            } else {
                const struct tile b = first::tile_of(d.first, found);
                const struct first::shared s = first::shared_of(d.first, behind, d.room);
                first::work(d.first, b, first::place_of(d.first, b), tile, s, out_1, freed);
            }
        });
}
