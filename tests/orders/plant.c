/* Planted orders (plant.h). Each runs in a process of its own, as many at once as there are
 * processors. */
#include "plant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "models.h"
#include "where.h"

enum { PLANTS = 400, NAME = 200, ARGUED = 200 };
enum { FIRST_PART = 100, NEXT_PART = 8 }; /* executions of a model; how many times more the next */

typedef struct plant {
    ex_plant what;
    char name[NAME]; /* FILE FUNCTION OPERATION DROP */
    uint64_t models; /* that meet it */
    int line;
} plant;

static plant plants[PLANTS];
static int plant_count;
static struct {
    char name[NAME], reason[400];
    bool used;
} argued[ARGUED];
static int argued_count;

int plant_model_count(void)
{
    return channel_model_count + board_model_count + claim_model_count + message_model_count;
}

const ex_model *plant_model(int i)
{
    if (i < channel_model_count)
        return &channel_models[i];
    i -= channel_model_count;
    if (i < board_model_count)
        return &board_models[i];
    i -= board_model_count;
    return i < claim_model_count ? &claim_models[i] : &message_models[i - claim_model_count];
}

/* ------------------------------------------------------------------------ the list */

/* Can the operation lose that? */
static bool has(const ex_site *s, ex_drop drop)
{
    switch (drop) {
    case EX_ACQUIRE:
        return s->kind <= OP_FENCE && s->kind != OP_STORE &&
               (is_acquire(s->order) || (s->kind == OP_COMPARE && is_acquire(s->failure)));
    case EX_RELEASE: return s->kind <= OP_FENCE && s->kind != OP_LOAD && is_release(s->order);
    case EX_SEQ_CST: return s->kind <= OP_FENCE && s->order == __ATOMIC_SEQ_CST;
    case EX_WAKE: return s->kind == OP_WAKE || s->kind == OP_BARRIER;
    default: return false;
    }
}

static void add_place(plant *p, const ex_site *s)
{
    if (p->what.places == EX_PLACES)
        abort();
    p->what.place[p->what.places++] = s->place;
    p->models |= s->models;
}

/* The same line, compiled into several files or places, is one. */
static plant *find(const char *file, int line, const char *name)
{
    for (int i = 0; i < plant_count; i++)
        if (plants[i].line == line && strncmp(plants[i].name, name, strlen(name)) == 0 &&
            strncmp(plants[i].name, file, strlen(file)) == 0)
            return &plants[i];
    return NULL;
}

/* The second such operation of a function has " #2" behind its name. */
static plant *new_plant(const char *name, int line)
{
    int same = 1;
    if (plant_count == PLANTS)
        abort();
    for (int i = 0; i < plant_count; i++)
        same += strncmp(plants[i].name, name, strlen(name)) == 0 &&
                (plants[i].name[strlen(name)] == 0 || plants[i].name[strlen(name)] == '#');
    plant *p = &plants[plant_count++];
    p->line = line;
    if (same == 1)
        snprintf(p->name, NAME, "%s", name);
    else
        snprintf(p->name, NAME, "%.180s#%d", name, same);
    return p;
}

static int by_line(const void *a, const void *b)
{
    const where *x = where_of(((const ex_site *)a)->place),
                *y = where_of(((const ex_site *)b)->place);
    int order = strcmp(x->file, y->file);
    return order ? order : x->line - y->line;
}

static bool is_ours(const char *file)
{
    return strstr(file, "_models.c") == NULL && strcmp(file, "world.c") != 0;
}

static void list_plants(void)
{
    static const char *const kinds[] = {"load",  "store", "change", "compare",
                                        "fence", "wait",  "wake",   "barrier"};
    static const char *const drops[] = {"", "acquire", "release", "seq_cst", "all of it"};
    const void **places = calloc((size_t)ex_site_count + 1, sizeof *places);
    for (int i = 0; i < ex_site_count; i++)
        places[i] = ex_sites[i].place;
    where_learn(places, ex_site_count);
    free(places);
    qsort(ex_sites, (size_t)ex_site_count, sizeof *ex_sites, by_line);
    for (int i = 0; i < ex_site_count; i++)
        for (ex_drop d = EX_ACQUIRE; d <= EX_WAKE; d++) {
            const ex_site *s = &ex_sites[i];
            const where *at = where_of(s->place);
            char name[NAME];
            if (!has(s, d) || !is_ours(at->file))
                continue;
            snprintf(name, sizeof name, "%s %s %s without %s", at->file, at->function,
                     kinds[s->kind], drops[d]);
            plant *p = find(at->file, at->line, name);
            p = p ? p : new_plant(name, at->line);
            p->what.drop = d;
            add_place(p, s);
        }
}

