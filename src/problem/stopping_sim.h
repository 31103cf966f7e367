#ifndef STOPPING_SIM_H
#define STOPPING_SIM_H
/* A simulation of a batch whose runs may stop one by one, around one of any problem with time. To its caller it is a
 * batch of all runs to its end: of a run that has stopped, the state, what it recorded, and its scalars and fields in
 * snapshots stay what they were when it stopped.
 *
 * Where a quarter of the runs that are being computed have stopped, the others are loaded again without them, from
 * their states, as after a checkpoint: to the same bits. So a batch costs what its runs take, within a third, and what
 * is copied for that falls geometrically. No stepper knows of it. */
#include "problem/sw_problem.h"

/** @param setup    borrowed: the one from which the simulation was made
 *  @param scalars  numbers a run that a snapshot of scalars has
 *  @param sim      in: a simulation, which becomes the new one's own, also on failure; out: NULL on failure
 *  @return SW_E_MEMORY */
enum sw_status sw_stopping_sim_create(const struct sw_setup *setup, int scalars, struct sw_sim **sim);

/** Where the runs would be one step, or tick, later; they stay where they are. Their scalars and what they recorded are
 * held for a stop() before the next advance(): a state that is set does not have them. Nothing reads a snapshot.
 * @param step   at which they are
 * @param state  [count][state_size] of all runs now, as get_state() has it
 * @param ahead  out: the same a step later, of runs that have not stopped
 * @param t      out: [count] the times at which they are then, of such runs; left alone unless runs take steps of their
 *               own: a tick is less than a step  @return as advance() and set_state() */
enum sw_status sw_stopping_sim_look_ahead(struct sw_sim *sim, int64_t step, const double *state, double *ahead,
                                          double *t);

/** Runs stop, between two calls of advance(). Nothing reads a snapshot.
 *  @param stop   [count] which; of those that have stopped it does not count
 *  @param lost   [count] of those that stop, which have nothing but NaN from then on: they have failed. They are not
 *                among diverged() any more
 *  @param state  [count][state_size] of all runs now, as get_state() has it  @return as load() and set_state() */
enum sw_status sw_stopping_sim_stop(struct sw_sim *sim, const bool *stop, const bool *lost, const double *state);

/** Load all runs again, of which those that have stopped are not to take steps: operations that are about run j know
 * it then. Nothing reads a snapshot. @return as load() and set_state() */
enum sw_status sw_stopping_sim_load_all(struct sw_sim *sim);

/** Runs that go on: 0: advance() has nothing to do. */
int sw_stopping_sim_running(const struct sw_sim *sim);

/** [scalars] of a run that has stopped: for a checkpoint, and from one. */
double *sw_stopping_sim_scalars(struct sw_sim *sim, int j);

/** Memory on the host that a run takes beside that of its simulation, with so many numbers in its state. */
size_t sw_stopping_sim_bytes(const struct sw_setup *setup, size_t state_size);
#endif
