/*
 * The measurements within one job: each round takes one sample of every row with each library in
 * turn, so that a change of the machine's speed meets all of them alike.
 *
 * A message's sample is half of LAWN 73's echo (3.3) between two processes, while all others sleep
 * in a barrier. A sample of a collective call is the time of one call among many in a row, from a
 * barrier to a barrier, of the slowest process.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "obbench/obbench.h"
#include "obbench/verdict/verdict.h"
#include "openblacs/launch.h"

static const double SAMPLE_US = 5000, LOOK_S = 0.25, LOOK_EVERY_S = 5;
/* One pair is called far when a message takes so much longer than between the nearest. */
static const double FAR = 1.5;
enum { MOST_CALLS = 20000, LONGEST = 2097152, LARGEST_COLLECTIVE = LONGEST };

static const struct row {
    obv_work work; /* OBV_MESSAGE: of each pair that there is */
    const char *key;
    int m, n, ld;
    bool always; /* not with --rows long alone */
} rows[] = {
    {OBV_MESSAGE, "8", 1, 1, 1, true},
    {OBV_MESSAGE, "64", 8, 1, 8, false},
    {OBV_MESSAGE, "1K", 128, 1, 128, false},
    {OBV_MESSAGE, "4K", 512, 1, 512, false},
    {OBV_MESSAGE, "16K", 2048, 1, 2048, false},
    {OBV_MESSAGE, "64K", 8192, 1, 8192, true},
    {OBV_MESSAGE, "256K", 32768, 1, 32768, false},
    {OBV_MESSAGE, "1M", 131072, 1, 131072, false},
    {OBV_MESSAGE, "16M", LONGEST, 1, LONGEST, true},
    {OBV_MESSAGE, "16M-columns-of-64", 64, 32768, 128, false},
    {OBV_BROADCAST, "8", 1, 1, 1, true},
    {OBV_BROADCAST, "256", 32, 1, 32, false},
    {OBV_BROADCAST, "4K", 512, 1, 512, false},
    {OBV_BROADCAST, "64K", 8192, 1, 8192, true},
    {OBV_BROADCAST, "256K", 32768, 1, 32768, false},
    {OBV_BROADCAST, "1M", 131072, 1, 131072, false},
    {OBV_BROADCAST, "4M", 524288, 1, 524288, true},
    {OBV_BROADCAST, "16M", LONGEST, 1, LONGEST, false},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* One row with one library. */
typedef struct point {
    const struct row *row;
    const obv_way *way;
    obv_work work;
    int pair[2];
    int times; /* of one sample; 0: not tried yet */
    bool out;  /* left out: the first round had no time for it */
    obv_lu *lu;
    obv_series series;
} point;

typedef struct bench {
    const obv_options *o;
    ob_job *job;
    ob_group *all;
    int me, processes, way_count, point_count, pairs;
    obv_way ways[OBV_WAYS];
    int pair[2][2]; /* near and far, or the only one */
    point *points;
    double *a, *b;
    int *where;
    obv_sink *sink;
    void *context;
    const char *launcher;
    bool looks; /* this process measures what it loses */
    int nodes;
    bool *beside; /* which processes are on the node of process 0 */
} bench;

static void must(int status)
{
    if (status)
        obb_die("%s", ob_error_text());
}

/* What process 0 says. */
static double agree(const bench *b, double value)
{
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    must(ob_broadcast(b->all, 0, &v, NULL));
    return value;
}

static double most(const bench *b, double value)
{
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    must(ob_combine(b->all, OB_ANY, OB_MAX_ABS, &v, NULL, 0, NULL));
    return value;
}

static double now_us(void)
{
    return 1e6 * ob_time();
}

/* -------------------------------------------------------------------- samples */

static double echo(const bench *b, const point *p, int times)
{
    const struct row *r = p->row;
    bool first = b->me == p->pair[0];
    int other = p->pair[first];
    double start = now_us();
    for (int i = 0; i < times; i++) {
        if (first)
            obv_send(p->way, other, b->a, r->m, r->n, r->ld);
        obv_receive(p->way, other, b->a, r->m, r->n, r->ld);
        if (!first)
            obv_send(p->way, other, b->a, r->m, r->n, r->ld);
    }
    return (now_us() - start) / times / 2;
}

static int times_for(double each)
{
    double times = SAMPLE_US / fmax(each, 1e-3);
    return times < 1 ? 1 : times > MOST_CALLS ? MOST_CALLS : (int)times;
}

/* The first of the two decides how often. */
static double sample_message(const bench *b, point *p)
{
    if (b->me != p->pair[0] && b->me != p->pair[1])
        return 0;
    if (p->times == 0) {
        echo(b, p, 2);
        double times = times_for(2 * echo(b, p, 2));
        if (b->me == p->pair[0])
            obv_send(p->way, p->pair[1], &times, 1, 1, 1);
        else
            obv_receive(p->way, p->pair[0], &times, 1, 1, 1);
        p->times = (int)times;
    }
    return echo(b, p, p->times);
}

static void call(const bench *b, const point *p)
{
    int n = p->row->m;
    switch (p->work) {
    case OBV_BROADCAST: obv_broadcast(p->way, b->me, b->a, n); break;
    case OBV_AMX: obv_amx(p->way, b->a, b->where, n); break;
    default: obv_sum(p->way, b->a, b->b, n);
    }
}

static void fill(double *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 1e-100 * (1 + i % 7);
}

/* Each sum is the next one's summand: they grow, and begin anew before they are too large. */
static int sums_before(int processes)
{
    enum { BITS = 1300 };
    return processes < 2 ? BITS : (int)(BITS / log2(processes));
}

static double calls(const bench *b, const point *p, int times)
{
    bool sums = p->work == OBV_SUM || p->work == OBV_REPEATABLE;
    int anew = sums ? sums_before(b->processes) : times;
    fill(b->a, p->row->m);
    obv_barrier(p->way);
    double start = now_us();
    for (int i = 0; i < times; i++) {
        if (i && i % anew == 0)
            fill(b->a, p->row->m);
        call(b, p);
    }
    obv_barrier(p->way);
    return most(b, now_us() - start) / times;
}

static double sample_call(const bench *b, point *p)
{
    double us;
    if (p->work == OBV_REPEATABLE)
        obv_ask_repeatable(p->way, 1);
    for (int i = 0; i < 2 && p->times < 2; i++)
        p->times = times_for(calls(b, p, i ? p->times : 2));
    us = calls(b, p, p->times);
    if (p->work == OBV_REPEATABLE)
        obv_ask_repeatable(p->way, 0);
    return us;
}

static bool is_message(obv_work w)
{
    return w <= OBV_FAR;
}

/* A pair's time is brought to process 0. */
static double bring_home(const bench *b, const point *p, double us)
{
    ob_view v = ob_view_vector(&us, 1, OB_DOUBLE);
    if (p->pair[0] != 0 && b->me == p->pair[0])
        must(ob_send(b->all, 0, 0, &v));
    else if (p->pair[0] != 0 && b->me == 0)
        must(ob_recv(b->all, p->pair[0], 0, &v, NULL));
    return us;
}

static void take_sample(bench *b, point *p)
{
    double us = 0;
    if (is_message(p->work)) {
        us = bring_home(b, p, sample_message(b, p));
        must(ob_barrier(b->all));
    } else if (p->work == OBV_LU) {
        if (p->times++ == 0)
            obv_lu_us(p->lu);
        us = obv_lu_us(p->lu);
    } else {
        us = sample_call(b, p);
    }
    if (b->me == 0)
        b->sink(b->context, &p->series, us);
}

/* ---------------------------------------------------------------------- points */

static void name_series(const bench *b, obv_series *s, const char *way, const char *work,
                        const char *key)
{
    *s = (obv_series){.processes = b->processes};
    snprintf(s->launcher, sizeof s->launcher, "%s", b->launcher);
    snprintf(s->way, sizeof s->way, "%s", way);
    snprintf(s->work, sizeof s->work, "%s", work);
    snprintf(s->key, sizeof s->key, "%s", key);
}

static point *add_point(bench *b, obv_work work, const struct row *row, const obv_way *way,
                        const char *key)
{
    point *p = &b->points[b->point_count++];
    *p = (point){.row = row, .way = way, .work = work};
    name_series(b, &p->series, way->name, obv_work_names[work], key);
    return p;
}

static void add_messages(bench *b, const struct row *r, const obv_way *w)
{
    for (int i = 0; i < b->pairs; i++) {
        point *p = add_point(b, b->pairs == 1 ? OBV_MESSAGE : OBV_NEAR + (obv_work)i, r, w, r->key);
        memcpy(p->pair, b->pair[i], sizeof p->pair);
    }
}

static void add_collectives(bench *b, const struct row *r, const obv_way *w)
{
    const obv_options *o = b->o;
    for (int k = OBV_BROADCAST; k <= OBV_AMX; k++) {
        bool mine = k == OBV_BROADCAST || k == OBV_SUM || (o->rows_long && w->blacs);
        /* Repeatable is what only OpenBLACS can be asked for. */
        if (o->asked[k] && mine && (k != OBV_REPEATABLE || strcmp(w->name, "openblacs") == 0))
            add_point(b, (obv_work)k, r, w, r->key);
    }
}

static void add_factorizations(bench *b)
{
    for (int i = 0; i < b->way_count && b->o->asked[OBV_LU]; i++) {
        obv_lu *lu = obv_lu_open(&b->ways[i], b->o->order, b->o->block, b->me, b->processes);
        if (lu)
            add_point(b, OBV_LU, NULL, &b->ways[i], obv_lu_key(lu))->lu = lu;
    }
}

static void make_points(bench *b)
{
    b->points = obb_memory((ROWS + 1) * OBV_WAYS * 4, sizeof *b->points);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < b->way_count; k++) {
            if (!rows[i].always && !b->o->rows_long)
                continue;
            if (rows[i].work == OBV_BROADCAST)
                add_collectives(b, &rows[i], &b->ways[k]);
            else if (b->o->asked[OBV_MESSAGE] && b->processes > 1)
                add_messages(b, &rows[i], &b->ways[k]);
        }
    add_factorizations(b);
}

