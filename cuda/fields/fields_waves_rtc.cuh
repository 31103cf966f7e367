/* The kernel of cuda.cufft, behind fields_stream_rtc.cuh: between the transforms of a stage waves are divided by the
 * symbol of P (problem/fields/exact.h). Also needed:
 *
 *     symbol_odd(v)    S of unknown v has an imaginary part
 *     SYMBOL_PARTS     2 where that of any unknown has one, else 1 */

enum { HALF = NX / 2 + 1, WAVES = HALF * NY * NZ, TILES_OF_WAVES = (WAVES + TILE - 1) / TILE };

/* L of a wave, whose w_j dx_j² are x, y, z: its real part. */
__device__ static __forceinline__ double damping_at(const struct fields_system &p, double x, double y, double z,
                                                    double symbol)
{
    const double second = p.axis[0].a1 * x + p.axis[1].a1 * y + (AXES > 2 ? p.axis[AXES - 1].a1 * z : 0.0),
                 fourth = p.axis[0].a2 * x + p.axis[1].a2 * y + (AXES > 2 ? p.axis[AXES - 1].a2 * z : 0.0);
    return fmin(symbol - second - fourth * fourth, 0.0);
}

/* Waves of all fields, by the symbol and the number of points, as transforms there and back multiply with that: 40
 * bytes a wave, 48 where the symbol has an imaginary part, which are some more than half of the points.
 * @param wave      [HALF + NY + NZ] 2 - 2 cos of the waves along x, y, z
 * @param symbol    [count][UNKNOWNS][SYMBOL_PARTS][WAVES] S
 * @param spectrum  [count][UNKNOWNS][WAVES] */
extern "C" __global__ void __launch_bounds__(THREADS) divide_k(struct fields_on_device b,
                                                               const double *__restrict__ wave,
                                                               const double *__restrict__ symbol, double2 *spectrum)
{
    const int field = blockIdx.x / TILES_OF_WAVES, tile = blockIdx.x % TILES_OF_WAVES, v = field % UNKNOWNS,
              run = field / UNKNOWNS;
    if (b.pace[run].goes != 1) return;
    const struct fields_system &p = b.system[field];
    const double gamma_dt = b.method->gamma * p.dt, *real = symbol + (size_t)field * SYMBOL_PARTS * WAVES,
                 *imaginary = real + WAVES;
    double2 *z = spectrum + (size_t)field * WAVES;
    const bool odd = symbol_odd(v);
    for (int c = threadIdx.x; c < TILE && tile * TILE + c < WAVES; c += blockDim.x) {
        const int at = tile * TILE + c, i = at % HALF, j = at / HALF % NY, k = at / (HALF * NY);
        const double even = 1.0 - gamma_dt * damping_at(p, wave[i], wave[HALF + j], wave[HALF + NY + k], real[at]),
                     share = odd ? -gamma_dt * imaginary[at] / even : 0.0,
                     scale = 1.0 / ((even + share * (even * share)) * POINTS);
        const double2 x = z[at];
        z[at] = double2{scale * (x.x + share * x.y), scale * (x.y - share * x.x)};
    }
}
