/*
 * Schemes among threads on shared memory with matrices that do not go at once: longer than a
 * window, and such that are not one run of memory, whose working memory has a bound.
 */
#include "collective/members_test.h"

#include <malloc.h>

#include "collective/data/parts.h"
#include "collective/scheme/vectors.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

/* ------------------------------------------------- vectors of several windows */

/* A move of more than OB_RUN_WINDOW goes in turns with what comes, by one, and by several
 * messages a window; both colours of a scheme may go to the same member. */
static const struct {
    ob_task task;
    const char *text;
} windowed[] = {
    {OB_TASK_BROADCAST, "broadcast4@1:tree"},
    {OB_TASK_BROADCAST, "broadcast4@1:chain2"},
    {OB_TASK_BROADCAST, "scatter4@1:tree+collect4@1:both"},
    {OB_TASK_BROADCAST, "scatter2@1:tree+scatter2@2:tree+collect2@2:bucket+collect2@1:bucket|"
                        "scatter2@2:tree+scatter2@1:tree+collect2@1:bruck+collect2@2:halving"},
    {OB_TASK_BROADCAST, "scatter2@1:tree+broadcast2@2:tree+collect2@1:bucket|"
                        "scatter2@1:tree+broadcast2@2:tree+collect2@1:bucket"},
    {OB_TASK_COMBINE, "distribute4@1:halving+gather4@1:tree"},
    {OB_TASK_COMBINE, "combine4@1:tree"},
    {OB_TASK_ALL, "exchange4@1:halving"},
    {OB_TASK_ALL, "distribute4@1:bucket+collect4@1:bruck"},
    {OB_TASK_ALL, "distribute2@1:bucket+exchange2@2:halving+collect2@1:bucket|"
                  "distribute2@2:bucket+exchange2@1:halving+collect2@2:bucket"},
};

enum { ROWS = 1009 };

/* A column of what member `me` gives to a task. */
static void column_of(int me, size_t ld, double *column)
{
    for (size_t i = 0; i < ld; i++)
        column[i] = (double)i + me;
}

/* What a column holds behind the task. */
static void result_of(ob_task task, int root, double *column)
{
    for (size_t i = 0; i < ROWS; i++)
        column[i] = task == OB_TASK_BROADCAST ? (double)(i + (size_t)root) : 4 * (double)i + 6;
}

/* Of every second member the columns lie `gap` elements apart. */
static void one_windowed(ob_group *g, const ob_scheme *s, ob_task task, double *x, size_t columns,
                         size_t gap)
{
    int me = ob_group_me(g), root = 1;
    size_t ld = ROWS + (me % 2 ? gap : 0);
    double column[ROWS + 3];
    bool gives = task != OB_TASK_BROADCAST || me == root;
    column_of(gives ? me : -5000, ld, column);
    for (size_t j = 0; j < columns; j++)
        memcpy(x + j * ld, column, ld * sizeof *x);
    ob_view v = {x, ROWS, columns, ld, OB_DOUBLE, OB_GENERAL, 0};
    int status = task == OB_TASK_BROADCAST
                     ? ob_scheme_broadcast(g, root, &v, s)
                     : ob_scheme_combine(g, task == OB_TASK_ALL ? OB_ANY : root, OB_SUM, NULL, &v,
                                         NULL, 0, false, s);
    OK(status);
    result_of(task, root, column);
    for (size_t j = 0; j < columns && (task != OB_TASK_COMBINE || me == root); j++)
        if (memcmp(x + j * ld, column, sizeof(double[ROWS])) != 0) {
            TEAM_CHECK(false, "task %d, column %zu of member %d", (int)task, j, me);
            break;
        }
}

static void all_windowed(ob_group *g, void *shared)
{
    (void)shared;
    size_t columns = 650; /* 5 MiB, and more than OB_STAGING_BYTES */
    double *x = malloc(1100 * columns * sizeof *x);
    /* A node; nodes behind a switch; a mesh of them; nodes that are not known. */
    for (int net = 0; net < 4; net++) {
        g->links_shared = net == 2 ? 2 : 0;
        g->nodes = net == 3 ? 0 : net ? 4 : 1;
        g->one_node = net == 0;
        TEAM_CHECK(ob_run_piece(g) == (size_t)(net == 0   ? OB_RUN_PIECE
                                               : net == 3 ? OB_RUN_WINDOW
                                                          : OB_RUN_EAGER),
                   "%zu bytes in net %d", ob_run_piece(g), net);
        for (int k = 0; k < COUNT(windowed); k++) {
            ob_scheme s;
            TEAM_CHECK(ob_scheme_parse(windowed[k].text, &s) &&
                           ob_scheme_fits(&s, windowed[k].task, 4),
                       "%s", windowed[k].text);
            /* Under a thread sanitizer each scheme has one run in two nets, gaps in the others. */
            if (!TEAM_RACES || (net + k) % 2)
                one_windowed(g, &s, windowed[k].task, x, columns, 0);
            if (!TEAM_RACES || (net + k) % 2 == 0)
                one_windowed(g, &s, windowed[k].task, x, columns, 3);
        }
    }
    g->links_shared = 0;
    g->nodes = 1;
    g->one_node = true;
    free(x);
}

static void test_windows(void **state)
{
    run_members(4, all_windowed, NULL);
}

/* ------------------------------------------------ no copy of the whole matrix */

