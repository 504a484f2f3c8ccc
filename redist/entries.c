/*
 * The routines, in 64 bits, of all types.
 */
#include "common/letter.h"
#include "redist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void matrix(obrd_matrix *x, int64_t i, int64_t j, const int64_t *desc, const void *local)
{
    x->i = i;
    x->j = j;
    x->local = (void *)local;
    memcpy(x->desc, desc, sizeof x->desc);
}

/* ------------------------------------------------------------------- moves */

static void start(obrd_call *c, const obrd_arguments *g)
{
    c->routine = g->routine;
    c->context = g->context;
    c->move.bytes = ob_type_bytes(g->type);
    matrix(&c->a, g->ia, g->ja, g->desca, g->a);
    matrix(&c->b, g->ib, g->jb, g->descb, g->b);
    obrd_enter(c);
}

/* A and B of the same size: what M and N say of both, at `place` and behind it. */
static void same_size(obrd_call *c, const obrd_arguments *g, int place)
{
    c->a.m = c->b.m = c->move.length[0] = g->m;
    c->a.n = c->b.n = c->move.length[1] = g->n;
    c->a.m_place = c->b.m_place = place;
    c->a.n_place = c->b.n_place = place + 1;
    c->a.desc_place = place + 5;
    c->b.desc_place = place + 9;
    c->context_place = place + 10;
}

static void move_matrix(obrd_call *c, const obrd_arguments *g)
{
    start(c, g);
    if (!obrd_together_note(c))
        obrd_carry_out(c, 1);
}

void obrd_gemr2d(const obrd_arguments *g)
{
    obrd_call c = {.names = "M N A IA JA DESCA B IB JB DESCB ICTXT",
                   .code = {'G', (int64_t)g->type}};
    if (g->m == 0 || g->n == 0)
        return;
    same_size(&c, g, 1);
    move_matrix(&c, g);
}

static char capital(const char *letter)
{
    return ob_capital(letter ? *letter : ' ');
}

/* Notes a letter that is neither of two. */
static void check_letter(obrd_call *c, int argument, char letter, const char *either)
{
    if (letter == either[0] || letter == either[1] || c->fault.part)
        return;
    c->fault.part = 100 * argument;
    snprintf(c->fault.text, sizeof c->fault.text, "is '%c', must be %c or %c",
             letter >= ' ' && letter <= '~' ? letter : '?', either[0], either[1]);
}

void obrd_trmr2d(const obrd_arguments *g, const char *uplo, const char *diag)
{
    char u = capital(uplo), d = capital(diag);
    obrd_call c = {.names = "UPLO DIAG M N A IA JA DESCA B IB JB DESCB ICTXT",
                   .code = {'T', (int64_t)g->type, u, d},
                   .move = {.shape = u == 'U' ? OB_UPPER : OB_LOWER, .without_diagonal = d == 'U'}};
    if (g->m == 0 || g->n == 0)
        return;
    check_letter(&c, 1, u, "UL");
    check_letter(&c, 2, d, "UN");
    same_size(&c, g, 3);
    move_matrix(&c, g);
}

/* -------------------------------------------------------------- transposes */

/* A scalar as numbers to compare. */
static void note_scalar(int64_t code[2], ob_type type, const void *scalar)
{
    size_t bytes = ob_type_bytes(type);
    memset(code, 0, 2 * sizeof *code);
    memcpy(code, scalar, bytes);
    for (int i = 0; i < 2; i++) /* 62 bits are compared */
        code[i] = (int64_t)((uint64_t)code[i] ^ (uint64_t)code[i] >> 62) & (((int64_t)1 << 62) - 1);
}

void obrd_tran(const obrd_arguments *g, bool conjugate, const void *alpha, const void *beta)
{
    obrd_call c = {.names = "M N ALPHA A IA JA DESCA BETA C IC JC DESCC",
                   .context_place = 7,
                   .code = {'X' + conjugate, (int64_t)g->type},
                   .a = {.m = g->n, .n = g->m, .m_place = 2, .n_place = 1, .desc_place = 7},
                   .b = {.m = g->m, .n = g->n, .m_place = 1, .n_place = 2, .desc_place = 12},
                   .move = {.length = {g->n, g->m},
                            .transposed = true,
                            .apply = obrd_apply_of(g->type, conjugate, alpha, beta),
                            .alpha = alpha,
                            .beta = beta}};
    if (g->m == 0 || g->n == 0)
        return;
    note_scalar(c.code + 2, g->type, alpha);
    note_scalar(c.code + 4, g->type, beta);
    start(&c, g);
    if (g->descb[CTXT] != g->desca[CTXT] && c.fault.part == 0) {
        c.fault.part = 1200 + CTXT + 1;
        snprintf(c.fault.text, sizeof c.fault.text, "is %lld, must be that of DESCA, %lld",
                 (long long)g->descb[CTXT], (long long)g->desca[CTXT]);
    }
    obrd_place *place = obrd_meet(&c, 1);
    const obrd_side to = obrd_side_of(&c.b);
    if (!obrd_is(g->type, alpha, 0))
        obrd_bring(&c, 1, place);
    else
        obrd_must_move(&c, obrd_scale(g->type, &to, g->m, g->n, beta));
    free(place);
}
