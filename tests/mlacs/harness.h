/*
 * What the conformance programs of the MLACS share: they use the public header alone and
 * run unchanged with any number of processes under any launcher. All processes check;
 * process 0 prints the sums.
 */
#ifndef OB_TESTS_MLACS_HARNESS_H
#define OB_TESTS_MLACS_HARNESS_H

#include "../matrices.h"
#include "openblacs/mlacs.h"

/* A call that must succeed, or end with this code; its line must name the routine. */
static inline int ends_with(int wanted, int code, const char *routine)
{
    if (!check(code == wanted, "%s: %d (%s), not %d; %s", routine, code, mlacs_error_string(code),
               wanted, code ? mlacs_error_text() : ""))
        return 0;
    size_t n = strlen(routine);
    return code == MLACS_SUCCESS ||
           check(strncmp(mlacs_error_text(), routine, n) == 0 && mlacs_error_text()[n] == ':',
                 "the line of %s is: %s", routine, mlacs_error_text());
}

static inline int fine(int code, const char *routine)
{
    return ends_with(MLACS_SUCCESS, code, routine);
}

typedef struct grid {
    int nrow, ncol, myrow, mycol, inside;
    MLACS_Comm all, row, column;
} grid;

static inline grid make_grid(int nrow, int ncol)
{
    grid g = {.nrow = nrow, .ncol = ncol};
    int r, c;
    if (!fine(mlacs_gridinit(MLACS_COMM_WORLD, nrow, ncol, &g.all, &g.row, &g.column),
              "mlacs_gridinit"))
        exit(1);
    g.inside = world.me < nrow * ncol;
    if (g.inside)
        fine(mlacs_gridinfo(g.all, &r, &c, &g.myrow, &g.mycol), "mlacs_gridinfo");
    return g;
}

static inline void end_grid(grid *g)
{
    if (g->inside)
        fine(mlacs_gridexit(&g->all, &g->row, &g->column), "mlacs_gridexit");
}

static inline void begin(void)
{
    if (mlacs_procinfo(&world.me, &world.count) != MLACS_SUCCESS) {
        fprintf(stderr, "%s\n", mlacs_error_text());
        exit(1);
    }
}

static inline int finish(void)
{
    grid g = make_grid(1, world.count);
    int counts[2] = {world.passed, world.failed};
    if (mlacs_allreduce_sum(counts, counts, 2, 2, 1, MLACS_INT, g.all) != MLACS_SUCCESS)
        counts[1]++;
    say_sums(counts[0], counts[1]);
    mlacs_gridexit(&g.all, &g.row, &g.column);
    return mlacs_exit() != MLACS_SUCCESS || counts[1] != 0;
}

/* A row, a column or a line: a value to the next member and back to the one before, in each of the
 * ways a member can be named, with and without waiting, from one source and from anyone. */
static inline void around_line(MLACS_Comm c, int value, int tag)
{
    const int no = MLACS_IGNORE, any = MLACS_ANY_ROW;
    int rows, columns, row, column, next, before, got[4] = {-1, -1, -1, -1}, flag = 0;
    MLACS_Status s[4];
    MLACS_Request r[2];
    fine(mlacs_gridinfo(c, &rows, &columns, &row, &column), "mlacs_gridinfo");
    int is_row = row == no, me = is_row ? column : row, size = rows * columns;
    int mine = 1000 * value + me, in_row = is_row ? no : 0, in_column = is_row ? 0 : no;
    fine(mlacs_cart_rank(c, is_row ? no : (me + 1) % size, is_row ? (me + 1) % size : no, &next),
         "mlacs_cart_rank");
    fine(mlacs_cart_rank(c, is_row ? 0 : (me + size - 1) % size,
                         is_row ? (me + size - 1) % size : 0, &before),
         "mlacs_cart_rank");
    check(next == (me + 1) % size && before == (me + size - 1) % size, "between %d and %d", before,
          next);
#define AT(place) is_row ? in_row : (place), is_row ? (place) : in_column
    fine(mlacs_irecv(&got[0], 1, 1, 1, MLACS_INT, AT(before), tag, c, &r[0]), "mlacs_irecv");
    fine(mlacs_isend(&mine, 1, 1, 1, MLACS_INT, AT(next), tag, c, &r[1]), "mlacs_isend");
    fine(mlacs_waitall(2, r, s), "mlacs_waitall");
    in_row = in_column = 0;
    fine(mlacs_send(&mine, 1, 1, 1, MLACS_INT, AT(next), tag + 1, c), "mlacs_send");
    fine(mlacs_probe(any, any, tag + 1, c, &s[1]), "mlacs_probe");
    fine(mlacs_recv(&got[1], 1, 1, 1, MLACS_INT, AT(s[1].rank), tag + 1, c, &s[1]), "mlacs_recv");
    in_row = in_column = no;
    fine(mlacs_send(&mine, 1, 1, 1, MLACS_INT, AT(next), tag + 2, c), "mlacs_send");
    fine(mlacs_recv(&got[2], 1, 1, 1, MLACS_INT, AT(any), tag + 2, c, &s[2]), "mlacs_recv");
    fine(mlacs_bsend(&mine, 1, 1, 1, MLACS_INT, AT(next), tag + 3, c), "mlacs_bsend");
    while (!flag)
        fine(mlacs_iprobe(AT(before), MLACS_ANY_TAG, c, &flag, &s[3]), "mlacs_iprobe");
    fine(mlacs_recv(&got[3], 1, 1, 1, MLACS_INT, s[3].row, s[3].column, s[3].tag, c, &s[3]),
         "mlacs_recv");
#undef AT
    for (int k = 0; k < 4; k++)
        check(got[k] == 1000 * value + before && s[k].rank == before && s[k].tag == tag + k &&
                  s[k].row == (is_row ? no : before) && s[k].column == (is_row ? before : no),
              "message %d on a line: %d from (%d,%d)", k, got[k], s[k].row, s[k].column);
    ends_with(MLACS_ERR_PROCESS, mlacs_send(&mine, 1, 1, 1, MLACS_INT, no, no, 0, c), "mlacs_send");
    ends_with(MLACS_ERR_PROCESS, mlacs_send(&mine, 1, 1, 1, MLACS_INT, 1, 1, 0, c), "mlacs_send");
}

static const size_t type_bytes[] = {4, 4, 8, 8, 16, 1};

#endif
