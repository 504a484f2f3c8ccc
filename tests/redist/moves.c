/*
 * P?GEMR2D, P?TRMR2D and P?TRAN of all types against what they are defined to do: random grids of
 * some of the processes, which overlap or do not, random blocks and parts. Every byte of the
 * target's memory is looked at. With the name of a libscalapack its own routines, on its own BLACS,
 * do the same beside ours, and all bytes must be equal. Some are put together
 * (ob_redist_together_begin).
 *
 *   redist_moves [CASES] [SEED] [LIBRARY]
 */
#include "array.h"

#include <dlfcn.h>
#include <math.h>

#ifdef RTLD_DEEPBIND
enum { OWN_NAMES = RTLD_DEEPBIND }; /* netlib's BLACS serve its own routines */
#else
enum { OWN_NAMES = 0 }; /* musl has none, and no netlib */
#endif

/* One random case: A, B, and the parts. */
typedef struct instance {
    char type, uplo, diag; /* uplo 'G': all */
    int m, n, ia, ja, ib, jb, context;
    array a, b;
    uint64_t seed_a, seed_b;
    number alpha, beta;
    bool transposed, conjugate;
} instance;

/* -------------------------------------------------------- what it should be */

static number wanted(const instance *t, int i, int j, bool *inside_part)
{
    int x = i - (t->ib - 1), y = j - (t->jb - 1); /* of B's part */
    int m = t->transposed ? t->n : t->m, n = t->transposed ? t->m : t->n;
    number old = element(t->type, t->seed_b, i, j);
    *inside_part = x >= 0 && x < m && y >= 0 && y < n && inside(t->uplo, t->diag, t->m, t->n, x, y);
    if (!*inside_part)
        return old;
    if (!t->transposed)
        return element(t->type, t->seed_a, t->ia - 1 + x, t->ja - 1 + y);
    if (t->alpha == 0)
        return t->beta * old;
    number from = element(t->type, t->seed_a, t->ia - 1 + y, t->ja - 1 + x);
    return t->beta * old + t->alpha * (t->conjugate ? conj(from) : from);
}

static int is_right(const instance *t)
{
    array want = t->b;
    fill(&want, t->seed_b);
    for (int j = 0, y = 0; j < want.n && want.on->row >= 0; j++) {
        if (owner(&want, 1, j) != want.on->column)
            continue;
        for (int i = 0, x = 0; i < want.m; i++) {
            bool here;
            if (owner(&want, 0, i) != want.on->row)
                continue;
            number value = wanted(t, i, j, &here);
            size_t at = (size_t)y * (size_t)want.ld + (size_t)x++;
            if (here)
                set(t->type, want.local, at, value);
        }
        y++;
    }
    if (t->transposed)
        lose_signs(&want);
    int same = memcmp(want.local, t->b.local, bytes_in(&want)) == 0;
    give_up(&want);
    return same;
}

/* ----------------------------------------------------------------- netlib's */

static void *netlib;

