/*
 * The conformance suite of calls that are put together: what they bring is what single calls bring,
 * whoever puts them together, in any number of groups; few messages carry them.
 */
#include "draws.h"

enum { GROUPS = 3, TAGS = 3, MOST_STEPS = 300 };
static ob_group *group[GROUPS]; /* all; all, backwards; odd or even ones */

static void make_groups(void)
{
    int *list = memory_of((size_t)world.count * sizeof *list), n = 0;
    for (int i = 0; i < world.count; i++)
        list[i] = world.count - 1 - i;
    group[0] = everyone;
    group[1] = group_of(list, world.count);
    for (int i = world.me % 2; i < world.count; i += 2)
        list[n++] = i;
    group[2] = group_of(list, n);
    free(list);
}

/* ------------------------------------------------------------------- values */

static int32_t value_in(uint64_t word, size_t k)
{
    return (int32_t)(word >> 16 * (k % 4) & 2047) - 1024;
}

/* Adds n values of a seed, from the k-th on: four of each random number. */
static void add_values(int32_t *sum, size_t n, uint64_t seed, size_t k)
{
    size_t i = 0;
    for (uint64_t word = mix(seed * 1000003 + k / 4); i < n && (i == 0 || k % 4); i++, k++)
        sum[i] += value_in(word, k);
    for (; n - i >= 4; i += 4, k += 4) {
        const uint64_t word = mix(seed * 1000003 + k / 4);
        for (size_t l = 0; l < 4; l++)
            sum[i + l] += value_in(word, l);
    }
    for (uint64_t word = mix(seed * 1000003 + k / 4); i < n; i++, k++)
        sum[i] += value_in(word, k);
}

/* A matrix of m x 3 with a gap below each column. */
static ob_view matrix_of(size_t m)
{
    ob_view v = {.m = m, .n = 3, .ld = m + 2, .type = OB_INT};
    v.base = memory_of(v.ld * 3 * sizeof(int32_t));
    return v;
}

static void fill(const ob_view *v, uint64_t seed)
{
    int32_t *x = v->base;
    for (size_t j = 0; j < v->n; j++) {
        memset(x + j * v->ld, 0, v->m * sizeof *x);
        add_values(x + j * v->ld, v->m, seed, j * v->m);
    }
}

/* Is it the sum of what `terms` of these seeds, one apart, fill in? And are the gaps as they were?
 */
static int holds(const ob_view *v, uint64_t seed, int terms)
{
    const int32_t *x = v->base;
    int32_t *sum = memory_of(v->ld * sizeof *sum);
    int good = 1;
    for (size_t j = 0; j < v->n && good; j++) {
        memset(sum, 0, v->m * sizeof *sum);
        for (int k = 0; k < terms; k++)
            add_values(sum, v->m, seed + (uint64_t)k, j * v->m);
        good =
            memcmp(x + j * v->ld, sum, v->ld * sizeof *x) == 0; /* behind the rows, a gap's bytes */
    }
    free(sum);
    return good;
}

/* Empty ones, short ones, and some that go by themselves. */
static size_t draw_rows(uint64_t *state)
{
    static const size_t rows[] = {0, 1, 1, 2, 5, 8, 40, 300, 680, 700, 3000, 30000};
    return rows[draw(state) % (sizeof rows / sizeof *rows)];
}

/* ------------------------------------------------------------------- any program */

typedef struct step {
    ob_view v;
    uint64_t seed;
    int terms;
    int sends; /* its memory may change as soon as the call is over */
    ob_received received;
    int source, tag;
} step;

static void send_step(step *s, ob_group *g, int to, int tag)
{
    fill(&s->v, s->seed);
    s->sends = 1;
    switch (s->seed % 3) {
    case 0: {
        ob_request *r = NULL;
        fine(ob_isend(g, to, tag, &s->v, OB_BUFFERED, &r), "ob_isend");
        fine(ob_wait(&r, NULL), "ob_wait");
        break;
    }
    case 1: fine(ob_send_many(g, &to, 1, tag, &s->v), "ob_send_many"); break;
    default: fine(ob_send(g, to, tag, &s->v), "ob_send");
    }
    memset(s->v.base, 0x11, s->v.ld * s->v.n * sizeof(int32_t));
}

static void receive_step(step *s, ob_group *g, int from, int tag)
{
    s->terms = 1;
    s->source = from;
    s->tag = tag;
    if (s->seed % 2)
        fine(ob_recv(g, from, tag, &s->v, &s->received), "ob_recv");
    else
        fine(ob_recv_with(g, from, tag, &s->v, OB_SHORTER, &s->received), "ob_recv_with");
}

