/*
 * Which points are measured, on which processes, in which order.
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "points.h"

enum { TRIM_BYTES = 32 * 1024, NEAR_SAMPLES = 5 };

/* --------------------------------------------------------------------- running */

static void take_sample(obb_bench *b, obb_point *p)
{
    obb_times t = {0};
    if (obb_is_collective(p->record.what))
        obb_sample_collective(b, p, &t);
    else if (obb_is_pair(p->record.what))
        obb_sample_pair(b, p, &t);
    else
        obb_sample_local(b, p, &t);
    p->sample[p->samples++] = t;
}

/* Memory that other lengths have left is given back, as it would not be there in a
 * program that uses one. */
static void sample_length(obb_bench *b, obb_points *l, int round, size_t bytes, int *done,
                          int total)
{
    if (bytes >= TRIM_BYTES)
        ob_job_trim(b->job);
    for (int i = 0; i < l->count; i++) {
        if (l->at[i].record.bytes != bytes || l->at[i].out ||
            (round >= b->rounds && !l->at[i].again))
            continue;
        take_sample(b, &l->at[i]);
        if (b->progress && b->me == 0)
            b->progress(++*done, total);
    }
}

/* The next larger length; the same when there is none. */
static size_t next_length(const obb_points *l, size_t bytes)
{
    size_t next = bytes;
    for (int i = 0; i < l->count; i++) {
        size_t n = l->at[i].record.bytes;
        if (n > bytes && (next == bytes || n < next))
            next = n;
    }
    return next;
}

/* In the first round: a length of collective calls whose turn comes too late for all of them to
 * have their part of the time. So those that are measured are spread over all lengths. MPI's calls
 * leave out what ours did. All members do what process 0 finds. */
static bool is_late(obb_bench *b, size_t bytes)
{
    double limit = b->part * 2 / 3, left = limit - (ob_time() - b->begun);
    if (b->passed == 0)
        b->budget = fmax(left, limit / 2);
    int late = b->passed > 0 && b->spent > b->budget * b->passed / b->points;
    ob_view v = {.base = &late, .m = 1, .n = 1, .ld = 1, .type = OB_INT};
    for (int i = 0; i < b->left_out_count; i++)
        if (b->left_out[i] == bytes)
            return true;
    obb_must(b, ob_broadcast(b->all, 0, &v, NULL));
    if (late)
        b->left_out[b->left_out_count++] = bytes;
    return late;
}

static void try_length(obb_bench *b, obb_points *l, size_t bytes)
{
    bool out = is_late(b, bytes);
    for (int i = 0; i < l->count; i++)
        if (l->at[i].record.bytes == bytes) {
            l->at[i].out = out;
            b->passed++;
        }
}

static void sample_round(obb_bench *b, obb_points *l, bool all, int round, int *done, int total)
{
    size_t bytes = 0, next = 0;
    do {
        bytes = next;
        if (all && round == 0 && b->part > 0 && !b->options->whole)
            try_length(b, l, bytes);
        double before = ob_time();
        sample_length(b, l, round, bytes, done, total);
        b->spent += all ? ob_time() - before : 0;
    } while ((next = next_length(l, bytes)) != bytes);
}

static double spread_of(const double *v, int n)
{
    double most = v[0], least = v[0], sum = 0;
    for (int i = 0; i < n; i++) {
        most = v[i] > most ? v[i] : most;
        least = v[i] < least ? v[i] : least;
        sum += v[i];
    }
    return sum > 0 ? (most - least) * n / sum : 0;
}

/* Of the simple quantities the lower quartile stands in the place of the least: what the machine
 * takes undisturbed. A virtual machine's processors lose a third of their speed for seconds
 * while others use the same cores, and how often they do differs from run to run. */
static double undisturbed(const obb_point *p)
{
    double *v = obb_memory((size_t)p->samples, sizeof *v);
    for (int i = 0; i < p->samples; i++)
        v[i] = p->sample[i].max;
    obb_median(v, p->samples); /* sorts */
    double least = v[p->samples / 4];
    free(v);
    return least;
}

static double middle_of(const obb_point *p, obb_statistic s)
{
    double *v = obb_memory((size_t)p->samples, sizeof *v);
    for (int i = 0; i < p->samples; i++)
        v[i] = obb_time_of(&p->sample[i], s);
    double m = obb_median(v, p->samples);
    free(v);
    return m;
}

