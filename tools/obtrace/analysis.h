/*
 * What a trace says: what every process did when, which messages went where, what
 * was waited for, and what of it decided the length of the run.
 */
#ifndef OBTRACE_ANALYSIS_H
#define OBTRACE_ANALYSIS_H

#include "trace.h"

/* What a process does at a time. From OBT_RECEIVING on it is blocked. */
typedef enum obt_state {
    OBT_OFF,          /* not recorded */
    OBT_COMPUTING,    /* in the program itself */
    OBT_LIBRARY,      /* in a communication routine, not waiting: copying, combining */
    OBT_NOT_RUNNING,  /* in the program itself, but on no processor */
    OBT_RECEIVING,    /* waits for a message, or for its receiver */
    OBT_BROADCASTING, /* waits in a broadcast */
    OBT_COMBINING,    /* waits in a combine */
    OBT_COLLECTING,   /* waits in another collective operation */
    OBT_IN_BARRIER,   /* waits in a barrier */
    OBT_STATES
} obt_state;

extern const char *const obt_state_names[OBT_STATES];

#define OBT_NO_CALL UINT32_MAX

/* A stretch of time of one process; it ends where the next one of it begins. The
 * last one of each process is OBT_OFF. */
typedef struct obt_span {
    int64_t begin;
    uint32_t call; /* index into calls, or OBT_NO_CALL */
    uint8_t state;
    bool asleep; /* OBT_NOT_RUNNING: it had left its processor by itself; */
    bool unsure; /* or may have: asleep, or another had its processor */
} obt_span;

/* Of a collective operation that the program does not wait for at once there are two calls. */
typedef enum obt_phase { OBT_WHOLE, OBT_BEGUN, OBT_ENDED } obt_phase;

/* One call of a communication routine. */
typedef struct obt_call {
    int64_t begin, end, blocked, packing, bytes;
    int64_t root;   /* or partner: process number; -1 none */
    int64_t number; /* which call of its group; OBT_MEETING, or -1 */
    uint32_t process, routine;
    int32_t group;  /* index, or -1 */
    uint32_t outer; /* the call it was made in, or OBT_NO_CALL */
    int32_t site;   /* where the program called it, index into sites, or -1 */
    char scope, topology;
    bool sized;     /* the trace says how many bytes it moves */
    uint8_t course; /* obt_phase */
    int32_t tag;    /* of its messages, where that is not OBT_WHOLE */
} obt_call;

/* A message with both ends. */
typedef struct obt_message {
    int64_t sent, received, bytes, type;
    int64_t context; /* what tells groups apart; -1: not known */
    int64_t blocked; /* how long the receiver waited for it */
    uint32_t from, to;
    uint32_t routine; /* of the receiver; OBT_NO_CALL when unknown */
} obt_message;

/* Why a process waited: who came late to what. Names as Scalasca's patterns. */
typedef enum obt_pattern {
    OBT_UNDER_WAY,      /* nobody was late: data was under way, or its work was done */
    OBT_LATE_TO_GO_ON,  /* nor was there any data: it could go on, and did so late */
    OBT_NO_PROCESSOR,   /* as the system says, it could go on, and had no processor */
    OBT_LATE_SENDER,    /* a receive that was there before the message was sent */
    OBT_WRONG_ORDER,    /* the same, while a message was there that is received later */
    OBT_LATE_RECEIVER,  /* a synchronous send that was there before its receive */
    OBT_LATE_BROADCAST, /* data from one to many: the root came late */
    OBT_EARLY_REDUCE,   /* data from many to one: others came late */
    OBT_WAIT_NXN,       /* data from all to all: others came late */
    OBT_WAIT_BARRIER,   /* no data at all: others came late */
    OBT_WAIT_SUPERSTEP, /* the end of a superstep: others came late */
    OBT_PATTERNS
} obt_pattern;

extern const char *const obt_pattern_names[OBT_PATTERNS];

