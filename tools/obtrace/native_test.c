/*
 * Reading the library's own files: whole ones, made here chunk by chunk, and
 * damaged ones.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "formats.h"
#include "openblacs/trace.h"
#include "unit.h"

enum { MEMBERS = 2, SECOND = 1000000000 };

typedef struct file {
    char bytes[4096];
    size_t used;
    size_t chunk[32]; /* where each begins */
    size_t chunks;
} file;

static ob_trace_header *header(file *f)
{
    return (ob_trace_header *)(void *)f->bytes;
}

static void begin(file *f)
{
    const ob_trace_header h = {.magic = OB_TRACE_MAGIC,
                               .order = OB_TRACE_ORDER,
                               .version = OB_TRACE_VERSION,
                               .processes = MEMBERS,
                               .joined = MEMBERS,
                               .written = MEMBERS,
                               .flags = OB_TRACE_FINISHED,
                               .event_bytes = sizeof(ob_trace_event)};
    *f = (file){.used = sizeof h};
    memcpy(f->bytes, &h, sizeof h);
}

static void *append(file *f, uint32_t kind, int process, uint32_t count, const void *what,
                    size_t bytes)
{
    const ob_trace_chunk c = {.magic = OB_TRACE_CHUNK_MAGIC,
                              .kind = kind,
                              .process = process,
                              .count = count,
                              .bytes = (bytes + 7) / 8 * 8};
    char *to = f->bytes + f->used;
    assert_true(f->used + sizeof c + c.bytes <= sizeof f->bytes);
    f->chunk[f->chunks++] = f->used;
    memcpy(to, &c, sizeof c);
    memcpy(to + sizeof c, what, bytes);
    f->used += sizeof c + c.bytes;
    return to + sizeof c;
}

/* Two processes of two nodes, the second one's clock an hour ahead; a message
 * from 0 to 1. */
static void two_nodes(file *f)
{
    static const char names[] = "dgesd2d\0solve\0/bin/program";
    begin(f);
    for (int p = 0; p < MEMBERS; p++) {
        const int64_t clock = p * INT64_C(3600) * SECOND;
        const ob_trace_process self = {.started = clock + 1000,
                                       .ended = clock + 9000,
                                       .node = 7 + (unsigned)p,
                                       .dropped = 5,
                                       .host = "somewhere",
                                       .program = "program"};
        const ob_trace_site sites[] = {{.offset = 16, .object = 3, .function = 2},
                                       {.offset = 32, .object = 3}};
        /* The second process's send was made within a routine that `solve` called. */
        const ob_trace_origin origins[] = {{.offset = 48, .routine = 2, .object = 3, .direct = 1},
                                           {.offset = 64, .routine = 1, .caller = 2, .object = 3}};
        const struct {
            ob_trace_group_head head;
            int32_t member[2];
        } group = {{.context = 99, .size = 2, .me = p}, {0, 1}};
        const ob_trace_event events[] = {
            {.kind = p ? OB_TRACE_RECV : OB_TRACE_SEND,
             .flags = OB_TRACE_FIRST,
             .begin = clock + 2000,
             .end = clock + 3000 + 500 * p,
             .blocked = 400,
             .bytes = 64,
             .peer = 1 - p,
             .tag = 3,
             .group = 1,
             .ordinal = 1,
             .routine = 1,
             .site = 1 + (unsigned)p},
            {.kind = OB_TRACE_MARK, .begin = clock + 8000, .end = clock + 8000, .tag = 42}};
        const ob_trace_sync sync = {clock + 1000, -clock, 100, 0, 0};
        append(f, OB_TRACE_JOINED, p, 1, &self, sizeof self);
        append(f, OB_TRACE_PROCESS, p, 1, &self, sizeof self);
        append(f, OB_TRACE_NAMES, p, 3, names, sizeof names);
        append(f, OB_TRACE_SITES, p, 2, sites, sizeof sites);
        append(f, OB_TRACE_ORIGINS, p, 2, origins, sizeof origins);
        append(f, OB_TRACE_GROUPS, p, 1, &group, sizeof group);
        append(f, OB_TRACE_EVENTS, p, 2, events, sizeof events);
        if (p)
            append(f, OB_TRACE_SYNC, p, 1, &sync, sizeof sync);
    }
}

/* Reads a copy of just this length, so that a sanitizer sees what is read
 * behind it. */
