/* Matrix Market files (R. F. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996): a banded matrix by coordinates,
 * general or symmetric, whose arrays are its diagonals; or an array, whose columns are systems. Texts are read as a
 * whole; entries in the corners, which close a system to a circle, as (1, n) and (n, 1), go into that row of the
 * diagonal on which they are then. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "input/input_impl.h"

enum { DIAGONALS = 2 * SW_ARRAYS_SIDE + 1 };

struct market {
    bool    coordinates;
    int     mirror;          /* 0: general; 1, -1: an entry below the main diagonal stands for one above it, too */
    int64_t rows, columns;
    int     side;            /* diagonals on each side of the main one           */
    double *number;          /* of coordinates [2 side + 1][rows], else [columns][rows] */
    bool   *there;           /* likewise: which have been read                   */
    long    corner_line[DIAGONALS];
    int64_t corner_row[DIAGONALS], entries[DIAGONALS];  /* that are not 0        */
};

struct reader { FILE *file; long line; char text[1024]; };

static bool recognizes(FILE *file)
{
    char head[14];
    return fread(head, 1, sizeof head, file) == sizeof head && !strncasecmp(head, "%%MatrixMarket", sizeof head);
}

/* The next line that says something. @return SW_E_CONFIG there is none */
static enum sw_status next_line(struct reader *r)
{
    while (fgets(r->text, sizeof r->text, r->file)) {
        r->line++;
        if (!strchr(r->text, '\n') && !feof(r->file)) return SW_FAIL(SW_E_CONFIG, "line %ld is too long", r->line);
        if (r->text[0] != '%' && r->text[strspn(r->text, " \t\r\n")]) return SW_OK;
    }
    if (ferror(r->file)) return SW_FAIL(SW_E_IO, "it cannot be read: %s", strerror(errno));
    return SW_FAIL(SW_E_CONFIG, "it ends after line %ld, before all entries are there", r->line);
}

static bool is_end(const char *text) { return !text[strspn(text, " \t\r\n")]; }

/* ------------------------------------------------------------------ its head */

static enum sw_status read_banner(struct reader *r, struct market *m)
{
    char object[32] = "", format[32] = "", field[32] = "", symmetry[32] = "";
    if (!fgets(r->text, sizeof r->text, r->file)) return SW_FAIL(SW_E_IO, "it cannot be read");
    r->line = 1;
    sscanf(r->text, "%*s %31s %31s %31s %31s", object, format, field, symmetry);
    m->coordinates = !strcasecmp(format, "coordinate");
    m->mirror = !strcasecmp(symmetry, "symmetric") ? 1 : !strcasecmp(symmetry, "skew-symmetric") ? -1 : 0;
    if (strcasecmp(object, "matrix") || (!m->coordinates && strcasecmp(format, "array")))
        return SW_FAIL(SW_E_CONFIG, "line 1: it is '%s %s'; a matrix begins '%%%%MatrixMarket matrix coordinate real "
                       "general', right-hand sides 'matrix array' in place of that", object, format);
    if (strcasecmp(field, "real") && strcasecmp(field, "double") && strcasecmp(field, "integer"))
        return SW_FAIL(SW_E_CONFIG, "line 1: the entries are '%s'; real or integer is needed there, and one number an "
                       "entry", field);
    if (!m->mirror && strcasecmp(symmetry, "general"))
        return SW_FAIL(SW_E_CONFIG, "line 1: the matrix is '%s'; general, symmetric or skew-symmetric is needed there",
                       symmetry);
    if (m->mirror && !m->coordinates)
        return SW_FAIL(SW_E_CONFIG, "line 1: the array is '%s'; general is needed there: all numbers, column after "
                       "column", symmetry);
    return SW_OK;
}

/* No memory is taken for what cannot be there: every row has an entry, and the rest of the file is long enough for all.
 * One takes at least "1 1 1" or "1", and the end of the line, which the last may lack. */
static enum sw_status check_entries(const struct reader *r, const struct market *m, long long entries)
{
    const long long least = m->coordinates ? 6 : 2, rows = m->rows;
    struct stat s;
    const long here = ftell(r->file);
    if (here < 0 || fstat(fileno(r->file), &s)) return SW_FAIL(SW_E_IO, "it cannot be read: %s", strerror(errno));
    const long long most = ((long long)s.st_size - here + 1) / least;
    if (entries < (m->mirror ? rows / 2 + rows % 2 : rows))
        return SW_FAIL(SW_E_CONFIG, "line %ld: %lld rows and %lld entries: a row has none, which makes the matrix "
                       "singular", r->line, rows, entries);
    if (entries <= most) return SW_OK;
    return SW_FAIL(SW_E_CONFIG, "line %ld: there are to be %lld entries, and the rest of the file has room for %lld at "
                   "most: is it cut off?", r->line, entries, most);
}

