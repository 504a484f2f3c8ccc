/*
 * The report of OPENBLACS_STATS is made of the rows that all processes left in a file: here they
 * are read and added up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/report.h"

/* Zeroed; used up as it is written to. */
static void *room_for(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* As qsort, which may call malloc. Few, or nearly in order. */
static void sort(void *base, size_t count, size_t each, int (*compare)(const void *, const void *))
{
    char kept[512], *at = base;
    for (size_t i = 1; i < count && each <= sizeof kept; i++) {
        size_t to = i;
        while (to > 0 && compare(at + (to - 1) * each, at + i * each) > 0)
            to--;
        memcpy(kept, at + i * each, each);
        memmove(at + (to + 1) * each, at + to * each, (i - to) * each);
        memcpy(at + to * each, kept, each);
    }
}

/* The chunks of the process that is being read. */
typedef struct section {
    const ob_trace_process *process;
    const ob_trace_chunk *names, *sites, *origins;
} section;

static const char *name_of(const section *s, uint32_t number)
{
    const char *at = s->names ? (const char *)(s->names + 1) : NULL;
    if (number == 0 || at == NULL || number > s->names->count)
        return "";
    for (; number > 1; number--)
        at += strlen(at) + 1;
    return at;
}

static const ob_trace_site *site_of(const section *s, uint32_t number)
{
    const ob_trace_site *sites = s->sites ? (const void *)(s->sites + 1) : NULL;
    return sites && number && number <= s->sites->count ? &sites[number - 1] : NULL;
}

static const ob_trace_origin *origin_of(const section *s, uint32_t number)
{
    const ob_trace_origin *origins = s->origins ? (const void *)(s->origins + 1) : NULL;
    return origins && number && number <= s->origins->count ? &origins[number - 1] : NULL;
}

static void name_place(ob_report_line *l, const section *s, uint32_t number)
{
    const ob_trace_site *site = site_of(s, number);
    const ob_trace_origin *origin = origin_of(s, number);
    if (site == NULL)
        return;
    l->function = name_of(s, site->function);
    l->object = name_of(s, site->object);
    l->offset = site->offset;
    if (origin && origin->routine && !origin->direct) {
        l->function = name_of(s, origin->routine);
        l->offset = 0;
    }
    if (origin && origin->object) {
        l->caller = name_of(s, origin->caller);
        l->from = name_of(s, origin->object);
        l->caller_offset = origin->offset;
    }
}

static ob_report_line *line_of(ob_report_lines *all, const ob_report_line *like)
{
    for (size_t i = 0; i < all->count; i++) {
        ob_report_line *l = &all->at[i];
        if (l->offset == like->offset && l->caller_offset == like->caller_offset &&
            strcmp(l->routine, like->routine) == 0 && strcmp(l->function, like->function) == 0 &&
            strcmp(l->object, like->object) == 0 && strcmp(l->caller, like->caller) == 0 &&
            strcmp(l->from, like->from) == 0)
            return l;
    }
    if (all->count == all->room)
        return NULL;
    all->at[all->count] = *like;
    return &all->at[all->count++];
}

/* of: all rows of its process, which may have several of a routine. */
static void add_row(ob_report_line *to, const ob_trace_row *row, const void *of)
{
    ob_trace_row *s = &to->sum;
    if (row->messages && (s->messages == 0 || row->least < s->least))
        s->least = row->least;
    if (row->most > s->most)
        s->most = row->most;
    if (row->longest > s->longest)
        s->longest = row->longest;
    s->calls += row->calls;
    s->messages += row->messages;
    s->bytes += row->bytes;
    s->time += row->time;
    s->blocked += row->blocked;
    s->packing += row->packing;
    to->processes += to->of != of;
    to->of_time = (to->of == of ? to->of_time : 0) + row->time;
    to->of = of;
    if (to->of_time > to->most_time)
        to->most_time = to->of_time;
}

static void add_rows(ob_report_lines *sites, ob_report_lines *routines, const section *s,
                     const ob_trace_chunk *c)
{
    const ob_trace_row *row = (const void *)(c + 1);
    for (uint32_t i = 0; i < c->count; i++) {
        ob_report_line like = {.routine = name_of(s, row[i].routine),
                               .function = "",
                               .object = "",
                               .caller = "",
                               .from = ""};
        ob_report_line *to = line_of(routines, &like);
        if (to)
            add_row(to, &row[i], c);
        name_place(&like, s, row[i].site);
        to = line_of(sites, &like);
        if (to)
            add_row(to, &row[i], c);
    }
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const ob_report_line *)a)->sum.time, y = ((const ob_report_line *)b)->sum.time;
    return x > y ? -1 : x < y;
}

static ob_trace_row sum_of(const ob_trace_chunk *c)
{
    ob_report_line total = {.processes = 0};
    const ob_trace_row *row = (const void *)(c + 1);
    for (uint32_t i = 0; i < c->count; i++)
        add_row(&total, &row[i], c);
    return total.sum;
}

static int by_number(const void *a, const void *b)
{
    const ob_report_process *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->process->started < y->process->started ? -1 : 1;
}

