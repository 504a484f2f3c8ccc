/*
 * The arithmetic of fitting.
 */
#include "fit.h"

#include <math.h>
#include <stdlib.h>

#include "median.h"

/* Of many lengths, neighbours are grouped, so that the time to fit stays small. */
enum { LEAST_LENGTHS = 2, MOST_GROUPS = 64, MOST_SLOPES = 64 };

static double weighted(const obb_sample *s, const double *weight, int count, obb_fit *line)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        w += weight[i];
        x += weight[i] * s[i].x;
        y += weight[i] * s[i].y;
    }
    if (w <= 0)
        return 0;
    x /= w;
    y /= w;
    for (int i = 0; i < count; i++) {
        xx += weight[i] * (s[i].x - x) * (s[i].x - x);
        xy += weight[i] * (s[i].x - x) * (s[i].y - y);
    }
    line->beta = xx > 0 ? xy / xx : 0;
    line->alpha = y - line->beta * x;
    return w;
}

static double *weights(int count)
{
    double *w = malloc((size_t)(count > 0 ? count : 1) * sizeof *w);
    for (int i = 0; w && i < count; i++)
        w[i] = 1;
    return w;
}

obb_fit obb_least_squares(const obb_sample *s, int count)
{
    obb_fit line = {0, 0};
    double *w = weights(count);
    if (w)
        weighted(s, w, count, &line);
    free(w);
    return line;
}

/* Where the search for weights begins: the median of all slopes, and of what
 * is then left, so that outliers do not choose the line (Theil, Sen). */
static obb_fit median_line(const obb_sample *s, int count, double *room)
{
    obb_fit line = {0, 0};
    int n = 0, stride = (count + MOST_SLOPES - 1) / MOST_SLOPES;
    for (int i = 0; i < count; i += stride)
        for (int j = 0; j < i; j += stride)
            if (s[i].x != s[j].x)
                room[n++] = (s[i].y - s[j].y) / (s[i].x - s[j].x);
    if (n)
        line.beta = obb_median(room, n);
    if (line.beta < 0)
        line.beta = 0;
    for (int i = 0; i < count; i++)
        room[i] = s[i].y - line.beta * s[i].x;
    line.alpha = obb_median(room, count);
    return line;
}

static double relative(const obb_sample *s, const obb_fit *line)
{
    return (line->alpha + line->beta * s->x - s->y) / s->y;
}

/* Huber's weights around the present line; the scale is the median distance. */
static void reweigh(const obb_sample *s, int count, const obb_fit *line, double *w, double *room)
{
    for (int i = 0; i < count; i++)
        room[i] = fabs(relative(&s[i], line));
    double scale = 1.4826 * obb_median(room, count), limit = 1.345 * (scale > 1e-6 ? scale : 1e-6);
    for (int i = 0; i < count; i++) {
        double off = fabs(relative(&s[i], line));
        w[i] = (off <= limit ? 1 : limit / off) / (s[i].y * s[i].y);
    }
}

obb_fit obb_robust_line(const obb_sample *s, int count)
{
    obb_fit line = {0, 0};
    size_t pairs = MOST_SLOPES * MOST_SLOPES, most = pairs > (size_t)count ? pairs : (size_t)count;
    double *w = weights(count), *room = malloc(most * sizeof *room);
    if (w && room && count > 0) {
        line = median_line(s, count, room);
        for (int i = 0; i < 30; i++) {
            reweigh(s, count, &line, w, room);
            weighted(s, w, count, &line);
        }
        /* Times do not shrink with the length. */
        if (line.beta < 0) {
            line.beta = 0;
            for (int i = 0; i < count; i++)
                room[i] = s[i].y;
            line.alpha = obb_median(room, count);
        }
    }
    free(w);
    free(room);
    return line;
}

/* ------------------------------------------------------------------- pieces */

static int by_x(const void *a, const void *b)
{
    const obb_sample *s = a, *t = b;
    if (s->x != t->x)
        return (s->x > t->x) - (s->x < t->x);
    return (s->y > t->y) - (s->y < t->y);
}

/* What a line misses, as the logarithm of the relative distance once that is more than 1 %:
 * a few lengths whose times jump, as those near the cache's size do, must not hide that
 * the line misses the others. */
static double loss(const obb_sample *s, int count, const obb_fit *line)
{
    enum { PER_CENT = 1 };
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double off = relative(&s[i], line) * 100 / PER_CENT;
        sum += log1p(off * off);
    }
    return sum;
}

typedef struct table {
    int groups;                             /* different lengths */
    int start[MOST_GROUPS + 1];             /* their first samples */
    obb_fit line[MOST_GROUPS][MOST_GROUPS]; /* [from][to] */
    double loss[MOST_GROUPS][MOST_GROUPS];
    double best[OB_PIECES + 1][MOST_GROUPS + 1];
    int cut[OB_PIECES + 1][MOST_GROUPS + 1];
} table;

