/*
 * Which points are measured, on which processes, in which order.
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/grow.h"

enum { COLD_BYTES = 256 * 1024, TRIM_BYTES = 32 * 1024, NEAR_SAMPLES = 5 };

typedef struct point_list {
    obb_point *at;
    int count;
    size_t room;
} point_list;

static void add(point_list *l, const obb_record *r, bool again)
{
    l->at = ob_grow(l->at, (size_t)l->count, &l->room, sizeof *l->at);
    if (l->at == NULL)
        obb_die("OB-4001 no memory for more than %d points", l->count);
    l->at[l->count++] = (obb_point){.record = *r, .again = again};
}

/* Every fifth length, and never the empty one, whose time the clock cannot tell. */
static bool is_again(const obb_options *o, int index)
{
    return o->again > 0 && index % o->every == 0 && o->lengths[index] > 0;
}

/* So many that pipelining shows, but not more than the machine's memory likes. */
static int calls_in_a_row(const obb_options *o, size_t bytes, int processes)
{
    size_t most = (size_t)64 << 20, each = bytes * (size_t)processes;
    int calls = o->calls ? o->calls : 15;
    while (calls > 2 && o->calls == 0 && each * (size_t)calls > most)
        calls--;
    return calls;
}

static void add_modes(point_list *l, const obb_options *o, obb_record *r, int index)
{
    bool again = index >= 0 && is_again(o, index);
    r->calls = 1;
    if (o->modes & OBB_SINGLE || !obb_is_collective(r->what))
        add(l, r, again);
    r->calls = calls_in_a_row(o, r->bytes, r->processes);
    if (o->modes & OBB_REPEATED && obb_is_collective(r->what))
        add(l, r, again);
}

static size_t whole_elements(const obb_options *o, int index)
{
    size_t unit = ob_type_bytes(o->type);
    return o->lengths[index] / unit * unit;
}

/* Lengths that differ by less than an element are one. */
static void add_lengths(point_list *l, const obb_options *o, obb_record *r)
{
    for (int i = 0; i < o->length_count; i++) {
        int before = 0;
        r->bytes = whole_elements(o, i);
        while (whole_elements(o, before) != r->bytes)
            before++;
        if (before == i)
            add_modes(l, o, r, i);
    }
}

/* Which topologies a kind of call has to be asked for; 'p': the MPI library's own. */
static const char *tops_of(const obb_options *o, const obb_face *face, obb_what what)
{
    if (strcmp(face->name, "openblacs"))
        return "p";
    if (o->tops_given)
        return o->tops;
    return what == OBB_BROADCAST ? "idsmhf123-" : what == OBB_REDUCE ? "12-" : "1h-";
}

static void add_collective(point_list *l, const obb_bench *b, obb_what what)
{
    obb_record r = {.what = what,
                    .scope = b->options->scope,
                    .processes = b->size,
                    .root = what == OBB_BARRIER || what == OBB_COMBINE ? 0 : b->options->root};
    strcpy(r.system, b->face->name);
    if (what == OBB_BARRIER) {
        add_modes(l, b->options, &r, -1);
        return;
    }
    for (const char *top = tops_of(b->options, b->face, what); *top; top++) {
        r.top = *top;
        r.branches = obb_top_takes(*top) ? b->options->branches : 0;
        add_lengths(l, b->options, &r);
    }
}

/* Where a line bends is seen better with all powers of two; and since they cost little
 * and the profile stands on them, all are measured as often as every fifth is. */
static void add_curve(point_list *l, const obb_options *o, obb_record *r)
{
    for (r->bytes = 8; r->bytes <= (size_t)4 << 20; r->bytes *= 2)
        if (r->bytes >= ob_type_bytes(o->type))
            add(l, r, o->again > 0);
}

/* The paper's second range, beside the primary one. */
static void add_short_range(point_list *l, obb_record *r)
{
    enum { STEP = 160, END = 8000 };
    for (r->bytes = STEP; r->bytes < END; r->bytes += STEP)
        add(l, r, false);
}