/* A process waits. */
typedef struct obt_wait {
    int64_t begin, end;
    uint32_t process, call;
    uint32_t cause; /* process that was waited for, or UINT32_MAX */
    int64_t sent;   /* when it sent what was waited for; -1: not known */
    uint8_t state;
    /* Of obt_find_late: the first `late` nanoseconds are somebody's coming late. */
    uint8_t pattern;
    uint32_t culprit; /* who, or UINT32_MAX */
    int64_t late;
    uint32_t because_of; /* whose delay most of that is: the culprit's, or, where it waited itself,
                          * that of whom it waited for, and so on back; UINT32_MAX: late is 0 */
    /* Of the rest: for how long it had no processor, as far as that is known; and whether data was
     * under way, or there was none. */
    int64_t delayed;
    uint8_t rest; /* OBT_UNDER_WAY or OBT_LATE_TO_GO_ON */
} obt_wait;

/* What most of the wait behind `late` is. */
static inline obt_pattern obt_rest_of(const obt_wait *w)
{
    bool starved = w->delayed > 0 && 2 * w->delayed >= w->end - w->begin - w->late;
    return starved ? OBT_NO_PROCESSOR : (obt_pattern)w->rest;
}

static inline bool obt_is_late(int pattern)
{
    return pattern >= OBT_LATE_SENDER;
}

/* Waiting by pattern, routine and call site of who waited; by time, longest first. */
typedef struct obt_late_row {
    uint8_t pattern;
    uint32_t routine; /* OBT_NO_CALL: none */
    int32_t site;     /* or -1 */
    size_t waits;
    int64_t time, most;  /* most: of one wait, */
    size_t longest;      /* this one, index into waits */
    uint32_t because_of; /* most of it, for how long; UINT32_MAX: nobody was late */
    int64_t of_this;
} obt_late_row;

/* What one call site asked a superstep to move from one process to another. */
typedef struct obt_asked {
    int32_t group; /* index, and which superstep of it, as obt_call has them; -1: none that ended */
    int64_t number;
    uint32_t to, from, routine;
    int32_t site;
    int64_t bytes, calls;
} obt_asked;

/* What made others wait, and for how long: stretches of a process behind one place of its
 * program, and the waiting that they cost, also that of processes which waited for those that
 * waited. What several stretches share in is divided. All rows add up to all late waiting. */
typedef struct obt_delay {
    uint32_t process;
    /* OBT_COMPUTING, OBT_NOT_RUNNING, OBT_LIBRARY; blocked: nobody was late; OBT_OFF: it had not
     * joined yet */
    uint8_t state;
    uint8_t rest;    /* blocked: OBT_UNDER_WAY, OBT_LATE_TO_GO_ON, or OBT_NO_PROCESSOR */
    bool asleep;     /* in the costliest stretch, as in obt_span; */
    bool unsure;     /* the same */
    uint32_t before; /* calls between which it lies, or OBT_NO_CALL; of the costliest one. */
    uint32_t after;  /* OBT_LIBRARY and blocked: `before` is the call itself, no `after` */
    size_t afters;   /* how many places the calls after these stretches have, 1 at the least */
    bool ends;       /* beside these, after some of the stretches the process ended */
    int64_t cost;
    int64_t begin, end; /* of the costliest stretch */
    /* Of obt_find_typical, for the costliest delays: how often the process was at this place (with
     * several `afters`, or an end: behind the call), and how many of these stretches, the longest
     * ones, hold most of what it took there beyond the other processes (0: nearly all). Of those:
     * the median, in which stretch it took just this, and the shortest; of the rest the median.
     * What the other processes take there, of so many of their longest, or the median (-1: none is
     * ever there). */
    size_t times, rare; /* times 0: not looked at */
    int64_t typical, typical_begin, typical_end, least, usual, others;
    bool elsewhere; /* none of the others ever goes on to the same call as in the costliest stretch;
                     * `others` is what they take from the same call to their next one */
    bool part;      /* a costlier row is of the same stretches: all this is of the whole ones */
    int64_t gain;   /* of obt_find_gains: so much shorter the run would be if the process took there
                       what the others take; of the costliest late start, if all had joined with the
                       first; -1: not known */
    int64_t bytes;  /* received in the costliest call, of what is done within one */
    obt_asked by;   /* of these, in a superstep: the call site that asked for most */
} obt_delay;