/* One call of the caller, if it has a part in it; a message goes from a to b in a group. */
static int do_step(step *s, int kind, uint64_t *state)
{
    int which = (int)(draw(state) % GROUPS), tag = (int)(draw(state) % TAGS);
    unsigned one = (unsigned)draw(state), other = (unsigned)draw(state);
    size_t rows = draw_rows(state);
    ob_group *g = group[which];
    int size = ob_group_size(g), me = ob_group_me(g);
    *s = (step){.seed = draw(state), .source = -1};
    if (which == 2) /* odd and even ones: sizes of two groups, by turns the same numbers */
        s->seed += (uint64_t)(world.me % 2) * 77;
    int from = (int)(one % (unsigned)size), to = (int)(other % (unsigned)size);
    if (kind == 0 && me != from && me != to)
        return 0;
    s->v = matrix_of(rows);
    if (kind == 0) {
        if (me == from && me == to) { /* two calls of one matrix */
            fill(&s->v, s->seed);
            fine(ob_send(g, to, tag, &s->v), "ob_send to oneself");
            receive_step(s, g, from, tag);
        } else if (me == from) {
            send_step(s, g, to, tag);
        } else {
            receive_step(s, g, from, tag);
        }
    } else if (kind == 1) {
        fill(&s->v, me == from ? s->seed : 5);
        s->terms = 1;
        fine(ob_broadcast(g, from, &s->v, NULL), "ob_broadcast");
    } else {
        int root = other % 3 ? from : OB_ANY;
        fill(&s->v, s->seed + (uint64_t)me);
        s->terms = root == OB_ANY || root == me ? size : -1;
        fine(ob_combine(g, root, OB_SUM, &s->v, NULL, 0, NULL), "ob_combine");
    }
    return 1;
}

/* The result of each step; a combine may leave anything where its result does not go. */
static void judge(const step *s, int number)
{
    if (s->terms > 0)
        check(holds(&s->v, s->seed, s->terms), "step %d, %zu rows: another result", number, s->v.m);
    if (s->source >= 0)
        check(s->received.source == s->source && s->received.tag == s->tag &&
                  s->received.bytes == s->v.m * s->v.n * 4 && s->received.type == OB_INT,
              "step %d: received from %d, tag %d, %zu bytes", number, s->received.source,
              s->received.tag, s->received.bytes);
    free(s->v.base);
}

/* All draw the same program. together: who puts calls together: 0 nobody, 1 all, 2 every other
 * process, whose collective calls the others would not meet. */
static void program(uint64_t seed, int count, int together)
{
    static step steps[MOST_STEPS];
    uint64_t state = seed;
    int mine = together == 1 || (together == 2 && (world.me + seed) % 2), done = 0;
    if (mine)
        fine(ob_together_begin(), "ob_together_begin");
    for (int k = 0; k < count; k++) {
        int kind = (int)(draw(&state) % 3);
        done += do_step(&steps[done], together == 2 ? 0 : kind, &state);
        if (mine && k % 50 == 20)
            fine(ob_together_begin(), "a nested begin");
        if (mine && k % 50 == 40)
            fine(ob_together_end(), "a nested end");
    }
    if (mine && count % 50 > 20 && count % 50 <= 40)
        fine(ob_together_end(), "a nested end");
    if (mine)
        fine(ob_together_end(), "ob_together_end");
    for (int k = 0; k < done; k++)
        judge(&steps[k], k);
}

/* ------------------------------------------------------------------- some of them */

static uint64_t messages_to(int number)
{
    uint64_t messages, bytes;
    fine(ob_job_traffic(job, number, &messages, &bytes), "ob_job_traffic");
    return messages;
}

/* A hundred matrices for each of the others are one message for each. */
static void few_messages(void)
{
    enum { MATRICES = 100, N = 8 };
    size_t others = (size_t)world.count - 1, wrong = 0;
    double *out = memory_of(N * sizeof *out),
           *in = memory_of(MATRICES * (others + 1) * sizeof out[0] * N);
    uint64_t *before = memory_of((others + 1) * sizeof *before);
    fine(ob_barrier(everyone), "ob_barrier");
    for (int i = 0; i < world.count; i++)
        before[i] = messages_to(i);
    fine(ob_together_begin(), "ob_together_begin");
    for (int k = 0; k < MATRICES; k++)
        for (int other = 0; other < world.count; other++) {
            ob_view to = ob_view_vector(out, N, OB_DOUBLE);
            ob_view from = ob_view_vector(in + (other * MATRICES + k) * N, N, OB_DOUBLE);
            for (int i = 0; i < N; i++)
                out[i] = world.me * 1000 + k + i;
            if (other == world.me)
                continue;
            int there = k % 2 ? world.count - 1 - other : other;
            fine(ob_recv(group[k % 2], there, k % TAGS, &from, NULL), "ob_recv");
            fine(ob_send(group[k % 2], there, k % TAGS, &to), "ob_send");
        }
    fine(ob_together_end(), "ob_together_end");
    for (int i = 0; i < world.count; i++)
        if (i != world.me)
            check(messages_to(i) == before[i] + 1, "%d messages to process %d",
                  (int)(messages_to(i) - before[i]), i);
    for (int other = 0; other < world.count; other++)
        for (int k = 0; other != world.me && k < MATRICES; k++)
            for (int i = 0; i < N; i++)
                wrong += in[(other * MATRICES + k) * N + i] != other * 1000 + k + i;
    check(wrong == 0, "%zu elements are wrong", wrong);
    free(out);
    free(in);
    free(before);
}

