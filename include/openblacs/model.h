/*
 * What communication costs on a machine, and what it should cost: the machine
 * profile that obbench measures (LAWN 73, 3.3), and predictions of broadcasts
 * and combines from it (4.3, 5.4). Nothing here communicates.
 *
 * Times are microseconds, lengths are bytes.
 *
 * A user of this header
 *
 *     const ob_profile *here = ob_profile_current();
 *     ob_work w = {.kind = OB_WORK_BROADCAST, .route = {.topology = OB_TOP_TREE, .branches = 1},
 *                  .members = 8, .bytes = 4096};
 *     ob_times t;
 *     if (ob_predict(here, &w, &t) == OB_OK)
 *         printf("the slowest of 8 members: %.1f us\n", t.max);
 *
 * Errors and thread safety are those of core.h; ob_job_start need not have
 * been called.
 */
#ifndef OPENBLACS_MODEL_H
#define OPENBLACS_MODEL_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- profiles */

/* The times a profile knows as functions of the length. */
typedef enum ob_quantity {
    OB_T_C = 0,  /* from the start of a send until a waiting receiver has returned */
    OB_T_S,      /* to post a send that nobody waits for */
    OB_T_R,      /* to receive a message that is already there */
    OB_T_M,      /* to copy a buffer */
    OB_T_O,      /* to add one vector of double to another */
    OB_QUANTITIES
} ob_quantity;

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
    double call;   /* of a broadcast's call itself */
    double combine; /* of a combine's */
    double glance; /* how long a process looks for a message before it asks whether to yield */
    double look;   /* how long it looks on where its partner has another processor, but others
                      want this one */
    double turn;   /* until the processor comes back from another one that waits too */
    double ring;   /* for the sender, to wake a sleeping receiver */
    double wake;   /* from then until that receiver runs */
    double patience; /* of a sender, until it goes on without a receiver that is not there */
    double rest;   /* share of T_c that a message takes whose data its sender has not just
                      received, as it has in the echo that measures T_c */
    double flow;   /* share of T_c for which a sender is busy while its receiver takes the message */
    double spill;  /* times longer that a copy takes when messages pile up between two processes
                      and processors are shared */
    double cold;   /* times longer that a copy takes whose data left the cache */
} ob_waiting;

typedef enum ob_origin { OB_BUILTIN = 0, OB_MEASURED } ob_origin;

typedef struct ob_profile {
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
} ob_profile;

/* The time of a curve at a length: that of the last piece that begins at or
 * before it, never negative. */
OB_API double ob_curve_at(const ob_curve *curve, size_t bytes);
/* "T_c" and so on; NULL for none. */
OB_API const char *ob_quantity_name(ob_quantity quantity);

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
/* Where this machine's profile is looked for: OPENBLACS_PROFILE, else
 * $XDG_CACHE_HOME/openblacs/HOST.profile, else ~/.cache/openblacs/HOST.profile.
 * Returns the length, 0 when there is no such place or it does not fit. */
OB_API size_t ob_profile_path(char *path, size_t room);
/* The profile of this process, read once: that file's, or the built-in one. A file that
 * is damaged or of another version is named on standard error and ignored; so is one that
 * OPENBLACS_PROFILE names and that is not there. Valid for ever. */
OB_API const ob_profile *ob_profile_current(void);

/* ------------------------------------------------------------- predictions */

typedef enum ob_work_kind { OB_WORK_BROADCAST = 0, OB_WORK_COMBINE, OB_WORK_BARRIER } ob_work_kind;

/* A collective call of core.h. */
typedef struct ob_work {
    ob_work_kind kind;
    ob_route route; /* OB_TOP_BEST means the tree with one branch */
    int members;
    int root;       /* of a combine: OB_ANY leaves the result on all */
    size_t bytes;
    int repeated;   /* so many in a row, without a barrier between: pipelining (4.3.1); 0: one */
} ob_work;

/* Of one call, counted from when its member enters. */
typedef struct ob_times {
    double root; /* the source of a broadcast, the destination of a combine (left on all: member 0) */
    double min, max, mean; /* over the members */
} ob_times;

/* What the call should take on that machine when the members enter it behind a
 * barrier: the messages of its topology are followed one by one, on as many
 * processors as the machine has; members beyond that take turns. OB_EARG, OB_ENOMEM. */
OB_API int ob_predict(const ob_profile *profile, const ob_work *work, ob_times *times);

/* The paper's formulas (table 9, and the texts of 4.3 and 5.4), which know of a
 * processor for each process and of T_c, T_s and T_o alone. min and mean are those of
 * the formulas' own steps: -1, since the paper gives none. Of a machine on which sends need no
 * buffer and everything overlaps. OB_EARG. */
OB_API int ob_predict_paper(const ob_profile *profile, const ob_work *work, ob_times *times);

/* What the formulas may assume of the machine otherwise; bits. */
typedef enum ob_paper_machine {
    OB_PAPER_BUFFERS = 1,   /* who starts a call copies its data first: T_m, once (3.3, 4.3.1, 4.4.2) */
    OB_PAPER_NO_OVERLAP = 2 /* neither a send and a receive (5.4.2) nor a message and the
                             * operation (5.3.2) go on at the same time */
} ob_paper_machine;

/* The same for a machine of which these bits are true; 0 is ob_predict_paper. OB_EARG, also for
 * other bits. */
OB_API int ob_predict_paper_on(const ob_profile *profile, const ob_work *work, int machine,
                               ob_times *times);

/* The local work of a combine, for measuring T_o: acc[i] = acc[i] op in[i] for n
 * elements. OB_EARG for a type that cannot be combined. */
OB_API int ob_combine_local(ob_op op, ob_type type, size_t n, void *acc, const void *in);

#ifdef __cplusplus
}
#endif
#endif
