/*
 * The report of OPENBLACS_STATS as a line for job logs, and as an object of JSON for programs.
 * Numbers are printed as integers and their parts, for a program may have set a language with
 * decimal commas.
 */
#include <stdio.h>
#include <string.h>

#include "trace/report.h"

typedef unsigned long long number;

/* Thousandths of a whole. */
static number share(uint64_t part, uint64_t whole)
{
    return whole ? (number)(1000.0 * (double)part / (double)whole + 0.5) : 0;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

void ob_report_short(const ob_report *r, ob_report_out *out)
{
    const ob_trace_header *h = r->head;
    const ob_trace_row *t = &r->total;
    number computing = share(less(r->wall, t->time), r->wall),
           communicating = share(less(t->time, t->blocked), r->wall),
           waiting = share(t->blocked, r->wall), ms = (r->longest + 500000) / 1000000;
    char of[32] = "";
    if (h->written < h->processes)
        snprintf(of, sizeof of, " of %u", h->processes);
    ob_report_print(out,
                    "OpenBLACS statistics: %.*s, %u%s process%s, %llu.%03llu s, %llu.%llu %% "
                    "computing, %llu.%llu %% communicating, %llu.%llu %% waiting, %llu messages, "
                    "%llu bytes\n",
                    r->first ? (int)sizeof r->first->program : 0, r->first ? r->first->program : "",
                    h->written, of, h->processes == 1 ? "" : "es", ms / 1000, ms % 1000,
                    computing / 10, computing % 10, communicating / 10, communicating % 10,
                    waiting / 10, waiting % 10, (number)t->messages, (number)t->bytes);
    ob_report_flush(out);
}

/* ------------------------------------------------------------------------- JSON */

/* The bytes of the UTF-8 character here; 0: it is none. */
static int character(const unsigned char *p, size_t left)
{
    int n = *p < 0x80 ? 1 : *p >= 0xf5 ? 0 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;
    if (n == 0 || (size_t)n > left)
        return 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool long_form = (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xf0 && p[1] < 0x90);
    bool none = (*p == 0xed && p[1] > 0x9f) || (*p == 0xf4 && p[1] > 0x8f);
    return long_form || none ? 0 : n;
}

/* A text of at most `most` bytes. What is no character becomes U+FFFD. */
static void put_text(ob_report_out *out, const char *name, const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    ob_report_print(out, "\"%s\":\"", name);
    for (size_t i = 0; i < length;) {
        const unsigned char *p = (const unsigned char *)text + i;
        int n = character(p, length - i);
        if (n == 0)
            ob_report_print(out, "\\ufffd");
        else if (*p < 0x20 || *p == '"' || *p == '\\' || *p == 0x7f)
            ob_report_print(out, "\\u%04x", *p);
        else
            ob_report_print(out, "%.*s", n, (const char *)p);
        i += n ? (size_t)n : 1;
    }
    ob_report_print(out, "\",");
}

static void put_seconds(ob_report_out *out, const char *name, uint64_t ns)
{
    ob_report_print(out, "\"%s\":%llu.%09llu,", name, (number)(ns / 1000000000),
                    (number)(ns % 1000000000));
}

static void put_sums(ob_report_out *out, const ob_trace_row *s)
{
    put_seconds(out, "in_calls", s->time);
    put_seconds(out, "waiting", s->blocked);
    put_seconds(out, "moving", s->packing);
    ob_report_print(out, "\"calls\":%llu,\"messages\":%llu,\"bytes\":%llu", (number)s->calls,
                    (number)s->messages, (number)s->bytes);
}

static void put_process(ob_report_out *out, const ob_report_process *one)
{
    const ob_trace_process *p = one->process;
    ob_report_print(out, "{\"process\":%d,", one->number);
    put_text(out, "host", p->host, sizeof p->host);
    put_seconds(out, "seconds", p->ended > p->started ? (uint64_t)(p->ended - p->started) : 0);
    put_seconds(out, "processor_time", p->cpu);
    ob_report_print(out, "\"signal\":%u,", p->signal);
    put_sums(out, &one->total);
    ob_report_print(out, "}");
}

static void put_line(ob_report_out *out, const ob_report_line *l, bool place)
{
    const ob_trace_row *s = &l->sum;
    ob_report_print(out, "{");
    put_text(out, "routine", l->routine, SIZE_MAX);
    if (place) {
        put_text(out, "function", l->function, SIZE_MAX);
        ob_report_print(out, "\"offset\":%llu,", (number)l->offset);
        put_text(out, "object", l->object, SIZE_MAX);
        put_text(out, "caller", l->caller, SIZE_MAX);
        ob_report_print(out, "\"caller_offset\":%llu,", (number)l->caller_offset);
        put_text(out, "caller_object", l->from, SIZE_MAX);
    }
    ob_report_print(out, "\"processes\":%d,", l->processes);
    put_seconds(out, "longest", s->longest);
    put_seconds(out, "most_of_a_process", l->most_time);
    ob_report_print(out, "\"least_bytes\":%llu,\"most_bytes\":%llu,", (number)s->least,
                    (number)s->most);
    put_sums(out, s);
    ob_report_print(out, "}");
}

static void put_lines(ob_report_out *out, const char *name, const ob_report_lines *all, bool places)
{
    ob_report_print(out, ",\"%s\":[", name);
    for (size_t i = 0; i < all->count; i++) {
        ob_report_print(out, i ? "," : "");
        put_line(out, &all->at[i], places);
    }
    ob_report_print(out, "]");
}

void ob_report_json(const ob_report *r, ob_report_out *out)
{
    const ob_trace_header *h = r->head;
    ob_report_print(out, "{\"openblacs_statistics\":1,");
    put_text(out, "program", r->first ? r->first->program : "", sizeof r->first->program);
    ob_report_print(out, "\"processes\":%u,\"joined\":%u,\"written\":%u,", h->processes, h->joined,
                    h->written);
    put_seconds(out, "seconds", r->longest);
    put_seconds(out, "seconds_of_all", r->wall);
    put_sums(out, &r->total);
    ob_report_print(out, ",\"by_process\":[");
    for (size_t i = 0; i < r->count; i++) {
        ob_report_print(out, i ? "," : "");
        put_process(out, &r->process[i]);
    }
    ob_report_print(out, "]");
    put_lines(out, "by_routine", &r->routines, false);
    put_lines(out, "by_site", &r->sites, true);
    ob_report_print(out, "}\n");
    ob_report_flush(out);
}