static void make_groups(table *t, const obb_sample *s, int count)
{
    int lengths = 0, seen = 0;
    for (int i = 0; i < count; i++)
        lengths += i == 0 || s[i].x != s[i - 1].x;
    int each = (lengths + MOST_GROUPS - 1) / MOST_GROUPS;
    for (int i = 0; i < count; i++)
        if ((i == 0 || s[i].x != s[i - 1].x) && seen++ % each == 0)
            t->start[t->groups++] = i;
    t->start[t->groups] = count;
}

static void make_table(table *t, const obb_sample *s, int count)
{
    make_groups(t, s, count);
    for (int a = 0; a < t->groups; a++)
        for (int b = a; b < t->groups; b++) {
            int first = t->start[a], n = t->start[b + 1] - first;
            t->line[a][b] = obb_robust_line(s + first, n);
            t->loss[a][b] = loss(s + first, n, &t->line[a][b]);
        }
}

/* best[k][g]: the least loss of the first g lengths in k pieces. */
static void fill(table *t)
{
    for (int g = 0; g <= t->groups; g++)
        t->best[0][g] = g ? HUGE_VAL : 0;
    for (int k = 1; k <= OB_PIECES; k++)
        for (int g = 0; g <= t->groups; g++) {
            t->best[k][g] = HUGE_VAL;
            int least = t->groups < LEAST_LENGTHS ? 1 : LEAST_LENGTHS;
            for (int from = 0; from + least <= g; from++) {
                double sum = t->best[k - 1][from] + t->loss[from][g - 1];
                if (sum < t->best[k][g]) {
                    t->best[k][g] = sum;
                    t->cut[k][g] = from;
                }
            }
        }
}

/* A further piece must pay: each costs two numbers and a place (Bayesian information, twice
 * the loss being the deviance). */
static int choose_pieces(const table *t, int count)
{
    int best = 1;
    double least = HUGE_VAL;
    for (int k = 1; k <= OB_PIECES && t->best[k][t->groups] < HUGE_VAL; k++) {
        double price = 2 * t->best[k][t->groups] + 3 * k * log(count);
        if (price < least) {
            least = price;
            best = k;
        }
    }
    return best;
}

static void set_piece(ob_curve *c, int i, const table *t, const obb_sample *s, int a, int b)
{
    double from = a ? sqrt((s[t->start[a] - 1].x + 1) * (s[t->start[a]].x + 1)) : 0;
    c->piece[i] =
        (ob_piece){.from = (size_t)from, .alpha = t->line[a][b].alpha, .beta = t->line[a][b].beta};
}

static void set_misfit(ob_curve *c, const obb_sample *s, int count)
{
    double *off = weights(count);
    for (int i = 0; off && i < count; i++)
        off[i] = fabs(ob_curve_at(c, (size_t)s[i].x) - s[i].y) / s[i].y;
    c->misfit = off ? obb_median(off, count) : 0;
    free(off);
}

int obb_fit_curve(obb_sample *samples, int count, ob_curve *curve)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        if (samples[i].y > 0)
            samples[n++] = samples[i];
    table *t = calloc(1, sizeof *t);
    if (n == 0 || t == NULL) {
        free(t);
        return -1;
    }
    qsort(samples, (size_t)n, sizeof *samples, by_x);
    make_table(t, samples, n);
    fill(t);
    *curve = (ob_curve){.pieces = choose_pieces(t, n)};
    int g = t->groups;
    for (int k = curve->pieces; k > 0; k--) {
        int from = t->cut[k][g];
        set_piece(curve, k - 1, t, samples, from, g - 1);
        g = from;
    }
    set_misfit(curve, samples, n);
    free(t);
    return 0;
}

/* ------------------------------------------------------------------- search */

/* One value up or down by the factor, if that is better. */
static void try_value(double *value, double least, double most, double factor, double *best,
                      double *all, obb_distance *distance, void *context)
{
    double old = *value;
    for (int up = 0; up < 2; up++) {
        double next = up ? old * factor : old / factor;
        *value = next < least ? least : next > most ? most : next;
        if (*value == old)
            continue;
        double now = distance(all, context);
        if (now < *best) {
            *best = now;
            return;
        }
    }
    *value = old;
}

double obb_search(double *value, const double *least, const double *most, int n, int sweeps,
                  obb_distance *distance, void *context)
{
    static const double first = 2, last = 1.015;
    double best = distance(value, context), factor = first;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        double before = best;
        for (int i = 0; i < n; i++)
            try_value(&value[i], least[i], most[i], factor, &best, value, distance, context);
        if (best < before * 0.98)
            continue; /* these steps still pay */
        factor = sqrt(factor);
        if (factor < last)
            factor = sqrt(first); /* once more: the values pull at each other */
    }
    return best;
}
