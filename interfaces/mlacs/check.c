/*
 * What the routines' arguments must be, and what they become: views and positions.
 */
#include "room.h"

static int odd_view(const obm_call *call, const void *a, int lda, int m, int n, char uplo,
                    char diag, MLACS_Type type)
{
    if ((unsigned)type > MLACS_BYTE)
        return obm_fail(call, MLACS_ERR_TYPE, "datatype is %d, which is none", (int)type);
    if (m < 0 || n < 0)
        return obm_fail(call, MLACS_ERR_SIZE, "%s is %d, must not be negative", m < 0 ? "m" : "n",
                        m < 0 ? m : n);
    if (lda < m)
        return obm_fail(call, MLACS_ERR_SIZE, "lda is %d, must be at least m = %d", lda, m);
    if (uplo != OBM_GENERAL && uplo != 'U' && uplo != 'L')
        return obm_fail(call, MLACS_ERR_UPLO, "uplo is '%c', must be U or L", uplo);
    if (uplo != OBM_GENERAL && diag != 'U' && diag != 'N')
        return obm_fail(call, MLACS_ERR_DIAG, "diag is '%c', must be U or N", diag);
    if (a == NULL && m && n)
        return obm_fail(call, MLACS_ERR_BUFFER, "a is NULL, but the matrix is %d x %d", m, n);
    return MLACS_SUCCESS;
}

static char upper(char letter)
{
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

int obm_view(const obm_call *call, const void *a, int lda, int m, int n, char uplo, char diag,
             MLACS_Type type, ob_view *view)
{
    *view = (ob_view){.base = (void *)a,
                      .m = (size_t)m,
                      .n = (size_t)n,
                      .ld = (size_t)lda,
                      .type = (ob_type)type};
    if (__builtin_expect(uplo == OBM_GENERAL && (unsigned)type <= MLACS_BYTE && m > 0 && n > 0 &&
                             lda >= m && a,
                         1))
        return MLACS_SUCCESS;
    uplo = upper(uplo);
    diag = upper(diag);
    if (uplo != OBM_GENERAL) {
        view->shape = uplo == 'U' ? OB_UPPER : OB_LOWER;
        view->unit_diagonal = diag == 'U';
    }
    if (lda < 1)
        view->ld = 1;
    return odd_view(call, a, lda, m, n, uplo, diag, type);
}

/* A coordinate where it may go round, as MPI_Cart_rank has it. */
static int around(int at, int size, bool periodic)
{
    int rest = at % size;
    return !periodic ? at : rest < 0 ? rest + size : rest;
}

/* Negative: outside. */
static int around_grid(const obm_grid *g, int row, int col)
{
    row = around(row, g->nrow, g->row_periodic);
    col = around(col, g->ncol, g->col_periodic);
    return row < 0 || row >= g->nrow || col < 0 || col >= g->ncol ? -1 : row * g->ncol + col;
}

int obm_dest(const obm_call *call, const obm_grid *g, int row, int col, int *position)
{
    *position = row * g->ncol + col;
    if (__builtin_expect((unsigned)row < (unsigned)g->nrow && (unsigned)col < (unsigned)g->ncol, 1))
        return MLACS_SUCCESS;
    *position = around_grid(g, row, col);
    if (*position >= 0)
        return MLACS_SUCCESS;
    return obm_fail(call, MLACS_ERR_PROCESS, "process (%d,%d) is outside the %d x %d grid", row,
                    col, g->nrow, g->ncol);
}

int obm_source(const obm_call *call, const obm_grid *g, int row, int col, int *position)
{
    bool any_row = row == MLACS_ANY_ROW, any_column = col == MLACS_ANY_COLUMN;
    if (any_row && any_column) {
        *position = OB_ANY;
        return MLACS_SUCCESS;
    }
    if (any_row != any_column)
        return obm_fail(call, MLACS_ERR_WILDCARD,
                        "only the %s of the source is a wildcard; it is both or neither",
                        any_row ? "row" : "column");
    return obm_dest(call, g, row, col, position);
}

int obm_tag(const obm_call *call, int tag, int receive)
{
    if (__builtin_expect(tag >= 0 && tag <= MLACS_TAG_MAX, 1) || (receive && tag == MLACS_ANY_TAG))
        return MLACS_SUCCESS;
    return obm_fail(call, MLACS_ERR_TAG, "tag is %d, must be 0 .. %d%s", tag, MLACS_TAG_MAX,
                    receive ? " or MLACS_ANY_TAG" : "");
}

/* One coordinate of a row or column. */
static int line_root(const obm_call *call, const obm_comm *c, int rroot, int croot, int *position)
{
    const char *what = c->kind == OBM_ROW ? "row" : "column";
    int size = obm_size(c);
    if ((rroot == MLACS_IGNORE) == (croot == MLACS_IGNORE))
        return obm_fail(call, MLACS_ERR_ROOT,
                        "the root is (%d,%d); in a %s one of the two is MLACS_IGNORE (%d), the "
                        "other is not",
                        rroot, croot, what, MLACS_IGNORE);
    *position = around(rroot == MLACS_IGNORE ? croot : rroot, size,
                       c->grid->own && c->grid->col_periodic);
    if (*position >= 0 && *position < size)
        return MLACS_SUCCESS;
    return obm_fail(call, MLACS_ERR_ROOT, "the root is %d, the %s has %d processes", *position,
                    what, size);
}

int obm_root(const obm_call *call, const obm_comm *c, int rroot, int croot, int *position)
{
    const obm_grid *g = c->grid;
    if (c->kind != OBM_ALL)
        return line_root(call, c, rroot, croot, position);
    *position = rroot * g->ncol + croot;
    if ((unsigned)rroot < (unsigned)g->nrow && (unsigned)croot < (unsigned)g->ncol)
        return MLACS_SUCCESS;
    *position = around_grid(g, rroot, croot);
    if (*position >= 0)
        return MLACS_SUCCESS;
    return obm_fail(call, MLACS_ERR_ROOT, "the root (%d,%d) is outside the %d x %d grid", rroot,
                    croot, g->nrow, g->ncol);
}
