/* Loads that could wait for later stores (buffered.h). */
#include "buffered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "turns.h"

enum {
    WORDS = 1024,
    STEPS = 4096,
    NEWS = 256,
    PLACES = 200,
    PAIRS = 200,
    NAME = 300,
    REASON = 400
};

/* Of a process, not kept in order: from a load of one word to a store to another. */
typedef struct step {
    int thread, from, to;
    const void *load, *store; /* places */
} step;

typedef struct seen {
    int word;
    const void *place;
    bool ordered; /* before all that is stored from now on */
} seen;

bool buffered_wanted;
static const char *at[WORDS];
/* By that process, behind a load of news of that word. */
static uint64_t written[EX_THREADS][WORDS][WORDS / 64];
static step steps[STEPS];
static int step_count;
static const void *told[PLACES]; /* whose stores were news */
static int told_count;
static seen news[EX_THREADS][NEWS]; /* in this execution */
static int news_count[EX_THREADS];

void buffered_begin(void)
{
    memset(at, 0, sizeof at);
    memset(written, 0, sizeof written);
    step_count = told_count = 0;
}

void buffered_restart(void)
{
    memset(news_count, 0, sizeof news_count);
}

static void give_up(const char *what)
{
    fprintf(stderr, "orders: too many %s\n", what);
    abort();
}

static int word_of(const char *address)
{
    unsigned i = (unsigned)((uintptr_t)address * 2654435761u) >> 4;
    for (unsigned tried = 0; tried < WORDS; tried++, i++) {
        if (at[i % WORDS] == NULL)
            at[i % WORDS] = address;
        if (at[i % WORDS] == address)
            return (int)(i % WORDS);
    }
    give_up("words");
    return 0;
}

static bool has_told(const void *place)
{
    for (int i = 0; i < told_count; i++)
        if (told[i] == place)
            return true;
    return false;
}

static void note_news(int store)
{
    const void *place = ex_events[stores[store].event].op.place;
    if (has_told(place))
        return;
    if (told_count == PLACES)
        give_up("places");
    told[told_count++] = place;
}

static void note_step(step s)
{
    for (int i = 0; i < step_count; i++)
        if (memcmp(&steps[i], &s, sizeof s) == 0)
            return;
    if (step_count == STEPS)
        give_up("steps");
    steps[step_count++] = s;
}

static void note_write(int thread, const op *o)
{
    int to = word_of(o->at);
    for (int i = 0; i < news_count[thread]; i++) {
        const seen *s = &news[thread][i];
        if (s->word == to)
            continue;
        written[thread][s->word][to / 64] |= UINT64_C(1) << to % 64;
        if (s->ordered || is_release(o->order))
            continue;
        step new;
        memset(&new, 0, sizeof new);
        new.thread = thread, new.from = s->word, new.to = to;
        new.load = s->place, new.store = o->place;
        note_step(new);
    }
}

void buffered_step(int thread, const op *o)
{
    if (!buffered_wanted)
        return;
    if (o->kind >= OP_FENCE && (o->kind != OP_FENCE || o->order != __ATOMIC_RELAXED))
        for (int i = 0; i < news_count[thread]; i++)
            news[thread][i].ordered = true;
    if (o->wrote)
        note_write(thread, o);
    if (o->kind >= OP_FENCE || !o->news)
        return;
    note_news(o->read);
    if (news_count[thread] == NEWS)
        give_up("loads");
    int order = o->kind == OP_COMPARE && !o->done ? o->failure : o->order;
    news[thread][news_count[thread]++] = (seen){word_of(o->at), o->place, is_acquire(order)};
}

/* ------------------------------------------------------------------------- circles */

/* Do steps lead on from the word `from`, the first of another process than s's, to `to`, the last
 * of another? */
static bool leads(int thread, int from, int to)
{
    static bool reached[WORDS];
    int queue[WORDS], count = 0;
    memset(reached, 0, sizeof reached);
    queue[count++] = from;
    for (int k = 0; k < count; k++)
        for (int t = 0; t < EX_THREADS; t++)
            for (int word = 0; word < WORDS; word++) {
                if (!(written[t][queue[k]][word / 64] >> word % 64 & 1) ||
                    (t == thread && (k == 0 || word == to)))
                    continue;
                if (word == to)
                    return true;
                if (!reached[word])
                    queue[count++] = word;
                reached[word] = true;
            }
    return false;
}

int buffered_end(bool say)
{
    int count = 0;
    for (int i = 0; i < step_count; i++) {
        const step *s = &steps[i];
        if (!has_told(s->store) || !leads(s->thread, s->to, s->from))
            continue;
        count++;
        if (say)
            printf("  FAIL process %d's load at %s may wait for its store at %s\n", s->thread,
                   ex_where(s->load), ex_where(s->store));
    }
    return count;
}