static void add_simple(point_list *l, const obb_bench *b, obb_what what, const int pair[2])
{
    const obb_options *o = b->options;
    obb_record r = {.what = what, .processes = b->count, .calls = 1};
    strcpy(r.system, b->face->name);
    if (obb_is_pair(what)) {
        r.root = pair[0];
        r.partner = pair[1];
    }
    if (what == OBB_COLD) {
        r.bytes = COLD_BYTES;
        add(l, &r, false);
        return;
    }
    if (!o->own_lengths || (o->tables && !o->all))
        add_lengths(l, o, &r);
    if (o->own_lengths && o->tables && !o->all)
        add_short_range(l, &r);
    if (o->own_lengths && (o->fit || !o->tables || o->all))
        add_curve(l, o, &r);
}

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
static void sample_length(obb_bench *b, point_list *l, int round, size_t bytes, int *done,
                          int total)
{
    if (bytes >= TRIM_BYTES)
        ob_job_trim(b->job);
    for (int i = 0; i < l->count; i++) {
        if (l->at[i].record.bytes != bytes || (round >= b->rounds && !l->at[i].again))
            continue;
        take_sample(b, &l->at[i]);
        if (b->progress && b->me == 0)
            b->progress(++*done, total);
    }
}

/* The next larger length; the same when there is none. */
static size_t next_length(const point_list *l, size_t bytes)
{
    size_t next = bytes;
    for (int i = 0; i < l->count; i++) {
        size_t n = l->at[i].record.bytes;
        if (n > bytes && (next == bytes || n < next))
            next = n;
    }
    return next;
}

static void sample_round(obb_bench *b, point_list *l, int round, int *done, int total)
{
    size_t bytes = 0, next;
    sample_length(b, l, round, bytes, done, total);
    for (; (next = next_length(l, bytes)) != bytes; bytes = next)
        sample_length(b, l, round, next, done, total);
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

static int count_samples(const obb_bench *b, const point_list *l)
{
    int total = 0;
    for (int i = 0; i < l->count; i++)
        total += b->rounds + (l->at[i].again ? b->again : 0);
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
typedef enum batch_kind { PAIR, LOCAL, COLLECTIVE } batch_kind;

typedef struct batch {
    const obb_face *plain; /* NULL: the library */
    batch_kind kind;
    bool empty;          /* nothing was asked of it, of no process */
    int pair[2];         /* of T_c and its kin: sender and receiver */
    int *members, count; /* of the group of this process */
    point_list list;     /* what this process samples; process 0 has the pairs' points, too */
} batch;

static batch_kind kind_of(obb_what what)
{
    return obb_is_collective(what) ? COLLECTIVE : obb_is_pair(what) ? PAIR : LOCAL;
}

static bool is_of_pair(const obb_bench *b, const batch *s)
{
    return b->me == s->pair[0] || b->me == s->pair[1];
}

/* Those who are not in it sleep in a barrier. */
static bool takes_part(const obb_bench *b, const batch *s)
{
    return s->kind == COLLECTIVE || (s->kind == LOCAL ? b->me == 0 : is_of_pair(b, s));
}

static void find_members(obb_bench *b, batch *s)
{
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
        b->rank = s->kind == PAIR && b->me == s->pair[1];
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
    s->empty = true;
    for (int w = 0; w < OBB_WHATS; w++) {
        if (kind_of((obb_what)w) != s->kind || skips(b, s->plain, (obb_what)w))
            continue;
        s->empty = false;
        if (s->kind == COLLECTIVE)
            add_collective(&s->list, b, (obb_what)w);
        else if (takes_part(b, s) || b->me == 0)
            add_simple(&s->list, b, (obb_what)w, s->pair);
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

static void run_batch(obb_bench *b, batch *s, int round, int *done, int total)
{
    bool inside = takes_part(b, s);
    turn_to(b, s);
    if (s->plain || inside)
        obb_must(b, b->face->open(b->color, b->rank));
    if (inside)
        sample_round(b, &s->list, round, done, total);
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
    size_t longest = COLD_BYTES;
    for (int i = 0; i < o->length_count; i++)
        longest = o->lengths[i] > longest ? o->lengths[i] : longest;
    b->vector = obb_memory(longest, 1);
    b->spare = obb_memory(longest, 1);
    memset(b->vector, 0, longest);
    memset(b->spare, 0, longest);
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
static void keep_time(obb_bench *b, int round, double begun, double *longest)
{
    const obb_options *o = b->options;
    double part = o->seconds / (o->child ? o->size_count : 1);
    bool again = round >= b->rounds;
    double now = ob_time() - begun, end = now + longest[again];
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

static void run_rounds(obb_bench *b, batch *batches, int count)
{
    double begun = ob_time(), longest[2] = {0, 0};
    int done = 0;
    for (int round = 0;; round++) {
        keep_time(b, round, begun, longest);
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
    batch *batches = obb_memory(2 * (pairs + 2), sizeof *batches);
    int count = make_batches(b, NULL, batches);
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
}
