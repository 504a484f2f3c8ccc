/*
 * Level 3: what the members of a scope have named in one call is compared before it is
 * made, and what a message's two ends have named before it is received. Both sides stand in
 * the line of the first difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/check.h"
#include "check/diary.h"
#include "core/error.h"
#include "message/together.h"

enum { SIDE = 320 };

static const char *type_name(int type)
{
    static const char *const names[] = {"integer",        "single", "double",        "complex",
                                        "double complex", "byte",   "64-bit integer"};
    return type >= 0 && type < OB_TYPES ? names[type] : "no";
}

static void describe(char *text, const ob_check_record *r)
{
    static const char *const promised[] = {"", ", repeatable", ", reproducible"};
    int repeatable = r->repeatable >= OB_REPRODUCIBLE ? OB_REPRODUCIBLE : r->repeatable != 0;
    char where[64] = "", matrix[96] = "", root[48] = "", shape[32] = "", more[64] = "", in[32] = "";
    if (r->branches)
        snprintf(in, sizeof in, " with %d %s", r->branches, r->top == 'M' ? "rings" : "branches");
    if (r->scope && r->top)
        snprintf(where, sizeof where, ", scope %c, topology '%c'%s", r->scope, r->top, in);
    else if (r->scope)
        snprintf(where, sizeof where, ", scope %c", r->scope);
    if (r->type >= 0)
        snprintf(matrix, sizeof matrix, ", %zu x %zu %s (%zu element%s)", r->m, r->n,
                 type_name(r->type), r->elements, r->elements == 1 ? "" : "s");
    if (r->diag)
        snprintf(shape, sizeof shape, ", UPLO %c, DIAG %c", r->uplo, r->diag);
    else if (r->uplo)
        snprintf(shape, sizeof shape, ", UPLO %c", r->uplo);
    if (r->sends)
        snprintf(root, sizeof root, ", is the source");
    else if (r->root != OB_ANY)
        snprintf(root, sizeof root, ", %s at position %d", r->by_count ? "source" : "destination",
                 r->root);
    if (r->width)
        snprintf(more, sizeof more, ", WIDTH %d", r->width);
    snprintf(text, SIDE, "process {%d,%d} (number %d) calls %s (its call %llu%s%s%s%s%s%s%s%s)",
             r->row, r->column, r->number, r->routine, r->call, where, shape, matrix, more,
             r->owners ? ", with locations" : "", root, promised[repeatable],
             r->coherent ? ", coherent" : "");
}

/* What differs; NULL: nothing. */
static const char *difference(const ob_check_record *a, const ob_check_record *b)
{
    if (strcmp(a->what, b->what))
        return "the routine";
    if (a->type != b->type)
        return "the type";
    if (a->top != b->top)
        return "the topology";
    if (a->branches != b->branches)
        return a->top == 'M' ? "the number of rings" : "the number of branches";
    if (a->elements != b->elements)
        return "the size";
    if (!a->by_count && (a->m != b->m || a->n != b->n))
        return "the shape";
    if (!a->by_count && (a->uplo != b->uplo || a->diag != b->diag))
        return "UPLO or DIAG";
    if (a->root != b->root)
        return a->by_count ? "the source" : "the destination";
    if (!a->owners != !b->owners)
        return "whether locations are wanted";
    if (a->width != b->width)
        return "WIDTH";
    if (a->repeatable != b->repeatable || a->coherent != b->coherent)
        return "what blacs_set has set";
    return NULL;
}

static int fail(int status, const char *what, const char *kind, const ob_check_record *a,
                const ob_check_record *b)
{
    char first[SIDE], second[SIDE];
    describe(first, a);
    describe(second, b);
    return ob_fail(status, "OB-5005 %s differs %s: %s; %s", what, kind, first, second);
}

/* The member of position 0 says it and ends the job. */
static void wait_for_the_end(void)
{
    static const struct timespec a_while = {.tv_sec = 5};
    nanosleep(&a_while, NULL);
}

static void fill_in(ob_check_record *to, const ob_check_record *from)
{
    memcpy(to, from, sizeof *to);
    to->number = ob_diary_job->number;
    to->call = ob_check_calls();
}

