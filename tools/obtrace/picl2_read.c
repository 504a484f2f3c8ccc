/*
 * Reading PICL's later trace format. Pairs of entry and exit become PICL's first records, which
 * know a receive that waits from one that does not. Those records are moments: a call that took
 * time gets a block around its record, too.
 */
#include "picl2.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"

enum { FIELDS = 8 };

/* A process's call that has begun: its event, and where the begin of its block stands. */
typedef struct call {
    int64_t event;
    size_t place;
    bool open;
} call;

typedef struct calls {
    call *of; /* by process */
    size_t count, room;
} calls;

typedef struct row {
    obt_trace *trace;
    calls *calls;
    size_t number;
    const char *p, *end;
    int64_t record, event, time, process;
    int64_t field[FIELDS];
    size_t fields;
    const char *words; /* fields as they stand */
} row;

static void skip_blanks(row *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\r'))
        r->p++;
}

static bool take_word(row *r, char *word, size_t room)
{
    size_t n = 0;
    skip_blanks(r);
    for (; r->p < r->end && *r->p != ' ' && *r->p != '\t' && *r->p != '\r'; r->p++)
        if (n + 1 < room)
            word[n++] = *r->p;
    word[n] = 0;
    return n > 0;
}

static bool take_number(row *r, const char *name, int64_t least, int64_t most, int64_t *value)
{
    char word[40], *end;
    if (!take_word(r, word, sizeof word)) {
        obt_problem(r->trace, r->number, "the line ends before %s", name);
        return false;
    }
    *value = strtoll(word, &end, 10);
    if (*end || *value < least || *value > most) {
        for (char *p = word; *p; p++)
            *p = *p > 32 && *p < 127 ? *p : '?';
        obt_problem(r->trace, r->number, "%s is '%s', must be a whole number from %lld to %lld",
                    name, word, (long long)least, (long long)most);
        return false;
    }
    return true;
}

static bool take_time(row *r, int64_t *ns)
{
    char word[40], *end;
    if (!take_word(r, word, sizeof word)) {
        obt_problem(r->trace, r->number, "the line ends before its time");
        return false;
    }
    double seconds = strtod(word, &end);
    if (*end || !(seconds >= 0 && seconds < 1e9)) {
        obt_problem(r->trace, r->number, "its time is no number of seconds from 0 to 1e9");
        return false;
    }
    *ns = llround(seconds * 1e9);
    return true;
}

/* What says how the fields are to be read is skipped: we know the records that we take. */
static void skip_descriptor(row *r)
{
    char word[40];
    skip_blanks(r);
    if (r->p < r->end && *r->p == '"') {
        for (r->p++; r->p < r->end && *r->p != '"'; r->p++)
            ;
        r->p += r->p < r->end;
    } else {
        take_word(r, word, sizeof word);
    }
}

static bool take_row(row *r)
{
    int64_t process, count;
    char word[40];
    skip_blanks(r);
    if (r->p == r->end)
        return false;
    if (!take_number(r, "the record's number", -1000, -1, &r->record) ||
        !take_number(r, "the event's number", INT32_MIN, INT32_MAX, &r->event) ||
        !take_time(r, &r->time) ||
        !take_number(r, "the processor", OBT_HOST, INT32_MAX, &r->process) ||
        !take_number(r, "the process", INT32_MIN, INT32_MAX, &process) ||
        !take_number(r, "the number of fields", 0, INT32_MAX, &count))
        return false;
    if (count)
        skip_descriptor(r);
    skip_blanks(r);
    r->words = r->p;
    for (r->fields = 0; r->fields < FIELDS && take_word(r, word, sizeof word); r->fields++)
        r->field[r->fields] = strtoll(word, NULL, 10);
    return true;
}

static void add(const row *r, int64_t time, obt_kind kind, const int64_t *values, size_t count)
{
    obt_add(r->trace, time, (int32_t)r->process, kind, values, count);
}

static bool between(int64_t n, int64_t low, int64_t high)
{
    return n >= low && n <= high;
}

/* MPI's calls, which MPICL has added. */
static const char *mpi_name(int64_t event)
{
    static const struct {
        int64_t event;
        const char *name;
    } names[] = {
        {-756, "MPI_Pack"},          {-773, "MPI_Unpack"},         {-780, "MPI_Allgather"},
        {-782, "MPI_Allreduce"},     {-783, "MPI_Alltoall"},       {-786, "MPI_Gather"},
        {-790, "MPI_Reduce"},        {-791, "MPI_Reduce_scatter"}, {-792, "MPI_Scan"},
        {-793, "MPI_Scatter"},       {-804, "MPI_Comm_create"},    {-805, "MPI_Comm_dup"},
        {-806, "MPI_Comm_free"},     {-812, "MPI_Comm_split"},     {-602, "system's overhead"},
        {-603, "program's overhead"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].event == event)
            return names[i].name;
    return NULL;
}

/* ---------------------------------------------------------- calls that took time */