/* ------------------------------------------------------------------- the machine */

static void tell_machine(bench *b, const char *work, const char *key, double value)
{
    obv_series s;
    name_series(b, &s, "machine", work, key);
    if (b->me == 0)
        b->sink(b->context, &s, value);
}

/* Of the processes of a node that may use the same processors, as many as those are look at what
 * they lose: more would only find each other. */
static void look_at_nodes(bench *b)
{
    enum { NAME = 64 };
    char *names = obb_memory((size_t)b->processes, NAME), *mine = names + (size_t)b->me * NAME;
    unsigned long long *sets = obb_memory((size_t)b->processes, sizeof *sets);
    int before = 0;
    b->beside = obb_memory((size_t)b->processes, sizeof *b->beside);
    gethostname(mine, NAME - 1);
    sets[b->me] = obv_processors_here();
    for (int i = 0; i < b->processes; i++) {
        ob_view v = ob_view_vector(names + (size_t)i * NAME, NAME, OB_BYTE);
        must(ob_broadcast(b->all, i, &v, NULL));
        v = ob_view_vector(&sets[i], sizeof *sets, OB_BYTE);
        must(ob_broadcast(b->all, i, &v, NULL));
    }
    for (int i = 0; i < b->processes; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++)
            first = strcmp(names + (size_t)k * NAME, names + (size_t)i * NAME) != 0;
        b->nodes += first;
        b->beside[i] = strcmp(names, names + (size_t)i * NAME) == 0;
        before +=
            i < b->me && sets[i] == sets[b->me] && strcmp(names + (size_t)i * NAME, mine) == 0;
    }
    b->looks = before < ob_launch_processors();
    free(names);
    free(sets);
    tell_machine(b, "nodes", "-", b->nodes);
}

