/*
 * Registered memory: slots with equal numbers on all processes, found by address,
 * newest first. Pushes and pops wait for the end of the sync.
 */
#include <stdlib.h>

#include "hooks/hash.h"
#include "machine.h"

static size_t bucket_of(const bspm_registry *r, const void *ident)
{
    return (size_t)(ob_hash_spread((uintptr_t)ident) >> 32) & (r->buckets - 1);
}

void bspm_registry_open(bsp_machine *m)
{
    bspm_registry *r = &m->registry;
    *r = (bspm_registry){.free = -1, .buckets = 16, .last_slot = -1};
    r->bucket = bspm_more(m, NULL, r->buckets, sizeof *r->bucket);
    for (size_t i = 0; i < r->buckets; i++)
        r->bucket[i] = -1;
}

void bspm_registry_close(bsp_machine *m)
{
    free(m->registry.slot);
    free(m->registry.bucket);
    free(m->registry.change);
}

static long look_up(const bspm_registry *r, const void *ident)
{
    long i = r->bucket[bucket_of(r, ident)];
    while (i >= 0 && r->slot[i].base != ident)
        i = r->slot[i].next;
    return i;
}

long bspm_find(bsp_machine *m, const void *ident)
{
    bspm_registry *r = &m->registry;
    if (ident == r->last_ident && r->last_slot >= 0)
        return r->last_slot;
    r->last_ident = ident;
    return r->last_slot = look_up(r, ident);
}

/* ------------------------------------------------------- asking for changes */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 29;
}

static void note_change(bsp_machine *m, const bspm_change *c)
{
    bspm_registry *r = &m->registry;
    if (r->changes == r->change_space)
        r->change = bspm_enlarge(m, r->change, r->changes, &r->change_space, sizeof *r->change);
    r->change[r->changes++] = *c;
    r->pushes += !c->pop;
    r->pops += c->pop;
    r->hash = mix(r->hash, c->pop ? 1 : 2 * c->serial);
    if (c->pop)
        r->popped = mix(r->popped, c->serial);
}

void bspm_agree(bsp_machine *m, uint64_t value)
{
    m->registry.hash = mix(m->registry.hash, value ^ UINT64_C(0x5bd1e995));
}

void bspm_note_scope(bsp_machine *m, uint64_t value)
{
    m->scopes = mix(m->scopes, value);
    bspm_agree(m, value);
}

void bspm_push(bsp_machine *m, const char *routine, const void *ident, size_t size)
{
    bspm_check_size(m, routine, "the size", size);
    m->registry.nulls += ident == NULL;
    note_change(m, &(bspm_change){
                       .ident = ident, .size = ident ? size : 0, .serial = ++m->registry.serials});
}

/* The newest push of ident in this superstep that is not popped yet. */
static bspm_change *recent(bspm_registry *r, const void *ident)
{
    for (size_t i = r->changes; i-- > 0;)
        if (!r->change[i].pop && !r->change[i].undone && r->change[i].ident == ident)
            return &r->change[i];
    return NULL;
}

static _Noreturn void nothing_left(const bsp_machine *m, const char *routine, const void *ident)
{
    bspm_fault(m, routine, "OB-6006 address %p has no registration left to take back", ident);
}

/* Which one is known when all have told what they pop. */
static void pop_null(bsp_machine *m, const char *routine)
{
    bspm_registry *r = &m->registry;
    if (r->nulls == r->null_pops)
        nothing_left(m, routine, NULL);
    r->null_pops++;
    note_change(m, &(bspm_change){.pop = true});
}

bool bspm_settle_pop(bsp_machine *m, size_t change, uint64_t serial)
{
    bspm_registry *r = &m->registry;
    bspm_change *pop = &r->change[change];
    pop->serial = serial;
    for (size_t i = 0; i < change; i++)
        if (!r->change[i].pop && r->change[i].serial == serial)
            return pop->undone = r->change[i].undone = r->change[i].ident == NULL;
    for (long i = r->bucket[bucket_of(r, NULL)]; i >= 0; i = r->slot[i].next)
        if (r->slot[i].serial == serial)
            return r->slot[i].base == NULL;
    return false;
}

