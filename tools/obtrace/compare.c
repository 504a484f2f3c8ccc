/*
 * Where the time of runs went, by cause and place, and whether a difference is more than noise.
 */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/hash.h"

const char *const obt_verdict_names[] = {"slower", "faster", "noise", "one trace each"};

obt_comparison *obt_comparison_new(size_t traces)
{
    obt_comparison *c = obt_memory(1, sizeof *c);
    c->room = traces;
    c->length = obt_memory(traces, sizeof *c->length);
    return c;
}

static const char *keep(obt_comparison *c, const char *text)
{
    char *copy = obt_memory(strlen(text) + 1, 1);
    strcpy(copy, text);
    c->texts = obt_grow(c->texts, c->text_count, &c->text_room, sizeof *c->texts);
    return c->texts[c->text_count++] = copy;
}

static obt_change_row *row_of(obt_comparison *c, const char *cause, const char *place)
{
    uint64_t h = ob_hash_bytes(OB_HASH, cause, strlen(cause) + 1);
    h = ob_hash_bytes(h, place, strlen(place));
    size_t k = obt_map_take(&c->of, (int64_t)h, c->row_count);
    if (k < c->row_count)
        return &c->rows[k];
    c->rows = obt_grow(c->rows, c->row_count, &c->row_room, sizeof *c->rows);
    c->rows[c->row_count] = (obt_change_row){.cause = keep(c, cause),
                                             .place = keep(c, place),
                                             .time = obt_memory(c->room, sizeof(double))};
    return &c->rows[c->row_count++];
}

/* Where in a function a call is differs from build to build: "+0x1f2" goes. */
static void strip_offsets(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (strncmp(from, "+0x", 3) == 0)
            from += 3 + strspn(from + 3, "0123456789abcdef");
        else
            *to++ = *from++;
    }
    *to = 0;
}

/* A routine and the functions that call it. */
static void name_place(const obt_trace *t, const obt_call *call, const char *before, char text[280])
{
    char name[256];
    obt_call_name(t, call->routine, call->site, name, sizeof name);
    strip_offsets(name);
    snprintf(text, 280, "%s%s", before, name);
}

typedef struct adding {
    obt_comparison *c;
    const obt_analysis *a;
    size_t trace;
    obt_map seen; /* rows by cause, routine and call site: names need be made once */
} adding;

enum { CAUSE_COMPUTING = OBT_PATTERNS, CAUSE_STOPPED, CAUSE_LIBRARY, CAUSE_WAITING, CAUSES };

static const char *cause_name(int cause)
{
    switch (cause) {
    case CAUSE_COMPUTING: return "computing";
    case CAUSE_STOPPED: return "not running";
    case CAUSE_LIBRARY: return "work in the library";
    case CAUSE_WAITING: return "waiting";
    default: return obt_pattern_names[cause];
    }
}

static void add(adding *x, int cause, uint32_t call, int64_t time)
{
    const obt_call *c = call == OBT_NO_CALL ? NULL : &x->a->calls[call];
    char place[280] = "";
    if (time <= 0)
        return;
    bool outside = cause == CAUSE_COMPUTING || cause == CAUSE_STOPPED;
    int64_t key = cause + CAUSES * (c ? ((int64_t)c->routine + 1) << 24 ^ (c->site + 1) : 0);
    size_t row = obt_map_find(&x->seen, key);
    if (row == OBT_NONE) {
        if (c)
            name_place(x->a->trace, c, outside ? "before " : "in ", place);
        else
            snprintf(place, sizeof place, "%s", outside ? "at the end" : "outside calls");
        row = (size_t)(row_of(x->c, cause_name(cause), place) - x->c->rows);
        obt_map_take(&x->seen, key, row);
    }
    x->c->rows[row].time[x->trace] += (double)time / (double)x->a->active;
}

