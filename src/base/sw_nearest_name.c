#include "base/sw_nearest_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 63 };

static int min3(int a, int b, int c) { int m = a < b ? a : b; return m < c ? m : c; }

static bool same_letter(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Edit distance where swapping two neighbours counts as one edit (Damerau, restricted). */
static int distance(const char *a, const char *b)
{
    int la = (int)strlen(a), lb = (int)strlen(b);
    int row[3][LONGEST + 2];
    if (la > LONGEST || lb > LONGEST) return LONGEST;
    for (int j = 0; j <= lb; j++) row[0][j] = j;
    for (int i = 1; i <= la; i++) {
        int *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= lb; j++) {
            now[j] = min3(up[j] + 1, now[j - 1] + 1, up[j - 1] + !same_letter(a[i - 1], b[j - 1]));
            const bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
            if (swapped && up2[j - 2] + 1 < now[j]) now[j] = up2[j - 2] + 1;
        }
    }
    return row[la % 3][lb];
}

static const char *only_beginning_with(const char *word, const char *const *names, int count)
{
    const size_t length = strlen(word);
    const char *found = NULL;
    for (int k = 0; k < count && length > 2; k++) {
        if (!names[k] || strncasecmp(names[k], word, length)) continue;
        if (found) return NULL;
        found = names[k];
    }
    return found;
}

const char *sw_nearest_name(const char *word, const char *const *names, int count)
{
    const char *best = NULL;
    int limit = (int)strlen(word) / 3 + 1, least = limit + 1;
    for (int k = 0; k < count; k++) {
        int d = names[k] ? distance(word, names[k]) : least;
        /* "kx" is not a misspelt "k": one edit must leave something in common */
        if (d < least && d < (int)strlen(word)) { least = d; best = names[k]; }
    }
    const char *longer = least > 1 ? only_beginning_with(word, names, count) : NULL;
    return longer ? longer : best;
}

int sw_name_index(const char *name, const char *const *names, int count)
{
    for (int k = 0; k < count; k++)
        if (!strcmp(names[k], name)) return k;
    return -1;
}
