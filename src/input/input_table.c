/* Every format of files with arrays. To add one: write its file, add its row. */
#include "input/input_impl.h"

extern const struct input_format input_hdf5, input_matrix_market;

const struct input_format *const input_formats[] = {
    &input_hdf5,
    &input_matrix_market,
    NULL,
};
