/*
 * What all processes must have in common at the end of a superstep, and what is said when they do
 * not. Also pops of NULL, which only together say what they take back.
 */
#include <stdlib.h>

#include "machine.h"

/* The last three are in the hashes, and stand here for who explains. */
typedef struct common {
    uint64_t end, tag_bytes, pushes, pops, hash, popped, dims, scopes;
} common;

static common common_of(const bsp_machine *m, enum bspm_end end)
{
    const bspm_registry *r = &m->registry;
    return (common){
        (uint64_t)end, (uint64_t)m->next_tag_bytes, r->pushes, r->pops, r->hash, r->popped, m->dims,
        m->scopes};
}

uint32_t bspm_claim(const bsp_machine *m, enum bspm_end end)
{
    const bspm_registry *r = &m->registry;
    uint64_t h = end,
             rest[] = {(uint64_t)m->next_tag_bytes, r->pushes, r->pops, r->hash, r->popped};
    for (int i = 0; i < 5; i++) {
        h = (h ^ rest[i]) * UINT64_C(0x94d049bb133111eb);
        h ^= h >> 31;
    }
    return (uint32_t)h & 0xffffff;
}

static const char *name_of(uint64_t end)
{
    return end == BSPM_SYNC ? "a sync" : end == BSPM_END ? "bsp_end" : "bsp2d_gridexit";
}

/* Faults with the first difference between process 0 and another. */
static void compare(const bsp_machine *m, const char *routine, const common *a, const common *b,
                    int pid)
{
    if (a->end != b->end)
        bspm_fault(m, routine, "OB-6003 process 0 calls %s while process %d calls %s",
                   name_of(a->end), pid, name_of(b->end));
    if (a->dims != b->dims)
        bspm_fault(m, routine,
                   "OB-6004 process 0 has made a grid of %llu x %llu, process %d of %llu x %llu",
                   (unsigned long long)(a->dims >> 32), (unsigned long long)(a->dims & 0xffffffff),
                   pid, (unsigned long long)(b->dims >> 32),
                   (unsigned long long)(b->dims & 0xffffffff));
    if (a->scopes != b->scopes)
        bspm_fault(m, routine,
                   "OB-6004 since the sync before, processes 0 and %d have called collectives of "
                   "different "
                   "scopes, or of the grid with different roots",
                   pid);
    if (a->pushes != b->pushes || a->pops != b->pops)
        bspm_fault(
            m, routine,
            "OB-6005 in this superstep process 0 has pushed %llu and popped %llu registrations, "
            "process %d %llu and %llu; all processes register together",
            (unsigned long long)a->pushes, (unsigned long long)a->pops, pid,
            (unsigned long long)b->pushes, (unsigned long long)b->pops);
    if (a->tag_bytes != b->tag_bytes)
        bspm_fault(m, routine, "OB-6004 process 0 wants tags of %llu bytes, process %d of %llu",
                   (unsigned long long)a->tag_bytes, pid, (unsigned long long)b->tag_bytes);
    if (a->hash != b->hash || a->popped != b->popped)
        bspm_fault(
            m, routine,
            "OB-6005 processes 0 and %d have popped registrations that do not belong together, "
            "pushed and popped in another order, or asked for different buffers",
            pid);
}

/* What all have, by process. */
static void *collect(bsp_machine *m, const char *routine, const void *mine, size_t bytes)
{
    char *all = bspm_more(m, NULL, (size_t)m->size, bytes);
    memcpy(all + (size_t)m->me * bytes, mine, bytes);
    ob_pieces pieces = {.base = all, .type = OB_BYTE, .count = bytes};
    if (m->size > 1)
        bspm_check(m, routine, ob_collect(m->group, &pieces, NULL));
    return all;
}

/* Process 0 ends the job, the others wait for that. */
static _Noreturn void await_the_end(bsp_machine *m, const char *routine)
{
    ob_barrier(m->group);
    bspm_fault(m, routine, "OB-6003 the processes do not agree on this superstep");
}

/* All know that they disagree; process 0 finds out how and says it. */
_Noreturn void bspm_explain(bsp_machine *m, const char *routine, enum bspm_end end)
{
    common mine = common_of(m, end);
    common *all = collect(m, routine, &mine, sizeof mine);
    for (int i = 1; i < m->size && m->me == 0; i++)
        compare(m, routine, &all[0], &all[i], i);
    await_the_end(m, routine);
}

/* ------------------------------------------------------------ pops of NULL */