/* What the program did in a stretch of its own, as it or one of our libraries names it. */
typedef struct obt_own_part {
    int64_t begin, end;
    uint32_t process, name; /* index into routines */
} obt_own_part;

/* The same of a call site in the whole run; the process that got most of it. */
typedef struct obt_asked_row {
    uint32_t routine, to;
    int32_t site;
    int64_t bytes, calls, most;
    int64_t itself; /* bytes for processes that asked for them themselves: no messages */
} obt_asked_row;

typedef struct obt_row { /* of a table of routines */
    const char *name;
    size_t calls;
    int64_t time, longest, blocked, packing, bytes, least, most;
} obt_row;

typedef struct obt_place { /* a routine at one place of the program */
    uint32_t routine;
    int32_t site; /* or -1 */
    size_t calls;
    int64_t time, blocked, bytes;
    uint32_t longest; /* index into calls */
} obt_place;

typedef struct obt_pair { /* of the communication matrix */
    uint32_t from, to;
    int64_t messages, bytes, blocked; /* blocked: of `to`, waiting for `from` */
} obt_pair;

typedef struct obt_step { /* of the critical path, from the end backwards */
    int64_t begin, end;
    uint32_t process; /* a message under way: its receiver */
    uint32_t from;    /* the sender, else UINT32_MAX */
    uint32_t routine; /* the longest part's, OBT_NO_CALL: computing */
} obt_step;

typedef struct obt_sums { /* of a process */
    int64_t state[OBT_STATES];
    int64_t sent, sent_bytes, received, received_bytes, calls;
    int64_t on_path; /* nanoseconds of the critical path */
    int64_t caused;  /* waiting of others that this process's delays cost */
    int64_t order;   /* of what it did behind waits for one message while others were there, until
                        it had received these: what it could have done in them */
    int64_t queue;   /* most messages that were under way to it at a time */
    int64_t slept;   /* of OBT_NOT_RUNNING, what was asleep, or unsure; */
    int64_t unsure;  /* of that */
} obt_sums;

/* The end of a superstep (of all processes of one group) and what each did before it: what BSP's
 * model says it costs is w + h g + l. Times in nanoseconds. */
typedef struct obt_superstep {
    int32_t group;
    uint32_t call; /* of the last process that came */
    uint32_t members;
    int64_t begin, came, end; /* the first one goes on from the superstep before; the last one has
                                 come; the last one goes on */
    int64_t work, work_sum;   /* w: of the process that worked longest; of all */
    uint32_t slowest;         /* that process */
    uint32_t last;            /* who came last, by whatever it did; */
    int64_t by, last_stopped; /* how long after the last but one; how long it was on no processor,
                                 or asleep */
    uint32_t most;            /* who sent or received most */
    int64_t h_sum;            /* of all, what each sent or received, the larger one */
    int64_t stopped;          /* of all, on no processor: not running, or asleep; */
    int64_t slept, unsure;    /* of that; as in obt_sums */
    int64_t wait;             /* of all, until the last one came */
    int64_t sent, received;   /* bytes: the most of one process; h is the larger one */
    int64_t sent_sum;
} obt_superstep;

typedef struct obt_supersteps {
    obt_superstep *step; /* by `came` */
    size_t count;
    double gap,
        latency; /* g, nanoseconds a byte, and l, nanoseconds, as these supersteps have them */
    bool apart;  /* can g and l be told apart? If not, all is in `latency` */
} obt_supersteps;

#define OBT_LENGTHS 48 /* message lengths: 0, 1, 2-3, 4-7, ... */

