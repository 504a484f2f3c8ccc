/*
 * What every file of this room needs: what the MPI library says, time for it, and who has which
 * rank.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "core/error.h"
#include "transport/mpi/internal.h"

int ob_mpi_error(struct ob_mpi *mpi, int code, const char *format, ...)
{
    char says[OB_MPI_LINE], what[OB_MPI_LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    mpi->module->text(code, says, sizeof says);
    return ob_fail(OB_ESYSTEM, "%s: %s: %s", what, mpi->library, says);
}

/* Eight times what the fastest message would have taken; at first, of a network of 80 MB/s. */
double ob_mpi_patience(const struct ob_mpi *mpi, size_t bytes)
{
    unsigned fastest = atomic_load_explicit(&mpi->fastest, memory_order_relaxed);
    return 50e-6 + 8e-9 * (fastest ? fastest : 12800) * (double)bytes / 1024;
}

void ob_mpi_pause(unsigned *looks)
{
    const struct timespec nap = {0, 50000};
    if (++*looks < 4096)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

/* Where a process sits, -1 when it was not there. */
int ob_mpi_seat(const ob_mpi_meeting *m, int number)
{
    int low = 0, high = m->size;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (m->seat[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->size && m->seat[low].number == number ? low : -1;
}

int ob_mpi_rank(const ob_mpi_meeting *m, int number)
{
    int seat = ob_mpi_seat(m, number);
    return seat < 0 ? -1 : m->seat[seat].rank;
}
