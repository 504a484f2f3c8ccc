/*
 * Making lists of steps, and the memory they need.
 */
#include "collective/overlap/prepared.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/scratch.h"

/* What was asked for, behind its place in the list. */
typedef struct ob_chunk {
    struct ob_chunk *next;
} ob_chunk;

enum { CHUNK_HEAD = 64, STEPS_FIRST = 16 };

ob_prepared *ob_prepared_new(ob_group *group, int kind, int root)
{
    ob_prepared *p = calloc(1, sizeof *p);
    if (p == NULL) {
        ob_fail(OB_ENOMEM, "OB-4001 no memory for a collective call of %d members", group->size);
        return NULL;
    }
    p->group = group;
    p->kind = kind;
    p->root = root;
    p->course.group = group;
    p->course.tag = ob_course_tag(group);
    return p;
}

void ob_prepared_destroy(ob_prepared *p)
{
    if (p == NULL)
        return;
    ob_course_close(&p->course);
    for (ob_chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    for (int k = 0; k < 2; k++)
        ob_parts_free(&p->parts[k]);
    free(p->course.step);
    free(p);
}

void *ob_prepared_memory(ob_prepared *p, size_t bytes)
{
    ob_chunk *c = bytes < SIZE_MAX / 2 ? aligned_alloc(64, CHUNK_HEAD + ob_align(bytes + 1)) : NULL;
    if (c == NULL) {
        p->failed = true;
        return NULL;
    }
    c->next = p->chunks;
    p->chunks = c;
    return (char *)c + CHUNK_HEAD;
}

int ob_prepared_close(ob_prepared *p)
{
    if (!p->failed)
        return ob_course_open(&p->course);
    return ob_fail(OB_ENOMEM,
                   "OB-4011 a collective: process %d of %d has no memory for the steps and the "
                   "intermediate results; free memory or communicate a smaller matrix at a time",
                   p->group->me, p->group->size);
}

static ob_step *add(ob_prepared *p, ob_step_kind kind, bool after)
{
    ob_course *c = &p->course;
    if (c->count == p->room && !p->failed) {
        int room = p->room ? 2 * p->room : STEPS_FIRST;
        ob_step *more = realloc(c->step, (size_t)room * sizeof *more);
        p->failed = more == NULL;
        c->step = more ? more : c->step;
        p->room = more ? room : p->room;
    }
    if (p->failed)
        return NULL;
    ob_step *s = &c->step[c->count++];
    *s = (ob_step){.kind = kind, .after = after};
    return s;
}

void ob_add_recv(ob_prepared *p, bool after, int member, const ob_view *view)
{
    ob_step *s = add(p, OB_STEP_RECV, after);
    if (s) {
        s->member = member;
        s->view = *view;
    }
}

void ob_add_send(ob_prepared *p, bool after, int member, const ob_view *view)
{
    ob_step *s = add(p, OB_STEP_SEND, after);
    if (s) {
        s->member = member;
        s->view = *view;
    }
}

void ob_add_send_several(ob_prepared *p, bool after, const int *to, int members,
                         const ob_view *view)
{
    ob_step *s = members ? add(p, OB_STEP_SEND, after) : NULL;
    if (s) {
        s->to = to;
        s->members = members;
        s->view = *view;
    }
}

/* The next member first, so that not all begin with the same one. */
void ob_add_send_all(ob_prepared *p, bool after, const ob_view *view)
{
    const ob_group *g = p->group;
    int *to = ob_prepared_memory(p, (size_t)g->size * sizeof *to);
    for (int k = 1; to && k < g->size; k++)
        to[k - 1] = (g->me + k) % g->size;
    ob_add_send_several(p, after, to, g->size - 1, view);
}

void ob_add_work(ob_prepared *p, bool after, int (*work)(const ob_step *step), void *with,
                 size_t first, size_t count)
{
    ob_step *s = add(p, OB_STEP_WORK, after);
    if (s) {
        s->work = work;
        s->with = with;
        s->first = first;
        s->count = count;
    }
}

static int copy(const ob_step *step)
{
    const ob_view *views = step->with;
    ob_view_copy(&views[1], &views[0]);
    return OB_OK;
}

void ob_add_copy(ob_prepared *p, const ob_view *from, const ob_view *to)
{
    ob_view *views = ob_prepared_memory(p, 2 * sizeof *views);
    ob_step *s = views ? add(p, OB_STEP_WORK, false) : NULL;
    if (s == NULL)
        return;
    views[0] = *from;
    views[1] = *to;
    s->work = copy;
    s->with = views;
    s->quick = p->course.count == 1; /* nothing stands in front */
}
