#ifndef RANKS_IMPL_H
#define RANKS_IMPL_H
/* Between the files of the queue over several processes: ranks_letters.c has what they write to each other,
 * ranks_zero.c how rank 0 gives out batches, ranks_others.c how others ask for them, ranks_life.c what is done about
 * ranks that are silent; ranks.c has all of it attended to while a scheduler sits, its beginning and its end. */
#include <stddef.h>

#include "comm/sw_message.h"
#include "run/sw_processes.h"

enum kind {
    ASK,       /* to 0: a batch for that worker                                */
    GIVE,      /* from 0: this one; SW_QUEUE_EMPTY: there is none                */
    OVER,      /* to 0: what became of it                                      */
    EVENT,     /* to 0                                                         */
    NEWS,      /* to 0: how far it is; from 0: I am here                       */
    ALIVE,     /* I am here, though my main thread may be busy                 */
    STOP,      /* to 0: we must stop; from 0: stop. Both answer with NEWS      */
    LEFT,      /* to 0: sw_run_sweep() is over here, with what                   */
    BYE        /* from 0: all are through                                      */
};

struct letter {
    enum kind         kind;
    int               worker;
    int64_t           batch;
    enum sw_batch_outcome end;
    enum sw_status    status;
    struct sw_totals   tally;
    double            in_flight;
    struct sw_event   event;          /* its message is the text                              */
    char              text[400];      /* so much of it is sent as there is                    */
};
_Static_assert(sizeof(struct letter) <= SW_MESSAGE_BYTES, "a letter is too long");

struct other {                        /* rank 0 on the others, and they on rank 0             */
    double heard;                     /* clock                                                */
    bool   left, doubted, dismissed;
    double in_flight;
};

struct sw_processes {
    const struct sw_comm *comm;
    char   (*host)[64];               /* [size], borrowed                                     */
    const volatile sig_atomic_t *stop;
    struct sw_work_queue queue, plan;        /* ours; of rank 0: the batches                         */
    struct sw_scheduler *scheduler;             /* while it sits                                        */
    struct pulse *pulse;              /* until all are through                                */
    struct other *other;              /* [size]                                               */
    double  told, looked, stopped;    /* clock of the last news; of the last look; of the stop, 0: none */
    bool    over;                     /* rank 0: all have left; others: it said so            */
    int64_t nbatch;
    int    *holder;                   /* of rank 0: [nbatch] who has it; -1: nobody           */
    struct letter *asked;             /* of rank 0: [nasked] who waits for a batch, and its worker */
    int    *asker;
    int     nasked, room;
    int     workers;                  /* of others                                            */
    int64_t *given;                   /* [workers]; NOT_ASKED, or ASKED, or what came         */
    bool    *gone;                    /* [workers] it asks no more                            */
};

static inline struct sw_processes *ranks_of(const struct sw_work_queue *queue) { return queue->own; }

/* ---- ranks_letters.c. @return as sw_message_send() */
enum sw_status ranks_send(int to, const struct letter *letter);
enum sw_status ranks_send_word(int to, enum kind kind);
/** From rank 0 to all who have not left. */
enum sw_status ranks_send_all(const struct sw_processes *r, enum kind kind);
/** How far this rank is, from others; from rank 0, that it is here. */
enum sw_status ranks_send_news(struct sw_processes *r);

/* ---- ranks_zero.c */
/** Become the queue of rank 0, but for its poll, destroy and own. @return as sw_work_queue_local() */
enum sw_status ranks_zero_create(struct sw_processes *r, const struct sw_plan *plan, int workers);
enum sw_status ranks_zero_hear(struct sw_processes *r, int from, struct letter *letter);
enum sw_status ranks_zero_answer(struct sw_processes *r);  /* those that wait for a batch */

/* ---- ranks_others.c */
/** Become the queue of another rank, but for its poll, destroy and own. @return SW_E_MEMORY */
enum sw_status ranks_others_create(struct sw_processes *r, int workers);
enum sw_status ranks_others_hear(struct sw_processes *r, const struct letter *letter);

/* ---- ranks_life.c */
void ranks_look_after(struct sw_processes *r, int rank, double now);
void ranks_wake_up(struct sw_processes *r, double now);
#endif