struct ob_check_agreement {
    int size, me;
    ob_request *request;
    ob_check_record all[];
};

static ob_pieces gather_in(ob_check_agreement *a)
{
    return (ob_pieces){.base = a->all, .type = OB_BYTE, .count = sizeof a->all[0]};
}

static ob_check_agreement *new_agreement(ob_group *group, const ob_check_record *record)
{
    int size = ob_group_size(group), me = ob_group_me(group);
    ob_check_agreement *a = calloc(1, sizeof *a + (size_t)size * sizeof a->all[0]);
    if (!a) {
        ob_fail(OB_ENOMEM, "OB-4001 OPENBLACS_CHECK: no memory to compare %d calls", size);
        return NULL;
    }
    a->size = size;
    a->me = me;
    fill_in(&a->all[me], record);
    return a;
}

/* All records are there, or not; frees. */
static int judge_all(ob_check_agreement *a, int status)
{
    for (int i = 1; i < a->size && status == OB_OK; i++) {
        const char *what = difference(&a->all[0], &a->all[i]);
        if (!what)
            continue;
        if (a->me != 0)
            wait_for_the_end();
        status = fail(OB_ESTATE, what, "within the scope", &a->all[0], &a->all[i]);
    }
    free(a);
    return status;
}

int ob_check_agree(ob_group *group, const ob_check_record *record)
{
    ob_check_agreement *a = new_agreement(group, record);
    if (!a)
        return OB_ENOMEM;
    ob_pieces pieces = gather_in(a);
    return judge_all(a, ob_collect(group, &pieces, NULL));
}

int ob_check_agree_begin(ob_group *group, const ob_check_record *record,
                         ob_check_agreement **agreement)
{
    ob_check_agreement *a = *agreement = new_agreement(group, record);
    if (!a)
        return OB_ENOMEM;
    ob_pieces pieces = gather_in(a);
    return ob_icollect(group, &pieces, NULL, &a->request);
}

int ob_check_agree_end(ob_check_agreement **agreement, int *over)
{
    ob_check_agreement *a = *agreement;
    int status = over ? ob_test(&a->request, over, NULL) : ob_wait(&a->request, NULL);
    if (over && !*over)
        return status;
    *agreement = NULL;
    return judge_all(a, status);
}

int ob_check_announce(ob_group *group, int dest, int tag, const ob_check_record *record)
{
    ob_check_record r;
    fill_in(&r, record);
    ob_view view = ob_view_vector(&r, sizeof r, OB_BYTE);
    return ob_send(group, dest, tag, &view);
}

static int compare(const ob_check_record *theirs, const ob_check_record *ours)
{
    const char *what = difference(theirs, ours);
    return what ? fail(OB_ESIZE, what, "between a message and its receive", theirs, ours) : OB_OK;
}

/* Of a receive that is only noted. */
typedef struct expected {
    ob_check_record theirs, ours;
} expected;

static int judge_expected(void *with, int status)
{
    const expected *e = with;
    status = status == OB_OK ? compare(&e->theirs, &e->ours) : status;
    free(with);
    return status;
}

static int expect_at_the_end(ob_group *group, int source, int tag, const ob_check_record *record)
{
    expected *e = malloc(sizeof *e);
    if (e == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 OPENBLACS_CHECK: no memory to compare a message");
    fill_in(&e->ours, record);
    ob_view view = ob_view_vector(&e->theirs, sizeof e->theirs, OB_BYTE);
    int status = ob_together_recv(group, source, tag, &view, OB_EXACT, NULL, judge_expected, e);
    if (status != OB_OK)
        free(e);
    return status;
}

int ob_check_expect(ob_group *group, int *source, int tag, const ob_check_record *record)
{
    ob_check_record theirs = {.type = 0}, ours;
    ob_received from;
    if (OB_TOGETHER)
        return expect_at_the_end(group, *source, tag, record);
    ob_view view = ob_view_vector(&theirs, sizeof theirs, OB_BYTE);
    int status = ob_recv(group, *source, tag, &view, &from);
    if (status != OB_OK)
        return status;
    *source = from.source;
    fill_in(&ours, record);
    return compare(&theirs, &ours);
}
