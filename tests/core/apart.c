/*
 * Operations that do not commute, calls out of place, and everybody to everybody: on any number of
 * processes, with every root, short and long, dense and with gaps.
 */
#include "draws.h"

/* ------------------------------------------------------------------------- in order */

/* x -> a x + b modulo 2^32; one after the other is associative, but does not commute. */
enum { WIDE = 20 };
typedef struct line {
    uint32_t a, b;
} line;

static void follow(size_t n, void *acc, const void *in, const void *context)
{
    line *f = acc;
    const line *g = in;
    size_t each = *(const size_t *)context;
    for (size_t i = 0; i < n * each; i++)
        f[i] = (line){f[i].a * g[i].a, f[i].b * g[i].a + g[i].b};
}

static line line_of(int member, size_t i)
{
    uint64_t state = (uint64_t)member * 31 + i * 17 + 3;
    draw(&state);
    return (line){(uint32_t)draw(&state) * 2 + 3, (uint32_t)draw(&state)};
}

static line all_lines(size_t i)
{
    line f = line_of(0, i);
    for (int m = 1; m < world.count; m++)
        follow(1, &f, &(line[]){line_of(m, i)}, &(size_t){1});
    return f;
}

/* n elements of `each` lines, as a matrix with gaps where ld is more than n. */
static void one_in_order(int root, size_t n, size_t each, bool gaps, bool in_place)
{
    ob_operation o = {follow, &each, each * sizeof(line)};
    size_t m = n * each, ld = m + (gaps ? each : 0), columns = gaps ? 2 : 1;
    line *from = memory_of(ld * columns * sizeof *from);
    line *to = in_place ? from : memory_of(ld * columns * sizeof *to);
    for (size_t i = 0; i < m * columns; i++)
        from[i % m + i / m * ld] = line_of(world.me, i);
    ob_view f = {from, m, columns, ld, OB_DOUBLE, OB_GENERAL, 0}, t = f;
    t.base = to;
    fine(ob_combine_in_order(everyone, root, &o, &f, &t, NULL), "in order");
    int wrong = 0;
    for (size_t i = 0; i < m * columns; i++) {
        line want = all_lines(i), got = to[i % m + i / m * ld], own = line_of(world.me, i);
        line left = from[i % m + i / m * ld];
        if (wanted(root))
            wrong += want.a != got.a || want.b != got.b;
        if (!in_place || !wanted(root))
            wrong += left.a != own.a || left.b != own.b;
    }
    check(wrong == 0, "in order, root %d, %zu elements of %zu lines: %d are wrong", root, n, each,
          wrong);
    if (!in_place)
        free(to);
    free(from);
}

static void in_order(void)
{
    static const size_t lengths[] = {0, 1, 5, 64, 700, 9000};
    for (int k = 0; k < 6; k++)
        for (int r = 0; r <= world.count; r++)
            one_in_order(root_of(r + k), lengths[k], 1, (k + r) % 3 == 0, (k + r) % 2);
    for (int k = 0; k < 4; k++)
        one_in_order(root_of(k), lengths[k + 1], WIDE, k % 2, k % 3 == 0);
    one_in_order(OB_ANY, 200000, 1, false, false);
}

