/*
 * The queues of table.h against a plain list: random additions, removals from
 * anywhere, look-ups, and contexts that end.
 */
#include <string.h>

#include "message/table.h"
#include "unit.h"

enum { ITEMS = 3000 };

static ob_queued item[ITEMS];
static long order[ITEMS]; /* when it was added; 0: it is not in the table */
static long clock_now;

static uint32_t draw(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (uint32_t)(x >> 16);
}

static bool same(const ob_key *a, const ob_key *b)
{
    return a->context == b->context && a->source == b->source && a->tag == b->tag &&
           a->stream == b->stream;
}

/* The longest in the table with this key, found the slow way. */
static ob_queued *oldest(const ob_key *key)
{
    int found = -1;
    for (int i = 0; i < ITEMS; i++)
        if (order[i] && same(&item[i].key, key) && (found < 0 || order[i] < order[found]))
            found = i;
    return found < 0 ? NULL : &item[found];
}

static ob_key some_key(int variety)
{
    return (ob_key){.context = 1 + draw() % 3,
                    .source = (int)(draw() % 3) - 1,
                    .tag = (int)(draw() % (unsigned)variety) - 1,
                    .stream = (uint8_t)(draw() % 2)};
}

static void step(ob_table *t, int variety)
{
    int i = (int)(draw() % ITEMS);
    ob_key key = some_key(variety);
    assert_ptr_equal(ob_table_first(t, &key), oldest(&key));
    if (order[i]) {
        ob_table_remove(t, &item[i]);
        order[i] = 0;
    } else {
        item[i].key = key;
        assert_true(ob_table_add(t, &item[i]));
        order[i] = ++clock_now;
    }
}

static void end_context(ob_table *t, uint64_t context, int stream)
{
    for (ob_queued *n = ob_table_take(t, context, stream), *next; n; n = next) {
        next = n->chain;
        assert_true(order[n - item] > 0);
        assert_true(n->key.context == context && (stream < 0 || n->key.stream == stream));
        order[n - item] = 0;
    }
    for (int i = 0; i < ITEMS; i++)
        if (order[i])
            assert_false(item[i].key.context == context &&
                         (stream < 0 || item[i].key.stream == stream));
}

static void random_steps(int variety)
{
    ob_table t = {0};
    memset(order, 0, sizeof order);
    for (int k = 0; k < 20000; k++) {
        step(&t, variety);
        if (k % 7000 == 6999)
            end_context(&t, 1 + draw() % 3, (int)(draw() % 3) - 1);
    }
    size_t left = 0;
    for (ob_queued *n = ob_table_take_all(&t); n; n = n->chain)
        left++;
    for (int i = 0; i < ITEMS; i++)
        left -= order[i] != 0;
    assert_int_equal(left, 0);
    assert_int_equal(t.queues, 0);
    ob_table_free(&t);
}

static void test_long_queues(void **unused)
{
    random_steps(2);
}

static void test_short_queues(void **unused)
{
    random_steps(5000);
}

static void test_empty(void **unused)
{
    ob_table t = {0};
    ob_key key = {.context = 5};
    assert_null(ob_table_first(&t, &key));
    assert_null(ob_table_take(&t, 5, -1));
    assert_null(ob_table_take_all(&t));
    ob_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_long_queues),
        cmocka_unit_test(test_short_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
