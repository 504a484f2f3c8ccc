/*
 * All schemes carried out among threads on shared memory: broadcast and
 * combines of every shape of matrix, with and without owners, and the
 * operations on pieces of different sizes, in views of every kind; then the
 * same operations as the library does them of itself.
 */
#include "collective/members_test.h"

#include "collective/data/parts.h"
#include "collective/scheme/vectors.h"

/* So many elements at a time are written and compared: columns are other ones. */
enum { MOST = TEST_MEMBERS, SOME = 61 };

/* ----------------------------------------------------------- schemes for a size */

static int smallest_factor(int p)
{
    for (int f = 2; f * f <= p; f++)
        if (p % f == 0)
            return f;
    return p;
}

/* Replaces R and C of a pattern by r@c and c@1; on a line (r = 1) stages over R go. */
static bool make(const char *pattern, int p, ob_scheme *s)
{
    ob_scheme all;
    char text[OB_SCHEME_TEXT];
    int r = p / smallest_factor(p), c = p / r, at = 0;
    for (const char *x = pattern; *x; x++)
        if (*x == 'R' || *x == 'C')
            at += sprintf(text + at, "%d@%d", *x == 'R' ? r : c, *x == 'R' ? c : 1);
        else
            text[at++] = *x;
    text[at] = 0;
    if (!ob_scheme_parse(text, &all))
        fail_msg("'%s' is no scheme", text);
    *s = (ob_scheme){0};
    for (int k = 0; k < all.stages; k++)
        ob_scheme_add(s, all.stage[k].act, all.stage[k].how, all.stage[k].count,
                      all.stage[k].stride, all.stage[k].detail);
    return s->stages > 0;
}

/* One block over R and C. */
static bool make_plain(ob_act act, ob_how how, int p, ob_scheme *s)
{
    int r = p / smallest_factor(p), c = p / r, detail = ob_hows[how]->detail ? 2 + p % 2 : 0;
    bool inward = act == OB_ACT_COMBINE || act == OB_ACT_GATHER || act == OB_ACT_COLLECT;
    *s = (ob_scheme){0};
    if (!ob_form_exists(act, how))
        return false;
    ob_scheme_add(s, act, how, inward ? c : r, inward ? 1 : c, detail);
    ob_scheme_add(s, act, how, inward ? r : c, inward ? c : 1, detail);
    return s->stages > 0;
}

static const char *const broadcasts[] = {
    "broadcastR:chain4+broadcastC:double1",
    "scatterR:tree+scatterC:tree+collectC:bucket+collectR:both",
    "scatterC:postal2+broadcastR:chain3+collectC:bruck",
    "scatterR:tree+broadcastC:tree+collectR:halving"};
static const char *const combines[] = {
    "combineC:chain3+combineR:postal2", "distributeR:bucket+combineC:tree+gatherR:tree",
    "distributeC:halving+distributeR:both+gatherR:tree+gatherC:tree"};
static const char *const combine_alls[] = {
    "combineC:tree+combineR:double2+broadcastR:double1+broadcastC:postal2",
    "distributeR:bucket+distributeC:both+collectC:bucket+collectR:halving",
    "distributeC:halving+exchangeR:halving+collectC:bruck",
    "distributeC:bucket+combineR:tree+broadcastR:postal2+collectC:halving"};
static const char *const scatters[] = {"scatterR:postal2+scatterC:tree"};
static const char *const gathers[] = {"gatherC:postal2+gatherR:tree"};
static const char *const collects[] = {"collectC:both+collectR:halving",
                                       "collectR:halving+collectC:both",
                                       "gatherC:tree+gatherR:tree+broadcastR:tree+broadcastC:tree"};
static const char *const distributes[] = {
    "distributeR:bucket+distributeC:both", "distributeC:both+distributeR:halving",
    "combineC:tree+combineR:tree+scatterR:tree+scatterC:tree"};
#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

/* A task's schemes: every block of its own act, and patterns of several. */
typedef struct kind {
    ob_task task;
    ob_act act;
    const char *const *patterns;
    int count;
} kind;

static bool make_kth(const kind *of, int k, int p, ob_scheme *s)
{
    return k < OB_HOWS ? make_plain(of->act, (ob_how)k, p, s)
                       : make(of->patterns[k - OB_HOWS], p, s);
}

/* -------------------------------------------------------------- whole matrices */

