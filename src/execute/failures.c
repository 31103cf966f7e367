/* Runs that end badly, or in a way that wants a word, as the last line of a sweep names them. */
#include <stdio.h>
#include <string.h>

#include "base/sw_text.h"
#include "execute/execute_impl.h"

enum { TOLD = 12 };  /* runs named */

void desk_name(struct named *n, char text[NAMED_ROOM], int64_t run, const char *message)
{
    char part[sizeof n->last];
    size_t used = strlen(text), room = NAMED_ROOM;
    n->count++;
    if (n->full) return;
    sw_fit(part, sizeof part, message);
    size_t end = strcspn(part, "(");
    while (part[end] && end && part[end - 1] == ' ') end--;
    part[end] = 0;
    size_t tail = strlen(n->last) + 2;
    if (n->count > TOLD || used + strlen(part) + 40 > room) {
        n->full = true;
        if (used + 5 < room) strcpy(text + used, " ...");
    } else if (used && !strcmp(part, n->last)) {  /* the same again: put the run before the message */
        used -= tail;
        char *colon = text + used;
        if (!strncmp(text + n->at, "run ", 4)) {
            memmove(text + n->at + 4, text + n->at + 3, strlen(text + n->at + 3) + 1);
            text[n->at + 3] = 's';
            colon++;
        }
        snprintf(colon, room - (size_t)(colon - text), ", %lld: %s", (long long)run, part);
    } else {
        n->at = used + (used ? 2 : 0);
        snprintf(text + used, room - used, "%srun %lld: %s", used ? "; " : "", (long long)run, part);
        snprintf(n->last, sizeof n->last, "%s", part);
    }
}
