/*
 * What all processes of a grid must say alike, and who they are: one combine, as each call begins.
 * As in ScaLAPACK an argument that is wrong on one process, or not the same on all, is found by all
 * of them, so that none waits for others that have returned.
 */
#include "lu.h"

#include <openblacs/blacs.h>

#include <stdlib.h>
#include <string.h>

#include "common/alike.h"

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
    for (size_t i = 0; i < count; i++)
        ob_alike_say(list[i].value, all + p + 2 * i);
    all[length - 1] = ob_alike_wrong(wrong, position);
    Cigamx2d64_(context, "All", " ", (int64_t)length, 1, all, (int64_t)length, NULL, NULL, -1, -1,
                -1);
    verdict.part = (int)ob_alike_part(all[length - 1]);
    if (verdict.part)
        verdict.speaks = ob_alike_wrong(verdict.part, position) == all[length - 1];
    for (size_t i = 0; i < count && !verdict.part; i++) {
        verdict.most = ob_alike_most(all + p + 2 * i);
        verdict.least = ob_alike_least(all + p + 2 * i);
        verdict.differs = verdict.most > verdict.least;
        verdict.part = verdict.differs ? list[i].part : 0;
    }
    for (size_t i = 0; i < p; i++)
        numbers[i] = (int)all[i];
    free(all);
    return verdict;
}
