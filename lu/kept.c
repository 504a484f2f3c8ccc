/*
 * Working memory that a thread keeps for its next call: pages of memory that the system has just
 * given cost more than a small factorisation has to spare. What is large is given back at once.
 */
#include "lu.h"

#include <pthread.h>
#include <stdlib.h>

enum { KEPT_MOST = 16 << 20 };

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Without a key, of which a process has 1024, the piece lasts as long as the process. */
static bool have_key;
static _Thread_local void *kept;
static _Thread_local size_t kept_bytes;

static void make_key(void)
{
    have_key = pthread_key_create(&key, free) == 0;
}

static void hold(void *memory, size_t bytes)
{
    kept = memory;
    kept_bytes = bytes;
    if (have_key)
        pthread_setspecific(key, memory);
}

/* To the next multiple of a cache line. */
static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

void oblu_keep(const oblu_piece *list, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += rounded(list[i].bytes);
    pthread_once(&once, make_key);
    if (bytes > kept_bytes) {
        free(kept);
        hold(NULL, 0);
        hold(oblu_room(bytes, 1), bytes);
    }
    char *next = kept;
    for (size_t i = 0; i < count; i++) {
        *list[i].at = next;
        next += rounded(list[i].bytes);
    }
}

void oblu_kept_no_more(void)
{
    if (kept_bytes <= KEPT_MOST)
        return;
    free(kept);
    hold(NULL, 0);
}
