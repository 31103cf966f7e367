#include "cli/jobs/sw_shard_state.h"

#include <stdio.h>
#include <string.h>

#define X(name, text) text,
const char *const sw_shard_state_names[] = {SW_SHARD_STATES(X)};
#undef X

enum sw_shard_state sw_shard_state_of_file(const struct sw_file_facts *f)
{
    static const enum sw_shard_state without_process[] = {[SW_LIVENESS_NONE] = SW_SHARD_STOPPED,
                                                          [SW_LIVENESS_SILENT] = SW_SHARD_SILENT,
                                                          [SW_LIVENESS_DEAD] = SW_SHARD_DIED};
    if (f->liveness == SW_LIVENESS_ALIVE) return SW_SHARD_RUNNING;
    if (f->unreadable) return SW_SHARD_UNREADABLE;
    if (f->has_file && !f->has_parts && f->all_ended) return SW_SHARD_DONE;
    if (f->has_file || f->has_parts || f->liveness != SW_LIVENESS_NONE) return without_process[f->liveness];
    return SW_SHARD_WAITING;
}

static bool is_one_of(const char *word, const char *list)
{
    char spaced[40];
    snprintf(spaced, sizeof spaced, " %.30s ", word);
    return *word && strstr(list, spaced);
}

enum sw_shard_state sw_shard_state_with_job(enum sw_shard_state state, const char *job)
{
    const bool stopped = state == SW_SHARD_WAITING || state == SW_SHARD_STOPPED,
               idle = stopped || state == SW_SHARD_DIED || state == SW_SHARD_SILENT;
    if (is_one_of(job, " PENDING CONFIGURING REQUEUED REQUEUE_HOLD REQUEUE_FED SUSPENDED RESIZING "))
        return idle ? SW_SHARD_QUEUED : state;
    if (is_one_of(job, " FAILED CANCELLED TIMEOUT NODE_FAIL OUT_OF_MEMORY BOOT_FAIL DEADLINE PREEMPTED "))
        return idle ? SW_SHARD_FAILED : state;
    if (is_one_of(job, " RUNNING COMPLETING STOPPED ")) return stopped ? SW_SHARD_RUNNING : state;
    return state;
}

const char *sw_sweep_state(const int *count, int nshards)
{
    if (count[SW_SHARD_DONE] == nshards) return "done";
    if (count[SW_SHARD_RUNNING]) return "running";
    return count[SW_SHARD_QUEUED] ? "queued" : "interrupted";
}

const char *sw_file_state(enum sw_shard_state state)
{
    if (state == SW_SHARD_RUNNING) return "running";
    return state == SW_SHARD_DONE ? "finished" : "interrupted";
}