/* Computing is named by the call that follows; waiting is added by waits. */
static void add_spans(adding *x, uint32_t process, size_t end)
{
    const obt_analysis *a = x->a;
    size_t first = a->first_span[process];
    uint32_t next = OBT_NO_CALL;
    for (size_t i = end - 1; i-- > first;) {
        const obt_span *s = &a->spans[i];
        int64_t length = s[1].begin - s->begin;
        if (s->call != OBT_NO_CALL)
            next = s->call;
        if (s->state == OBT_COMPUTING)
            add(x, CAUSE_COMPUTING, next, length);
        else if (s->state == OBT_NOT_RUNNING)
            add(x, CAUSE_STOPPED, next, length);
        else if (s->state == OBT_LIBRARY)
            add(x, CAUSE_LIBRARY, s->call, length);
    }
}

void obt_comparison_add(obt_comparison *c, const obt_analysis *a, bool second)
{
    adding x = {.c = c, .a = a, .trace = c->a + c->b};
    if (c->a + c->b >= c->room || (c->b && !second))
        obt_die("OB-8507 more traces to compare than were announced");
    if ((second ? c->b : c->a) == 0) {
        c->processes[second] = a->active;
        c->path[second] = keep(c, a->trace->path);
    }
    c->length[x.trace] = (double)(a->end - a->begin);
    *(second ? &c->b : &c->a) += 1;
    for (size_t k = 0; k < a->active; k++)
        add_spans(&x, a->order[k],
                  k + 1 < a->active ? a->first_span[a->order[k + 1]] : a->span_count);
    for (size_t i = 0; i < a->wait_count; i++) {
        const obt_wait *w = &a->waits[i];
        add(&x, w->pattern, w->call, w->late);
        add(&x, OBT_NO_PROCESSOR, w->call, w->delayed);
        add(&x, w->rest, w->call, w->end - w->begin - w->late - w->delayed);
    }
    obt_map_free(&x.seen);
}

/* ----------------------------------------------------------------- judging */

static double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n ? sum / (double)n : 0;
}

static double squares(const double *x, size_t n, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

/* Student's t: beyond it lies one case of a hundred, on both sides together. */
static double student(size_t freedom)
{
    static const double t[] = {0,    63.7, 9.92, 5.84, 4.60, 4.03, 3.71, 3.50,
                               3.36, 3.25, 3.17, 3.11, 3.05, 3.01, 2.98, 2.95};
    size_t count = sizeof t / sizeof *t;
    return freedom < count ? t[freedom] : freedom < 30 ? 2.95 : 2.75;
}

static void judge(const obt_comparison *c, obt_change_row *r)
{
    size_t freedom = c->a + c->b > 2 ? c->a + c->b - 2 : 0;
    r->a = mean(r->time, c->a);
    r->b = mean(r->time + c->a, c->b);
    r->verdict = OBT_NOT_JUDGED;
    r->error = -1;
    if (freedom == 0)
        return;
    double spread = squares(r->time, c->a, r->a) + squares(r->time + c->a, c->b, r->b);
    r->error =
        student(freedom) * sqrt(spread / (double)freedom * (1 / (double)c->a + 1 / (double)c->b));
    r->verdict = fabs(r->b - r->a) <= r->error ? OBT_NOISE : r->b > r->a ? OBT_SLOWER : OBT_FASTER;
}

static int by_difference(const void *x, const void *y)
{
    const obt_change_row *a = x, *b = y;
    double da = fabs(a->b - a->a), db = fabs(b->b - b->a);
    if ((a->verdict == OBT_NOISE) != (b->verdict == OBT_NOISE))
        return a->verdict == OBT_NOISE ? 1 : -1;
    if (da != db)
        return da < db ? 1 : -1;
    int s = strcmp(a->cause, b->cause);
    return s ? s : strcmp(a->place, b->place);
}

void obt_comparison_judge(obt_comparison *c)
{
    c->whole = (obt_change_row){.cause = "the run", .place = "", .time = c->length};
    judge(c, &c->whole);
    for (size_t k = 0; k < c->row_count; k++)
        judge(c, &c->rows[k]);
    if (c->row_count)
        qsort(c->rows, c->row_count, sizeof *c->rows, by_difference);
}

void obt_comparison_free(obt_comparison *c)
{
    for (size_t k = 0; k < c->row_count; k++)
        free(c->rows[k].time);
    for (size_t k = 0; k < c->text_count; k++)
        free(c->texts[k]);
    free(c->rows);
    free(c->texts);
    free(c->length);
    obt_map_free(&c->of);
    free(c);
}
