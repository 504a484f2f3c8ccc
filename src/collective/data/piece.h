/*
 * How a vector is cut that goes piece by piece, where members that disagree about its length must
 * find out: no vector's pieces are the first ones of a longer vector. Pieces of 61 k + 8 elements,
 * half of the longest or more, are followed by another one, an empty one perhaps; no others are. So
 * one of the pieces has another length, and none waits for a piece that nobody sends.
 */
#ifndef OB_COLLECTIVE_DATA_PIECE_H
#define OB_COLLECTIVE_DATA_PIECE_H

#include <stdbool.h>
#include <stddef.h>

enum { OB_PIECE_STEP = 61, OB_PIECE_MORE = 8 };

/* Elements of the longest piece, where about so many are wanted: not more of them, but at least
 * OB_PIECE_MORE. */
static inline size_t ob_piece_most(size_t most)
{
    if (most < OB_PIECE_STEP + OB_PIECE_MORE)
        return OB_PIECE_MORE;
    return most - (most - OB_PIECE_MORE) % OB_PIECE_STEP;
}

/* Is a piece of so many elements followed by another one? most: ob_piece_most. */
static inline bool ob_piece_followed(size_t count, size_t most)
{
    return count >= most / 2 && count % OB_PIECE_STEP == OB_PIECE_MORE;
}

/* `count`, or as many more as make it a number of a piece that is followed. */
static inline size_t ob_piece_step(size_t count)
{
    return count + (OB_PIECE_STEP + OB_PIECE_MORE - count % OB_PIECE_STEP) % OB_PIECE_STEP;
}

/* Elements of the next piece, of `left` that are left: about as many as of those behind it. */
static inline size_t ob_piece_next(size_t left, size_t most)
{
    if (left <= most)
        return left;
    size_t pieces = (left - 1) / most + 1;
    return ob_piece_step((left - 1) / pieces + 1);
}

/* Pieces behind the first of a vector. */
static inline size_t ob_piece_behind(size_t whole, size_t most)
{
    return (whole - (whole > 0)) / most;
}

/* The first piece of one run of a vector of `whole`. Where there are several it is shorter by more,
 * the more pieces the whole has: half a vector begins unlike the whole of one half as long. */
static inline size_t ob_piece_first(size_t left, size_t whole, size_t most)
{
    size_t room = (most - most / 2) / OB_PIECE_STEP + 1;
    return left <= most ? left : most - ob_piece_behind(whole, most) % room * OB_PIECE_STEP;
}

/* The same, but about half of the longest, and longer the more pieces there are. */
static inline size_t ob_piece_short_first(size_t whole, size_t most)
{
    size_t room = (most - most / 2) / OB_PIECE_STEP + 1, behind = ob_piece_behind(whole, most);
    return behind == 0 ? whole : most - (room - 1 - behind % room) * OB_PIECE_STEP;
}

#endif
