/*
 * What the parts of obbench share: a record, which is one measured point, and
 * the list of them; what was asked for; and small helpers.
 */
#ifndef OBBENCH_H
#define OBBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "hooks/topology.h"
#include "obbench/predict/predict.h"

/* What is measured. The first OB_QUANTITIES are the profile's curves. */
typedef enum obb_what {
    OBB_TC = OB_T_C,
    OBB_TS = OB_T_S,
    OBB_TR = OB_T_R,
    OBB_TM = OB_T_M,
    OBB_TO = OB_T_O,
    OBB_BROADCAST = OB_QUANTITIES,
    OBB_REDUCE,  /* a combine left on one */
    OBB_COMBINE, /* left on all */
    OBB_BARRIER,
    OBB_COLD, /* T_m of a length whose data is out of the cache */
    OBB_NEAR, /* T_c of 8 bytes at the beginning and at the end of a job */
    OBB_WHATS
} obb_what;

/* One point. Times are microseconds of one call; -1: not known. */
typedef struct obb_record {
    char system[12]; /* openblacs, openmpi, mpich */
    obb_what what;
    char top;      /* the BLACS' letter, '-' for the default, 'p' for the MPI library's own, 0 */
    int branches;  /* where the letter takes them: m, t */
    char scope;    /* 'a', 'r', 'c'; 'n': one process of each node; 0 for two processes or one */
    int processes; /* in the scope */
    int root;      /* of tc, ts and tr the sender */
    int partner;   /* and the receiver; else 0 */
    size_t bytes;
    int calls; /* in a row between two barriers */
    obb_times time;
    double spread; /* (max - min) / average of the times repeated ten times (LAWN 73, 3.3) */
    obb_times predicted, paper;
    double *repeat; /* those times: of the slowest process; the record's own */
    int repeats;
} obb_record;

typedef struct obb_records {
    obb_record *at;
    int count;
    size_t room;
} obb_records;

/* Both end the program when memory has run out. The list keeps the record's repeats. */
void obb_add(obb_records *list, const obb_record *record);
void obb_free_records(obb_records *list);
void *obb_memory(size_t count, size_t size);

const char *obb_what_name(obb_what what);
/* What the library has for one of our letters, '-' for its choice; false: it has none. */
bool obb_route_of(char top, int branches, ob_route *route);
/* What is told beside a letter, not in it. */
ob_takes obb_top_takes(char top);
/* "1", "m3": the topology as it is shown and read; "" for none. */
void obb_top_text(const obb_record *r, char text[8]);
bool obb_is_collective(obb_what what);
/* Between two processes. */
bool obb_is_pair(obb_what what);
/* "all", "row", "column", "nodes", "". */
const char *obb_scope_name(char scope);
/* The call a record is about, as the model takes it; false for no collective of the library, and
 * for the MPI library's own. */
bool obb_work_of(const obb_record *r, obb_work *work);

/* Which of a record's times tables and figures are about. */
typedef enum obb_statistic { OBB_MAX = 0, OBB_ROOT, OBB_MIN, OBB_MEAN } obb_statistic;
double obb_time_of(const obb_times *t, obb_statistic s);

enum { OBB_LENGTHS = 256, OBB_TOPS = 32, OBB_SIZES = 16 };
enum { OBB_SINGLE = 1, OBB_REPEATED = 2 };

typedef struct obb_options {
    bool asked[OBB_WHATS];
    bool fit, predict, tables, bsp, all;
    int sizes[OBB_SIZES], size_count; /* of the jobs it starts itself */
    size_t lengths[OBB_LENGTHS];      /* bytes */
    int length_count;
    bool own_lengths; /* none were given: curves are measured at more of them */
    bool ranged;      /* --from or --to: the tables' lines are over this range */
    size_t from, to;
    char tops[OBB_TOPS + 1];
    bool tops_given;
    int branches;
    char scope;
    int rows, columns; /* 0: as square as it gets */
    ob_type type;
    ob_op op;
    int root;
    int pair[2]; /* sender and receiver of tc, ts and tr */
    bool pair_given, all_pairs;
    int machine;      /* what the paper's formulas assume: OB_PAPER_ bits */
    int modes, calls; /* OBB_SINGLE, OBB_REPEATED; calls in a row, 0: 15, fewer of long ones */
    int rounds, reps, every, again;
    bool whole; /* --rounds was given: at least one round, of all lengths */
    double sample_us;
    double seconds; /* of all jobs that it starts; 0: however long it takes */
    enum { OBB_TABLE = 0, OBB_JSON, OBB_CSV } format;
    const char *output, *plot, *profile, *input, *against;
    bool linear, bind, quiet, plain, write;
    obb_statistic statistic;
    bool child; /* one process of a job that obbench has started */
} obb_options;

/* Prints one line on standard error and ends with status 2. Formats begin with a code. */
__attribute__((format(printf, 1, 2), noreturn)) void obb_die(const char *format, ...);
/* The line alone. */
__attribute__((format(printf, 1, 2))) void obb_warn(const char *format, ...);

/* ----------------------------------------------------------------- options.c */

/* Ends the program after --help and --version, and with a line for what it
 * does not understand. */
void obb_read_options(int argc, char **argv, obb_options *o);

#endif