typedef struct shape_case {
    size_t m, n, gap;
    ob_shape shape;
    int unit;
} shape_case;

static const shape_case cases[] = {{1, 1, 0, OB_GENERAL, 0},  {40, 9, 0, OB_GENERAL, 0},
                                   {40, 9, 3, OB_GENERAL, 0}, {12, 17, 2, OB_UPPER, 0},
                                   {17, 12, 1, OB_LOWER, 1},  {0, 5, 0, OB_GENERAL, 0},
                                   {0, 5, 3, OB_GENERAL, 0},  {1, 4, 2, OB_UPPER, 1},
                                   {1, 1, 2, OB_LOWER, 1},    {300, 77, 5, OB_GENERAL, 0}};

/* A whole number as element i; complex ones have another part, too. */
TEAM_RECKONING static void write_element(ob_type t, double x, unsigned char *raw, size_t i)
{
    float f = (float)x;
    if (t == OB_INT)
        memcpy(raw + 4 * i, &(int){(int)x}, 4);
    else if (t == OB_FLOAT)
        memcpy(raw + 4 * i, &f, 4);
    else if (t == OB_DOUBLE)
        memcpy(raw + 8 * i, &x, 8);
    else if (t == OB_COMPLEX)
        memcpy(raw + 8 * i, (float[2]){f, 1}, 8);
    else
        memcpy(raw + 16 * i, (double[2]){x, 1}, 16);
}

static size_t some_of(const ob_cursor *c, size_t esize)
{
    return c->left < SOME * esize ? c->left / esize : SOME;
}

/* Element k of a view, in the order of the wire, as whole numbers. */
TEAM_RECKONING static double whole_number(size_t k, int seed)
{
    return (double)((k * 7 + (size_t)seed * 5) % 11) - 5;
}

static void set_elements(const ob_view *v, int seed)
{
    ob_cursor c;
    unsigned char raw[16 * SOME];
    size_t esize = ob_type_bytes(v->type);
    ob_cursor_open(&c, v);
    for (size_t k = 0, n; c.left; k += n) {
        n = some_of(&c, esize);
        for (size_t i = 0; i < n; i++)
            write_element(v->type, whole_number(k + i, seed), raw, i);
        ob_cursor_unpack(&c, raw, n * esize);
    }
}

TEAM_RECKONING static double element_of(ob_type t, const unsigned char *raw, size_t i)
{
    int whole;
    float f;
    double d;
    raw += i * ob_type_bytes(t);
    if (t == OB_INT)
        return memcpy(&whole, raw, sizeof whole), whole;
    if (t == OB_FLOAT || t == OB_COMPLEX)
        return memcpy(&f, raw, sizeof f), (double)f;
    return memcpy(&d, raw, sizeof d), d;
}

/* What operation `which` makes of element e, and whose it is: the first of the largest from `first`
 * on. */
TEAM_RECKONING static double expected(size_t e, int which, int p, int root, bool owners, int *who)
{
    int first = which == 2 ? 0 : root;
    double want = 0;
    *who = -1;
    if (which == 0)
        return whole_number(e, root);
    for (int d = 0; d < p; d++) {
        int i = first + d < p ? first + d : first + d - p;
        double x = whole_number(e, i);
        if (!owners)
            want += x;
        else if (*who < 0 || (x < 0 ? -x : x) > (want < 0 ? -want : want))
            want = x, *who = i;
    }
    return want;
}

/* The elements of the view and, if there are any, their owners. */
static void check_elements(ob_group *g, int which, int root, const ob_view *v, const ob_view *owner)
{
    int p = ob_group_size(g), me = ob_group_me(g), owned[SOME];
    size_t esize = ob_type_bytes(v->type);
    unsigned char raw[16 * SOME];
    ob_cursor c, from;
    ob_cursor_open(&c, v);
    if (owner)
        ob_cursor_open(&from, owner);
    for (size_t e = 0, n; c.left; e += n) {
        n = some_of(&c, esize);
        ob_cursor_pack(&c, raw, n * esize);
        if (owner)
            ob_cursor_pack(&from, owned, n * sizeof *owned);
        for (size_t i = 0; i < n; i++) {
            int who;
            double want = expected(e + i, which, p, root, owner != NULL, &who);
            double is = element_of(v->type, raw, i);
            TEAM_CHECK(is == want, "operation %d, element %zu of member %d of %d is %g, not %g",
                       which, e + i, me, p, is, want);
            if (owner)
                TEAM_CHECK(owned[i] == who, "owner %d, not %d", owned[i], who);
        }
    }
}