/* ---------------------------------------------------------------------- the table */

/* Lines "NAME: REASON"; # comments. */
static void read_argued(const char *file)
{
    char line[600];
    FILE *in = fopen(file, "r");
    if (in == NULL) {
        fprintf(stderr, "orders: cannot read %s\n", file);
        exit(2);
    }
    while (fgets(line, sizeof line, in)) {
        char *colon = strstr(line, ": ");
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || colon == NULL)
            continue;
        if (argued_count == ARGUED)
            abort();
        snprintf(argued[argued_count].name, NAME, "%.*s", (int)(colon - line), line);
        snprintf(argued[argued_count++].reason, sizeof argued->reason, "%.399s", colon + 2);
    }
    fclose(in);
}

static int find_argued(const char *name)
{
    for (int i = 0; i < argued_count; i++)
        if (strcmp(argued[i].name, name) == 0)
            return i;
    return -1;
}

/* ------------------------------------------------------------------------- running */

static bool is_found(const plant *p, bool traces, uint64_t limit)
{
    for (int i = 0; i < plant_model_count(); i++) {
        if (!(p->models >> i & 1))
            continue;
        ex_result r = ex_explore(plant_model(i), &p->what, limit);
        if (r.error && traces)
            printf("-- %s:%d\n%s", p->name, p->line, r.error);
        fflush(stdout);
        if (r.error)
            return true;
    }
    return false;
}

/* In a process of its own; its end says whether it was found. A little of each model first: most
 * are found early in one of them, which the others need not come to their end for. */
static void run_one(const plant *p, bool traces, uint64_t limit)
{
    for (uint64_t part = FIRST_PART; part < limit; part *= NEXT_PART)
        if (is_found(p, traces, part))
            _exit(0);
    _exit(is_found(p, traces, limit) ? 0 : 1);
}

static void judge(const plant *p, int status, int *passed, int *failed)
{
    int a = find_argued(p->name);
    bool found = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    bool missed = WIFEXITED(status) && WEXITSTATUS(status) == 1;
    if (a >= 0)
        argued[a].used = true;
    if (found == (a < 0) && (found || missed)) {
        ++*passed;
        return;
    }
    ++*failed;
    if (found)
        printf("  FAIL %s:%d is found, and stands in the table of those that need not be\n",
               p->name, p->line);
    else
        printf("  FAIL %s:%d is not found%s\n", p->name, p->line, missed ? "" : ": it crashed");
    fflush(stdout);
}

void plant_all(const char *table, bool traces, bool argued_too, uint64_t limit, int *passed,
               int *failed)
{
    static pid_t child[PLANTS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int running = 0, next = 0, found = *passed;
    if (table)
        read_argued(table);
    list_plants();
    fflush(stdout);
    while (next < plant_count || running) {
        if (next < plant_count && running < processors) {
            int a = find_argued(plants[next].name);
            if (a >= 0 && !argued_too) {
                argued[a].used = true;
                next++;
                continue;
            }
            child[next] = fork();
            if (child[next] == 0)
                run_one(&plants[next], traces, limit);
            next++;
            running++;
            continue;
        }
        int status;
        pid_t ended = wait(&status);
        running--;
        for (int i = 0; i < next; i++)
            if (child[i] == ended)
                judge(&plants[i], status, passed, failed);
    }
    for (int i = 0; i < argued_count; i++)
        if (!argued[i].used) {
            ++*failed;
            printf("  FAIL the table has \"%s\", which there is not\n", argued[i].name);
        }
    int needless = 0;
    for (int i = 0; i < argued_count; i++)
        needless += argued[i].used;
    printf("planted: %d weaker orders and lost wake-ups, %d found, %d argued\n", plant_count,
           *passed - found - (argued_too ? needless : 0), needless);
}
