/*
 * What the files of this room share: requests, messages that came before they
 * were asked for, and the receiving side of a peer.
 *
 * Locks. A peer's receive lock (transport.h) covers its channel and its
 * arrival. The job's matching lock covers the tables, the states of requests that still
 * wait, and the counters peer->aside, peer->interest and job->pending, which others read
 * without it. It is taken inside a receive lock, never the other way round, and
 * nothing is waited for under it. A send lock may be taken inside a receive lock.
 *
 * Order. A message goes to the receive posted first among those it matches. A
 * message that comes for nobody is in the table of stored ones, or on its way there (it is
 * the peer's arrival); both a receive about to be posted and a message about to be
 * stored look at the other table under the matching lock, so they cannot miss each other.
 */
#ifndef OB_MESSAGE_INTERNAL_H
#define OB_MESSAGE_INTERNAL_H

#include "core/group.h"
#include "message/table.h"
#include "node/wait.h"
#include "trace/trace.h"

/* Messages of the room itself have negative tags, no bytes (but for bundles), and a number in the
 * place of the context. */
enum {
    OB_TAG_SYNCHRONOUS = -2, /* the next message is; the number names its request */
    OB_TAG_READY = -3,       /* the next message is */
    OB_TAG_PLAIN = -4,       /* takes one of these back */
    OB_TAG_MET = -5,         /* the synchronous message of that number has met its receive */
    OB_TAG_TOGETHER = -6,    /* a bundle of so many messages (together.h) */
    OB_TAG_WAITS = -7        /* the sender waits in a collective call of that context (unlike.c) */
};

static inline bool ob_tag_is_mark(int32_t tag)
{
    return tag < 0 && tag > OB_TAG_COURSE;
}

/* What has been said of the next message of a peer. */
typedef struct ob_mark {
    ob_mode mode;
    uint64_t number;
} ob_mark;

/* A message that arrived before it was asked for. It stands in two queues: under
 * its tag, and (but for those of collective calls) under any tag. */
typedef struct ob_stored {
    ob_queued exact, any;
    ob_envelope envelope;
    ob_mark mark;
    ob_peer *peer;
    bool told; /* the program has been told that nobody received it */
    _Alignas(64) char bytes[];
} ob_stored;

enum ob_request_state {
    OB_REQUEST_WAITS = 0, /* in a table */
    OB_REQUEST_MET,       /* its message is arriving */
    OB_REQUEST_DONE
};

struct ob_request {
    ob_queued queued; /* in `posted` or `awaited`; by its chain among the spare ones */
    ob_job *job;
    ob_group *group;          /* while it waits */
    ob_peer *peer;            /* NULL: any member of the group */
    const ob_peer *from;      /* whose message it has met; set before `state` says so (release) */
    struct ob_course *course; /* it is one (course.h), and the tables have never seen it */
    uint64_t order;           /* of posting */
    ob_view view;
    ob_received received;
    int options;
    bool receives;
    bool large;           /* counted in job->large until it is done */
    bool later;           /* a send noted with its peer: */
    ob_envelope envelope; /* what it will say, */
    ob_request *after;    /* and the next one; of a synchronous one as its group is freed, too */
    int status;
    /* Where that is recorded: when it met its message, whose, and in which group. */
    int64_t met;
    int number;
    uint32_t trace;
    char *error;      /* the line of a failure, malloc'ed */
    atomic_int state; /* DONE is stored last, with release */
};

enum { OB_WAITS_KEPT = 4 };

/* The message being received from a peer step by step. */
typedef struct ob_arrival {
    ob_mark mark; /* of the next message */
    bool active;  /* what follows is of the message that is arriving */
    ob_mark its;
    ob_envelope envelope;
    uint64_t left;
    ob_view whole; /* of `stored` */
    ob_cursor sink;
    ob_request *request; /* NULL: it came before it was asked for */
    ob_stored *stored;   /* NULL: straight into the request's matrix */
    bool late;           /* it was there before its request */
    ob_stored *bundle;   /* whose messages come before those at the channel; NULL: none */
    size_t bundle_at;    /* its next message */
    ob_envelope waits[OB_WAITS_KEPT]; /* the last OB_TAG_WAITS, by call */
} ob_arrival;

