/*
 * Matrices of more than 2^31 elements in one call, with 64-bit integers, between two processes and
 * to all of them. Most of each array is one piece of memory, mapped again and again; the places
 * where a size cut to 32 bits would end or begin have memory of their own, and are compared. So the
 * messages are whole, and the memory is small.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

/* A chunk is what is mapped as a whole. */
enum { CHUNK = 1 << 24 };

typedef struct array {
    char *base;
    size_t bytes;
} array;

/* Own memory: the first and last chunk, and those around 2^31 and 2^32 bytes and elements. */
static int is_own(size_t chunk, size_t chunks, size_t unit)
{
    const size_t limit = (size_t)1 << 31;
    const size_t places[] = {0, limit, 2 * limit, limit * unit, 2 * limit * unit, chunks * CHUNK};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t at = places[i] / CHUNK;
        if (chunk == at || chunk + 1 == at)
            return 1;
    }
    return 0;
}

static array open_array(size_t count, size_t unit)
{
    size_t chunks = (count * unit + CHUNK - 1) / CHUNK;
    array a = {.bytes = chunks * CHUNK};
    int same = memfd_create("openblacs-test", MFD_CLOEXEC);
    a.base = mmap(NULL, a.bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int good = same >= 0 && ftruncate(same, CHUNK) == 0 && a.base != MAP_FAILED;
    for (size_t c = 0; good && c < chunks; c++)
        if (!is_own(c, chunks, unit))
            good = mmap(a.base + c * CHUNK, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                        same, 0) != MAP_FAILED;
    if (!good) {
        perror("addresses for a large array");
        exit(1);
    }
    close(same);
    return a;
}

static void close_array(array *a)
{
    munmap(a->base, a->bytes);
}

/* Element k of process p: whole numbers whose sums are exact. */
static double value(size_t k, int64_t p)
{
    return (double)((k * UINT64_C(0x9e3779b97f4a7c15) >> 50) + (uint64_t)p);
}

static void put(char *at, size_t unit, double x)
{
    if (unit == sizeof(float))
        *(float *)at = (float)x;
    else
        *(int64_t *)at = (int64_t)x;
}

static double get(const char *at, size_t unit)
{
    return unit == sizeof(float) ? *(const float *)at : (double)*(const int64_t *)at;
}

/* Writes elements 0 to count - 1 that have memory of their own; or counts those that are not
 * `times` the element of process p, plus `more`. */
static size_t walk(const array *a, size_t count, size_t unit, int64_t p, int write, double times,
                   double more)
{
    size_t bad = 0, chunks = a->bytes / CHUNK;
    for (size_t c = 0; c < chunks; c++) {
        if (!is_own(c, chunks, unit))
            continue;
        for (size_t k = c * (CHUNK / unit); k < (c + 1) * (CHUNK / unit) && k < count; k++) {
            if (write)
                put(a->base + k * unit, unit, value(k, p));
            else
                bad += get(a->base + k * unit, unit) != times * value(k, p) + more;
        }
    }
    return bad;
}

static int64_t context, me, processes;

/* From process 0 to process 1. */
static void messages(size_t unit, int64_t m, int64_t n)
{
    size_t count = (size_t)(m * n), bad;
    array a = open_array(count, unit);
    if (me == 0) {
        walk(&a, count, unit, 5, 1, 0, 0);
        if (unit == sizeof(float))
            Csgesd2d64_(context, m, n, (float *)a.base, m, 0, 1);
        else
            Cigesd2d64_(context, m, n, (int64_t *)a.base, m, 0, 1);
    } else if (me == 1) {
        if (unit == sizeof(float))
            Csgerv2d64_(context, m, n, (float *)a.base, m, 0, 0);
        else
            Cigerv2d64_(context, m, n, (int64_t *)a.base, m, 0, 0);
        bad = walk(&a, count, unit, 5, 0, 1, 0);
        check(bad == 0, "%lld x %lld elements of %zu bytes: %zu arrived wrong", (long long)m,
              (long long)n, unit, bad);
    }
    close_array(&a);
}

static void broadcast(int64_t m, int64_t n)
{
    size_t count = (size_t)(m * n), bad;
    array a = open_array(count, sizeof(float));
    if (me == processes - 1) {
        walk(&a, count, sizeof(float), 9, 1, 0, 0);
        Csgebs2d64_(context, "All", " ", m, n, (float *)a.base, m);
    } else {
        Csgebr2d64_(context, "All", " ", m, n, (float *)a.base, m, 0, processes - 1);
    }
    bad = walk(&a, count, sizeof(float), 9, 0, 1, 0);
    check(bad == 0, "a broadcast of %lld x %lld: %zu wrong", (long long)m, (long long)n, bad);
    close_array(&a);
}

static void sum(int64_t m, int64_t n)
{
    size_t count = (size_t)(m * n), bad;
    array a = open_array(count, sizeof(float));
    walk(&a, count, sizeof(float), me, 1, 0, 0);
    Csgsum2d64_(context, "All", " ", m, n, (float *)a.base, m, -1, -1);
    bad = walk(&a, count, sizeof(float), 0, 0, (double)processes,
               (double)(processes * (processes - 1) / 2));
    check(bad == 0, "a sum of %lld x %lld: %zu wrong", (long long)m, (long long)n, bad);
    close_array(&a);
}

/* Another number of elements, larger by 2^32, is told. Ends the job. */
static int wrong_size(int64_t m)
{
    array a = open_array((size_t)m, sizeof(float));
    if (me == 0)
        Csgesd2d64_(context, m, 1, (float *)a.base, m, 0, 1);
    else if (me == 1)
        Csgerv2d64_(context, m - ((int64_t)1 << 32), 1, (float *)a.base, m, 0, 0);
    Cblacs_barrier64_(context, "All");
    return 0;
}

int main(int argc, char **argv)
{
    const int64_t beyond = ((int64_t)1 << 31) + 123457;
    begin();
    Cblacs_pinfo64_(&me, &processes);
    Cblacs_get64_(-1, 0, &context);
    Cblacs_gridinit64_(&context, "Row", 1, processes);
    if (argc > 1)
        return wrong_size(atoll(argv[1]));
    messages(sizeof(float), beyond, 1);
    messages(sizeof(float), 46349, 46347);
    messages(sizeof(int64_t), beyond, 1);
    broadcast(beyond, 1);
    broadcast(3, 715827883);
    sum(beyond, 1);
    sum(46349, 46347);
    Cblacs_gridexit64_(context);
    return finish();
}
