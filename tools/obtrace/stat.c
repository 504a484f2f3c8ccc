/*
 * The summary in the terminal, and the same numbers for programs.
 */
#include "analysis.h"

#define PROCESSES_SHOWN 16
#define ROUTINES_SHOWN 20

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void print_process(const obt_analysis *a, uint32_t p, FILE *out)
{
    const obt_sums *s = &a->sums[p];
    char name[32], sent[32], received[32];
    int64_t all = obt_recorded(s);
    fprintf(out, "  %-14s %8.1f %8.1f %8.1f %8.1f %9lld %12s %9lld %12s %7lld\n",
            obt_process_name(a, p, name), share(s->state[OBT_COMPUTING], all),
            share(s->state[OBT_NOT_RUNNING], all), share(s->state[OBT_LIBRARY], all),
            share(obt_blocked(s), all), (long long)s->sent, obt_show_bytes(s->sent_bytes, sent),
            (long long)s->received, obt_show_bytes(s->received_bytes, received),
            (long long)s->queue);
}

/* All of a few; of many those that compute least and most. */
static void print_processes(const obt_analysis *a, FILE *out)
{
    size_t step = a->active <= PROCESSES_SHOWN ? 1 : a->active / PROCESSES_SHOWN;
    fprintf(out, "\n  %-14s %8s %8s %8s %8s %9s %12s %9s %12s %7s\n", "process", "comp. %",
            "no cpu %", "libr. %", "wait %", "sent", "bytes", "received", "bytes", "queue");
    for (size_t k = 0; k < a->active; k += step)
        print_process(a, a->order[k], out);
    if (step > 1)
        fprintf(out, "  (every %zuth of %zu processes; the report shows all)\n", step, a->active);
}

static void print_routines(const obt_analysis *a, FILE *out)
{
    char time[32], longest[32], mean[32];
    fprintf(out, "\n  %-24s %9s %10s %7s %10s %12s %12s\n", "routine", "calls", "time", "wait %",
            "longest", "mean bytes", "most bytes");
    for (size_t i = 0; i < a->row_count && i < ROUTINES_SHOWN; i++) {
        const obt_row *r = &a->rows[i];
        char most[32];
        fprintf(out, "  %-24s %9zu %10s %7.1f %10s %12s %12s\n", r->name, r->calls,
                obt_show_time(r->time, time), share(r->blocked, r->time),
                obt_show_time(r->longest, longest),
                obt_show_bytes(r->bytes / (int64_t)r->calls, mean), obt_show_bytes(r->most, most));
    }
    if (a->row_count > ROUTINES_SHOWN)
        fprintf(out, "  (and %zu more)\n", a->row_count - ROUTINES_SHOWN);
}

void obt_stat(const obt_analysis *a, FILE *out)
{
    fprintf(out, "%s: %s, %zu events\n", a->trace->path, a->trace->format, a->trace->event_count);
    for (size_t i = 0; i < a->text_count; i++)
        fprintf(out, "  %s\n", a->texts[i]);
    print_processes(a, out);
    print_routines(a, out);
    obt_print_asked(a, false, out);
    obt_print_parts(a, false, out);
    obt_stat_late(a, out);
    obt_stat_efficiency(a, out);
}

static void plain(FILE *out, const char *name, int64_t value)
{
    fprintf(out, "%s %lld\n", name, (long long)value);
}

void obt_stat_plain(const obt_analysis *a, FILE *out)
{
    plain(out, "events", (int64_t)a->trace->event_count);
    plain(out, "processes", (int64_t)a->active);
    plain(out, "length", a->end - a->begin);
    plain(out, "computing", a->all.state[OBT_COMPUTING]);
    plain(out, "library", a->all.state[OBT_LIBRARY]);
    plain(out, "blocked", obt_blocked(&a->all));
    plain(out, "slept", a->all.slept - a->all.unsure);
    plain(out, "unsure", a->all.unsure);
    plain(out, "messages", (int64_t)a->message_count);
    plain(out, "bytes", a->all.sent_bytes);
    plain(out, "unreceived", (int64_t)a->trace->unreceived);
    plain(out, "unsent", (int64_t)a->trace->unsent);
    plain(out, "early", (int64_t)a->early);
    plain(out, "queue", a->all.queue);
    plain(out, "calls", a->all.calls);
    plain(out, "path_messages", a->path_message);
    for (int k = OBT_COMPUTING; k < OBT_STATES; k++)
        fprintf(out, "state %s %lld\n", obt_state_names[k], (long long)a->all.state[k]);
    for (size_t k = 0; k < a->active; k++) {
        const obt_sums *s = &a->sums[a->order[k]];
        fprintf(out,
                "process %d computing %lld library %lld blocked %lld sent %lld %lld received "
                "%lld %lld path %lld not-running %lld\n",
                a->trace->processes[a->order[k]].id, (long long)s->state[OBT_COMPUTING],
                (long long)s->state[OBT_LIBRARY], (long long)obt_blocked(s), (long long)s->sent,
                (long long)s->sent_bytes, (long long)s->received, (long long)s->received_bytes,
                (long long)s->on_path, (long long)s->state[OBT_NOT_RUNNING]);
    }
    for (size_t k = 0; k < a->active; k++) {
        const obt_process *p = &a->trace->processes[a->order[k]];
        if (p->offset_error)
            fprintf(out, "clock %d offset %lld error %lld\n", p->id, (long long)p->offset,
                    (long long)p->offset_error);
    }
    for (size_t i = 0; i < a->row_count; i++)
        fprintf(out, "routine %s calls %zu time %lld blocked %lld bytes %lld\n", a->rows[i].name,
                a->rows[i].calls, (long long)a->rows[i].time, (long long)a->rows[i].blocked,
                (long long)a->rows[i].bytes);
    obt_print_asked(a, true, out);
    obt_stat_late_plain(a, out);
    obt_stat_efficiency_plain(a, out);
    for (size_t k = 0; k <= a->active; k++)
        if (a->concurrency[k])
            fprintf(out, "concurrency %zu %lld\n", k, (long long)a->concurrency[k]);
}
