/*
 * Computing and not running: what processes computed is compared with the processor time that they
 * used, and processes with the processors that they may run on.
 */
#include <stdlib.h>

#include "analysis.h"

/* What a span of computing, or of waiting, has behind `from` and before `end`. */
static int64_t length_in(const obt_span *s, int64_t from, int64_t end)
{
    int64_t begin = s->begin > from ? s->begin : from;
    return end > begin ? end - begin : 0;
}

/* Why a process was on no processor. */
typedef enum stop { TAKEN, ASLEEP, UNSURE } stop;

/* The last `lost` nanoseconds of computing before `end` become not running for this reason. Spans
 * are those of one process, from `first` on. */
static void take_away(obt_analysis *a, size_t first, int64_t from, int64_t end, int64_t lost,
                      stop why)
{
    for (size_t i = a->span_count; i > first && lost > 0; end = a->spans[--i].begin) {
        int64_t n = length_in(&a->spans[i - 1], from, end);
        if (a->spans[i - 1].state != OBT_COMPUTING || n == 0)
            continue;
        n = n < lost ? n : lost;
        lost -= n;
        if (end - n == a->spans[i - 1].begin) {
            a->spans[i - 1].state = OBT_NOT_RUNNING;
            a->spans[i - 1].asleep = why != TAKEN;
            a->spans[i - 1].unsure = why == UNSURE;
            continue;
        }
        a->spans = obt_grow(a->spans, a->span_count, &a->span_room, sizeof *a->spans);
        for (size_t k = a->span_count++; k > i; k--)
            a->spans[k] = a->spans[k - 1];
        a->spans[i] =
            (obt_span){end - n, OBT_NO_CALL, OBT_NOT_RUNNING, why != TAKEN, why == UNSURE};
        return;
    }
}

/* Where the system has said for how long the process could run and had no processor, the rest is
 * sleep. Where it has not, numbers say which of the two it was only if one of them is 0. */
static void divide_lost(obt_analysis *a, const obt_event *e, size_t first, int64_t from,
                        int64_t lost)
{
    const obt_trace *t = a->trace;
    bool slept = obt_get(t, e, OBT_SLEPT, 0) > 0, taken = obt_get(t, e, OBT_TAKEN, 0) > 0;
    int64_t delay = obt_get(t, e, OBT_DELAYED, -1), own = slept ? lost : 0;
    bool unsure = delay < 0 && slept && taken;
    if (delay >= 0 && slept)
        own = lost > delay ? lost - delay : 0;
    take_away(a, first, from, e->time, own, unsure ? UNSURE : ASLEEP);
    take_away(a, first, from, e->time, lost - own, TAKEN);
    obt_sum(&a->sums[e->process].slept, own);
    obt_sum(&a->sums[e->process].unsure, unsure ? own : 0);
}

/* Who sleeps while it waits, and never loses its processor to others otherwise, has none for a
 * while behind the moment that it is woken at: what is not `lost` of computing is so much of the
 * waits since `from`, which are `waited` in all. */
static void delay_waits(obt_analysis *a, const obt_event *e, int64_t from, int64_t lost,
                        int64_t waited)
{
    const obt_trace *t = a->trace;
    int64_t delay = obt_get(t, e, OBT_DELAYED, 0) - lost;
    if (delay <= 0 || waited <= 0 || obt_get(t, e, OBT_SLEPT, 0) <= 0 ||
        obt_get(t, e, OBT_TAKEN, 0) != 0)
        return;
    delay = delay < waited ? delay : waited;
    for (size_t i = a->wait_count; i > a->first_wait[e->process] && a->waits[i - 1].begin >= from;
         i--) {
        obt_wait *w = &a->waits[i - 1];
        w->delayed = (int64_t)((double)delay * ((double)(w->end - w->begin) / (double)waited));
    }
}

