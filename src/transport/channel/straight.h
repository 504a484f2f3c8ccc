/*
 * Long messages with one copy (offer.h), and when: a receiver that waits says in its channel for
 * which lengths it wants offers. It goes by the times that messages took it both ways; the
 * processors' distance decides, and changes.
 */
#ifndef OB_TRANSPORT_CHANNEL_STRAIGHT_H
#define OB_TRANSPORT_CHANNEL_STRAIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ob_link;
struct ob_offer;
struct ob_cursor;

/* The least that is offered, and classes of lengths from there on, by powers of two. */
enum { OB_STRAIGHT_LEAST = 64 << 10, OB_WAYS = 8 };
/* Messages between two trials of the slower way: at most, after a change, and before a time that
 * says something new is believed. */
enum { OB_WAY_PAUSE_MOST = 1024, OB_WAY_PAUSE = 16, OB_WAY_PAUSE_LEAST = 2 };

/* What is known of messages of one class. */
typedef struct ob_way {
    float ring, straight;  /* ns a byte, 0: not known */
    unsigned since, pause; /* messages since the last trial; then the next is due */
    bool better, trial;    /* straight is; the next message goes the slower way */
    bool wanted;           /* the next message is to be offered */
} ob_way;

/* A message that was awaited took so long. */
void ob_way_saw(ob_way *w, bool straight, double ns_per_byte);

/* A link's part. */
typedef struct ob_straight {
    int choice;            /* OPENBLACS_ONE_COPY */
    bool checked, refused; /* it was tried whether the other's memory can be reached; it cannot */
    unsigned wish;         /* the classes for which offers are wanted */
    double began;          /* of the message being pulled; 0: it is not timed */
    uint64_t bytes;        /* its length, */
    bool offered;          /* and whether it came as an offer */
    ob_way way[OB_WAYS];
} ob_straight;

void ob_straight_init(ob_straight *s, int choice);
void ob_straight_saw(ob_straight *s, uint64_t bytes, bool straight, double seconds);

/* The sender: is the message to be offered? Fills an offer; and, once it is shown, copies along
 * until all is done or it is revoked. The cursor becomes what is to be sent as a train. */
bool ob_straight_wanted(const struct ob_link *l, const struct ob_cursor *data);
void ob_straight_fill(const struct ob_link *l, struct ob_offer *o, const struct ob_cursor *data);
void ob_straight_serve(struct ob_link *l, struct ob_offer *o, struct ob_cursor *data);

/* The receiver, at the first look and at each later: copies what it can. True when the offer is
 * done with; then the sink is what comes as a train. *moved: bytes of the message that are there.
 */
bool ob_straight_take(struct ob_link *l, struct ob_offer *o, struct ob_cursor *sink, size_t *moved);

#endif