typedef struct obt_analysis {
    obt_trace *trace;
    int64_t begin, end;
    size_t active;   /* processes that were recorded */
    uint32_t *order; /* process indices by number, recorded ones; host first */
    obt_span *spans;
    size_t span_count, span_room;
    size_t *first_span; /* by process index; one more at the end. SIZE_MAX: none */
    obt_call *calls;
    size_t call_count, call_room;
    obt_message *messages; /* by time sent */
    size_t message_count;
    obt_wait *waits; /* by process, then time */
    size_t wait_count, wait_room;
    size_t *first_wait;
    obt_own_part *parts; /* by process, then time of end */
    size_t part_count, part_room;
    obt_asked *asked; /* by superstep, then routine and site */
    size_t asked_count, asked_room;
    obt_row *rows; /* routines, by time */
    size_t row_count;
    uint32_t *row_of; /* by routine; while calls are made */
    obt_pair *pairs;  /* by sender, then receiver */
    size_t pair_count;
    obt_sums *sums; /* by process index */
    obt_sums all;
    int64_t lengths[OBT_LENGTHS], length_bytes[OBT_LENGTHS];
    int64_t *concurrency; /* nanoseconds with exactly k processes computing, 0..active */
    obt_step *path;
    size_t path_count, path_room;
    int64_t path_message; /* nanoseconds of the path in messages under way */
    obt_late_row *late_rows;
    size_t late_row_count;
    int64_t late;      /* of all waiting, what somebody's coming late explains */
    obt_delay *delays; /* the costliest first */
    size_t delay_count;
    bool disturbed;              /* too few processors: numbers mean little */
    struct obt_answers *answers; /* of replays with something changed (whatif.h) */
    int64_t ideal;               /* how long the run takes when communication takes no time */
    size_t early, unended, marks;
    size_t readings; /* of processor time */
    size_t text_count;
    const char **texts; /* the summary: one sentence each; texts that begin with "Try" advise */
    int64_t *gains; /* of each: how much shorter the run would be at most, where it advises; -1: not
                     * known */
    size_t text_room, gain_room;
} obt_analysis;

obt_analysis *obt_analyse(obt_trace *t);
void obt_analysis_free(obt_analysis *a);

/* Parts of obt_analyse, in this order. */
void obt_walk(obt_analysis *a);
void obt_tell_messages(obt_analysis *a);
void obt_find_late(obt_analysis *a);
void obt_total(obt_analysis *a);
void obt_find_path(obt_analysis *a);
void obt_ask_replays(obt_analysis *a);
void obt_summarise(obt_analysis *a);
/* causes.c: who made the others wait, and what to do of it; true: that is the advice to follow. One
 * process that most bytes go to, or come from. */
bool obt_say_causes(obt_analysis *a, bool advise);
void obt_say_went_on_late(obt_analysis *a);
void obt_say_hot_spots(obt_analysis *a, bool advise);
/* The costliest delay of the process that cost the others most, late starts apart; NULL: none. */
const obt_delay *obt_costliest_delay(const obt_analysis *a);
/* path_parts.c: where the critical path runs, and what most of it is. */
void obt_say_path(obt_analysis *a);
/* ", 3 of them ... within broadcasts, combines and the like", or nothing: of messages that the
 * library sends in collective calls, which the program did not ask for, and their bytes.
 * Supersteps' are its own. The buffer is the result. */
const char *obt_own_messages(const obt_analysis *a, int64_t *sum, char text[256]);
/* What to set, by the replays' answers. */
void obt_say_predicted(obt_analysis *a);
void obt_free_replays(obt_analysis *a);

/* running.c: a reading of the processor time at an event of a process, whose spans so far begin at
 * spans[first]: divides what it computed since the reading before into computing, not running and
 * asleep. What it did not compute is put at the end, for where it was is not known. until: up to
 * where the process's time has been divided. */
void obt_divide(obt_analysis *a, size_t first, const obt_event *e, int64_t *until);
/* What there is to say of processors; false: nothing, and the rest of the numbers means what it
 * says. */
bool obt_say_processors(obt_analysis *a);
/* How long the program slept, if it did. */
void obt_say_sleep(obt_analysis *a);