static void look(bench *b)
{
    must(ob_barrier(b->all));
    tell_machine(b, "lost", "-", most(b, b->looks ? obv_lost(LOOK_S) : 0));
}

/* Half an echo of 8 bytes between process 0 and another, the least of three. */
static double distance(bench *b, int other)
{
    point p = {.row = &rows[0], .way = &b->ways[0], .pair = {0, other}};
    double us = HUGE_VAL;
    for (int k = 0; k < 3; k++)
        us = fmin(us, agree(b, sample_message(b, &p)));
    must(ob_barrier(b->all));
    return us;
}

/* The nearest and the farthest to process 0; on several nodes one of its own and one of another. */
static void find_pairs(bench *b)
{
    double near = HUGE_VAL, far = 0;
    int nearest = 0, farthest = 0;
    for (int i = 1; i < b->processes; i++) {
        double us = distance(b, i);
        if (us < near && b->beside[i])
            near = us, nearest = i;
        if (us > far && (b->nodes == 1 || !b->beside[i]))
            far = us, farthest = i;
    }
    bool both = nearest && farthest && (b->nodes > 1 || far > FAR * near);
    b->pairs = both ? 2 : 1;
    b->pair[0][1] = nearest ? nearest : farthest;
    b->pair[1][1] = farthest;
}

