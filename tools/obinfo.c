/*
 * obinfo: what the library knows of this machine, and what it would do.
 *
 *     obinfo                                     the profile in use, where the library lies, what
 *                                                one copy costs, and which ScaLAPACK there is
 *     obinfo --error OB-1016                     what the code of an error line means
 *     obinfo --explain broadcast --bytes 1M --group 16x32 --mesh
 *     obinfo --explain combine-all --bytes 1M --group 32 --nodes 4
 *     obinfo --build-module mpicc.x              for an MPI library unknown until now
 *     obinfo --use openblacs                     below every ScaLAPACK program of this system
 *
 * --explain lists the ways there are to carry out a collective call, the time each
 * should take, and the one the library would choose, in the words that
 * OPENBLACS_PLAN accepts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_module.h"
#include "common/grow.h"
#include "errors.h"
#include "hooks/planner.h"
#include "one_copy.h"
#include "use.h"
#include "where.h"

static const char usage[] =
    "usage: obinfo [--profile FILE]\n"
    "       obinfo --error [CODE]\n"
    "       obinfo [--profile FILE] --explain OPERATION --bytes N --group P|RxC\n"
    "              [--nodes N] [--mesh|--torus] [--root N] [--coherent] [--all]\n"
    "       obinfo --build-module MPICC\n"
    "       obinfo --use openblacs|system\n"
    "Shows the machine profile in use, or the ways there are to carry out an operation; or builds "
    "the\n"
    "module for an MPI library that OpenBLACS was not built for; or puts the ScaLAPACK programs "
    "of\n"
    "this system on libopenblacs, or back on their own BLACS.\n"
    "\n"
    "OPERATION  broadcast, combine, combine-all, scatter, gather, collect or distribute\n"
    "--bytes    length of the whole vector; K, M and G are 2^10, 2^20 and 2^30\n"
    "--group    number of members, or rows x columns of a mesh\n"
    "--nodes    on so many nodes, those of a node one after another; else each on its own\n"
    "--mesh     neighbours of the mesh are joined by links that messages share\n"
    "--torus    and its rows and columns are rings\n"
    "--root     source of a broadcast or scatter, destination of a combine or gather (0)\n"
    "--coherent the result has the same bits on all members\n"
    "--all      every candidate, not the twelve best\n"
    "--error    what the code at the end of an error line means, OB-1016 or 1016; without: all "
    "codes\n"
    "--profile  in place of this machine's, or of the one for calls between nodes\n"
    "--build-module  with this compiler wrapper, into ~/.local/lib/openblacs, where all programs "
    "of\n"
    "           this user find it\n"
    "--use      as root: programs that load a shared ScaLAPACK get their BLACS from there, until "
    "the\n"
    "           other word is given\n"
    "-h, --help, --version\n";

typedef struct candidate {
    char *words;
    double time;
} candidate;

typedef struct list {
    candidate *at;
    size_t count, room;
    int failed;
} list;

/* The options that take a value, and what it must be. */
static const struct {
    const char *name, *takes;
} accepted[] = {
    {"--explain", "broadcast, combine, combine-all, scatter, gather, collect or distribute"},
    {"--bytes", "a whole number, 0 or more, with K, M or G behind it or not"},
    {"--group", "members or RxC, 1 to 2^24 in all"},
    {"--nodes", "a whole number, 1 or more"},
    {"--root", "a whole number, 0 or more"},
    {"--profile", "a file"}};

static int complain(const char *what, const char *value)
{
    fprintf(stderr, "obinfo: %s%s%s%s; see obinfo --help [OB-9601]\n", what, value ? " '" : "",
            value ? value : "", value ? "'" : "");
    return 2;
}

/* A value that its option does not take; NULL: there is none. */
static int refuse(const char *option, const char *value)
{
    size_t k = 0;
    while (strcmp(accepted[k].name, option) != 0)
        k++;
    if (value)
        fprintf(stderr, "obinfo: %s is '%s', must be %s [OB-9601]\n", option, value,
                accepted[k].takes);
    else
        fprintf(stderr, "obinfo: %s has no value, must be %s [OB-9601]\n", option,
                accepted[k].takes);
    return 2;
}

static int read_bytes(const char *text, size_t *bytes)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (end == text || text[0] == '-' || errno || end[shift != 0] || v > SIZE_MAX >> (shift + 1))
        return 0;
    *bytes = (size_t)(v << shift);
    return 1;
}

static int read_group(const char *text, ob_plan_question *q)
{
    char *end;
    long rows = strtol(text, &end, 10), columns = 1;
    if (end == text)
        return 0;
    if (*end == 'x') {
        const char *second = end + 1;
        columns = strtol(second, &end, 10);
        if (end == second)
            return 0;
    } else {
        columns = rows;
        rows = 1;
    }
    if (*end || rows < 1 || columns < 1 || rows > (1 << 24) / columns)
        return 0;
    q->rows = (int)rows;
    q->columns = (int)columns;
    return 1;
}

