/*
 * A program for NX, as one was written for a Paragon: every global operation against what one
 * process makes of all nodes' vectors, and messages to lists of nodes. Its one word of argument
 * names a wrong call instead.
 */
#include <nx.h>
#include <openblacs/core.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 70000 };
static long passed, failed, me, nodes;

static void check(const char *what, long n, int good)
{
    if (good)
        passed++;
    else {
        failed++;
        printf("node %ld: %s of %ld is wrong\n", me, what, n);
    }
}

/* What node k has at i: small, so that products are exact, and with zeros for truth values. */
static long element(long k, long i)
{
    return (k * 7 + i * 3) % 5 - 1;
}

#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))
#define HIGH(a, b) ((a) > (b) ? (a) : (b))
#define LOW(a, b) ((a) < (b) ? (a) : (b))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define LAND(a, b) ((a) && (b))
#define LOR(a, b) ((a) || (b))
#define LXOR(a, b) (!(a) != !(b))

#define TRY(name, T, OP, n, offset)                                                                \
    do {                                                                                           \
        static T x[MOST], work[MOST];                                                              \
        long wrong = 0;                                                                            \
        for (long i = 0; i < (n); i++)                                                             \
            x[i] = (T)(element(me, i) + (offset));                                                 \
        name(x, n, work);                                                                          \
        for (long i = 0; i < (n); i++) {                                                           \
            T all = (T)(element(0, i) + (offset));                                                 \
            for (long k = 1; k < nodes; k++)                                                       \
                all = (T)OP(all, (T)(element(k, i) + (offset)));                                   \
            wrong += nodes > 1 && x[i] != all;                                                     \
        }                                                                                          \
        check(#name, n, wrong == 0);                                                               \
    } while (0)

/* On any number of nodes a truth value is 0 or 1 afterwards. */
static void truth(void)
{
    long x[3] = {17, 0, -2}, y[3] = {17, 0, -2}, work[3];
    gland(x, 3, work);
    glor(y, 3, work);
    check("truth values", 3,
          x[0] == 1 && x[1] == 0 && x[2] == 1 && y[0] == 1 && y[1] == 0 && y[2] == 1);
}

static void combines(long n)
{
    long wide = (long)1 << 40; /* more than 32 bits */
    TRY(gdsum, double, SUM, n, 0);
    TRY(gdprod, double, PROD, n, 0);
    TRY(gdhigh, double, HIGH, n, 0);
    TRY(gdlow, double, LOW, n, 0);
    TRY(gssum, float, SUM, n, 0);
    TRY(gsprod, float, PROD, n, 0);
    TRY(gshigh, float, HIGH, n, 0);
    TRY(gslow, float, LOW, n, 0);
    TRY(gisum, long, SUM, n, wide);
    TRY(giprod, long, PROD, n, 0);
    TRY(gihigh, long, HIGH, n, wide);
    TRY(gilow, long, LOW, n, -wide);
    TRY(giand, long, AND, n, wide);
    TRY(gior, long, OR, n, wide);
    TRY(gixor, long, XOR, n, wide);
    TRY(gland, long, LAND, n, 0);
    TRY(glor, long, LOR, n, 0);
    TRY(glxor, long, LXOR, n, 0);
}

/* Pairs (value, node): the larger value, of equal ones the lower node. */
static long larger(double *x, double *work)
{
    for (int i = 0; i < 1500; i++)
        if (work[2 * i] > x[2 * i] || (work[2 * i] == x[2 * i] && work[2 * i + 1] < x[2 * i + 1]))
            memcpy(x + 2 * i, work + 2 * i, 2 * sizeof *x);
    return 0;
}

static void own_function(void)
{
    static double x[3000], work[3000];
    long wrong = 0;
    for (int i = 0; i < 1500; i++) {
        x[2 * i] = (double)element(me, i);
        x[2 * i + 1] = (double)me;
    }
    gopf((char *)x, sizeof x, (char *)work, larger);
    for (int i = 0; i < 1500; i++) {
        long best = 0;
        for (long k = 1; k < nodes; k++)
            best = element(k, i) > element(best, i) ? k : best;
        wrong += x[2 * i] != (double)element(best, i) || x[2 * i + 1] != (double)best;
    }
    check("gopf", 3000, wrong == 0);
}

static void collects(void)
{
    long mine = me % 3 * 5 + 1, got = -1, all = 0, wrong = 0, lens[64];
    char x[16], y[64 * 16], z[64 * 16];
    for (long k = 0; k < nodes; k++)
        all += lens[k] = k % 3 * 5 + 1;
    memset(x, 'a' + (int)me, sizeof x);
    gcol(x, mine, y, sizeof y, &got);
    gcolx(x, lens, z);
    for (long k = 0, at = 0; k < nodes; at += lens[k++])
        for (long i = 0; i < lens[k]; i++)
            wrong += y[at + i] != 'a' + k || z[at + i] != 'a' + k;
    check("gcol and gcolx", all, wrong == 0 && got == all);
    /* Integers of 32 bits, behind each something else. */
    int length[2] = {(int)mine, -1}, room[2] = {sizeof y, -1}, sum[2] = {-1, 4711}, lengths[65];
    memset(lengths, -1, sizeof lengths);
    for (long k = 0; k < nodes; k++)
        lengths[k] = (int)lens[k];
    memset(y, 0, sizeof y);
    gcol_(x, length, y, room, sum);
    wrong += memcmp(y, z, (size_t)all) != 0 || sum[1] != 4711;
    memset(y, 0, sizeof y);
    gcolx_(x, lengths, y);
    wrong += memcmp(y, z, (size_t)all) != 0;
    check("gcol_ and gcolx_", all, wrong == 0 && sum[0] == all);
}

/* Node 0 to the odd ones, then everybody to all others, by types. */
static void messages(void)
{
    long list[64], count = 0, value = -1, sum = 0;
    for (long k = 1; k < nodes; k += 2)
        list[count++] = k;
    value = 4711;
    if (me == 0)
        gsendx(7, &value, sizeof value, list, count);
    value = 0;
    if (me % 2) {
        crecv(7, &value, sizeof value);
        check("gsendx", count,
              value == 4711 && infocount() == sizeof value && infonode() == 0 && infotype() == 7);
    }
    gsync();
    value = 100 + me;
    csend(100 + me, &value, sizeof value, -1, 0);
    for (long k = nodes - 1; k >= 0; k--)
        if (k != me) {
            char room[64];
            crecv(100 + k, room, sizeof room);
            memcpy(&value, room, sizeof value);
            sum += value == 100 + k && infonode() == k && infocount() == sizeof value;
        }
    check("csend to all", nodes, sum == nodes - 1);
    value = me;
    csend(3, &value, sizeof value, (me + 1) % nodes, mypid());
    crecv(-1, &value, sizeof value);
    check("any type", 1, value == (me + nodes - 1) % nodes && infotype() == 3 && infopid() == 0);
}

void icc_scatter_(const void *x, const int *len, void *y, const int *root);

/* For a trace: one of each kind, as Fortran calls them. */
static void by_fortran(void)
{
    double x[4] = {0}, y[8];
    int got, lens[2] = {8, 8}, one = 1, eight = 8, most = sizeof y, zero = 0;
    gcol_(x, &eight, y, &most, &got);
    gcolx_(x, lens, y);
    gdsum_(x, &one, y);
    icc_scatter_(x, &eight, y, &zero);
    gsync_();
    csend_(&one, x, &eight, &(int){-1}, &zero);
    crecv_(&one, y, &eight);
}

__attribute__((noinline, visibility("default"))) int wrong_call(const char *which)
{
    double x[4] = {0};
    long list[1] = {99}, integers[4] = {0}, got;
#define WHEN(name, call)                                                                           \
    if (strcmp(which, name) == 0)                                                                  \
        call;
    WHEN("length", gdsum(x, -1, x))
    WHEN("fortran", gssum_((float *)x, &(int){-1}, (float *)x))
    WHEN("integers", gisum(integers, -3, integers))
    WHEN("null", gihigh(NULL, 4, NULL))
    WHEN("work", gopf((char *)x, 8, NULL, larger))
    WHEN("function", gopf((char *)x, 8, (char *)x, NULL))
    WHEN("room", gcol(x, 8, x, 7, &got))
    WHEN("room_", gcol_(x, &(int){8}, x, &(int){7}, &(int){0}))
    WHEN("pieces", gcolx(x, (long[]){8, -8}, x))
    WHEN("pieces_", gcolx_(NULL, (int[]){8, 8}, x))
    WHEN("type", csend(-5, x, 8, 0, 0))
    WHEN("node", csend(5, x, 8, 77, 0))
    WHEN("list", gsendx(5, x, 8, list, 1))
    WHEN("count", gsendx(5, x, 8, list, -1))
    WHEN("long", (csend(5, x, 32, mynode(), 0), crecv(5, x, 8)))
    WHEN("receive", crecv(-2, x, 8))
    WHEN("join gdsum", gdsum(x, 4, x))
    WHEN("join gcol", gcol(x, 8, x, 8, &got))
    WHEN("join gcolx", gcolx(x, (long[]){8}, x))
    WHEN("together", (ob_together_begin(), crecv(5, x, 8)))
    WHEN("together_", (ob_together_begin(), crecv_(&(int){5}, x, &(int){8})))
    WHEN("together gopf", (ob_together_begin(), gopf((char *)x, 8, (char *)list, larger)))
    WHEN("names", by_fortran())
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return wrong_call(argv[1]);
    me = mynode();
    nodes = numnodes();
    double start = dclock();
    truth();
    combines(0);
    combines(1);
    combines(1000);
    combines(MOST);
    own_function();
    collects();
    messages();
    check("dclock", 1, dclock() >= start);
    gsync();
    gisum(&passed, 1, &me);
    gisum(&failed, 1, &me);
    if (me == 0 || failed)
        printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
