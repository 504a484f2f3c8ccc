/*
 * Lists of moves, which the forms fill.
 */
#include <stdlib.h>

#include "collective/scheme/form.h"

void ob_moves_add(ob_moves *m, ob_move move)
{
    if (m->count == m->room) {
        int room = m->room ? 2 * m->room : 32;
        ob_move *more = realloc(m->at, (size_t)room * sizeof *more);
        if (more == NULL) {
            m->failed = true;
            return;
        }
        m->at = more;
        m->room = room;
    }
    m->at[m->count++] = move;
}

void ob_moves_free(ob_moves *m)
{
    free(m->at);
    *m = (ob_moves){0};
}
