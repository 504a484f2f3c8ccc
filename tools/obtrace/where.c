/*
 * Where in the program a stretch between two calls lies. A call site has the function that called,
 * and at most one caller of that; so of the two calls' common caller as much is known as their
 * sites tell.
 */
#include <string.h>

#include "analysis.h"

enum { LEVELS = 2 };

/* "sweep+0xab called from main+0x83": the inner one first. */
typedef struct chain {
    struct {
        const char *place;
        int length, name; /* of the place, and of the function's name in it */
    } at[LEVELS];
    int count;
} chain;

static chain chain_of(const obt_analysis *a, uint32_t call)
{
    static const char next[] = " called from ";
    chain c = {.count = 0};
    int32_t site = call == OBT_NO_CALL ? -1 : a->calls[call].site;
    const char *p = site < 0 ? NULL : a->trace->sites[site];
    while (p && c.count < LEVELS) {
        const char *end = strstr(p, next);
        int length = (int)(end ? (size_t)(end - p) : strlen(p));
        const char *plus = memchr(p, '+', (size_t)length);
        c.at[c.count].place = p;
        c.at[c.count].length = length;
        c.at[c.count++].name = plus ? (int)(plus - p) : length;
        p = end ? end + strlen(next) : NULL;
    }
    return c;
}

/* The innermost function that both are in: its level in each. */
static bool common(const chain *a, const chain *b, int *i, int *k)
{
    for (*i = 0; *i < a->count; ++*i)
        for (*k = 0; *k < b->count; ++*k)
            if (a->at[*i].name == b->at[*k].name &&
                memcmp(a->at[*i].place, b->at[*k].place, (size_t)a->at[*i].name) == 0)
                return true;
    return false;
}

/* The name, or the place in it, of a level. */
#define NAME(c, i) (c).at[i].name, (c).at[i].place
#define PLACE(c, i) (c).at[i].length, (c).at[i].place

const char *obt_delay_where(const obt_analysis *a, const obt_delay *d, char *text, size_t room)
{
    chain from = chain_of(a, d->before), to = chain_of(a, d->afters > 1 ? OBT_NO_CALL : d->after);
    char ends[512] = "", begins[512] = "";
    int i, k;
    *text = '\0';
    if (!obt_outside(d) || from.count == 0)
        return text;
    if (to.count == 0) {
        i = from.count - 1;
        snprintf(text, room, "in %.*s after %.*s", NAME(from, i), PLACE(from, i));
    } else if (common(&from, &to, &i, &k)) {
        snprintf(text, room, "in %.*s between %.*s and %.*s", NAME(from, i), PLACE(from, i),
                 PLACE(to, k));
        if (k > 0)
            snprintf(begins, sizeof begins, ", at the begin of %.*s", NAME(to, 0));
    } else {
        i = from.count - 1;
        snprintf(text, room, "in what called %.*s and %.*s", NAME(from, i), NAME(to, to.count - 1));
        snprintf(begins, sizeof begins, ", at the begin of %.*s", NAME(to, to.count - 1));
        i = from.count;
    }
    if (i > 0)
        snprintf(ends, sizeof ends, ", at the end of %.*s", NAME(from, i - 1));
    size_t n = strlen(text);
    if (n < room)
        snprintf(text + n, room - n, "%s%s", ends, begins);
    return text;
}
