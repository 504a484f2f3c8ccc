/*
 * Prints what the planner thinks of every scheme for one operation, a line each:
 * microseconds, then the scheme. One process; for bench/sim/compare.
 *
 *     candidates OPERATION BYTES ROWSxCOLUMNS[:mesh|:torus]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/planner.h"

static void line(const char *words, double microseconds, void *context)
{
    (void)context;
    printf("%.1f %s\n", microseconds, words);
}

int main(int argc, char **argv)
{
    ob_plan_question q = {0};
    MPI_Init(&argc, &argv);
    if (argc != 4 || sscanf(argv[3], "%dx%d", &q.rows, &q.columns) != 2) {
        fprintf(stderr, "usage: candidates OPERATION BYTES ROWSxCOLUMNS[:mesh|:torus]\n");
        exit(2);
    }
    q.bytes = (size_t)strtoull(argv[2], NULL, 10);
    q.links_shared = strstr(argv[3], ":torus") ? 2 : strstr(argv[3], ":mesh") != NULL;
    while (ob_plan_task_name(q.task) && strcmp(argv[1], ob_plan_task_name(q.task)) != 0)
        q.task++;
    if (ob_plan_explain(ob_profile_current(), &q, line, NULL, NULL, 0, NULL) != OB_OK) {
        fprintf(stderr, "candidates: %s\n", ob_error_text());
        exit(1);
    }
    MPI_Finalize();
    return 0;
}