static obt_trace *read_bytes(const file *f, size_t bytes)
{
    obt_trace *t = obt_trace_new("file");
    char *copy = malloc(bytes ? bytes : 1);
    memcpy(copy, f->bytes, bytes);
    obt_native_read(t, copy, bytes);
    free(copy);
    return t;
}

static const obt_event *find(const obt_trace *t, int32_t process, int kind)
{
    for (size_t i = 0; i < t->event_count; i++)
        if (t->processes[t->events[i].process].id == process && t->events[i].kind == kind)
            return &t->events[i];
    return NULL;
}

static void test_a_whole_file(void **state)
{
    file f;
    two_nodes(&f);
    obt_trace *t = read_bytes(&f, f.used);
    assert_int_equal(t->problems, 0);
    assert_string_equal(t->unfinished, "");
    assert_string_equal(t->program, "program");
    assert_string_equal(t->processes[1].host, "somewhere");
    assert_int_equal(t->processes[1].lost, 5);
    assert_int_equal(t->processes[1].ended, 8000);
    assert_int_equal(t->group_count, 1); /* both have the same */
    const obt_event *e = find(t, 0, OBT_BLOCK_BEGIN);
    assert_non_null(e);
    assert_int_equal(e->time, 1000);
    assert_string_equal(obt_routine_name(t, obt_get(t, e, OBT_BLOCK, 0)), "dgesd2d");
    assert_string_equal(t->sites[obt_get(t, e, OBT_LOCATION, -1)],
                        "solve+0x10 called from program+0x30");
    e = find(t, 1, OBT_BLOCK_BEGIN);
    assert_string_equal(t->sites[obt_get(t, e, OBT_LOCATION, -1)],
                        "dgesd2d called from solve+0x40");
    e = find(t, 1, OBT_RECV_WAKING);
    assert_int_equal(e->time, 2500);
    assert_int_equal(obt_get(t, e, OBT_BYTES, 0), 64);
    assert_int_equal(obt_get(t, e, OBT_WAITED, 0), 400);
    assert_int_equal(obt_get(t, find(t, 1, OBT_TRACE_MARK), 0, 0), 42);
    assert_int_equal(t->match_count, 1);
    obt_trace_free(t);
}

/* A broadcast that is begun at 3000 and waited for from 5000 to 6000, by a routine whose name does
 * not tell (ob_begin), or as an older library wrote it: untold, and without a tag. */
static void begun(file *f, bool old)
{
    static const char names[] = "ob_begin\0ob_wait";
    const ob_trace_process self = {.started = 1000, .ended = 9000, .host = "somewhere"};
    const struct {
        ob_trace_group_head head;
        int32_t member[2];
    } group = {{.context = 99, .size = 2}, {0, 1}};
    const ob_trace_event events[] = {{.kind = old ? OB_TRACE_POST : OB_TRACE_BROADCAST,
                                      .flags = OB_TRACE_FIRST | OB_TRACE_REQUEST,
                                      .begin = 3000,
                                      .end = 3100,
                                      .bytes = 64,
                                      .peer = old ? -1 : 1,
                                      .tag = old ? -1 : -17,
                                      .group = 1,
                                      .ordinal = old ? 0 : 5,
                                      .routine = 1},
                                     {.kind = OB_TRACE_WAIT,
                                      .flags = OB_TRACE_FIRST | OB_TRACE_REQUEST,
                                      .begin = 5000,
                                      .end = 6000,
                                      .blocked = 1000,
                                      .peer = -1,
                                      .tag = old ? 0 : -17,
                                      .group = 1,
                                      .routine = 2}};
    begin(f);
    append(f, OB_TRACE_PROCESS, 0, 1, &self, sizeof self);
    append(f, OB_TRACE_NAMES, 0, 2, names, sizeof names);
    append(f, OB_TRACE_GROUPS, 0, 1, &group, sizeof group);
    append(f, OB_TRACE_EVENTS, 0, 2, events, sizeof events);
}