enum { NOT_RECORDED = 0 }; /* the kind of an event that is dropped at the end */

/* The block of a call whose record is a moment; NULL: the event is none. A receive that waits has
 * records for both its ends. */
static const obt_routine *block_of(int64_t event)
{
    static const struct {
        int64_t low, high;
        obt_routine routine;
    } blocks[] = {
        {OBT_P2_OPEN, OBT_P2_OPEN, {OBT_P2_OPEN, "open0", true}},
        {OBT_P2_CLOSE, OBT_P2_CLOSE, {OBT_P2_CLOSE, "close0", true}},
        {-24, OBT_P2_SEND, {OBT_SENDING, "send0", true}},
        {-27, -27, {-27, "send0 begins", true}},
        {-33, -33, {-27, "send0 begins", true}},
        {-39, -39, {-27, "send0 begins", true}},
        {-45, -45, {-27, "send0 begins", true}},
        {-50, -25, {-30, "send0 ends", true}},
        {OBT_P2_RECV, OBT_P2_RECV, {OBT_TAKING, "recv0", true}},
        {OBT_P2_PROBE - 1, OBT_P2_PROBE, {OBT_P2_PROBE, "probe0", true}},
        {-59, -55, {-57, "recv0 begins", true}},
        {-60, -60, {-60, "recv0 ends", true}},
        {-62, -62, {-60, "recv0 ends", true}},
        {OBT_P2_LOAD, OBT_P2_LOAD, {OBT_P2_LOAD, "load0", true}},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (between(event, blocks[i].low, blocks[i].high))
            return &blocks[i].routine;
    return NULL;
}

static call *call_of(const row *r)
{
    size_t p = obt_process_index(r->trace, (int32_t)r->process);
    calls *c = r->calls;
    while (c->count <= p) {
        c->of = obt_grow(c->of, c->count, &c->room, sizeof *c->of);
        c->of[c->count++] = (call){0};
    }
    return &c->of[p];
}

/* The block stands in front of the call's record, also where both have one time. */
static void begin_call(const row *r)
{
    const obt_routine *b = block_of(r->event);
    if (!b)
        return;
    *call_of(r) = (call){r->event, r->trace->event_count, true};
    add(r, r->time, OBT_BLOCK_BEGIN, (int64_t[]){b->block, 0, 0}, 3);
    r->trace->events[r->trace->event_count - 1].kind = NOT_RECORDED;
}

static void end_call(const row *r)
{
    const obt_routine *b = block_of(r->event);
    call *c = b ? call_of(r) : NULL;
    if (!c || !c->open || c->event != r->event)
        return;
    c->open = false;
    obt_event *begin = &r->trace->events[c->place];
    if (r->time <= begin->time)
        return;
    begin->kind = OBT_BLOCK_BEGIN;
    obt_name_routine(r->trace, b->block, b->name);
    add(r, r->time, OBT_BLOCK_END, (int64_t[]){b->block, 0, 0}, 3);
}

static void drop_unrecorded(obt_trace *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->event_count; i++)
        if (t->events[i].kind != NOT_RECORDED)
            t->events[kept++] = t->events[i];
    t->event_count = kept;
}

/* -------------------------------------------------------------------- records */

static void add_block(const row *r)
{
    int64_t v[3] = {r->event == OBT_P2_BARRIER ? -1
                    : r->event == OBT_P2_BCAST ? -2
                                               : r->event,
                    0, 0};
    if (r->event >= 0 && r->fields >= 2) {
        v[1] = r->field[0];
        v[2] = r->field[1];
    } else if (r->event == OBT_P2_BCAST && r->fields >= 2) {
        v[2] = r->field[1];
    }
    if (r->event < 0 && mpi_name(r->event))
        obt_name_routine(r->trace, r->event, mpi_name(r->event));
    add(r, r->time, r->record == OBT_P2_ENTRY ? OBT_BLOCK_BEGIN : OBT_BLOCK_END, v, 3);
}

static void add_message(const row *r, obt_kind kind)
{
    int64_t v[3] = {r->fields > 2 ? r->field[2] : -1, r->fields > 1 ? r->field[1] : 0,
                    r->fields ? r->field[0] : 0};
    const char *fault = r->fields < 3 ? "a message's length, type and partner are missing"
                                      : obt_message_fault(kind, v);
    if (fault)
        obt_problem(r->trace, r->number, "%s", fault);
    else
        add(r, r->time, kind, v, 3);
}

static void add_text(const row *r)
{
    const char *text = r->words, *end = r->end;
    long long block;
    int at = 0;
    char line[256];
    while (text < end && *text != ' ') /* the length stands in front */
        text++;
    text += text < end;
    while (end > text && (end[-1] == '\r' || end[-1] == ' '))
        end--;
    snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
    if (sscanf(line, "block_type %lld is %n", &block, &at) == 1 && at && line[at]) {
        obt_name_routine(r->trace, block, line + at);
        return;
    }
    int64_t v = (int64_t)obt_text(r->trace, text, (size_t)(end - text));
    add(r, r->time, OBT_TRACE_MESSAGE, &v, 1);
}

