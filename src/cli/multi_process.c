/* One sweep by several processes, which mpirun has started: which rank does what, and checks that all agree. `sweep
 * run` and `sweep resume` run on all ranks; rank 0 does other commands. Only rank 0 prints. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "cli/multi_process.h"
#include "cli/open_sweep.h"
#include "comm/sw_comm_impl.h"
#include "comm/sw_launch.h"
#include "store/files/sw_output.h"

/* ---- hosts and processors: every rank sends its own to all others */

struct rank_info { char host[64]; cpu_set_t mask; };
enum { INFO = (sizeof(struct rank_info) + sizeof(double) - 1) / sizeof(double) };

/* Processors that ranks share are dealt out, each to the one of them that has fewest so far: the same on all ranks.
 * mpirun gives each rank some of its own, or lets all have all. */
static int share_processors(const struct rank_info *info, const int *here, int count, int self)
{
    int *share = NULL, mine;
    if (sw_alloc((size_t)count, &share)) return 1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        int least = -1;
        for (int k = 0; k < count; k++)
            if (CPU_ISSET((size_t)cpu, &info[here[k]].mask) && (least < 0 || share[k] < share[least])) least = k;
        if (least >= 0) share[least]++;
    }
    mine = share[self] > 0 ? share[self] : 1;
    sw_free(share);
    return mine;
}

static void count_local_ranks(struct sw_cli *cli, const struct rank_info *info, int *here)
{
    const struct sw_comm *comm = cli->comm;
    int count = 0, self = 0;
    for (int r = 0; r < comm->size; r++) {
        if (strcmp(info[r].host, info[comm->rank].host)) continue;
        if (r == comm->rank) self = count;
        here[count++] = r;
    }
    cli->local_rank = self;
    cli->local_ranks = count;
    for (int r = 0; r < comm->size; r++) {
        bool new = true;
        for (int q = 0; q < r; q++) new &= strcmp(info[q].host, info[r].host) != 0;
        cli->hosts += new;
        memcpy(cli->host[r], info[r].host, sizeof *cli->host);
    }
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int k = 0; k < count; k++) CPU_OR(&all, &all, &info[here[k]].mask);
    cli->processors = CPU_COUNT(&all);
    cli->bound = CPU_COUNT(&info[comm->rank].mask);
    if (!cli->threads && !getenv("OMP_NUM_THREADS")) cli->threads = share_processors(info, here, count, self);
}

static enum sw_status gather_ranks(struct sw_cli *cli)
{
    const size_t size = (size_t)cli->comm->size;
    union { struct rank_info info; double number[INFO]; } me = {0};
    double *all = NULL;
    struct rank_info *info = NULL;
    int *here = NULL;
    gethostname(me.info.host, sizeof me.info.host - 1);
    sched_getaffinity(0, sizeof me.info.mask, &me.info.mask);
    enum sw_status st = sw_alloc(size * INFO, &all);
    if (!st) st = sw_alloc(size, &info);
    if (!st) st = sw_alloc(size, &here);
    if (!st) st = sw_alloc(size, &cli->host);
    st = sw_comm_agree(cli->comm, st);
    if (!st) st = sw_comm_gather(cli->comm, INFO, me.number, all);
    for (size_t r = 0; r < size && !st; r++) memcpy(&info[r], all + r * INFO, sizeof *info);
    if (!st) count_local_ranks(cli, info, here);
    sw_free(all);
    sw_free(info);
    sw_free(here);
    return st;
}

/* ---- the part of one process */

struct rank_task { struct sw_cli *cli; enum sw_status (*perform)(struct sw_cli *cli); };

static enum sw_status run_rank(const struct sw_comm *comm, void *context)
{
    struct rank_task *t = context;
    struct sw_cli *cli = t->cli;
    cli->comm = comm;
    if (comm->rank) {
        cli->quiet = true;
        cli->verbose = cli->bar = false;
        cli->log_path = NULL;
    }
    enum sw_status st = gather_ranks(cli);
    if (!st) st = t->perform(cli);
    cli->comm = sw_comm_null();
    sw_free(cli->host);
    cli->host = NULL;
    return st;
}

static const char *mpi_absent(void)
{
    for (int k = 0; sw_comm_table[k]; k++)
        if (!strcmp(sw_comm_table[k]->name, "mpi")) return sw_comm_table[k]->absent;
    return NULL;
}