static void choose_pairs(bench *b)
{
    char key[24];
    if (b->o->pair[0][0] < 0) {
        find_pairs(b);
    } else {
        memcpy(b->pair, b->o->pair, sizeof b->pair);
        b->pairs = memcmp(b->pair[0], b->pair[1], sizeof b->pair[0]) ? 2 : 1;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(key, sizeof key, "%d-%d", b->pair[i][0], b->pair[b->pairs == 2 ? i : 0][1]);
        tell_machine(b, i ? "pair-far" : "pair-near", key, 0);
    }
}

/* ---------------------------------------------------------------------- the job */

/* In the first round, whether a row's turn comes too late for all to have their part of the time:
 * then it is left out. So those that are measured are spread over all. --rounds: none is. */
static void leave_out(bench *b, int first, double begun)
{
    double late = ob_time() - begun > b->o->seconds * first / b->point_count;
    late = agree(b, first > 0 && late);
    for (int i = first; i < b->point_count && b->points[i].row == b->points[first].row; i++)
        b->points[i].out = late != 0;
}

static void tell_left_out(const bench *b)
{
    char text[2048] = "", title[64];
    for (int i = 0; i < b->point_count; i++) {
        size_t used = strlen(text);
        obv_row_title(&b->points[i].series, title, sizeof title);
        if (b->points[i].out && strstr(text, title) == NULL)
            snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", title);
    }
    if (*text && b->me == 0)
        obb_warn("OB-9608 under %s the first round had no time for these rows, which are left out: "
                 "%s (--time gives this job %.0f s)",
                 b->launcher, text, b->o->seconds);
}

static void run_rounds(bench *b)
{
    double begun = ob_time(), looked = begun, longest = 0, started;
    int most_rounds = b->o->rounds ? b->o->rounds : 100000;
    look(b);
    started = ob_time();
    for (int round = 0; round < most_rounds; round++) {
        double before = ob_time();
        if (agree(b, round && before + longest > begun + b->o->seconds) != 0)
            break;
        for (int i = 0; i < b->point_count; i++) {
            if (round == 0 && b->o->rounds == 0 &&
                (i == 0 || b->points[i].row != b->points[i - 1].row))
                leave_out(b, i, started);
            if (!b->points[i].out)
                take_sample(b, &b->points[i]);
        }
        if (round == 0)
            tell_left_out(b);
        if (agree(b, ob_time() - looked > LOOK_EVERY_S) != 0) {
            look(b);
            looked = ob_time();
        }
        longest = fmax(longest, ob_time() - before);
    }
    look(b);
}

static const char *launcher_of(const ob_job *job)
{
    const char *kind = ob_job_kind(job) == OB_MPI ? obb_mpi_kind() : NULL;
    return ob_job_kind(job) != OB_MPI ? "obrun" : kind ? kind : "mpi";
}

void obv_measure(const obv_options *o, ob_job *job, obv_sink *sink, void *context)
{
    bench b = {.o = o,
               .job = job,
               .me = ob_job_number(job),
               .processes = ob_job_count(job),
               .sink = sink,
               .context = context};
    /* A BLAS with threads of its own would take the others' processors. */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    b.launcher = launcher_of(job);
    must(ob_group_world(&b.all));
    look_at_nodes(&b);
    if (o->looks) {
        look(&b);
        ob_group_free(b.all);
        free(b.beside);
        return;
    }
    b.a = obb_memory(2 * LONGEST, sizeof *b.a);
    b.b = obb_memory(LARGEST_COLLECTIVE, sizeof *b.b);
    b.where = obb_memory(2 * LARGEST_COLLECTIVE, sizeof *b.where);
    fill(b.a, 2 * LONGEST);
    b.way_count = obv_open_ways(o, job, b.me == 0 && !o->told, b.ways);
    if (b.processes > 1)
        choose_pairs(&b);
    make_points(&b);
    run_rounds(&b);
    for (int i = 0; i < b.point_count; i++)
        obv_lu_close(b.points[i].lu);
    obv_close_ways(b.ways, b.way_count);
    ob_group_free(b.all);
    free(b.points);
    free(b.beside);
    free(b.a);
    free(b.b);
    free(b.where);
}
