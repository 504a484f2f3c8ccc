/*
 * The report of OPENBLACS_STATS: LAWN 73's timing level (7.1.4), laid out as users of
 * mpiP know it. It is made of the rows that all processes left in a file.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "trace/internal.h"

enum { TOP = 20 };

/* Lines on their way out. */
static struct {
    ob_trace_put_text *put;
    void *context;
    size_t used;
    char text[16384];
} out;

static void flush(void)
{
    if (out.used)
        out.put(out.context, out.text, out.used);
    out.used = 0;
}

/* A line, or the beginning of one. */
__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
    enum { LONGEST = 4096 };
    if (sizeof out.text - out.used < LONGEST && out.used && out.text[out.used - 1] == '\n')
        flush();
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out.text + out.used, sizeof out.text - out.used, format, args);
    va_end(args);
    size_t room = sizeof out.text - out.used - 1;
    out.used += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room;
}

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

/* One routine, or one routine at one call site, over all processes. */
typedef struct line {
    const char *routine, *function, *object;
    uint64_t offset;
    ob_trace_row sum;
    uint64_t most_time; /* of one process */
    int processes;
} line;

typedef struct lines {
    line *at;
    size_t count, room;
} lines;

/* The chunks of the process that is being read. */
typedef struct section {
    const ob_trace_process *process;
    const ob_trace_chunk *names, *sites;
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

static line *line_of(lines *all, const line *like)
{
    for (size_t i = 0; i < all->count; i++) {
        line *l = &all->at[i];
        if (l->offset == like->offset && strcmp(l->routine, like->routine) == 0 &&
            strcmp(l->function, like->function) == 0 && strcmp(l->object, like->object) == 0)
            return l;
    }
    if (all->count == all->room)
        return NULL;
    all->at[all->count] = *like;
    return &all->at[all->count++];
}

static void add_row(line *to, const ob_trace_row *row)
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
    if (row->time > to->most_time)
        to->most_time = row->time;
    to->processes++;
}

static void add_rows(lines *sites, lines *routines, const section *s, const ob_trace_chunk *c)
{
    const ob_trace_row *row = (const void *)(c + 1);
    for (uint32_t i = 0; i < c->count; i++) {
        const ob_trace_site *site = site_of(s, row[i].site);
        line like = {.routine = name_of(s, row[i].routine), .function = "", .object = ""};
        line *to = line_of(routines, &like);
        if (to)
            add_row(to, &row[i]);
        if (site) {
            like.function = name_of(s, site->function);
            like.object = name_of(s, site->object);
            like.offset = site->offset;
        }
        to = line_of(sites, &like);
        if (to)
            add_row(to, &row[i]);
    }
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const line *)a)->sum.time, y = ((const line *)b)->sum.time;
    return x > y ? -1 : x < y;
}

/* --------------------------------------------------------------------- printing */

static void print_place(const line *l)
{
    const char *slash = strrchr(l->object, '/');
    const char *object = slash ? slash + 1 : l->object;
    if (*l->object == 0)
        print("-\n");
    else if (*l->function)
        print("%s+0x%llx (%s)\n", l->function, (unsigned long long)l->offset, object);
    else
        print("%s+0x%llx\n", object, (unsigned long long)l->offset);
}

static int longest_name(const lines *all, size_t shown)
{
    size_t longest = 12;
    for (size_t i = 0; i < shown; i++)
        if (strlen(all->at[i].routine) > longest)
            longest = strlen(all->at[i].routine);
    return (int)longest;
}

static void print_lines(const char *title, lines *all, uint64_t wall, bool places)
{
    sort(all->at, all->count, sizeof(line), by_time);
    size_t shown = all->count < TOP || !places ? all->count : TOP;
    int width = longest_name(all, shown);
    print("\n%s\n%-*s %10s %11s %6s %6s %12s %9s %11s %10s %8s%s\n", title, width, "routine",
          "calls", "time s", "time%", "wait%", "bytes", "least", "mean", "most", "balance",
          places ? " called from" : "");
    for (size_t i = 0; i < shown; i++) {
        const line *l = &all->at[i];
        const ob_trace_row *s = &l->sum;
        double mean = (double)s->time / (l->processes ? l->processes : 1);
        print("%-*s %10llu %11.6f %6.2f %6.2f %12llu %9llu %11.1f %10llu %8.2f%s", width,
              l->routine, (unsigned long long)s->calls, (double)s->time * 1e-9,
              wall ? 100.0 * (double)s->time / (double)wall : 0.0,
              s->time ? 100.0 * (double)s->blocked / (double)s->time : 0.0,
              (unsigned long long)s->bytes, (unsigned long long)s->least,
              s->messages ? (double)s->bytes / (double)s->messages : 0.0,
              (unsigned long long)s->most, mean > 0 ? mean / (double)l->most_time : 1.0,
              places ? " " : "\n");
        if (places)
            print_place(l);
    }
    if (shown < all->count)
        print("(%zu more call sites with less time)\n", all->count - shown);
}