void bspm_pop(bsp_machine *m, const char *routine, const void *ident)
{
    bspm_registry *r = &m->registry;
    if (ident == NULL) {
        pop_null(m, routine);
        return;
    }
    bspm_change *push = r->pushes ? recent(r, ident) : NULL;
    if (push) {
        push->undone = true;
        note_change(
            m, &(bspm_change){.ident = ident, .serial = push->serial, .pop = true, .undone = true});
        return;
    }
    long i = look_up(r, ident);
    while (i >= 0 && (r->slot[i].going || r->slot[i].base != ident))
        i = r->slot[i].next;
    if (i < 0)
        nothing_left(m, routine, ident);
    r->slot[i].going = true;
    note_change(m, &(bspm_change){.ident = ident, .serial = r->slot[i].serial, .pop = true});
}

/* ------------------------------------------------------------ carrying out */

static void insert(bspm_registry *r, long i)
{
    long *head = &r->bucket[bucket_of(r, r->slot[i].base)];
    r->slot[i].next = *head;
    *head = i;
}

static int by_serial(const void *a, const void *b)
{
    const bspm_slot *const *x = a, *const *y = b;
    return ((*x)->serial > (*y)->serial) - ((*x)->serial < (*y)->serial);
}

/* Chains are newest first, so slots go in by age. */
static void rehash(bsp_machine *m)
{
    bspm_registry *r = &m->registry;
    bspm_slot **order = bspm_more(m, NULL, (size_t)r->count, sizeof(bspm_slot *));
    size_t n = 0;
    for (long i = 0; i < r->count; i++)
        if (r->slot[i].serial)
            order[n++] = &r->slot[i];
    qsort(order, n, sizeof *order, by_serial);
    r->buckets *= 2;
    r->bucket = bspm_more(m, r->bucket, r->buckets, sizeof *r->bucket);
    for (size_t i = 0; i < r->buckets; i++)
        r->bucket[i] = -1;
    for (size_t i = 0; i < n; i++)
        insert(r, (long)(order[i] - r->slot));
    free(order);
}

static void add(bsp_machine *m, const bspm_change *c)
{
    bspm_registry *r = &m->registry;
    long i = r->free;
    if (i >= 0) {
        r->free = r->slot[i].next;
    } else {
        if ((size_t)r->count == r->space)
            r->slot = bspm_enlarge(m, r->slot, (size_t)r->count, &r->space, sizeof *r->slot);
        i = r->count++;
    }
    r->slot[i] =
        (bspm_slot){.base = (char *)(uintptr_t)c->ident, .size = c->size, .serial = c->serial};
    insert(r, i);
    if ((size_t)r->count > 2 * r->buckets)
        rehash(m);
}

static void take_out(bspm_registry *r, const bspm_change *c)
{
    long *at = &r->bucket[bucket_of(r, c->ident)];
    while (r->slot[*at].serial != c->serial)
        at = &r->slot[*at].next;
    long i = *at;
    *at = r->slot[i].next;
    r->slot[i] = (bspm_slot){.next = r->free};
    r->free = i;
}

void bspm_registry_change(bsp_machine *m)
{
    bspm_registry *r = &m->registry;
    r->hash = r->popped = 0;
    r->nulls -= r->null_pops;
    if (r->changes == 0)
        return;
    for (size_t i = 0; i < r->changes; i++) {
        const bspm_change *c = &r->change[i];
        if (c->undone)
            continue;
        if (c->pop)
            take_out(r, c);
        else
            add(m, c);
    }
    r->changes = r->pushes = r->pops = r->null_pops = 0;
    r->last_ident = NULL;
    r->last_slot = -1;
}
