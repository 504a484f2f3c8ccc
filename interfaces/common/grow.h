/*
 * Arrays that grow by doubling.
 */
#ifndef OB_COMMON_GROW_H
#define OB_COMMON_GROW_H

#include <stdint.h>
#include <stdlib.h>

/* Makes room for one more element behind `count` of them, of so many bytes; *room is how many fit.
 * NULL: there is no memory for it, and the array is as it was. */
static inline void *ob_grow(void *array, size_t count, size_t *room, size_t bytes)
{
    if (count < *room)
        return array;
    size_t wanted = *room ? 2 * *room : 16;
    void *more = wanted > PTRDIFF_MAX / bytes ? NULL : realloc(array, wanted * bytes);
    if (more)
        *room = wanted;
    return more;
}

#endif
