/*
 * How a job ends through the library. job abort CODE: process 1 aborts, the
 * others wait for a message. job gone: process 1 ends without sending what
 * process 0 waits for. job wait: each waits for what the next one never sends.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openblacs/core.h"

static int wait_for(ob_group *group, int source)
{
    double value = 0;
    ob_view view = {.base = &value, .m = 1, .n = 1, .ld = 1, .type = OB_DOUBLE};
    return ob_recv(group, source, 0, &view, NULL);
}

int main(int argc, char **argv)
{
    ob_job *job;
    ob_group *group;
    if (argc < 2 || ob_job_start(&job) != OB_OK)
        return 90;
    int count = ob_job_count(job), me = ob_job_number(job);
    int numbers[64];
    for (int i = 0; i < count && i < 64; i++)
        numbers[i] = i;
    if (ob_group_create(job, numbers, count, &group) != OB_OK)
        return 91;
    if (me == 1 && strcmp(argv[1], "abort") == 0)
        ob_job_abort(job, argc > 2 ? atoi(argv[2]) : 1);
    bool wait = strcmp(argv[1], "wait") == 0;
    if (me == 1 && !wait)
        return 0;
    if (me == 0 || wait || strcmp(argv[1], "abort") == 0) {
        int status = wait_for(group, wait ? (me + 1) % count : 1);
        printf("%d: %d %s\n", me, status, ob_error_text());
        return status == OB_EGONE && strcmp(argv[1], "gone") == 0 ? 0 : 92;
    }
    return 0;
}
