/*
 * What a profile must be, whoever wrote it.
 */
#include "collective/planner/profile.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "collective/scheme/scheme.h"
#include "core/error.h"

const char *ob_quantity_name(ob_quantity quantity)
{
    static const char *const names[] = {"T_c", "T_s", "T_r", "T_m", "T_o"};
    return (unsigned)quantity < OB_QUANTITIES ? names[quantity] : NULL;
}

#define ENTRY(name, least, most)                                                                   \
    {                                                                                              \
#name, offsetof(ob_waiting, name), least, most                                             \
    }
const ob_waiting_entry ob_waiting_entries[OB_WAITING_ENTRIES] = {
    ENTRY(call, 0, 3.6e9), ENTRY(combine, 0, 3.6e9),  ENTRY(glance, 0, 3.6e9),
    ENTRY(look, 0, 3.6e9), ENTRY(turn, 1e-3, 3.6e9),  ENTRY(ring, 0, 3.6e9),
    ENTRY(wake, 0, 3.6e9), ENTRY(patience, 0, 3.6e9), ENTRY(rest, 0, 10),
    ENTRY(flow, 0, 10),    ENTRY(spill, 1, 1e3),      ENTRY(cold, 1, 1e3)};

static int within(double value, double least, double most)
{
    return isfinite(value) && value >= least && value <= most;
}

static int check_curve(const char *name, const ob_curve *c)
{
    static const double far = 1e12;
    if (c->pieces < 1 || c->pieces > OB_PIECES)
        return ob_fail(OB_EARG, "OB-8105 %s has %d lines, must have 1 to %d", name, c->pieces,
                       OB_PIECES);
    if (c->piece[0].from != 0)
        return ob_fail(OB_EARG, "OB-8105 the first line of %s is from %zu, must be from 0", name,
                       c->piece[0].from);
    if (!within(c->spread, 0, far) || !within(c->misfit, 0, far))
        return ob_fail(OB_EARG, "OB-8105 an error of %s is out of bounds", name);
    for (int i = 0; i < c->pieces; i++) {
        const ob_piece *p = &c->piece[i];
        if (i > 0 && p->from <= p[-1].from)
            return ob_fail(OB_EARG,
                           "OB-8105 the lines of %s do not begin at growing lengths: %zu after "
                           "%zu",
                           name, p->from, p[-1].from);
        if (!within(p->alpha, -far, far) || !within(p->beta, -far, far))
            return ob_fail(OB_EARG, "OB-8105 line %d of %s is out of bounds", i + 1, name);
        /* The last line goes on for ever; the others, up to the next. */
        if (i + 1 == c->pieces ? p->beta < 0 : p->alpha + p->beta * (double)p[1].from < 0)
            return ob_fail(OB_EARG, "OB-8105 line %d of %s leads to times below 0", i + 1, name);
    }
    return OB_OK;
}

static int check_native(const ob_native_curve *n, const char *task)
{
    char name[64];
    for (int k = 0; k < OB_NATIVE_SIZES; k++) {
        int least = k == 0 ? 2 : n[k - 1].members + 1;
        if (n[k].members == 0 && (k + 1 == OB_NATIVE_SIZES || n[k + 1].members == 0))
            continue;
        snprintf(name, sizeof name, "'native %s %d'", task, n[k].members);
        if (n[k].members < least || n[k].members > 1 << 24)
            return ob_fail(OB_EARG,
                           "OB-8105 %s: the number of nodes must be %d to %d, and grow from one to "
                           "the next",
                           name, least, 1 << 24);
        int status = check_curve(name, &n[k].curve);
        if (status)
            return status;
    }
    return OB_OK;
}

static int check_host(const char *host)
{
    size_t length = strnlen(host, sizeof((ob_profile *)0)->host);
    if (length == 0 || length == sizeof((ob_profile *)0)->host)
        return ob_fail(OB_EARG, "OB-8105 the host's name has no letter, or more than 63");
    if (strspn(host, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != length)
        return ob_fail(OB_EARG, "OB-8105 the host's name has other letters than A-Z a-z 0-9 . _ -");
    return OB_OK;
}

int ob_profile_check(const ob_profile *p)
{
    ob_waiting w = p->waiting;
    int status = check_host(p->host);
    for (int q = 0; q < OB_QUANTITIES && !status; q++)
        status = check_curve(ob_quantity_name((ob_quantity)q), &p->curve[q]);
    for (int t = 0; t < OB_NATIVE_TASKS && !status; t++)
        status = check_native(p->native[t], ob_task_name((ob_task)t));
    if (status)
        return status;
    if (p->processors < 1 || p->processors > 1 << 20)
        return ob_fail(OB_EARG, "OB-8105 %d processors, must be 1 to %d", p->processors, 1 << 20);
    if (p->cache > (size_t)1 << (sizeof(size_t) == 8 ? 50 : 31))
        return ob_fail(OB_EARG, "OB-8105 a cache of %zu bytes is out of bounds", p->cache);
    for (int i = 0; i < OB_WAITING_ENTRIES; i++) {
        const ob_waiting_entry *e = &ob_waiting_entries[i];
        if (!within(*ob_waiting_value(&w, i), e->least, e->most))
            return ob_fail(OB_EARG, "OB-8105 'waiting %s' is not between %g and %g", e->name,
                           e->least, e->most);
    }
    if (p->bsp_processes < 0 || !within(p->bsp_s, 0, 1e12) || !within(p->bsp_g, -1e12, 1e12) ||
        !within(p->bsp_l, -1e12, 1e12))
        return ob_fail(OB_EARG, "OB-8105 a BSP parameter is out of bounds");
    return OB_OK;
}