static void test_what_was_begun(void **state)
{
    static const char *const names[] = {"ob_begin of broadcast", "ob_begin of broadcast (wait)"};
    const int64_t ways[] = {OBT_COURSE_BEGINS(-17), OBT_COURSE_ENDS(-17)};
    file f;
    begun(&f, false);
    obt_trace *t = read_bytes(&f, f.used);
    size_t k = 0;
    assert_int_equal(t->problems, 0);
    assert_int_equal(t->untold, 0);
    for (size_t i = 0; i < t->event_count; i++) {
        const obt_event *e = &t->events[i];
        if (e->kind != OBT_BLOCK_BEGIN)
            continue;
        assert_true(k < 2);
        assert_string_equal(obt_routine_name(t, obt_get(t, e, OBT_BLOCK, 0)), names[k]);
        assert_int_equal(obt_get(t, e, OBT_PARAMETER, 0), 1);
        assert_int_equal(obt_get(t, e, OBT_CALL, 0), 4);
        assert_int_equal(obt_get(t, e, OBT_SIZE, -1), k ? 0 : 64);
        assert_int_equal(obt_get(t, e, OBT_TOPOLOGY, 0), ways[k]);
        k++;
    }
    assert_int_equal(k, 2);
    obt_trace_free(t);
    begun(&f, true);
    t = read_bytes(&f, f.used);
    assert_int_equal(t->problems, 0);
    assert_int_equal(t->untold, 1);
    obt_trace_free(t);
}

/* Members of a new group that waited for each other have met; others only made it. */
static void test_meeting(void **state)
{
    static const char names[8] = "grid";
    static const struct {
        ob_trace_group_head head;
        int32_t member[2];
    } group = {{.context = 4, .size = 2}, {0, 1}};
    for (uint64_t waited = 0; waited < 2; waited++) {
        ob_trace_event events[] = {{.kind = OB_TRACE_WAIT,
                                    .flags = OB_TRACE_INSIDE,
                                    .begin = 1100,
                                    .end = 1100 + 700 * (int64_t)waited,
                                    .blocked = 700 * waited,
                                    .peer = -1},
                                   {.kind = OB_TRACE_GROUP,
                                    .flags = OB_TRACE_FIRST,
                                    .begin = 1000,
                                    .end = 2000,
                                    .blocked = 700 * waited,
                                    .peer = -1,
                                    .group = 1,
                                    .routine = 1}};
        const ob_trace_process self = {.started = 1000, .ended = 9000};
        file f;
        begin(&f);
        append(&f, OB_TRACE_PROCESS, 0, 1, &self, sizeof self);
        append(&f, OB_TRACE_NAMES, 0, 1, names, sizeof names);
        append(&f, OB_TRACE_GROUPS, 0, 1, &group, sizeof group);
        append(&f, OB_TRACE_EVENTS, 0, 2, events, sizeof events);
        obt_trace *t = read_bytes(&f, f.used);
        assert_int_equal(t->problems, 0);
        for (size_t i = 0; i < t->event_count; i++)
            if (t->events[i].kind == OBT_BLOCK_BEGIN) {
                assert_int_equal(obt_get(t, &t->events[i], OBT_GROUP, -1), 0);
                assert_int_equal(obt_get(t, &t->events[i], OBT_CALL, 0), waited ? OBT_MEETING : -1);
            }
        obt_analysis *a = obt_analyse(t);
        assert_int_equal(obt_blocked(&a->all), 700 * waited);
        obt_analysis_free(a);
        obt_trace_free(t);
    }
}

/* What of a file can be read is there, wherever it ends; all but the places
 * between two chunks are told. */
static void test_cut_files(void **state)
{
    file f;
    two_nodes(&f);
    size_t before = 0;
    for (size_t bytes = 0; bytes <= f.used; bytes++) {
        obt_trace *t = read_bytes(&f, bytes);
        bool between = bytes == sizeof(ob_trace_header) || bytes == f.used;
        for (size_t i = 0; i < f.chunks; i++)
            between = between || f.chunk[i] == bytes;
        assert_int_equal(t->problems > 0, !between);
        assert_true(t->event_count >= before);
        before = t->event_count;
        obt_trace_free(t);
    }
    assert_int_equal(before, 2 * 4 + 2 + 1); /* blocks, the messages' ends and waits, marks */
}

/* Each byte wrong: no more events than there were, and no time out of range. */
static void test_wrong_bytes(void **state)
{
    static const unsigned char by[] = {0xff, 0x01, 0x80};
    file f;
    two_nodes(&f);
    for (size_t at = 0; at < f.used; at++)
        for (size_t k = 0; k < sizeof by; k++) {
            f.bytes[at] ^= (char)by[k];
            obt_trace *t = read_bytes(&f, f.used);
            assert_true(t->event_count <= 2 * 6);
            for (size_t i = 0; i < t->event_count; i++)
                assert_in_range(t->events[i].time, 0, INT64_MAX);
            obt_trace_free(t);
            f.bytes[at] ^= (char)by[k];
        }
}

