/*
 * A program on the BLACS that sleeps and computes, each five times for 50 ms, between barriers; for
 * the readings of the processor time in its trace. Computing lasts as long in processor time, so on
 * a busy machine too.
 *
 *   trace_naps [awake]      awake: it does not sleep
 */
#include <time.h>

#include <openblacs/blacs.h>
#include <openblacs/core.h>

int main(int argc, char **argv)
{
    static const struct timespec nap = {.tv_nsec = 50 * 1000 * 1000};
    int me, count, context;
    (void)argv;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", 1, count);
    for (int i = 0; i < 5; i++) {
        if (argc < 2)
            nanosleep(&nap, NULL);
        for (double end = ob_cpu_time() + 0.05; ob_cpu_time() < end;)
            ;
        Cblacs_barrier(context, "A");
    }
    Cblacs_exit(0);
    return 0;
}
