#ifndef EMIT_H
#define EMIT_H
/* The instructions of a program while it is made: equal ones are made once, constants are folded. Private to the
 * compiler. Functions give the index of an instruction, or -1 with the status set when memory is out. */
#include "expr/expr_impl.h"

struct emitter {          /* start from {.program = ...} with an empty program; emit_finish() ends it   */
    struct sw_program *program;
    int  room, buckets;   /* buckets: a power of two, at least four for each instruction */
    int *bucket;          /* hash table of instruction indices plus one; 0: empty        */
    enum sw_status status;
};

/** An instruction equal to this one. */
int emit_instruction(struct emitter *e, const struct instruction *in);
int emit_number(struct emitter *e, double value);

/** The value of op(x, y, z) by as little work as will do; operands that op lacks are -1. */
int emit(struct emitter *e, enum operation op, int x, int y, int z);

/** Schedule the program and hand it over; the emitter holds nothing any more.
 * @param st       what making the instructions came to: not SW_OK discards them
 * @param program  out: NULL on failure
 * @return st, the emitter's status, or SW_E_MEMORY */
enum sw_status emit_finish(struct emitter *e, enum sw_status st, struct sw_program **program);
#endif