static void add_total(ob_trace_row *to, const ob_trace_row *row)
{
    to->calls += row->calls;
    to->messages += row->messages;
    to->bytes += row->bytes;
    to->time += row->time;
    to->blocked += row->blocked;
    to->packing += row->packing;
}

static void add_process(ob_report *r, const section *s, const ob_trace_chunk *c)
{
    const ob_report_process one = {s->process, c->process, sum_of(c)};
    if (r->process && r->count < r->room)
        r->process[r->count++] = one;
    add_total(&r->total, &one.total);
    add_rows(&r->sites, &r->routines, s, c);
}

/* Walks over the processes; each one's statistics come last of its chunks. */
static void read_sections(ob_report *r, const char *file, size_t bytes)
{
    section s = {0};
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));) {
        if (c->kind == OB_TRACE_PROCESS) {
            s = (section){.process = (const void *)(c + 1)};
            uint64_t time = (uint64_t)(s.process->ended - s.process->started);
            r->first = r->first ? r->first : s.process;
            r->wall += time;
            r->longest = time > r->longest ? time : r->longest;
        } else if (c->kind == OB_TRACE_NAMES) {
            s.names = c;
        } else if (c->kind == OB_TRACE_SITES) {
            s.sites = c;
        } else if (c->kind == OB_TRACE_ORIGINS) {
            s.origins = c;
        } else if (c->kind == OB_TRACE_STATS && s.process) {
            add_process(r, &s, c);
        }
    }
}

/* As many lines as there may be. */
static ob_report_lines lines_of(const char *file, size_t bytes)
{
    ob_report_lines all = {.room = 1};
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));)
        all.room += c->kind == OB_TRACE_STATS ? c->count : 0;
    all.at = room_for(all.room * sizeof *all.at);
    all.room = all.at ? all.room : 0;
    return all;
}

static void give_back(void *p, size_t bytes)
{
    if (p)
        munmap(p, bytes);
}

/* ------------------------------------------------------------- how, and where to */

/* What OPENBLACS_STATS says. Who finishes the file of others, and has none of his own, looks into
 * his environment; he is in no handler. */
static const char *asked(void)
{
    char host[sizeof ob_trace.self.host] = "";
    const char *wanted = secure_getenv("OPENBLACS_STATS");
    if (ob_trace.report == NULL && wanted && gethostname(host, sizeof host - 1) == 0)
        ob_trace.report = ob_trace_report_asked(wanted, host);
    return ob_trace.report ? ob_trace.report : "1";
}

static void put_file(void *context, const char *text, size_t bytes)
{
    ob_trace_put(*(const int *)context, text, bytes);
}

/* Opens the file that is asked for; -1: none is, or it cannot be, which is said then. */
static int open_file(const char *wanted, ob_report_out *out)
{
    const char *name = ob_trace_report_file(wanted);
    int fd = name ? ob_trace_report_open(name) : -1;
    if (name && fd < 0) {
        ob_report_print(out,
                        "OpenBLACS: the file of OPENBLACS_STATS, '%s', cannot be written: %s "
                        "[OB-8001]\n",
                        name, strerror(errno));
        ob_report_flush(out);
    }
    return fd;
}

static bool is(const char *wanted, const char *form)
{
    size_t length = strlen(form);
    return strncmp(wanted, form, length) == 0 && (wanted[length] == 0 || wanted[length] == ':');
}

/* One object is one line, which goes out at once. */
static void print_json(const ob_report *r, const ob_report_out *out)
{
    ob_report_out counted = {.put = NULL};
    ob_report_json(r, &counted);
    size_t room = counted.used + 1;
    ob_report_out whole = {out->put, out->context, room_for(room), room, 0};
    if (whole.text)
        ob_report_json(r, &whole);
    give_back(whole.text, room);
}

void ob_trace_report(const char *file, size_t bytes, ob_trace_put_text *put, void *context)
{
    static char text[16384];
    const char *wanted = asked();
    ob_report_out out = {put, context, text, sizeof text, 0};
    ob_report r = {.head = (const void *)file,
                   .sites = lines_of(file, bytes),
                   .routines = lines_of(file, bytes)};
    int fd = open_file(wanted, &out);
    if (fd >= 0) {
        out.put = put_file;
        out.context = &fd;
    }
    r.room = r.head->written;
    r.process = room_for((r.room + 1) * sizeof *r.process);
    read_sections(&r, file, bytes);
    sort(r.process, r.count, sizeof *r.process, by_number);
    sort(r.sites.at, r.sites.count, sizeof *r.sites.at, by_time);
    sort(r.routines.at, r.routines.count, sizeof *r.routines.at, by_time);
    if (is(wanted, "json"))
        print_json(&r, &out);
    else if (is(wanted, "line"))
        ob_report_short(&r, &out);
    else
        ob_report_text(&r, &out);
    if (fd >= 0)
        close(fd);
    give_back(r.process, (r.room + 1) * sizeof *r.process);
    give_back(r.sites.at, r.sites.room * sizeof *r.sites.at);
    give_back(r.routines.at, r.routines.room * sizeof *r.routines.at);
}
