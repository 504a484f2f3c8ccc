/*
 * libopenblacs_factor against the ScaLAPACK that stands behind it: random calls, right and wrong,
 * by both. What ScaLAPACK takes is carried out in supersteps, with its results, pivots and info;
 * what it does not take is passed on to it by all processes. ScaLAPACK's routines are looked up in
 * its own file; its drivers call the others by name, thus ours, so they are made of these here.
 */
#include "matrix.h"

#include <dlfcn.h>
#include <stdbool.h>

#include "common/offer.h"
#include "hooks/blacs.h"
#include "hooks/collective.h"

#define SIZES const int *, const int *
#define PART(a) a, const int *, const int *, const int *
/* X(name, parameters) of each routine. */
#define ROUTINES(X, x)                                                                             \
    X(p##x##getrf_, getrf, (SIZES, PART(void *), int *, int *))                                    \
    X(p##x##potrf_, potrf, (const char *, const int *, PART(void *), int *))                       \
    X(p##x##geqrf_, geqrf, (SIZES, PART(void *), void *, void *, const int *, int *))              \
    X(p##x##gels_, gels,                                                                           \
      (const char *, SIZES, const int *, PART(void *), PART(void *), void *, const int *, int *))
#define DECLARE(name, member, parameters) void name parameters;
ROUTINES(DECLARE, s)
ROUTINES(DECLARE, d)
ROUTINES(DECLARE, c)
ROUTINES(DECLARE, z)
#define MEMBER(name, member, parameters) void(*member) parameters;
typedef struct scalapack {
    ROUTINES(MEMBER, d)
} scalapack;
#define OURS(name, member, parameters) .member = name,
static const char types[] = "sdcz";
static const scalapack ours[4] = {
    {ROUTINES(OURS, s)}, {ROUTINES(OURS, d)}, {ROUTINES(OURS, c)}, {ROUTINES(OURS, z)}};
static scalapack theirs[4];

enum which { GETRF, POTRF, GEQRF, GELS, ALL };
static const char *const names[ALL] = {"getrf", "potrf", "geqrf", "gels"};

/* One call; what has no meaning for its routine is not looked at. */
typedef struct call {
    enum which which;
    int type; /* a place in `types` */
    char letter;
    int m, n, sides, ia, ja, ib, jb, size;
    layout a, b;
    int desca[9], descb[9]; /* as it says them */
    int spoilt; /* a column of zeroes, or a diagonal element that is negative; -1: none */
} call;

/* What it works on. */
enum { ROOM = 100000, LINES = 400 };
typedef struct state {
    void *a, *b, *tau, *room;
    int *pivots, info;
} state;

/* ----------------------------------------------------------------- matrices */

static number element_of_a(const call *c, int i, int j)
{
    bool definite = c->which == POTRF;
    int row = i - c->ia + 1, column = j - c->ja + 1;
    number x = random_number(3, (size_t)i, (size_t)j);
    if (definite && row < column)
        x = conj(random_number(3, (size_t)(column + c->ia - 1), (size_t)(row + c->ja - 1)));
    if (!definite && column == c->spoilt)
        return 0;
    if (row == column && definite)
        return column == c->spoilt ? -1 : creal(x) + c->n;
    return row == column && c->which != GETRF ? x + 9 : x;
}

static void *filled(const call *c, const layout *x, bool is_a)
{
    const char type = types[c->type];
    size_t n = (size_t)(x->desc[8] > 0 ? x->desc[8] : 1) * (size_t)(local_columns(x) + 1);
    char *p = calloc(n + 1, bytes_of(type));
    for (int j = 0; j < x->desc[3]; j++)
        for (int i = 0; i < x->desc[2]; i++)
            if (place_of(x, i, j) >= 0)
                set(type, p, (size_t)place_of(x, i, j),
                    is_a ? element_of_a(c, i, j) : random_number(5, (size_t)i, (size_t)j));
    return p;
}

static state open_state(const call *c)
{
    return (state){.a = filled(c, &c->a, true),
                   .b = filled(c, &c->b, false),
                   .tau = calloc(LINES, 16),
                   .room = calloc(ROOM, 16),
                   .pivots = calloc(LINES, sizeof(int)),
                   .info = -99};
}

static void close_state(state *s)
{
    free(s->a);
    free(s->b);
    free(s->tau);
    free(s->room);
    free(s->pivots);
}

/* -------------------------------------------------------------------- calls */

static void perform(const scalapack *all, const call *c, state *s)
{
    const scalapack *r = &all[c->type];
    const int *n = &c->n, *k = &c->sides, *ia = &c->ia, *ja = &c->ja, *ib = &c->ib, *jb = &c->jb,
              *da = c->desca, *db = c->descb;
    const char *l = &c->letter;
    switch (c->which) {
    case GETRF: r->getrf(&c->m, n, s->a, ia, ja, da, s->pivots, &s->info); break;
    case POTRF: r->potrf(l, n, s->a, ia, ja, da, &s->info); break;
    case GEQRF: r->geqrf(&c->m, n, s->a, ia, ja, da, s->tau, s->room, &c->size, &s->info); break;
    default:
        r->gels(l, &c->m, n, k, s->a, ia, ja, da, s->b, ib, jb, db, s->room, &c->size, &s->info);
    }
}

static double far_apart(const call *c, const layout *x, const void *a, const void *b)
{
    const char type = types[c->type];
    double most = 0;
    for (int j = 0; j < x->desc[3]; j++)
        for (int i = 0; i < x->desc[2]; i++) {
            long at = place_of(x, i, j);
            double d = at < 0 ? 0 : cabs(get(type, a, (size_t)at) - get(type, b, (size_t)at));
            most = d > most || isnan(d) ? d : most;
        }
    return most / epsilon_of(type);
}

static const char *text_of(const call *c)
{
    static char text[400];
    snprintf(text, sizeof text,
             "p%c%s %c %d x %d, %d at (%d, %d), (%d, %d) on %d x %d in blocks %d x %d, %d x %d, "
             "size %d, spoilt %d",
             types[c->type], names[c->which], c->letter, c->m, c->n, c->sides, c->ia, c->ja, c->ib,
             c->jb, c->a.rows, c->a.columns, c->a.desc[4], c->a.desc[5], c->b.desc[4], c->b.desc[5],
             c->size, c->spoilt);
    return text;
}

static int wrong_pivots(const call *c, const state *s, const state *t)
{
    int wrong = 0, least = c->m < c->n ? c->m : c->n;
    for (int i = c->ia - 1; i < c->ia - 1 + least && c->which == GETRF; i++)
        if (owner_of(i, c->a.desc[4], c->a.desc[6], c->a.rows) == c->a.row) {
            int at = local_of(i, c->a.desc[4], c->a.rows);
            wrong += s->pivots[at] != t->pivots[at];
        }
    return wrong;
}

/* Factors, solutions, pivots and tau are equal but for rounding. */
static void check_results(const call *c, const state *s, const state *t)
{
    const char type = types[c->type];
    double far = far_apart(c, &c->a, s->a, t->a), of_b = far_apart(c, &c->b, s->b, t->b);
    bool broken = t->info > 0 && c->which == POTRF; /* what stands behind is undefined */
    check(broken || far < 1e5, "%s: factors differ by %g eps", text_of(c), far);
    check(c->which != GELS || of_b < 1e5, "%s: solutions differ by %g eps", text_of(c), of_b);
    check(wrong_pivots(c, s, t) == 0, "%s: %d pivots differ", text_of(c), wrong_pivots(c, s, t));
    double tau = 0;
    for (int j = c->ja - 1, end = j + (c->m < c->n ? c->m : c->n); j < end && c->which == GEQRF;
         j++)
        if (owner_of(j, c->a.desc[5], c->a.desc[7], c->a.columns) == c->a.column) {
            size_t at = (size_t)local_of(j, c->a.desc[5], c->a.columns);
            tau = fmax(tau, cabs(get(type, s->tau, at) - get(type, t->tau, at)));
        }
    check(tau < 1e5 * epsilon_of(type), "%s: tau differ by %g", text_of(c), tau);
    check(c->which < GEQRF || get(type, s->room, 0) == get(type, t->room, 0),
          "%s: the size of WORK is %g, ScaLAPACK's %g", text_of(c), creal(get(type, s->room, 0)),
          creal(get(type, t->room, 0)));
}

static bool is_near(const call *c)
{
    const ob_group *all = ob_blacs_group(c->desca[1], 'A');
    return all && ob_group_near(all);
}

/* Of which ScaLAPACK's is faster (openblacs/factor.h), of as many processes as are tried here. */
static bool is_slow(const call *c)
{
    int rows = c->a.rows, columns = c->a.columns, processes = rows * columns, nb = c->desca[5];
    int n = c->m < c->n && c->which != POTRF ? c->m : c->n;
    switch (c->which) {
    case GELS: return c->m >= c->n && processes > 1 && (n <= nb || (processes > 4 && n < 100));
    case GEQRF:
        return (rows == 2 && n >= (columns > 2 ? 1500 : 2000)) ||
               (rows == 1 && columns > 5 && n >= 160 && n < 300);
    case POTRF:
        if (processes == 1 || n < 208)
            return false;
        if (nb >= 32)
            return (nb > 32 || !is_near(c)) && processes > 6 && n < 16 * nb;
        if ((c->letter == 'L' ? columns : rows) == 1)
            return false;
        if (nb <= 16 && is_near(c))
            return nb > 8 && c->letter == 'L' && rows == 1 && columns > 2 && n >= 300 && n < 1000;
        return rows > 2 || columns > 2 || n >= 500;
    default: return false;
    }
}

static int carried_out[ALL];

static void check_outcome(const call *c, const state *s, const state *t, bool right, bool taken)
{
    bool asks = c->which >= GEQRF && c->size == -1;
    /* Where one process alone is wrong PDGELS compares letters that it has not set. */
    bool unset = c->which == GELS && t->info < 0 && s->info < 0;
    check(s->info == t->info || unset, "%s: info %d, ScaLAPACK's %d", text_of(c), s->info, t->info);
    check(!right || t->info >= 0, "%s: ScaLAPACK has info %d", text_of(c), t->info);
    check(taken == (t->info >= 0 && !asks && !is_slow(c)), "%s: %s, info %d", text_of(c),
          taken ? "carried out" : "passed on", t->info);
    carried_out[c->which] += taken;
    if (t->info >= 0)
        check_results(c, s, t);
}

/* Both carry it out. */
static void compare(const call *c, bool right)
{
    state s = open_state(c), t = open_state(c);
    call enough = *c;
    if (right && c->which == GELS) /* its parts want more WORK than it answers, now and then */
        enough.size = ROOM;
    perform(ours, c, &s);
    bool taken = ob_lu_taken();
    perform(theirs, &enough, &t);
    check_outcome(c, &s, &t, right, taken);
    close_state(&s);
    close_state(&t);
}

/* -------------------------------------------------------------- by the dice */

static char letter_for(enum which which, int type, dice *d)
{
    const bool real = type < 2;
    switch (which) {
    case POTRF: return "UL"[roll(d, 2)];
    case GELS: return roll(d, 2) ? 'N' : real ? 'T' : 'C';
    default: return 'N';
    }
}

/* A right call. */
static call any_call(int context, enum which which, int type, dice *d)
{
    call c = {.which = which, .type = type, .size = ROOM, .spoilt = -1};
    /* In single precision many elements have a nearly equal rival as pivot. */
    const int least = world.count > 4 && type % 2 && roll(d, 2) ? 200 : 0;
    int mb = 1 + roll(d, 9), nb = which < GEQRF ? mb : 1 + roll(d, 9), before = roll(d, 3);
    c.letter = letter_for(which, type, d);
    if (which == POTRF && roll(d, 2))
        mb = nb = 32 + roll(d, 2);
    c.m = least + roll(d, 50);
    c.n = which == POTRF ? c.m : least + roll(d, 50);
    c.sides = roll(d, 8);
    c.ia = 1 + mb * roll(d, 3) + (which == GEQRF ? roll(d, 4) : 0);
    c.ja = 1 + nb * roll(d, 3) + (which == GEQRF ? roll(d, 4) : 0);
    c.jb = 1 + roll(d, 3);
    int grid_rows, grid_columns, row, column;
    Cblacs_gridinfo(context, &grid_rows, &grid_columns, &row, &column);
    int rsrc = roll(d, grid_rows), csrc = roll(d, grid_columns);
    describe(&c.a, context, c.ia + c.m + roll(d, 4), c.ja + c.n + roll(d, 4), mb, nb, rsrc, csrc);
    bool wide = which == GELS && c.m < c.n;
    int block = wide ? nb : mb, rows = which == GELS && c.n > c.m ? c.n : c.m;
    c.ib = 1 + block * before;
    /* The first rows of A and B are in one process row. */
    int source = (rsrc + (c.ia - 1) / mb + before * (grid_rows - 1)) % grid_rows;
    describe(&c.b, context, c.ib + rows + roll(d, 4), c.jb + c.sides + roll(d, 4), block,
             1 + roll(d, 5), source, roll(d, grid_columns));
    memcpy(c.desca, c.a.desc, sizeof c.desca);
    memcpy(c.descb, c.b.desc, sizeof c.descb);
    if (roll(d, 4) == 0 && c.n > 0 && which < GEQRF)
        c.spoilt = roll(d, c.n);
    return c;
}

/* Something wrong in a right call, on all processes or on one. */
static void spoil(call *c, dice *d)
{
    const bool both = c->which == GELS;
    int *desc = both && roll(d, 2) ? c->descb : c->desca, on = roll(d, world.count + 1);
    int kind = roll(d, 15), by = 1 + roll(d, 3);
    if (on < world.count && on != world.me)
        return;
    switch (kind) {
    case 0: desc[0] = 2; break;
    case 1: desc[6] = -1; break;
    case 2: desc[7] = -1; break;
    case 3: desc[4] = -desc[4]; break; /* ScaLAPACK divides by 0 */
    case 4: desc[5] = -desc[5]; break;
    case 5: desc[8] = 0; break;
    case 6: c->n = -1; break;
    case 7: c->ia = 0; break;
    case 8: c->ja += by; break;
    case 9: c->ia += by; break;
    case 10: c->letter = 'X'; break;
    case 11: c->ib = both ? c->ib + by : c->ib; break;
    case 12: desc[2] = 1; break;
    case 13: c->size = 3; break;
    default: c->size = -1;
    }
}

/* What ScaLAPACK answers is enough, and one less is not. */
static void try_sizes(const call *right)
{
    call c = *right;
    const char type = types[c.type];
    state s = open_state(&c);
    c.size = -1;
    compare(&c, false);
    perform(ours, &c, &s);
    c.size = (int)creal(get(type, s.room, 0));
    check(c.size > 0 && c.size <= ROOM, "%s: an answer of %d", text_of(&c), c.size);
    compare(&c, true);
    c.size -= world.me == world.count - 1;
    compare(&c, false);
    close_state(&s);
}

static void try_grid(int context, dice *d, int cases)
{
    for (int i = 0; i < cases; i++)
        for (int which = 0; which < ALL; which++) {
            call c = any_call(context, which, i % 4, d);
            call wrong = c;
            compare(&c, true);
            if (which == GEQRF || (which == GELS && !is_slow(&c)))
                try_sizes(&c);
            spoil(&wrong, d);
            compare(&wrong, false);
        }
    /* A context that is nobody's: each process hears it from ScaLAPACK. */
    call wrong = any_call(context, GETRF, 1, d);
    wrong.desca[1] = 4711;
    compare(&wrong, false);
}

static bool find_theirs(const char *file)
{
    void *library = dlopen(file, RTLD_NOW);
#define FIND(name, of, parameters) *(void **)&theirs[at].of = dlsym(library, #name);
#define FIND_TYPE(x)                                                                               \
    ROUTINES(FIND, x)                                                                              \
    at++;
    int at = 0;
    if (!library)
        return false;
    FIND_TYPE(s)
    FIND_TYPE(d)
    FIND_TYPE(c)
    FIND_TYPE(z)
    return theirs[3].gels && theirs[3].gels != ours[3].gels;
}

/* factor [CASES SEED]; SCALAPACK is the file that it is linked with. */
int main(int argc, char **argv)
{
    dice d = {.seed = argc > 2 ? (uint64_t)atoll(argv[2]) : 1};
    int cases = argc > 1 ? atoi(argv[1]) : 20;
    begin();
    check(find_theirs(SCALAPACK), "no routines in " SCALAPACK);
    for (int rows = 1; rows <= world.count && !world.failed; rows++) {
        if (world.count % rows)
            continue;
        int context;
        Cblacs_get(-1, 0, &context);
        Cblacs_gridinit(&context, rows == 1 ? "Row" : "Column", rows, world.count / rows);
        try_grid(context, &d, cases);
        Cblacs_gridexit(context);
    }
    for (int which = 0; which < ALL; which++)
        check(carried_out[which] >= cases / 4, "%s: %d calls were carried out", names[which],
              carried_out[which]);
    return finish();
}
