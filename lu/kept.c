/*
 * Working memory that a thread keeps for its next call: pages of memory that the system has just
 * given cost more than a small factorisation has to spare. What is large is given back at once.
 */
#include "lu.h"

#include <pthread.h>
#include <stdlib.h>

enum { KEPT_MOST = 16 << 20 };

static pthread_key_t key[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Without a key, of which a process has 1024, the piece lasts as long as the process. */
static bool have_key[2];
static _Thread_local struct {
    void *memory;
    size_t bytes;
} kept[2]; /* for oblu_keep, and oblu_keep_copy */

static void make_key(void)
{
    for (int i = 0; i < 2; i++)
        have_key[i] = pthread_key_create(&key[i], free) == 0;
}

static void hold(int i, void *memory, size_t bytes)
{
    kept[i].memory = memory;
    kept[i].bytes = bytes;
    if (have_key[i])
        pthread_setspecific(key[i], memory);
}

static void drop(int i)
{
    free(kept[i].memory);
    hold(i, NULL, 0);
}

static void *at_least(int i, size_t bytes)
{
    pthread_once(&once, make_key);
    if (bytes > kept[i].bytes) {
        drop(i);
        hold(i, oblu_room(bytes, 1), bytes);
    }
    return kept[i].memory;
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
    char *next = at_least(0, bytes);
    for (size_t i = 0; i < count; i++) {
        *list[i].at = next;
        next += rounded(list[i].bytes);
    }
}

void *oblu_keep_copy(size_t bytes)
{
    return at_least(1, bytes);
}

static void no_more(int i)
{
    if (kept[i].bytes > KEPT_MOST)
        drop(i);
}

void oblu_kept_no_more(void)
{
    no_more(0);
}

void oblu_copy_no_more(void)
{
    no_more(1);
}
