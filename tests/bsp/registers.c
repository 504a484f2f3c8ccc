/*
 * Registrations of NULL (the report of 1998): who registers NULL takes part with nothing, and may
 * pop NULL without knowing which of its registrations the others take back.
 */
#include "harness.h"

/* 'x' is put to process 0 through a registration; what is there afterwards. */
static char put_to_0(char *registered)
{
    if (world.me == 0) {
        *registered = '-';
        bsp_put(0, "x", registered, 0, 1);
    }
    bsp_sync();
    return world.me == 0 ? *registered : 'x';
}

/* x and y are memory of process 0 alone, and go in the order in which they came. */
static void null_is_popped_in_the_order_of_those_who_know(void)
{
    char x = '-', y = '-', *own[] = {&x, &y};
    for (int order = 0; order < 2; order++) {
        bsp_push_reg(world.me ? NULL : &x, !world.me);
        bsp_push_reg(world.me ? NULL : &y, !world.me);
        bsp_sync();
        bsp_pop_reg(world.me ? NULL : own[order]);
        bsp_sync();
        check(put_to_0(own[!order]) == 'x', "the registration that is left, order %d", order);
        bsp_pop_reg(world.me ? NULL : own[!order]);
        bsp_sync();
    }
    bsp_push_reg(world.me ? NULL : &x, !world.me);
    bsp_push_reg(world.me ? NULL : &y, !world.me);
    bsp_sync();
    bsp_pop_reg(world.me ? NULL : &x);
    bsp_pop_reg(world.me ? NULL : &y);
    bsp_sync();
}

/* Each registration is memory of one process; all are popped at once, in a third order. */
static void every_process_knows_another_one(void)
{
    char mine = '-';
    for (int i = 0; i < world.count; i++)
        bsp_push_reg(world.me == i ? &mine : NULL, world.me == i);
    bsp_push_reg(NULL, 0);
    bsp_sync();
    check(put_to_0(&mine) == 'x', "with %d registrations", world.count + 1);
    for (int i = 0; i < world.count; i++) {
        int k = (i + world.count / 2) % world.count;
        bsp_pop_reg(world.me == k ? &mine : NULL);
    }
    bsp_pop_reg(NULL);
    bsp_sync();
}

/* Where all pop NULL, only what is NULL on all can be meant. */
static void all_pop_null(void)
{
    char x = '-';
    bsp_push_reg(NULL, 0);
    bsp_push_reg(world.me == 0 ? &x : NULL, 1);
    bsp_sync();
    bsp_pop_reg(NULL);
    bsp_sync();
    check(put_to_0(&x) == 'x', "what is not NULL on all stays");
    bsp_push_reg(NULL, 0);
    bsp_pop_reg(NULL);
    bsp_sync();
    check(put_to_0(&x) == 'x', "NULL is pushed and popped in one superstep");
    bsp_push_reg(NULL, 0);
    bsp_pop_reg(world.me == 0 ? &x : NULL);
    bsp_pop_reg(NULL);
    bsp_sync();
}

static void null_has_no_size(void)
{
    bsp_push_reg(NULL, 4);
    bsp_sync();
    bsp_pop_reg(NULL);
    bsp_sync();
    check(1, "bsp_push_reg(NULL, 4)");
}

/* Pushed and popped in one superstep: what others push there is not NULL. */
static void null_in_one_superstep(void)
{
    char x = '-', y = '-';
    bsp_push_reg(world.me ? NULL : &x, 1);
    bsp_push_reg(world.me ? NULL : &y, 1);
    bsp_pop_reg(world.me ? NULL : &x);
    bsp_sync();
    check(put_to_0(&y) == 'x', "y is left");
    bsp_pop_reg(world.me ? NULL : &y);
    bsp_sync();
}

/* As where a process has no part of a vector: it has registered NULL, or nothing. */
static void no_bytes_need_no_registration(void)
{
    char x = '-', y = '-', *names[] = {NULL, &y, &x};
    bsp_push_reg(&x, 1);
    bsp_sync();
    for (int i = 0; i < 3; i++) {
        bsp_put(0, &y, names[i], 10, 0);
        bsp_put(0, NULL, names[i], (size_t)-5, 0);
        bsp_hpput(world.me, &y, names[i], 10, 0);
        bsp_hpput(0, NULL, names[i], (size_t)-5, 0);
        bsp_get(0, names[i], 10, &y, 0);
        bsp_get(0, names[i], (size_t)-5, NULL, 0);
        bsp_hpget(world.me, names[i], 10, &y, 0);
        bsp_hpget(0, names[i], (size_t)-5, NULL, 0);
        bsp_direct_get(0, names[i], 10, &y, 0);
    }
    bsp_pop_reg(&x);
    bsp_sync();
    check(x == '-' && y == '-', "puts and gets of no bytes change nothing");
}

int main(void)
{
    begin(1000);
    for (int round = 0; round < 3; round++) {
        null_is_popped_in_the_order_of_those_who_know();
        every_process_knows_another_one();
        all_pop_null();
        null_has_no_size();
        null_in_one_superstep();
        no_bytes_need_no_registration();
    }
    return finish();
}
