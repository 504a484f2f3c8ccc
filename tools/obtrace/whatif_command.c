/*
 * obtrace whatif: the arguments, and one question made of them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "formats.h"
#include "whatif.h"

static const char help[] =
    "usage: obtrace whatif TRACE [CHANGE ...] [--here FILE] [--plain] [-o FILE]\n"
    "Replays the trace with something changed, and says how long the run would have taken. "
    "Without\n"
    "a change it answers the usual questions; with several, all of them hold at the same time.\n"
    "\n"
    "  --zero-latency         messages of no bytes take no time\n"
    "  --infinite-bandwidth   bytes take no time\n"
    "  --balanced             each process computes for as long as the mean of all\n"
    "  --running              each process has a processor for itself\n"
    "  --computing FACTOR     computing takes so many times as long\n"
    "  --profile FILE         the network of another machine, as obbench fit has measured it\n"
    "  --plan                 OPENBLACS_TOPOLOGY=plan\n"
    "  --topology CALLS=TOP   another topology: broadcast=I, row-broadcast=S, column-combine=1,\n"
    "                         all-combine=plan, dgsum2d=H; may be given several times\n"
    "  --here FILE            the profile of the trace's own machine (otherwise what messages\n"
    "                         cost is found in the trace, or this machine's profile is taken)\n"
    "  --torus ROWSxCOLUMNS   how its nodes lie, row by row, whose links messages share; also "
    "with\n"
    "                         1 or up to 6 dimensions (otherwise they are joined by a switch)\n"
    "  --plain                one number a line, in nanoseconds, for programs\n"
    "  -o, --output FILE      where to write (standard output)\n";

typedef struct asked {
    obt_scenario what;
    obt_change *changes;
    size_t count, room;
    ob_profile here, there;
    const char *trace;
    bool any;
    obt_told told;
} asked;

static void read_profile(const char *path, ob_profile *p)
{
    if (ob_profile_read(path, p) != OB_OK)
        obt_die("%s", ob_error_text());
}

static double read_factor(const char *text)
{
    char *end;
    errno = 0;
    double f = strtod(text, &end);
    if (end == text || *end || errno || !(f >= 0.001 && f <= 1000))
        obt_usage("--computing takes a number from 0.001 to 1000, not %s", text);
    return f;
}

static obt_torus read_torus(const char *text)
{
    obt_torus t = {0};
    const char *at = text;
    unsigned long places = 1;
    while (t.dimensions < OBT_DIMENSIONS && isdigit((unsigned char)*at)) {
        char *end;
        unsigned long size = strtoul(at, &end, 10);
        if (size < 1 || size > OBT_MOST_NODES / places)
            break;
        places *= size;
        t.of[t.dimensions++] = (uint32_t)size;
        if (!*end)
            return t;
        at = *end == 'x' ? end + 1 : "";
    }
    obt_usage("--torus takes ROWSxCOLUMNS, as 4x8, not %s", text);
    return t;
}

/* The torus has a place for each node. */
static void check_torus(const obt_trace *t, const obt_torus *torus)
{
    uint32_t nodes = obt_count_nodes(t), places = 1;
    char few[64];
    for (int k = 0; k < torus->dimensions; k++)
        places *= torus->of[k];
    snprintf(few, sizeof few, "%u places, but the trace has %u nodes", places, nodes);
    if (torus->dimensions && nodes > places)
        obt_usage("--torus has %s", few);
}

static void add_change(asked *a, const char *text)
{
    a->changes = obt_grow(a->changes, a->count, &a->room, sizeof *a->changes);
    if (!obt_read_change(text, &a->changes[a->count++]))
        obt_usage("--topology takes CALLS=TOP, as row-broadcast=I, not %s", text);
}

/* An option that changes the run; false: it is none. */
static bool read_change(asked *a, int *i, int argc, char **argv)
{
    const char *word = argv[*i];
    if (strcmp(word, "--zero-latency") == 0) {
        a->what.no_latency = true;
    } else if (strcmp(word, "--infinite-bandwidth") == 0) {
        a->what.no_bytes = true;
    } else if (strcmp(word, "--balanced") == 0) {
        a->what.balanced = true;
    } else if (strcmp(word, "--running") == 0) {
        a->what.running = true;
    } else if (strcmp(word, "--plan") == 0) {
        a->what.plan = true;
    } else if (strcmp(word, "--computing") == 0) {
        a->what.computing = read_factor(obt_argument(i, argc, argv));
    } else if (strcmp(word, "--topology") == 0) {
        add_change(a, obt_argument(i, argc, argv));
    } else if (strcmp(word, "--profile") == 0) {
        read_profile(obt_argument(i, argc, argv), &a->there);
        a->what.to = &a->there;
    } else {
        return false;
    }
    return true;
}

static void read_arguments(asked *a, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (obt_take_option(&a->told, help, &i, argc, argv))
            continue;
        if (strcmp(word, "--here") == 0) {
            read_profile(obt_argument(&i, argc, argv), &a->here);
            a->what.from = &a->here;
        } else if (strcmp(word, "--torus") == 0) {
            a->what.torus = read_torus(obt_argument(&i, argc, argv));
        } else if (read_change(a, &i, argc, argv)) {
            a->any = true;
        } else if (word[0] == '-' && word[1]) {
            obt_usage("what is %s?", word);
        } else if (a->trace) {
            obt_usage("one trace at a time: what is %s?", word);
        } else {
            a->trace = word;
        }
    }
    if (!a->trace)
        obt_usage("%s is missing", "a trace file");
    a->what.changes = a->changes;
    a->what.change_count = a->count;
}

/* The run as it was beside that with all changes. */
static void ask_one(const obt_steps *s, const asked *q, obt_answers *l)
{
    obt_question one = {.text = "with the changes", .plain = "changed", .what = q->what};
    obt_replay r;
    obt_replay_run(s, &(obt_scenario){.from = q->what.from}, &r);
    l->at = obt_memory(2, sizeof *l->at);
    l->count = 2;
    l->stuck = r.stuck;
    l->untold = s->untold;
    obt_note_costs(s, &q->what, l);
    l->at[0] = (obt_question){
        .text = "as it was: the replay itself", .plain = "replay", .length = r.length};
    obt_free_replay(&r);
    obt_replay_run(s, &q->what, &r);
    one.length = r.length;
    one.changed = r.changed;
    one.refused = r.refused;
    l->stuck += r.stuck;
    l->at[1] = one;
    if ((q->count || q->what.plan) && r.changed == 0)
        obt_warn("OB-8506 %s: no call of the trace has another topology by that",
                 s->analysis->trace->path);
    obt_free_replay(&r);
}

int obt_whatif_command(int argc, char **argv)
{
    asked q = {0};
    obt_steps s;
    obt_answers l = {0};
    read_arguments(&q, argc, argv);
    obt_trace *t = obt_read(q.trace);
    obt_analysis *a = obt_analyse(t);
    check_torus(t, &q.what.torus);
    FILE *out = obt_open_output(q.told.output);
    obt_find_steps(a, &s);
    if (q.any)
        ask_one(&s, &q, &l);
    else
        obt_ask_all(&s, &q.what, true, &l);
    obt_whatif_doubt(a, &l);
    if (q.told.plain)
        obt_whatif_plain(a, &l, out);
    else
        obt_whatif_print(a, &l, out);
    obt_close_output(out, q.told.output);
    obt_free_answers(&l);
    obt_free_steps(&s);
    obt_analysis_free(a);
    free(q.changes);
    return obt_done(t);
}
