/*
 * A program that is not linked with MPI, started by an MPI launcher: all its
 * processes are one job. Arguments: how many; an MPI library to load where nobody sees
 * it, as a plug-in does. Without it the library brings MPI along.
 */
#include <dlfcn.h>

#include "check.h"

int main(int argc, char **argv)
{
    int expected = argc > 1 ? atoi(argv[1]) : 1, got, token = 77;
    if (argc > 2)
        CHECK(dlopen(argv[2], RTLD_NOW | RTLD_LOCAL));
    join();
    CHECK(count == expected);
    CHECK(ob_job_kind(job) == (count > 1 || argc > 2 ? OB_MPI : OB_ALONE));
    ob_group *all = group_of(0, count, 1);
    send_bytes(all, (me + 1) % count, &token, sizeof token);
    recv_bytes(all, (me + count - 1) % count, &got, sizeof got);
    CHECK(got == token);
    ob_group_free(all);
    CHECK(ob_job_stop(job, 1) == OB_OK);
    if (me == 0)
        printf("passed\n");
    return 0;
}