/* A process that pops NULL has one of its NULL registrations in mind, and those that have
 * registered memory there say which. Where all pop NULL it is the newest that is NULL on all. So
 * the k-th pop of all processes takes back the same registration. */

/* Faults when all agree but for what was popped. */
static void compare_the_rest(bsp_machine *m, const char *routine, enum bspm_end end)
{
    common mine = common_of(m, end);
    mine.popped = 0;
    common *all = collect(m, routine, &mine, sizeof mine);
    bool same = true;
    for (int i = 1; i < m->size; i++)
        same &= memcmp(&all[0], &all[i], sizeof mine) == 0;
    for (int i = 1; !same && i < m->size && m->me == 0; i++)
        compare(m, routine, &all[0], &all[i], i);
    if (!same)
        await_the_end(m, routine);
    free(all);
}

/* The serial that some process gives to the k-th of `pops` pops; 0: none does. */
static uint64_t named(bsp_machine *m, const char *routine, const uint64_t *all, size_t pops,
                      size_t k)
{
    uint64_t serial = 0;
    int by = 0;
    for (int i = 0; i < m->size; i++) {
        uint64_t s = all[(size_t)i * pops + k];
        if (s && serial && s != serial) {
            if (m->me == 0)
                bspm_fault(m, routine,
                           "OB-6005 processes %d and %d have popped registrations that do not "
                           "belong together",
                           by, i);
            await_the_end(m, routine);
        }
        by = s && !serial ? i : by;
        serial = s ? s : serial;
    }
    return serial;
}

/* What is registered as NULL on all: 1 for slots, and then for changes, where it is. */
static int32_t *null_everywhere(bsp_machine *m, const char *routine)
{
    const bspm_registry *r = &m->registry;
    size_t slots = (size_t)r->count, n = slots + r->changes;
    int32_t *is = bspm_more(m, NULL, n, sizeof *is);
    for (size_t i = 0; i < slots; i++)
        is[i] = r->slot[i].serial && r->slot[i].base == NULL;
    for (size_t i = 0; i < r->changes; i++)
        is[slots + i] = !r->change[i].pop && r->change[i].ident == NULL;
    ob_view view = ob_view_vector(is, n, OB_INT);
    if (m->size > 1)
        bspm_check(m, routine, ob_combine(m->group, OB_ANY, OB_MIN, &view, NULL, 0, NULL));
    return is;
}

/* The newest of these before a pop; it is taken from them. 0: there is none. */
static uint64_t newest(const bspm_registry *r, int32_t *is, size_t before)
{
    size_t slots = (size_t)r->count, found = SIZE_MAX;
    uint64_t serial = 0;
    for (size_t i = 0; i < slots + before; i++) {
        uint64_t s = i < slots ? r->slot[i].serial : r->change[i - slots].serial;
        if (is[i] && s > serial) {
            serial = s;
            found = i;
        }
    }
    if (found != SIZE_MAX)
        is[found] = 0;
    return serial;
}

/* Every pop's serial, as far as this process knows it. */
static uint64_t *serials_of_pops(const bsp_machine *m)
{
    const bspm_registry *r = &m->registry;
    uint64_t *mine = bspm_more(m, NULL, r->pops, sizeof *mine);
    size_t k = 0;
    for (size_t i = 0; i < r->changes; i++)
        if (r->change[i].pop)
            mine[k++] = r->change[i].serial;
    return mine;
}

void bspm_settle_pops(bsp_machine *m, const char *routine, enum bspm_end end)
{
    bspm_registry *r = &m->registry;
    int32_t *everywhere = NULL;
    compare_the_rest(m, routine, end);
    uint64_t *mine = serials_of_pops(m), *all = collect(m, routine, mine, r->pops * sizeof *mine);
    for (size_t i = 0, k = 0; i < r->changes; i++) {
        if (!r->change[i].pop)
            continue;
        uint64_t serial = named(m, routine, all, r->pops, k++);
        if (serial == 0) {
            everywhere = everywhere ? everywhere : null_everywhere(m, routine);
            serial = newest(r, everywhere, i);
        }
        if (serial == 0 && m->me == 0)
            bspm_fault(m, routine,
                       "OB-6005 all processes have popped NULL, but no registration left is NULL "
                       "on all of them");
        if (serial == 0)
            await_the_end(m, routine);
        if (r->change[i].serial == 0 && !bspm_settle_pop(m, i, serial))
            bspm_fault(
                m, routine,
                "OB-6005 NULL was popped here, but what the others have popped together with it "
                "is no registration of NULL here");
    }
    free(everywhere);
    free(mine);
    free(all);
}