static enum sw_status read_size(struct reader *r, struct market *m, long long *entries)
{
    const int wanted = m->coordinates ? 3 : 2;
    const long long most_rows = 1000000000000;
    long long rows = 0, columns = 0;
    int used = 0;
    SW_TRY(next_line(r));
    *entries = 0;
    int found = m->coordinates ? sscanf(r->text, "%lld %lld %lld %n", &rows, &columns, entries, &used)
                               : sscanf(r->text, "%lld %lld %n", &rows, &columns, &used);
    if (found != wanted || !is_end(r->text + used))
        return SW_FAIL(SW_E_CONFIG, "line %ld: %s are expected, whole numbers and nothing else", r->line,
                       m->coordinates ? "the numbers of rows, columns and entries" : "the numbers of rows and columns");
    if (rows < 1 || columns < 1 || *entries < 0 || rows > most_rows || columns > (m->coordinates ? most_rows : 1000000))
        return SW_FAIL(SW_E_CONFIG, "line %ld: a matrix has 1 to 10^12 rows, an array up to 10^6 columns", r->line);
    if (m->coordinates && rows != columns)
        return SW_FAIL(SW_E_CONFIG, "line %ld: the matrix is %lld x %lld, not square", r->line, rows, columns);
    m->rows = rows;
    m->columns = m->coordinates ? 2 * m->side + 1 : columns;
    if (!m->coordinates) *entries = rows * columns;
    return check_entries(r, m, *entries);
}

/* ------------------------------------------------------------------ entries */

/* Fortran writes 4.0D+00. @return false: there is none */
static bool scan_number(char **text, double *value)
{
    char *end;
    *value = strtod(*text, &end);
    if (end != *text && toupper((unsigned char)*end) == 'D') {
        *end = 'e';
        *value = strtod(*text, &end);
    }
    const bool found = end != *text && (!*end || isspace((unsigned char)*end));
    *text = end;
    return found;
}

/* Which array holds entry (i, j), from 1, of a matrix; -1: none. @param corner  out: only a circle has it */
static int diagonal_of(const struct market *m, long long i, long long j, bool *corner)
{
    const long long place = j - i, round = place < 0 ? place + m->rows : place - m->rows;
    *corner = false;
    if (llabs(place) <= m->side) return (int)place + m->side;
    *corner = llabs(round) <= m->side;
    return *corner ? (int)round + m->side : -1;
}

static enum sw_status refuse_entry(const struct market *m, const struct reader *r, long long i, long long j)
{
    if (m->side == 1)
        return SW_FAIL(SW_E_CONFIG, "line %ld: the entry (%lld, %lld) is off the three diagonals; the matrix has to be "
                       "tridiagonal", r->line, i, j);
    return SW_FAIL(SW_E_CONFIG, "line %ld: the entry (%lld, %lld) is off the %d diagonals that the matrix may have, "
                   "%d on each side of the main one", r->line, i, j, 2 * m->side + 1, m->side);
}

static enum sw_status put(struct market *m, const struct reader *r, long long i, long long j, double value)
{
    bool corner;
    const int k = diagonal_of(m, i, j, &corner);
    if ((k < 0 || corner) && value == 0) return SW_OK;  /* stored, and says nothing */
    if (k < 0) return refuse_entry(m, r, i, j);
    const size_t at = (size_t)k * (size_t)m->rows + (size_t)i - 1;
    if (m->there[at])
        return SW_FAIL(SW_E_CONFIG, "line %ld: the entry (%lld, %lld) is there for the second time%s", r->line, i, j,
                       m->mirror ? "; it stands for the one across the main diagonal, too" : "");
    m->there[at] = true;
    m->number[at] = value;
    m->entries[k] += value != 0;
    if (!corner || m->corner_line[k]) return SW_OK;
    m->corner_line[k] = r->line;
    m->corner_row[k] = i;
    return SW_OK;
}

