/*
 * Puts and gets, as they are asked for.
 */
#include "machine.h"

long bspm_slot_of(bsp_machine *m, const char *routine, const void *ident)
{
    if (__builtin_expect(ident == NULL, 0))
        bspm_fault(
            m, routine,
            "OB-6006 NULL names no registration, also where this process has registered NULL");
    long slot = bspm_find(m, ident);
    if (__builtin_expect(slot < 0, 0))
        bspm_fault(
            m, routine,
            "OB-6006 address %p is not registered (a registration counts from the sync after "
            "bsp_push_reg on)",
            ident);
    return slot;
}

bool bspm_check_request(const bsp_machine *m, const char *routine, int pid, const void *memory,
                        size_t offset, size_t bytes)
{
    bspm_check_pid(m, routine, pid);
    if (bytes == 0)
        return false;
    bspm_check_size(m, routine, "the offset", offset);
    bspm_check_size(m, routine, "the length", bytes);
    if (memory == NULL)
        bspm_fault(m, routine, "OB-1002 %zu bytes at address NULL", bytes);
    return true;
}

/* A put right behind the last one, in its memory and in the outbox, makes that one longer. */
static bool join(bsp_machine *m, int pid, const void *src, uint64_t slot, size_t offset,
                 size_t bytes)
{
    bspm_last *last = &m->last[pid];
    ob_tail *r = &m->tail[pid];
    if (last->end != r->next || last->end == NULL ||
        (size_t)(r->end - r->next) < 8 * bspm_words(bytes))
        return false;
    uint64_t item = *last->item, length = item >> 16 & BSPM_SHORT_LENGTH;
    if ((item >> 4 & 0xfff) != slot || (item >> 32) + length != offset ||
        length + bytes > BSPM_SHORT_LENGTH)
        return false;
    memcpy(last->end, src, bytes);
    last->end += bytes;
    r->next += 8 * bspm_words(bytes);
    *last->item = item + ((uint64_t)bytes << 16);
    return true;
}

/* What bspm_put_quick does not take. */
void bspm_put_slow(bsp_machine *m, const char *routine, int pid, const void *src, const void *dst,
                   size_t offset, size_t bytes)
{
    if (!bspm_check_request(m, routine, pid, src, offset, bytes))
        return;
    uint64_t slot = (uint64_t)bspm_slot_of(m, routine, dst);
    if (join(m, pid, src, slot, offset, bytes))
        return;
    if (bytes > BSPM_SHORT_LENGTH || offset > UINT32_MAX || slot >= BSPM_SHORT_SLOTS) {
        uint64_t *item = bspm_take(m, routine, pid, 24 + 8 * bspm_words(bytes));
        item[0] = BSPM_PUT | slot << 4;
        item[1] = bytes;
        item[2] = offset;
        memcpy(item + 3, src, bytes);
    } else {
        uint64_t *item = bspm_take(m, routine, pid, 8 + 8 * bspm_words(bytes));
        item[0] = BSPM_PUT_SHORT | slot << 4 | (uint64_t)bytes << 16 | (uint64_t)offset << 32;
        memcpy(item + 1, src, bytes);
        m->last[pid] = (bspm_last){item, (char *)(item + 1) + bytes};
    }
}

static void check_own_range(const bsp_machine *m, const char *routine, long slot, size_t offset,
                            size_t bytes)
{
    const bspm_slot *s = &m->registry.slot[slot];
    if (offset > s->size || bytes > s->size - offset)
        bspm_fault(m, routine,
                   "OB-6007 %zu bytes at offset %zu of its own registration of %zu bytes", bytes,
                   offset, s->size);
}

/* To oneself at once; to others like a put: the outbox is memory that they read, so there is no
 * copy to save. */
void bspm_hpput(bsp_machine *m, const char *routine, int pid, const void *src, const void *dst,
                size_t offset, size_t bytes)
{
    if (pid != m->me) {
        bspm_put(m, routine, pid, src, dst, offset, bytes);
        return;
    }
    if (!bspm_check_request(m, routine, pid, src, offset, bytes))
        return;
    long slot = bspm_slot_of(m, routine, dst);
    check_own_range(m, routine, slot, offset, bytes);
    memmove(m->registry.slot[slot].base + offset, src, bytes);
}

void bspm_put_matrix(bsp_machine *m, const char *routine, int pid, const ob_view *a,
                     const void *dst, size_t offset, size_t ld)
{
    size_t unit = ob_type_bytes(a->type), column = a->m * unit;
    bspm_check_pid(m, routine, pid);
    if (a->m == 0 || a->n == 0)
        return;
    uint64_t slot = (uint64_t)bspm_slot_of(m, routine, dst);
    uint64_t *item = bspm_take(m, routine, pid, 40 + 8 * bspm_words(column * a->n));
    item[0] = BSPM_PUT_MATRIX | slot << 4;
    item[1] = offset * unit;
    item[2] = ld * unit;
    item[3] = column;
    item[4] = a->n;
    ob_view_pack(a, item + 5);
}

void bspm_get_request(bsp_machine *m, const char *routine, int pid, const void *src, size_t offset,
                      void *dst, size_t bytes)
{
    if (!bspm_check_request(m, routine, pid, dst, offset, bytes))
        return;
    long slot = bspm_slot_of(m, routine, src);
    uint64_t *item = bspm_take(m, routine, pid, 24);
    item[0] = BSPM_GET | (uint64_t)slot << 4;
    item[1] = bytes;
    item[2] = offset;
    if (m->gets == m->get_space)
        m->get = bspm_enlarge(m, m->get, m->gets, &m->get_space, sizeof *m->get);
    m->get[m->gets++] = (bspm_get){pid, dst, bytes};
}

void bspm_hpget(bsp_machine *m, const char *routine, int pid, const void *src, size_t offset,
                void *dst, size_t bytes)
{
    if (pid != m->me) {
        bspm_get_request(m, routine, pid, src, offset, dst, bytes);
        return;
    }
    if (!bspm_check_request(m, routine, pid, dst, offset, bytes))
        return;
    long slot = bspm_slot_of(m, routine, src);
    check_own_range(m, routine, slot, offset, bytes);
    memmove(dst, m->registry.slot[slot].base + offset, bytes);
}
