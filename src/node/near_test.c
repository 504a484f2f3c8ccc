/*
 * Places and boards on machines that are not here: each is a folder of the files that Linux would
 * have, made for the test.
 */
#include "node/near.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "openblacs/core.h"
#include "unit.h"

enum { MOST = 128 };

static char folder[] = "/tmp/openblacs-near-XXXXXX";

static void make_folder(int p, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/cpu%d%s", folder, p, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void put(int p, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/cpu%d/%s", folder, p, file);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "%s\n", text);
    fclose(out);
}

static void list(char *text, int from, int count, int also)
{
    int n = count > 1 ? sprintf(text, "%d-%d", from, from + count - 1) : sprintf(text, "%d", from);
    if (also >= 0)
        sprintf(text + n, count > 1 ? ",%d-%d" : ",%d", also, also + count - 1);
}

typedef struct machine {
    int cores, package, cache; /* in all; to a package; that share the last cache, 0: none does */
    int level;                 /* of that cache */
    bool threads;              /* two to a core: core c is processors c and cores + c */
} machine;

static machine here;
static bool made[256];

/* The files of processor p. Every core has a cache of its own below the one that is shared. */
static void make(int p)
{
    const machine *m = &here;
    char text[64];
    int c = p % m->cores, also = m->threads ? m->cores : -1 - m->cores;
    int first = c / m->package * m->package, shared = m->cache ? c / m->cache * m->cache : 0;
    make_folder(p, "");
    make_folder(p, "/topology");
    make_folder(p, "/cache");
    make_folder(p, "/cache/index0");
    list(text, first, m->package, first + also);
    put(p, "topology/core_siblings_list", text);
    list(text, c, 1, c + also);
    put(p, "topology/thread_siblings_list", text);
    put(p, "cache/index0/level", "1");
    put(p, "cache/index0/shared_cpu_list", text);
    if (m->cache == 0)
        return;
    make_folder(p, "/cache/index1");
    list(text, shared, m->cache, shared + also);
    put(p, "cache/index1/level", m->level == 2 ? "2" : "3");
    put(p, "cache/index1/shared_cpu_list", text);
    /* The levels need not rise. */
    make_folder(p, "/cache/index2");
    list(text, c, 1, c + also);
    put(p, "cache/index2/level", "1");
    put(p, "cache/index2/shared_cpu_list", text);
}

static void open_machine(machine m)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    here = m;
    memset(made, 0, sizeof made);
}

