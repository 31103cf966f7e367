#ifndef FIELDS_WAVES_H
#define FIELDS_WAVES_H
/* What cuda.cufft solves with: transforms of all fields of a batch, and between them a kernel that divides by the
 * symbol of P (exact.h; cuda/fields/fields_waves_rtc.cuh). */
#include "linalg/libraries/cufft_cuda.h"
#include "problem/fields/cuda/fields_point.h"
#include "problem/fields/fields_sim_impl.h"

struct fields_waves {
    struct sw_cufft *fft;
    int64_t          fields;    /* of its plans                              */
    double          *spectrum;  /* [capacity][unknowns][waves] complex       */
    double          *symbol;    /* [capacity][unknowns][parts][waves]        */
    double          *wave;      /* [nx/2 + 1 + ny + nz] 2 - 2 cos k          */
};

/** Add what it takes of the device's memory. The library's work space is as large as the spectrum, for each of two
 * plans; more where numbers of points have large prime factors. */
void fields_waves_add_bytes(const struct fields_desc *desc, size_t *fixed, size_t *per_run);

/** Room for a batch. @param waves  out: zeros before; its arrays are the sim's */
enum sw_status fields_waves_create(struct fields_sim *sim, struct fields_waves *waves);
void           fields_waves_destroy(struct fields_waves *waves);

/** The symbols of run j. @param solver  of fields_symbols, which has begun with it */
enum sw_status fields_waves_load(const struct fields_sim *sim, const struct fields_waves *waves, int j,
                                 const void *solver);

/** Plans for the runs of the batch loaded. @return SW_E_ABSENT there is no cuFFT; SW_E_CUDA */
enum sw_status fields_waves_plan(const struct fields_sim *sim, struct fields_waves *waves);

/** k = P⁻¹ k of all fields of the batch. @param divide  the kernel divide_k */
enum sw_status fields_waves_solve(struct fields_sim *sim, const struct fields_waves *waves, void *divide,
                                  struct fields_on_device *batch, double *k);
#endif