/* Waiting for one reason, of all processes. */
int64_t obt_late_by(const obt_analysis *a, obt_pattern pattern);
/* Adds a sentence to the summary. */
void obt_say(obt_analysis *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* How much shorter the run would be if the last sentence's advice were followed; -1: not known. */
void obt_tell_gain(obt_analysis *a, int64_t gain);
/* Whether that is less than a hundredth of the run: then there is no advice. */
bool obt_next_to_nothing(const obt_analysis *a, int64_t gain);
int obt_percent(int64_t part, int64_t whole);

/* The last wait of a process that ended by this time, as index + 1; 0: none. */
size_t obt_last_wait(const obt_analysis *a, uint32_t process, int64_t time);

/* Of a process, or of all: nanoseconds in which it waited or was in a transfer, and all of them. */
int64_t obt_blocked(const obt_sums *s);
int64_t obt_recorded(const obt_sums *s);

/* Whether the program slept for longer than it computed: then computing alone says little of it. */
bool obt_sleeps(const obt_analysis *a);
/* How long a process computed, or, of a program that sleeps, computed and slept. */
int64_t obt_work(const obt_analysis *a, uint32_t process);

/* When a process began to record. And if that is when it joined the job: how long after the first
 * one, by which the trace's time counts from 0; -1: that is not known, as in PICL's files. */
static inline int64_t obt_began(const obt_analysis *a, uint32_t process)
{
    return a->spans[a->first_span[process]].begin;
}
int64_t obt_joined(const obt_analysis *a, uint32_t process);
/* What late starts cost in all, the costliest one (NULL: none), and how many there are. */
int64_t obt_late_starts(const obt_analysis *a, const obt_delay **most, size_t *count);
/* What there is to say of processes that joined late; true: that is most of all waiting. */
bool obt_say_late_start(obt_analysis *a);

/* Which state waiting in a routine of this name is. */
obt_state obt_waiting_in(const char *routine);
/* Is it a collective call that has data from its root to the others? */
bool obt_from_root(const obt_analysis *a, const obt_call *c);

/* "process 3", "the host". The buffer is the result. */
const char *obt_process_name(const obt_analysis *a, uint32_t process, char name[32]);

/* Time as people read it: "1.24 ms". Bytes: "3.2 KiB". The buffer is the result. */
const char *obt_show_time(int64_t ns, char text[32]);
const char *obt_show_bytes(int64_t bytes, char text[32]);

/* "dgerv2d called from pdgetf2_+0x1c", or what is known of it. The buffer is the result. */
const char *obt_call_name(const obt_trace *t, uint32_t routine, int32_t site, char *text,
                          size_t room);
/* "computing between dgebs2d called from ... and dgsum2d called from ...". */
const char *obt_delay_name(const obt_analysis *a, const obt_delay *d, char *text, size_t room);
/* The same without what it did: "between dgebs2d called from ... and ...". */
const char *obt_delay_place(const obt_analysis *a, const obt_delay *d, char *text, size_t room);
/* Where in the program that is: "in main between main+0x83 and main+0xb2, at the end of ...", or in
 * a function called there that does not communicate. Of what is done within calls, or where the
 * trace has no call sites, nothing. The buffer is the result. */
const char *obt_delay_where(const obt_analysis *a, const obt_delay *d, char *text, size_t room);
static inline bool obt_outside(const obt_delay *d)
{
    return d->state == OBT_COMPUTING || d->state == OBT_NOT_RUNNING;
}
/* Whether all stretches of what is done outside calls end at one call, or all at the end. */
static inline bool obt_ends_at_one(const obt_delay *d)
{
    return d->afters == 1 && !d->ends;
}
/* "40 x 7.07 ms, the others 3.06 ms (medians)", "5 of 30 took 35.1 ms, the rest 621 ns, the others
 * 35 us", or nothing. The buffer is the result. */
const char *obt_typical_name(const obt_delay *d, char *text, size_t room);
/* What the replay changed whose answer a gain is: "if it took there what the others take". */
const char *obt_gain_name(const obt_delay *d);
/* " If it took there ..., the run would take about 350 ms less of its 521 ms (67 %): predicted by a
 * replay.", or nothing, where it is not known or next to nothing. The buffer is the result. */
const char *obt_gain_text(const obt_analysis *a, const obt_delay *d, char text[256]);

/* Why processes waited, and what made them wait, in the terminal; and for programs. */
void obt_stat_late(const obt_analysis *a, FILE *out);
void obt_stat_late_plain(const obt_analysis *a, FILE *out);

/* Which routine was called where; by time, longest first. The caller frees them. */
obt_place *obt_find_places(const obt_analysis *a, size_t *count);
/* The grid that most processes are in: rows and columns, and the process (index) at each place, row
 * by row, or UINT32_MAX; NULL: there is none. The caller frees it. */
uint32_t *obt_find_grid(const obt_analysis *a, size_t *rows, size_t *columns);

/* supersteps.c */
void obt_find_supersteps(const obt_analysis *a, obt_supersteps *s);
void obt_free_supersteps(obt_supersteps *s);
static inline int64_t obt_h(const obt_superstep *s)
{
    return s->sent > s->received ? s->sent : s->received;
}
/* The program's parts by name, in the order of their time, longest first: of all processes, and of
 * the one that took longest. The caller frees them. */
typedef struct obt_part_row {
    uint32_t name;
    size_t times;
    int64_t time, most;
    uint32_t slowest;
} obt_part_row;
obt_part_row *obt_find_part_rows(const obt_analysis *a, size_t *count);
/* asked.c: puts them in order, when all are known. */
void obt_sort_asked(obt_analysis *a);
/* The call site that asked the superstep which this call ends for most of the bytes to, or from, a
 * process (UINT32_MAX: any): routine, site, bytes, calls. bytes 0: nothing is known. */
obt_asked obt_asked_most(const obt_analysis *a, const obt_call *c, uint32_t to, uint32_t from);
/* Call sites, those of the most bytes first. The caller frees them. */
obt_asked_row *obt_find_asked_rows(const obt_analysis *a, size_t *count);
void obt_print_asked(const obt_analysis *a, bool plain, FILE *out);
/* What g and l make of a superstep's data: g h + l. */
int64_t obt_predicted(const obt_supersteps *all, const obt_superstep *s);
/* The program's own parts, and its supersteps with them; plain: for programs, one a line. Nothing,
 * where it has no parts. */
void obt_print_parts(const obt_analysis *a, bool plain, FILE *out);
void obt_print_supersteps(const obt_analysis *a, const obt_supersteps *s, bool plain, FILE *out);

/* The terminal's summary. */
void obt_stat(const obt_analysis *a, FILE *out);
/* The same numbers, one "name value" a line, for programs. */
void obt_stat_plain(const obt_analysis *a, FILE *out);

static inline int64_t obt_length(const obt_call *c)
{
    return c->end - c->begin;
}

/* Factors as the POP project defines them; the whole is parallel = balance * communication, and
 * communication = serialisation * transfer. */
typedef struct obt_efficiency {
    double balance;       /* mean by longest computing */
    double serialisation; /* longest computing by the run whose communication takes no time */
    double transfer;      /* that run by the real one */
    double communication; /* longest computing by the real run */
    double parallel;      /* mean computing by the real run */
} obt_efficiency;

obt_efficiency obt_find_efficiency(const obt_analysis *a);
void obt_stat_efficiency(const obt_analysis *a, FILE *out);
void obt_stat_efficiency_plain(const obt_analysis *a, FILE *out);

/* ------------------------------------------------------------------ report.c */

/* Writes one HTML file that needs nothing else. */
void obt_report(const obt_analysis *a, FILE *out);

/* report_more.c: members of the page's object: the grid, supersteps, parts. place: of a process in
 * the page, by index. */
void obt_report_more(const obt_analysis *a, const uint32_t *place, FILE *out);

/* A text as a JSON string, with its quotes; safe within an HTML script element. */
void obt_json_text(FILE *out, const char *text);

/* Files of report/, put into the program when it is built (embed.cmake). */
extern const char obt_page_html[], obt_style_css[], obt_data_js[], obt_tools_js[],
    obt_timeline_js[], obt_charts_js[], obt_waits_js[], obt_supersteps_js[], obt_animation_js[],
    obt_search_js[], obt_links_js[], obt_main_js[], obt_compare_css[];

#endif
