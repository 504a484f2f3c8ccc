/* The memory that explored processes see (explore.h says by which rules). */
#ifndef OB_ORDERS_MEMORY_H
#define OB_ORDERS_MEMORY_H

#include "explore.h"

enum { LOCATIONS = 160, STORES = 1500, CHOICES = 64 };

typedef enum op_kind {
    OP_LOAD,
    OP_STORE,
    OP_CHANGE, /* exchange, fetch_add and the like */
    OP_COMPARE,
    OP_FENCE,
    OP_WAIT, /* futex */
    OP_WAKE,
    OP_BARRIER /* membarrier */
} op_kind;

typedef struct op {
    op_kind kind;
    int order, failure;
    char *at;
    unsigned size;
    uint64_t value, expected; /* expected: also what was read */
    char change;              /* '=' '+' '-' '|' '&' '^' */
    bool done;                /* a comparison that was equal, a wait that sleeps */
    const void *place;
    int read, wrote; /* stores; 0: none */
    bool news;       /* what it read was another process's, and nothing had led there before */
} op;

/* What a process, or who reads a store, knows: of each location the latest store, of each process
 * how far it has come. */
typedef struct view {
    uint16_t seen[LOCATIONS];
    uint16_t clock[EX_THREADS];
} view;

typedef struct store {
    uint64_t value;
    uint16_t location, rank; /* rank: its place in the location's modification order */
    int event;               /* -1: from before */
    bool taken;              /* a read-modify-write has read it: what follows it is fixed */
    int by;                  /* process; -1: from before */
    unsigned clock;          /* its, then */
    view view;
} store;

static inline bool is_acquire(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static inline bool is_release(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

extern store stores[];
extern int store_count;

bool memory_has(const void *at);
char *memory_take(size_t bytes);
void memory_free(int thread, void *at, const void *place);
size_t memory_bytes_of(const void *at);
void memory_keep(void);    /* the world is as it is to be before each execution */
void memory_restore(void); /* makes it so */
void memory_clear(void);   /* a new world */
void memory_hint(const void *at, size_t bytes);
bool memory_is_hint(const void *at);

/* A plain access of a process (-1: setup, or the end). */
void memory_plain(int thread, const void *at, size_t bytes, bool write, const void *place);

/* What the operation may read, or behind which store it may write: stores, the newest first; only
 * those of event since - 1 and later. */
int memory_choices(int thread, const op *o, int since, uint16_t *choice);
bool memory_reads(const op *o); /* a location, or may */
bool memory_writes(const op *o);
bool memory_is_total(const op *o); /* one of those that are in one order for all */
/* Carries it out. */
void memory_do(int thread, op *o, int choice, int event);
int memory_location(const char *at, unsigned size);
/* Has a store come behind that one, with another value? */
bool memory_has_newer(int store);
void memory_start(int thread, int by); /* by -1: with nothing known */
void memory_join(int thread, int other);

#endif
