/*
 * Whether the machine has other work.
 */
#include <stdlib.h>
#include <string.h>

#include "obbench/median.h"
#include "obbench/verdict/verdict.h"

/* Two looks at the clock in a row that are so far apart: something else had the processor. */
static const double GAP_S = 20e-6;
/* The upper quartile of the rounds over the lower one, in the middle of all rows. */
static const double SPREAD = 1.5;

double obv_lost(double seconds)
{
    double begun = ob_time(), last = begun, lost = 0, now;
    while ((now = ob_time()) < begun + seconds) {
        if (now - last > GAP_S)
            lost += now - last;
        last = now;
    }
    if (now - last > GAP_S)
        lost += now - last;
    return lost / (now - begun);
}

static double spread_of(const obv_series *s)
{
    double *v = malloc((size_t)s->count * sizeof *v), spread;
    if (v == NULL)
        return 1;
    memcpy(v, s->values, (size_t)s->count * sizeof *v);
    obb_median(v, s->count); /* sorts */
    double low = v[s->count / 4], high = v[3 * s->count / 4];
    spread = low > 0 ? high / low : 1;
    free(v);
    return spread;
}

static double middle_of(double *v, int n)
{
    return n ? obb_median(v, n) : 0;
}

bool obv_is_noisy(const obv_figures *f, double limit, char *why, size_t room)
{
    enum { FEW = 4 };
    double *spreads = malloc(((size_t)f->count + 1) * sizeof *spreads), lost = 0, spread;
    int n = 0;
    for (int i = 0; i < f->count && spreads; i++) {
        const obv_series *s = &f->at[i];
        if (strcmp(s->way, "machine") == 0) {
            double middle = obv_middle(s);
            if (strcmp(s->work, "lost") == 0 && middle > lost)
                lost = middle;
        } else if (s->count >= FEW) {
            spreads[n++] = spread_of(s);
        }
    }
    spread = middle_of(spreads, n);
    free(spreads);
    why[0] = '\0';
    if (lost > limit)
        snprintf(why, room,
                 "other programs, or another guest of the same host, took %.0f %% of a processor's "
                 "time",
                 100 * lost);
    else if (spread > SPREAD && limit < 1)
        snprintf(why, room, "the same calls took %.1f times as long in some rounds as in others",
                 spread);
    return why[0] != '\0';
}
