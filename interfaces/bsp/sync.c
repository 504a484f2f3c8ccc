/*
 * The end of a superstep: what was asked is delivered, and what came is carried out.
 */
#include <stdlib.h>

#include "machine.h"

static bool deliver(bsp_machine *m, const char *routine, enum bspm_end end)
{
    enum { GETS = 1, NULL_POPS = 2 };
    ob_tally tally = {.flags = (m->gets ? GETS : 0) | (m->registry.null_pops ? NULL_POPS : 0),
                      .claim = bspm_claim(m, end)};
    bspm_check(m, routine, ob_superstep_run(m->requests, &tally));
    m->sent += tally.sent;
    if (tally.flags & NULL_POPS)
        bspm_settle_pops(m, routine, end);
    else if (!tally.agreed)
        bspm_explain(m, routine, end);
    return tally.flags & GETS;
}

/* ------------------------------------------------------------- what came */

/* Memory of ours that a process's put or get names. */
static inline char *target(const bsp_machine *m, const char *routine, int from, const char *what,
                           uint64_t slot, uint64_t offset, uint64_t bytes)
{
    const bspm_registry *r = &m->registry;
    if (__builtin_expect(slot >= (uint64_t)r->count || r->slot[slot].serial == 0, 0))
        bspm_fault(m, routine, "OB-6006 process %d's %s names no registration", from, what);
    const bspm_slot *s = &r->slot[slot];
    if (__builtin_expect(offset > s->size || bytes > s->size - offset, 0)) {
        if (s->base == NULL)
            bspm_fault(m, routine,
                       "OB-6007 process %d's %s of %llu bytes goes to memory that process %d has "
                       "registered as NULL",
                       from, what, (unsigned long long)bytes, m->me);
        bspm_fault(
            m, routine,
            "OB-6007 process %d's %s of %llu bytes at offset %llu does not fit into the %zu bytes "
            "that process %d has registered",
            from, what, (unsigned long long)bytes, (unsigned long long)offset, s->size, m->me);
    }
    return s->base + offset;
}

/* One put of a few bytes, and what follows it as long as it is puts of as many to the same slot. */
static const uint64_t *write_shorts(const bsp_machine *m, const char *routine, int from,
                                    const uint64_t *item, const uint64_t *end)
{
    uint32_t alike = (uint32_t)*item;
    uint64_t bytes = alike >> 16, slot = alike >> 4 & 0xfff;
    char *to = target(m, routine, from, "put", slot, *item >> 32, bytes);
    if (bytes != 8) {
        memcpy(to, item + 1, bytes);
        return item + 1 + bspm_words(bytes);
    }
    char *base = m->registry.slot[slot].base;
    uint64_t last = m->registry.slot[slot].size - 8;
    do {
        if (__builtin_expect(*item >> 32 > last, 0))
            target(m, routine, from, "put", slot, *item >> 32, 8);
        memcpy(base + (*item >> 32), item + 1, 8);
        item += 2;
    } while (item < end && (uint32_t)*item == alike);
    return item;
}

static const uint64_t *write_put(const bsp_machine *m, const char *routine, int from,
                                 const uint64_t *item)
{
    char *to = target(m, routine, from, "put", item[0] >> 4, item[2], item[1]);
    if (item[1])
        memcpy(to, item + 3, item[1]);
    return item + 3 + bspm_words(item[1]);
}

static const uint64_t *end_of_put_matrix(const uint64_t *item)
{
    return item + 5 + bspm_words(item[3] * item[4]);
}

static const uint64_t *write_matrix(const bsp_machine *m, const char *routine, int from,
                                    const uint64_t *item)
{
    uint64_t offset = item[1], ld = item[2], column = item[3], columns = item[4];
    char *to = target(m, routine, from, "put of a matrix", item[0] >> 4, offset,
                      ld * (columns - 1) + column);
    const char *data = (const char *)(item + 5);
    if (column == 8)
        for (uint64_t j = 0; j < columns; j++)
            memcpy(to + j * ld, data + 8 * j, 8);
    else
        for (uint64_t j = 0; j < columns; j++)
            memcpy(to + j * ld, data + j * column, column);
    return end_of_put_matrix(item);
}

static _Noreturn void bad_item(const bsp_machine *m, const char *routine, int from, uint64_t word)
{
    bspm_fault(m, routine, "OB-6012 what came from process %d is damaged (%llx)", from,
               (unsigned long long)word);
}

/* What belongs to the item and is the next span; NULL: nothing does. */
static char *attachment(bsp_machine *m, int from, const uint64_t *item)
{
    char *base = NULL;
    if (bspm_is_attached(item)) {
        size_t bytes = ob_superstep_next(m->requests, from, &base);
        m->received += from == m->me ? 0 : bytes;
    }
    return base;
}

static void take_item(bsp_machine *m, const char *routine, int from, const uint64_t **item,
                      const uint64_t *end)
{
    switch (**item & 15) {
    case BSPM_PUT_SHORT: *item = write_shorts(m, routine, from, *item, end); break;
    case BSPM_PUT: *item = write_put(m, routine, from, *item); break;
    case BSPM_PUT_MATRIX: *item = write_matrix(m, routine, from, *item); break;
    case BSPM_GET: *item += 3; break;
    case BSPM_MESSAGE: *item = bspm_queue_message(m, *item); break;
    case BSPM_MATRIX: *item = bspm_queue_matrix(m, *item, attachment(m, from, *item)); break;
    default: bad_item(m, routine, from, **item);
    }
}