static int read_task(const char *text, ob_plan_task *task)
{
    for (int k = 0; k < OB_PLAN_TASKS; k++)
        if (strcmp(text, ob_plan_task_name((ob_plan_task)k)) == 0) {
            *task = (ob_plan_task)k;
            return 1;
        }
    return 0;
}

static void remember(const char *words, double time, void *context)
{
    list *l = context;
    candidate *more = ob_grow(l->at, l->count, &l->room, sizeof *more);
    if (more == NULL) {
        l->failed = 1;
        return;
    }
    l->at = more;
    char *copy = malloc(strlen(words) + 1);
    if (copy == NULL) {
        l->failed = 1;
        return;
    }
    l->at[l->count++] = (candidate){strcpy(copy, words), time};
}

static int by_time(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return strcmp(x->words, y->words);
}

static void print_list(list *l, const char *choice, int all)
{
    size_t shown = 0;
    qsort(l->at, l->count, sizeof *l->at, by_time);
    for (size_t k = 0; k < l->count && (all || shown < 12); k++) {
        if (k && strcmp(l->at[k].words, l->at[k - 1].words) == 0)
            continue; /* found on two ways */
        printf("%c %14.1f us  %s\n", strcmp(l->at[k].words, choice) ? ' ' : '*', l->at[k].time,
               l->at[k].words);
        shown++;
    }
}

static int explain(const ob_profile *profile, const ob_plan_question *q, int all)
{
    list l = {NULL, 0, 0, 0};
    char choice[OB_PLAN_WORDS];
    double time;
    int status = ob_plan_explain(profile, q, remember, &l, choice, sizeof choice, &time);
    if (status != OB_OK || l.failed) {
        fprintf(stderr, "obinfo: %s\n", l.failed ? "no memory [OB-4001]" : ob_error_text());
        return 1;
    }
    printf("%s of %zu bytes in a group of %d x %d%s, profile %s\n", ob_plan_task_name(q->task),
           q->bytes, q->rows, q->columns,
           q->links_shared == 2 ? ", torus"
           : q->links_shared    ? ", mesh"
                                : "",
           profile->host);
    print_list(&l, choice, all);
    if (l.count == 0)
        printf("one member: nothing is sent\n");
    else
        printf("OPENBLACS_PLAN='%s=%s'\n", ob_plan_task_name(q->task), choice);
    for (size_t k = 0; k < l.count; k++)
        free(l.at[k].words);
    free(l.at);
    return 0;
}

/* Several members on some nodes: what is between them, and who does the rest. */
static int explain_levels(const ob_profile *profile, const ob_plan_question *q, int nodes, int all)
{
    ob_plan_question leaders;
    if (ob_plan_leaders(q, nodes, &leaders) != OB_OK) {
        fprintf(stderr, "obinfo: %s\n", ob_error_text());
        return 1;
    }
    int size = q->rows * q->columns;
    if (nodes == size)
        return explain(profile, q, all);
    printf("%s of %zu bytes in a group of %d on %d node%s: shared memory within each node,\n"
           "whatever the bytes",
           ob_plan_task_name(q->task), q->bytes, size, nodes, nodes == 1 ? "" : "s");
    if (nodes == 1) {
        printf("\n");
        return 0;
    }
    size_t chunks = leaders.bytes ? (q->bytes + leaders.bytes - 1) / leaders.bytes : 1;
    printf("; between the %d leaders, one of each node, %zu time%s:\n", nodes, chunks,
           chunks == 1 ? "" : "s");
    return explain(profile, &leaders, all);
}

static void print_curve(const ob_curve *c)
{
    for (int k = 0; k < c->pieces; k++)
        printf(" from %zu: %g + %g n us", c->piece[k].from, c->piece[k].alpha, c->piece[k].beta);
    printf("\n");
}

static void print_profile(const ob_profile *p)
{
    printf("OpenBLACS %d.%d.%d\nprofile: %s (%s), %d processors, cache %zu bytes\n",
           OB_VERSION_MAJOR, OB_VERSION_MINOR, OB_VERSION_PATCH, p->host,
           p->origin == OB_MEASURED ? "measured" : "built in", p->processors, p->cache);
    for (int q = 0; q < OB_QUANTITIES; q++) {
        printf("%s:", ob_quantity_name((ob_quantity)q));
        print_curve(&p->curve[q]);
    }
    for (int t = 0; t < OB_NATIVE_TASKS; t++)
        for (int k = 0; k < OB_NATIVE_SIZES && p->native[t][k].members; k++) {
            printf("native %s, %d nodes:", ob_plan_task_name((ob_plan_task)t),
                   p->native[t][k].members);
            print_curve(&p->native[t][k].curve);
        }
}

