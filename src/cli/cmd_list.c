#include "bvp/sw_bvp_impl.h"
#include "cli/cli_impl.h"
#include "comm/sw_comm_impl.h"
#include "fd/sw_fd_impl.h"
#include "solver/sw_band_impl.h"
#include "stepper/sw_stepper_impl.h"

static void row(const char *name, const char *about, const char *absent)
{
    if (absent) printf("  %-24s absent: %s\n", name, absent);
    else printf("  %-24s %s\n", name, about);
}

static void device(const char *spec)
{
    struct sw_device *found = NULL;
    if (sw_device_open(spec, 0, &found)) row(spec, "", sw_err_message());
    else row(found->label, found->name, NULL);
    sw_device_close(&found);
}

static void devices(void)
{
    char spec[32];
    printf("devices\n");
    for (int k = 0; sw_device_table[k]; k++) {
        const struct sw_device_ops *ops = sw_device_table[k];
        const int count = ops->count ? ops->count() : 0;
        if (ops->absent) row(ops->kind, "", ops->absent);
        else if (!count) device(ops->kind);
        for (int d = 0; d < count; d++) {
            snprintf(spec, sizeof spec, "%s:%d", ops->kind, d);
            device(spec);
        }
    }
}

enum sw_status cmd_list(struct sw_cli *cli)
{
    (void)cli;
    printf("problems\n");
    for (int k = 0; sw_problem_table[k]; k++) {
        row(sw_problem_table[k]->name, sw_problem_table[k]->title, NULL);
        printf("  %-24s %s\n", "", sw_problem_table[k]->equation);
    }
    printf("steppers\n");
    for (int k = 0; sw_stepper_table[k]; k++)
        row(sw_stepper_table[k]->name, sw_stepper_table[k]->about, sw_stepper_table[k]->absent);
    printf("band solvers\n");
    for (int k = 0; sw_band_table[k]; k++)
        row(sw_band_table[k]->name, sw_band_table[k]->about, sw_band_table[k]->absent);
    printf("boundary value problems\n");
    for (int k = 0; sw_bvp_table[k]; k++)
        row(sw_bvp_table[k]->name, sw_bvp_table[k]->about, sw_bvp_table[k]->absent);
    printf("compact finite differences\n");
    for (int k = 0; sw_fd_table[k]; k++) row(sw_fd_table[k]->name, sw_fd_table[k]->about, sw_fd_table[k]->absent);
    printf("compact schemes\n");
    for (int k = 0; sw_fd_schemes[k]; k++) row(sw_fd_schemes[k]->name, sw_fd_schemes[k]->about, NULL);
    devices();
    printf("processes that work together\n");
    for (int k = 0; sw_comm_table[k]; k++)
        if (sw_comm_table[k]->apart) row(sw_comm_table[k]->name, sw_comm_table[k]->about, sw_comm_table[k]->absent);
    return SW_OK;
}