static void shaped(ob_group *g, int which, const ob_scheme *s, int root, const shape_case *k,
                   ob_type type, bool owners)
{
    int me = ob_group_me(g);
    size_t ld = k->m + k->gap, room = ld * k->n + 1;
    unsigned char *memory = calloc(room, ob_type_bytes(type));
    int *owner = owners ? calloc(room, sizeof *owner) : NULL;
    ob_view v = {memory, k->m, k->n, ld, type, k->shape, k->unit}, o = v;
    o.base = owner;
    o.type = OB_INT;
    if (which || me == root)
        set_elements(&v, which ? me : root);
    int status =
        which ? ob_scheme_combine(g, which == 2 ? OB_ANY : root, owners ? OB_MAX_ABS : OB_SUM, NULL,
                                  &v, owner, ld, false, s)
              : ob_scheme_broadcast(g, root, &v, s);
    OK(status);
    if (which != 1 || me == root)
        check_elements(g, which, root, &v, owner ? &o : NULL);
    free(owner);
    free(memory);
}

static void whole(ob_group *g, int which, const ob_scheme *s, int root, int seed)
{
    shaped(g, which, s, root, &cases[seed % COUNT(cases)], (ob_type)(seed % 5),
           which > 0 && seed % 3 == 1);
}

/* Values and their owners lie side by side in working memory, in lines of any length. */
static void all_lengths(ob_group *g, void *shared)
{
    (void)shared;
    ob_scheme one, all;
    TEAM_CHECK(ob_scheme_parse("combine4@1:tree", &one), "combine4@1:tree");
    TEAM_CHECK(ob_scheme_parse("combine4@1:tree+broadcast4@1:tree", &all), "combine4@1:tree+...");
    for (size_t m = 1; m <= 80; m++)
        for (int type = 0; type < 5; type++) {
            shape_case k = {m, 1, 0, OB_GENERAL, 0};
            shaped(g, 1, &one, 2, &k, (ob_type)type, true);
            shaped(g, 2, &all, 0, &k, (ob_type)type, true);
        }
}

static void test_owners_of_all_lengths(void **state)
{
    run_members(4, all_lengths, NULL);
}

static void all_whole(ob_group *g, void *shared)
{
    (void)shared;
    static const kind kinds[3] = {
        {OB_TASK_BROADCAST, OB_ACT_BROADCAST, broadcasts, COUNT(broadcasts)},
        {OB_TASK_COMBINE, OB_ACT_COMBINE, combines, COUNT(combines)},
        {OB_TASK_ALL, OB_ACT_EXCHANGE, combine_alls, COUNT(combine_alls)}};
    int p = ob_group_size(g), seed = 0;
    for (int which = 0; which < 3; which++)
        for (int k = 0; k < OB_HOWS + kinds[which].count; k++)
            for (int root = 0; root<p; root += p> 5 ? 4 : 1)
                for (int i = 0; i < 3; i++, seed++) {
                    ob_scheme s;
                    if (make_kth(&kinds[which], k, p, &s))
                        whole(g, which, &s, root, seed);
                }
}

static void test_whole(void **state)
{
    for (int p = 1; p <= MOST; p++)
        run_members(p, all_whole, NULL);
}

/* ------------------------------------------------------------------- pieces */

/* Piece i: its elements, and how it lies. */
static size_t piece_count(int i, int seed)
{
    /* The longest have up to 512 KB; 256 KB where each byte is watched, two of OB_RUN_PIECE. */
    static const size_t times[] = {1, 1, 60, TEAM_RACES ? 2001 : 4001};
    return (size_t)((i * 37 + seed * 13) % 9) * times[seed % 4];
}

TEAM_RECKONING static double piece_value(int member, int i, size_t k)
{
    return (double)((k * 3 + (size_t)i * 5 + (size_t)member * 7) % 13);
}

typedef struct pieces_case {
    ob_view view[MOST];
    size_t counts[MOST];
    ob_type type;
    char *memory;
    ob_pieces pieces;
} pieces_case;