typedef struct request {
    ob_plan_question question;
    const char *file;
    int explain, bytes, group, nodes, all; /* nodes: 0 when not given */
} request;

static int takes_value(const char *option)
{
    for (size_t k = 0; k < sizeof accepted / sizeof *accepted; k++)
        if (strcmp(option, accepted[k].name) == 0)
            return 1;
    return 0;
}

/* One option that takes a value; negative: wrong value. */
static int take_value(request *r, const char *name, const char *value)
{
    char *end;
    if (strcmp(name, "--explain") == 0)
        return (r->explain = read_task(value, &r->question.task)) ? 1 : -1;
    if (strcmp(name, "--bytes") == 0)
        return (r->bytes = read_bytes(value, &r->question.bytes)) ? 1 : -1;
    if (strcmp(name, "--group") == 0)
        return (r->group = read_group(value, &r->question)) ? 1 : -1;
    if (strcmp(name, "--profile") == 0) {
        r->file = value;
        return 1;
    }
    int *number = strcmp(name, "--root") == 0 ? &r->question.root : &r->nodes;
    long v = strtol(value, &end, 10);
    *number = (int)v;
    return end != value && *end == 0 && v == *number && v >= (number == &r->nodes) ? 1 : -1;
}

/* What options say of each other. */
static int compare(const request *r)
{
    int size = r->question.rows * r->question.columns;
    if (r->question.root >= size) {
        fprintf(stderr, "obinfo: --root is '%d', must be 0 to %d in a group of %d [OB-9601]\n",
                r->question.root, size - 1, size);
        return 2;
    }
    if (r->nodes > size) {
        fprintf(stderr, "obinfo: --nodes is '%d', must be 1 to %d for a group of %d [OB-9601]\n",
                r->nodes, size, size);
        return 2;
    }
    return 0;
}

static int parse(int argc, char **argv, request *r)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--mesh") == 0)
            r->question.links_shared = 1;
        else if (strcmp(argv[i], "--torus") == 0)
            r->question.links_shared = 2;
        else if (strcmp(argv[i], "--coherent") == 0)
            r->question.coherent = 1;
        else if (strcmp(argv[i], "--all") == 0)
            r->all = 1;
        else if (!takes_value(argv[i]))
            return complain("there is no option", argv[i]);
        else if (i + 1 == argc || take_value(r, argv[i], argv[i + 1]) < 0)
            return refuse(argv[i], i + 1 < argc ? argv[i + 1] : NULL);
        else
            i++;
    }
    int asked = r->bytes || r->group || r->nodes || r->all || r->question.links_shared ||
                r->question.root || r->question.coherent;
    if (r->explain && !(r->bytes && r->group))
        return complain("--explain needs --bytes and --group", NULL);
    if (!r->explain && asked)
        return complain("all options but --profile go with --explain", NULL);
    return r->explain ? compare(r) : 0;
}

static int says_itself(const char *option)
{
    if (strcmp(option, "-h") == 0 || strcmp(option, "--help") == 0)
        fputs(usage, stdout);
    else if (strcmp(option, "--version") == 0)
        printf("obinfo (OpenBLACS) %d.%d.%d\n", OB_VERSION_MAJOR, OB_VERSION_MINOR,
               OB_VERSION_PATCH);
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    request r = {.file = NULL};
    ob_profile from_file;
    if (argc > 1 && strcmp(argv[1], "--error") == 0)
        return argc > 3 ? complain("--error takes one code, or none", NULL) : show_error(argv[2]);
    for (int i = 1; i < argc; i++)
        if (says_itself(argv[i]))
            return fflush(stdout) == 0 ? 0 : 1;
    if (argc > 1 && strcmp(argv[1], "--build-module") == 0)
        return argc == 3 ? build_module(argv[2])
                         : complain("--build-module takes an MPI compiler wrapper, alone", NULL);
    if (argc > 1 && strcmp(argv[1], "--use") == 0)
        return argc == 3 ? use_blacs(argv[2])
                         : complain("--use takes openblacs or system, alone", NULL);
    int bad = parse(argc, argv, &r);
    if (bad)
        return bad;
    const ob_profile *profile = ob_profile_current();
    if (r.file) {
        if (ob_profile_read(r.file, &from_file) != OB_OK) {
            fprintf(stderr, "obinfo: %s\n", ob_error_text());
            return 1;
        }
        profile = &from_file;
    }
    if (r.explain) {
        if (!r.file)
            profile = ob_plan_profile();
        return explain_levels(profile, &r.question,
                              r.nodes ? r.nodes : r.question.rows * r.question.columns, r.all);
    }
    print_profile(profile);
    print_where();
    print_one_copy();
    print_use();
    return 0;
}
