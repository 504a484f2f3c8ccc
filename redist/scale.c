/*
 * A part of a matrix multiplied by a number where it lies: what a transpose with alpha 0 does.
 */
#include "redist.h"

#include <string.h>

enum { PIECE = 256 };
static const double zeros[2 * PIECE];

static void scale_run(ob_type type, size_t n, char *at, const void *beta)
{
    const size_t bytes = ob_type_bytes(type);
    obrd_apply apply = obrd_apply_of(type, true, zeros, beta);
    if (obrd_is(type, beta, 0))
        memset(at, 0, n * bytes);
    else
        for (size_t i = 0; i < n; i += PIECE)
            apply(n - i < PIECE ? n - i : PIECE, at + i * bytes, zeros, zeros, beta);
}

int obrd_scale(ob_type type, const obrd_side *side, int64_t m, int64_t n, const void *beta)
{
    const obrd_part whole[2] = {{{m, m, 0, 1}, 0}, {{n, n, 0, 1}, 0}};
    const size_t bytes = ob_type_bytes(type);
    obrd_lines rows = {0}, columns = {0};
    if (side->row < 0 || obrd_is(type, beta, 1))
        return OB_OK;
    int status = obrd_lines_make(&rows, &side->part[0], side->row, &whole[0], m);
    status =
        status ? status : obrd_lines_make(&columns, &side->part[1], side->column, &whole[1], n);
    if (status == OB_OK) {
        const obrd_list r = obrd_list_of(&rows, 0), c = obrd_list_of(&columns, 0);
        for (size_t i = 0; i < c.runs; i++)
            for (int64_t k = 0; k < c.run[i + 1].before - c.run[i].before; k++)
                for (size_t j = 0; j < r.runs; j++)
                    scale_run(type, (size_t)(r.run[j + 1].before - r.run[j].before),
                              side->local +
                                  ((size_t)(c.run[i].here + k) * side->ld + (size_t)r.run[j].here) *
                                      bytes,
                              beta);
    }
    obrd_lines_free(&rows);
    obrd_lines_free(&columns);
    return status;
}