static ob_view number_at(double *x)
{
    return ob_view_vector(x, 1, OB_DOUBLE);
}

/* Noted receives come before those that are posted later, and before what a probe sees. */
static void order_of_receives(void)
{
    int next = (world.me + 1) % world.count, before = (world.me + world.count - 1) % world.count;
    double out[4] = {1, 2, 3, 4}, in[4] = {0};
    ob_view o[4], v[4];
    ob_request *r = NULL;
    ob_received got;
    for (int i = 0; i < 4; i++) {
        o[i] = number_at(&out[i]);
        v[i] = number_at(&in[i]);
    }
    fine(ob_together_begin(), "ob_together_begin");
    fine(ob_recv(everyone, before, 0, &v[0], NULL), "ob_recv");
    fine(ob_irecv(everyone, before, OB_ANY, &v[1], OB_EXACT, &r), "ob_irecv");
    fine(ob_recv(everyone, OB_ANY, 0, &v[2], &got), "ob_recv");
    for (int i = 0; i < 4; i++)
        fine(ob_send(everyone, next, 0, &o[i]), "ob_send");
    fine(ob_wait(&r, NULL), "ob_wait in between");
    check(in[1] == 2, "the receive that was posted second has got %g", in[1]);
    fine(ob_probe(everyone, before, 0, &got), "ob_probe in between");
    check(got.bytes == 8, "ob_probe: %zu bytes", got.bytes);
    fine(ob_recv(everyone, before, 0, &v[3], NULL), "ob_recv");
    fine(ob_barrier(everyone), "ob_barrier in between");
    fine(ob_together_end(), "ob_together_end");
    check(in[0] == 1 && in[2] == 3 && in[3] == 4, "received %g %g %g, not 1 3 4", in[0], in[2],
          in[3]);
    check(got.source == before, "ob_recv from anybody: %d", got.source);
}

/* Whoever waits for a synchronous send, or sends a long matrix, has sent what came before. */
static void nothing_overtakes(void)
{
    enum { LONG = 100000 };
    int next = (world.me + 1) % world.count, before = (world.me + world.count - 1) % world.count;
    double a = 1, b = 2, c = 0, *out = memory_of(LONG * 8), *in = memory_of(LONG * 8);
    ob_view va = number_at(&a), vb = number_at(&b), vc = number_at(&c);
    ob_view o = ob_view_vector(out, LONG, OB_DOUBLE), v = ob_view_vector(in, LONG, OB_DOUBLE);
    ob_request *r = NULL, *s = NULL;
    for (int i = 0; i < LONG; i++)
        out[i] = i;
    fine(ob_together_begin(), "ob_together_begin");
    fine(ob_send(everyone, next, 0, &va), "ob_send");
    fine(ob_isend(everyone, next, 0, &o, OB_STANDARD, &r), "ob_isend");
    fine(ob_send(everyone, next, 0, &vb), "ob_send");
    fine(ob_isend(everyone, next, 0, &va, OB_SYNCHRONOUS, &s), "ob_isend");
    for (int i = 0; i < 4; i++) {
        ob_view *in_order[] = {&vc, &v, &vc, &vc};
        fine(ob_recv(everyone, before, 0, in_order[i], NULL), "ob_recv");
    }
    fine(ob_together_end(), "ob_together_end");
    fine(ob_wait(&r, NULL), "ob_wait");
    fine(ob_wait(&s, NULL), "ob_wait");
    check(c == 1 && memcmp(in, out, LONG * 8) == 0, "another order, %g", c);
    free(out);
    free(in);
}

/* More than a vector and a message hold, of several kinds, beside calls that are not put together.
 */
