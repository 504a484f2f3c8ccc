/*
 * The usual questions to a replay, in the terminal; and the advice that follows from the answers.
 */
#include "whatif.h"

#include <stdlib.h>
#include <string.h>

enum { LETTERS_OF_ONE = 3 }; /* topologies shown for one kind of call */

static void add(obt_answers *l, obt_question *q, int64_t length)
{
    l->at = obt_grow(l->at, l->count, &l->room, sizeof *l->at);
    q->length = length;
    l->at[l->count++] = *q;
}

static obt_replay ask(const obt_steps *s, const obt_scenario *base, const obt_question *q)
{
    obt_replay r;
    obt_scenario what = q->what;
    what.from = base->from;
    what.torus = base->torus;
    if (q->change.routine[0]) {
        what.changes = &q->change;
        what.change_count = 1;
    }
    obt_replay_run(s, &what, &r);
    return r;
}

static void answer(const obt_steps *s, const obt_scenario *base, obt_answers *l, obt_question q)
{
    obt_replay r = ask(s, base, &q);
    q.changed = r.changed;
    q.refused = r.refused;
    l->stuck += r.stuck;
    add(l, &q, r.length);
    obt_free_replay(&r);
}

static const char scopes[] = "RCA";

/* Are there such calls between nodes? Within one the library's own choice leaves no messages behind
 * with which those of a letter could be compared, and no letter is faster. */
static bool has_kind(const obt_steps *s, bool broadcast, char scope)
{
    const obt_analysis *a = s->analysis;
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        if (c->scope == scope && c->topology && s->of_call[i] != SIZE_MAX &&
            s->together[s->of_call[i]].count > 1 && !s->together[s->of_call[i]].one_node &&
            (broadcast ? obt_is_broadcast(a, c) : obt_is_combine(a, c)))
            return true;
    }
    return false;
}

static int by_length(const void *x, const void *y)
{
    const obt_question *a = x, *b = y;
    return obt_compare(a->length, b->length);
}

/* The fastest topologies for one kind of call. */
static void try_letters(const obt_steps *s, const obt_scenario *base, obt_answers *l,
                        bool broadcast, char scope)
{
    static const char letters[] = "IDSH12";
    static const char *const words[] = {"row ", "column ", ""};
    obt_answers all = {0};
    for (const char *c = letters; *c; c++) {
        obt_question q = {.change = {.scope = scope, .letter = *c}};
        snprintf(q.change.routine, sizeof q.change.routine, "%s",
                 broadcast ? "broadcast" : "combine");
        snprintf(q.text, sizeof q.text, "TOP = '%c' for %s%ss", *c,
                 words[strchr(scopes, scope) - scopes], q.change.routine);
        answer(s, base, &all, q);
    }
    qsort(all.at, all.count, sizeof *all.at, by_length);
    for (size_t k = 0; k < all.count && k < LETTERS_OF_ONE; k++)
        if (all.at[k].changed)
            add(l, &all.at[k], all.at[k].length);
    l->stuck += all.stuck;
    free(all.at);
}

void obt_note_costs(const obt_steps *s, const obt_scenario *what, obt_answers *l)
{
    l->elsewhere = what->to != NULL;
    l->costs = what->from           ? OBT_COSTS_GIVEN
               : obt_costs_found(s) ? OBT_COSTS_OF_TRACE
                                    : OBT_COSTS_OF_HOST;
}

/* What figures rest on that nobody gave. */
static void say_costs(const obt_answers *l, FILE *out)
{
    if (l->costs == OBT_COSTS_OF_HOST)
        fputs(
            "  what messages cost is this machine's profile, for in the trace too few were waited "
            "for to tell;\n"
            "  for the trace of another machine give its profile with --here\n",
            out);
    else if (l->costs == OBT_COSTS_OF_TRACE && l->elsewhere)
        fputs("  what messages cost on the trace's own machine is found in the trace; that may be "
              "far from what\n"
              "  obbench fit would have measured there: with --here the comparison is surer\n",
              out);
}