static void close_machine(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static uint64_t place(int from, int count)
{
    int p[256];
    for (int i = 0; i < count; i++)
        p[i] = from + i;
    if (count && here.cores && !made[from]) /* the first one's are looked at */
        make(from);
    made[from] = true;
    return ob_near_place(folder, p, count);
}

static int order[MOST], board[MOST];

/* Process i has processor at[i]; returns how many boards. */
static int boards_of(const int *at, int n)
{
    uint64_t places[MOST];
    int seen[MOST] = {0}, members[MOST] = {0};
    for (int i = 0; i < n; i++)
        places[i] = place(at[i], 1);
    int boards = ob_near_boards(places, n, 8, order, board);
    for (int i = 0; i < n; i++) {
        assert_int_equal(seen[order[i]]++, 0);
        assert_in_range(board[i], i ? board[i - 1] : 0, i ? board[i - 1] + 1 : 0);
        assert_in_range(++members[board[i]], 1, 8);
    }
    assert_int_equal(board[n - 1], boards - 1);
    return boards;
}

static void in_order(int *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = i;
}

/* Round the packages, as `--map-by socket` does. */
static void by_package(int *at, int n, int packages, int package)
{
    for (int i = 0; i < n; i++)
        at[i] = i % packages * package + i / packages;
}

/* Are all members of each board among `cores` neighbouring processors? */
static bool kept(const int *at, int n, int cores)
{
    for (int i = 1; i < n; i++)
        if (board[i] == board[i - 1] && at[order[i]] / cores != at[order[i - 1]] / cores)
            return false;
    return true;
}

static void epyc_boards_are_its_caches(void **state)
{
    int at[MOST];
    open_machine((machine){128, 64, 8, 3, true});
    assert_true(place(0, 1) && place(0, 1) >> 16 == place(128, 1) >> 16); /* threads of one core */
    assert_true(place(0, 1) >> 32 == place(7, 1) >> 32 && place(7, 1) >> 32 != place(8, 1) >> 32);
    assert_true(place(0, 1) >> 48 == place(63, 1) >> 48 &&
                place(63, 1) >> 48 != place(64, 1) >> 48);
    in_order(at, 128);
    assert_int_equal(boards_of(at, 128), 16);
    assert_true(kept(at, 128, 8));
    by_package(at, 128, 2, 64);
    assert_int_equal(boards_of(at, 128), 16);
    assert_true(kept(at, 128, 8));
    /* Leaders, one of each cache: those of a package. */
    for (int i = 0; i < 16; i++)
        at[i] = 8 * i;
    assert_int_equal(boards_of(at, 16), 2);
    assert_true(kept(at, 16, 64));
    /* Two processes in each cache: more boards than twice the least are not worth it. */
    for (int i = 0; i < 32; i++)
        at[i] = i / 2 * 8 + i % 2;
    assert_int_equal(boards_of(at, 32), 4);
    assert_true(kept(at, 32, 64));
    close_machine();
}

static void a_process_bound_to_several_processors_is_where_they_all_are(void **state)
{
    open_machine((machine){128, 64, 8, 3, true});
    assert_true(place(0, 8) == (place(0, 1) >> 32) << 32);
    assert_true(place(0, 64) == (place(0, 1) >> 48) << 48);
    assert_true(place(0, 65) == 0);
    close_machine();
}

static void xeon_boards_are_parts_of_a_package(void **state)
{
    int at[MOST];
    open_machine((machine){56, 28, 28, 3, true});
    by_package(at, 56, 2, 28);
    assert_int_equal(boards_of(at, 56), 8);
    assert_true(kept(at, 56, 28));
    for (int i = 0; i < 56; i++) /* both threads of 28 cores */
        at[i] = i / 28 * 56 + i % 28;
    assert_int_equal(boards_of(at, 56), 7);
    for (int i = 0; i + 1 < 56; i += 2)
        assert_int_equal(at[order[i]] % 56, at[order[i + 1]] % 56);
    close_machine();
}

static void arm_without_a_third_level(void **state)
{
    int at[MOST];
    open_machine((machine){64, 64, 4, 2, false}); /* a second level for four */
    in_order(at, 64);
    assert_int_equal(boards_of(at, 64), 16);
    assert_true(kept(at, 64, 4));
    close_machine();
    open_machine((machine){64, 64, 0, 0, false});
    assert_true(place(5, 1) >> 48 && (place(5, 1) >> 32 & 0xffff) == 0);
    assert_int_equal(boards_of(at, 64), 8);
    assert_true(kept(at, 64, 8));
    close_machine();
}

static void without_files_those_that_follow_each_other_are_near(void **state)
{
    int at[MOST];
    open_machine((machine){0, 1, 0, 0, false});
    in_order(at, 100);
    assert_true(place(0, 1) == 0 && place(3, 4) == 0);
    assert_int_equal(boards_of(at, 100), 13);
    for (int i = 0; i < 100; i++)
        assert_int_equal(order[i], i);
    close_machine();
    int none[1] = {0};
    assert_true(ob_near_place("/nowhere", none, 0) == 0);
}

/* One who may run anywhere: the others' places count for nothing, or all would not see the same. */
static void one_unknown_place_makes_all_unknown(void **state)
{
    uint64_t places[20];
    for (int i = 0; i < 20; i++)
        places[i] = (uint64_t)(1 + i % 2) << 48;
    assert_int_equal(ob_near_boards(places, 20, 8, order, board), 4);
    assert_int_equal(order[1], 2);
    places[7] = 0;
    assert_int_equal(ob_near_boards(places, 20, 8, order, board), 3);
    assert_int_equal(order[1], 1);
}

static void boards_of_two_halve_what_there_is(void **state)
{
    uint64_t places[MOST];
    for (int n = 3; n <= MOST; n++) {
        for (int i = 0; i < n; i++)
            places[i] = (uint64_t)(1 + i * 7 % n) << 32 | (uint64_t)1 << 48;
        int boards = ob_near_boards(places, n, 2, order, board);
        assert_in_range(boards, 2, (n + 1) / 2);
    }
}

/* ---------------------------------------------------------------------- measured */

enum { MEASURED = 128 };
static uint16_t trips[MEASURED * MEASURED];

/* Times of n processes at at[i]: threads of a core, a cache of so many, a package; each up to a
 * seventh more, and some few far too long. */
static void take_times(const int *at, int n, int threads, int cache, int package)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            int a = at[i], b = at[k], t = a / package != b / package ? 210 : 105;
            t = cache && a / cache == b / cache ? 40 : t;
            t = threads > 1 && a / threads == b / threads ? 15 : t;
            t += (i * 31 + k * 17) % (t / 7 + 1);
            t = (i * 7 + k) % 97 == 0 ? 3 * t : t;
            trips[i * n + k] = trips[k * n + i] = (uint16_t)t;
        }
}

