/*
 * Writes the report: a page of its own with the trace in it. Sums go as JSON; what
 * there may be a million of goes as variable-length numbers in base 64, which a
 * browser unpacks faster than it would parse text.
 */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ packing */

typedef struct packer {
    FILE *out;
    unsigned char held[3];
    size_t count;
} packer;

static void put_bytes(packer *p)
{
    static const char code[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t v = (uint32_t)p->held[0] << 16 | (uint32_t)p->held[1] << 8 | p->held[2];
    for (int i = 0; i < 4; i++)
        putc(i <= (int)p->count ? code[v >> (18 - 6 * i) & 63] : '=', p->out);
    p->count = 0;
    memset(p->held, 0, sizeof p->held);
}

static void put_byte(packer *p, unsigned char b)
{
    p->held[p->count++] = b;
    if (p->count == 3)
        put_bytes(p);
}

/* Seven bits a byte, low ones first; the high bit says that more follow. */
static void put_number(packer *p, int64_t value)
{
    uint64_t v = value < 0 ? 0 : (uint64_t)value;
    for (; v > 127; v >>= 7)
        put_byte(p, (unsigned char)(v | 128));
    put_byte(p, (unsigned char)v);
}

static void finish(packer *p)
{
    if (p->count)
        put_bytes(p);
}

/* Processes in the page: those with events in order, then the others. */
typedef struct pages {
    const obt_analysis *a;
    FILE *out;
    uint32_t *place;        /* by process index */
    uint32_t *at;           /* process index, by place */
    uint32_t *row;          /* place of a routine in the table, by routine index; + 1 */
    obt_place *call_places; /* routines at places of the program, */
    size_t call_place_count, told_places;
    obt_map number_of; /* by routine and site: index there */
} pages;

enum { MOST_PLACES = 2000 };

static int64_t place_key(const pages *g, uint32_t routine, int32_t site)
{
    return (int64_t)routine * ((int64_t)g->a->trace->site_count + 1) + site + 1;
}

static void find_places(pages *g)
{
    g->call_places = obt_find_places(g->a, &g->call_place_count);
    g->told_places = g->call_place_count < MOST_PLACES ? g->call_place_count : MOST_PLACES;
    for (size_t i = 0; i < g->told_places; i++)
        obt_map_take(&g->number_of, place_key(g, g->call_places[i].routine, g->call_places[i].site),
                     i);
}

/* Of a call in the page: 0 none; up to as many as there are in its list the place, else what is
 * beyond it is the routine's number. */
static int64_t call_number(const pages *g, uint32_t call)
{
    if (call == OBT_NO_CALL)
        return 0;
    const obt_call *c = &g->a->calls[call];
    size_t at = obt_map_find(&g->number_of, place_key(g, c->routine, c->site));
    return at == OBT_NONE ? (int64_t)(g->told_places + g->row[c->routine]) : (int64_t)at + 1;
}

/* The page has two more states behind not running: asleep, and unsure which of the two. */
enum { PAGE_ASLEEP = OBT_NOT_RUNNING + 1, PAGE_UNSURE, MORE_STATES = 2 };

static int page_state(const obt_span *s)
{
    if (s->state == OBT_NOT_RUNNING && s->asleep)
        return s->unsure ? PAGE_UNSURE : PAGE_ASLEEP;
    return s->state > OBT_NOT_RUNNING ? s->state + MORE_STATES : s->state;
}

/* Whom a process waits for: 0 not known, else the process and whether it came late; then the one
 * because of whom it did, and how much of the wait that is; and always what the rest is, as a
 * pattern. *next: the process's first wait that has not ended. */
static void put_whom(const pages *g, packer *p, uint32_t process, int64_t time, size_t *next)
{
    const obt_analysis *a = g->a;
    while (*next < a->wait_count && a->waits[*next].process == process &&
           a->waits[*next].end <= time)
        (*next)++;
    const obt_wait *w = *next < a->wait_count ? &a->waits[*next] : NULL;
    bool known = w && w->process == process && w->begin <= time;
    bool late = known && w->culprit != UINT32_MAX;
    uint32_t whom = late ? w->culprit : known ? w->cause : UINT32_MAX;
    put_number(p, whom == UINT32_MAX ? 0 : 1 + 2 * (int64_t)g->place[whom] + late);
    if (late) {
        put_number(p, g->place[w->because_of == UINT32_MAX ? whom : w->because_of]);
        put_number(p, w->late);
    }
    put_number(p, known ? (int64_t)obt_rest_of(w) : OBT_UNDER_WAY);
}

static void put_spans(const pages *g)
{
    const obt_analysis *a = g->a;
    packer p = {.out = g->out};
    put_number(&p, (int64_t)a->span_count);
    for (size_t k = 0; k < a->active; k++) {
        size_t first = a->first_span[a->order[k]];
        size_t end = k + 1 < a->active ? a->first_span[a->order[k + 1]] : a->span_count;
        int64_t last = a->begin;
        size_t wait = a->first_wait[a->order[k]];
        put_number(&p, (int64_t)(end - first));
        for (size_t i = first; i < end; i++) {
            const obt_span *s = &a->spans[i];
            put_number(&p, s->begin - last);
            put_byte(&p, (unsigned char)page_state(s));
            put_number(&p, call_number(g, s->call));
            if (s->state >= OBT_RECEIVING)
                put_whom(g, &p, a->order[k], s->begin, &wait);
            last = s->begin;
        }
    }
    finish(&p);
}

static void put_messages(const pages *g)
{
    const obt_analysis *a = g->a;
    packer p = {.out = g->out};
    int64_t last = a->begin;
    put_number(&p, (int64_t)a->message_count);
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        put_number(&p, m->sent - last);
        put_number(&p, m->received - m->sent);
        put_number(&p, g->place[m->from]);
        put_number(&p, g->place[m->to]);
        put_number(&p, m->bytes);
        put_number(&p, m->blocked);
        last = m->sent;
    }
    finish(&p);
}

