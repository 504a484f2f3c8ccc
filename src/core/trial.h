/*
 * Two ways to do one thing, of which now one is faster, now the other, since the processors change
 * their distance: the usual way, and straight from matrix to matrix (one copy). The times decide.
 * The slower way is tried now and then, ever more rarely while that changes nothing.
 */
#ifndef OB_CORE_TRIAL_H
#define OB_CORE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/* The least that goes straight in a collective call, and classes of lengths from there on, by
 * powers of two. */
enum { OB_STRAIGHT_LEAST = 32 << 10, OB_WAYS = 9 };
/* Times between two trials of the slower way: at most, after a change, and before a time that
 * says something new is believed; and at least, where the usual way has no time yet, where it is as
 * fast as near processors make it, or the other was far slower. */
enum {
    OB_WAY_PAUSE_MOST = 1024,
    OB_WAY_PAUSE_ALONE = 128,
    OB_WAY_PAUSE_NEAR = 64,
    OB_WAY_PAUSE = 16,
    OB_WAY_PAUSE_LEAST = 4
};
/* Times that a trial lasts: the first ones find the caches as the other way has left them. */
enum { OB_WAY_TRIAL = 4 };

/* What is known of one class. */
typedef struct ob_way {
    float usual, straight; /* ns a byte, 0: not known */
    unsigned since, pause; /* times since the last trial; then the next is due (0: least) */
    unsigned trial;        /* so many times still go the slower way */
    bool better;           /* straight is */
    bool wanted;           /* the next time is to go straight */
} ob_way;

/* It took so long, that way. The same calls in the same order give the same answers. */
void ob_way_saw(ob_way *w, bool straight, double ns_per_byte);

/* How often this process took either way, for statistics. */
enum ob_way_of { OB_WAY_MESSAGES, OB_WAY_COLLECTIVES, OB_WAYS_OF };
void ob_way_count(enum ob_way_of what, bool straight);
uint64_t ob_way_counted(enum ob_way_of what, bool straight);

static inline unsigned ob_way_class(uint64_t bytes)
{
    unsigned class = 0;
    while (class < OB_WAYS - 1 && bytes >= (uint64_t)OB_STRAIGHT_LEAST << (class + 1))
        class ++;
    return class;
}

#endif
