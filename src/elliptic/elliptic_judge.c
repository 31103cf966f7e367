#include "elliptic/elliptic_judge.h"

#include "elliptic/elliptic_host.h"

struct elliptic_judge { struct elliptic_host host; };

struct elliptic_judge *elliptic_judge_make(const struct sw_elliptic_desc *d, int threads, struct sw_owned *own)
{
    struct elliptic_judge counted, *judge = NULL;
    sw_array(own, 1, &judge);
    elliptic_host_make(d, threads, 1, own, judge ? &judge->host : &counted.host);
    return judge;
}

enum sw_status elliptic_judge_solve(struct elliptic_judge *judge, const struct sw_elliptic *solver, int system,
                                    const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                                    int most, elliptic_method *method, void *context)
{
    const struct elliptic_space space = elliptic_host_space(&judge->host);
    const struct sw_elliptic_numbers *numbers =
        elliptic_host_begin(&judge->host, &solver->matrix[system], &solver->numbers[system]);
    return elliptic_refine(&space, numbers, f, u, outcome, history, most, method, context);
}