static void print_process(const section *s, int number, const ob_trace_row *total)
{
    double wall = (double)(s->process->ended - s->process->started);
    print("%7d %11.6f %11.6f %6.2f %11.6f %6.2f %11.6f %11.6f %12llu %s\n", number, wall * 1e-9,
          (double)total->time * 1e-9, wall > 0 ? 100 * (double)total->time / wall : 0,
          (double)total->blocked * 1e-9, wall > 0 ? 100 * (double)total->blocked / wall : 0,
          (double)total->packing * 1e-9, (double)s->process->cpu * 1e-9,
          (unsigned long long)total->bytes, s->process->host);
}

static ob_trace_row sum_of(const ob_trace_chunk *c)
{
    line total = {.processes = 0};
    const ob_trace_row *row = (const void *)(c + 1);
    for (uint32_t i = 0; i < c->count; i++)
        add_row(&total, &row[i]);
    return total.sum;
}

/* What one program left, in the order of the table. */
typedef struct entry {
    section s;
    int number;
    ob_trace_row total;
} entry;

static int by_number(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->s.process->started < y->s.process->started ? -1 : 1;
}

/* Without memory for an order they come as they are in the file. */
static void print_processes(entry *all, size_t count)
{
    sort(all, count, sizeof *all, by_number);
    for (size_t i = 0; i < count; i++)
        print_process(&all[i].s, all[i].number, &all[i].total);
}

/* Walks over the processes; each one's statistics come last of its chunks. */
static uint64_t read_sections(const char *file, size_t bytes, lines *sites, lines *routines)
{
    section s = {0};
    uint64_t wall = 0;
    size_t count = 0, room = ((const ob_trace_header *)(const void *)file)->written;
    entry *all = room_for((room + 1) * sizeof *all);
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));) {
        if (c->kind == OB_TRACE_PROCESS) {
            s = (section){.process = (const void *)(c + 1)};
            wall += (uint64_t)(s.process->ended - s.process->started);
        } else if (c->kind == OB_TRACE_NAMES) {
            s.names = c;
        } else if (c->kind == OB_TRACE_SITES) {
            s.sites = c;
        } else if (c->kind == OB_TRACE_STATS && s.process) {
            const entry one = {s, c->process, sum_of(c)};
            if (all && count < room)
                all[count++] = one;
            else
                print_process(&s, one.number, &one.total);
            add_rows(sites, routines, &s, c);
        }
    }
    if (all)
        print_processes(all, count);
    if (all)
        munmap(all, (room + 1) * sizeof *all);
    return wall;
}

static void print_missing(const ob_trace_header *h)
{
    if (h->written < h->joined)
        print("%u of %u processes ended without leaving their statistics\n", h->joined - h->written,
              h->joined);
}

/* As many lines as there may be. */
static lines lines_of(const char *file, size_t bytes)
{
    lines all = {.room = 1};
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));)
        all.room += c->kind == OB_TRACE_STATS ? c->count : 0;
    all.at = room_for(all.room * sizeof *all.at);
    all.room = all.at ? all.room : 0;
    return all;
}

static void print_title(const char *file, size_t bytes)
{
    const ob_trace_header *h = (const void *)file;
    const ob_trace_process *first = NULL;
    char of[32] = "";
    for (const ob_trace_chunk *c = NULL; !first && (c = ob_trace_next_chunk(file, bytes, c));)
        if (c->kind == OB_TRACE_PROCESS)
            first = (const void *)(c + 1);
    if (h->written < h->processes)
        snprintf(of, sizeof of, " of %u", h->processes);
    print("OpenBLACS statistics: %.*s, %u%s process%s\n"
          "\n%7s %11s %11s %6s %11s %6s %11s %11s %12s %s\n",
          first ? (int)sizeof first->program : 0, first ? first->program : "", h->written, of,
          h->processes == 1 ? "" : "es", "process", "wall s", "in calls s", "%", "waiting s", "%",
          "moving s", "cpu s", "bytes", "host");
}

void ob_trace_report(const char *file, size_t bytes, ob_trace_put_text *put, void *context)
{
    lines sites = lines_of(file, bytes), routines = lines_of(file, bytes);
    out.put = put;
    out.context = context;
    print_title(file, bytes);
    uint64_t wall = read_sections(file, bytes, &sites, &routines);
    print_missing((const void *)file);
    print_lines("by routine, all processes (time% of the wall time of all; balance: mean / most "
                "of the processes)",
                &routines, wall, false);
    print_lines("by routine and call site", &sites, wall, true);
    flush();
    if (sites.at)
        munmap(sites.at, sites.room * sizeof *sites.at);
    if (routines.at)
        munmap(routines.at, routines.room * sizeof *routines.at);
}
