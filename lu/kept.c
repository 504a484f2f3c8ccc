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
static _Thread_local void *piece;
static _Thread_local size_t piece_bytes;

static void make_key(void)
{
    have_key = pthread_key_create(&key, free) == 0;
}

static void hold(void *memory, size_t bytes)
{
    piece = memory;
    piece_bytes = bytes;
    if (have_key)
        pthread_setspecific(key, memory);
}

void *oblu_kept(size_t bytes)
{
    pthread_once(&once, make_key);
    if (bytes > piece_bytes) {
        free(piece);
        hold(NULL, 0);
        hold(oblu_room(bytes, 1), bytes);
    }
    return piece;
}

void oblu_done_with_kept(void)
{
    if (piece_bytes <= KEPT_MOST)
        return;
    free(piece);
    hold(NULL, 0);
}
