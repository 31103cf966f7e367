#ifndef CUSPARSE_FUNCTIONS_H
#define CUSPARSE_FUNCTIONS_H
/* How a solver holds the functions of cuSPARSE: as members of its struct, by the library's names. The file that
 * includes this one, after cusparse.h, lists them as CUSPARSE_LIST(X), X(Create) X(Destroy) ..., GetErrorString among
 * them; its functions call the solver CUSPARSE_OF. */
#include <string.h>

#include "base/sw_err.h"
#include "linalg/libraries/cusparse_cuda.h"

#define CUSPARSE_MEMBER(name) __typeof__(&cusparse##name) name;
#define CUSPARSE_NAME(name) "cusparse" #name,
#define CUSPARSE_SET(name) memcpy(&CUSPARSE_OF->name, &symbol[k++], sizeof *symbol);

/* The body of a function that loads them into *CUSPARSE_OF; its arguments and status are those of
 * sw_cusparse_load(). */
#define CUSPARSE_LOAD(row, instead)                                                                 \
    do {                                                                                            \
        static const char *const names[] = {CUSPARSE_LIST(CUSPARSE_NAME) 0};                        \
        void *symbol[sizeof names / sizeof *names];                                                 \
        int k = 0;                                                                                  \
        SW_TRY(sw_cusparse_load(row, instead, names, symbol));                                      \
        CUSPARSE_LIST(CUSPARSE_SET)                                                                 \
        return SW_OK;                                                                               \
    } while (0)

/* Call one of them, and return its failure. */
#define SPARSE_TRY(call)                                                                            \
    do {                                                                                            \
        cusparseStatus_t cs_ = CUSPARSE_OF->call;                                                   \
        if (cs_) return SW_FAIL(SW_E_CUDA, "cuSPARSE: %s: %s", #call, CUSPARSE_OF->GetErrorString(cs_)); \
    } while (0)
#endif
