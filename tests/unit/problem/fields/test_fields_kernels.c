/* Every row that steps fields on a GPU compiles its kernels, of all equations and methods, on a machine without one. */
#include "architecture.h"
#include "field_cases.h"
#include "random_field_problems.h"

static struct sw_device *device_of(const char *row, int threads)
{
    (void)row, (void)threads;
    return NULL;  /* nothing runs */
}

static void own_nothing(void *own) { (void)own; }

static void compile(const struct fields_desc *desc, const char *row, int sm)
{
    struct sw_device *device = open_architecture(sm);
    struct sw_sim *sim = NULL;
    const struct fields_source source = {.destroy = own_nothing};
    const enum sw_status st = fields_sim_create(desc, row, device, &source, &sim);
    if (sim) sim->ops->destroy(sim);
    assert_compiled(st, device);
}

/* In two dimensions with lines that threads of cuda.fused have in registers where `whole`. */
static void try_row(const char *row, const struct field_equation *e, enum sw_scheme scheme, double tolerance, int sm,
                    bool whole)
{
    const int64_t n[] = {e->axes > 2 ? 12 : 64, e->axes > 2 ? 10 : whole ? 48 : 23, e->axes > 2 ? 6 : 1};
    struct field_case p;
    make_field_case(e, n, scheme, tolerance, 2, &p);
    print_message("%s, %s\n", row, e->name);
    compile(&p.desc, row, sm);
    destroy_field_case(&p);
}

/* An equation has one method and one architecture; SW_LONG=1: all. */
static void all_equations_compile(void **state)
{
    static const enum sw_scheme schemes[] = {SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3};
    (void)state;
    need_architectures();
    for (int r = 0; fields_sim_row(r); r++)
        for (int k = 0; k < FIELD_EQUATIONS; k++)
            for (int m = 0; m < 6; m++) {
                const struct field_equation *e = &field_equations[k];
                if (strncmp(fields_sim_row(r), "cuda.", 5) || (!long_suite() && m != (4 * k + r) % 6)) continue;
                const double tolerance = m / 3 && m % 3 && strcmp(e->name, "noise") ? 1e-4 : 0;
                try_row(fields_sim_row(r), e, schemes[m % 3], tolerance, (k + m) % 2 ? 80 : 90, k % 2 == 0);
            }
}

/* Lines that a cluster of blocks has, or fewer beside each other where there are none. */
static void long_lines_compile(void **state)
{
    const int64_t n[] = {16, 9000, 1};
    struct field_case p;
    (void)state;
    need_architectures();
    make_field_case(&field_equations[0], n, SW_BACKWARD_EULER, 0, 2, &p);
    compile(&p.desc, "cuda.stream", 90);
    compile(&p.desc, "cuda.stream", 80);
    destroy_field_case(&p);
}

/* Between walls of all kinds, which take 1 to 3 s each; SW_LONG=1: more of them, of up to four unknowns, too. */
static void walls_compile(void **state)
{
    (void)state;
    need_architectures();
    for (int k = 0; k < (long_suite() ? 24 : 3); k++) {
        struct problem p;
        do {
            make_problem(&p, k % 3 == 2 ? 3 : 2, 2, false, true);
            if (p.unknowns <= (long_suite() ? UNKNOWNS : 1) && size_of(&p) < 4000) break;
            destroy_problem(&p);
        } while (true);
        const struct fields_desc desc = desc_of(&p, 1);
        print_message("imex%d, %d unknowns, %d axes, walls %d%d%d%s\n", fields_method_of(p.scheme)->order, p.unknowns,
                      p.axes, p.walls[0], p.walls[1], p.walls[2], moves(&p) ? ", moving" : "");
        compile(&desc, k % 2 ? "cuda.fused" : "cuda.stream", k % 4 ? 90 : 80);
        destroy_problem(&p);
    }
}

/* Runs that cuda.fused cuts over clusters of blocks, in registers and by passes. */
static void clusters_compile(void **state)
{
    static const struct { int equation; enum sw_scheme scheme; int64_t n[3]; double tolerance; } cases[] = {
        {0, SW_BACKWARD_EULER, {256, 256, 1}, 0}, {1, SW_IMEX2, {50, 77, 1}, 1e-4}};
    (void)state;
    need_architectures();
    for (int k = 0; k < 2; k++) {
        struct field_case p;
        make_field_case(&field_equations[cases[k].equation], cases[k].n, cases[k].scheme, cases[k].tolerance, 2, &p);
        compile(&p.desc, "cuda.fused", 90);
        destroy_field_case(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_equations_compile), cmocka_unit_test(long_lines_compile),
                                       cmocka_unit_test(clusters_compile), cmocka_unit_test(walls_compile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
