/*
 * What n calls of one group do, once each process has noted them: they are compared, and their
 * matrices go in one exchange.
 */
#include "redist.h"

#include <stdlib.h>

obrd_side obrd_side_of(const obrd_matrix *x)
{
    return (obrd_side){.part = {{obrd_axis_of(x, 0), x->i - 1}, {obrd_axis_of(x, 1), x->j - 1}},
                       .row = x->row,
                       .column = x->column,
                       .local = x->local,
                       .ld = (size_t)x->desc[LLD]};
}

obrd_place *obrd_meet(obrd_call *c, size_t n)
{
    obrd_place *place = obrd_room(c, n * (size_t)ob_group_size(c->group), sizeof *place);
    for (size_t i = 0; i < n; i++)
        obrd_check(&c[i]);
    obrd_agree(c, n, place);
    return place;
}

void obrd_must_move(const obrd_call *c, int status)
{
    if (status == OBRD_ENOMEM) {
        obrd_say(c,
                 "OB-3504 no memory for what the rows and columns of %lld x %lld elements lie in",
                 (long long)c->move.length[0], (long long)c->move.length[1]);
        obrd_end();
    }
    obrd_must(c, status);
}

void obrd_bring(const obrd_call *c, size_t n, const obrd_place *place)
{
    size_t size = (size_t)ob_group_size(c->group);
    obrd_moved *moved = obrd_room(c, n, sizeof *moved);
    for (size_t i = 0; i < n; i++)
        moved[i] =
            (obrd_moved){c[i].move, obrd_side_of(&c[i].a), obrd_side_of(&c[i].b), place + i * size};
    obrd_must_move(c, obrd_exchange(c->group, n, moved));
    free(moved);
}

void obrd_carry_out(obrd_call *c, size_t n)
{
    obrd_place *place = obrd_meet(c, n);
    obrd_bring(c, n, place);
    free(place);
}
