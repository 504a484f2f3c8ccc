/*
 * What a collective call should take, found by following its messages: each
 * member has a script of sends, receives and local work, and the members share
 * processors as processes do. No communication, no clock; the same scripts and
 * costs always give the same times.
 *
 * Member i lives on processor i mod processors. Those that wait follow the rules of
 * node/wait.c and collective/board/board.c: look for a while, yield to another one of the same
 * processor, or sleep. A processor that is shared therefore takes its members in turn, always
 * in the same order, and a message is noticed when its receiver's turn comes.
 */
#ifndef OB_PREDICT_SIMULATE_H
#define OB_PREDICT_SIMULATE_H

#include <stdint.h>

#include "obbench/predict/predict.h"

typedef enum obb_action {
    OB_DO_SEND,    /* bytes to peer: packs them */
    OB_DO_RECEIVE, /* bytes from peer */
    OB_DO_WORK,    /* combines bytes */
    OB_DO_CALL,    /* begins a broadcast (bytes 0) or a combine */
    OB_DO_BARRIER, /* until all members are here */
    OB_DO_MARK     /* notes the time: the beginning of the call, then its end */
} obb_action;

typedef struct obb_step {
    obb_action action;
    int peer;
    size_t bytes;
    size_t whole; /* OB_DO_WORK: of the vector that the bytes are a chunk of */
} obb_step;

/* One round of a member; all members have one barrier and two marks in it, or none and two. */
typedef struct obb_script {
    obb_step *step;
    int count, room;
    int failed; /* memory has run out */
} obb_script;

void obb_script_add(obb_script *script, obb_action action, int peer, size_t bytes);
void obb_script_work(obb_script *script, size_t bytes, size_t whole);

/* Runs the scripts `rounds` times over. elapsed[r * members + i]: microseconds of member i
 * between its marks in round r. footprint: bytes that all members together touch, for
 * what no longer fits into the cache. order: one of many in which a processor takes its
 * members, 0: by number. OB_EARG when the members would wait for
 * each other for ever, OB_ENOMEM. */
int obb_simulate(const ob_profile *profile, int members, const obb_script *scripts, int rounds,
                 size_t footprint, unsigned order, double *elapsed);

#endif
