/*
 * What the two halves of this BLACS share: the communicators behind a context, and what
 * becomes of an error. Both see nothing of OpenBLACS but the MLACS.
 */
#ifndef BLACS_ON_MLACS_CONTEXT_H
#define BLACS_ON_MLACS_CONTEXT_H

#include <openblacs/mlacs.h>

/* What blacs_set keeps for blacs_get: rings and branches of topologies, repeatable and
 * coherent combines. They change nothing here. */
enum { SETTING_FIRST = 11, SETTINGS = 6 };

/* The communicators that the paper caches with the one the grid was made from. */
typedef struct grid {
    MLACS_Comm all, row, column;
    int nprow, npcol, myrow, mycol;
    int setting[SETTINGS];
} grid;

/* One call of a BLACS routine. */
typedef struct call {
    const char *routine;
    int context;
} call;

/* The grid of a context; ends the job when there is none. */
const grid *grid_of(const call *c);
/* The communicator of a scope (the paper's UNCACHE_COMMUNICATOR). */
MLACS_Comm scope_of(const call *c, const grid *g, char scope);
/* Ends the job with a line, unless the code is MLACS_SUCCESS. */
void must(const call *c, int code);
_Noreturn void fault(const call *c, const char *what);

static inline char upper(char letter)
{
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

#endif