/* A matrix that is not one run of memory, and owners, go through working memory that does not grow
 * with it: 12 MB here, 4 MiB there. */
static void staged_within(ob_group *g, const char *what)
{
    size_t bytes = malloc_usable_size(ob_group_scratch(g, 1));
    TEAM_CHECK(bytes <= OB_STAGING_BYTES + OB_RUN_PIECE + (64 << 10),
               "%s: %zu bytes of working memory", what, bytes);
}

static const struct {
    ob_task task;
    const char *text;
} piecewise[] = {{OB_TASK_SCATTER, "scatter4@1:tree"},
                 {OB_TASK_GATHER, "gather4@1:postal2"},
                 {OB_TASK_COLLECT, "collect4@1:both"},
                 {OB_TASK_DISTRIBUTE, "distribute4@1:halving"}};

static void move_pieces(ob_group *g, ob_task task, const char *text, const ob_view *views)
{
    enum { ROOT = 1 };
    ob_scheme s;
    ob_parts parts;
    const ob_pieces pieces = {.type = OB_DOUBLE, .views = views};
    int me = ob_group_me(g);
    bool here = task == OB_TASK_COLLECT || task == OB_TASK_DISTRIBUTE || me == ROOT;
    TEAM_CHECK(ob_scheme_parse(text, &s), "%s", text);
    OK(ob_parts_make("test", g, &pieces, here, here ? NULL : &views[me], sizeof(double), &parts));
    parts.kernel = ob_kernel_find(OB_SUM, OB_DOUBLE, 0);
    OK(ob_scheme_parts(g, task, ROOT, &parts, &s));
    ob_parts_free(&parts);
}

static void all_staged(ob_group *g, void *shared)
{
    (void)shared;
    enum { M = 1000, N = 1600, LD = 1003 };
    int me = ob_group_me(g);
    double *x = calloc((size_t)LD * N, sizeof *x), column[LD];
    int *owner = calloc((size_t)LD * N, sizeof *owner);
    for (size_t i = 0; i < LD; i++)
        column[i] = me;
    for (int k = 0; k < COUNT(windowed); k++)
        for (int shape = 0; shape < 2; shape++) {
            if (TEAM_RACES && shape != k % 2) /* one of both for each scheme */
                continue;
            ob_scheme s;
            ob_view v = {x, M, N, LD, OB_DOUBLE, shape ? OB_UPPER : OB_GENERAL, 0};
            ob_task task = windowed[k].task;
            TEAM_CHECK(ob_scheme_parse(windowed[k].text, &s), "%s", windowed[k].text);
            for (size_t j = 0; j < N; j++)
                memcpy(x + j * LD, column, sizeof column);
            int status = task == OB_TASK_BROADCAST
                             ? ob_scheme_broadcast(g, 1, &v, &s)
                             : ob_scheme_combine(g, task == OB_TASK_ALL ? OB_ANY : 1, OB_MAX_ABS,
                                                 NULL, &v, owner, LD, false, &s);
            OK(status);
            if (task != OB_TASK_COMBINE || me == 1)
                TEAM_CHECK(x[LD * (N - 1)] == (task == OB_TASK_BROADCAST ? 1 : 3) && x[M] == me,
                           "%s: %g, and beside the matrix %g", windowed[k].text, x[LD * (N - 1)],
                           x[M]);
            staged_within(g, windowed[k].text);
        }
    ob_view quarter[4];
    for (int i = 0; i < 4; i++)
        quarter[i] =
            (ob_view){x + (size_t)LD * (N / 4) * i, M, N / 4, LD, OB_DOUBLE, OB_GENERAL, 0};
    for (int k = 0; k < COUNT(piecewise); k++) {
        move_pieces(g, piecewise[k].task, piecewise[k].text, quarter);
        staged_within(g, piecewise[k].text);
    }
    free(owner);
    free(x);
}

static void test_staged(void **state)
{
    run_members(4, all_staged, NULL);
}

/* --------------------------------------------------------------- no memory */

/* While a thread is refused memory: no list of moves grows, and its first part is given back. */
static _Thread_local bool refused;
static _Thread_local void *list;
static _Thread_local int given_back;

void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __real_free(void *memory);
void __wrap_free(void *memory);

void *__wrap_realloc(void *old, size_t bytes)
{
    if (refused && old)
        return NULL;
    void *memory = __real_realloc(old, bytes);
    if (refused)
        list = memory;
    return memory;
}

void __wrap_free(void *memory)
{
    given_back += memory && memory == list;
    __real_free(memory);
}

static void without_memory(ob_group *g, void *shared)
{
    (void)shared;
    double x[100] = {0};
    ob_view v = ob_view_vector(x, COUNT(x), OB_DOUBLE);
    ob_scheme s;
    TEAM_CHECK(ob_scheme_parse("broadcast4@1:chain64", &s), "chain64");
    refused = true;
    int status = ob_scheme_broadcast(g, 0, &v, &s);
    refused = false;
    TEAM_CHECK(status == OB_ENOMEM, "%d, %s", status, ob_error_text());
    TEAM_CHECK(list && given_back == 1, "the list was given back %d times", given_back);
    list = NULL;
}

static void test_a_list_that_cannot_grow_is_given_back(void **state)
{
    run_members(4, without_memory, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows), cmocka_unit_test(test_staged),
        cmocka_unit_test(test_a_list_that_cannot_grow_is_given_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
