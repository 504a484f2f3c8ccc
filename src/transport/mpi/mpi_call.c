/*
 * What every file of this room needs: what the MPI library says, time for it, and who has which
 * rank.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "core/error.h"
#include "hooks/system.h"
#include "transport/mpi/internal.h"

_Thread_local bool ob_mpi_makes;

int ob_system_makes(void)
{
    return ob_mpi_makes;
}

int ob_mpi_error(struct ob_mpi *mpi, int code, const char *format, ...)
{
    char says[OB_MPI_LINE], what[OB_MPI_LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    mpi->module->text(code, says, sizeof says);
    return ob_fail(OB_ESYSTEM, "OB-3008 %s: %s says: %s", what, mpi->library, says);
}

/* Paces are nanoseconds for 1 KiB, one for each power of two from 64 KiB to a piece. At first, and
 * at most, that of a network of 80 MB/s. */
enum { SLOWEST = 12800, SHORTEST = 64 << 10, PIECE = SHORTEST << (OB_MPI_PACES - 1) };

static int pace_of(size_t bytes)
{
    int class = 0;
    while (class < OB_MPI_PACES - 1 && bytes >= (size_t)SHORTEST << (class + 1))
        class ++;
    return class;
}

static unsigned pace_now(const struct ob_mpi *mpi, int class)
{
    unsigned pace = atomic_load_explicit(&mpi->pace[class], memory_order_relaxed);
    return pace ? pace : SLOWEST;
}

double ob_mpi_patience(const struct ob_mpi *mpi, size_t bytes)
{
    double piece = bytes < PIECE ? (double)bytes : PIECE;
    return 50e-6 + 8e-9 * pace_now(mpi, pace_of(bytes)) * piece / 1024;
}

void ob_mpi_learn(struct ob_mpi *mpi, size_t bytes, double seconds)
{
    int class = pace_of(bytes);
    double now = seconds * 1e9 * 1024 / (double)bytes;
    double next = (3.0 * pace_now(mpi, class) + (now < SLOWEST ? now : SLOWEST)) / 4;
    atomic_store_explicit(&mpi->pace[class], (unsigned)next + 1, memory_order_relaxed);
}

void ob_mpi_learn_more_patience(struct ob_mpi *mpi, size_t bytes)
{
    int class = pace_of(bytes);
    unsigned next = 2 * pace_now(mpi, class);
    atomic_store_explicit(&mpi->pace[class], next < SLOWEST ? next : SLOWEST, memory_order_relaxed);
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
