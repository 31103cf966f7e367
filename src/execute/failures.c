#include <stdio.h>
#include <string.h>

#include "execute/execute_impl.h"

enum { TOLD = 12 };  /* runs named */

void desk_add_failure(struct sw_desk *d, int64_t run, const char *message)
{
    char *text = d->summary->first_failures, part[sizeof d->failure_text];
    size_t used = strlen(text), room = sizeof d->summary->first_failures;
    snprintf(part, sizeof part, "%.*s", (int)strcspn(message, "("), message);
    for (size_t n = strlen(part); n && part[n - 1] == ' ';) part[--n] = 0;
    size_t tail = strlen(d->failure_text) + 2;
    if (d->failures > TOLD || used + strlen(part) + 40 > room) {
        if (used + 5 < room && strcmp(text + used - 3, "...")) strcpy(text + used, " ...");
    } else if (used && !strcmp(part, d->failure_text)) {  /* the same again: put the run before the message */
        used -= tail;
        char *colon = text + used;
        if (!strncmp(text + d->failure_at, "run ", 4)) {
            memmove(text + d->failure_at + 4, text + d->failure_at + 3, strlen(text + d->failure_at + 3) + 1);
            text[d->failure_at + 3] = 's';
            colon++;
        }
        snprintf(colon, room - (size_t)(colon - text), ", %lld: %s", (long long)run, part);
    } else {
        d->failure_at = used + (used ? 2 : 0);
        snprintf(text + used, room - used, "%srun %lld: %s", used ? "; " : "", (long long)run, part);
        snprintf(d->failure_text, sizeof d->failure_text, "%s", part);
    }
}
