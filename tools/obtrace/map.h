/*
 * A table from 64-bit keys to small numbers, for process numbers, block types and
 * the like: a hostile file may have as many different ones as it has lines.
 */
#ifndef OBTRACE_MAP_H
#define OBTRACE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define OBT_NONE SIZE_MAX

typedef struct obt_map {
    int64_t *keys;
    size_t *values; /* OBT_NONE: the slot is free */
    size_t slots, count;
} obt_map;

/* The value of the key, or OBT_NONE. */
size_t obt_map_find(const obt_map *m, int64_t key);
/* The value of the key, which is `fresh` from now on when it is not there yet. */
size_t obt_map_take(obt_map *m, int64_t key, size_t fresh);
void obt_map_free(obt_map *m);

#endif