/* lying 0: one behind the other; 1: with gaps; 2: as strided views. */
static void open_case(pieces_case *c, ob_type type, int p, int seed, int lying)
{
    size_t at = 0, room = 1, esize = ob_type_bytes(type);
    for (int i = 0; i < p; i++)
        room += piece_count(i, seed) * (lying == 2 ? 3 : 1) + (lying == 1);
    c->type = type;
    c->memory = calloc(room, esize);
    for (int i = 0; i < p; i++) {
        c->counts[i] = piece_count(i, seed);
        ob_view v = {c->memory + at * esize,
                     c->counts[i],
                     1,
                     c->counts[i] ? c->counts[i] : 1,
                     type,
                     OB_GENERAL,
                     0};
        if (lying == 2) {
            v.m = 1;
            v.n = c->counts[i];
            v.ld = 3;
        }
        c->view[i] = v;
        at += c->counts[i] * (lying == 2 ? 3 : 1) + (lying == 1);
    }
    c->pieces = (ob_pieces){.base = c->memory, .type = type, .counts = c->counts};
    if (lying)
        c->pieces.views = c->view;
}

static void fill(pieces_case *c, int member, int i)
{
    ob_cursor w;
    unsigned char raw[16 * SOME];
    size_t esize = ob_type_bytes(c->type);
    ob_cursor_open(&w, &c->view[i]);
    for (size_t k = 0, n; w.left; k += n) {
        n = some_of(&w, esize);
        for (size_t e = 0; e < n; e++)
            write_element(c->type, piece_value(member, i, k + e), raw, e);
        ob_cursor_unpack(&w, raw, n * esize);
    }
}

static void check_piece(pieces_case *c, int i, int from, int p, bool sum, const char *what)
{
    ob_cursor r;
    unsigned char raw[16 * SOME];
    size_t esize = ob_type_bytes(c->type);
    ob_cursor_open(&r, &c->view[i]);
    for (size_t k = 0, n; r.left; k += n) {
        n = some_of(&r, esize);
        ob_cursor_pack(&r, raw, n * esize);
        for (size_t e = 0; e < n; e++) {
            double want = sum ? 0 : piece_value(from, i, k + e);
            double x = element_of(c->type, raw, e);
            for (int m = 0; sum && m < p; m++)
                want += piece_value(m, i, k + e);
            TEAM_CHECK(x == want, "%s of %d: element %zu of piece %d is %g, not %g", what, p, k + e,
                       i, x, want);
        }
    }
}

static int do_scheme(ob_group *g, ob_task task, int root, pieces_case *c, const ob_scheme *s)
{
    ob_parts parts;
    int me = ob_group_me(g);
    bool here = task == OB_TASK_COLLECT || task == OB_TASK_DISTRIBUTE || me == root;
    int status = ob_parts_make("test", g, &c->pieces, here, here ? NULL : &c->view[me],
                               ob_type_bytes(c->type), &parts);
    if (status != OB_OK)
        return status;
    parts.kernel = ob_kernel_find(OB_SUM, c->type, 0);
    status = ob_scheme_parts(g, task, root, &parts, s);
    ob_parts_free(&parts);
    return status;
}

static int do_library(ob_group *g, ob_task task, int root, pieces_case *c, bool secret)
{
    ob_view *mine = &c->view[ob_group_me(g)];
    c->pieces.private_sizes = secret;
    switch (task) {
    case OB_TASK_SCATTER:
        return ob_scatter(g, root, &c->pieces, ob_group_me(g) == root ? NULL : mine, NULL);
    case OB_TASK_GATHER:
        return ob_gather(g, root, &c->pieces, ob_group_me(g) == root ? NULL : mine, NULL);
    case OB_TASK_COLLECT: return ob_collect(g, &c->pieces, NULL);
    default: return ob_distributed_combine(g, OB_SUM, &c->pieces, NULL);
    }
}

