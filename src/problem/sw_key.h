#ifndef SW_KEY_H
#define SW_KEY_H
/* One row a config key: it drives parsing, validation, `sweep explain`, docs/reference/config.md and sweep.cfg(5). The
 * common keys are in sweep/key_table.c, those of one problem kind in that problem's file. */
#include <stdbool.h>
#include <stdint.h>

struct sw_setup;

enum sw_key_kind {
    SW_KEY_REAL,      /* a number, or an expression over the parameters of the run                     */
    SW_KEY_COUNT,     /* likewise, and an integer                                                      */
    SW_KEY_WORD,      /* one of `words`, or "$axis"                                                    */
    SW_KEY_ROW,       /* a row of the table that does the work, by its name; "auto", or "$axis"        */
    SW_KEY_TEXT,      /* any string; of a problem also "$axis"                                         */
    SW_KEY_FUNCTION,  /* an expression over the points as well; `symbols` says which names it may use  */
    SW_KEY_TIMES,     /* a list of times, or "linspace(0, end, 11)"                                    */
    SW_KEY_NAMES,     /* a group whose members the user names: sweep, define                           */
    SW_KEY_UNKNOWNS,  /* a list of the names of the unknowns                                            */
    SW_KEY_LIST,      /* a list of names, or of numbers, one for the whole sweep                         */
    SW_KEY_SWITCH     /* true or false, one value for the whole sweep                                  */
};

/* What a FUNCTION may use besides the parameters of the run. X: the coordinates, x and as many of y and z as the
 * problem has dimensions. TERMS: the unknowns and their derivatives, x and t; the problem compiles it
 * (sw_problem_texts.prepare). */
enum { SW_USES_X = 1, SW_USES_T = 2, SW_USES_U = 4, SW_USES_RANDOM = 8, SW_USES_TERMS = 16 };

/* A word that is called something else now. The former one is still read, and runs keep their ids: those are hashed
 * with it. */
struct sw_renamed_word { const char *former, *now; };

struct sw_key {
    const char      *path;      /* "time.dt"                                                        */
    const char      *former;    /* the name it had before, which is still read, NULL: none. Runs keep their ids: those
                                   are hashed under this name                                       */
    enum sw_key_kind kind;
    const char      *unit;      /* "1", "s", "runs"; NULL where none makes sense                    */
    double           min, max;  /* REAL, COUNT: the range; min < max, otherwise unbounded           */
    bool             above;     /* min itself is excluded                                           */
    double           multiple;  /* COUNT: the value must be a multiple of this; 0: any integer       */
    const char      *stand_in;  /* REAL, COUNT: a text that is read as a number: of a REAL `max`, of a COUNT that of
                                   the run itself, from 0; NULL: none                               */
    /* Of a COUNT with a stand_in: whether its number changes nothing in run j. NULL: it always does.
     * @param column  [ncolumn][ld] */
    bool           (*idle)(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j);
    const char      *with;      /* of a problem: the key without which this one means nothing; of a REAL or a COUNT a
                                   run has its number only where that one is set. NULL: there is none */
    const char      *adaptive_only;  /* of a problem: what the key does to time.tolerance, without which it means
                                   nothing: "bounds the steps of time.tolerance"; NULL: it means something without   */
    const char      *unless;    /* a WORD that contradicts this one where it is unless_word; NULL: none */
    const char      *unless_word;
    const char      *fallback;  /* the default, as written in a config; NULL: the key is required; "": off     */
    const char      *adaptive;  /* the default where the config leaves steps to the program (sw_sweep.adaptive); NULL:
                                   that of fallback                                                 */
    const char      *unless_set;  /* "a|b": keys any of which, where it is set, leave the fallback; NULL: none */
    const char      *words;     /* WORD, LIST: "product|zip|random"                                 */
    const char    *(*word)(int k);  /* WORD: or these, one after another, NULL after the last: of a table      */
    const struct sw_renamed_word *renamed;  /* WORD: ends with former NULL; NULL: none                          */
    const char      *instead;   /* WORD: what to write for what none of these says; NULL: nothing   */
    unsigned         symbols;   /* FUNCTION                                                         */
    bool             from_exact;  /* FUNCTION: where the config has `exact` alone, that at t = 0 stands for it   */
    bool             each;      /* FUNCTION: one for each unknown: a group, whose members have their names, or where
                                   there is one unknown the expression itself                       */
    bool             beside;    /* of such a group: keys of its own may stand beside the expressions: noise.stream */
    bool             decides;   /* the numbers of a run depend on it: it is hashed into the run's id */
    const char      *in_ids;    /* FUNCTION: hashed instead of its path, where an earlier version made other numbers
                                   of it; NULL: none did                                            */
    bool             added_later;  /* WORD: there are files from before the key: its default is not hashed */
    bool             common;    /* WORD: one word for all runs, not "$axis"                         */
    bool             reads;     /* TEXT: names a file that runs read, or may                        */
    bool             visible;   /* REAL, COUNT: expressions may use its last part as a name         */
    const char      *name, *alias;  /* instead of its last part; one more name. NULL: none          */
    bool             element;   /* of a list that the row of the list describes: not explained by itself   */
    const char      *about;     /* one sentence, starting with a capital, ending with a full stop   */
};
#endif
