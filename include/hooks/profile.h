/*
 * A machine profile from inside, for who fits, plans and predicts: obbench, obinfo and the planner.
 * Times are microseconds, lengths are bytes.
 */
#ifndef OPENBLACS_HOOKS_PROFILE_H
#define OPENBLACS_HOOKS_PROFILE_H

#include "openblacs/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From `from` bytes on: alpha + beta n. alpha may be negative, as in the
 * paper: where a line is fitted to a range, it need not hold at 0. */
typedef struct ob_piece {
    size_t from;
    double alpha, beta;
} ob_piece;

#define OB_PIECES 8

/* A piecewise line; piece[0].from is 0. */
typedef struct ob_curve {
    int pieces; /* 1 .. OB_PIECES */
    ob_piece piece[OB_PIECES];
    double spread; /* relative error of the measured data, as in LAWN 73, 3.3; 0: not measured */
    double misfit; /* median relative distance of the data from the line */
} ob_curve;

/* What a message does not show by itself: the call around it, waiting where
 * processes share processors, and memory that is not at hand. Fitted to
 * measured broadcasts and combines. */
typedef struct ob_waiting {
    double call;     /* of a broadcast's call itself */
    double combine;  /* of a combine's */
    double glance;   /* how long a process looks for a message before it asks whether to yield */
    double look;     /* how long it looks on where its partner has another processor, but others
                        want this one */
    double turn;     /* until the processor comes back from another one that waits too */
    double ring;     /* for the sender, to wake a sleeping receiver */
    double wake;     /* from then until that receiver runs */
    double patience; /* of a sender, until it goes on without a receiver that is not there */
    double rest;     /* share of T_c that a message takes whose data its sender has not just
                        received, as it has in the echo that measures T_c */
    double flow;  /* share of T_c for which a sender is busy while its receiver takes the message */
    double spill; /* times longer that a copy takes when messages pile up between two processes
                     and processors are shared */
    double cold;  /* times longer that a copy takes whose data left the cache */
} ob_waiting;

/* The MPI library's own broadcasts, combines to one and combines to all between nodes (topology N),
 * one process on each: the time from the first call to the last return, by the number of nodes. In
 * the order of ob_plan_task. */
enum { OB_NATIVE_TASKS = 3, OB_NATIVE_SIZES = 8 };
typedef struct ob_native_curve {
    int members; /* 0: none; they grow from one to the next, and those behind the last are 0 */
    ob_curve curve;
} ob_native_curve;

typedef enum ob_origin { OB_BUILTIN = 0, OB_MEASURED } ob_origin;

struct ob_profile {
    ob_origin origin;
    char host[64];  /* letters, digits, '.', '_' and '-' */
    int processors; /* of a node */
    size_t cache;   /* bytes of the largest cache */
    ob_curve curve[OB_QUANTITIES];
    ob_waiting waiting;
    /* The BSP parameters of a job of bsp_processes (0: not measured): flop/us, and g and l
     * in us for one double and for one superstep. */
    int bsp_processes;
    double bsp_s, bsp_g, bsp_l;
    ob_native_curve native[OB_NATIVE_TASKS][OB_NATIVE_SIZES];
};

/* The time of a curve at a length: that of the last piece that begins at or
 * before it, never negative. */
static inline double ob_curve_at(const ob_curve *curve, size_t bytes)
{
    int i = curve->pieces - 1;
    if (i < 0 || i >= OB_PIECES)
        return 0;
    while (i > 0 && curve->piece[i].from > bytes)
        i--;
    double t = curve->piece[i].alpha + curve->piece[i].beta * (double)bytes;
    return t > 0 ? t : 0;
}

/* The time of the MPI library's own call of a task (ob_plan_task) on so many nodes: measured there,
 * or, between two numbers of nodes that were measured, on the straight line over log2 of the
 * number. -1: it was not measured with so few, or so many. */
OB_API double ob_profile_native(const ob_profile *profile, int task, int members, size_t bytes);

/* A profile for a machine that nobody has measured: a present-day server. */
OB_API void ob_profile_builtin(ob_profile *profile);
/* OB_EARG, with the reason, when a number is beyond its bounds: all are finite,
 * lengths grow, no time is negative where its piece ends. */
OB_API int ob_profile_check(const ob_profile *profile);
/* Reads a profile (openblacs-profile(5)). OB_ESYSTEM: no file that can be read;
 * OB_EARG: it is damaged or of another version, and *profile is unchanged. */
OB_API int ob_profile_read(const char *path, ob_profile *profile);
/* Writes it, creating the last two folders of the path where needed; the file
 * appears whole or not at all. OB_EARG (ob_profile_check), OB_ESYSTEM. */
OB_API int ob_profile_write(const char *path, const ob_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