static void one_pieces(ob_group *g, ob_task task, ob_type type, int root, const ob_scheme *s,
                       int seed)
{
    pieces_case c;
    int p = ob_group_size(g), me = ob_group_me(g);
    open_case(&c, type, p, seed, (seed + me) % 3);
    for (int i = 0; i < p; i++)
        if (task == OB_TASK_DISTRIBUTE || (task == OB_TASK_SCATTER ? me == root : i == me))
            fill(&c, me, i);
    int status = s ? do_scheme(g, task, root, &c, s)
                   : do_library(g, task, root, &c,
                                seed % 2 && (task == OB_TASK_SCATTER || task == OB_TASK_GATHER));
    OK(status);
    for (int i = 0; i < p; i++) {
        if (task == OB_TASK_COLLECT || (task == OB_TASK_GATHER && me == root))
            check_piece(&c, i, i, p, false, ob_task_name(task));
        else if (task == OB_TASK_SCATTER && i == me)
            check_piece(&c, i, root, p, false, "scatter");
        else if (task == OB_TASK_DISTRIBUTE && i == me)
            check_piece(&c, i, 0, p, true, "distribute");
    }
    free(c.memory);
}

static void all_pieces(ob_group *g, void *shared)
{
    (void)shared;
    static const kind kinds[] = {
        {OB_TASK_SCATTER, OB_ACT_SCATTER, scatters, COUNT(scatters)},
        {OB_TASK_GATHER, OB_ACT_GATHER, gathers, COUNT(gathers)},
        {OB_TASK_COLLECT, OB_ACT_COLLECT, collects, COUNT(collects)},
        {OB_TASK_DISTRIBUTE, OB_ACT_DISTRIBUTE, distributes, COUNT(distributes)}};
    /* Five types, four sizes: another pair for each root and number of members. */
    int p = ob_group_size(g), seed = p;
    for (int t = 0; t < COUNT(kinds); t++)
        for (int root = 0; root<p; root += p> 5 ? 5 : 1)
            for (int i = 0; i < 4; i++, seed++) {
                /* Long pieces take long: with many members, or watched, from one root. */
                if (i == 3 && (p > 5 ? root > 0 : TEAM_RACES && root != p / 2))
                    continue;
                one_pieces(g, kinds[t].task, (ob_type)(seed % 5), root, NULL, i);
                for (int k = 0; k < OB_HOWS + kinds[t].count; k++) {
                    ob_scheme s;
                    if (make_kth(&kinds[t], k, p, &s))
                        one_pieces(g, kinds[t].task, (ob_type)((seed + k) % 5), root, &s, i);
                }
            }
}

static void test_pieces(void **state)
{
    for (int p = 1; p <= MOST; p++)
        run_members(p, all_pieces, NULL);
}

/* --------------------------------------------- operations of the caller's own */

typedef struct wide {
    double x, y, z;
} wide;

static void add_wide(size_t n, void *acc, const void *in, const void *context)
{
    wide *a = acc;
    const wide *b = in;
    double factor = *(const double *)context;
    for (size_t i = 0; i < n; i++) {
        a[i].x += b[i].x;
        a[i].y = a[i].y > b[i].y ? a[i].y : b[i].y;
        a[i].z += factor * (b[i].z / factor);
    }
}

static void own_operation(ob_group *g, void *shared)
{
    (void)shared;
    double factor = 2;
    const ob_operation add = {add_wide, &factor, sizeof(wide)};
    int p = ob_group_size(g), me = ob_group_me(g);
    static const size_t sizes[] = {1, 3, 100, 20000};
    for (int i = 0; i < COUNT(sizes); i++)
        for (int how = 0; how < 2; how++) {
            size_t n = sizes[i];
            wide *w = malloc(n * sizeof *w);
            for (size_t k = 0; k < n; k++)
                w[k] = (wide){me + (double)k, me, 1};
            ob_view v = {w, n * 3, 1, n * 3, OB_DOUBLE, OB_GENERAL, 0};
            ob_scheme s;
            int status;
            if (how && make("distributeR:bucket+exchangeC:halving+collectR:bucket", p, &s))
                status = ob_scheme_combine(g, OB_ANY, OB_SUM, &add, &v, NULL, 0, false, &s);
            else
                status = ob_combine_by(g, OB_ANY, &add, &v, NULL);
            OK(status);
            for (size_t k = 0; k < n; k++)
                TEAM_CHECK(w[k].x == p * (p - 1) / 2 + (double)p * (double)k && w[k].y == p - 1 &&
                               w[k].z == p,
                           "element %zu of %zu, %d members: %g %g %g", k, n, p, w[k].x, w[k].y,
                           w[k].z);
            free(w);
        }
}

static void test_own_operation(void **state)
{
    for (int p = 1; p <= 9; p++)
        run_members(p, own_operation, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_owners_of_all_lengths),
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_own_operation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