static void finish(obb_bench *b, obb_point *p)
{
    obb_record *r = &p->record;
    int first = b->rounds, n = p->samples - first;
    if (p->out) {
        free(p->sample);
        return;
    }
    r->time = (obb_times){.root = middle_of(p, OBB_ROOT),
                          .min = middle_of(p, OBB_MIN),
                          .max = middle_of(p, OBB_MAX),
                          .mean = middle_of(p, OBB_MEAN)};
    if (!obb_is_collective(r->what))
        r->time.min = undisturbed(p);
    r->spread = -1;
    r->predicted = r->paper = (obb_times){-1, -1, -1, -1};
    if (n > 1) {
        r->repeat = obb_memory((size_t)n, sizeof *r->repeat);
        r->repeats = n;
        for (int i = 0; i < n; i++)
            r->repeat[i] = p->sample[first + i].max;
        r->spread = spread_of(r->repeat, n);
    }
    if (b->me == 0)
        obb_add(b->records, r);
    else
        free(r->repeat);
    free(p->sample);
}

static int count_samples(const obb_bench *b, const obb_points *l)
{
    int total = 0;
    for (int i = 0; i < l->count; i++)
        total += l->at[i].out ? 0 : b->rounds + (l->at[i].again ? b->again : 0);
    return total;
}

/* ---------------------------------------------------------------------- scopes */

/* A grid of `count` processes, row-major, as square as it gets unless given. */
static void grid_of(const obb_options *o, int count, int *rows, int *columns)
{
    *rows = o->rows;
    *columns = o->columns;
    if (*rows == 0) {
        for (*rows = 1; (*rows + 1) * (*rows + 1) <= count; ++*rows) {
        }
        while (count % *rows)
            --*rows;
        *columns = count / *rows;
    }
}

bool obb_fits(const obb_options *o, int count, char why[OBB_WHY])
{
    int rows, columns;
    grid_of(o, count, &rows, &columns);
    int size = o->scope == 'r' ? columns : o->scope == 'c' ? rows : count;
    if (rows * columns != count)
        snprintf(why, OBB_WHY, "a grid of %d x %d does not hold %d processes", rows, columns,
                 count);
    else if (!o->all_pairs && (o->pair[0] >= count || o->pair[1] >= count) && count > 1)
        snprintf(why, OBB_WHY, "a job of %d processes has no pair %d,%d", count, o->pair[0],
                 o->pair[1]);
    else if (o->root >= size)
        snprintf(why, OBB_WHY, "process %d is not in a scope of %d", o->root, size);
    else
        return true;
    return false;
}

/* Which processes form the scope of this one; returns how many. */
static int scope_of(obb_bench *b, char scope, int *members)
{
    int rows, columns, n = 0;
    grid_of(b->options, b->count, &rows, &columns);
    b->color = scope == 'r' ? b->me / columns : scope == 'c' ? b->me % columns : 0;
    for (int i = 0; i < b->count; i++) {
        int color = scope == 'r' ? i / columns : scope == 'c' ? i % columns : 0;
        if (color != b->color)
            continue;
        if (i == b->me)
            b->rank = n;
        members[n++] = i;
    }
    b->size = n;
    return n;
}

static bool skips(const obb_bench *b, const obb_face *plain, obb_what what)
{
    bool complex = b->options->type == OB_COMPLEX || b->options->type == OB_DCOMPLEX;
    if (!b->options->asked[what] || what == OBB_NEAR)
        return true;
    if (plain == NULL)
        return false;
    /* MPI has no order of complex numbers, no T_r of its own, and no local work. */
    return what == OBB_TR || what == OBB_TM || what == OBB_TO || what == OBB_COLD ||
           ((what == OBB_REDUCE || what == OBB_COMBINE) && complex && b->options->op != OB_SUM);
}

/* --------------------------------------------------------------------- batches */

/* The points of one kind on one system. Between two rounds of a batch come those of the others,
 * so that T_c and the broadcasts that are predicted from it meet the machine in the same states. */
typedef enum batch_kind { PAIR, LOCAL, COLLECTIVE, NODES } batch_kind;

