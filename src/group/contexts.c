/*
 * A hash table from the 64-bit hash of a member list to a count. Two lists
 * with one hash would be as unlikely as a memory error; the table stays as
 * small as the number of different lists, however many groups are made.
 */
#include "group/contexts.h"

#include <stdlib.h>

#include "core/error.h"
#include "hooks/hash.h"

struct ob_contexts {
    size_t room, used; /* room: a power of two */
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

static struct entry *slot(struct ob_contexts *c, uint64_t list)
{
    size_t i = list & (c->room - 1);
    while (c->at[i].list && c->at[i].list != list)
        i = (i + 1) & (c->room - 1);
    return &c->at[i];
}

static int grow(ob_job *job)
{
    struct ob_contexts *old = job->contexts, *c = malloc(sizeof *c);
    size_t room = old ? 2 * old->room : 64;
    if (c)
        *c = (struct ob_contexts){.room = room, .at = calloc(room, sizeof *c->at)};
    if (c == NULL || c->at == NULL) {
        free(c);
        return ob_fail(OB_ENOMEM, "OB-4001 ob_group_create: no memory for one more group");
    }
    for (size_t i = 0; old && i < old->room; i++)
        if (old->at[i].list) {
            *slot(c, old->at[i].list) = old->at[i];
            c->used++;
        }
    ob_contexts_free(old);
    job->contexts = c;
    return OB_OK;
}

int ob_contexts_next(ob_job *job, const int *numbers, int size, uint64_t *context)
{
    uint64_t list = hash_list(numbers, size);
    int status = OB_OK;
    ob_lock_take(&job->lock);
    if (job->contexts == NULL || 2 * job->contexts->used >= job->contexts->room)
        status = grow(job);
    if (status == OB_OK) {
        struct entry *e = slot(job->contexts, list);
        job->contexts->used += e->list == 0;
        e->list = list;
        *context = mix(list ^ mix(++e->count));
    }
    ob_lock_release(&job->lock);
    return status;
}

uint64_t ob_contexts_of_key(const int *numbers, int size, uint64_t key)
{
    return mix(~hash_list(numbers, size) ^ mix(key));
}

void ob_contexts_free(struct ob_contexts *c)
{
    if (c)
        free(c->at);
    free(c);
}