enum sw_status multi_process_run(struct sw_cli *cli, enum sw_status (*perform)(struct sw_cli *cli))
{
    const struct sw_launch launch = sw_launched();
    const bool all = cli->command->bit & (CLI_RUN | CLI_RESUME) && !cli->dry_run;
    struct rank_task t = {cli, perform};
    if (launch.size == 1 || (!all && !launch.rank)) return perform(cli);
    if (!all) return SW_OK;  /* rank 0 does it */
    if (mpi_absent() && launch.rank) return SW_OK;  /* rank 0 prints the error */
    if (mpi_absent())
        return SW_FAIL(SW_E_ABSENT, "%s has started %d processes, but this program cannot have them work together: %s",
                       launch.by, launch.size, mpi_absent());
    enum sw_status st = sw_comm_run("mpi", launch.size, run_rank, &t);
    cli->reported = true;
    return st;
}

/* ---- checks that all ranks agree */

enum sw_status multi_process_check_same(const struct sw_cli *cli, const char *what, uint64_t digest)
{
    const struct sw_comm *comm = cli->comm;
    double mine, *all = NULL;
    memcpy(&mine, &digest, sizeof mine);
    enum sw_status st = sw_alloc((size_t)comm->size, &all);
    st = sw_comm_agree(comm, st);
    if (!st) st = sw_comm_gather(comm, 1, &mine, all);
    for (int r = 1; r < comm->size && !st; r++)
        if (memcmp(&all[r], &all[0], sizeof *all))
            st = SW_FAIL(SW_E_REFUSED, "rank %d on %s has %s than rank 0 on %s", r, cli->host[r], what, cli->host[0]);
    sw_free(all);
    return st;
}

static uint64_t end_digest(struct sw_hash *h)
{
    unsigned char digest[32];
    uint64_t number;
    sw_hash_end(h, digest);
    memcpy(&number, digest, sizeof number);
    return number;
}

uint64_t multi_process_sweep_digest(const struct cli_sweep *s)
{
    struct sw_hash h;
    sw_hash_start(&h);
    sw_hash_add(&h, s->file, strlen(s->file) + 1);
    for (int64_t k = 0; k < s->count; k++) sw_hash_add(&h, &s->id[s->run[k]], sizeof *s->id);
    return end_digest(&h);
}

uint64_t multi_process_completed_digest(const struct sw_completed *l)
{
    struct sw_hash h;
    sw_hash_start(&h);
    sw_hash_add(&h, l->id, (size_t)l->count * sizeof *l->id);
    sw_hash_add(&h, l->status, (size_t)l->count * sizeof *l->status);
    for (int k = 0; k < l->ncheckpoint; k++) {
        sw_hash_add(&h, l->checkpoint[k].id, (size_t)l->checkpoint[k].count * sizeof *l->checkpoint[k].id);
        sw_hash_add(&h, &l->checkpoint[k].step, sizeof l->checkpoint[k].step);
    }
    sw_hash_add(&h, l->has_parts ? "parts" : "none", 5);
    return end_digest(&h);
}

/* ---- sharing a result */

enum sw_status multi_process_share_status(const struct sw_cli *cli, enum sw_status st)
{
    const struct sw_comm *comm = cli->comm;
    double mine = st, *all = NULL;
    if (comm->size == 1) return st;
    struct sw_err_kept own = {0};
    sw_err_keep(&own, st);
    if (sw_alloc((size_t)comm->size, &all)) return SW_E_MEMORY;
    enum sw_status heard = sw_comm_gather(comm, 1, &mine, all);
    enum sw_status first = heard ? heard : (enum sw_status)all[0];
    sw_free(all);
    return st ? sw_err_raise(&own) : first;
}

bool multi_process_any(const struct sw_cli *cli, bool here)
{
    double any = here;
    return !sw_comm_max(cli->comm, 1, &any) && any > 0;
}

enum sw_status multi_process_plan(const struct sw_cli *cli, int devices, int users, struct sw_plan_sharing *sharing)
{
    const struct sw_comm *comm = cli->comm;
    double mine = devices, *all = NULL;
    *sharing = (struct sw_plan_sharing){.comm = comm, .ranks_per_gpu = users};
    enum sw_status st = sw_alloc((size_t)comm->size, &all);
    st = sw_comm_agree(comm, st);
    if (!st) st = sw_comm_gather(comm, 1, &mine, all);
    for (int r = 0; r < comm->size && !st; r++) {
        sharing->devices += (int)all[r];
        if (comm->size == 1 || !strcmp(cli->host[r], cli->host[comm->rank])) sharing->devices_on_host += (int)all[r];
    }
    sw_free(all);
    return st;
}
