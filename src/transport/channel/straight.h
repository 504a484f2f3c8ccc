/*
 * Long messages with one copy (offer.h), and when: a receiver that waits says in its channel for
 * which lengths it wants offers. It goes by the times that messages took it both ways; the
 * processors' distance decides, and changes.
 */
#ifndef OB_TRANSPORT_CHANNEL_STRAIGHT_H
#define OB_TRANSPORT_CHANNEL_STRAIGHT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/transport.h"
#include "core/trial.h"

struct ob_link;
struct ob_offer;
struct ob_cursor;

/* The least that is offered: what is shorter takes the ring, which lets its sender get ahead. */
enum { OB_OFFER_LEAST = 64 << 10 };

enum ob_reached { OB_REACHED_UNKNOWN = 0, OB_REACHED, OB_REFUSED };

/* A link's part. */
typedef struct ob_straight {
    int choice; /* OPENBLACS_ONE_COPY */
    atomic_int
        reached;     /* enum ob_reached: can the other's memory be? Tried once, by whoever first */
    unsigned wish;   /* the classes for which offers are wanted, */
    unsigned asks;   /* and those of which too little is known: */
    unsigned says;   /* what the sender is told of both, in the channel */
    unsigned missed; /* the sender: so many times it has waited in vain since it met the other, */
    unsigned passed; /* and so often it has not waited since the last time */
    double began;    /* of the message being pulled; 0: it is not timed */
    uint64_t bytes;  /* its length, */
    bool offered;    /* and whether it came as an offer */
    ob_way way[OB_WAYS];
} ob_straight;

void ob_straight_init(ob_straight *s, int choice);
void ob_straight_saw(ob_straight *s, uint64_t bytes, bool straight, double seconds);

/* The classes that a receiver wants offers for (`wish`), and has to try (`asks`), as its channel
 * says it beside OB_FOLLOWS: whether it follows or not, that its sender may wait for it. */
enum { OB_WISH_AT = 1, OB_ASKS_AT = OB_WISH_AT + OB_WAYS };

/* The sender: is the message to be offered? Fills an offer; and, once it is shown, copies along
 * until all is done or it is revoked. The cursor becomes what is to be sent as a train. */
bool ob_straight_wanted(struct ob_link *l, const struct ob_cursor *data);
void ob_straight_fill(const struct ob_link *l, struct ob_offer *o, const struct ob_cursor *data);
void ob_straight_serve(struct ob_link *l, struct ob_offer *o, struct ob_cursor *data);

/* The receiver, at the first look and at each later: copies what it can. True when the offer is
 * done with; then the sink is what comes as a train. *moved: bytes of the message that are there.
 */
bool ob_straight_take(struct ob_link *l, struct ob_offer *o, struct ob_cursor *sink, size_t *moved);

/* The transport's callbacks of these names. */
bool ob_shm_expose(ob_peer *peer, const ob_view *view, ob_end *end);
bool ob_shm_serves(ob_peer *peer, const ob_end *own, bool write);
bool ob_shm_reaches(ob_peer *peer, const ob_end *theirs);
bool ob_shm_fetch(ob_peer *peer, const ob_end *theirs, size_t from, size_t bytes, const ob_view *to,
                  size_t at);
bool ob_shm_put(ob_peer *peer, const ob_end *theirs, size_t to, size_t bytes, const ob_view *from,
                size_t at);

#endif