/* A chunk whose head is gone costs its own contents. */
static void test_a_lost_chunk(void **state)
{
    file f;
    two_nodes(&f);
    memset(f.bytes + f.chunk[6], 'x', sizeof(ob_trace_chunk)); /* process 0's events */
    obt_trace *t = read_bytes(&f, f.used);
    assert_int_equal(t->problems, 1);
    assert_null(find(t, 0, OBT_BLOCK_BEGIN));
    assert_non_null(find(t, 1, OBT_BLOCK_BEGIN));
    assert_int_equal(t->unsent, 1);
    obt_trace_free(t);
}

/* Numbers of names, sites and groups that there are not mean "unknown". */
static void test_numbers_out_of_range(void **state)
{
    file f;
    begin(&f);
    const ob_trace_process self = {.started = 1, .ended = 9000, .node = 7};
    const ob_trace_site site = {.offset = 1, .object = 77, .function = 78};
    const ob_trace_origin origins[] = {{.offset = 2, .routine = 99, .caller = 79, .object = 80},
                                       {.offset = 3}};
    const ob_trace_group_head group = {.context = 1, .size = 1 << 30};
    const ob_trace_event events[] = {{.kind = OB_TRACE_BARRIER,
                                      .begin = 10,
                                      .end = 20,
                                      .peer = -1,
                                      .routine = 9,
                                      .site = 2,
                                      .group = 2},
                                     {.kind = OB_TRACE_TEXT, .begin = 30, .end = 30, .value = 12},
                                     {.kind = 200, .begin = 40, .end = 41},
                                     {.kind = OB_TRACE_MARK, .begin = 60, .end = 50},
                                     {.kind = OB_TRACE_MARK, .begin = INT64_MIN, .end = 50}};
    append(&f, OB_TRACE_PROCESS, 0, 1, &self, sizeof self);
    append(&f, OB_TRACE_SITES, 0, 1, &site, sizeof site);
    append(&f, OB_TRACE_ORIGINS, 0, 1000, origins, sizeof origins);
    append(&f, OB_TRACE_GROUPS, 0, 1, &group, sizeof group);
    append(&f, OB_TRACE_EVENTS, 0, 1000000, events, sizeof events);
    append(&f, 99, 0, 1, events, sizeof events);
    obt_trace *t = read_bytes(&f, f.used);
    assert_int_equal(t->problems, 3); /* the group, and two events that end before they begin */
    const obt_event *e = find(t, 0, OBT_BLOCK_BEGIN);
    assert_string_equal(obt_routine_name(t, obt_get(t, e, OBT_BLOCK, 0)), "barrier");
    assert_int_equal(obt_get(t, e, OBT_LOCATION, 0), -1);
    assert_int_equal(obt_get(t, e, OBT_GROUP, 0), -1);
    assert_string_equal(t->texts[obt_get(t, find(t, 0, OBT_TRACE_MESSAGE), 0, 0)], "");
    assert_null(find(t, 0, OBT_TRACE_MARK));
    assert_string_equal(t->sites[0], "?+0x1");
    assert_int_equal(t->site_count, 2);
    assert_string_equal(t->sites[1], "?+0x1 called from ?+0x2");
    obt_trace_free(t);
}

/* As a machine with the other byte order writes the file of two_nodes. */
#define TURN(field) reverse(&(field), sizeof(field))
static void reverse(void *number, size_t bytes)
{
    char *at = number;
    for (size_t i = 0; i < bytes / 2; i++) {
        char c = at[i];
        at[i] = at[bytes - 1 - i];
        at[bytes - 1 - i] = c;
    }
}

static void turn_process(ob_trace_process *p)
{
    TURN(p->started), TURN(p->ended), TURN(p->offset), TURN(p->drift), TURN(p->offset_error);
    TURN(p->process_id), TURN(p->born), TURN(p->dropped), TURN(p->buffer_bytes), TURN(p->cpu);
    TURN(p->level), TURN(p->launch), TURN(p->signal), TURN(p->node);
}

static void turn_places(ob_trace_places *p)
{
    TURN(p->quota);
    for (int i = 0; i < 16; i++)
        TURN(p->allowed[i]);
}

static void turn_event(ob_trace_event *e)
{
    TURN(e->begin), TURN(e->end), TURN(e->blocked), TURN(e->packing), TURN(e->bytes);
    TURN(e->value), TURN(e->peer), TURN(e->tag), TURN(e->group), TURN(e->ordinal);
    TURN(e->routine), TURN(e->site), TURN(e->thread);
}

