/*
 * The figures in words, and as bars of text.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "obbench/obbench.h"
#include "obbench/verdict/verdict.h"

/* What is called slower, and said as a percentage. */
static const double SLOWER = 1.05;
enum { WIDTH = 100 };

static const struct {
    const char *kind, *name;
} launchers[] = {{"obrun", "obrun"}, {"openmpi", "Open MPI"}, {"mpich", "MPICH"}, {"mpi", "MPI"}};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

static const char *const kinds[OBV_WORKS] = {"messages",
                                             "messages between near processors",
                                             "messages between far processors",
                                             "broadcasts",
                                             "sums",
                                             "repeatable sums",
                                             "largest values",
                                             "the LU"};

/* ------------------------------------------------------------------------ rows */

static bool is_row(const obv_figures *f, int at, obv_work work)
{
    const obv_series *s = &f->at[at];
    if (strcmp(s->way, "machine") == 0 || strcmp(s->work, obv_work_names[work]))
        return false;
    for (int i = 0; i < at; i++)
        if (strcmp(f->at[i].way, "machine") && strcmp(f->at[i].work, s->work) == 0 &&
            strcmp(f->at[i].key, s->key) == 0)
            return false;
    return true;
}

const obv_series *obv_row_at(const obv_figures *f, int i)
{
    for (int w = 0; w < OBV_WORKS; w++)
        for (int at = 0; at < f->count; at++)
            if (is_row(f, at, (obv_work)w) && i-- == 0)
                return &f->at[at];
    return NULL;
}

static void bytes_text(const char *key, char *text, size_t room)
{
    size_t digits = strspn(key, "0123456789");
    char unit = key[digits];
    int columns = 0;
    int n = snprintf(text, room, "%.*s %s", (int)digits, key,
                     unit == 'K'   ? "KiB"
                     : unit == 'M' ? "MiB"
                                   : "B");
    if (unit && sscanf(key + digits + 1, "-columns-of-%d", &columns) == 1)
        snprintf(text + n, room - (size_t)n, " in columns of %d", columns);
}

void obv_row_title(const obv_series *s, char *text, size_t room)
{
    static const char *const titles[OBV_WORKS] = {
        "message", "near message",   "far message",    "broadcast",
        "sum",     "repeatable sum", "largest values", "LU"};
    char bytes[48];
    int order;
    if (sscanf(s->key, "n=%d", &order) == 1) {
        snprintf(text, room, "LU (PDGETRF), n = %d", order);
        return;
    }
    bytes_text(s->key, bytes, sizeof bytes);
    for (int w = 0; w < OBV_WORKS; w++)
        if (strcmp(s->work, obv_work_names[w]) == 0)
            snprintf(text, room, "%s, %s", titles[w], bytes);
}

static double time_of(const obv_figures *f, const char *launcher, const char *way,
                      const obv_series *row)
{
    return obv_middle(obv_find(f, launcher, way, row->work, row->key));
}

int obv_bars_of(const obv_figures *f, const obv_series *row, obv_bar bars[OBV_BARS])
{
    static const char *const ways[] = {"openblacs", "netlib", "mpi"};
    int count = 0;
    for (int w = 0; w < 3; w++)
        for (int l = 0; l < LAUNCHERS; l++) {
            double us = time_of(f, launchers[l].kind, ways[w], row);
            obv_bar *b = &bars[count];
            if (us < 0 || count == OBV_BARS)
                continue;
            *b = (obv_bar){.us = us, .colour = w == 0 ? l > 0 : w + 1};
            if (w == 0)
                snprintf(b->name, sizeof b->name, "OpenBLACS%s%s", l ? ", " : "",
                         l ? launchers[l].name : "");
            else
                snprintf(b->name, sizeof b->name, "%s%s", w == 1 ? "netlib, " : "",
                         launchers[l].name);
            count++;
        }
    return count;
}

