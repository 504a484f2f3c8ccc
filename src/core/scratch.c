/*
 * Working memory of the collectives: one piece a thread, kept for the next call.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/group.h"
#include "core/scratch.h"

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Without a key, of which a process has 1024, the piece lasts as long as the process. */
static bool have_key;
static _Thread_local void *piece;
static _Thread_local size_t piece_bytes;

static void make_key(void)
{
    have_key = pthread_key_create(&key, free) == 0;
}

void *ob_group_scratch(ob_group *group, size_t bytes)
{
    (void)group;
    if (bytes <= piece_bytes)
        return piece;
    pthread_once(&once, make_key);
    ob_scratch_free();
    size_t rounded = (bytes + 4095) / 4096 * 4096;
    piece = aligned_alloc(64, rounded);
    piece_bytes = piece ? rounded : 0;
    if (have_key)
        pthread_setspecific(key, piece);
    return piece;
}

void ob_scratch_free(void)
{
    free(piece);
    piece = NULL;
    if (piece_bytes && have_key)
        pthread_setspecific(key, NULL);
    piece_bytes = 0;
}
