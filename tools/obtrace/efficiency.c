/*
 * Efficiencies as the POP project defines them. What a run would take without communication comes
 * from its replay.
 */
#include <stdlib.h>

#include "whatif.h"

enum { MANY_EVENTS = 300000 }; /* of which other topologies are not tried for a summary */

void obt_ask_replays(obt_analysis *a)
{
    obt_steps s;
    a->answers = obt_memory(1, sizeof *a->answers);
    obt_find_steps(a, &s);
    obt_ask_all(&s, &(obt_scenario){0}, a->trace->event_count < MANY_EVENTS, a->answers);
    obt_find_gains(a, &s);
    obt_free_steps(&s);
    const obt_question *ideal = obt_answer_named(a->answers, "ideal-network");
    a->ideal = ideal->length < a->end - a->begin ? ideal->length : a->end - a->begin;
}

void obt_free_replays(obt_analysis *a)
{
    if (a->answers)
        obt_free_answers(a->answers);
    free(a->answers);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 1;
}

obt_efficiency obt_find_efficiency(const obt_analysis *a)
{
    double most = 0, length = (double)(a->end - a->begin);
    double mean = (double)a->all.state[OBT_COMPUTING] / (double)(a->active ? a->active : 1);
    for (size_t k = 0; k < a->active; k++) {
        double own = (double)a->sums[a->order[k]].state[OBT_COMPUTING];
        most = own > most ? own : most;
    }
    return (obt_efficiency){.balance = ratio(mean, most),
                            .serialisation = ratio(most, (double)a->ideal),
                            .transfer = ratio((double)a->ideal, length),
                            .communication = ratio(most, length),
                            .parallel = ratio(mean, length)};
}

void obt_stat_efficiency(const obt_analysis *a, FILE *out)
{
    obt_efficiency e = obt_find_efficiency(a);
    char time[32];
    fprintf(out,
            "\n  parallel efficiency %.1f %% = load balance %.1f %% (mean by longest computing) x "
            "communication efficiency %.1f %% (longest computing by run)\n",
            100 * e.parallel, 100 * e.balance, 100 * e.communication);
    fprintf(
        out,
        "  communication efficiency %.1f %% = serialisation %.1f %% x transfer %.1f %% (without "
        "communication the run takes %s)\n",
        100 * e.communication, 100 * e.serialisation, 100 * e.transfer,
        obt_show_time(a->ideal, time));
    if (obt_sleeps(a))
        fputs("  (the program slept for longer than it computed: these factors count computing "
              "alone)\n",
              out);
}

void obt_stat_efficiency_plain(const obt_analysis *a, FILE *out)
{
    obt_efficiency e = obt_find_efficiency(a);
    fprintf(out, "ideal %lld\n", (long long)a->ideal);
    fprintf(out, "efficiency parallel %.6f\nefficiency load-balance %.6f\n", e.parallel, e.balance);
    fprintf(out, "efficiency communication %.6f\n", e.communication);
    fprintf(out, "efficiency serialisation %.6f\nefficiency transfer %.6f\n", e.serialisation,
            e.transfer);
}

/* ------------------------------------------------------------------ advice */

/* Of the run, in percent; 0 where it is none. */
static int gain(const obt_analysis *a, const obt_question *q)
{
    const obt_question *before = obt_answer_named(a->answers, "replay");
    return q && q->length < before->length ? obt_percent(before->length - q->length, before->length)
                                           : 0;
}

static const obt_question *best_letter(const obt_answers *l)
{
    const obt_question *best = NULL;
    for (size_t k = 0; k < l->count; k++)
        if (!l->at[k].plain && (!best || l->at[k].length < best->length))
            best = &l->at[k];
    return best;
}

void obt_say_predicted(obt_analysis *a)
{
    enum { LEAST = 2, MORE = 3 };
    const obt_question *letter = best_letter(a->answers);
    int plan = gain(a, obt_answer_named(a->answers, "plan"));
    int even = gain(a, obt_answer_named(a->answers, "balanced"));
    if (a->answers->stuck || a->answers->untold)
        return;
    int64_t length = a->end - a->begin;
    if (plan >= LEAST) {
        obt_say(a, "Try OPENBLACS_TOPOLOGY=plan: %d %% less time, predicted.", plan);
        obt_tell_gain(a, length / 100 * plan);
    }
    if (even >= MORE) {
        obt_say(a,
                "Try another block size or shape of the grid, to spread the work: up to %d %% less "
                "time, predicted for even work.",
                even);
        obt_tell_gain(a, length / 100 * even);
    }
    /* The program's own argument: last, and only if the variable does not do as much. */
    if (letter && gain(a, letter) >= plan + MORE) {
        obt_say(a, "Try %s, if the program lets you: %d %% less time, predicted.", letter->text,
                gain(a, letter));
        obt_tell_gain(a, length / 100 * gain(a, letter));
    }
}
