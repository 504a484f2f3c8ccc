/*
 * For the tests of long combines that do not wait: matrices of some forms, and what their sums are.
 */
#ifndef OB_COLLECTIVE_OVERLAP_CLAIMED_HELP_TEST_H
#define OB_COLLECTIVE_OVERLAP_CLAIMED_HELP_TEST_H

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collective/members_test.h"
#include "core/port.h"
#include "hooks/collective.h"

enum { KIB = 1024, MANY = 40 * KIB, HEAP = 256 << 20 };

static double value(uint64_t call, int member, size_t k)
{
    return (double)(team_mix(call * 64 + (uint64_t)member + k * 4096) >> 12) * 1e-9;
}

/* A view of n doubles: one run, long columns, a trapezoid; or columns too short to be read. */
static ob_view form(int kind, size_t n)
{
    static const size_t rows[] = {0, 1024, 1024, 16};
    size_t m = rows[kind] ? rows[kind] : n;
    ob_view v = {.m = m, .n = n / m, .ld = m + (kind ? 4 : 0), .type = OB_DOUBLE};
    v.base = malloc((v.ld * v.n + 1) * sizeof(double));
    return v;
}

static void fill(const ob_view *v, uint64_t call, int member)
{
    for (size_t k = 0; k <= v->ld * v->n; k++)
        ((double *)v->base)[k] = value(call, member, k);
}

static void skip_unless_memory_is_reached(void)
{
    char from = 1, to = 0;
    struct iovec here = {&to, 1}, there = {&from, 1};
    if (ob_port_reach(false, (int)getpid(), &here, 1, &there, 1) < 0 && errno == ENOSYS)
        skip();
}

static void sum_of(ob_group *g, const ob_view *v, uint64_t call)
{
    for (size_t k = 0; k < MANY; k += 7) {
        double s = value(call, 0, k);
        for (int i = 1; i < ob_group_size(g); i++)
            s += value(call, i, k);
        TEAM_CHECK(((double *)v->base)[k] == s, "call %d, element %zu", (int)call, k);
    }
}

#endif