/* Messages that nobody received; the first ones of them. */
enum { OB_LOST_NAMED = 8 };
typedef struct ob_lost {
    size_t count;
    struct {
        int source;
        ob_envelope envelope;
    } first[OB_LOST_NAMED];
} ob_lost;

typedef struct ob_matching {
    ob_lock lock;
    ob_lost lost; /* that were dropped with their group */
    ob_table posted, stored, awaited;
    unsigned kinds[4]; /* posted receives: +1 of any source, +2 of any tag */
    uint64_t orders, numbers;
    ob_request *spare;

    /* Courses under way (course.h): the list and what moves it, handed down by course.c with the
     * first one, before job->courses counts it. */
    ob_lock courses_lock;
    struct ob_course *courses;
    atomic_uint courses_wanted;     /* by those who found the lock held: bits of course.c */
    atomic_bool courses_background; /* the thread is at them: a hint */
    bool (*move_courses)(ob_job *job, bool background); /* true: something moved */
    void (*forget_courses)(ob_job *job, uint64_t context, int stream);
} ob_matching;

/* What a receive asks for. */
typedef struct ob_want {
    uint64_t context;
    int tag;
    uint8_t stream;
    bool shorter; /* a message with fewer bytes is fine */
} ob_want;

static inline bool ob_matches(const ob_envelope *e, const ob_want *w)
{
    return e->context == w->context && e->stream == w->stream &&
           (w->tag == OB_ANY ? (uint32_t)e->tag < OB_TAG_COLLECTIVE : e->tag == w->tag);
}

static inline ob_want ob_want_of(const ob_group *g, int tag, int options)
{
    return (ob_want){.context = g->context,
                     .tag = tag,
                     .stream = g->stream,
                     .shorter = (options & OB_SHORTER) != 0};
}

/* What goes ahead of a message of this many bytes. */
static inline ob_envelope ob_envelope_of(const ob_group *g, int tag, ob_type type, uint64_t bytes)
{
    return (ob_envelope){.context = g->context,
                         .bytes = bytes,
                         .tag = tag,
                         .stream = g->stream,
                         .type = (uint8_t)type,
                         .call = g->call};
}

/* What a call of this room records. */
static inline ob_trace_what ob_message_event(int kind, const char *routine, const ob_group *g,
                                             int position, int tag, const ob_view *matrix,
                                             int status)
{
    return (ob_trace_what){.kind = kind,
                           .group = g,
                           .routine = routine,
                           .position = position,
                           .tag = tag,
                           .type = (int)matrix->type,
                           .status = status,
                           .bytes = ob_view_bytes(matrix)};
}

/* A status beside the ob_status ones. */
enum { OB_NOTHING = 1 };

/* ----------------------------------------------------------- matching.c */

/* The job's tables; NULL, with the error set, when there is no memory for them. */
ob_matching *ob_matching_of(ob_job *job);
static inline ob_matching *ob_matching_now(const ob_job *job)
{
    return atomic_load_explicit(&job->matching, memory_order_acquire);
}

/* With the matching lock: */
/* The receive that is to have a message of the peer, taken off its queue; NULL: none. */
ob_request *ob_posted_take(ob_matching *m, const ob_peer *peer, const ob_envelope *e);
/* The same, left there. */
ob_request *ob_posted_first(const ob_matching *m, const ob_peer *peer, const ob_envelope *e);
/* The stored message that comes next of a peer's; it stays. */
ob_stored *ob_stored_first(ob_matching *m, const ob_peer *peer, const ob_want *w);
void ob_stored_remove(ob_matching *m, ob_stored *s);
bool ob_stored_add(ob_matching *m, ob_stored *s);
bool ob_posted_add(ob_matching *m, ob_request *r);
void ob_posted_remove(ob_matching *m, ob_request *r);
bool ob_awaited_add(ob_matching *m, ob_request *r);
ob_request *ob_awaited_take(ob_matching *m, const ob_peer *peer, uint64_t number);
void ob_awaited_remove(ob_matching *m, ob_request *r);

