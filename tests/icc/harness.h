/*
 * What the programs of this folder share: all processes check, process 0 prints the
 * sums. Only icc.h is used, and nothing is set up before the first call.
 */
#ifndef OB_TESTS_ICC_HARNESS_H
#define OB_TESTS_ICC_HARNESS_H

#include "../checks.h"
#include "openblacs/icc.h"

/* The program's exit status. */
static inline int finish(void)
{
    int sums[2] = {world.passed, world.failed};
    iCC_gisum(sums, 2, NULL);
    say_sums(sums[0], sums[1]);
    return sums[1] != 0;
}

/* A group, and the node at each of its positions. */
typedef struct team {
    const char *name;
    int handle, size, me;
    long *nodes;
} team;

static inline team new_team(const char *name, int handle, long first, long step, long size)
{
    team t = {name, handle, (int)size, -1, malloc((size_t)size * sizeof(long))};
    for (long i = 0; i < size; i++)
        if ((t.nodes[i] = first + i * step) == world.me)
            t.me = (int)i;
    return t;
}

/* The whole machine, the row, the column, the even nodes backwards, and, last, a single
 * node. The caller is in all but perhaps the even ones: then its handle is iCC_NONE. */
enum { TEAMS = 5 };
static inline void make_teams(team *teams)
{
    long rows, columns, row, column, evens = (world.count + 1) / 2;
    iCC_meshinfo(&rows, &columns, &row, &column);
    teams[0] = new_team("all", iCC_ALL, 0, 1, world.count);
    teams[1] = new_team("row", iCC_ROW, row * columns, 1, columns);
    teams[2] = new_team("column", iCC_COLUMN, column, columns, rows);
    teams[3] = new_team("evens", 0, 2 * (evens - 1), -2, evens);
    teams[3].handle = iCC_group(teams[3].nodes, evens);
    teams[4] = new_team("self", 0, world.me, 1, 1);
    teams[4].handle = iCC_group(teams[4].nodes, 1);
}

static inline void drop_teams(team *teams)
{
    for (int i = 0; i < TEAMS; i++) {
        if (teams[i].handle >= 3)
            iCC_group_free(teams[i].handle);
        free(teams[i].nodes);
    }
}

#endif
