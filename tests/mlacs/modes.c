/*
 * What the modes of a send promise: a ready send without a posted receive is an error, a
 * synchronous one ends no sooner than its receive starts, standard and buffered ones never
 * wait; and what becomes of receives whose grid ends.
 */
#include "harness.h"

static grid g;

static void to_oneself(void)
{
    int32_t a = 5, b = 0;
    int flag = 1;
    MLACS_Request r, s;
    ends_with(MLACS_ERR_READY, mlacs_rsend(&a, 1, 1, 1, MLACS_INT, 0, world.me, 1, g.all),
              "mlacs_rsend");
    ends_with(MLACS_ERR_READY, mlacs_irsend(&a, 1, 1, 1, MLACS_INT, 0, world.me, 1, g.all, &r),
              "mlacs_irsend");
    check(r.operation == NULL, "a request of a refused ready send");
    fine(mlacs_irecv(&b, 1, 1, 1, MLACS_INT, 0, world.me, 1, g.all, &r), "mlacs_irecv");
    fine(mlacs_rsend(&a, 1, 1, 1, MLACS_INT, 0, world.me, 1, g.all), "mlacs_rsend");
    fine(mlacs_wait(&r, MLACS_STATUS_IGNORE), "mlacs_wait");
    check(b == 5, "a ready send to oneself");
    fine(mlacs_issend(&a, 1, 1, 1, MLACS_INT, 0, world.me, 2, g.all, &s), "mlacs_issend");
    for (int i = 0; i < 100; i++) {
        fine(mlacs_test(&s, &flag, MLACS_STATUS_IGNORE), "mlacs_test");
        check(flag == 0, "a synchronous send to oneself ended before its receive");
    }
    fine(mlacs_recv(&b, 1, 1, 1, MLACS_INT, 0, world.me, 2, g.all, MLACS_STATUS_IGNORE),
         "mlacs_recv");
    fine(mlacs_wait(&s, MLACS_STATUS_IGNORE), "mlacs_wait");
}

/* Process 1 sends, process 0 has not posted; then it has. */
static void ready(int bytes)
{
    char *a = calloc(1, (size_t)bytes), *b = calloc(1, (size_t)bytes);
    MLACS_Request r;
    MLACS_Status s;
    memset(a, 7, (size_t)bytes);
    if (world.me == 1) {
        fine(mlacs_rsend(a, bytes, bytes, 1, MLACS_BYTE, 0, 0, 3, g.all), "mlacs_rsend");
        fine(mlacs_recv(b, 1, 1, 1, MLACS_BYTE, 0, 0, 4, g.all, &s), "mlacs_recv");
        fine(mlacs_rsend(a, bytes, bytes, 1, MLACS_BYTE, 0, 0, 5, g.all), "mlacs_rsend");
    } else if (world.me == 0) {
        fine(mlacs_probe(0, 1, 3, g.all, &s), "mlacs_probe");
        ends_with(MLACS_ERR_READY, mlacs_recv(b, bytes, bytes, 1, MLACS_BYTE, 0, 1, 3, g.all, &s),
                  "mlacs_recv");
        b[0] = 0;
        fine(mlacs_irecv(b, bytes, bytes, 1, MLACS_BYTE, 0, 1, 5, g.all, &r), "mlacs_irecv");
        fine(mlacs_send(a, 1, 1, 1, MLACS_BYTE, 0, 1, 4, g.all), "mlacs_send");
        fine(mlacs_wait(&r, &s), "mlacs_wait");
        check(b[0] == 7 && b[bytes - 1] == 7 && s.count == bytes, "a ready message");
    }
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    free(a);
    free(b);
}

