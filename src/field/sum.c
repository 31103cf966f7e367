#include "field/sum.h"

double sw_sum_pairwise(const double *term, int64_t n)
{
    if (n > 8) return sw_sum_pairwise(term, n / 2) + sw_sum_pairwise(term + n / 2, n - n / 2);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += term[i];
    return sum;
}

double sw_sum_lanes(const double *term, int n)
{
    double lane[SW_SUM_LANES] = {0};
    for (int base = 0; base < n; base += SW_SUM_LANES) {
        int width = n - base < SW_SUM_LANES ? n - base : SW_SUM_LANES;
        for (int l = 0; l < width; l++) lane[l] += term[base + l];
    }
    return sw_sum_of_lanes(lane);
}

double sw_sum_of_lanes(double lane[SW_SUM_LANES])
{
    for (int w = SW_SUM_LANES / 2; w; w /= 2)
        for (int l = 0; l < w; l++) lane[l] += lane[l + w];
    return lane[0];
}
