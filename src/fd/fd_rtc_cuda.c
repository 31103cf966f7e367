#include "fd/fd_rtc_cuda.h"

#include <string.h>

_Static_assert((int)FD_PAIRS == (int)SW_FD_HALF_WIDTH && (int)FD_WALL_POINTS == (int)SW_FD_WALL_POINTS,
               "fd_rhs_point.h follows sw_fd_scheme.h");

void fd_rhs_make(const struct sw_fd_line *line, long double by, struct fd_rhs *s)
{
    memset(s, 0, sizeof *s);
    s->half_width = line->half_width;
    s->up = line->up;
    s->down = line->down;
    s->second = line->kind == SW_FD_SECOND;
    s->rows = line->periodic ? 0 : line->rows;
    s->differences = line->kind != SW_FD_FILTER;
    s->minus = line->kind == SW_FD_FIRST || line->kind == SW_FD_STAGGERED ? -1 : 1;
    s->far = line->sign;
    s->centre = (double)(by * line->centre);
    for (int k = 1; k <= line->half_width; k++) s->weight[k] = (double)(by * line->weight[k]);
    for (int r = 0; r < s->rows; r++) {
        s->points[r] = line->points[r];
        for (int k = 0; k < line->points[r]; k++) s->wall[r][k] = (double)(by * line->wall[r][k]);
    }
}

void fd_lines_of(const struct sw_fd *fd, struct fd_lines *l)
{
    *l = (struct fd_lines){(long long)fd->stride, (long long)(fd->outer * fd->stride), (int)fd->line.n, fd->desc.single,
                           fd->desc.add};
}