/* Pieces of different lengths, one of them empty, to each its own: in place or not. */
static void distributed(bool ordered, bool apart, size_t unit)
{
    size_t counts[64], before = 0, all = 0, each = 1;
    ob_operation o = {follow, &each, sizeof(line)};
    for (int i = 0; i < world.count; i++) {
        counts[i] = i == 1 ? 0 : unit * (size_t)(i + 1);
        before = i == world.me ? all : before;
        all += counts[i];
    }
    size_t own = counts[world.me];
    line *x = memory_of(all * sizeof *x), *to = memory_of(own * sizeof *to);
    for (size_t i = 0; i < all; i++)
        x[i] = line_of(world.me, i);
    if (!ordered) { /* an operation that commutes */
        ob_operation_of(OB_OPERATOR_BIT_XOR, OB_KIND_INT64, &o);
    }
    ob_pieces pieces = {.base = x, .type = OB_INT64, .counts = counts};
    ob_view t = ob_view_vector(to, own, OB_INT64);
    fine(ordered ? ob_distributed_combine_in_order(everyone, &o, &pieces, apart ? &t : NULL, NULL)
                 : ob_distributed_combine_to(everyone, &o, &pieces, apart ? &t : NULL, NULL),
         "distributed");
    int wrong = 0;
    for (size_t i = 0; i < own; i++) {
        line want = ordered ? all_lines(before + i) : (line){0, 0};
        for (int m = 0; !ordered && m < world.count; m++) {
            line f = line_of(m, before + i);
            want = (line){want.a ^ f.a, want.b ^ f.b};
        }
        line got = apart ? to[i] : x[before + i];
        wrong += got.a != want.a || got.b != want.b;
    }
    for (size_t i = 0; apart && i < all; i++) {
        line f = line_of(world.me, i);
        wrong += x[i].a != f.a || x[i].b != f.b;
    }
    check(wrong == 0, "distributed, in order %d, apart %d: %d are wrong", ordered, apart, wrong);
    free(x);
    free(to);
}

/* ------------------------------------------------------------- everybody to everybody */

static size_t length_of(int from, int to, size_t unit)
{
    return (size_t)((from * 3 + to * 5) % 7) * unit;
}

/* Dense pieces with offsets, or views with gaps; what stands between them stays. */
static void one_all_to_all(size_t unit, bool views)
{
    int p = world.count;
    size_t sum[2] = {0, 0}, counts[2][64], offsets[2][64];
    ob_view view[2][64];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < p; i++) {
            counts[side][i] = side ? length_of(i, world.me, unit) : length_of(world.me, i, unit);
            offsets[side][i] = sum[side];
            sum[side] += 2 * counts[side][i] + 1;
        }
    int32_t *x = memory_of(4 * sum[0]), *y = memory_of(4 * sum[1]);
    memset(y, 0, 4 * sum[1]);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < p; i++)
            view[side][i] = (ob_view){
                (side ? y : x) + offsets[side][i], 1, counts[side][i], 2, OB_INT, OB_GENERAL, 0};
    size_t step = views ? 2 : 1;
    for (int i = 0; i < p; i++)
        for (size_t k = 0; k < counts[0][i]; k++)
            x[offsets[0][i] + k * step] = 1 + world.me * 64 + i + (int)(k % 1000) * 4096;
    ob_pieces from = {.base = x, .type = OB_INT, .counts = counts[0], .offsets = offsets[0]};
    ob_pieces to = {.base = y, .type = OB_INT, .counts = counts[1], .offsets = offsets[1]};
    if (views) {
        from.views = view[0];
        to.views = view[1];
    }
    fine(ob_all_to_all(everyone, &from, &to, NULL), "ob_all_to_all");
    int wrong = 0;
    for (int i = 0; i < p; i++)
        for (size_t k = 0; k < 2 * counts[1][i] + 1; k++) {
            bool there = k % step == 0 && k / step < counts[1][i];
            int want = there ? 1 + i * 64 + world.me + (int)(k / step % 1000) * 4096 : 0;
            wrong += y[offsets[1][i] + k] != want;
        }
    check(wrong == 0, "everybody to everybody, unit %zu: %d are wrong", unit, wrong);
    free(x);
    free(y);
}

static void collected(size_t unit)
{
    size_t counts[64], before = 0, all = 0;
    for (int i = 0; i < world.count; i++) {
        counts[i] = unit * (size_t)(i % 3);
        before = i == world.me ? all : before;
        all += counts[i];
    }
    double *x = memory_of(8 * all), *own = memory_of(8 * counts[world.me]);
    for (size_t k = 0; k < counts[world.me]; k++)
        own[k] = (double)(before + k);
    ob_pieces pieces = {.base = x, .type = OB_DOUBLE, .counts = counts};
    ob_view from = ob_view_vector(own, counts[world.me], OB_DOUBLE);
    fine(ob_collect_from(everyone, &from, &pieces, NULL), "ob_collect_from");
    int wrong = 0;
    for (size_t i = 0; i < all; i++)
        wrong += x[i] != (double)i;
    check(wrong == 0, "collected from elsewhere: %d are wrong", wrong);
    free(x);
    free(own);
}