static enum sw_status read_coordinates(struct reader *r, struct market *m, long long entries)
{
    for (long long e = 0; e < entries; e++) {
        char *text;
        long long i, j;
        double value;
        SW_TRY(next_line(r));
        i = strtoll(r->text, &text, 10);
        j = strtoll(text, &text, 10);
        if (!scan_number(&text, &value) || !is_end(text) || i < 1 || j < 1 || i > m->rows || j > m->rows)
            return SW_FAIL(SW_E_CONFIG, "line %ld: a row and a column from 1 to %lld and a number are expected, as in "
                           "'1 1 0.5'", r->line, (long long)m->rows);
        if (m->mirror < 0 && i == j && value != 0)
            return SW_FAIL(SW_E_CONFIG, "line %ld: the entry (%lld, %lld) of a skew-symmetric matrix is 0 and is left "
                           "out", r->line, i, j);
        SW_TRY(put(m, r, i, j, value));
        if (m->mirror && i != j) SW_TRY(put(m, r, j, i, m->mirror * value));
    }
    return SW_OK;
}

static enum sw_status read_array(struct reader *r, struct market *m)
{
    for (int64_t k = 0; k < m->rows * m->columns; k++) {
        char *text = r->text;
        SW_TRY(next_line(r));
        if (!scan_number(&text, &m->number[k]) || !is_end(text))
            return SW_FAIL(SW_E_CONFIG, "line %ld: a number is expected: an array has one a line, column after column",
                           r->line);
    }
    return SW_OK;
}

static enum sw_status read_all(struct reader *r, struct market *m)
{
    long long entries;
    SW_TRY(read_banner(r, m));
    SW_TRY(read_size(r, m, &entries));
    SW_TRY(sw_alloc((size_t)m->rows * (size_t)m->columns, &m->number));
    if (m->coordinates) SW_TRY(sw_alloc((size_t)m->columns * (size_t)m->rows, &m->there));
    SW_TRY(m->coordinates ? read_coordinates(r, m, entries) : read_array(r, m));
    return next_line(r) ? SW_OK : SW_FAIL(SW_E_CONFIG, "line %ld: it goes on after the last of %lld entries", r->line,
                                             entries);
}

static void close_market(void *own)
{
    struct market *m = own;
    if (!m) return;
    sw_free(m->number);
    sw_free(m->there);
    sw_free(m);
}

static enum sw_status open_market(const char *path, int side, void **own)
{
    struct market *m;
    const char *reason;
    struct reader r = {.file = sw_open_to_read(path, &reason)};
    if (!r.file) return SW_FAIL(SW_E_CONFIG, "%s", reason);
    enum sw_status st = sw_alloc(1, &m);
    *own = m;
    if (!st) m->side = side;
    if (!st) st = read_all(&r, m);
    fclose(r.file);
    if (!st) { sw_free(m->there); m->there = NULL; }
    return st;
}

/* ------------------------------------------------------------------ its arrays */

static enum sw_arrays_kind kind(const void *own)
{
    return ((const struct market *)own)->coordinates ? SW_ARRAYS_DIAGONALS : SW_ARRAYS_COLUMNS;
}

static enum sw_status find(void *own, const char *name, struct sw_array *a)
{
    const struct market *m = own;
    const int k = m->coordinates ? atoi(name) + m->side : 0;
    if (k < 0 || (m->coordinates && k > 2 * m->side))
        return SW_FAIL(SW_E_CONFIG, "a matrix has %d diagonals on each side of the main one", m->side);
    *a = (struct sw_array){.index = k, .systems = m->coordinates ? 1 : m->columns, .n = m->rows,
                           .rank = m->coordinates ? 1 : 2, .corner_line = m->corner_line[k],
                           .corner_row = m->corner_row[k], .entries = m->entries[k], .from = {0, 1},
                           .scale = {"run", "x"}};
    a->stored = a->rank;
    if (a->rank == 2) a->dim[0] = a->systems;
    a->dim[a->rank - 1] = a->n;
    return SW_OK;
}

static enum sw_status read_numbers(void *own, const struct sw_array *a, const int64_t *first, const int64_t *count,
                                   double *out)
{
    const struct market *m = own;
    const int last = a->rank - 1;
    const int64_t column = last ? first[0] : a->index, columns = last ? count[0] : 1;
    for (int64_t s = 0; s < columns; s++)
        memcpy(out + s * count[last], m->number + (column + s) * m->rows + first[last],
               (size_t)count[last] * sizeof *out);
    return SW_OK;
}

extern const struct input_format input_matrix_market;
const struct input_format input_matrix_market = {
    .name = "Matrix Market",
    .whole = true,
    .recognizes = recognizes,
    .open = open_market,
    .kind = kind,
    .find = find,
    .read = read_numbers,
    .close = close_market,
};