void obt_divide(obt_analysis *a, size_t first, const obt_event *e, int64_t *until)
{
    const obt_trace *t = a->trace;
    int64_t passed = obt_get(t, e, OBT_PASSED, 0), used = obt_get(t, e, OBT_USED, 0);
    /* A reading of another thread says nothing new; what clocks were put right by may overlap. */
    if (passed <= 0 || passed > 2 * OBT_LATEST || used < 0 ||
        *until - (e->time - passed) > passed / 8)
        return;
    int64_t from = e->time - passed > *until ? e->time - passed : *until, end = e->time;
    int64_t computed = 0, waited = 0;
    *until = e->time;
    a->readings++;
    for (size_t i = a->span_count; i > first && end > from; end = a->spans[--i].begin) {
        int64_t n = length_in(&a->spans[i - 1], from, end);
        computed += a->spans[i - 1].state == OBT_COMPUTING ? n : 0;
        waited += a->spans[i - 1].state >= OBT_RECEIVING ? n : 0;
    }
    /* It may have slept while it waited. */
    int64_t lost = passed - used - waited;
    lost = lost < computed ? lost : computed;
    if (lost > 0)
        divide_lost(a, e, first, from, lost);
    delay_waits(a, e, from, lost > 0 ? lost : 0, waited);
}

/* ------------------------------------------------------------------ processors */

/* A machine with processes of the run. */
typedef struct machine {
    const char *host;
    int processes, quota;
    uint64_t allowed[16];
} machine;

static int processors_of(const machine *m)
{
    int n = 0;
    for (size_t i = 0; i < sizeof m->allowed / sizeof *m->allowed; i++)
        n += __builtin_popcountll(m->allowed[i]);
    return m->quota && m->quota < n ? m->quota : n;
}

static void add_process(machine *m, const obt_process *p)
{
    m->host = p->host;
    m->processes++;
    if (p->quota && p->quota < INT32_MAX && (!m->quota || (int)p->quota < m->quota))
        m->quota = (int)p->quota;
    for (size_t i = 0; i < sizeof m->allowed / sizeof *m->allowed; i++)
        m->allowed[i] |= p->allowed[i];
}

/* The machine with the most processes for each of its processors. False: not known. */
static bool fullest(const obt_analysis *a, machine *full)
{
    machine *all = obt_memory(a->active, sizeof *all);
    obt_map at = {0};
    size_t count = 0;
    bool known = false;
    for (size_t k = 0; k < a->active; k++) {
        const obt_process *p = &a->trace->processes[a->order[k]];
        size_t i = obt_map_take(&at, p->machine, count);
        count += i == count;
        add_process(&all[i], p);
    }
    for (size_t i = 0; i < count; i++) {
        if (processors_of(&all[i]) == 0)
            continue;
        if (!known || (double)all[i].processes / processors_of(&all[i]) >
                          (double)full->processes / processors_of(full))
            *full = all[i];
        known = true;
    }
    obt_map_free(&at);
    free(all);
    return known;
}

/* Of a trace without readings: computing without a processor, at least what processes have computed
 * for beyond the processor time that they used in all. In percent of all computing. */
static int idle_share(const obt_analysis *a)
{
    int64_t idle = 0;
    for (size_t k = 0; k < a->active; k++) {
        uint32_t p = a->order[k];
        int64_t computing = a->sums[p].state[OBT_COMPUTING],
                used = a->trace->processes[p].processor;
        if (used > 0 && used < computing)
            idle += computing - used;
    }
    return obt_percent(idle, a->all.state[OBT_COMPUTING]);
}

enum { TOLD = 10, LITTLE = 3 };

static bool say_by_sums(obt_analysis *a)
{
    int share = idle_share(a);
    if (share < TOLD || obt_percent(a->all.state[OBT_COMPUTING], obt_recorded(&a->all)) < TOLD)
        return false;
    obt_say(
        a,
        "At least %d %% of the computing is none: the processes had no processor then. Others had "
        "it "
        "(more processes than processors, or other programs), or the program slept or read files.",
        share);
    obt_say(a, "Try as many processes as there are processors, and no other programs beside them. "
               "Other numbers of this run mean little.");
    return true;
}

