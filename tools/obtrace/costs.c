/*
 * What messages cost in a trace: medians or quartiles by length, with straight lines between them.
 */
#include <stdlib.h>

#include "replay.h"

enum { CLASSES = 40, FEWEST = 8, MEDIAN = 2, QUARTILE = 4 };

typedef struct sample {
    int64_t bytes, time;
} sample;

typedef struct samples {
    sample *at;
    size_t count, room;
} samples;

static void note(samples *s, int64_t bytes, int64_t time)
{
    if (time < 0 || bytes < 0)
        return;
    s->at = obt_grow(s->at, s->count, &s->room, sizeof *s->at);
    s->at[s->count++] = (sample){bytes, time};
}

static int by_bytes(const void *x, const void *y)
{
    const sample *a = x, *b = y;
    int c = obt_compare(a->bytes, b->bytes);
    return c ? c : obt_compare(a->time, b->time);
}

static int by_time(const void *x, const void *y)
{
    const sample *a = x, *b = y;
    return obt_compare(a->time, b->time);
}

static int class_of(int64_t bytes)
{
    int k = 0;
    for (; bytes > 0; bytes >>= 1)
        k++;
    return k < CLASSES ? k : CLASSES - 1;
}

/* Of lengths that are within a factor of two: the median length, and the time that the fastest of
 * so many parts need. What a longer message needs is enough for a shorter one: few of these may
 * have been held up. */
static size_t quantiles(samples *s, size_t part, sample out[CLASSES])
{
    size_t n = 0;
    if (s->count)
        qsort(s->at, s->count, sizeof *s->at, by_bytes);
    for (size_t i = 0, k; i < s->count; i += k) {
        int class = class_of(s->at[i].bytes);
        for (k = 1; i + k < s->count && class_of(s->at[i + k].bytes) == class; k++)
            ;
        int64_t bytes = s->at[i + k / 2].bytes;
        qsort(s->at + i, k, sizeof *s->at, by_time);
        out[n++] = (sample){bytes, s->at[i + k / part].time};
    }
    for (size_t i = n; i-- > 1;)
        if (out[i - 1].time > out[i].time)
            out[i - 1].time = out[i].time;
    return n;
}

static double rise_of(const sample *a, const sample *b)
{
    return (double)(b->time - a->time) / (double)(b->bytes - a->bytes);
}

/* Without those that lie above a line between two others: they were held up. So may those be that
 * are longer than `awaited`, where they lie above the line of the others. Between lengths of which
 * one is not twice the other no line is drawn: what is so close differs by chance. */
static size_t from_below(sample m[CLASSES], size_t n, int64_t awaited)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept && m[i].bytes < 2 * m[kept - 1].bytes)
            continue;
        while (kept > 1 && rise_of(&m[kept - 2], &m[kept - 1]) >= rise_of(&m[kept - 1], &m[i]))
            kept--;
        m[kept++] = m[i];
    }
    while (kept > 2 && m[kept - 1].bytes > awaited)
        kept--;
    return kept;
}

/* Through the medians, or, unless awaited is negative, from below through those of which a quarter
 * is faster: the others may have been held up. Where all messages are of one length, the share of
 * the bytes is that of the curve before. */
static void draw(samples *s, int64_t awaited, ob_curve *c)
{
    sample m[CLASSES];
    size_t n = quantiles(s, awaited < 0 ? MEDIAN : QUARTILE, m);
    n = awaited < 0 ? n : from_below(m, n, awaited);
    const ob_curve like = *c;
    *c = (ob_curve){.pieces = 1};
    if (n == 0)
        return;
    double whole = ob_curve_at(&like, (size_t)m[0].bytes), none = ob_curve_at(&like, 0);
    double first = (double)m[0].time / 1e3;
    if (n == 1 && m[0].bytes > 0 && whole > none)
        c->piece[0].beta = first * (1 - none / whole) / (double)m[0].bytes;
    c->piece[0].alpha = first - c->piece[0].beta * (double)m[0].bytes;
    size_t step = n > OB_PIECES ? (n - 1 + OB_PIECES - 1) / OB_PIECES : 1, kept = 0;
    for (size_t i = 0; i + 1 < n; i += step) {
        size_t j = i + step < n ? i + step : n - 1;
        double x = (double)m[i].bytes, y = (double)m[i].time / 1e3;
        double rise = ((double)m[j].time / 1e3 - y) / ((double)m[j].bytes - x);
        rise = rise > 0 ? rise : 0;
        ob_piece piece = {kept ? (size_t)m[i].bytes : 0, y - rise * x, rise};
        if (kept == 0 && piece.alpha < 0)
            piece = (ob_piece){0, 0, x > 0 ? y / x : rise};
        c->piece[kept++] = piece;
    }
    c->pieces = kept ? (int)kept : 1;
}

/* Until when a process works for its message: the next thing in the call, or the call's end. */
static int64_t until(const obt_steps *s, size_t point, const obt_call *c)
{
    const obt_point *p = &s->points[point], *next = p + 1;
    if (point + 1 < s->count && next->process == p->process && next->begin < c->end)
        return next->begin;
    return c->end;
}

static const obt_call *call_of(const obt_steps *s, const obt_point *p)
{
    const obt_analysis *a = s->analysis;
    size_t span = obt_span_at(a, &s->times, p->process, p->end - (p->kind == OBT_TAKES));
    return span == SIZE_MAX || a->spans[span].call == OBT_NO_CALL ? NULL
                                                                  : &a->calls[a->spans[span].call];
}