static void many_collective(void)
{
    enum { CALLS = 400, N = 50 };
    double *x = memory_of(CALLS * N * 8), *most = memory_of(N * 8);
    size_t wrong = 0;
    int *owner = memory_of(N * sizeof *owner);
    for (int k = 0; k < CALLS * N; k++)
        x[k] = (world.me + 1) * (k % 7);
    for (int k = 0; k < N; k++)
        most[k] = world.me == k % world.count ? -7 : 1;
    fine(ob_together_begin(), "ob_together_begin");
    for (int k = 0; k < CALLS; k++) {
        ob_view v = ob_view_vector(x + k * N, N, OB_DOUBLE), m = ob_view_vector(most, N, OB_DOUBLE);
        const ob_route exact = {.repeatable = OB_REPRODUCIBLE};
        if (k % 4 == 0)
            fine(ob_broadcast(everyone, k / 4 % world.count, &v, NULL), "ob_broadcast");
        else
            fine(ob_combine(everyone, OB_ANY,
                            k % 4 == 1   ? OB_SUM
                            : k % 4 == 2 ? OB_MAX
                                         : OB_SUM,
                            &v, NULL, 0, k % 4 == 3 ? &exact : NULL),
                 "ob_combine");
        if (k == CALLS / 2) {
            fine(ob_combine(everyone, OB_ANY, OB_MAX_ABS, &m, owner, N, NULL), "with owners");
            for (int i = 0; i < N; i++)
                wrong += owner[i] != i % world.count || most[i] != -7;
        }
    }
    fine(ob_together_end(), "ob_together_end");
    check(wrong == 0, "%zu owners are wrong at once", wrong);
    int all = world.count * (world.count + 1) / 2;
    for (int k = 0; k < CALLS * N; k++) {
        int call = k / N, factor = call % 4 == 0   ? call / 4 % world.count + 1
                                   : call % 4 == 2 ? world.count
                                                   : all;
        wrong += x[k] != factor * (k % 7);
    }
    check(wrong == 0, "%zu elements are wrong", wrong);
    free(x);
    free(most);
    free(owner);
}

/* What one puts together has a broadcast of all members alone, what others do has one more, of a
 * group that the first is not in: both carry out the broadcast of all in the same way. */
static void others_have_more(void)
{
    double x = world.me + 1, y = world.me + 1;
    ob_view of_all = number_at(&x), of_others = number_at(&y);
    int *list = memory_of((size_t)world.count * sizeof *list), others = world.count - 1;
    for (int i = 0; i < others; i++)
        list[i] = i + 1;
    ob_group *g = world.me && others ? group_of(list, others) : NULL;
    for (int root = 0; root < world.count; root++)
        for (int last = 0; last < 2; last++) {
            x = y = world.me + 1;
            fine(ob_together_begin(), "ob_together_begin");
            if (g && !last)
                fine(ob_broadcast(g, 0, &of_others, NULL), "ob_broadcast of others");
            fine(ob_broadcast(everyone, root, &of_all, NULL), "ob_broadcast");
            if (g && last)
                fine(ob_broadcast(g, 0, &of_others, NULL), "ob_broadcast of others");
            fine(ob_together_end(), "ob_together_end");
            check(x == root + 1 && y == (g ? 2 : world.me + 1), "root %d: %g and %g", root, x, y);
        }
    ob_group_free(g);
    free(list);
}

static void states(void)
{
    double x = 1;
    ob_view v = number_at(&x), none = v;
    none.base = NULL;
    check(ob_together_end() == OB_ESTATE && strstr(ob_error_text(), "OB-2520"),
          "end without begin: %s", ob_error_text());
    fine(ob_together_begin(), "ob_together_begin");
    check(ob_send(everyone, world.count, 0, &v) == OB_EARG, "a wrong destination");
    check(ob_recv(everyone, 0, 0, &none, NULL) == OB_EARG, "a wrong matrix");
    check(ob_broadcast(everyone, -1, &v, NULL) == OB_EARG, "a wrong root");
    check(ob_combine(everyone, 0, (ob_op)99, &v, NULL, 0, NULL) == OB_EARG, "a wrong operation");
    fine(ob_together_end(), "nothing was noted");
    check(ob_together_end() == OB_ESTATE, "one end too many");
}

int main(void)
{
    begin();
    make_groups();
    states();
    few_messages();
    order_of_receives();
    nothing_overtakes();
    many_collective();
    others_have_more();
    for (uint64_t seed = 1; seed <= 40; seed++)
        program(seed, (int)(seed * 37 % MOST_STEPS), (int)(seed % 3));
    ob_group_free(group[1]);
    ob_group_free(group[2]);
    return finish();
}
