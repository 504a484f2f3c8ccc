/* A job whose processes are the explorer's: real segments, links and jobs in explored memory. */
#ifndef OB_ORDERS_WORLD_H
#define OB_ORDERS_WORLD_H

#include "core/job.h"
#include "explore.h"
#include "node/shm.h"
#include "transport/channel/link.h"

enum { WORLD_MOST = 4 };

typedef struct world {
    int count;
    ob_job *job[WORLD_MOST];
    ob_shm *shm[WORLD_MOST];
    ob_peer *peer[WORLD_MOST][WORLD_MOST];
} world;

/* In a model's setup. */
world *world_open(int count, const ob_settings *set);
ob_peer *world_peer(const world *w, int me, int other);
ob_link *world_link(const world *w, int me, int other);
/* The channel from one to the other: `bytes` of its ring are used, a power of two; large: as if it
 * had been led to the large ring before. */
void world_ring(const world *w, int from, int to, size_t bytes, bool large);

/* Who sends does so with light fences, as at first, or in full, and has rung for nobody. */
void world_fences(const world *w, int from, int to, bool light);

/* Messages of words made of a number; the next message must be that. */
enum { WORLD_WORDS = 1024 };
int world_send_long(ob_peer *to, uint64_t number, size_t bytes);
void world_receive_long(ob_peer *from, uint64_t number, size_t bytes);
/* Of one word. */
int world_send(ob_peer *to, uint64_t number);
bool world_try(ob_peer *from, uint64_t number); /* false: there is none yet */
void world_receive(ob_peer *from, uint64_t number);

#endif
