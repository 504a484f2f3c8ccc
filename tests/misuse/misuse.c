/*
 * Wrong programs, one for each name: misuse NAME. Run on 2 processes unless a name ends in
 * 3 or 4. `catalogue` says what each must print at each level of OPENBLACS_CHECK. The grid
 * is 1 x processes unless a case makes its own.
 */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "openblacs/blacs_extensions.h"

static int grid, other, me, count;
static double a[64];
static int k[64], where[64];

static int make(int nprow, int npcol)
{
    int context;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", nprow, npcol);
    return context;
}

static void add(const int *n, void *w, const void *v)
{
    for (int i = 0; i < *n; i++)
        ((double *)w)[i] += ((const double *)v)[i];
}

/* For a width of two: the element, and nothing. */
static void begin_two(const int *n, const void *x, void *w)
{
    for (int i = 0; i < *n; i++) {
        ((double *)w)[2 * i] = ((const double *)x)[i];
        ((double *)w)[2 * i + 1] = 0;
    }
}
static void end_two(const int *n, const void *w, void *x)
{
    for (int i = 0; i < *n; i++)
        ((double *)x)[i] = ((const double *)w)[2 * i];
}

/* ------------------------------------------------------------- arguments */

/* clang-format off */
static void bad_m(void) { Cdgesd2d(grid, -1, 2, a, 4, 0, 0); }
void pdwrong_(int context, double *x); /* of a library */
static void from_library(void) { pdwrong_(grid, a); }
static void bad_lda(void) { Cdgesd2d(grid, 4, 2, a, 3, 0, 0); }
static void beyond(void) { Cdgesd2d(grid, INT_MAX, INT_MAX, a, INT_MAX, 0, 0); }
static void bad_uplo(void) { Cdtrsd2d(grid, "X", "N", 2, 2, a, 2, 0, 0); }
static void bad_diag(void) { Cdtrsd2d(grid, "U", "X", 2, 2, a, 2, 0, 0); }
static void bad_null(void) { Cdgesd2d(grid, 2, 2, NULL, 2, 0, 0); }
static void bad_dest(void) { Cdgesd2d(grid, 1, 1, a, 1, 0, count); }
static void bad_source(void) { Cdgerv2d(grid, 1, 1, a, 1, -2, 0); }
static void bad_scope(void) { Cdgsum2d(grid, "X", " ", 1, 1, a, 1, -1, -1); }
static void bad_top(void) { Cdgsum2d(grid, "A", "q", 1, 1, a, 1, -1, -1); }
static void bad_ldia(void) { Cdgamx2d(grid, "A", " ", 3, 2, a, 3, k, where, 2, -1, -1); }
static void own_source(void) { Cdgebr2d(grid, "A", " ", 1, 1, a, 1, 0, me); }
static void unknown_context(void) { Cdgesd2d(77, 1, 1, a, 1, 0, 0); }
static void outside_grid(void) { Cblacs_barrier(me ? make(1, 1) : grid, "A"); }
static void released(void) { Cblacs_gridexit(other); Cdgesd2d(other, 1, 1, a, 1, 0, 0); }
static void exit_twice(void) { Cblacs_gridexit(other); Cblacs_gridexit(other); }
static void after_exit(void) { Cblacs_exit(1); Cdgesd2d(grid, 1, 1, a, 1, 0, 0); }
static void too_many(void) { make(count, 2); }
static void width(void)
{
    Cdtuop2d(grid, "A", " ", "G", "N", 1, 1, a, 1, -1, -1, 17, NULL, add, NULL);
}
static void no_function(void)
{
    Cdtuop2d(grid, "A", " ", "G", "N", 1, 1, a, 1, -1, -1, 1, NULL, NULL, NULL);
}
static void no_end(void)
{
    Cdtuop2d(grid, "A", " ", "G", "N", 1, 1, a, 1, -1, -1, 2, NULL, add, NULL);
}
static void own_uplo(void)
{
    Cdtsum2d(grid, "A", " ", "X", "N", 1, 1, a, 1, -1, -1);
}
static int list_scope(int n, int first, int second)
{
    int scope, rows[2] = {0, 0}, columns[2] = {first, second};
    Cblacs_scope(grid, n, rows, columns, &scope);
    return scope;
}
static void scope_outside(void) { list_scope(2, 0, count); }
static void scope_twice(void) { list_scope(2, 1, 1); }
static void scope_row(void) { Cdgsum2d(list_scope(2, 1, 0), "Row", " ", 1, 1, a, 1, -1, -1); }
static void scope_stranger_3(void)
{
    int s = list_scope(2, 0, 1);
    if (me < 2)
        Cdgsum2d(s, "A", " ", 1, 1, a, 1, 0, 2);
    else
        Cblacs_barrier(grid, "A");
}

