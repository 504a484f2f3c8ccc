/* OPENBLACS_PLAN: what names a scheme that fits is printed as it is read. */
#include "collective/planner/memory.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[100], words[OB_SCHEME_TEXT];
    char *text = fuzz_text(data, size);
    for (int task = 0; task < OB_TASK_BARRIER; task++)
        for (int of = 1; of <= 64; of *= 4) {
            ob_scheme s, again;
            int found = ob_plan_setting(text, (ob_task)task, of, &s);
            if (found >= 0)
                ob_plan_misfit(text, (ob_task)task, of, line, sizeof line);
            if (found != 1)
                continue;
            ob_scheme_print(&s, words);
            if (!ob_scheme_parse(words, &again) || !ob_scheme_fits(&again, (ob_task)task, of))
                abort();
        }
    free(text);
    return 0;
}