static void turn_payload(void *at, uint32_t kind)
{
    ob_trace_site *s = at;
    ob_trace_origin *o = at;
    ob_trace_event *e = at;
    ob_trace_sync *y = at;
    ob_trace_group_head *g = at;
    int32_t *member = (int32_t *)(void *)(g + 1);
    switch (kind) {
    case OB_TRACE_JOINED:
    case OB_TRACE_PROCESS: turn_process(at); break;
    case OB_TRACE_PLACES: turn_places(at); break;
    case OB_TRACE_SITES:
        for (int i = 0; i < 2; i++)
            TURN(s[i].address), TURN(s[i].offset), TURN(s[i].object), TURN(s[i].function);
        break;
    case OB_TRACE_ORIGINS:
        for (int i = 0; i < 2; i++)
            TURN(o[i].address), TURN(o[i].offset), TURN(o[i].routine), TURN(o[i].caller),
                TURN(o[i].object), TURN(o[i].direct);
        break;
    case OB_TRACE_GROUPS:
        TURN(g->context), TURN(g->stream), TURN(g->size), TURN(g->me);
        TURN(member[0]), TURN(member[1]);
        break;
    case OB_TRACE_EVENTS: turn_event(e), turn_event(e + 1); break;
    case OB_TRACE_SYNC: TURN(y->at), TURN(y->offset), TURN(y->error), TURN(y->reference); break;
    default: break;
    }
}

static void turn_file(file *f)
{
    ob_trace_header *h = header(f);
    TURN(h->order), TURN(h->version), TURN(h->run), TURN(h->processes), TURN(h->joined);
    TURN(h->written), TURN(h->flags), TURN(h->event_bytes);
    for (size_t i = 0; i < f->chunks; i++) {
        ob_trace_chunk *c = (ob_trace_chunk *)(void *)(f->bytes + f->chunk[i]);
        turn_payload(c + 1, c->kind);
        TURN(c->magic), TURN(c->kind), TURN(c->process), TURN(c->count), TURN(c->bytes);
    }
}

static void expect_same(const obt_trace *a, const obt_trace *b)
{
    assert_int_equal(a->problems, b->problems);
    assert_string_equal(a->unfinished, b->unfinished);
    assert_int_equal(a->event_count, b->event_count);
    assert_int_equal(a->group_count, b->group_count);
    for (size_t i = 0; i < a->event_count; i++) {
        const obt_event *e = &a->events[i], *o = &b->events[i];
        assert_int_equal(e->time, o->time);
        assert_int_equal(e->kind, o->kind);
        assert_int_equal(e->process, o->process);
        assert_int_equal(obt_get(a, e, OBT_BYTES, -1), obt_get(b, o, OBT_BYTES, -1));
        assert_int_equal(obt_get(a, e, OBT_LOCATION, -1), obt_get(b, o, OBT_LOCATION, -1));
    }
}

/* Whole and cut anywhere: it says what the same file in our own order says. */
static void test_a_file_of_another_byte_order(void **state)
{
    file own, other;
    two_nodes(&own);
    two_nodes(&other);
    turn_file(&other);
    assert_true(obt_native_other_order(other.bytes, other.used));
    assert_false(obt_native_other_order(own.bytes, own.used));
    for (size_t bytes = own.used; bytes >= sizeof(ob_trace_header); bytes--) {
        obt_trace *a = read_bytes(&own, bytes), *b = read_bytes(&other, bytes);
        expect_same(a, b);
        if (bytes == own.used)
            assert_string_equal(b->processes[1].host, "somewhere");
        obt_trace_free(a);
        obt_trace_free(b);
    }
}

static void test_wrong_bytes_in_another_byte_order(void **state)
{
    file f;
    two_nodes(&f);
    turn_file(&f);
    for (size_t at = 0; at < f.used; at++) {
        f.bytes[at] ^= (char)0xff;
        obt_trace *t = read_bytes(&f, f.used);
        assert_true(t->event_count <= 2 * 6);
        obt_trace_free(t);
        f.bytes[at] ^= (char)0xff;
    }
}

static void test_other_formats_are_refused(void **state)
{
    for (int k = 0; k < 3; k++) {
        file f;
        two_nodes(&f);
        *(k == 0   ? &header(&f)->version
          : k == 1 ? &header(&f)->order
                   : &header(&f)->event_bytes) += 1;
        obt_trace *t = read_bytes(&f, f.used);
        assert_int_equal(t->problems, 1);
        assert_int_equal(t->event_count, 0);
        obt_trace_free(t);
    }
}