/* Process 0 begins to receive only after a word of process 1, which watches meanwhile. */
static void synchronous(int bytes)
{
    char *a = calloc(1, (size_t)bytes), word = 1;
    int flag = 1;
    double started, ended;
    MLACS_Request r;
    MLACS_Status *no = MLACS_STATUS_IGNORE;
    if (world.me == 1) {
        fine(mlacs_issend(a, bytes, bytes, 1, MLACS_BYTE, 0, 0, 6, g.all, &r), "mlacs_issend");
        for (int i = 0; i < 20; i++) {
            fine(mlacs_test(&r, &flag, no), "mlacs_test");
            check(flag == 0, "a synchronous send of %d bytes ended before its receive", bytes);
            rest_ms(1);
        }
        fine(mlacs_send(&word, 1, 1, 1, MLACS_BYTE, 0, 0, 7, g.all), "mlacs_send");
        fine(mlacs_wait(&r, no), "mlacs_wait");
        fine(mlacs_ssend(a, bytes, bytes, 1, MLACS_BYTE, 0, 0, 8, g.all), "mlacs_ssend");
        ended = seconds();
        fine(mlacs_recv(&started, 1, 1, 1, MLACS_DOUBLE, 0, 0, 9, g.all, no), "mlacs_recv");
        check(ended >= started, "a synchronous send of %d bytes ended %g s before its receive",
              bytes, started - ended);
    } else if (world.me == 0) {
        fine(mlacs_recv(&word, 1, 1, 1, MLACS_BYTE, 0, 1, 7, g.all, no), "mlacs_recv");
        fine(mlacs_recv(a, bytes, bytes, 1, MLACS_BYTE, 0, 1, 6, g.all, no), "mlacs_recv");
        rest_ms(30);
        started = seconds();
        fine(mlacs_irecv(a, bytes, bytes, 1, MLACS_BYTE, 0, 1, 8, g.all, &r), "mlacs_irecv");
        fine(mlacs_wait(&r, no), "mlacs_wait");
        fine(mlacs_send(&started, 1, 1, 1, MLACS_DOUBLE, 0, 1, 9, g.all), "mlacs_send");
    }
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    free(a);
}

/* Process 0 receives nothing until process 1 has sent all, and then the last first. If a
 * send waited, nobody would go on. */
static void never_waiting(void)
{
    enum { COUNT = 24, SIDE = 256 };
    double *a = malloc(SIDE * SIDE * sizeof *a), word = 0;
    MLACS_Request r;
    if (world.me == 1) {
        for (int k = 0; k < COUNT; k++) {
            for (int i = 0; i < SIDE * SIDE; i++)
                a[i] = k + i;
            if (k % 3 == 0) {
                fine(mlacs_bsend(a, SIDE, SIDE, SIDE, MLACS_DOUBLE, 0, 0, 10 + k, g.all),
                     "mlacs_bsend");
            } else if (k % 3 == 1) {
                fine(mlacs_send(a, SIDE, SIDE, SIDE, MLACS_DOUBLE, 0, 0, 10 + k, g.all),
                     "mlacs_send");
            } else {
                fine(mlacs_ibsend(a, SIDE, SIDE, SIDE, MLACS_DOUBLE, 0, 0, 10 + k, g.all, &r),
                     "mlacs_ibsend");
                fine(mlacs_wait(&r, MLACS_STATUS_IGNORE), "mlacs_wait");
            }
        }
        fine(mlacs_send(&word, 1, 1, 1, MLACS_DOUBLE, 0, 0, 9, g.all), "mlacs_send");
    } else if (world.me == 0) {
        fine(mlacs_recv(&word, 1, 1, 1, MLACS_DOUBLE, 0, 1, 9, g.all, MLACS_STATUS_IGNORE),
             "mlacs_recv");
        for (int k = COUNT - 1; k >= 0; k--) {
            fine(mlacs_recv(a, SIDE, SIDE, SIDE, MLACS_DOUBLE, 0, 1, 10 + k, g.all,
                            MLACS_STATUS_IGNORE),
                 "mlacs_recv");
            int right = 1;
            for (int i = 0; i < SIDE * SIDE; i++)
                right &= a[i] == k + i;
            check(right, "buffered message %d", k);
        }
    }
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    free(a);
}

static void grid_ends(void)
{
    int32_t b = 3;
    MLACS_Request r;
    grid h = make_grid(1, world.count);
    fine(mlacs_irecv(&b, 1, 1, 1, MLACS_INT, 0, 0, 1, h.all, &r), "mlacs_irecv");
    fine(mlacs_barrier(h.all), "mlacs_barrier");
    end_grid(&h);
    ends_with(MLACS_ERR_COMM, mlacs_wait(&r, MLACS_STATUS_IGNORE), "mlacs_wait");
    check(b == 3 && r.operation == NULL, "a receive whose grid ended");
}

int main(void)
{
    begin();
    g = make_grid(1, world.count);
    to_oneself();
    if (world.count > 1) {
        ready(1);
        ready(3000000);
        synchronous(1);
        synchronous(3000000);
        never_waiting();
    }
    grid_ends();
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    end_grid(&g);
    return finish();
}
