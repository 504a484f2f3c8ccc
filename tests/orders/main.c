/*
 * Memory orders of the library's protocols, explored (explore.h says how).
 *
 *   orders            everything: the explorer's own test, all models, all planted orders
 *   orders --long     the same with larger bounds
 *   orders NAME       one model, by the beginning of its name; with --trace, its planted orders
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>

#include "buffered.h"
#include "litmus.h"
#include "models.h"
#include "plant.h"

enum { RANDOM = 1500, RANDOM_LONG = 100000 };
/* Executions of one model; --long: 50 times as many, but for planted orders. */
enum { MOST = 80000, LONG = 50 };

static int passed, failed;

static void count(bool good)
{
    *(good ? &passed : &failed) += 1;
}

static void test_litmus(void)
{
    for (int i = 0; i < litmus_count; i++) {
        const litmus *l = &litmus_tests[i];
        ex_result r = ex_explore(&l->model, NULL, UINT64_MAX);
        bool good = l->executions < 0
                        ? r.error != NULL
                        : r.error == NULL && r.outcomes == l->outcomes &&
                              (l->executions == 0 || r.executions == (uint64_t)l->executions);
        count(good);
        if (!good)
            printf("  FAIL %s: %llu executions, outcomes %llx, not %llx\n%s", l->model.name,
                   (unsigned long long)r.executions, (unsigned long long)r.outcomes,
                   (unsigned long long)l->outcomes, r.error ? r.error : "");
        free(r.error);
    }
}

/* Of the classic program, its two steps: those that nothing keeps in order are found. */
static void test_buffered(void)
{
    buffered_wanted = true;
    for (int i = 0; i < litmus_buffered_count; i++) {
        const litmus *l = &litmus_buffered[i];
        buffered_begin();
        free(ex_explore(&l->model, NULL, UINT64_MAX).error);
        int steps = buffered_end(false);
        count(steps == l->executions);
        if (steps != l->executions)
            printf("  FAIL %s: %d loads may wait, not %d\n", l->model.name, steps, l->executions);
    }
    buffered_wanted = false;
}

static void test_unsafe(void)
{
    ex_result r = ex_explore(&claim_unsafe, NULL, UINT64_MAX);
    count(r.error != NULL);
    if (r.error == NULL)
        printf("  FAIL %s: no error is found\n", claim_unsafe.name);
    free(r.error);
}

/* The search and a search without any reduction find the same outcomes. */
static void test_search(int programs)
{
    uint64_t few = 0, all = 0;
    for (int i = 1; i <= programs; i++) {
        litmus_draw((uint64_t)i);
        ex_model m = litmus_random();
        ex_all = false;
        ex_result a = ex_explore(&m, NULL, UINT64_MAX);
        ex_all = true;
        ex_result b = ex_explore(&m, NULL, UINT64_MAX);
        ex_all = false;
        bool good = !a.error && !b.error && a.digest == b.digest;
        count(good);
        if (!good)
            printf("  FAIL random program %d: the search does not find what all interleavings do\n",
                   i);
        few += a.executions + a.redundant;
        all += b.executions;
    }
    printf("the search: %d random programs, %llu executions where all interleavings are %llu\n",
           programs, (unsigned long long)few, (unsigned long long)all);
}

static void explore_models(const char *only, uint64_t limit)
{
    for (int i = 0; i < plant_model_count(); i++) {
        const ex_model *m = plant_model(i);
        if (only && strncmp(only, m->name, strlen(only)))
            continue;
        ex_model_number = i;
        buffered_begin();
        ex_result r = ex_explore(m, NULL, limit);
        count(buffered_end(true) == 0);
        count(r.error == NULL);
        printf("%-60s %8llu executions%s\n", m->name, (unsigned long long)r.executions,
               r.bounded ? ", and there are more" : "");
        if (r.error)
            printf("  FAIL %s", r.error);
        fflush(stdout);
        free(r.error);
    }
}

int main(int count_of, char **words)
{
    __libc_single_threaded = 0; /* locks are to lock */
    bool is_long = false, traces = false;
    const char *only = NULL, *table = NULL;
    for (int i = 1; i < count_of; i++) {
        if (strcmp(words[i], "--long") == 0)
            is_long = true;
        else if (strcmp(words[i], "--trace") == 0)
            traces = true;
        else if (strncmp(words[i], "--argued=", 9) == 0)
            table = words[i] + 9;
        else
            only = words[i];
    }
    if (only == NULL) {
        test_litmus();
        test_buffered();
        test_unsafe();
        test_search(is_long ? RANDOM_LONG : RANDOM);
    }
    memset(ex_sites, 0, (size_t)ex_site_count * sizeof *ex_sites);
    ex_site_count = 0;
    uint64_t limit = is_long ? (uint64_t)MOST * LONG : MOST;
    buffered_wanted = true;
    explore_models(only, limit);
    buffered_wanted = false;
    if (failed == 0 && (only == NULL || traces))
        plant_all(table, traces, is_long, MOST, &passed, &failed);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
