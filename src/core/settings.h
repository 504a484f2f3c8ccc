/*
 * The OPENBLACS_ environment variables: one table, read once, every value
 * checked. A variable of ours that is malformed is an error that names it and what
 * it accepts. An unknown name may be a module file's or a newer version's: a warning.
 */
#ifndef OB_CORE_SETTINGS_H
#define OB_CORE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

/* A send waits so long for room to keep its message, when the user does not say otherwise. */
enum { OB_HEAP_SECONDS = 10 };

enum ob_one_copy { OB_ONE_COPY_AUTO = 0, OB_ONE_COPY_NEVER, OB_ONE_COPY_ALWAYS };
/* What the letter of a call counts for: its topology, or nothing. */
enum ob_topology_choice { OB_TOPOLOGY_NAMED = 0, OB_TOPOLOGY_PLAN };
enum ob_transport_choice { OB_TRANSPORT_AUTO = 0, OB_TRANSPORT_SHM, OB_TRANSPORT_MPI };

/* So many members of a group share a board at most, where each has a processor. */
enum { OB_TIER = 8 };

/* OPENBLACS_TIERS: auto, 0, or 2 and more */
typedef struct ob_tiers_choice {
    int most;    /* members of one board; 0: any number */
    bool always; /* also where processes outnumber processors */
} ob_tiers_choice;

typedef struct ob_settings {
    int verbose;      /* OPENBLACS_VERBOSE: 0 or 1 */
    int reproducible; /* OPENBLACS_REPRODUCIBLE: 0 or 1: every sum is OB_REPRODUCIBLE */
    int transport;    /* OPENBLACS_TRANSPORT: auto, shm, mpi */
    int one_copy;     /* OPENBLACS_ONE_COPY: auto, 0, 1 */
    ob_tiers_choice tiers;
    size_t heap_bytes;   /* OPENBLACS_HEAP: unreceived messages a process may hold; 0: default */
    double heap_seconds; /* OPENBLACS_HEAP_SECONDS: a send waits so long for room to keep its
                            message */
    size_t step_bytes;   /* OPENBLACS_STEP: bytes of one streaming step; 0: default */
    size_t background_bytes; /* OPENBLACS_BACKGROUND: least bytes of a transfer that goes on in the
                              * background; SIZE_MAX: none does, 0: default */
    size_t lists;            /* OPENBLACS_LISTS: so many lists of members are remembered; 0: all */
    int topology;            /* OPENBLACS_TOPOLOGY: named, plan; all of a job have the same */
    int measure;             /* OPENBLACS_MEASURE: 0 or 1: nodes that meet measure their network */
    const char *profile;     /* OPENBLACS_PROFILE: the file, or NULL; the planner reads it */
    int spin_us;             /* OPENBLACS_SPIN: microseconds to spin before sleeping; -1: by load */
    const char *modules;     /* OPENBLACS_MODULES: folder of the MPI modules, or NULL */
    const char *plan;        /* OPENBLACS_PLAN: schemes of collective calls, or NULL; see plan.h */
    const char *trace;       /* OPENBLACS_TRACE: the file of the trace, or NULL */
    const char *trace_ranks; /* OPENBLACS_TRACE_RANKS: who records, or NULL: all */
    size_t trace_buffer;     /* OPENBLACS_TRACE_BUFFER: bytes for events; 0: default */
    int trace_level;         /* OPENBLACS_TRACE_LEVEL: 0 to 3; -1: default */
    int check;               /* OPENBLACS_CHECK: 0 to 3, see hooks/check.h */
    double check_seconds;    /* OPENBLACS_CHECK_SECONDS: nothing moves for so long: a hang (20), or
                              * at level 1 a note (30) */
    const char *stats; /* OPENBLACS_STATS: "1", "line" or "json", with ":FILE" behind it or not;
                        * NULL: 0 */
} ob_settings;

/* What all processes of a job must have alike, lest they go different ways and wait for each other:
 * OPENBLACS_TOPOLOGY, OPENBLACS_TIERS and whether OPENBLACS_LISTS is set, as a number above 0. */
unsigned ob_settings_alike(const ob_settings *s);
/* The first of these in which two processes differ: "OPENBLACS_TIERS is 4" of the first one. */
enum { OB_UNLIKE_TEXT = 40 };
void ob_settings_unlike(unsigned alike, unsigned other, char text[OB_UNLIKE_TEXT]);

/* May this process believe its environment? A set-user-ID program (or one that its file gives other
 * rights) may not: its caller has other rights, and names files to load, to write and to read. */
bool ob_environment_trusted(void);
/* What a process may hold under valgrind, whose leak check reads all that is mapped. */
enum { OB_HEAP_UNDER_VALGRIND = 16 << 20 };
/* Fills *s from the environment, where that is trusted. OB_ESETTING. */
int ob_settings_read(ob_settings *s);
/* Is this entry of the environment of a name like ours, and none that we or a cluster's
 * module files have? Then the line that says so, with the nearest one. */
bool ob_settings_unknown(const char *entry, char *line, size_t room);
/* Prints these lines; one process of a job does. */
void ob_settings_warn(void);

/* Is the number in a list like "0-3,7"? Negative when that is none. */
int ob_settings_listed(const char *list, int number);

#endif
