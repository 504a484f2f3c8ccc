/*
 * What all processes of a grid must say alike: one combine, as each call begins.
 * As in ScaLAPACK an argument that is wrong on one process, or not the same on all, is found by all
 * of them, so that none waits for others that have returned.
 */
#include "lu.h"

#include <openblacs/blacs.h>

#include <stdlib.h>
#include <string.h>

#include "common/alike.h"

oblu_verdict oblu_agree(int64_t context, int position, const oblu_alike *list, size_t count,
                        int wrong, bool any[OBLU_FLAGS])
{
    size_t length = 2 * count + OBLU_FLAGS + 1;
    int64_t *all = oblu_room(length, sizeof *all);
    oblu_verdict verdict = {.speaks = position == 0};
    for (size_t i = 0; i < count; i++)
        ob_alike_say(list[i].value, all + 2 * i);
    for (size_t i = 0; i < OBLU_FLAGS; i++)
        all[2 * count + i] = any[i];
    all[length - 1] = ob_alike_wrong(wrong, position);
    Cigamx2d64_(context, "All", " ", (int64_t)length, 1, all, (int64_t)length, NULL, NULL, -1, -1,
                -1);
    verdict.part = (int)ob_alike_part(all[length - 1]);
    if (verdict.part)
        verdict.speaks = ob_alike_wrong(verdict.part, position) == all[length - 1];
    for (size_t i = 0; i < count && !verdict.part; i++) {
        verdict.most = ob_alike_most(all + 2 * i);
        verdict.least = ob_alike_least(all + 2 * i);
        verdict.differs = verdict.most > verdict.least;
        verdict.part = verdict.differs ? list[i].part : 0;
    }
    for (size_t i = 0; i < OBLU_FLAGS; i++)
        any[i] = all[2 * count + i] != 0;
    free(all);
    return verdict;
}