typedef struct batch {
    const obb_face *plain; /* NULL: the library */
    batch_kind kind;
    bool empty;          /* nothing was asked of it, of no process */
    int pair[2];         /* of T_c and its kin: sender and receiver */
    int *members, count; /* of the group of this process */
    obb_points list;     /* what this process samples; process 0 has the pairs' points, too */
} batch;

static batch_kind kind_of(obb_what what)
{
    return obb_is_collective(what) ? COLLECTIVE : obb_is_pair(what) ? PAIR : LOCAL;
}

/* Of NODES: the place among the members, count: none. */
static int place_in(const obb_bench *b, const batch *s)
{
    int i = 0;
    while (i < s->count && s->members[i] != b->me)
        i++;
    return i;
}

static bool is_of_pair(const obb_bench *b, const batch *s)
{
    return b->me == s->pair[0] || b->me == s->pair[1];
}

/* Those who are not in it sleep in a barrier. */
static bool takes_part(const obb_bench *b, const batch *s)
{
    switch (s->kind) {
    case COLLECTIVE: return true;
    case NODES: return place_in(b, s) < s->count;
    case LOCAL: return b->me == 0;
    default: return is_of_pair(b, s);
    }
}

static void find_members(obb_bench *b, batch *s)
{
    if (s->kind == NODES)
        return; /* they are there */
    s->members = obb_memory((size_t)b->count, sizeof *s->members);
    if (s->kind == COLLECTIVE) {
        s->count = scope_of(b, b->options->scope, s->members);
    } else if (s->kind == PAIR) {
        s->count = 2;
        memcpy(s->members, s->pair, sizeof s->pair);
    } else {
        s->count = 1;
    }
}

/* The face of the batch, and which place this process has in it. */
static void turn_to(obb_bench *b, const batch *s)
{
    if (s->kind == COLLECTIVE) {
        scope_of(b, b->options->scope, s->members);
    } else {
        b->color = !takes_part(b, s);
        b->size = s->count;
        b->rank = s->kind == NODES ? place_in(b, s) : s->kind == PAIR && b->me == s->pair[1];
    }
    b->face = s->plain ? s->plain : obb_core_face(b->job, s->members, s->count);
    if (b->face == NULL)
        obb_die("OB-4001 no memory for a group of %d", s->count);
}

static void list_points(obb_bench *b, batch *s)
{
    const obb_options *o = b->options;
    find_members(b, s);
    turn_to(b, s);
    s->empty = s->kind != NODES;
    if (s->kind == NODES && takes_part(b, s))
        obb_list_native(&s->list, b);
    for (int w = 0; w < OBB_WHATS; w++) {
        if (kind_of((obb_what)w) != s->kind || skips(b, s->plain, (obb_what)w))
            continue;
        s->empty = false;
        if (s->kind == COLLECTIVE)
            obb_list_collective(&s->list, b, (obb_what)w);
        else if (takes_part(b, s) || b->me == 0)
            obb_list_simple(&s->list, b, (obb_what)w, s->pair);
    }
    for (int i = 0; i < s->list.count; i++)
        s->list.at[i].sample = obb_memory((size_t)o->rounds + (size_t)o->again, sizeof(obb_times));
}

/* Process 0 counts what others sample. */
static void count_round(obb_bench *b, const batch *s, int round, int *done, int total)
{
    for (int i = 0; i < s->list.count; i++)
        if (round < b->rounds || s->list.at[i].again)
            ++*done;
    if (b->progress && b->me == 0)
        b->progress(*done, total);
}

/* Between nodes the lengths are those that calls of all had time for. */
static void leave_out(const obb_bench *b, batch *s)
{
    for (int i = 0; i < s->list.count; i++)
        for (int k = 0; k < b->left_out_count; k++)
            s->list.at[i].out |= s->list.at[i].record.bytes == b->left_out[k];
}

static void run_batch(obb_bench *b, batch *s, int round, int *done, int total)
{
    bool inside = takes_part(b, s);
    if (s->kind == NODES)
        leave_out(b, s);
    turn_to(b, s);
    if (s->plain || inside)
        obb_must(b, b->face->open(b->color, b->rank));
    if (inside)
        sample_round(b, &s->list, s->kind == COLLECTIVE, round, done, total);
    if (s->plain || inside)
        b->face->close();
    if (s->kind != COLLECTIVE)
        obb_must(b, ob_barrier(b->all));
    if (!inside)
        count_round(b, s, round, done, total);
}

