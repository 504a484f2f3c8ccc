/*
 * Open addressing with linear probing, at most half full.
 */
#include "map.h"

#include <stdlib.h>

#include "hooks/hash.h"
#include "trace.h"

static size_t slot_of(int64_t key, size_t slots)
{
    return (size_t)(ob_hash_spread((uint64_t)key) >> 20) & (slots - 1);
}

size_t obt_map_find(const obt_map *m, int64_t key)
{
    if (m->slots == 0)
        return OBT_NONE;
    for (size_t s = slot_of(key, m->slots); m->values[s] != OBT_NONE; s = (s + 1) & (m->slots - 1))
        if (m->keys[s] == key)
            return m->values[s];
    return OBT_NONE;
}

static void put(obt_map *m, int64_t key, size_t value)
{
    size_t s = slot_of(key, m->slots);
    while (m->values[s] != OBT_NONE)
        s = (s + 1) & (m->slots - 1);
    m->keys[s] = key;
    m->values[s] = value;
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
            put(m, old.keys[s], old.values[s]);
    free(old.keys);
    free(old.values);
}

void obt_map_add(obt_map *m, int64_t key, size_t value)
{
    if (2 * (m->count + 1) > m->slots)
        enlarge(m);
    put(m, key, value);
    m->count++;
}

void obt_map_free(obt_map *m)
{
    free(m->keys);
    free(m->values);
    *m = (obt_map){0};
}
