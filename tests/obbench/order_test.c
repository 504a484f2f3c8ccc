/*
 * The order of measuring: what is predicted and what it is predicted from take turns, round
 * after round, so that a machine that changes its speed changes it for both. The
 * samples are stand-ins that write down who was called.
 */
#include <stdlib.h>
#include <string.h>

#include "obbench/measure.h"
#include "unit.h"

static char order[256];
static int opened, last_done, last_total;

static void note(obb_bench *b, const obb_point *p, char letter, obb_times *t)
{
    size_t used = strlen(order);
    assert_int_equal(opened, 1);
    assert_int_equal(b->me, 0);
    assert_true(used + 1 < sizeof order);
    order[used] = p->record.bytes == 8 ? letter : (char)(letter - 'a' + 'A');
    *t = (obb_times){.root = 1, .min = 1, .max = 1, .mean = 1};
}

void obb_sample_pair(obb_bench *b, obb_point *p, obb_times *t)
{
    note(b, p, 'c', t);
}

void obb_sample_local(obb_bench *b, obb_point *p, obb_times *t)
{
    note(b, p, p->record.what == OBB_TM ? 'm' : 'o', t);
}

void obb_sample_collective(obb_bench *b, obb_point *p, obb_times *t)
{
    note(b, p, p->record.what == OBB_BROADCAST ? 'b' : 'r', t);
}

void obb_must(obb_bench *b, int status)
{
    (void)b;
    assert_int_equal(status, 0);
}

static int face_open(int color, int number)
{
    (void)color, (void)number;
    opened++;
    return 0;
}

static void face_close(void)
{
    opened--;
}

const obb_face *obb_core_face(ob_job *job, const int *members, int count)
{
    static const obb_face face = {.name = "openblacs", .open = face_open, .close = face_close};
    (void)job;
    assert_int_equal(count, 1);
    assert_int_equal(members[0], 0);
    return &face;
}

const obb_face *obb_plain_face(int say)
{
    (void)say;
    return NULL;
}

static void progress(int done, int total)
{
    assert_int_equal(done, last_done + 1);
    last_done = done;
    last_total = total;
}

static void measure(obb_options *o, obb_records *records)
{
    static const int everybody[] = {0};
    obb_bench b = {.options = o, .count = 1, .progress = progress, .records = records};
    /* Of these, two are of whole elements and different. */
    o->lengths[0] = 8;
    o->lengths[1] = 64;
    o->lengths[2] = 15;
    o->lengths[3] = 64;
    o->length_count = 4;
    o->scope = 'a';
    o->type = OB_DOUBLE;
    o->modes = OBB_SINGLE;
    memset(order, 0, sizeof order);
    last_done = last_total = 0;
    assert_int_equal(ob_job_start(&b.job), OB_OK);
    assert_int_equal(ob_group_create(b.job, everybody, 1, &b.all), OB_OK);
    obb_measure(&b);
    ob_group_free(b.all);
    assert_int_equal(ob_job_stop(b.job, 1), OB_OK);
    assert_int_equal(opened, 0);
    assert_int_equal(last_done, last_total);
}

static void test_rounds_take_turns(void **state)
{
    obb_options o = {.tops = "i", .tops_given = true, .rounds = 3, .every = 2, .again = 2};
    obb_records r = {0};
    o.asked[OBB_TM] = o.asked[OBB_TO] = o.asked[OBB_BROADCAST] = true;
    measure(&o, &r);
    /* Three rounds of all, then two of the first length alone. */
    assert_string_equal(order, "moMObB"
                               "moMObB"
                               "moMObB"
                               "mob"
                               "mob");
    /* The list is in the order of the kinds all the same. */
    assert_int_equal(r.count, 6);
    assert_int_equal(r.at[0].what, OBB_TM);
    assert_int_equal(r.at[2].what, OBB_TO);
    assert_int_equal(r.at[5].what, OBB_BROADCAST);
    free(r.at);
}

/* T_c takes two processes: one alone passes it by, and its progress still reaches the end. */
static void test_alone(void **state)
{
    obb_options o = {.rounds = 2};
    obb_records r = {0};
    o.every = 1;
    o.asked[OBB_TC] = o.asked[OBB_TM] = true;
    measure(&o, &r);
    assert_string_equal(order, "mMmM");
    free(r.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds_take_turns),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
