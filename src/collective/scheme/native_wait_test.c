/*
 * Collective calls of a transport's own, with a transport that has them in memory: all members say
 * the same of how a call waits, whoever of them lacks a processor, and say so anew for each call.
 */
#include "collective/scheme/native.h"

#include "collective/members_test.h"

enum { LENGTH = 5 };

struct ob_circle {
    bool told, crowded;
    int calls;
};

static bool allowed(ob_job *job)
{
    (void)job;
    return true;
}

static ob_circle *take(ob_job *job, const int *numbers, int size, uint64_t *number)
{
    (void)job;
    (void)numbers;
    (void)size;
    (void)number;
    return NULL;
}

static int make(ob_job *job, const int *numbers, int size, uint64_t number, ob_circle **circle)
{
    (void)job;
    (void)numbers;
    (void)size;
    (void)number;
    *circle = calloc(1, sizeof **circle);
    return OB_OK;
}

static void leave(ob_circle *circle)
{
    free(circle);
}

static void wait_as(ob_circle *circle, bool crowded)
{
    circle->told = true;
    circle->crowded = crowded;
}

static int broadcast(ob_circle *circle, int root, void *data, size_t bytes)
{
    (void)root;
    (void)data;
    (void)bytes;
    circle->calls++;
    return OB_OK;
}

static int combine(ob_circle *circle, int root, const ob_native_op *op, void *data, size_t count)
{
    (void)root;
    (void)op;
    (void)data;
    (void)count;
    circle->calls++;
    return OB_OK;
}

static const ob_native in_memory = {.allowed = allowed,
                                    .take = take,
                                    .make = make,
                                    .leave = leave,
                                    .wait_as = wait_as,
                                    .broadcast = broadcast,
                                    .combine = combine};

/* One of each kind, which makes so many of the transport's calls. */
static int one_call(ob_group *group, int kind)
{
    double x[LENGTH] = {0};
    const ob_view v = ob_view_vector(x, LENGTH, OB_DOUBLE);
    if (kind == 0)
        OK(ob_native_broadcast(group, 0, &v));
    else
        OK(ob_native_combine(group, kind == 1 ? 0 : OB_ANY, OB_SUM, NULL, &v, NULL, 0, false,
                             kind == 2));
    return kind == 2 ? 2 : 1;
}

/* crowd -1: nobody lacks a processor; group->size: all do. */
static void each_crowd(ob_group *group, void *unused)
{
    ob_transport *with_calls = malloc((size_t)group->size * sizeof *with_calls);
    const ob_transport **was = malloc((size_t)group->size * sizeof *was);
    bool there;
    (void)unused;
    for (int i = 0; i < group->size; i++) {
        was[i] = group->peer[i]->transport;
        with_calls[i] = *was[i];
        with_calls[i].native = &in_memory;
        group->peer[i]->transport = &with_calls[i];
    }
    group->one_node = false;
    OK(ob_native_there(group, &there));
    TEAM_CHECK(there, "no calls");
    ob_circle *circle = group->natives->circle;
    for (int crowd = -1; crowd <= group->size; crowd++)
        for (int kind = 0; kind < 3; kind++) {
            bool mine = crowd == group->me || crowd == group->size;
            group->job->neighbours = group->job->processors + mine;
            *circle = (ob_circle){.told = false, .crowded = crowd < 0};
            int calls = one_call(group, kind);
            TEAM_CHECK(circle->told && circle->calls == calls, "%d calls", circle->calls);
            TEAM_CHECK(circle->crowded == (crowd >= 0), "crowd %d, call %d", crowd, kind);
        }
    leave(circle);
    group->natives->circle = NULL;
    group->one_node = true;
    for (int i = 0; i < group->size; i++)
        group->peer[i]->transport = was[i];
    free(was);
    free(with_calls);
}

static void members_agree_on_how_a_call_waits(void **state)
{
    (void)state;
    for (int size = 2; size <= 7; size++)
        run_members(size, each_crowd, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_agree_on_how_a_call_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