/* A counter that only holders of the matching lock change. */
static inline void ob_count(atomic_uint *counter, int by)
{
    unsigned now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + (unsigned)by, memory_order_relaxed);
}

/* One more reason, or fewer, not to look at the peer's channel. Takes the matching lock. */
static inline void ob_count_aside(ob_peer *peer, int by)
{
    ob_matching *m = ob_matching_now(peer->job);
    ob_lock_take(&m->lock);
    ob_count(&peer->aside, by);
    ob_lock_release(&m->lock);
}

/* Nobody will receive it. */
void ob_message_lost(ob_lost *lost, int source, const ob_envelope *e);
/* Without the matching lock: ob_message_forget, but for what the background thread holds. */
void ob_tables_forget(ob_job *job, uint64_t context, int stream);

static inline bool ob_request_is_done(const ob_request *r)
{
    return atomic_load_explicit(&r->state, memory_order_acquire) == OB_REQUEST_DONE;
}

/* Something of the peer has ended or is kept: its waiters look again. */
static inline void ob_announce(ob_peer *peer)
{
    atomic_fetch_add(&peer->stored_count, 1);
    ob_wait_notify(peer->job);
}

/* Moves the courses under way; no lock is held. */
static inline bool ob_courses_move(ob_job *job, bool background)
{
    return __builtin_expect(atomic_load_explicit(&job->courses, memory_order_acquire) != 0, 0) &&
           ob_matching_now(job)->move_courses(job, background);
}

ob_request *ob_request_new(ob_group *group, ob_peer *peer);
void ob_request_free(ob_request *r);
/* Ends a request with a status; after a failure with this thread's error line. */
void ob_request_done(ob_request *r, int status);

/* ------------------------------------------------------------ posting.c */

/* ob_irecv without its checks. */
int ob_request_receive(ob_group *group, int source, int tag, const ob_view *matrix, int options,
                       ob_request **request);
/* Takes a request out of its table; false: it waits there no more. */
bool ob_request_withdraw(ob_request *r);
/* Have all those ended who could still end it? */
bool ob_request_lost(const ob_request *r);
/* Then it ends, with OB_EGONE. */
void ob_request_give_up(ob_request *r);
/* Records the call since when its end was waited for. Its group may be gone. */
__attribute__((noinline)) void ob_request_record(const ob_request *r, const char *routine,
                                                 int64_t since);

/* --------------------------------------------------------------- mark.c */

/* The peer's, made when first needed; NULL, with the error set, when there is no memory for it. */
ob_arrival *ob_arrival_of(ob_peer *peer);
/* The mark of the message at the channel, which loses it. With the receive lock, as all these. */
ob_mark ob_mark_take(ob_peer *peer);
/* A receive takes a message of that mark. Tells the sender of a synchronous one. */
int ob_mark_meet(ob_peer *peer, const ob_mark *mark);
/* What becomes of a receive that ended with the status; late: its message was there before it. */
int ob_mark_judge(ob_peer *peer, const ob_mark *mark, const ob_envelope *e, bool late, int status);
/* A mark that was polled. */
int ob_mark_obey(ob_peer *peer, const ob_envelope *e);

/* ------------------------------------------------------------ arrival.c */

/* What ob_arrival_next found, stored or (NULL) at the channel. */
typedef struct ob_found {
    ob_stored *stored;
    ob_envelope envelope;
} ob_found;

/* Takes in what has come from a peer until the next message that w wants; it
 * stays where it is. Others go to the receives posted for them, or are stored. w NULL: as
 * long as anything of the peer is awaited, but OB_OK when a course's receive has met its message:
 * the next message may be for what the course receives next, and would be stored. OB_OK,
 * OB_NOTHING, or a failure. The peer's receive lock is held for this and the next four. */