void obv_time_text(double us, const char *micro, char *text, size_t room)
{
    if (us >= 1000)
        snprintf(text, room, "%.3g ms", us / 1000);
    else
        snprintf(text, room, "%.3g %ss", us, micro);
}

void obv_tell_bars(FILE *out, const obv_figures *f)
{
    enum { LONGEST = 50 };
    const obv_series *row;
    for (int i = 0; (row = obv_row_at(f, i)); i++) {
        obv_bar bars[OBV_BARS];
        char title[80], time[32];
        double most = 0;
        int count = obv_bars_of(f, row, bars);
        for (int k = 0; k < count; k++)
            most = fmax(most, bars[k].us);
        obv_row_title(row, title, sizeof title);
        fprintf(out, "%s\n", title);
        for (int k = 0; k < count; k++) {
            obv_time_text(bars[k].us, "u", time, sizeof time);
            fprintf(out, "  %-22s%10s  ", bars[k].name, time);
            for (int c = 0; c < 1 || c < bars[k].us / most * LONGEST; c++)
                fputc('#', out);
            fputc('\n', out);
        }
        fputc('\n', out);
    }
}

/* ------------------------------------------------------------------- paragraph */

typedef struct text {
    char *at;
    size_t length;
} text;

__attribute__((format(printf, 2, 3))) static void say(text *t, const char *format, ...)
{
    char *more, *all;
    va_list args;
    va_start(args, format);
    if (vasprintf(&more, format, args) < 0 || asprintf(&all, "%s%s", t->at ? t->at : "", more) < 0)
        obb_die("OB-4001 no memory for the verdict");
    va_end(args);
    free(more);
    free(t->at);
    t->at = all;
}

static void print_wrapped(FILE *out, const char *words)
{
    size_t column = 0;
    while (*words) {
        size_t length = strcspn(words, " ");
        if (column && column + 1 + length > WIDTH) {
            fputc('\n', out);
            column = 0;
        } else if (column) {
            fputc(' ', out);
            column++;
        }
        fwrite(words, 1, length, out);
        column += length;
        words += length + (words[length] == ' ');
    }
    fputc('\n', out);
}

/* Geometric mean of the ratios of all rows of one kind of work; 0: there is none. */
static double ratio_of(const obv_figures *f, const char *kind, const char *of, const char *kind2,
                       const char *way, int work)
{
    const obv_series *row;
    double sum = 0;
    int count = 0;
    for (int i = 0; (row = obv_row_at(f, i)); i++) {
        double ours = time_of(f, kind, of, row), theirs = time_of(f, kind2, way, row);
        if (strcmp(row->work, obv_work_names[work]) || ours <= 0 || theirs <= 0)
            continue;
        sum += log(ours / theirs);
        count++;
    }
    return count ? exp(sum / count) : 0;
}

static void ratio_text(double ratio, char *text, size_t room)
{
    snprintf(text, room, ratio < 0.1 ? "%.2g" : "%.2f", ratio);
}

/* "0.31 ... for messages, 0.36 for broadcasts and 0.7 for the LU." */
static bool say_ratios(text *t, const obv_figures *f, const char *before, const char *kind,
                       const char *way, const char *whose)
{
    double ratios[OBV_WORKS];
    int count = 0, said = 0;
    for (int w = 0; w < OBV_WORKS; w++)
        count += (ratios[w] = ratio_of(f, kind, "openblacs", kind, way, w)) > 0;
    for (int w = 0; w < OBV_WORKS; w++) {
        char ratio[24];
        if (ratios[w] <= 0)
            continue;
        ratio_text(ratios[w], ratio, sizeof ratio);
        if (said == 0)
            say(t, "%s %s of the time of %s for %s", before, ratio, whose, kinds[w]);
        else
            say(t, "%s %s for %s", said + 1 < count ? "," : " and", ratio, kinds[w]);
        said++;
    }
    if (said)
        say(t, ".");
    return said > 0;
}

