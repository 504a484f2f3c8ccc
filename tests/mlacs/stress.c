/*
 * Ordering and matching under load: several threads of each process, each with a grid of
 * its own, send to everybody in all modes while wildcard receives wait. Of each source
 * messages that a receive may take must come in the order sent, whole.
 *   mlacs_stress [THREADS [MESSAGES]]    MESSAGES to each process in each of three ways
 */
#include <pthread.h>

#include "harness.h"

enum { TAGS = 4 };

/* A message: number of its sender, how many this one sent to the same process before, and
 * what follows from these. */
typedef struct worker {
    grid g;
    int number, messages, bad;
    uint64_t dice;
    MLACS_Request *in, *out;
    int32_t **buffer, **kept; /* of receives, and of sends */
} worker;

static unsigned roll(worker *w, unsigned sides)
{
    w->dice = mix(w->dice);
    return (unsigned)(w->dice % sides);
}

static int length(int source, int k)
{
    unsigned x = (unsigned)mix((uint64_t)(source * 100003 + k)) % 64;
    return x == 0 ? 20000 : x < 4 ? 700 : 2 + (int)x;
}

static void expect(worker *w, int good, const char *what, int a, int b)
{
    if (!good && w->bad++ < 3)
        fprintf(stderr, "process %d, thread %d: FAILED: %s (%d, %d)\n", world.me, w->number, what,
                a, b);
}

/* To everybody in turn, tags by turns, any mode that needs no receive. */
static void send_one(worker *w, int dest, int k)
{
    int n = length(world.me, k), at = dest * w->messages + k, tag = k % TAGS, code;
    int32_t *a = malloc((size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = i < 2 ? (i ? k : world.me) : k * 31 + i;
    MLACS_Request *r = &w->out[at];
    switch (roll(w, 4)) {
    case 0: code = mlacs_send(a, n, n, 1, MLACS_INT, 0, dest, tag, w->g.all); break;
    case 1: code = mlacs_isend(a, 1, 1, n, MLACS_INT, 0, dest, tag, w->g.all, r); break;
    case 2: code = mlacs_issend(a, n, n, 1, MLACS_INT, 0, dest, tag, w->g.all, r); break;
    default: code = mlacs_ibsend(a, n, n, 1, MLACS_INT, 0, dest, tag, w->g.all, r);
    }
    expect(w, code == MLACS_SUCCESS, mlacs_error_text(), dest, k);
    w->kept[at] = a;
}

/* way 0: any source, any tag; 1: any source, its tag; 2: its source, its tag. Streams of
 * receives are posted so that each has as many as there are messages for it. */
static void receive_one(worker *w, int way, int at)
{
    int source = at % world.count, k = at / world.count, code;
    int row = way < 2 ? MLACS_ANY_ROW : 0, column = way < 2 ? MLACS_ANY_COLUMN : source;
    int tag = way == 0 ? MLACS_ANY_TAG : k % TAGS;
    w->buffer[at] = malloc(20000 * sizeof(int32_t));
    code = mlacs_irecv(w->buffer[at], 20000, 20000, 1, MLACS_INT, row, column, tag, w->g.all,
                       &w->in[at]);
    expect(w, code == MLACS_SUCCESS, mlacs_error_text(), at, way);
}

/* The receives in the order posted: of each source, in each stream, messages ascend. */
static void inspect(worker *w, int way, int at, int next[][TAGS])
{
    MLACS_Status s;
    int code = mlacs_wait(&w->in[at], &s);
    expect(w, code == MLACS_SUCCESS, mlacs_error_text(), at, code);
    const int32_t *a = w->buffer[at];
    int source = a[0], k = a[1], n, right = 1, stream = way == 0 ? 0 : k % TAGS;
    int step = way == 0 ? 1 : TAGS;
    if (code != MLACS_SUCCESS || source < 0 || source >= world.count)
        return;
    n = length(source, k);
    expect(w, s.column == source && s.tag == k % TAGS && s.count == n, "status", s.column, s.tag);
    expect(w, next[source][stream] == k, "out of order", next[source][stream], k);
    next[source][stream] = k + step;
    for (int i = 2; i < n; i++)
        right &= a[i] == k * 31 + i;
    expect(w, right, "contents", source, k);
    free(w->buffer[at]);
}

static void round_of(worker *w, int way)
{
    int total = world.count * w->messages, posted = 0, seen = 0, sent = 0, flag;
    int next[64][TAGS];
    MLACS_Status s;
    for (int p = 0; p < world.count; p++)
        for (int t = 0; t < TAGS; t++)
            next[p][t] = way == 0 ? 0 : t;
    for (int i = 0; i < total; i++)
        w->out[i] = MLACS_REQUEST_NULL;
    while (sent < total || posted < total) {
        if (sent < total && (posted == total || roll(w, 2))) {
            send_one(w, (sent + world.me) % world.count, sent / world.count);
            sent++;
        } else {
            receive_one(w, way, posted++);
        }
        if (seen + 50 < posted && sent == total)
            inspect(w, way, seen++, next);
        if (roll(w, 16) == 0 && posted > seen)
            mlacs_iprobe(MLACS_ANY_ROW, MLACS_ANY_COLUMN, MLACS_ANY_TAG, w->g.all, &flag, &s);
    }
    while (seen < total)
        inspect(w, way, seen++, next);
    expect(w, mlacs_waitall(total, w->out, MLACS_STATUS_IGNORE) == MLACS_SUCCESS,
           mlacs_error_text(), way, 0);
    for (int i = 0; i < total; i++)
        free(w->kept[i]);
    expect(w, mlacs_barrier(w->g.all) == MLACS_SUCCESS, mlacs_error_text(), way, 1);
}

static void *work(void *argument)
{
    worker *w = argument;
    size_t total = (size_t)(world.count * w->messages);
    w->in = calloc(total, sizeof *w->in);
    w->out = calloc(total, sizeof *w->out);
    w->buffer = calloc(total, sizeof *w->buffer);
    w->kept = calloc(total, sizeof *w->kept);
    for (int way = 0; way < 3; way++)
        round_of(w, way);
    free(w->in);
    free(w->out);
    free(w->buffer);
    free(w->kept);
    return NULL;
}

int main(int count, char **words)
{
    int threads = count > 1 ? atoi(words[1]) : 4, messages = count > 2 ? atoi(words[2]) : 60;
    pthread_t thread[64];
    worker w[64];
    begin();
    if (threads > 64 || world.count > 64 || threads < 1 || messages < 1)
        return 2;
    for (int i = 0; i < threads; i++)
        w[i] = (worker){.g = make_grid(1, world.count),
                        .number = i,
                        .messages = messages,
                        .dice = mix((uint64_t)(world.me * 64 + i))};
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, work, &w[i]);
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        check(w[i].bad == 0, "thread %d: %d wrong", i, w[i].bad);
        end_grid(&w[i].g);
    }
    return finish();
}
