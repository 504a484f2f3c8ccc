/*
 * What all processes of a grid must say alike, and who they are: one combine, as each call begins.
 * As in ScaLAPACK an argument that is wrong on one process, or not the same on all, is found by all
 * of them, so that none waits for others that have returned.
 */
#include "lu.h"

#include <openblacs/blacs.h>

#include <stdlib.h>
#include <string.h>

/* Above all parts, and all positions; and what makes a value positive. */
static const int64_t ABOVE = 1000000, PLACES = 4194304, SHIFT = (int64_t)1 << 62;

/* The nearest value that can be shifted: no other is a size or an index of anything. */
static int64_t within(int64_t value)
{
    return value >= SHIFT ? SHIFT - 1 : value <= -SHIFT ? 1 - SHIFT : value;
}

/* The combine takes the largest absolute values: of x and -x, shifted, that are the extremes of x.
 */
oblu_verdict oblu_agree(int64_t context, int processes, int position, const oblu_alike *list,
                        size_t count, int wrong, int *numbers)
{
    size_t p = (size_t)processes, length = p + 2 * count + 1;
    int64_t *all = oblu_room(length, sizeof *all);
    oblu_verdict verdict = {.speaks = position == 0};
    ob_job *job;
    memset(all, 0, length * sizeof *all);
    if (ob_job_start(&job) == OB_OK)
        all[position] = ob_job_number(job);
    for (size_t i = 0; i < count; i++) {
        all[p + 2 * i] = SHIFT + within(list[i].value);
        all[p + 2 * i + 1] = SHIFT - within(list[i].value);
    }
    all[length - 1] = wrong ? (ABOVE - wrong) * PLACES - position : 0;
    Cigamx2d64_(context, "All", " ", (int64_t)length, 1, all, (int64_t)length, NULL, NULL, -1, -1,
                -1);
    if (all[length - 1] > 0) {
        int64_t part = ABOVE - (all[length - 1] + PLACES - 1) / PLACES;
        verdict.part = (int)part;
        verdict.speaks = (ABOVE - part) * PLACES - position == all[length - 1];
    }
    for (size_t i = 0; i < count && !verdict.part; i++) {
        verdict.most = all[p + 2 * i] - SHIFT;
        verdict.least = SHIFT - all[p + 2 * i + 1];
        verdict.differs = verdict.most > verdict.least;
        verdict.part = verdict.differs ? list[i].part : 0;
    }
    for (size_t i = 0; i < p; i++)
        numbers[i] = (int)all[i];
    free(all);
    return verdict;
}