/* Each row in which one of the others is faster. */
static void say_slower(text *t, const obv_figures *f, const char *kind, const char *name)
{
    const obv_series *row;
    int said = 0;
    for (int i = 0; (row = obv_row_at(f, i)); i++) {
        double ours = time_of(f, kind, "openblacs", row);
        for (int k = 0; k < 2; k++) {
            double theirs = time_of(f, kind, k ? "mpi" : "netlib", row);
            char title[80];
            if (ours <= 0 || theirs <= 0 || ours <= SLOWER * theirs)
                continue;
            obv_row_title(row, title, sizeof title);
            say(t, "%s %s (%.2f of %s)", said++ ? ";" : " It is slower here:", title, ours / theirs,
                k ? name : "netlib");
        }
    }
    if (said)
        say(t, ".");
    else
        say(t, " In no row is it more than %.0f %% slower.", 100 * (SLOWER - 1));
}

/* -1: not measured. */
static double lost_of(const obv_figures *f)
{
    double lost = -1;
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->at[i].work, "lost") == 0)
            lost = fmax(lost, obv_middle(&f->at[i]));
    return lost;
}

static int most_of(const obv_figures *f, const char *work)
{
    int most = 0;
    for (int i = 0; i < f->count; i++)
        if (work == NULL && f->at[i].processes > most)
            most = f->at[i].processes;
        else if (work && strcmp(f->at[i].work, work) == 0 && f->at[i].values[0] > most)
            most = (int)f->at[i].values[0];
    return most;
}

static int rounds_of(const obv_figures *f)
{
    int least = 0;
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->at[i].way, "machine") && (least == 0 || f->at[i].count < least))
            least = f->at[i].count;
    return least;
}

static void say_how(text *t, const obv_figures *f, double noise)
{
    double lost = lost_of(f);
    int rounds = rounds_of(f);
    char why[256];
    say(t, " Each ratio is the geometric mean over the lengths, of medians of %d or more round%s",
        rounds, rounds == 1 ? "" : "s");
    if (lost >= 0)
        say(t, "; the machine took %.1f %% of a processor's time for other work", 100 * lost);
    say(t, ".");
    if (obv_is_noisy(f, noise, why, sizeof why))
        say(t, " This verdict is doubtful, because the machine was too noisy: %s.", why);
}

void obv_tell(FILE *out, const obv_figures *f, double noise)
{
    text t = {.at = NULL};
    int nodes = most_of(f, "nodes"), processes = most_of(f, NULL);
    bool compared = false;
    say(&t, "%s, %d process%s", f->machine, processes, processes == 1 ? "" : "es");
    if (nodes > 1)
        say(&t, " on %d nodes", nodes);
    say(&t, ".");
    for (int l = 1; l < LAUNCHERS; l++) {
        const char *kind = launchers[l].kind, *name = launchers[l].name;
        char before[64], whose[64];
        snprintf(before, sizeof before, " Under %s OpenBLACS takes", name);
        snprintf(whose, sizeof whose, "%s's own calls", name);
        bool said = say_ratios(&t, f, before, kind, "netlib", "netlib's BLACS");
        said = say_ratios(&t, f, said ? " It takes" : before, kind, "mpi", whose) || said;
        if (said)
            say_slower(&t, f, kind, name);
        compared = compared || said;
    }
    for (int l = 1; l < LAUNCHERS; l++) {
        double own = 0;
        char ratio[24];
        int count = 0;
        for (int w = 0; w < OBV_WORKS; w++) {
            double r = ratio_of(f, "obrun", "openblacs", launchers[l].kind, "openblacs", w);
            own += r > 0 ? log(r) : 0;
            count += r > 0;
        }
        if (count)
            ratio_text(exp(own / count), ratio, sizeof ratio);
        if (count)
            say(&t, " Under obrun, without MPI, it takes %s of its time under %s.", ratio,
                launchers[l].name);
    }
    if (!compared)
        say(&t, " Nothing was there to compare OpenBLACS with.");
    say_how(&t, f, noise);
    print_wrapped(out, t.at);
    free(t.at);
}