static void *of_netlib(const char *format, char type)
{
    char name[32];
    snprintf(name, sizeof name, format, type);
    void *symbol = dlsym(netlib, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return symbol;
}

static int netlib_context(const grid *g)
{
    void (*get)(int, int, int *) = of_netlib("Cblacs_get", 0);
    void (*map)(int *, int *, int, int, int) = of_netlib("Cblacs_gridmap", 0);
    int context, any;
    get(-1, 0, &context);
    any = context;
    map(&context, g->numbers, g->rows, g->rows, g->columns);
    (void)any;
    return g->row < 0 ? -1 : context;
}

static void netlib_free(int context)
{
    void (*end)(int) = of_netlib("Cblacs_gridexit", 0);
    if (context >= 0)
        end(context);
}

static void netlib_transposes(const instance *t, int *desca, array *b)
{
    char name[16];
    snprintf(name, sizeof name, "p%%ctran%s_",
             t->type == 's' || t->type == 'd' ? ""
             : t->conjugate                   ? "c"
                                              : "u");
    void (*tran)(int *, int *, void *, void *, int *, int *, int *, void *, void *, int *, int *,
                 int *) = of_netlib(name, t->type);
    number alpha, beta;
    int m = t->n, n = t->m, ia = t->ia, ja = t->ja, ib = t->ib, jb = t->jb;
    set(t->type, &alpha, 0, t->alpha);
    set(t->type, &beta, 0, t->beta);
    tran(&m, &n, &alpha, t->a.local, &ia, &ja, desca, &beta, b->local, &ib, &jb, b->desc);
}

/* Does netlib's leave the same bytes? */
static int is_netlibs(const instance *t, const grid *all)
{
    int desca[11], context = netlib_context(all), same;
    array b = t->b;
    memcpy(desca, t->a.desc, sizeof desca);
    desca[1] = t->transposed ? context : netlib_context(t->a.on);
    b.desc[1] = t->transposed ? context : netlib_context(t->b.on);
    fill(&b, t->seed_b);
    if (t->transposed) {
        netlib_transposes(t, desca, &b);
    } else if (t->uplo == 'G') {
        void (*move)(int, int, void *, int, int, int *, void *, int, int, int *, int) =
            of_netlib("Cp%cgemr2d", t->type);
        move(t->m, t->n, t->a.local, t->ia, t->ja, desca, b.local, t->ib, t->jb, b.desc, context);
    } else {
        char uplo[2] = {t->uplo}, diag[2] = {t->diag};
        void (*move)(char *, char *, int, int, void *, int, int, int *, void *, int, int, int *,
                     int) = of_netlib("Cp%ctrmr2d", t->type);
        move(uplo, diag, t->m, t->n, t->a.local, t->ia, t->ja, desca, b.local, t->ib, t->jb, b.desc,
             context);
    }
    if (t->transposed)
        lose_signs(&b);
    same = memcmp(b.local, t->b.local, bytes_in(&b)) == 0;
    give_up(&b);
    if (!t->transposed) {
        netlib_free(desca[1]);
        netlib_free(b.desc[1]);
    }
    netlib_free(context);
    return same;
}

/* -------------------------------------------------------------------- ours */

static void moves(const instance *t, int form)
{
    char uplo[2] = {t->uplo}, diag[2] = {t->diag};
    const int *desca = t->a.desc, *descb = t->b.desc;
    if (t->uplo == 'G' && form == 0)
        BY_TYPE(t->type, Cp, gemr2d, t->m, t->n, (void *)t->a.local, t->ia, t->ja, desca,
                (void *)t->b.local, t->ib, t->jb, descb, t->context);
    else if (t->uplo == 'G' && form == 1)
        BY_TYPE(t->type, ob_p, gemr2d, t->m, t->n, (void *)t->a.local, t->ia, t->ja, desca,
                (void *)t->b.local, t->ib, t->jb, descb, t->context);
    else if (t->uplo == 'G')
        BY_TYPE(t->type, p, gemr2d_, &t->m, &t->n, (void *)t->a.local, &t->ia, &t->ja, desca,
                (void *)t->b.local, &t->ib, &t->jb, descb, &t->context);
    else if (form == 0)
        BY_TYPE(t->type, Cp, trmr2d, uplo, diag, t->m, t->n, (void *)t->a.local, t->ia, t->ja,
                desca, (void *)t->b.local, t->ib, t->jb, descb, t->context);
    else if (form == 1)
        BY_TYPE(t->type, ob_p, trmr2d_, uplo, diag, &t->m, &t->n, (void *)t->a.local, &t->ia,
                &t->ja, desca, (void *)t->b.local, &t->ib, &t->jb, descb, &t->context);
    else
        BY_TYPE(t->type, p, trmr2d_, uplo, diag, &t->m, &t->n, (void *)t->a.local, &t->ia, &t->ja,
                desca, (void *)t->b.local, &t->ib, &t->jb, descb, &t->context);
}

static void transposes(const instance *t, int form)
{
    number alpha, beta;
    int m = t->n, n = t->m; /* of C */
    set(t->type, &alpha, 0, t->alpha);
    set(t->type, &beta, 0, t->beta);
#define OURS(name)                                                                                 \
    ob_##name(m, n, (void *)&alpha, (void *)t->a.local, t->ia, t->ja, t->a.desc, (void *)&beta,    \
              (void *)t->b.local, t->ib, t->jb, t->b.desc)
#define FORTRANS(name)                                                                             \
    name##_(&m, &n, (void *)&alpha, (void *)t->a.local, &t->ia, &t->ja, t->a.desc, (void *)&beta,  \
            (void *)t->b.local, &t->ib, &t->jb, t->b.desc)
#define EITHER(name) (form ? FORTRANS(name) : OURS(name))
    switch (t->type) {
    case 's': EITHER(pstran); break;
    case 'd': EITHER(pdtran); break;
    case 'c': t->conjugate ? EITHER(pctranc) : EITHER(pctranu); break;
    default: t->conjugate ? EITHER(pztranc) : EITHER(pztranu);
    }
}

/* ------------------------------------------------------------------- cases */