void obt_ask_all(const obt_steps *s, const obt_scenario *base, bool letters, obt_answers *l)
{
    *l = (obt_answers){.untold = s->untold};
    obt_note_costs(s, base, l);
    answer(s, base, l, (obt_question){.text = "as it was: the replay itself", .plain = "replay"});
    answer(s, base, l,
           (obt_question){
               .text = "zero latency", .plain = "zero-latency", .what = {.no_latency = true}});
    answer(s, base, l,
           (obt_question){.text = "infinite bandwidth",
                          .plain = "infinite-bandwidth",
                          .what = {.no_bytes = true}});
    answer(s, base, l,
           (obt_question){.text = "communication takes no time",
                          .plain = "ideal-network",
                          .what = {.no_latency = true, .no_bytes = true}});
    answer(s, base, l,
           (obt_question){.text = "each process computes for as long as the mean",
                          .plain = "balanced",
                          .what = {.balanced = true}});
    if (s->analysis->all.state[OBT_NOT_RUNNING] > 0)
        answer(s, base, l,
               (obt_question){.text = "a processor for each process",
                              .plain = "running",
                              .what = {.running = true}});
    answer(
        s, base, l,
        (obt_question){.text = "OPENBLACS_TOPOLOGY=plan", .plain = "plan", .what = {.plan = true}});
    if (l->at[l->count - 1].changed == 0)
        l->count--;
    for (int k = 0; letters && k < 6; k++)
        if (has_kind(s, k < 3, scopes[k % 3]))
            try_letters(s, base, l, k < 3, scopes[k % 3]);
}

const obt_question *obt_answer_named(const obt_answers *l, const char *plain)
{
    for (size_t k = 0; k < l->count; k++)
        if (l->at[k].plain && strcmp(l->at[k].plain, plain) == 0)
            return &l->at[k];
    return NULL;
}

void obt_free_answers(obt_answers *l)
{
    free(l->at);
}

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void doubts(const obt_answers *l, FILE *out)
{
    size_t refused = 0;
    for (size_t k = 0; k < l->count; k++)
        refused = l->at[k].refused > refused ? l->at[k].refused : refused;
    if (refused)
        fprintf(out,
                "  %zu collective calls are as they were: not all of their members were recorded\n",
                refused);
    if (l->stuck)
        fprintf(
            out,
            "  nobody could go on %zu times: the trace lacks messages, and times are too short\n",
            l->stuck);
}

void obt_whatif_doubt(const obt_analysis *a, const obt_answers *l)
{
    if (l->untold)
        obt_warn("OB-9640 %s: of %zu collective calls that do not wait nothing but their begin is "
                 "recorded, so waits for them are taken as they were and nothing is predicted",
                 a->trace->path, l->untold);
}

/* Without these calls only the replay itself is an answer. */
static size_t answers(const obt_answers *l)
{
    return l->untold && l->count > 1 ? 1 : l->count;
}

void obt_whatif_print(const obt_analysis *a, const obt_answers *l, FILE *out)
{
    char time[32];
    int64_t measured = a->end - a->begin;
    fprintf(out, "%s: %zu %s\n", a->trace->path, a->active,
            a->active == 1 ? "process" : "processes");
    fprintf(out, "  %-48s %10s %12s\n", "", "time", "of measured");
    fprintf(out, "  %-48s %10s %10.1f %%\n", "measured", obt_show_time(measured, time), 100.0);
    for (size_t k = 0; k < answers(l); k++)
        fprintf(out, "  %-48s %10s %10.1f %%\n", l->at[k].text,
                obt_show_time(l->at[k].length, time), share(l->at[k].length, measured));
    if (a->disturbed)
        fputs(
            "  the processes had too few processors (obtrace stat): another run takes another time "
            "by itself\n",
            out);
    say_costs(l, out);
    doubts(l, out);
}

void obt_whatif_plain(const obt_analysis *a, const obt_answers *l, FILE *out)
{
    fprintf(out, "measured %lld\n", (long long)(a->end - a->begin));
    for (size_t k = 0; k < answers(l); k++) {
        const obt_question *q = &l->at[k];
        if (q->plain)
            fprintf(out, "%s %lld\n", q->plain, (long long)q->length);
        else
            fprintf(out, "topology %s-%s %c %lld\n",
                    q->change.scope == 'R'   ? "row"
                    : q->change.scope == 'C' ? "column"
                                             : "all",
                    q->change.routine, q->change.letter, (long long)q->length);
    }
    if (answers(l) > 1)
        fprintf(out, "costs %s\n",
                l->costs == OBT_COSTS_GIVEN      ? "given"
                : l->costs == OBT_COSTS_OF_TRACE ? "trace"
                                                 : "host");
    fprintf(out, "stuck %zu\n", l->stuck);
}