/* taken: percent; unsure: that may be so much more. */
static void say_crowded(obt_analysis *a, const machine *m, int taken, int unsure, bool disturbed)
{
    int n = processors_of(m);
    char cost[240] = "";
    if (unsure >= LITTLE)
        snprintf(cost, sizeof cost,
                 " For %d to %d %% of the time in which the program had work to do, its processes "
                 "were not running: for the rest of it they slept, which this trace does not tell "
                 "apart.",
                 taken, taken + unsure);
    else if (a->readings && !taken)
        snprintf(cost, sizeof cost,
                 " That cost less than 1 %% of the time in which the program "
                 "had work to do.");
    else if (taken)
        snprintf(cost, sizeof cost,
                 " For %d %% of the time in which the program had work to do, its processes were "
                 "not running.",
                 taken);
    obt_say(a, "More processes than processors: %d processes share %d %s%s%s.%s", m->processes, n,
            n == 1 ? "processor" : "processors", m->host && *m->host ? " of the machine " : "",
            m->host ? m->host : "", cost);
    if (disturbed)
        obt_say(a, "Try at most as many processes as there are processors. Other numbers of this "
                   "run mean little.");
}

static void say_taken(obt_analysis *a, bool known, int taken, bool disturbed)
{
    if (taken < LITTLE)
        return;
    if (known)
        obt_say(a,
                "Beside other programs: for %d %% of the time in which the program had work to do, "
                "its processes were not running, although there is a processor for each.",
                taken);
    else
        obt_say(a,
                "For %d %% of the time in which the program had work to do, its processes were not "
                "running: others had their processors (more processes than processors, or other "
                "programs).",
                taken);
    if (disturbed)
        obt_say(a, "Try at most as many processes as there are processors, and no other programs "
                   "beside them. Other numbers of this run mean little.");
}

/* Of the time outside communication routines, in percent; all 0, where that is too little of the
 * run. */
typedef struct shares {
    int slept, unsure, taken;
} shares;

static shares shares_of(const obt_analysis *a)
{
    int64_t idle = a->all.state[OBT_NOT_RUNNING], work = idle + a->all.state[OBT_COMPUTING];
    bool counts = obt_percent(work, obt_recorded(&a->all)) >= LITTLE;
    return counts
               ? (shares){obt_percent(a->all.slept - a->all.unsure, work),
                          obt_percent(a->all.unsure, work), obt_percent(idle - a->all.slept, work)}
               : (shares){0, 0, 0};
}

bool obt_say_processors(obt_analysis *a)
{
    machine m = {0};
    bool known = fullest(a, &m), crowded = known && m.processes > processors_of(&m);
    shares s = shares_of(a);
    /* A program that mostly sleeps is not one that lacks processors. */
    bool disturbed = s.taken >= (crowded ? LITTLE : TOLD) && s.taken >= s.slept + s.unsure;
    if (crowded)
        say_crowded(a, &m, s.taken, s.unsure, disturbed);
    else
        say_taken(a, known, s.taken, disturbed);
    return a->readings == 0 ? say_by_sums(a) : disturbed;
}

void obt_say_sleep(obt_analysis *a)
{
    shares s = shares_of(a);
    if (s.slept >= LITTLE)
        obt_say(a,
                "The program slept, read files or was in other libraries for %d %% of its time "
                "outside communication routines.%s",
                s.slept,
                obt_sleeps(a) ? " That is no computing: load balance and efficiencies say little "
                                "of such a run."
                              : "");
    if (s.unsure >= LITTLE)
        obt_say(a,
                "For %d %% of its time outside communication routines the program was on no "
                "processor; whether it slept or others had its processors the trace does not tell.",
                s.unsure);
}
