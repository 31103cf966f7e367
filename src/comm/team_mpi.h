#ifndef TEAM_MPI_H
#define TEAM_MPI_H
/* A rank's place in one run() of comm_mpi.c, which says what messages there are. team_news_mpi.c hears of others' ends
 * and takes in what nobody wants any more; team_mpi.c has the messages of a call. */
#include <mpi.h>
#include <stdint.h>

#include "comm/sw_comm_impl.h"

enum call { EXCHANGE, GATHER, BARRIER };

enum tag { POST, DATA, END, TAGS };
enum { INLINE = 500 };                   /* numbers that go with their POST: below 4 KiB, which MPI sends at once */

struct post {
    int64_t  turn;                       /* calls so far, this one included         */
    int32_t  call, periodic;
    uint64_t count[2];                   /* exchange: leftward, rightward; gather: count, 0 */
};

struct end {
    struct post last;                    /* what it called last                          */
    int64_t     sent;                    /* messages it has sent to the reader           */
    bool        failed;                  /* another END follows, with struct sw_err_kept */
};

struct peer {
    int64_t    sent, received;           /* POST and DATA messages                       */
    bool       ended;
    struct end end;
};

/* A rank's place in one run(). */
struct team {
    struct sw_comm comm;
    MPI_Comm       mpi;
    int            tag;                  /* added to all tags: messages of the next run may come while this one ends */
    struct post    post;                 /* the last call                           */
    char          *out;                  /* room for one POST on its way            */
    char          *in;
    MPI_Request    sending[64];          /* of this call                            */
    int            nsending;
    struct peer   *peer;                 /* [size]                                  */
    struct sw_err_kept broken;           /* what operations return from now on      */
    struct sw_err_kept worst;            /* what run() returns: of the lowest rank that failed on its own */
    int            worst_rank;
};

enum { POST_BYTES = sizeof(struct post) + INLINE * sizeof(double) };

/* ---- team_news_mpi.c */
/** From now on operations return this. @return st */
enum sw_status team_break(struct team *t, enum sw_status st);
/** Has somebody ended? If he failed, the team is broken. */
bool team_hear(struct team *t);
/** Has this rank ended, and have we all that he sent? */
bool team_drained(const struct peer *p);
/** Take in what is there of POST and DATA; whether there was anything. */
bool team_drain(struct team *t);
/** Between two looks. @param since  from 0, and kept while one waits for the same */
void team_pause(double *since);
/** The one place where the program ends otherwise than through main: the others hang, and so would this rank. */
_Noreturn void team_give_up(const struct team *t, const char *why);
/** Tell all that this rank's part has returned, and wait until all have, and no message is left over.
 * @param e, request  [size], [2 size] @return the status of the lowest rank that failed on its own */
enum sw_status team_end(struct team *t, struct end *e, MPI_Request *request, const struct sw_err_kept *failure);

/* ---- team_mpi.c */
struct piece { double *data; size_t count; };  /* of an array */

/** Begin a call: the same one on all ranks. @return why the team is broken */
enum sw_status team_begin(struct team *t, enum call call, bool periodic, size_t first, size_t second);
/** Post this call to another rank. What is pointed to must stay until team_finish_sends().
 * @param room  [POST_BYTES] */
void team_post(struct team *t, int to, char *room, const struct piece *piece, int pieces);
/** Take in the POST of another rank, and the numbers that belong to it.
 * @return SW_E_COMM he called something else, has ended, or the team is broken */
enum sw_status team_receive(struct team *t, int from, const struct piece *piece, int pieces);
/** Wait until what was sent may be written again. Others take it in at the latest when they end; in a broken team they
 * may wait for this rank to do the same. @return st */
enum sw_status team_finish_sends(struct team *t, enum sw_status st);
#endif