/* Process 1 has three messages at its end, of two grids, one of which is gone, too. */
static void never_received(void)
{
    if (me == 0) {
        Cdgesd2d(grid, 2, 2, a, 2, 0, 1);
        Cigesd2d(grid, 1, 1, k, 1, 0, 1);
        Cdgesd2d(other, 1, 1, a, 1, 0, 1);
        Cdgesd2d(other, 1, 1, a + 1, 1, 0, 1);
    }
    Cblacs_barrier(grid, "A");
    if (me == 1)
        Cdgerv2d(other, 1, 1, a, 1, 0, 0);
    Cblacs_gridexit(other);
    Cblacs_barrier(grid, "A");
    Cblacs_exit(0);
    exit(me ? 3 : 0); /* as the others of this catalogue, which end badly */
}

/* ----------------------------------------------------------------- hangs */

static void both_receive(void)
{
    Cdgerv2d(grid, 1, 1, a, 1, 0, 1 - me);
    Cdgesd2d(grid, 1, 1, a, 1, 0, 1 - me);
}
static void ring_3(void)
{
    Cdgerv2d(grid, 1, 1, a, 1, 0, (me + 1) % 3);
}
static void never_sent(void)
{
    if (me == 0)
        Cdgerv2d(grid, 1, 1, a, 1, 0, 1);
    Cblacs_barrier(grid, "A");
}
static void swapped_send_3(void)
{
    if (me == 0)
        Cdgesd2d(grid, 1, 1, a, 1, 0, 2); /* meant for 1 */
    if (me == 1)
        Cdgerv2d(grid, 1, 1, a, 1, 0, 0);
    Cblacs_barrier(grid, "A");
}
static void other_grid(void)
{
    if (me == 0)
        Cdgesd2d(other, 1, 1, a, 1, 0, 1);
    else
        Cdgerv2d(grid, 1, 1, a, 1, 0, 0);
    Cblacs_barrier(grid, "A");
}
static void from_oneself(void)
{
    if (me == 0)
        Cdgerv2d(grid, 1, 1, a, 1, 0, 0);
    Cblacs_barrier(grid, "A");
}
static void one_too_many(void)
{
    for (int i = 0; i < 2 + me; i++)
        if (me == 0)
            Cdgesd2d(grid, 1, 1, a, 1, 0, 1);
        else
            Cdgerv2d(grid, 1, 1, a, 1, 0, 0);
    Cblacs_barrier(grid, "A");
}
static void one_short_3(void) { if (me == 2) pause(); Cdgsum2d(grid, "A", " ", 1, 1, a, 1, -1, -1); }
static void short_broadcast_3(void)
{
    if (me == 0)
        pause();
    Cdgebr2d(grid, "A", " ", 1, 1, a, 1, 0, 0);
}
static void left(void)
{
    if (me == 1) {
        Cblacs_exit(1);
        pause();
    }
    Cdgerv2d(grid, 1, 1, a, 1, 0, 1);
}
static void row_and_all_4(void)
{
    int g = make(2, 2);
    Cdgsum2d(g, me == 0 ? "R" : "A", " ", 1, 1, a, 1, -1, -1);
    Cdgsum2d(g, "A", " ", 1, 1, a, 1, -1, -1);
}
static void crossed_grids(void)
{
    Cblacs_barrier(me ? grid : other, "A");
    Cblacs_barrier(me ? other : grid, "A");
}
static void crossed_scopes_4(void)
{
    int g = make(2, 2);
    Cdgsum2d(g, me == 0 || me == 3 ? "R" : "C", " ", 1, 1, a, 1, -1, -1);
    Cdgsum2d(g, me == 0 || me == 3 ? "C" : "R", " ", 1, 1, a, 1, -1, -1);
}
static void all_wildcards(void) { Cdgerv2d(grid, 1, 1, a, 1, -1, -1); }
static void wildcard_too_many_3(void)
{
    if (me)
        Cdgesd2d(grid, 1, 1, a, 1, 0, 0);
    for (int i = 0; i < 3 && me == 0; i++)
        Cdgerv2d(grid, 1, 1, a, 1, -1, -1);
    Cblacs_barrier(grid, "A");
}
static void barrier_and_receive(void)
{
    if (me == 0)
        Cblacs_barrier(grid, "A");
    else
        Cdgerv2d(grid, 1, 1, a, 1, 0, 0);
}
static void other_list(void)
{
    int s = list_scope(2, me, 1 - me);
    Cblacs_barrier(s, "A");
}
static void half_a_grid_3(void)
{
    if (me == 2)
        Cdgerv2d(grid, 1, 1, a, 1, 0, 0);
    else
        Cblacs_barrier(make(1, 3), "A");
}
static void trapezoid_hang(void) { Cztrrv2d(grid, "U", "N", 2, 2, a, 2, 0, 1 - me); }