static void put_pairs(const pages *g)
{
    const obt_analysis *a = g->a;
    packer p = {.out = g->out};
    put_number(&p, (int64_t)a->pair_count);
    for (size_t i = 0; i < a->pair_count; i++) {
        put_number(&p, g->place[a->pairs[i].from]);
        put_number(&p, g->place[a->pairs[i].to]);
        put_number(&p, a->pairs[i].messages);
        put_number(&p, a->pairs[i].bytes);
        put_number(&p, a->pairs[i].blocked);
    }
    finish(&p);
}

/* The program's parts, process by process: its number of them, then each one's name (in the
 * object's list `parts`), what lies before it, and its length. */
static void put_parts(const pages *g)
{
    const obt_analysis *a = g->a;
    packer p = {.out = g->out};
    size_t rows, *number = obt_memory(a->trace->routine_count, sizeof *number);
    size_t *first = obt_memory(a->trace->process_count + 1, sizeof *first);
    obt_part_row *row = obt_find_part_rows(a, &rows);
    for (size_t i = 0; i < rows; i++)
        number[row[i].name] = i;
    for (size_t i = a->part_count; i-- > 0;)
        first[a->parts[i].process] = i + 1;
    for (size_t k = 0; k < a->active; k++) {
        uint32_t process = a->order[k];
        size_t begin = first[process] ? first[process] - 1 : a->part_count, end = begin;
        int64_t last = a->begin;
        while (end < a->part_count && a->parts[end].process == process)
            end++;
        put_number(&p, (int64_t)(end - begin));
        for (; begin < end; begin++) {
            put_number(&p, (int64_t)number[a->parts[begin].name]);
            put_number(&p, a->parts[begin].begin - last);
            put_number(&p, a->parts[begin].end - a->parts[begin].begin);
            last = a->parts[begin].end;
        }
    }
    finish(&p);
    free(row);
    free(first);
    free(number);
}

static void put_steps(const pages *g)
{
    const obt_analysis *a = g->a;
    packer p = {.out = g->out};
    put_number(&p, (int64_t)a->path_count);
    for (size_t i = a->path_count; i-- > 0;) {
        const obt_step *s = &a->path[i];
        put_number(&p, s->begin - a->begin);
        put_number(&p, s->end - a->begin);
        put_number(&p, g->place[s->process]);
        put_number(&p, s->from == UINT32_MAX ? 0 : g->place[s->from] + 1);
    }
    finish(&p);
}

