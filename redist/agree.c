/*
 * What all processes of a call must say alike, and who they are: one combine and one collect, also
 * of several calls. What is wrong on one process, or not the same on all, is found by all of them,
 * so that none waits for others that have ended. In the same combine those learn a descriptor that
 * are not in its grid.
 */
#include "redist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alike.h"

/* A value that all who know it have alike. */
typedef struct item {
    int64_t *value;
    int part;
    bool known;
} item;

enum { OF_MATRIX = 6 + CSRC - M + 1, ITEMS = 6 + 2 * OF_MATRIX, WORDS = 2 * ITEMS + 1 };

/* -------------------------------------------------------------- the values */

static size_t items_of_matrix(obrd_matrix *x, item *list)
{
    const int desc = 100 * x->desc_place + 1;
    const item all[] = {{&x->m, 100 * x->m_place, true},   {&x->n, 100 * x->n_place, true},
                        {&x->rows, desc + CTXT, false}, /* before others that may be unknown */
                        {&x->columns, desc + CTXT, false}, {&x->i, desc - 201, false},
                        {&x->j, desc - 101, false}};
    size_t n = sizeof all / sizeof *all;
    memcpy(list, all, sizeof all);
    for (int entry = M; entry <= CSRC; entry++)
        list[n++] = (item){&x->desc[entry], desc + entry, false};
    for (size_t i = 0; i < n; i++)
        list[i].known |= x->row >= 0;
    return n;
}

/* What is said of a call as a whole has no argument of its own. */
static size_t items_of(obrd_call *c, item *list)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof c->code / sizeof *c->code; i++)
        list[n++] = (item){&c->code[i], 0, true};
    n += items_of_matrix(&c->a, list + n);
    return n + items_of_matrix(&c->b, list + n);
}

/* ------------------------------------------------------------- the verdict */

static _Noreturn void end(const obrd_call *c, bool knows, int part, const char *code,
                          const char *text)
{
    if (obrd_speaks(knows)) {
        if (part)
            obrd_say_part(c, part, code, text);
        else
            obrd_say(c, "%s", text);
    }
    obrd_end();
}

static void refuse_wrong(const obrd_call *c, int64_t word)
{
    int64_t part = ob_alike_part(word);
    if (part)
        end(c, ob_alike_wrong(part, ob_group_me(c->group)) == word, c->fault.part, "OB-3500",
            c->fault.text);
}

static void refuse_different(const obrd_call *c, const item *x, int64_t least, int64_t most)
{
    char text[200];
    if (x->part == 0)
        end(c, ob_group_me(c->group) == 0, 0, NULL,
            "OB-3501 the processes call different routines, or with different UPLO, DIAG, ALPHA or "
            "BETA");
    snprintf(text, sizeof text,
             x->part % 100 == CTXT + 1 ? "is a grid of %" PRId64
                                         " rows or columns on one process and of %" PRId64
                                         " on another, must be the same on all"
                                       : "is %" PRId64 " on one process and %" PRId64
                                         " on another, must be the same on all",
             least, most);
    end(c, ob_group_me(c->group) == 0, x->part, "OB-3501", text);
}

static void refuse_unknown(const obrd_call *c, const item *x)
{
    end(c, ob_group_me(c->group) == 0, x->part, "OB-3503",
        "is -1 on all processes that call: none of them is in the matrix's grid");
}

/* ------------------------------------------------------------------ places */

static _Noreturn void refuse_grid(const obrd_call *c, const obrd_matrix *x, const char *text)
{
    end(c, ob_group_me(c->group) == 0, 100 * x->desc_place + CTXT + 1, "OB-3503", text);
}