/* ---------------------------------------------------------- disagreement */

static void routines(void)
{
    if (me)
        Cdgsum2d(grid, "A", " ", 1, 1, a, 1, -1, -1);
    else
        Cdgebs2d(grid, "A", " ", 1, 1, a, 1);
}
static void topologies(void)
{
    if (me)
        Cdgebr2d(grid, "A", "D", 1, 1, a, 1, 0, 0);
    else
        Cdgebs2d(grid, "A", "I", 1, 1, a, 1);
}
static void sum_sizes(void) { Cdgsum2d(grid, "A", " ", 2 + me, 1, a, 3, -1, -1); }
static void sum_shapes(void) { Cdgsum2d(grid, "A", " ", me ? 2 : 3, me ? 3 : 2, a, 3, -1, -1); }
static void sum_types(void)
{
    if (me)
        Csgsum2d(grid, "A", " ", 2, 1, (float *)a, 2, -1, -1);
    else
        Cdgsum2d(grid, "A", " ", 2, 1, a, 2, -1, -1);
}
static void wrong_root_3(void)
{
    if (me == 0)
        Cdgebs2d(grid, "A", " ", 1, 1, a, 1);
    else
        Cdgebr2d(grid, "A", " ", 1, 1, a, 1, 0, me == 1 ? 0 : 1);
}
static void two_sources(void) { Cdgebs2d(grid, "A", " ", 1, 1, a, 1); }
static void no_source(void) { Cdgebr2d(grid, "A", " ", 1, 1, a, 1, 0, 1 - me); }
static void broadcast_sizes(void)
{
    if (me)
        Cdgebr2d(grid, "A", " ", 3, 2, a, 3, 0, 0);
    else
        Cdgebs2d(grid, "A", " ", 2, 2, a, 2);
}
static void broadcast_types(void)
{
    if (me)
        Cigebr2d(grid, "A", " ", 4, 1, k, 4, 0, 0);
    else
        Cdgebs2d(grid, "A", " ", 2, 1, a, 2);
}
static void largest_smallest(void)
{
    if (me)
        Cdgamx2d(grid, "A", " ", 1, 1, a, 1, k, where, -1, -1, -1);
    else
        Cdgamn2d(grid, "A", " ", 1, 1, a, 1, k, where, -1, -1, -1);
}
static void destinations(void) { Cdgsum2d(grid, "A", " ", 1, 1, a, 1, 0, me); }
static void one_or_all(void) { Cdgsum2d(grid, "A", "I", 1, 1, a, 1, me ? -1 : 0, 0); }
static void locations(void) { Cdgamx2d(grid, "A", " ", 1, 1, a, 1, k, where, me ? -1 : 1, -1, -1); }
static void widths(void)
{
    Cdtuop2d(grid, "A", " ", "G", "N", 2, 1, a, 2, -1, -1, me ? 1 : 2, me ? NULL : begin_two, add,
             me ? NULL : end_two);
}
static void width_for_size(void)
{
    int m = me ? 4 : 2; /* as many numbers */
    Cdtuop2d(grid, "A", " ", "G", "N", m, 1, a, m, -1, -1, me ? 1 : 2, me ? NULL : begin_two, add,
             me ? NULL : end_two);
}
static void branches(void)
{
    Cblacs_set(grid, 14, (int[]){2 + me});
    Cdgsum2d(grid, "A", "T", 1, 1, a, 1, -1, -1);
}
static void rings(void)
{
    Cblacs_set(grid, 11, (int[]){2 + me});
    if (me)
        Cdgebr2d(grid, "A", "M", 1, 1, a, 1, 0, 0);
    else
        Cdgebs2d(grid, "A", "M", 1, 1, a, 1);
}
static void settings(void)
{
    Cblacs_set(grid, 15, (int[]){me ? 0 : 2});
    Cdgsum2d(grid, "A", " ", 1, 1, a, 1, -1, -1);
}
static void trapezoids(void) { Cdtsum2d(grid, "A", " ", me ? "U" : "L", "N", 2, 2, a, 2, -1, -1); }
/* clang-format on */
static void barrier_and_sum(void)
{
    if (me)
        Cblacs_barrier(grid, "A");
    else
        Cdgsum2d(grid, "A", " ", 1, 1, a, 1, -1, -1);
}
static void norm_and_product(void)
{
    if (me)
        Cdtnrm2d(grid, "A", " ", "G", " ", 1, 1, a, 1, -1, -1);
    else
        Cdtprd2d(grid, "A", " ", "G", " ", 1, 1, a, 1, -1, -1);
}
static void swapped_order(void)
{
    for (int i = 0; i < 2; i++)
        if (i == me)
            Cdgsum2d(grid, "A", " ", 1, 1, a, 1, -1, -1);
        else
            Cigsum2d(grid, "A", " ", 1, 1, k, 1, -1, -1);
}
static void message_type(void)
{
    if (me)
        Cigerv2d(grid, 2, 1, k, 2, 0, 0);
    else
        Cdgesd2d(grid, 2, 1, a, 2, 0, 1);
}
static void message_size(void)
{
    if (me)
        Cdgerv2d(grid, 2, 2, a, 2, 0, 0);
    else
        Cdgesd2d(grid, 3, 1, a, 3, 0, 1);
}
static void message_order(void)
{
    if (me) {
        Cigerv2d(grid, 1, 1, k, 1, -1, 0);
        Cdgerv2d(grid, 1, 1, a, 1, -1, 0);
    } else {
        Cdgesd2d(grid, 1, 1, a, 1, 0, 1);
        Cigesd2d(grid, 1, 1, k, 1, 0, 1);
    }
}