/* --------------------------------------------------------------------- JSON */

static void put_array(FILE *out, const char *name, const int64_t *values, size_t count)
{
    fprintf(out, "\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%lld", i ? "," : "", (long long)values[i]);
    fputc(']', out);
}

static void put_process(const pages *g, uint32_t p)
{
    const obt_analysis *a = g->a;
    const obt_sums *s = &a->sums[p];
    int32_t id = a->trace->processes[p].id;
    char name[32];
    fprintf(g->out, "{\"id\":%d,\"label\":\"", id);
    if (id == OBT_HOST)
        fputs("host", g->out);
    else
        fprintf(g->out, "%d", id);
    fprintf(g->out, "\",\"name\":\"%s\",", obt_process_name(a, p, name));
    int64_t state[OBT_STATES + MORE_STATES];
    memcpy(state, s->state, (OBT_NOT_RUNNING + 1) * sizeof *state);
    memcpy(state + PAGE_UNSURE + 1, s->state + OBT_NOT_RUNNING + 1,
           (OBT_STATES - OBT_NOT_RUNNING - 1) * sizeof *state);
    state[OBT_NOT_RUNNING] -= s->slept;
    state[PAGE_ASLEEP] = s->slept - s->unsure;
    state[PAGE_UNSURE] = s->unsure;
    put_array(g->out, "state", state, OBT_STATES + MORE_STATES);
    fprintf(g->out, ",\"work\":%lld,\"caused\":%lld", (long long)obt_work(a, p),
            (long long)s->caused);
    fprintf(g->out,
            ",\"sent\":%lld,\"sentBytes\":%lld,\"received\":%lld,\"receivedBytes\":%lld,"
            "\"calls\":%lld,\"queue\":%lld,\"path\":%lld}",
            (long long)s->sent, (long long)s->sent_bytes, (long long)s->received,
            (long long)s->received_bytes, (long long)s->calls, (long long)s->queue,
            (long long)s->on_path);
}

static void put_rows(const pages *g)
{
    fputs("\"routines\":[", g->out);
    for (size_t i = 0; i < g->a->row_count; i++) {
        const obt_row *r = &g->a->rows[i];
        fprintf(g->out, "%s\n{\"name\":", i ? "," : "");
        obt_json_text(g->out, r->name);
        fprintf(g->out,
                ",\"calls\":%zu,\"time\":%lld,\"longest\":%lld,\"blocked\":%lld,"
                "\"packing\":%lld,\"bytes\":%lld,\"least\":%lld,\"most\":%lld}",
                r->calls, (long long)r->time, (long long)r->longest, (long long)r->blocked,
                (long long)r->packing, (long long)r->bytes, (long long)r->least,
                (long long)r->most);
    }
    fputs("]", g->out);
}

enum { MOST_ROWS = 1000 }; /* of the tables of waits: enough to read */

/* Where a stretch of a process lies. */
static void put_stretch(const pages *g, uint32_t process, int64_t begin, int64_t end)
{
    fprintf(g->out, "\"process\":%u,\"begin\":%lld,\"end\":%lld", g->place[process],
            (long long)(begin - g->a->begin), (long long)(end - g->a->begin));
}