static int measured_boards(const int *at, int n)
{
    uint64_t places[MEASURED];
    int number[MEASURED], members[MEASURED] = {0};
    for (int i = 0; i < n; i++)
        number[i] = 1000 - i;
    int levels = ob_near_measured(trips, n, number, places);
    (void)at;
    int boards = ob_near_boards(places, n, 8, order, board);
    for (int i = 0; i < n; i++)
        assert_in_range(++members[board[i]], 1, 8);
    assert_int_equal(ob_near_tells(places, n), levels > 0);
    return boards;
}

static void measured_times_tell_what_files_do_not(void **state)
{
    int at[MOST];
    by_package(at, 128, 2, 64);
    take_times(at, 128, 1, 8, 64);
    assert_int_equal(measured_boards(at, 128), 16);
    assert_true(kept(at, 128, 8));
    by_package(at, 64, 2, 64); /* half of each package */
    take_times(at, 64, 1, 8, 64);
    assert_int_equal(measured_boards(at, 64), 8);
    assert_true(kept(at, 64, 8));
    by_package(at, 56, 2, 28); /* no cache but a package's */
    take_times(at, 56, 1, 0, 28);
    assert_int_equal(measured_boards(at, 56), 8);
    assert_true(kept(at, 56, 28));
    in_order(at, 64); /* one package, caches of four */
    take_times(at, 64, 1, 4, 64);
    assert_int_equal(measured_boards(at, 64), 16);
    assert_true(kept(at, 64, 4));
    for (int i = 0; i < 64; i++) /* both threads of 32 cores, in two packages */
        at[i] = i / 32 + i % 32 * 2;
    take_times(at, 64, 2, 0, 32);
    assert_int_equal(measured_boards(at, 64), 8);
    assert_true(kept(at, 64, 32));
    for (int i = 0; i + 1 < 64; i += 2)
        assert_int_equal(at[order[i]] / 2, at[order[i + 1]] / 2);
}

static void where_all_are_equally_far_nothing_is_found(void **state)
{
    int at[MOST];
    in_order(at, 100);
    take_times(at, 100, 1, 0, 100);
    assert_int_equal(measured_boards(at, 100), 13);
    for (int i = 0; i < 100; i++)
        assert_int_equal(order[i], i);
    for (int i = 0; i < 100 * 100; i++) /* no classes, only more or less */
        trips[i] = (uint16_t)(40 + (i % 100 + i / 100) % 100);
    for (int i = 0; i < 100; i++)
        for (int k = 0; k < i; k++)
            trips[i * 100 + k] = trips[k * 100 + i];
    assert_int_equal(measured_boards(at, 100), 13);
}

static atomic_uint word;

static void *answer(void *base)
{
    ob_near_trip(&word, false, *(unsigned *)base, ob_time() + 60);
    return NULL;
}

static void a_trip_has_a_time_or_an_end(void **state)
{
    for (unsigned base = 0; base < 10 * OB_NEAR_TRIPS; base += 2 * OB_NEAR_TRIPS) {
        pthread_t other;
        assert_int_equal(pthread_create(&other, NULL, answer, &base), 0);
        assert_true(ob_near_trip(&word, true, base, ob_time() + 60) > 0);
        pthread_join(other, NULL);
    }
    assert_int_equal(ob_near_trip(&word, true, 1000, ob_time() + 1e-4), 0);
    assert_int_equal(ob_near_trip(&word, false, 2000, ob_time() + 1e-4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epyc_boards_are_its_caches),
        cmocka_unit_test(a_process_bound_to_several_processors_is_where_they_all_are),
        cmocka_unit_test(xeon_boards_are_parts_of_a_package),
        cmocka_unit_test(arm_without_a_third_level),
        cmocka_unit_test(without_files_those_that_follow_each_other_are_near),
        cmocka_unit_test(one_unknown_place_makes_all_unknown),
        cmocka_unit_test(measured_times_tell_what_files_do_not),
        cmocka_unit_test(where_all_are_equally_far_nothing_is_found),
        cmocka_unit_test(a_trip_has_a_time_or_an_end),
        cmocka_unit_test(boards_of_two_halve_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