/* ------------------------------------------------------------------------- wrong calls */

static void refused(int status, int want, const char *text)
{
    check(status == want && strstr(ob_error_text(), text), "status %d, '%s' without '%s'", status,
          ob_error_text(), text);
}

static void wrong_calls(void)
{
    double x[2] = {0}, y[2];
    ob_operation o;
    ob_view v = ob_view_vector(x, 2, OB_DOUBLE), w = ob_view_vector(y, 1, OB_DOUBLE);
    ob_pieces pieces = {.base = x, .type = OB_DOUBLE, .count = 0};
    fine(ob_operation_of(OB_OPERATOR_AVERAGE, OB_KIND_DOUBLE, &o), "ob_operation_of");
    refused(ob_operation_of(OB_OPERATOR_AVERAGE, OB_KIND_BOOL, &o), OB_EARG, "no operator 12");
    refused(ob_operation_of(OB_OPERATOR_AND, OB_KIND_HALF, &o), OB_EARG, "kind 28");
    refused(ob_combine_to(NULL, 0, &o, &v, &w, NULL), OB_EARG, "ob_combine_to: argument 1 (group)");
    refused(ob_combine_to(everyone, 99, &o, &v, &v, NULL), OB_EARG, "(root) is 99");
    refused(ob_combine_in_order(everyone, OB_ANY, &o, &v, NULL, NULL), OB_EARG,
            "ob_combine_in_order: argument 5 (matrix) is NULL");
    refused(ob_combine_in_order(everyone, OB_ANY, NULL, &v, &v, NULL), OB_EARG, "needs a function");
    refused(ob_combine_to(everyone, OB_ANY, &o, &v, &w, NULL), OB_ESIZE,
            "(from) has 16 bytes, argument 5 (to) 8");
    refused(ob_distributed_combine_to(everyone, &o, NULL, NULL, NULL), OB_EARG,
            "the pieces are NULL");
    refused(ob_distributed_combine_in_order(everyone, NULL, &pieces, NULL, NULL), OB_EARG,
            "ob_distributed_combine_in_order: the operation needs a function");
    refused(ob_collect_from(everyone, NULL, &pieces, NULL), OB_EARG, "argument 2 (matrix) is NULL");
    refused(ob_all_to_all(everyone, &pieces, NULL, NULL), OB_EARG,
            "ob_all_to_all: the pieces are NULL");
    refused(ob_all_to_all(NULL, &pieces, &pieces, NULL), OB_EARG, "group");
}

/* Two members disagree; the others, and both of them, are served as they should be afterwards. */
static void sizes_differ(void)
{
    int p = world.count;
    size_t out[64], in[64];
    char x[64 * 8] = {0}, y[64 * 8];
    for (int i = 0; i < p; i++)
        out[i] = in[i] = 4;
    if (p > 1 && world.me == 1)
        in[0] = 5;
    ob_pieces from = {.base = x, .type = OB_BYTE, .counts = out};
    ob_pieces to = {.base = y, .type = OB_BYTE, .counts = in};
    int status = ob_all_to_all(everyone, &from, &to, NULL);
    check(status == (p > 1 && world.me == 1 ? OB_ESIZE : OB_OK), "status %d, %s", status,
          ob_error_text());
    in[0] = 4;
    fine(ob_all_to_all(everyone, &from, &to, NULL), "after an error");
    in[world.me] = 3;
    status = ob_all_to_all(everyone, &from, &to, NULL);
    refused(status, OB_ESIZE, "the own piece has 4 bytes, its place 3");
}

int main(void)
{
    begin();
    in_order();
    for (int k = 0; k < 8; k++)
        distributed(k % 2, k / 2 % 2, k < 4 ? 3 : 5000);
    for (int k = 0; k < 8; k++)
        one_all_to_all(k < 2 ? 1 : k < 6 ? 200 : 40000, k % 2);
    collected(3);
    collected(9000);
    wrong_calls();
    sizes_differ();
    return finish();
}