/* The samples of a pair without process 0 go there. */
static void bring_home(obb_bench *b, obb_point *p, int from)
{
    int n = b->rounds + (p->again ? b->again : 0);
    size_t numbers = (size_t)n * sizeof *p->sample / sizeof(double);
    ob_view v = ob_view_vector(p->sample, numbers, OB_DOUBLE);
    if (b->me == from)
        obb_must(b, ob_send(b->all, 0, 0, &v));
    else if (b->me == 0)
        obb_must(b, ob_recv(b->all, from, 0, &v, NULL));
    p->samples = n;
}

static void end_batch(obb_bench *b, batch *s)
{
    for (int i = 0; i < s->list.count; i++) {
        if (s->kind == PAIR && s->pair[0] != 0)
            bring_home(b, &s->list.at[i], s->pair[0]);
        finish(b, &s->list.at[i]);
    }
    free(s->list.at);
    free(s->members);
}

/* T_c of 8 bytes, so that a reader of the results sees whether the processors
 * stayed as near to each other as they were: a virtual machine's may be moved
 * while it is measured. */
static void sample_near(obb_bench *b)
{
    static int members[] = {0, 1};
    const batch two = {.kind = PAIR, .pair = {0, 1}, .members = members, .count = 2};
    obb_record r = {.what = OBB_NEAR,
                    .processes = b->count,
                    .bytes = 8,
                    .calls = 1,
                    .spread = -1,
                    .predicted = {-1, -1, -1, -1},
                    .paper = {-1, -1, -1, -1}};
    obb_point p = {.record = {.what = OBB_TC, .bytes = 8}};
    double took[NEAR_SAMPLES];
    if (b->count < 2)
        return;
    turn_to(b, &two);
    if (takes_part(b, &two)) {
        obb_must(b, b->face->open(b->color, b->rank));
        for (int i = 0; i < NEAR_SAMPLES; i++) {
            obb_sample_pair(b, &p, &r.time);
            took[i] = r.time.max;
        }
        b->face->close();
    }
    obb_must(b, ob_barrier(b->all));
    if (b->me == 0) {
        double middle = obb_median(took, NEAR_SAMPLES);
        r.time = (obb_times){middle, middle, middle, middle};
        strcpy(r.system, "openblacs");
        obb_add(b->records, &r);
    }
}

static void make_vectors(obb_bench *b)
{
    const obb_options *o = b->options;
    size_t longest = OBB_COLD_BYTES;
    for (int i = 0; i < o->length_count; i++)
        longest = o->lengths[i] > longest ? o->lengths[i] : longest;
    b->vector = obb_memory(longest, 1);
    b->spare = obb_memory(longest, 1);
    memset(b->vector, 0, longest);
    memset(b->spare, 0, longest);
}

/* Leaders of 2, 4, 8 ... nodes and of all, at most so many numbers as a profile has. */
static int make_node_batches(const int *leaders, int nodes, batch *at)
{
    int n = 0, least = 2;
    while (nodes > least << (OB_NATIVE_SIZES - 1))
        least *= 2;
    for (int size = least; size / 2 < nodes; size *= 2) {
        int count = size < nodes ? size : nodes;
        at[n] = (batch){.kind = NODES, .count = count};
        at[n].members = obb_memory((size_t)count, sizeof *leaders);
        memcpy(at[n++].members, leaders, (size_t)count * sizeof *leaders);
    }
    return n;
}

/* For the profile. */
static int make_native(obb_bench *b, batch *at)
{
    int *leaders = obb_memory((size_t)b->count, sizeof *leaders);
    int nodes = b->options->fit ? obb_native_leaders(b, leaders) : 0;
    int n = nodes ? make_node_batches(leaders, nodes, at) : 0;
    free(leaders);
    return n;
}

