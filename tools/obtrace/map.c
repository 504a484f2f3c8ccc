/*
 * Open addressing with linear probing, at most half full.
 */
#include "trace.h"

#include <stdlib.h>

#include "hooks/hash.h"

/* Where the key stands, or would. */
static size_t slot_of(const obt_map *m, int64_t key)
{
    size_t s = (size_t)(ob_hash_spread((uint64_t)key) >> 20) & (m->slots - 1);
    while (m->values[s] != OBT_NONE && m->keys[s] != key)
        s = (s + 1) & (m->slots - 1);
    return s;
}

size_t obt_map_find(const obt_map *m, int64_t key)
{
    return m->slots ? m->values[slot_of(m, key)] : OBT_NONE;
}

static void put(obt_map *m, size_t slot, int64_t key, size_t value)
{
    m->keys[slot] = key;
    m->values[slot] = value;
}

static void enlarge(obt_map *m)
{
    obt_map old = *m;
    m->slots = old.slots ? 2 * old.slots : 64;
    m->keys = obt_memory(m->slots, sizeof *m->keys);
    m->values = obt_memory(m->slots, sizeof *m->values);
    for (size_t s = 0; s < m->slots; s++)
        m->values[s] = OBT_NONE;
    for (size_t s = 0; s < old.slots; s++)
        if (old.values[s] != OBT_NONE)
            put(m, slot_of(m, old.keys[s]), old.keys[s], old.values[s]);
    free(old.keys);
    free(old.values);
}

size_t obt_map_take(obt_map *m, int64_t key, size_t fresh)
{
    if (2 * (m->count + 1) > m->slots)
        enlarge(m);
    size_t slot = slot_of(m, key);
    if (m->values[slot] == OBT_NONE) {
        put(m, slot, key, fresh);
        m->count++;
    }
    return m->values[slot];
}

void obt_map_free(obt_map *m)
{
    free(m->keys);
    free(m->values);
    *m = (obt_map){0};
}