static void put_late(const pages *g)
{
    const obt_analysis *a = g->a;
    char text[600];
    fprintf(g->out, "\"late\":%lld,\n\"lateRows\":[", (long long)a->late);
    for (size_t i = 0; i < a->late_row_count && i < MOST_ROWS; i++) {
        const obt_late_row *r = &a->late_rows[i];
        const obt_wait *w = &a->waits[r->longest];
        fprintf(g->out, "%s\n{\"pattern\":\"%s\",\"late\":%s,\"waits\":%zu,\"time\":%lld,\"call\":",
                i ? "," : "", obt_pattern_names[r->pattern],
                obt_is_late(r->pattern) ? "true" : "false", r->waits, (long long)r->time);
        obt_json_text(g->out, obt_call_name(a->trace, r->routine, r->site, text, sizeof text));
        if (r->because_of != UINT32_MAX)
            fprintf(g->out, ",\"because\":%u,\"ofThis\":%lld", g->place[r->because_of],
                    (long long)r->of_this);
        putc(',', g->out);
        bool late = obt_is_late(r->pattern);
        put_stretch(g, w->process, late ? w->begin : w->begin + w->late,
                    late ? w->begin + w->late : w->end);
        putc('}', g->out);
    }
    fputs("],\n\"delays\":[", g->out);
    for (size_t i = 0; i < a->delay_count && i < MOST_ROWS; i++) {
        const obt_delay *d = &a->delays[i];
        fprintf(g->out, "%s\n{\"cost\":%lld,\"what\":", i ? "," : "", (long long)d->cost);
        obt_json_text(g->out, obt_delay_name(a, d, text, sizeof text));
        if (*obt_delay_where(a, d, text, sizeof text)) {
            fputs(",\"where\":", g->out);
            obt_json_text(g->out, text);
        }
        putc(',', g->out);
        put_stretch(g, d->process, d->begin, d->end);
        if (d->gain >= 0)
            fprintf(g->out, ",\"gain\":%lld,\"changed\":\"%s\"", (long long)d->gain,
                    obt_gain_name(d));
        if (d->times)
            fprintf(g->out,
                    ",\"times\":%zu,\"rare\":%zu,\"typical\":%lld,\"usual\":%lld,\"others\":%lld,"
                    "\"elsewhere\":%s,\"part\":%s,\"from\":%lld,\"to\":%lld,\"bytes\":%lld",
                    d->times, d->rare, (long long)d->typical, (long long)d->usual,
                    (long long)d->others, d->elsewhere ? "true" : "false",
                    d->part ? "true" : "false", (long long)(d->typical_begin - a->begin),
                    (long long)(d->typical_end - a->begin), (long long)d->bytes);
        if (d->times && d->by.bytes > 0) {
            fprintf(g->out, ",\"byBytes\":%lld,\"by\":", (long long)d->by.bytes);
            obt_json_text(g->out,
                          obt_call_name(a->trace, d->by.routine, d->by.site, text, sizeof text));
        }
        putc('}', g->out);
    }
    fputs("],\n", g->out);
}

