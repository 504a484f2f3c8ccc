/*
 * Fitting the profile. The curves come from least squares over the points; the
 * costs of waiting cannot be measured alone, so they are those with which the
 * model comes nearest to the calls that were measured.
 */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "median.h"

/* Of many records, evenly chosen ones are enough. */
enum { MOST_RECORDS = 300, SWEEPS = 22 };

static bool is_ours(const obb_record *r)
{
    return strcmp(r->system, "openblacs") == 0 && r->time.max > 0;
}

static bool is_native(const obb_record *r, int nodes)
{
    return r->scope == 'n' && r->top == 'n' && r->calls == 1 && r->processes == nodes;
}

/* nodes: of the MPI library's own calls; else 0. These take as long as the slowest needs. */
static int fit_one(const obb_records *list, obb_what what, int nodes, ob_curve *curve)
{
    obb_sample *s = obb_memory((size_t)list->count, sizeof *s);
    double spread = 0;
    int n = 0;
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        if (r->what != what || !is_ours(r) || (nodes && !is_native(r, nodes)))
            continue;
        s[n++] = (obb_sample){.x = (double)r->bytes, .y = nodes ? r->time.max : r->time.min};
        if (r->bytes > 0 && r->spread > spread)
            spread = r->spread;
    }
    int fitted = n > 0 && obb_fit_curve(s, n, curve) == 0;
    if (fitted)
        curve->spread = spread;
    free(s);
    return fitted;
}

static void fit_cold(const obb_records *list, ob_profile *p)
{
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        double warm = ob_curve_at(&p->curve[OB_T_M], r->bytes);
        if (r->what != OBB_COLD || !is_ours(r) || warm <= 0)
            continue;
        double ratio = r->time.max / warm;
        p->waiting.cold = ratio < 1 ? 1 : ratio > 1000 ? 1000 : ratio;
    }
}

/* The least number of nodes above `nodes`; 0: none. */
static int next_nodes(const obb_records *list, obb_what what, int nodes)
{
    int next = 0;
    for (int i = 0; i < list->count; i++) {
        const obb_record *r = &list->at[i];
        if (r->what == what && is_native(r, r->processes) && r->processes > nodes &&
            (next == 0 || r->processes < next))
            next = r->processes;
    }
    return next;
}

static void fit_natives(const obb_records *list, ob_profile *p)
{
    static const obb_what whats[OB_NATIVE_TASKS] = {OBB_BROADCAST, OBB_REDUCE, OBB_COMBINE};
    for (int t = 0; t < OB_NATIVE_TASKS; t++) {
        int nodes = 1, k = 0;
        while (k < OB_NATIVE_SIZES && (nodes = next_nodes(list, whats[t], nodes))) {
            ob_native_curve *n = &p->native[t][k];
            n->members = fit_one(list, whats[t], nodes, &n->curve) ? nodes : 0;
            k += n->members > 0;
        }
    }
}

unsigned obb_fit_curves(const obb_records *list, ob_profile *profile)
{
    unsigned fitted = 0;
    for (int q = 0; q < OB_QUANTITIES; q++)
        fitted |= (unsigned)fit_one(list, (obb_what)q, 0, &profile->curve[q]) << q;
    fit_natives(list, profile);
    fit_cold(list, profile);
    if (fitted)
        profile->origin = OB_MEASURED;
    return fitted;
}

/* ------------------------------------------------------------------- waiting */

typedef struct sought {
    ob_profile profile;
    obb_record *record[MOST_RECORDS];
    double off[MOST_RECORDS];
    double least; /* sum of the best values yet */
    int count;
    double until; /* when the search ends; 0: when it is done */
    int calls;
    obb_tell *tell;
} sought;

static bool tells(const obb_record *r)
{
    obb_work work;
    return is_ours(r) && r->top != '-' && r->bytes > 0 && obb_work_of(r, &work);
}

static void choose(const obb_records *list, sought *s)
{
    int all = 0, seen = 0;
    for (int i = 0; i < list->count; i++)
        all += tells(&list->at[i]);
    for (int i = 0; i < list->count; i++) {
        if (!tells(&list->at[i]))
            continue;
        /* Evenly over the list, whatever its length. */
        /* at least this one: NOLINTNEXTLINE(clang-analyzer-core.*) */
        if ((long)seen * MOST_RECORDS / all >= s->count && s->count < MOST_RECORDS)
            s->record[s->count++] = &list->at[i];
        seen++;
    }
}

/* In the order of ob_waiting. */
enum { VALUES = 12 };
_Static_assert(sizeof(ob_waiting) == VALUES * sizeof(double), "all of them are sought");
static const double least[VALUES] = {1e-3, 1e-3, 0.02, 0.02, 0.02, 0.02, 0.1, 0.1, 0.4, 0.3, 1, 1};
static const double most[VALUES] = {5, 5, 50, 50, 50, 200, 2000, 500, 1.2, 2, 10, 20};

static void put_values(ob_waiting *w, const double *value)
{
    memcpy(w, value, sizeof *w);
}

/* Logarithms, so that half and double are as far; one point cannot say more
 * than that it is off by a factor e. */
static double distance(const double *value, void *context)
{
    enum { CALLS = SWEEPS * VALUES * 2 };
    sought *s = context;
    double sum = 0;
    s->tell(fmin(1, (double)s->calls++ / CALLS));
    if (s->until > 0 && ob_time() > s->until)
        return HUGE_VAL; /* nothing is better any more */
    put_values(&s->profile.waiting, value);
    for (int i = 0; i < s->count; i++) {
        obb_work work;
        obb_times t = {0};
        obb_work_of(s->record[i], &work);
        double off = 1;
        if (obb_predict(&s->profile, &work, &t) == OB_OK && t.max > 0)
            off = fabs(log(t.max / s->record[i]->time.max));
        s->off[i] = off;
        sum += off < 1 ? off : 1;
        if (sum > s->least)
            return sum; /* it will not be better: not worth the rest */
    }
    s->least = sum;
    return sum / s->count;
}

double obb_fit_waiting(const obb_records *list, ob_profile *profile, double seconds, obb_tell *tell)
{
    double value[VALUES], median = -1;
    memcpy(value, &profile->waiting, sizeof value);
    sought *s = obb_memory(1, sizeof *s);
    s->profile = *profile;
    s->least = HUGE_VAL;
    s->tell = tell;
    choose(list, s);
    if (s->count > 0) {
        for (int i = 0; i < VALUES; i++)
            value[i] = value[i] < least[i] ? least[i] : value[i] > most[i] ? most[i] : value[i];
        s->until = seconds > 0 ? ob_time() + seconds : 0;
        obb_search(value, least, most, VALUES, SWEEPS, distance, s);
        s->until = 0;
        s->least = HUGE_VAL;
        distance(value, s);
        put_values(&profile->waiting, value);
        profile->origin = OB_MEASURED;
        qsort(s->off, (size_t)s->count, sizeof *s->off, obb_by_value);
        median = exp(s->off[s->count / 2]) - 1;
    }
    free(s);
    return median;
}
