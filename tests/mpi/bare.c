/*
 * A program that is not linked with MPI, started by an MPI launcher: all its
 * processes are one job. Arguments: how many; an MPI library to load where nobody sees
 * it, as a plug-in does, without it the library brings MPI along; "init": the plug-in
 * initializes and finalizes that MPI.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"

typedef int mpi_init(int *argc, char ***argv);
typedef int mpi_finalize(void);

int main(int argc, char **argv)
{
    int expected = argc > 1 ? atoi(argv[1]) : 1, got, token = 77;
    bool plugin = argc > 3 && strcmp(argv[3], "init") == 0;
    void *library = NULL;
    if (argc > 2) {
        library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
        CHECK(library);
    }
    if (plugin)
        CHECK(((mpi_init *)dlsym(library, "MPI_Init"))(NULL, NULL) == 0);
    join();
    CHECK(count == expected);
    CHECK(ob_job_kind(job) == (count > 1 || argc > 2 ? OB_MPI : OB_ALONE));
    ob_group *all = group_of(0, count, 1);
    send_bytes(all, (me + 1) % count, &token, sizeof token);
    recv_bytes(all, (me + count - 1) % count, &got, sizeof got);
    CHECK(got == token);
    ob_group_free(all);
    CHECK(ob_job_stop(job, !plugin) == OB_OK);
    /* The job's messages went through the plug-in's MPI, and no other one that a module brought
     * along. */
    if (plugin) {
        CHECK(((mpi_finalize *)dlsym(library, "MPI_Finalize"))() == 0);
        CHECK(ob_job_start(&job) != OB_OK);
        CHECK(strstr(ob_error_text(), "MPI has been finalized"));
    }
    if (me == 0)
        fputs("passed\n", stdout);
    return 0;
}