/* Puts are written and messages queued. */
static void take_in(bsp_machine *m, const char *routine)
{
    char *base;
    size_t bytes;
    for (int from = 0; from < m->size; from++) {
        m->from[from] = m->matrices;
        while ((bytes = ob_superstep_next(m->requests, from, &base)) != 0) {
            const uint64_t *item = (const uint64_t *)(void *)base;
            const uint64_t *end = (const uint64_t *)(void *)(base + bytes);
            m->received += from == m->me ? 0 : bytes;
            while (item < end)
                take_item(m, routine, from, &item, end);
        }
        m->from[m->size + from] = m->matrices;
    }
}

/* ------------------------------------------------------------------- gets */

/* The item behind one that is not looked at. */
static const uint64_t *behind(const bsp_machine *m, const char *routine, int from,
                              const uint64_t *item)
{
    switch (*item & 15) {
    case BSPM_PUT_SHORT: return item + 1 + bspm_words(*item >> 16 & 0xffff);
    case BSPM_PUT: return item + 3 + bspm_words(item[1]);
    case BSPM_PUT_MATRIX: return end_of_put_matrix(item);
    case BSPM_MESSAGE: return bspm_message_end(item);
    case BSPM_MATRIX: return bspm_matrix_end(item);
    default: bad_item(m, routine, from, *item);
    }
}

static const uint64_t *answer(bsp_machine *m, const char *routine, int from, const uint64_t *item)
{
    const char *data = target(m, routine, from, "get", item[0] >> 4, item[2], item[1]);
    size_t room = 8 * bspm_words(item[1]);
    ob_tail *r = &ob_superstep_tails(m->answers)[from];
    if ((size_t)(r->end - r->next) < room)
        bspm_check(m, routine, ob_superstep_grow(m->answers, from, room));
    memcpy(r->next, data, item[1]);
    r->next += room;
    return item + 3;
}

static void answer_all(bsp_machine *m, const char *routine)
{
    char *base;
    size_t bytes;
    for (int from = 0; from < m->size; from++)
        while ((bytes = ob_superstep_next(m->requests, from, &base)) != 0) {
            const uint64_t *item = (const uint64_t *)(void *)base;
            const uint64_t *end = (const uint64_t *)(void *)(base + bytes);
            while (item < end) {
                if (bspm_is_attached(item))
                    ob_superstep_next(m->requests, from, &base);
                item = (*item & 15) == BSPM_GET ? answer(m, routine, from, item)
                                                : behind(m, routine, from, item);
            }
        }
    ob_superstep_rewind(m->requests);
}

/* What is left of the span that answers of one process are taken from. */
typedef struct answers {
    char *at;
    size_t left;
} answers;

static void receive_answers(bsp_machine *m)
{
    answers *of = bspm_more(m, NULL, (size_t)m->size, sizeof *of);
    memset(of, 0, (size_t)m->size * sizeof *of);
    for (size_t i = 0; i < m->gets; i++) {
        const bspm_get *g = &m->get[i];
        answers *a = &of[g->pid];
        if (a->left == 0)
            a->left = ob_superstep_next(m->answers, g->pid, &a->at);
        memcpy(g->dst, a->at, g->bytes);
        a->at += 8 * bspm_words(g->bytes);
        a->left -= 8 * bspm_words(g->bytes);
        m->received += g->pid == m->me ? 0 : g->bytes;
    }
    free(of);
    m->gets = 0;
}

/* All have come here, so all sources are read before any put is written. */
static void do_gets(bsp_machine *m, const char *routine)
{
    ob_tally tally = {0};
    answer_all(m, routine);
    bspm_check(m, routine, ob_superstep_run(m->answers, &tally));
    m->sent += tally.sent;
    receive_answers(m);
}

/* ------------------------------------------------------------------- sync */

static void count_sent(bsp_machine *m)
{
    for (int d = 0; d < m->size; d++)
        m->last[d].end = NULL;
    m->supersteps++;
}

void bspm_sync(bsp_machine *m, const char *routine, enum bspm_end end)
{
    if (end == BSPM_SYNC)
        bspm_apart(m, routine);
    count_sent(m);
    bool gets = deliver(m, routine, end);
    bspm_queue_clear(m);
    if (gets || end != BSPM_SYNC)
        ob_superstep_read(m->requests);
    if (end != BSPM_SYNC)
        return;
    if (gets)
        do_gets(m, routine);
    take_in(m, routine);
    ob_superstep_read(gets ? m->answers : m->requests);
    bspm_registry_change(m);
    m->scopes = 0;
    m->tag_bytes = m->next_tag_bytes;
    /* Behind (release) the changes of the registry: who reads it in this process's memory, then
     * a slot (slot_there), has the slot of after this sync. */
    __atomic_store_n(&m->finished, m->finished + 1, __ATOMIC_RELEASE);
}