int ob_arrival_next(ob_peer *peer, const ob_want *w, ob_found *found);
/* The message that was found goes to a request. late: it was there before the request was. */
int ob_arrival_to_request(ob_peer *peer, const ob_found *found, ob_request *r, bool late);
/* The same for one who waits: the message is received when this returns. */
int ob_arrival_to_sink(ob_peer *peer, const ob_found *found, const ob_want *w, ob_cursor *sink,
                       bool late);
/* Pulls the polled message to its end; a first pull has moved so many bytes (or failed). */
int ob_pull_rest(ob_peer *peer, const ob_envelope *e, ob_cursor *sink, ptrdiff_t moved);
/* The polled message, whose size or type is not the receive's. */
int ob_deliver_odd(ob_peer *peer, ob_cursor *sink, const ob_envelope *e, bool shorter);

/* Everything that has come and is awaited; for those who wait for something else.
 * waiting: the caller will be back at once. */
int ob_arrival_progress(ob_job *job, bool waiting);
int ob_arrival_progress_peer(ob_peer *peer, bool waiting);

/* Takes in all that has come from anybody, asked for or not. */
int ob_arrival_take_all(ob_job *job);

/* ------------------------------------------------------------- unlike.c */

/* Seconds before the first look at others; from each to the next it is twice as many. What came
 * early is then copied once more. */
static const double OB_CALL_PATIENCE = 0.25;
/* The sizes' part of a mark; 0: the call has failed. */
enum { OB_CALL_SIZES = 0xff, OB_CALL_NUMBER_AT = 8, OB_CALL_NUMBERS = 1 << 13 };
/* Of a call with this number, in which all should name so many bytes. */
uint32_t ob_call_mark(uint64_t number, uint64_t bytes);
/* One who waits for messages of a call with this tag tells all members, and looks at what has come
 * from them: OB_ESIZE when somebody names other bytes, or has failed. */
int ob_call_look(const ob_group *group, int tag);
/* Where it is kept that the peer waits in the call of which it says so. With its receive lock. */
static inline ob_envelope *ob_waits_of(ob_arrival *a, uint64_t said)
{
    return &a->waits[said % OB_WAITS_KEPT];
}

/* What goes to the others from now on says that we have failed. */
static inline void ob_call_failed(ob_group *g)
{
    g->call &= ~(uint32_t)OB_CALL_SIZES;
}

/* ------------------------------------------------------------- bundle.c */

/* The transport's poll and pull, but for what is left of a bundle. With the receive lock. */
int ob_bundle_poll(ob_peer *peer, ob_envelope *e);
ptrdiff_t ob_bundle_pull(ob_peer *peer, ob_cursor *sink);
/* A bundle that is here whole, and there was none. */
void ob_bundle_open(ob_peer *peer, ob_stored *bundle);

/* -------------------------------------------------------------- watch.c */

/* Does a request wait for the peer? Acquire: the lock that is taken for it is taken afterwards. */
static inline bool ob_is_awaited(const ob_peer *peer)
{
    return atomic_load_explicit(&peer->interest, memory_order_acquire) != 0;
}

/* The peers of whom something is awaited, and others, to sleep on. */
typedef struct ob_watch {
    ob_peer **peer;
    int count;
    unsigned stored; /* the sum of their stored_count */
    ob_peer *few[16];
} ob_watch;

void ob_watch_begin(ob_watch *w);
/* Fills it anew. `stored` is what the caller has last seen of the others' stored_count. */
void ob_watch_fill(ob_watch *w, const ob_job *job, ob_peer *const *others, int count,
                   unsigned stored);
void ob_watch_end(ob_watch *w);

/* ------------------------------------------------------------ message.c */

/* OB_EGONE of a process that is waited for. */
int ob_gone_error(const ob_group *group, int source);
/* ob_wait_step for one who waits for messages of these peers; requests move, too. */
int ob_pass_time(ob_waiter *wait, ob_job *job, ob_peer *const *peers, int count, unsigned stored);

#endif