/* The library aligned clocks itself; a file that it could not finish still
 * needs it. */
static void test_version_1(void **state)
{
    for (int finished = 0; finished < 2; finished++) {
        file f;
        two_nodes(&f);
        header(&f)->version = 1;
        header(&f)->flags = finished ? OB_TRACE_FINISHED : 0;
        obt_trace *t = read_bytes(&f, f.used);
        assert_int_equal(t->problems, 0);
        assert_int_equal(find(t, 1, OBT_RECV_WAKING)->time,
                         2500 + (finished ? INT64_C(3600) * SECOND : 0));
        assert_int_equal(t->processes[1].offset, finished ? 0 : INT64_C(-3600) * SECOND);
        assert_int_equal(*t->unfinished == 0, finished);
        obt_trace_free(t);
    }
}

static void test_what_is_said_of_a_run_that_broke_off(void **state)
{
    file f;
    two_nodes(&f);
    header(&f)->joined = 3;
    obt_trace *t = read_bytes(&f, f.used);
    assert_string_equal(t->unfinished, "the run was not finished: 2 of 3 processes have written");
    obt_trace_free(t);
    two_nodes(&f);
    ((ob_trace_process *)(void *)(f.bytes + f.chunk[1] + sizeof(ob_trace_chunk)))->signal = 15;
    t = read_bytes(&f, f.used);
    assert_string_equal(t->unfinished, "the run was not finished: 2 of 2 processes have "
                                       "written, and a signal ended 1 of these");
    obt_trace_free(t);
}

/* A reading of the processor time, and the processors; in the other byte order, too. */
static void test_processors(void **state)
{
    const ob_trace_process self = {.started = 1000, .ended = 9000, .node = 7};
    const ob_trace_places places = {.quota = 3, .allowed = {[0] = 5, [15] = UINT64_C(1) << 63}};
    const ob_trace_event events[] = {
        {.kind = OB_TRACE_RUNNING,
         .begin = 2000,
         .end = 3000,
         .value = 600,
         .bytes = 4,
         .blocked = 50,
         .tag = 1,
         .ordinal = 2},
        {.kind = OB_TRACE_MARK, .begin = 8000, .end = 8000, .tag = 42}};
    static const int64_t want[] = {1000, 600, 2, 4, 50};
    file lost;
    begin(&lost); /* its process's chunk is lost */
    append(&lost, OB_TRACE_PLACES, 0, 1, &places, sizeof places);
    obt_trace *without = read_bytes(&lost, lost.used);
    assert_int_equal(without->processes[0].quota, 3);
    obt_trace_free(without);
    for (int turned = 0; turned < 2; turned++) {
        file f;
        begin(&f);
        append(&f, OB_TRACE_PROCESS, 0, 1, &self, sizeof self);
        append(&f, OB_TRACE_PLACES, 0, 1, &places, sizeof places);
        append(&f, OB_TRACE_EVENTS, 0, 2, events, sizeof events);
        if (turned)
            turn_file(&f);
        obt_trace *t = read_bytes(&f, f.used);
        const obt_event *e = find(t, 0, OBT_RUNNING);
        assert_int_equal(t->problems, 0);
        assert_non_null(e);
        assert_int_equal(e->time, 2000);
        for (int i = 0; i < 5; i++)
            assert_int_equal(obt_get(t, e, i, -1), want[i]);
        assert_int_equal(t->processes[0].machine, 7);
        assert_int_equal(t->processes[0].quota, 3);
        assert_memory_equal(t->processes[0].allowed, places.allowed, sizeof places.allowed);
        obt_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_file),
        cmocka_unit_test(test_what_was_begun),
        cmocka_unit_test(test_meeting),
        cmocka_unit_test(test_cut_files),
        cmocka_unit_test(test_wrong_bytes),
        cmocka_unit_test(test_a_lost_chunk),
        cmocka_unit_test(test_numbers_out_of_range),
        cmocka_unit_test(test_a_file_of_another_byte_order),
        cmocka_unit_test(test_wrong_bytes_in_another_byte_order),
        cmocka_unit_test(test_other_formats_are_refused),
        cmocka_unit_test(test_version_1),
        cmocka_unit_test(test_processors),
        cmocka_unit_test(test_what_is_said_of_a_run_that_broke_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