/* Is the next one sent at the same moment? */
static bool goes_on(const obt_steps *s, size_t point)
{
    const obt_point *p = &s->points[point], *next = p + 1;
    return point + 1 < s->count && next->kind == OBT_POSTS && next->process == p->process &&
           next->begin == p->begin;
}

/* Between the end of a point and the next one, but for what it waited. Messages that are sent at
 * one moment share what follows. Returns how many receivers waited, also if not since the send. */
static size_t collect(const obt_steps *s, samples *sends, samples *takes, samples *whole)
{
    const obt_analysis *a = s->analysis;
    int64_t at_once = 0;
    size_t waited = 0;
    for (size_t i = 0; i < s->count; i++) {
        const obt_point *p = &s->points[i];
        const obt_call *c = call_of(s, p);
        if (p->kind != OBT_POSTS && p->kind != OBT_TAKES)
            continue;
        const obt_message *m = &a->messages[p->object];
        size_t together = c ? s->of_call[c - a->calls] : SIZE_MAX;
        int64_t length[OBT_CLASSES] = {0};
        if (c)
            obt_between(a, &s->times, p->process, p->end, until(s, i, c), length);
        if (p->kind == OBT_POSTS) {
            at_once++;
            if (!goes_on(s, i)) {
                note(sends, m->bytes, length[OBT_COMMUNICATES] / at_once);
                at_once = 0;
            }
            continue;
        }
        /* In a superstep many come, and what one of them takes is told with what others take. */
        if (together != SIZE_MAX && s->together[together].superstep)
            continue;
        if (p->rest >= 0) {
            waited++;
            note(takes, m->bytes, length[OBT_COMMUNICATES]);
            if (m->sent >= p->begin)
                note(whole, m->bytes, p->rest + length[OBT_COMMUNICATES]);
        } else if (c && together == SIZE_MAX) {
            note(takes, m->bytes, obt_length(c) - c->blocked);
        }
    }
    return waited;
}

/* Of lengths for which few receivers waited, the fastest message is what one needs: its receiver
 * was hardly late, and nothing held it up. Returns the longest of the others. */
static int64_t add_fastest(const obt_analysis *a, samples *whole)
{
    size_t awaited[CLASSES] = {0}, kept = 0;
    sample fastest[CLASSES];
    int64_t longest = 0;
    for (int k = 0; k < CLASSES; k++)
        fastest[k] = (sample){0, INT64_MAX};
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        sample *f = &fastest[class_of(m->bytes)];
        if (m->from != m->to && m->received - m->sent < f->time && m->received >= m->sent)
            *f = (sample){m->bytes, m->received - m->sent};
    }
    for (size_t i = 0; i < whole->count; i++)
        awaited[class_of(whole->at[i].bytes)]++;
    for (size_t i = 0; i < whole->count; i++) {
        sample w = whole->at[i];
        if (awaited[class_of(w.bytes)] < FEWEST)
            continue;
        whole->at[kept++] = w;
        longest = w.bytes > longest ? w.bytes : longest;
    }
    whole->count = kept;
    for (int k = 0; k < CLASSES; k++)
        if (awaited[k] < FEWEST && fastest[k].time < INT64_MAX)
            note(whole, fastest[k].bytes, fastest[k].time);
    return longest;
}

/* Additions of the combines, by their bytes. */
static ob_piece additions(const obt_analysis *a)
{
    double bytes = 0, time = 0;
    for (size_t i = 0; i < a->call_count; i++)
        if (obt_is_combine(a, &a->calls[i])) {
            bytes += (double)a->calls[i].bytes;
            time += (double)a->calls[i].packing / 1e3;
        }
    return (ob_piece){0, 0, bytes > 0 ? time / bytes : 0};
}

/* Between nodes a receive that has begun may still wait for bytes, which are the network's then. */
static ob_curve without_bytes(const ob_curve *c)
{
    return (ob_curve){.pieces = 1, .piece = {{0, ob_curve_at(c, 0), 0}}};
}

bool obt_costs(const obt_steps *s, ob_profile *p)
{
    samples sends = {0}, takes = {0}, whole = {0};
    ob_profile found;
    ob_profile_builtin(&found);
    size_t waited = collect(s, &sends, &takes, &whole);
    bool enough = (s->several_nodes ? waited : whole.count) >= FEWEST;
    if (enough) {
        int64_t awaited = s->several_nodes ? add_fastest(s->analysis, &whole) : -1;
        draw(&sends, -1, &found.curve[OB_T_S]);
        draw(&takes, awaited, &found.curve[OB_T_R]);
        draw(&whole, awaited, &found.curve[OB_T_C]);
        if (s->several_nodes)
            found.curve[OB_T_R] = without_bytes(&found.curve[OB_T_R]);
        found.curve[OB_T_O] = (ob_curve){.pieces = 1, .piece = {additions(s->analysis)}};
        found.origin = OB_MEASURED;
        snprintf(found.host, sizeof found.host, "trace");
        *p = found;
    }
    free(sends.at);
    free(takes.at);
    free(whole.at);
    return enough;
}

bool obt_costs_found(const obt_steps *s)
{
    ob_profile costs;
    return obt_costs(s, &costs);
}

int64_t obt_most_bytes(const obt_steps *s, size_t together)
{
    const obt_together *w = &s->together[together];
    int64_t most = 0;
    for (size_t i = 0; i < w->count; i++) {
        int64_t bytes = s->analysis->calls[s->parts.by_process[w->first + i].call].bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}
