/*
 * A hash table from the 64-bit hash of a member list to a count. Two lists
 * with one hash would be as unlikely as a memory error; the table stays as
 * small as the number of different lists, however many groups are made.
 *
 * With OPENBLACS_LISTS a process remembers so many lists at most, and a list is remembered by all
 * of its members or by none. Who does not remember it asks the others. These do not remember it
 * either, so all of them ask: they agree on a number, and on whether all have room for the list.
 * Invariant: before the members make the k-th group of a list, it stands in the tables of all of
 * them, with the same count, or in none. It holds at first, counting and agreeing keep it,
 * and nothing is forgotten.
 */
#include "group/contexts.h"

#include <stdlib.h>

#include "core/error.h"
#include "hooks/hash.h"
#include "message/message.h"

struct ob_contexts {
    size_t room, used; /* room: a power of two; used: lists, and places kept for lists */
    struct entry {
        uint64_t list, count;
    } * at;
};

static uint64_t mix(uint64_t x)
{
    return ob_mix(x + OB_GOLDEN);
}

static uint64_t hash_list(const int *numbers, int size)
{
    uint64_t h = mix((uint64_t)size);
    for (int i = 0; i < size; i++)
        h = mix(h ^ (uint64_t)numbers[i]);
    return h ? h : 1; /* 0 marks a free entry */
}

/* The number of a list's k-th group. No group has k = 0: on it the members agree. */
static uint64_t number_of(uint64_t list, uint64_t k)
{
    return mix(list ^ mix(k));
}

static struct entry *slot(struct ob_contexts *c, uint64_t list)
{
    size_t i = list & (c->room - 1);
    while (c->at[i].list && c->at[i].list != list)
        i = (i + 1) & (c->room - 1);
    return &c->at[i];
}

static bool grow(ob_job *job)
{
    struct ob_contexts *old = job->contexts, *c = malloc(sizeof *c);
    size_t room = old ? 2 * old->room : 64;
    if (c)
        *c = (struct ob_contexts){.room = room, .at = calloc(room, sizeof *c->at)};
    if (c == NULL || c->at == NULL) {
        free(c);
        return false;
    }
    c->used = old ? old->used : 0;
    for (size_t i = 0; old && i < old->room; i++)
        if (old->at[i].list)
            *slot(c, old->at[i].list) = old->at[i];
    ob_contexts_free(old);
    job->contexts = c;
    return true;
}

/* A place for one list more, which is the caller's until he fills it. */
static bool keep_place(ob_job *job)
{
    struct ob_contexts *c = job->contexts;
    if (c && job->set.lists && c->used >= job->set.lists)
        return false;
    if ((c == NULL || 4 * c->used >= 3 * c->room) && !grow(job))
        return false;
    job->contexts->used++;
    return true;
}

static void fill_place(ob_job *job, uint64_t list, uint64_t count)
{
    *slot(job->contexts, list) = (struct entry){list, count};
}

/* ------------------------------------------------------------ the agreement */

static int tell(ob_group *g, int member, uint64_t word)
{
    ob_view v = {.base = &word, .m = 1, .n = 1, .ld = 1, .type = OB_INT64};
    return ob_message_send(g, member, 0, &v);
}

static int hear(ob_group *g, int member, uint64_t *word)
{
    ob_view v = {.base = word, .m = 1, .n = 1, .ld = 1, .type = OB_INT64};
    return ob_message_recv(g, member, 0, &v, NULL);
}

/* Up and down a tree whose root is member 0, which gives the number. Nobody sends for the next
 * group of the list before the answer for this one, and each receives from one member at a time,
 * so the order of messages keeps one agreement from the next. *room: of the caller; then, whether
 * all have it. */
static int agree(ob_group *g, bool *room, uint64_t *count)
{
    uint64_t word = *room, heard = 0;
    int status = OB_OK, bit = 1;
    for (; status == OB_OK && bit < g->size && !(g->me & bit); bit *= 2)
        if (g->me + bit < g->size) {
            status = hear(g, g->me + bit, &heard);
            word &= heard;
        }
    if (status == OB_OK && g->me == 0)
        word |= 2 * ((uint64_t)atomic_fetch_add(&g->job->lists_agreed, 1) + 1);
    else if (status == OB_OK && (status = tell(g, g->me - bit, word)) == OB_OK)
        status = hear(g, g->me - bit, &word);
    for (bit /= 2; status == OB_OK && bit; bit /= 2)
        if (g->me + bit < g->size)
            status = tell(g, g->me + bit, word);
    *room = word & 1;
    *count = word / 2;
    return status;
}

/* room: a place is kept. */
static int ask(ob_group *g, uint64_t list, bool room)
{
    ob_job *job = g->job;
    bool all = room;
    uint64_t count = 0;
    g->context = number_of(list, 0);
    int status = agree(g, &all, &count);
    ob_lock_take(&job->lock);
    if (room && status == OB_OK && all)
        fill_place(job, list, count);
    else if (room)
        job->contexts->used--;
    ob_lock_release(&job->lock);
    g->context = number_of(list, count);
    return status;
}

/* ------------------------------------------------------------- the next group */

int ob_contexts_next(ob_group *g, const int *numbers)
{
    ob_job *job = g->job;
    uint64_t list = hash_list(numbers, g->size), count = 0;
    bool room = false;
    ob_lock_take(&job->lock);
    struct entry *e = job->contexts ? slot(job->contexts, list) : NULL;
    if (e && e->list)
        count = ++e->count;
    else if ((room = keep_place(job)) && job->set.lists == 0)
        fill_place(job, list, count = 1);
    ob_lock_release(&job->lock);
    if (count == 0 && job->set.lists)
        return ask(g, list, room);
    if (count == 0)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_group_create: no memory for one more group");
    g->context = number_of(list, count);
    return OB_OK;
}

uint64_t ob_contexts_of_key(const int *numbers, int size, uint64_t key)
{
    return mix(~hash_list(numbers, size) ^ mix(key));
}

size_t ob_contexts_lists(const ob_job *job)
{
    return job->contexts ? job->contexts->used : 0;
}

void ob_contexts_free(struct ob_contexts *c)
{
    if (c)
        free(c->at);
    free(c);
}