/* --------------------------------------------------------------- calls that are put together */

static void together_any(void)
{
    Cblacs_together_begin();
    Cdgerv2d(grid, 1, 1, a, 1, -1, 0);
}
static void together_unbegun(void)
{
    Cblacs_together_begin();
    Cblacs_together_end();
    Cblacs_together_end();
}
static void together_size(void)
{
    Cblacs_together_begin();
    message_size();
    Cblacs_together_end();
}
static void together_unsent(void)
{
    Cblacs_together_begin();
    Cdgerv2d(grid, 1, 1, a, 1, 0, !me);
    Cblacs_together_end();
}

/* --------------------------------------------------------------- calls that are begun */

static void begun_null(void)
{
    Cdgsum2d_begin(grid, "A", " ", 1, 1, a, 1, -1, -1, NULL);
}
static void begun_null_barrier(void)
{
    Cblacs_barrier_begin(grid, "A", NULL);
}
static void begun_null_trapezoid(void)
{
    Citsum2d_begin(grid, "A", " ", "U", "N", 1, 1, k, 1, -1, -1, NULL);
}
static void begun_uplo(void)
{
    int request;
    Cdtmax2d_begin(grid, "A", " ", "X", "N", 1, 1, a, 1, -1, -1, &request);
}
static void begun_own_source(void)
{
    int request;
    Cdtrbr2d_begin(grid, "A", " ", "U", "N", 1, 1, a, 1, 0, me, &request);
}
static void begun_ended_twice(void)
{
    int request, copy;
    Cdgsum2d_begin(other, "C", " ", 1, 1, a, 1, -1, -1, &request);
    copy = request;
    Cblacs_wait(&request);
    Cblacs_wait(&copy);
}
static void *wait_for(void *request)
{
    Cblacs_wait(request);
    return NULL;
}
static void begun_two_enders(void)
{
    pthread_t t;
    int request, copy;
    if (me)
        return;
    Cdgsum2d_begin(other, "A", " ", 1, 1, a, 1, -1, -1, &request);
    copy = request;
    pthread_create(&t, NULL, wait_for, &copy);
    Cblacs_wait(&request); /* whoever comes second is told */
}
static void begun_released(void)
{
    int request[2];
    Cdgsum2d_begin(other, "C", " ", 1, 1, a, 1, -1, -1, &request[0]);
    Cdgamx2d_begin(other, "C", " ", 1, 1, a + 1, 1, NULL, NULL, -1, -1, -1, &request[1]);
    Cblacs_gridexit(other);
}
static void begun_left(void)
{
    int request[2];
    if (me == 0) {
        Cdgsum2d_begin(other, "C", " ", 1, 1, a, 1, -1, -1, &request[0]);
        Cdgamx2d_begin(grid, "C", " ", 1, 1, a + 1, 1, k, where, 1, -1, -1, &request[1]);
    }
    Cblacs_exit(0);
    exit(me ? 0 : 3); /* as the others */
}
static void begun_sizes(void)
{
    int request;
    if (me)
        Cdgebr2d_begin(grid, "A", " ", 2, 2, a, 2, 0, 0, &request);
    else
        Cdgebs2d_begin(grid, "A", " ", 3, 1, a, 3, &request);
    Cblacs_wait(&request);
}
static void begun_types(void)
{
    int request, done = 0;
    if (me)
        Cdgsum2d_begin(grid, "A", " ", 2, 1, a, 2, -1, -1, &request);
    else
        Czgsum2d_begin(grid, "A", " ", 1, 1, a, 1, -1, -1, &request);
    while (!done)
        Cblacs_test(&request, &done);
}
static void begun_other_barrier(void)
{
    int request;
    if (me)
        Cdtsum2d_begin(grid, "A", " ", "G", "N", 1, 1, a, 1, -1, -1, &request);
    else
        Cblacs_barrier_begin(grid, "A", &request);
    Cblacs_wait(&request);
}
static void begun_barrier_alone(void)
{
    int request;
    if (me)
        Cdgerv2d(grid, 1, 1, a, 1, 0, 0);
    Cblacs_barrier_begin(grid, "A", &request);
    Cblacs_wait(&request);
}
static void begun_beside_waiting(void)
{
    int request;
    if (me)
        Cdgsum2d(grid, "A", " ", 1, 1, a, 1, -1, -1);
    else
        Cdgsum2d_begin(grid, "A", " ", 1, 1, a, 1, -1, -1, &request);
    if (me == 0)
        Cblacs_wait(&request);
}
static void begun_alone(void)
{
    int request;
    if (me)
        Cdgerv2d(grid, 1, 1, a, 1, 0, 0);
    Cigsum2d_begin(grid, "A", " ", 1, 1, k, 1, -1, -1, &request);
    Cblacs_waitall(1, &request);
}

