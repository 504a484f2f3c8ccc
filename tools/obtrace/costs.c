/*
 * What messages cost in a trace: medians by length, with straight lines between them.
 */
#include <stdlib.h>

#include "replay.h"

enum { CLASSES = 40, FEWEST = 8 };

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

/* Median lengths and times of lengths that are within a factor of two. What a longer message needs
 * is enough for a shorter one: few of these may have been held up. */
static size_t medians(samples *s, sample out[CLASSES])
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
        out[n++] = (sample){bytes, s->at[i + k / 2].time};
    }
    for (size_t i = n; i-- > 1;)
        if (out[i - 1].time > out[i].time)
            out[i - 1].time = out[i].time;
    return n;
}

/* Through the medians; where all messages are of one length, the share of the bytes is that of
 * the curve before. */
static void draw(samples *s, ob_curve *c)
{
    sample m[CLASSES];
    size_t n = medians(s, m);
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

/* Between the end of a point and the next one, but for what it waited. */
static void collect(const obt_steps *s, samples *sends, samples *takes, samples *whole)
{
    const obt_analysis *a = s->analysis;
    for (size_t i = 0; i < s->count; i++) {
        const obt_point *p = &s->points[i];
        const obt_call *c = call_of(s, p);
        if (p->kind != OBT_POSTS && p->kind != OBT_TAKES)
            continue;
        const obt_message *m = &a->messages[p->object];
        bool collective = c && s->of_call[c - a->calls] != SIZE_MAX;
        int64_t length[OBT_CLASSES] = {0};
        if (c)
            obt_between(a, &s->times, p->process, p->end, until(s, i, c), length);
        if (p->kind == OBT_POSTS) {
            note(sends, m->bytes, length[OBT_COMMUNICATES]);
        } else if (p->rest >= 0) {
            note(takes, m->bytes, length[OBT_COMMUNICATES]);
            if (m->sent >= p->begin)
                note(whole, m->bytes, p->rest + length[OBT_COMMUNICATES]);
        } else if (c && !collective) {
            note(takes, m->bytes, obt_length(c) - c->blocked);
        }
    }
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

bool obt_costs(const obt_steps *s, ob_profile *p)
{
    samples sends = {0}, takes = {0}, whole = {0};
    ob_profile found;
    ob_profile_builtin(&found);
    collect(s, &sends, &takes, &whole);
    bool enough = whole.count >= FEWEST;
    if (enough) {
        draw(&sends, &found.curve[OB_T_S]);
        draw(&takes, &found.curve[OB_T_R]);
        draw(&whole, &found.curve[OB_T_C]);
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