/* All processes of the matrix's grid are among the members, each once. */
static void check_grid(const obrd_call *c, const obrd_matrix *x, const obrd_place *place, int side)
{
    int64_t count = x->rows * x->columns, seen = 0;
    char text[200], *there = obrd_room(c, (size_t)count, 1);
    for (int i = 0; i < ob_group_size(c->group); i++) {
        int64_t row = place[i].row[side], at = row * x->columns + place[i].column[side];
        if (row < 0)
            continue;
        if (there[at]) {
            snprintf(text, sizeof text,
                     "is a context of several grids: more than one process is at row %" PRId64
                     " and column %d of its grid, must be one grid, and -1 on processes that are "
                     "not in it",
                     row, place[i].column[side]);
            refuse_grid(c, x, text);
        }
        there[at] = 1;
        seen++;
    }
    free(there);
    if (seen == count)
        return;
    snprintf(text, sizeof text,
             "is the context of a grid of %" PRId64 " x %" PRId64 ", of which %" PRId64
             " processes call; all of them must be in the context that all are in",
             x->rows, x->columns, seen);
    refuse_grid(c, x, text);
}

/* Each member's places of n calls lie behind each other on the way. */
static void learn_places(const obrd_call *c, size_t n, obrd_place *place)
{
    size_t size = (size_t)ob_group_size(c->group), me = (size_t)ob_group_me(c->group);
    obrd_place *all = obrd_room(c, n * size, sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[me * n + i] = (obrd_place){{(int32_t)c[i].a.row, (int32_t)c[i].b.row},
                                       {(int32_t)c[i].a.column, (int32_t)c[i].b.column}};
    const ob_pieces pieces = {.base = all, .type = OB_BYTE, .count = n * sizeof *all};
    obrd_must(c, ob_collect(c->group, &pieces, NULL));
    for (size_t i = 0; i < n; i++) {
        obrd_place *mine = place + i * size;
        for (size_t k = 0; k < size; k++)
            mine[k] = all[k * n + i];
        check_grid(&c[i], &c[i].a, mine, 0);
        check_grid(&c[i], &c[i].b, mine, 1);
    }
    free(all);
}

/* What this process says of a call: the largest of each value, and of its negative. */
static void say(obrd_call *c, int64_t *all)
{
    item list[ITEMS];
    size_t n = items_of(c, list);
    memset(all, 0, WORDS * sizeof *all);
    for (size_t i = 0; i < n; i++)
        if (list[i].known)
            ob_alike_say(*list[i].value, all + 2 * i);
    all[WORDS - 1] = ob_alike_wrong(c->fault.part, ob_group_me(c->group));
}

static void hear(obrd_call *c, const int64_t *all)
{
    item list[ITEMS];
    size_t n = items_of(c, list);
    refuse_wrong(c, all[WORDS - 1]);
    for (size_t i = 0; i < n; i++) {
        int64_t most = ob_alike_most(all + 2 * i), least = ob_alike_least(all + 2 * i);
        if (all[2 * i] == 0)
            refuse_unknown(c, &list[i]);
        if (least < most)
            refuse_different(c, &list[i], least, most);
        *list[i].value = most;
    }
}

void obrd_agree(obrd_call *c, size_t n, obrd_place *place)
{
    int64_t *all = obrd_room(c, n * WORDS, sizeof *all);
    for (size_t i = 0; i < n; i++)
        say(&c[i], all + i * WORDS);
    ob_view view = ob_view_vector(all, n * WORDS, OB_INT64);
    obrd_must(c, ob_combine(c->group, OB_ANY, OB_MAX, &view, NULL, 0, NULL));
    for (size_t i = 0; i < n; i++)
        hear(&c[i], all + i * WORDS);
    free(all);
    learn_places(c, n, place);
}

void obrd_agree_count(const obrd_call *c, size_t n)
{
    int64_t all[2] = {(int64_t)n, -(int64_t)n};
    ob_view view = ob_view_vector(all, 2, OB_INT64);
    obrd_must(c, ob_combine(c->group, OB_ANY, OB_MAX, &view, NULL, 0, NULL));
    if (all[0] == -all[1])
        return;
    if (obrd_speaks(ob_group_me(c->group) == 0))
        obrd_say(c,
                 "OB-2531 %" PRId64 " calls of context %" PRId64
                 " are put together on one process, "
                 "and %" PRId64 " on another; all must put the same calls together",
                 -all[1], c->context, all[0]);
    obrd_end();
}
