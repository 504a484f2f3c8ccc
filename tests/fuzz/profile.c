/* A machine profile. */
#include "collective/planner/profile.h"
#include "collective/planner/choose.h"
#include "target.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ob_profile p;
    if (ob_profile_parse((const char *)data, size, &p) != OB_OK)
        return 0;
    /* What is read is fit to plan with. */
    for (int size_of = 2; size_of < 40; size_of += 11) {
        const ob_net net = {&p, 1, size_of, 0};
        const ob_query q = {.task = OB_TASK_ALL, .bytes = 1 << 16, .apart = true};
        double time;
        const ob_scheme s = ob_choose(&net, &q, NULL, NULL, &time);
        if (!ob_scheme_fits(&s, OB_TASK_ALL, size_of))
            abort();
    }
    return 0;
}