static void add_entry(const row *r)
{
    int64_t v[3] = {r->fields ? r->field[0] : 0, r->fields > 1 ? r->field[1] : 0,
                    r->fields > 2 ? r->field[2] : 0};
    switch (r->event) {
    case OBT_P2_OPEN: add(r, r->time, OBT_OPEN, v, 0); break;
    case OBT_P2_CLOSE: add(r, r->time, OBT_CLOSE, v, 0); break;
    case OBT_P2_LOAD: add(r, r->time, OBT_LOAD, v, 1); break;
    case OBT_P2_PROBE:
    case OBT_P2_PROBE - 1: add(r, r->time, OBT_PROBE, v, 1); break;
    case OBT_P2_IDLE:
        v[0] = -1;
        add(r, r->time, OBT_WAIT_BEGIN, v, 1);
        break;
    case OBT_P2_TRACE: add(r, r->time, OBT_TRACE_START, v, 3); break;
    case OBT_P2_LEVEL: add(r, r->time, OBT_TRACE_LEVEL, v, 3); break;
    case OBT_P2_TEXT: add_text(r); break;
    case OBT_P2_FULL: add(r, r->time, OBT_TRACE_STOP, v, 0); break;
    case OBT_P2_RECV_BLOCKED:
    case -61: add(r, r->time, OBT_RECV_BLOCKING, v, 1); break;
    case -27:
    case -33:
    case -39:
    case -45: add_message(r, OBT_SEND); break;
    default:
        if (between(r->event, -24, OBT_P2_SEND))
            add_message(r, OBT_SEND);
        else if (!between(r->event, -62, -25) && r->event != OBT_P2_FLUSH)
            add_block(r);
    }
}

static void add_exit(const row *r)
{
    int64_t v[1] = {0};
    switch (r->event) {
    case OBT_P2_RECV:
    case -60: add_message(r, OBT_RECV); break;
    case OBT_P2_RECV_BLOCKED:
    case -61: add_message(r, OBT_RECV_WAKING); break;
    case OBT_P2_IDLE:
        v[0] = -1;
        add(r, r->time, OBT_WAIT_END, v, 1);
        break;
    case OBT_P2_TRACE: add(r, r->time, OBT_TRACE_EXIT, v, 1); break;
    case OBT_P2_OPEN:
    case OBT_P2_CLOSE:
    case OBT_P2_LOAD:
    case OBT_P2_LEVEL:
    case OBT_P2_TEXT:
    case OBT_P2_FULL: break;
    case OBT_P2_FLUSH:
        v[0] = r->time;
        add(r, r->fields ? r->time - r->field[0] : r->time, OBT_TRACE_FLUSH, v, 1);
        break;
    default:
        if (!between(r->event, -62, OBT_P2_SEND))
            add_block(r);
    }
}

static void take_label(const row *r)
{
    char name[128];
    const char *end = r->end;
    while (end > r->words && (end[-1] == '\r' || end[-1] == ' '))
        end--;
    snprintf(name, sizeof name, "%.*s", (int)(end - r->words), r->words);
    if (r->event >= 0 && *name)
        obt_name_routine(r->trace, r->event, name);
}

static void take(const row *r)
{
    int64_t mark = r->event;
    bool known = r->process >= 0 || r->process == OBT_HOST;
    if (r->record == OBT_P2_LABEL)
        take_label(r);
    else if (between(r->record, OBT_P2_EXIT, OBT_P2_MARK) && !known)
        obt_problem(r->trace, r->number, "there is no processor %lld", (long long)r->process);
    else if (r->record == OBT_P2_MARK)
        add(r, r->time, OBT_TRACE_MARK, &mark, 1);
    else if (r->record == OBT_P2_ENTRY) {
        begin_call(r);
        add_entry(r);
    } else if (r->record == OBT_P2_EXIT) {
        add_exit(r);
        end_call(r);
    }
}

void obt_picl2_read(obt_trace *t, const char *text, size_t length)
{
    const char *end = text + length;
    calls begun = {0};
    for (size_t n = 1; text < end; n++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        row r = {.trace = t, .calls = &begun, .number = n, .p = text, .end = stop ? stop : end};
        if (take_row(&r))
            take(&r);
        text = stop ? stop + 1 : end;
    }
    free(begun.of);
    drop_unrecorded(t);
    t->format = "PICL, later format";
}

bool obt_picl2_likely(const char *text, size_t length)
{
    char line[160];
    int record, event, processor, process, fields;
    double seconds;
    size_t n = length < sizeof line - 1 ? length : sizeof line - 1;
    memcpy(line, text, n);
    line[n] = 0;
    return sscanf(line, "%d %d %lf %d %d %d", &record, &event, &seconds, &processor, &process,
                  &fields) == 6 &&
           record <= OBT_P2_MARK && record > -1000;
}
