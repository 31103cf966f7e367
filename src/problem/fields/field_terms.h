#ifndef FIELD_TERMS_H
#define FIELD_TERMS_H
/* The texts of equations in two or three dimensions as what a stepper of fields computes. For each unknown u
 *
 *     u_t = F = rhs         A_j = 1 - gamma dt (a0/d + m2_j d_jj - m4_j d_jjjj),  j = x, y (, z)
 *
 * F is the whole right-hand side in differences (expr/sw_differences.h): a program in the unknowns at a point and
 * around it, in x, y, z, t and numbers of a run. The line matrices A_j take m2 and m4 from the constant coefficients
 * a2_j of u_jj and a4_j of -u_jjjj, and from A2_j and A4_j, the largest values over a field of all that stands before
 * u_jj and -u_jjjj when the rest is frozen: G'(u) of lap(G(u)), f of div(f*dx(u), f*dy(u)), h^3 of
 * -div(h^3*dx(lap(h)), h^3*dy(lap(h))). What grows has the other sign: a0 > 0, a2 < 0, a4 < 0. */
#include "expr/sw_expr.h"
#include "field/grid.h"

struct fields_text {                  /* all borrowed, and not needed after fields_terms_create()     */
    int dimensions;                   /* 2 or 3                                                       */
    int unknowns;                     /* 1 .. SW_UNKNOWNS_MOST                                        */
    const char *unknown[SW_UNKNOWNS_MOST];
    const char *rhs[SW_UNKNOWNS_MOST];
    const struct sw_expr *source[SW_UNKNOWNS_MOST];  /* added to F as it is, in the coordinates, t, numbers of a run and
                                       * unknowns here and beside (sw_grid_neighbour_name()); NULL: nothing */
    const struct sw_scope *run;       /* numbers of a run: RUN symbols of slots below first_number    */
    int first_number;                 /* slots first_number .. + FIELDS_NUMBERS - 1 are the grid's    */
    int order;                        /* of F's differences: 4; else 2                                */
    unsigned closed[SW_DIMS][2];      /* bit v: no flux of unknown v goes through the left, or right, wall of an axis */
};

/* What is wrong, and in which text. */
struct fields_error {
    struct sw_expr_error error;
    int  unknown;      /* whose                                                  */
    bool in_name;      /* its name is wrong, not its rhs                         */
};

/* What programs take in at a point. Slots SW_IN_X, SW_IN_Y, SW_IN_Z are CELL symbols, the coordinates; slot
 * FIELDS_INPUTS + k is a POINT symbol, unknown neighbour[k].unknown so many points along x, y, z; the STEP symbol is
 * the time. A periodic grid has neighbours across its ends. On a GPU slots from FIELDS_POINT on are the bits of
 * i, j, above and k of sw_noise_place(). */
enum { FIELDS_POINT = SW_IN_Z + 1, FIELDS_INPUTS = FIELDS_POINT + 4, FIELDS_REACH = 3 };
struct fields_neighbour { int unknown, offset[SW_DIMS]; };

/* The coefficients of one unknown's equation. All programs are NULL where there is no such term. Those of rate RUN,
 * all of linear but `all`, are a number of the run: sw_program_over_runs(); the others have a value at each point. */
struct fields_row {
    struct sw_program *rhs;                  /* F; never NULL                                                       */
    struct {                                 /* constant coefficients, of rate RUN, of                              */
        struct sw_program *a0;               /* u                                                                   */
        struct sw_program *a2[SW_DIMS];      /* u_jj                                                                */
        struct sw_program *a4[SW_DIMS];      /* -u_jjjj                                                             */
        struct sw_program *all;              /* and all else of u, in F's differences: of neighbours at a point     */
        struct sw_program *a6[SW_DIMS];      /* u_jjjjjj                                                            */
        bool odd;                            /* it has derivatives of odd order                                     */
    } linear;
    struct {                                 /* all that stands before, the constants included, of                  */
        struct sw_program *a1[SW_DIMS];      /* u_j                                                                 */
        struct sw_program *a2[SW_DIMS];      /* u_jj                                                                */
        struct sw_program *a3[SW_DIMS];      /* u_jjj                                                               */
        struct sw_program *a4[SW_DIMS];      /* -u_jjjj                                                             */
        struct sw_program *cross[SW_DIMS];   /* u_xy, u_xz, u_yz: 2c of fields with 2c u_xy                         */
        struct sw_program *a2_of[SW_UNKNOWNS_MOST];  /* w_xx of another unknown w; that of u itself: NULL           */
    } frozen;
    char *constant;  /* for people: linear, "D*dxx(u) + D*dyy(u)"; NULL: there is nothing                           */
    char *varying;   /* what frozen.a2 and a4 have beside it, "3*u^2 - 1 of dxx(u), dyy(u)"; NULL: nothing          */
};

/* Immutable: any number of threads may read one. */
struct fields_terms {
    int dimensions, unknowns, order;
    struct fields_row row[SW_UNKNOWNS_MOST];
    struct fields_neighbour *neighbour;      /* [neighbours] of all programs together, each once                    */
    int  neighbours;
    int  reach[SW_DIMS];                     /* how many points away they are, at most: 0 .. FIELDS_REACH           */
    int  inputs;                             /* FIELDS_INPUTS + neighbours: the length of what programs take in     */
    bool noise;                              /* a right-hand side calls rand or randn                               */
    bool high;                               /* it has derivatives beyond the fourth order, with constant
                                              * coefficients: only exact solves do them                             */
};

/** Read and compile the texts.
 * @param terms  out: NULL on failure; free with fields_terms_destroy()
 * @param err    filled on SW_E_CONFIG
 * @return SW_E_CONFIG no expression, a name that is not known, an unknown with a name that means something else,
 *         derivatives that come to an order above 6, above 4 with coefficients that vary, random numbers in a
 *         derivative, of order 4 a derivative of what has derivatives itself; SW_E_MEMORY */
enum sw_status fields_terms_create(const struct fields_text *text, struct fields_terms **terms,
                                   struct fields_error *err);
void fields_terms_destroy(struct fields_terms **terms);

/** The column of the first derivative along an axis, in a text of an equation and outside other derivatives, whose flux
 * at a wall with u_n = u_nnn = 0 is not 0.
 * @param column  out: 0: there is none  @return SW_E_MEMORY; SW_E_CONFIG it is no expression */
enum sw_status fields_open_flux(const char *text, int dimensions, int axis, int *column);

/** How many points away along an axis an unknown is asked for: 2 or more where something differentiates it more than
 * twice along it. */
int fields_terms_reach(const struct fields_terms *terms, int unknown, int axis);

/** The grid's numbers of a run, which programs take from slot first_number on; and those among them that say where a
 * coordinate of a closed flux is as far inside (sw_mirror_name()), which of periodic axes are infinite.
 * @param dx      distances of points along x, y, z; those of dimensions there are not: any
 * @param number  out: [FIELDS_NUMBERS] */
enum { FIELDS_NUMBERS = 12 * SW_DIMS };
void fields_numbers(const double dx[SW_DIMS], double number[FIELDS_NUMBERS]);
/** Set those of an axis that ends. @param from, to  its first and last point */
void fields_set_mirrors(int axis, double from, double to, double number[FIELDS_NUMBERS]);
#endif
