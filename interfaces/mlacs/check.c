/*
 * What the routines' arguments must be, and what they become: views and positions.
 */
#include <stdint.h>

#include "common/letter.h"
#include "hooks/together.h"
#include "room.h"

/* Leading dimension and columns below 2 to this power: the matrix has fewer than 2^63 bytes. */
enum { SMALL = 29 };

static int odd_view(const obm_call *call, const void *a, int lda, int m, int n, char uplo,
                    char diag, MLACS_Type type)
{
    if ((unsigned)type > MLACS_BYTE)
        return obm_fail(call, MLACS_ERR_TYPE, "OB-1018 datatype is %d, which is none", (int)type);
    if (m < 0 || n < 0)
        return obm_fail(call, MLACS_ERR_SIZE, "OB-1003 %s is %d, must not be negative",
                        m < 0 ? "m" : "n", m < 0 ? m : n);
    if (lda < m)
        return obm_fail(call, MLACS_ERR_SIZE, "OB-1004 lda is %d, must be at least m = %d", lda, m);
    if (n > 1 && (size_t)lda > PTRDIFF_MAX / ob_type_bytes((ob_type)type) / (size_t)n)
        return obm_fail(call, MLACS_ERR_SIZE,
                        "OB-1005 lda is %d and n is %d, more elements than memory can hold", lda,
                        n);
    if (uplo != OBM_GENERAL && uplo != 'U' && uplo != 'L')
        return obm_fail(call, MLACS_ERR_UPLO, "OB-1006 uplo is '%c', must be U or L", uplo);
    if (uplo != OBM_GENERAL && diag != 'U' && diag != 'N')
        return obm_fail(call, MLACS_ERR_DIAG, "OB-1006 diag is '%c', must be U or N", diag);
    if (a == NULL && m && n)
        return obm_fail(call, MLACS_ERR_BUFFER, "OB-1002 a is NULL, but the matrix is %d x %d", m,
                        n);
    return MLACS_SUCCESS;
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
                             lda >= m && (lda | n) >> SMALL == 0 && a,
                         1))
        return MLACS_SUCCESS;
    uplo = ob_capital(uplo);
    diag = ob_capital(diag);
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

/* The one coordinate of a row or column, which may also be that of a grid of one row or one
 * column. MLACS_IGNORE: there is none, or one too many. */
static int on_line(const obm_comm *c, int row, int col)
{
    int at = c->kind == OBM_ROW ? col : row, other = c->kind == OBM_ROW ? row : col;
    if (at == MLACS_IGNORE)
        return other;
    return other == MLACS_IGNORE || other == 0 ? at : MLACS_IGNORE;
}

/* Negative: outside. */
static int position_on_line(const obm_comm *c, int row, int col)
{
    int at = on_line(c, row, col), size = obm_size(c);
    if (at == MLACS_IGNORE)
        return -1;
    at = around(at, size, c->grid->own && c->grid->col_periodic);
    return at < size ? at : -1;
}

static int position_in_grid(const obm_grid *g, int row, int col)
{
    row = around(row, g->nrow, g->row_periodic);
    col = around(col, g->ncol, g->col_periodic);
    return row < 0 || row >= g->nrow || col < 0 || col >= g->ncol ? -1 : row * g->ncol + col;
}

static int outside(const obm_call *call, int code, const char *who, const obm_comm *c, int row,
                   int col)
{
    if (c->kind == OBM_ALL)
        return obm_fail(call, code, "OB-1009 %s (%d,%d) is outside the %d x %d grid", who, row, col,
                        c->grid->nrow, c->grid->ncol);
    return obm_fail(
        call, code,
        "OB-1009 %s (%d,%d) is not on the %s of %d; one coordinate is 0 .. %d, the other "
        "MLACS_IGNORE (%d)",
        who, row, col, c->kind == OBM_ROW ? "row" : "column", obm_size(c), obm_size(c) - 1,
        MLACS_IGNORE);
}

/* A process, or the failure `code`. */
static inline int check_coordinates(const obm_call *call, int code, const char *who,
                                    const obm_comm *c, int row, int col, int *position)
{
    const obm_grid *g = c->grid;
    *position = row * g->ncol + col;
    if (__builtin_expect(c->kind == OBM_ALL && (unsigned)row < (unsigned)g->nrow &&
                             (unsigned)col < (unsigned)g->ncol,
                         1))
        return MLACS_SUCCESS;
    *position = c->kind == OBM_ALL ? position_in_grid(g, row, col) : position_on_line(c, row, col);
    return *position >= 0 ? MLACS_SUCCESS : outside(call, code, who, c, row, col);
}

int obm_dest(const obm_call *call, const obm_comm *c, int row, int col, int *position)
{
    return check_coordinates(call, MLACS_ERR_PROCESS, "process", c, row, col, position);
}

int obm_root(const obm_call *call, const obm_comm *c, int rroot, int croot, int *position)
{
    return check_coordinates(call, MLACS_ERR_ROOT, "the root", c, rroot, croot, position);
}

int obm_source(const obm_call *call, const obm_comm *c, int row, int col, int *position)
{
    bool any_row = row == MLACS_ANY_ROW, any_column = col == MLACS_ANY_COLUMN;
    bool one_is_all = c->kind != OBM_ALL && on_line(c, row, col) == MLACS_ANY_ROW;
    if ((any_row && any_column) || one_is_all) {
        *position = OB_ANY;
        return MLACS_SUCCESS;
    }
    if (any_row != any_column)
        return obm_fail(call, MLACS_ERR_WILDCARD,
                        "OB-7204 only the %s of the source is a wildcard; it is both or neither",
                        any_row ? "row" : "column");
    return obm_dest(call, c, row, col, position);
}

int obm_tag(const obm_call *call, int tag, int receive)
{
    if (__builtin_expect(tag >= 0 && tag <= MLACS_TAG_MAX, 1) || (receive && tag == MLACS_ANY_TAG))
        return MLACS_SUCCESS;
    return obm_fail(call, MLACS_ERR_TAG, "OB-1022 tag is %d, must be 0 .. %d%s", tag, MLACS_TAG_MAX,
                    receive ? " or MLACS_ANY_TAG" : "");
}

int obm_apart(const obm_call *call)
{
    if (__builtin_expect(!ob_together_is_open(), 1))
        return MLACS_SUCCESS;
    return obm_fail(call, MLACS_ERR_ARG,
                    "OB-2525 is called between a begin and an end of calls that are put "
                    "together, where what it receives would not be there yet; call it "
                    "before the begin or behind the end");
}