static void put_places(const pages *g)
{
    const obt_analysis *a = g->a;
    char text[600];
    fputs("\"places\":[", g->out);
    for (size_t i = 0; i < g->told_places; i++) {
        const obt_place *p = &g->call_places[i];
        const obt_call *c = &a->calls[p->longest];
        fprintf(g->out, "%s\n{\"call\":", i ? "," : "");
        obt_json_text(g->out, obt_call_name(a->trace, p->routine, p->site, text, sizeof text));
        fprintf(g->out,
                ",\"routine\":%u,\"calls\":%zu,\"time\":%lld,\"blocked\":%lld,\"bytes\":%lld,",
                g->row[p->routine], p->calls, (long long)p->time, (long long)p->blocked,
                (long long)p->bytes);
        put_stretch(g, c->process, c->begin, c->end);
        putc('}', g->out);
    }
    fputs("],\n", g->out);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The program, or the trace of a program that is not known. */
static const char *title(const pages *g)
{
    const obt_trace *t = g->a->trace;
    return file_name(t->program ? t->program : t->path);
}

static void put_meta(const pages *g)
{
    const obt_analysis *a = g->a;
    FILE *out = g->out;
    char line[256];
    int64_t own;
    fputs("{\"title\":", out);
    obt_json_text(out, title(g));
    snprintf(line, sizeof line, "%.200s: a trace, format %s, %zu events", file_name(a->trace->path),
             a->trace->format, a->trace->event_count);
    fputs(",\n\"subtitle\":", out);
    obt_json_text(out, line);
    fprintf(
        out,
        ",\n\"length\":%lld,\"active\":%zu,\"bytes\":%lld,\"pathMessage\":%lld,\"ideal\":%lld,\n",
        (long long)(a->end - a->begin), a->active, (long long)a->all.sent_bytes,
        (long long)a->path_message, (long long)a->ideal);
    fputs("\"own\":", out);
    obt_json_text(out, obt_own_messages(a, &own, line));
    fputs(",\"states\":[", out);
    for (int k = 0; k < OBT_STATES; k++)
        fprintf(out, "%s\"%s\"%s", k ? "," : "", obt_state_names[k],
                k == OBT_NOT_RUNNING ? ",\"asleep\",\"unsure\"" : "");
    fprintf(out, "],\n\"sleeps\":%s,\n\"texts\":[", obt_sleeps(a) ? "true" : "false");
    for (size_t i = 0; i < a->text_count; i++) {
        fputs(i ? ",\n" : "", out);
        obt_json_text(out, a->texts[i]);
    }
    fputs("],\n", out);
    put_array(out, "gains", a->gains, a->text_count);
    fputs(",\n", out);
    put_array(out, "lengths", a->lengths, OBT_LENGTHS);
    fputs(",\n", out);
    put_array(out, "lengthBytes", a->length_bytes, OBT_LENGTHS);
    fputs(",\n", out);
    put_array(out, "concurrency", a->concurrency, a->active + 1);
    fputs(",\n\"processes\":[", out);
    for (size_t i = 0; i < a->trace->process_count; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_process(g, g->at[i]);
    }
    fputs("],\n", out);
    put_late(g);
    put_places(g);
    obt_report_more(a, g->place, out);
    put_rows(g);
    fputs("}\n", out);
}

/* --------------------------------------------------------------------- page */

static void put_title(const pages *g)
{
    for (const char *p = title(g); *p; p++)
        if (strchr("<>&\"'", *p))
            fprintf(g->out, "&#%d;", *p);
        else
            putc(*p, g->out);
}

static void put_style(const pages *g)
{
    fputs(obt_style_css, g->out);
}

static void put_script(const pages *g)
{
    const char *const parts[] = {obt_data_js,  obt_tools_js,      obt_timeline_js,  obt_charts_js,
                                 obt_waits_js, obt_supersteps_js, obt_animation_js, obt_search_js,
                                 obt_links_js, obt_main_js};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fputs(parts[i], g->out);
}

/* Fills the marks of page.html. */
static void put_page(const pages *g)
{
    static const struct {
        const char *mark;
        void (*put)(const pages *g);
    } marks[] = {{"@TITLE@", put_title}, {"@STYLE@", put_style},       {"@META@", put_meta},
                 {"@SPANS@", put_spans}, {"@MESSAGES@", put_messages}, {"@PAIRS@", put_pairs},
                 {"@STEPS@", put_steps}, {"@PARTS@", put_parts},       {"@SCRIPT@", put_script}};
    const char *p = obt_page_html;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = strstr(p, marks[i].mark);
        if (!mark)
            obt_die("OB-8507 the page's template lacks %s", marks[i].mark);
        fwrite(p, 1, (size_t)(mark - p), g->out);
        marks[i].put(g);
        p = mark + strlen(marks[i].mark);
    }
    fputs(p, g->out);
}

static void number_rows(pages *g)
{
    const obt_trace *t = g->a->trace;
    obt_map by_name = {0};
    for (size_t i = 0; i < g->a->row_count; i++)
        obt_map_take(&by_name, (int64_t)(intptr_t)g->a->rows[i].name, i + 1);
    for (size_t i = 0; i < t->routine_count; i++) {
        size_t found = obt_map_find(&by_name, (int64_t)(intptr_t)t->routines[i].name);
        g->row[i] = found == OBT_NONE ? 0 : (uint32_t)found;
    }
    obt_map_free(&by_name);
}

void obt_report(const obt_analysis *a, FILE *out)
{
    size_t n = a->trace->process_count, next = a->active;
    pages g = {.a = a,
               .out = out,
               .place = obt_memory(n, sizeof *g.place),
               .at = obt_memory(n, sizeof *g.at),
               .row = obt_memory(a->trace->routine_count, sizeof *g.row)};
    for (size_t k = 0; k < a->active; k++) {
        g.at[k] = a->order[k];
        g.place[a->order[k]] = (uint32_t)k;
    }
    for (size_t p = 0; p < n; p++)
        if (a->first_span[p] == SIZE_MAX) {
            g.place[p] = (uint32_t)next;
            g.at[next++] = (uint32_t)p;
        }
    number_rows(&g);
    find_places(&g);
    put_page(&g);
    obt_map_free(&g.number_of);
    free(g.call_places);
    free(g.place);
    free(g.at);
    free(g.row);
}