/* Of one system: the pairs, what one process does alone (not of MPI), what all do together. */
static int make_batches(const obb_bench *b, const obb_face *plain, batch *at)
{
    const obb_options *o = b->options;
    int n = 0;
    for (int from = 0; from < b->count; from++)
        for (int to = 0; to < b->count; to++)
            if (from != to && (o->all_pairs ? from < to : from == o->pair[0] && to == o->pair[1]))
                at[n++] = (batch){.plain = plain, .kind = PAIR, .pair = {from, to}};
    if (plain == NULL)
        at[n++] = (batch){.kind = LOCAL};
    at[n++] = (batch){.plain = plain, .kind = COLLECTIVE};
    return n;
}

static int count_all(const obb_bench *b, const batch *batches, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += count_samples(b, &batches[i].list);
    return total;
}

/* Where the next round, as long as the longest of its kind, would end after the job's part of the
 * time, there is none: two thirds of the time are for the rounds of all lengths. All members do
 * what process 0 finds. */
static void keep_time(obb_bench *b, int round, const double *longest)
{
    const obb_options *o = b->options;
    bool again = round >= b->rounds;
    double part = b->part, now = ob_time() - b->begun, end = now + longest[again];
    int stop = part > 0 && round > 0 && end > (again ? part : part * 2 / 3);
    ob_view v = {.base = &stop, .m = 1, .n = 1, .ld = 1, .type = OB_INT};
    if (o->seconds == 0)
        return;
    if (b->me == 0 && round == 1 && now > part && !o->quiet)
        obb_warn(
            "OB-9608 one round took %.0f s here; a job has one at least, and --time gives it %.0f",
            now, part);
    obb_must(b, ob_broadcast(b->all, 0, &v, NULL));
    if (stop && again)
        b->again = round - b->rounds;
    else if (stop)
        b->rounds = round;
}

static void tell_left_out(const obb_bench *b)
{
    char text[256] = "";
    for (int i = 0; i < b->left_out_count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%zu", i ? ", " : "", b->left_out[i]);
    }
    if (b->left_out_count && b->me == 0)
        obb_warn("OB-9608 the first round had no time for collective calls of %s bytes; they are "
                 "left out (--time gives all rounds %.0f s)",
                 text, b->part);
}

static void run_rounds(obb_bench *b, batch *batches, int count)
{
    double longest[2] = {0, 0};
    int done = 0;
    b->begun = ob_time();
    b->part = b->options->seconds / (b->options->child ? b->options->size_count : 1);
    b->left_out = obb_memory((size_t)b->options->length_count + 1, 2 * sizeof *b->left_out);
    for (int i = 0; i < count; i++)
        b->points += batches[i].kind >= COLLECTIVE ? batches[i].list.count : 0;
    for (int round = 0;; round++) {
        if (round == 1)
            tell_left_out(b);
        keep_time(b, round, longest);
        if (round == b->rounds)
            longest[1] = longest[0] / b->options->every;
        if (round >= b->rounds + b->again)
            return;
        double before = ob_time(), *most = &longest[round >= b->rounds];
        int total = count_all(b, batches, count);
        for (int i = 0; i < count; i++)
            if (!batches[i].empty)
                run_batch(b, &batches[i], round, &done, total);
        *most = fmax(*most, ob_time() - before);
    }
}

void obb_measure(obb_bench *b)
{
    const obb_options *o = b->options;
    size_t pairs = o->all_pairs ? (size_t)b->count * (size_t)b->count / 2 : 1;
    batch *batches = obb_memory(2 * (pairs + 2) + OB_NATIVE_SIZES, sizeof *batches);
    int count = make_batches(b, NULL, batches);
    count += make_native(b, batches + count);
    const obb_face *plain = NULL;
    if (o->plain && ob_job_kind(b->job) == OB_MPI && (plain = obb_plain_face(b->me == 0)))
        count += make_batches(b, plain, batches + count);
    make_vectors(b);
    b->rounds = o->rounds;
    b->again = o->again;
    for (int i = 0; i < count; i++)
        list_points(b, &batches[i]);
    if (o->fit || o->predict)
        sample_near(b);
    run_rounds(b, batches, count);
    for (int i = 0; i < count; i++)
        end_batch(b, &batches[i]);
    if (o->fit || o->predict)
        sample_near(b);
    free(batches);
    free(b->vector);
    free(b->spare);
    free(b->left_out);
}