/* --------------------------------------------------------------- threads */

static void call_library(const int *n, void *w, const void *v)
{
    add(n, w, v);
    Cblacs_barrier(other, "A");
}
static void calling_function(void)
{
    Cdtuop2d(grid, "A", " ", "G", "N", 1, 1, a, 1, -1, -1, 1, NULL, call_library, NULL);
}
static void after_the_end(void)
{
    Cblacs_exit(0);
    Cblacs_barrier(make(1, count), "A");
}

static atomic_int in_call;
static void stay(const int *n, const void *x, void *w)
{
    memcpy(w, x, (size_t)*n * sizeof a[0]);
    for (in_call = 1;; pause())
        ;
}
static void *stay_in_call(void *unused)
{
    Cdtuop2d(grid, "A", " ", "G", "N", 1, 1, a, 1, -1, -1, 1, stay, add, NULL);
    return unused;
}
static void two_threads(void)
{
    pthread_t t;
    pthread_create(&t, NULL, stay_in_call, NULL);
    while (!in_call)
        usleep(1000);
    Cdgsum2d(grid, "A", " ", 1, 1, a + 1, 1, -1, -1);
}

static const struct {
    const char *name;
    void (*run)(void);
    int by_all; /* else process 0 alone is wrong, and the others wait in a barrier */
} cases[] = {
/* clang-format off */
#define ONE(name) {#name, name, 0}
#define ALL(name) {#name, name, 1}
    ONE(bad_m), ONE(from_library), ONE(bad_lda), ONE(beyond), ONE(bad_uplo), ONE(bad_diag), ONE(bad_null), ONE(bad_dest),
    ONE(bad_source), ONE(bad_scope), ONE(bad_top), ONE(bad_ldia), ONE(own_source),
    ONE(unknown_context), ALL(outside_grid), ONE(released), ONE(exit_twice), ONE(after_exit),
    ONE(too_many), ONE(width), ONE(no_function), ONE(no_end), ONE(own_uplo), ONE(scope_outside),
    ONE(scope_twice), ALL(scope_row), ALL(scope_stranger_3), ALL(never_received), ALL(both_receive), ALL(ring_3),
    ALL(never_sent), ALL(swapped_send_3), ALL(other_grid), ALL(from_oneself), ALL(one_too_many),
    ALL(one_short_3), ALL(short_broadcast_3), ALL(left), ALL(row_and_all_4), ALL(crossed_grids),
    ALL(crossed_scopes_4), ALL(all_wildcards), ALL(barrier_and_receive), ALL(other_list),
    ALL(half_a_grid_3), ALL(trapezoid_hang), ALL(routines), ALL(topologies), ALL(sum_sizes),
    ALL(sum_shapes), ALL(sum_types), ALL(wrong_root_3), ALL(two_sources), ALL(no_source),
    ALL(broadcast_sizes), ALL(broadcast_types), ALL(largest_smallest), ALL(destinations),
    ALL(one_or_all), ALL(locations), ALL(trapezoids), ALL(barrier_and_sum), ALL(norm_and_product),
    ALL(swapped_order), ALL(message_type), ALL(message_size), ALL(message_order), ALL(two_threads), ALL(wildcard_too_many_3),
    ONE(together_any), ONE(together_unbegun), ALL(together_size), ALL(together_unsent),
    ONE(begun_null), ONE(begun_null_barrier), ONE(begun_null_trapezoid), ONE(begun_uplo), ONE(begun_own_source), ONE(begun_ended_twice), ONE(begun_two_enders), ONE(begun_released), ALL(begun_left),
    ALL(begun_sizes), ALL(begun_types), ALL(begun_other_barrier), ALL(begun_beside_waiting),
    ALL(begun_alone), ALL(begun_barrier_alone),
    ALL(widths), ALL(width_for_size), ALL(branches), ALL(rings), ALL(settings),
    ALL(calling_function), ALL(after_the_end)};
/* clang-format on */

int main(int argc, char **argv)
{
    Cblacs_pinfo(&me, &count);
    grid = make(1, count);
    other = make(1, count);
    Cblacs_barrier(grid, "A");
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            if (me == 0 || cases[i].by_all)
                cases[i].run();
            if (!cases[i].by_all)
                Cblacs_barrier(grid, "A");
            Cblacs_exit(0);
            return 0;
        }
    fprintf(stderr, "misuse: there is no case of this name\n");
    return 2;
}