/* The processes in a random order. */
static void roll_order(dice *d, int *order)
{
    for (int i = 0; i < world.count; i++) {
        int j = roll(d, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

static void roll_dims(dice *d, int most, int *rows, int *columns)
{
    *rows = 1 + roll(d, most);
    *columns = 1 + roll(d, most / *rows);
}

static number small(dice *d, char type)
{
    static const double values[] = {0, 1, 1, -1, 2, 3};
    double re = values[roll(d, 6)], im = roll(d, 3) ? 0 : values[roll(d, 6)];
    return type == 'c' || type == 'z' ? re + I * im : re;
}

/* The context of all processes, in a random order and of any form. */
static grid roll_all(dice *d)
{
    int order[64], line = 1 + roll(d, world.count), columns = 1;
    roll_order(d, order);
    while (line > 1 && world.count % line)
        line--;
    while (line * columns < world.count)
        columns++;
    return roll_grid(d, line, columns, order);
}

/* The matrices' grids go to a and b. */
static instance roll_instance(dice *d, const grid *all, grid *a, grid *b)
{
    instance t = {.transposed = roll(d, 3) == 0, .uplo = "GGUL"[roll(d, 4)]};
    int order[64], rows, columns, dtype[2] = {1, 1};
    t.type = t.transposed ? "sdcz"[roll(d, 4)] : "isdcz"[roll(d, 5)];
    t.diag = roll(d, 2) ? 'U' : 'N';
    t.conjugate = t.transposed && (t.type == 'c' || t.type == 'z') && roll(d, 2);
    roll_order(d, order);
    roll_dims(d, world.count, &rows, &columns);
    if (t.transposed) {
        *a = *b = *all;
        t.uplo = 'G';
        dtype[0] = netlib ? 1 : 1 + roll(d, 2);
        dtype[1] = netlib ? 1 : 1 + roll(d, 2);
    } else {
        *a = roll_grid(d, rows, columns, order);
        int left = world.count - rows * columns; /* half of them without a common process */
        int apart = left && roll(d, 2);
        if (!apart)
            roll_order(d, order);
        roll_dims(d, apart ? left : world.count, &rows, &columns);
        *b = roll_grid(d, rows, columns, order + (apart ? world.count - left : 0));
    }
    int most = roll(d, 4) ? 40 : 300, blocks = roll(d, 2) ? 9 : 70;
    t.m = 1 + roll(d, most);
    t.n = 1 + roll(d, roll(d, 5) ? most : 3);
    t.ia = 1 + roll(d, 20);
    t.ja = 1 + roll(d, 20);
    t.ib = 1 + roll(d, 20);
    t.jb = 1 + roll(d, 20);
    /* netlib's may want an LLD of 1 where there is nothing, and reads where it likes. */
    t.a = roll_array(d, t.type, a, t.ia - 1 + t.m + roll(d, 9), t.ja - 1 + t.n + roll(d, 9), blocks,
                     dtype[0], netlib == NULL);
    t.b = roll_array(d, t.type, b, t.ib - 1 + (t.transposed ? t.n : t.m) + roll(d, 9),
                     t.jb - 1 + (t.transposed ? t.m : t.n) + roll(d, 9), blocks, dtype[1],
                     netlib == NULL);
    t.context = all->context;
    t.alpha = small(d, t.type);
    t.beta = small(d, t.type);
    t.seed_a = d->seed + 2 * (uint64_t)d->step + 1;
    t.seed_b = t.seed_a + 1;
    fill(&t.a, t.seed_a);
    fill(&t.b, t.seed_b);
    if (t.transposed && t.alpha == 0) /* then nobody looks at A: all bits set are no number */
        memset(t.a.local, 0xFF, bytes_in(&t.a));
    return t;
}

static void call(const instance *t, int form)
{
    if (t->transposed)
        transposes(t, form);
    else
        moves(t, form);
}

static void look_at(instance *t, uint64_t seed, int number_of, const grid *all)
{
    if (t->transposed)
        lose_signs(&t->b);
    check(is_right(t), "case %d (seed %llu): %c, %d x %d, uplo %c, %dx%d to %dx%d", number_of,
          (unsigned long long)seed, t->type, t->m, t->n, t->transposed ? 'X' : t->uplo,
          t->a.on->rows, t->a.on->columns, t->b.on->rows, t->b.on->columns);
    if (netlib)
        check(is_netlibs(t, all), "case %d (seed %llu): netlib's differs", number_of,
              (unsigned long long)seed);
}

static void give_back(const instance *t, grid *a, grid *b)
{
    give_up(&t->a);
    give_up(&t->b);
    if (t->transposed)
        return;
    free_grid(a);
    free_grid(b);
}

static void try_case(uint64_t seed, int number_of)
{
    dice d = {seed, 0};
    grid all = roll_all(&d), a, b;
    instance t = roll_instance(&d, &all, &a, &b);
    call(&t, roll(&d, 3));
    look_at(&t, seed, number_of, &all);
    give_back(&t, &a, &b);
    free_grid(&all);
}

/* Several put together, in two contexts by turns, now and then nested; transposes among them are
 * carried out at once. Before the end nothing that is put together has arrived. */
static void try_together(uint64_t seed, int number_of)
{
    enum { MOST = 12 };
    dice d = {seed, 0};
    grid all[2] = {roll_all(&d), roll_all(&d)}, a[MOST], b[MOST];
    instance t[MOST];
    int count = roll(&d, MOST + 1), of[MOST], form = roll(&d, 2), inner = roll(&d, 3) == 0,
        early = 0;
    for (int i = 0; i < count; i++) {
        of[i] = roll(&d, 2);
        t[i] = roll_instance(&d, &all[of[i]], &a[i], &b[i]);
    }
    form ? ob_redist_together_begin_() : ob_redist_together_begin();
    for (int i = 0; i < count; i++) {
        if (inner)
            ob_redist_together_begin();
        call(&t[i], roll(&d, 3));
        if (inner)
            ob_redist_together_end_();
    }
    for (int i = 0; i < count; i++) {
        array before = t[i].b;
        fill(&before, t[i].seed_b);
        early += !t[i].transposed && memcmp(before.local, t[i].b.local, bytes_in(&before));
        give_up(&before);
    }
    form ? ob_redist_together_end_() : ob_redist_together_end();
    check(early == 0, "case %d (seed %llu): %d of %d matrices were there before the end", number_of,
          (unsigned long long)seed, early, count);
    for (int i = 0; i < count; i++) {
        look_at(&t[i], seed, number_of, &all[of[i]]);
        give_back(&t[i], &a[i], &b[i]);
    }
    for (int i = 0; i < 2; i++)
        free_grid(&all[i]);
}

/* One is no factor: what is infinite in one part of an element does not spread to the other. */
static void try_infinite(void)
{
    int n = world.count, context = make_grid(1, n), desc[9] = {1, context, n, n, n, 1, 0, 0, n};
    double one[2] = {1, 0}, beta[2] = {0, 0}, a[128], c[128];
    float one_c[2] = {1, 0}, beta_c[2] = {0, 0}, a_c[128], c_c[128];
    for (int adds = 0; adds < 2; adds++) {
        int wrong = 0;
        beta[0] = beta_c[0] = (float)adds;
        for (int i = 0; i < n; i++) {
            a[2 * i] = a_c[2 * i] = 1, a[2 * i + 1] = a_c[2 * i + 1] = INFINITY;
            c[2 * i] = c_c[2 * i] = INFINITY, c[2 * i + 1] = c_c[2 * i + 1] = 5;
        }
        ob_pztranc(n, n, one, a, 1, 1, desc, beta, c, 1, 1, desc);
        ob_pctranc(n, n, one_c, a_c, 1, 1, desc, beta_c, c_c, 1, 1, desc);
        for (int i = 0; i < n; i++) {
            double want = adds ? INFINITY : 1;
            wrong += c[2 * i] != want || c[2 * i + 1] != -INFINITY;
            wrong += c_c[2 * i] != (float)want || c_c[2 * i + 1] != -INFINITY;
        }
        check(wrong == 0, "beta %d: %d of %d elements with an infinite part are wrong", adds, wrong,
              2 * n);
    }
    Cblacs_gridexit(context);
}

int main(int argc, char **argv)
{
    int cases = argc > 1 ? atoi(argv[1]) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    if (argc > 3 && (netlib = dlopen(argv[3], RTLD_NOW | RTLD_LOCAL | OWN_NAMES)) == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    begin();
    if (netlib) {
        void (*pinfo)(int *, int *) = of_netlib("Cblacs_pinfo", 0);
        int me, count;
        pinfo(&me, &count);
        check(me == world.me && count == world.count, "netlib's BLACS see %d of %d", me, count);
    }
    try_infinite();
    for (int i = 0; i < cases; i++)
        try_case(mix(seed * 1000003 + (uint64_t)i), i);
    for (int i = 0; i < cases / 5; i++)
        try_together(mix(seed * 2000003 + (uint64_t)i), i);
    return finish();
}
