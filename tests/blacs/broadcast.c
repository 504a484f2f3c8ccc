/*
 * Broadcasts: every topology, scope and root, general and trapezoidal, every type;
 * receivers of another shape; several broadcasts in a row without a barrier.
 */
#include "harness.h"

static const char topologies[] = " iIdDsSmMhHfFtTnN123456789";

typedef struct place {
    int rows, columns, row, column;
} place;

/* Is this process in the scope of the root, and is it the root? */
static int takes_part(const place *p, char scope, int rrow, int rcolumn)
{
    return scope == 'a' || (scope == 'r' ? p->row == rrow : p->column == rcolumn);
}

static void general(const routines *r, int context, const place *p, char scope, char top, int rrow,
                    int rcolumn, uint64_t seed)
{
    const char *word = scope == 'r' ? "Rowwise" : scope == 'c' ? "column" : "All";
    char letter[2] = {top, 0};
    int m = (int)(seed % 7), n = (int)(seed / 7 % 9), root = p->row == rrow && p->column == rcolumn;
    int mine_m = root || seed % 2 ? m : n, mine_n = root || seed % 2 ? n : m;
    int lda = mine_m + 2;
    unsigned char *a = new_matrix(r->bytes, 0, 0, mine_m, mine_n, lda, seed, root ? FULL : 0);

    if (root)
        r->gebs(context, word, letter, m, n, a, lda);
    else
        r->gebr(context, word, letter, mine_m, mine_n, a, lda, rrow, rcolumn);
    check(is_matrix(a, r->bytes, 0, 0, mine_m, mine_n, lda, seed, FULL),
          "%sgebr2d scope %c top '%c' root (%d,%d) %d x %d", r->name, scope, top, rrow, rcolumn, m,
          n);
    free(a);
}

static void trapezoid(const routines *r, int context, const place *p, char scope, char top,
                      int rrow, int rcolumn, uint64_t seed)
{
    char where[2] = {scope, 0}, letter[2] = {top, 0};
    char uplo[2] = {seed & 1 ? 'U' : 'L', 0}, diag[2] = {seed & 2 ? 'U' : 'N', 0};
    int m = (int)(seed / 4 % 7), n = (int)(seed / 28 % 7), lda = m + 1;
    int root = p->row == rrow && p->column == rcolumn;
    unsigned char *a = new_matrix(r->bytes, *uplo, *diag, m, n, lda, seed, root ? FULL : 0);

    if (root)
        r->trbs(context, where, letter, uplo, diag, m, n, a, lda);
    else
        r->trbr(context, where, letter, uplo, diag, m, n, a, lda, rrow, rcolumn);
    check(is_matrix(a, r->bytes, *uplo, *diag, m, n, lda, seed, FULL),
          "%strbr2d scope %c top '%c' root (%d,%d) %s%s %d x %d", r->name, scope, top, rrow,
          rcolumn, uplo, diag, m, n);
    free(a);
}

static void every_route(int context, const place *p, uint64_t seed)
{
    int step = 0;
    for (int s = 0; s < 3; s++)
        for (const char *top = topologies; *top; top++)
            for (int rrow = 0; rrow < p->rows; rrow++)
                for (int rcolumn = 0; rcolumn < p->columns; rcolumn++, step++) {
                    const routines *r = &all_routines[step % ROUTINES];
                    uint64_t x = hash(seed, (uint64_t)step, 2);
                    if (!takes_part(p, "rca"[s], rrow, rcolumn))
                        continue;
                    general(r, context, p, "rca"[s], *top, rrow, rcolumn, x);
                    trapezoid(r, context, p, "rca"[s], *top, rrow, rcolumn, x);
                }
}

/* A matrix of more than one step of any transport. */
static void large(int context, const place *p)
{
    for (const char *top = topologies; *top; top++) {
        char letter[2] = {*top, 0};
        int m = 150, n = 200, lda = 161, root = p->row == 0 && p->column == 0;
        unsigned char *a = new_matrix(8, 0, 0, m, n, lda, 99, root ? FULL : 0);
        if (root)
            Cdgebs2d(context, "A", letter, m, n, (double *)(void *)a, lda);
        else
            Cdgebr2d(context, "A", letter, m, n, (double *)(void *)a, lda, 0, 0);
        check(is_matrix(a, 8, 0, 0, m, n, lda, 99, FULL), "large broadcast, top '%c'", *top);
        free(a);
    }
}

/* Broadcasts do not mix with messages sent before them and received after. */
static void overtaking(int context, const place *p)
{
    int root = p->row == 0 && p->column == 0;
    for (int to = 0; root && to < p->rows * p->columns; to++) {
        int mark = 7000 + to, row, column;
        Cblacs_pcoord(context, to, &row, &column);
        Cigesd2d(context, 1, 1, &mark, 1, row, column);
    }
    for (const char *top = topologies; *top; top++)
        for (int s = 0; s < 3; s++) {
            char scope[2] = {"rca"[s], 0}, letter[2] = {*top, 0};
            int x = root ? s + *top : -1;
            if (!takes_part(p, *scope, 0, 0))
                continue;
            if (root)
                Cigebs2d(context, scope, letter, 1, 1, &x, 1);
            else
                Cigebr2d(context, scope, letter, 1, 1, &x, 1, 0, 0);
            check(x == s + *top, "broadcast past a message, scope %s top '%c': %d", scope, *top, x);
        }
    int got = -1;
    Cigerv2d(context, 1, 1, &got, 1, 0, 0);
    check(got == 7000 + p->row * p->columns + p->column, "message behind broadcasts: %d", got);
}

int main(void)
{
    static const int rings[] = {1, 2, 3, -1, -2, 100}, branches[] = {1, 2, 3, 4, 7, 100};
    dims all[4];
    begin();
    int n = grid_dims(all);
    for (int s = 0; s < n; s++) {
        place p;
        int context = make_grid(all[s].nprow, all[s].npcol);
        if (context < 0)
            continue;
        Cblacs_gridinfo(context, &p.rows, &p.columns, &p.row, &p.column);
        for (int k = 0; k < 6; k++) {
            Cblacs_set(context, 11, &rings[k]);
            Cblacs_set(context, 12, &branches[k]);
            every_route(context, &p, hash((uint64_t)s, (uint64_t)k, 3));
        }
        large(context, &p);
        overtaking(context, &p);
        Cblacs_gridexit(context);
    }
    return finish();
}
