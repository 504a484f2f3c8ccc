/*
 * Wrong calls of redistribution, each by its word; the line is looked at by tests/run/redist.sh.
 *
 *   redist_wrong WORD     on 2 processes
 */
#include <openblacs/blacs_extensions.h>
#include <openblacs/redist.h>

#include "../blacs/harness.h"

static int is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    char diag[2] = "N";
    double a[64] = {0}, b[64] = {0}, one = 1, beta = 0;
    int m = 8, n = 6, context, single, uplo = 'U';
    begin();
    context = make_grid(1, world.count);
    single = make_grid(1, 1);
    int desca[9] = {1, context, 8, 6, 2, 3, 0, 0, 8}, descb[9] = {1, context, 8, 6, 4, 4, 0, 1, 8};
    int descc[9] = {1, context, 6, 8, 4, 4, 0, 1, 6};
    int first = 1, on_one = world.me == 1;
    if (is(word, "rows"))
        m = -1;
    else if (is(word, "differ"))
        n = 5 + world.me;
    else if (is(word, "begin"))
        first = 0;
    else if (is(word, "beyond"))
        first = 2;
    else if (is(word, "block"))
        desca[4] = 0;
    else if (is(word, "alone-ld"))
        descb[8] = on_one ? 7 : 8;
    else if (is(word, "source"))
        descb[7] = 2;
    else if (is(word, "type"))
        desca[0] = 3;
    else if (is(word, "blocks"))
        desca[5] = 3 + on_one;
    else if (is(word, "nobody"))
        desca[1] = -1;
    else if (is(word, "outside"))
        desca[1] = 77;
    else if (is(word, "context"))
        context = 99;
    else if (is(word, "together"))
        Cblacs_together_begin();
    else if (is(word, "no-begin"))
        ob_redist_together_end();
    else if (is(word, "second-differs") || is(word, "counts") || is(word, "released") ||
             is(word, "end-together"))
        ob_redist_together_begin();
    else if (is(word, "uplo"))
        uplo = 'x';
    else if (is(word, "letters"))
        uplo = on_one ? 'L' : 'U';
    else if (is(word, "diag"))
        diag[0] = on_one ? 'U' : 'N';
    char letter[2] = {(char)uplo};
    if (is(word, "second-differs")) {
        Cpdgemr2d(m, n, a, first, 1, desca, b, 1, 1, descb, context);
        descb[4] = 4 + on_one;
    }
    if (is(word, "released")) {
        int soon = make_grid(1, world.count);
        Cpdgemr2d(m, n, a, first, 1, desca, b, 1, 1, descb, context);
        Cpdgemr2d(m, n, a, first, 1, desca, b, 1, 1, descb, soon);
        Cblacs_gridexit(soon);
    }
    if (is(word, "counts") && on_one)
        Cpdgemr2d(m, n, a, first, 1, desca, b, 1, 1, descb, context);
    if (is(word, "uplo") || is(word, "letters") || is(word, "diag"))
        Cpdtrmr2d(letter, diag, m, n, a, 1, 1, desca, b, 1, 1, descb, context);
    else if (is(word, "routines") && on_one)
        Cpdtrmr2d("U", "N", m, n, a, 1, 1, desca, b, 1, 1, descb, context);
    else if (is(word, "types") && on_one)
        Cpzgemr2d(m, n, a, 1, 1, desca, b, 1, 1, descb, context);
    else if (is(word, "grids")) {
        /* A grid of its own on each process, for one matrix. */
        int map = world.me;
        Cblacs_get(-1, 0, &descb[1]);
        Cblacs_gridmap(&descb[1], &map, 1, 1, 1);
        descb[7] = 0;
        Cpdgemr2d(m, n, a, 1, 1, desca, b, 1, 1, descb, context);
    } else if (is(word, "part")) {
        /* B's grid has a process that does not call: each calls in a context of its own. */
        int alone, map = world.me;
        Cblacs_get(-1, 0, &alone);
        Cblacs_gridmap(&alone, &map, 1, 1, 1);
        descb[7] = 0;
        desca[1] = alone;
        Cpdgemr2d(m, n, a, 1, 1, desca, b, 1, 1, descb, alone);
    } else if (is(word, "scalars") || is(word, "type") || is(word, "contexts") ||
               is(word, "tran-size")) {
        one += is(word, "scalars") && on_one;
        descc[1] = is(word, "contexts") ? single : context;
        n = is(word, "tran-size") ? 9 : 8;
        ob_pdtran(6, n, &one, a, 1, 1, desca, &beta, b, 1, 1, descc);
    } else if (is(word, "replicated")) {
        desca[7] = -1;
        pdtran_(&n, &m, &one, a, &first, &first, desca, &beta, b, &first, &first, descc);
    } else
        Cpdgemr2d(m, n, a, first, 1, desca, b, 1, 1, descb, context);
    if (is(word, "end-together"))
        Cblacs_together_begin();
    if (is(word, "second-differs") || is(word, "counts") || is(word, "released") ||
        is(word, "end-together"))
        ob_redist_together_end_();
    return finish();
}
