/* Worlds of processes for the models (world.h). */
#include "world.h"

#include <stdlib.h>
#include <string.h>

enum { HEAP = 1 << 20, RUNG_LONG_AGO = 1000 };

static ob_shm *new_shm(int count, int number, ob_segment_header **all)
{
    ob_shm *shm = ex_alloc(sizeof *shm);
    *shm = (ob_shm){.count = count, .number = number, .segment = all, .own = all[number], .fd = -1};
    shm->all.fd = -1;
    ob_heap_open(&shm->heap, shm->own, -1, 0, HEAP);
    return shm;
}

/* Who may spin, where it is best to wait, and what is counted for those who look for hangs. */
static void hint(ob_segment_header *h, ob_job *job)
{
    ex_hint(&h->asleep, (size_t)((char *)(&h->sharing + 1) - (char *)&h->asleep));
    ex_hint(&h->waits, (size_t)((char *)(&h->yields + 1) - (char *)&h->waits));
    ex_hint(&h->pid, sizeof h->pid);
    ex_hint(&job->strangers, (size_t)((char *)(&job->back + 1) - (char *)&job->strangers));
}

world *world_open(int count, const ob_settings *set)
{
    world *w = ex_alloc(sizeof *w);
    ex_unreadable = ex_unwritable = ex_reads_loosely = false;
    ob_segment_header **all = ex_alloc((size_t)count * sizeof *all);
    w->count = count;
    for (int i = 0; i < count; i++) {
        all[i] = ex_alloc(ob_segment_bytes(count, HEAP));
        ob_segment_format(all[i], count, i, HEAP);
    }
    for (int i = 0; i < count; i++) {
        w->shm[i] = new_shm(count, i, all);
        if (ob_job_on_shm(&w->job[i], w->shm[i], set) != OB_OK)
            abort();
        w->job[i]->processors = count;
        hint(all[i], w->job[i]);
        for (int k = 0; k < count; k++)
            if ((w->peer[i][k] = ob_job_peer(w->job[i], k)) == NULL)
                abort();
    }
    for (int i = 0; i < count * count; i++)
        if (i / count != i % count)
            world_fences(w, i / count, i % count, true);
    return w;
}

void world_fences(const world *w, int from, int to, bool light)
{
    ob_link *l = world_link(w, from, to);
    l->rung_at = (uint64_t)-RUNG_LONG_AGO;
    l->light = light;
    atomic_store(&l->out->light, light);
}

ob_peer *world_peer(const world *w, int me, int other)
{
    return w->peer[me][other];
}

ob_link *world_link(const world *w, int me, int other)
{
    return world_peer(w, me, other)->link;
}

void world_ring(const world *w, int from, int to, size_t bytes, bool large)
{
    ob_link *out = world_link(w, from, to), *in = world_link(w, to, from);
    write_in(out, large ? large_ring(out->memory, out->theirs, from) : out->out->ring, bytes);
    read_in(in, out->out_ring, bytes);
    out->out->large = in->in->read_large = large;
}

static void fill(uint64_t *words, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        words[i] = 100 * number + i;
}

int world_send_long(ob_peer *to, uint64_t number, size_t bytes)
{
    uint64_t words[WORLD_WORDS];
    fill(words, number, bytes);
    ob_view v = ob_view_of_bytes(words, bytes);
    ob_envelope e = {.context = 7, .bytes = bytes, .tag = 3};
    ob_cursor c;
    ob_cursor_open(&c, &v);
    return to->transport->send(to, &e, &c);
}

static bool try_long(ob_peer *from, uint64_t number, size_t bytes)
{
    ob_envelope e;
    uint64_t got[WORLD_WORDS], right[WORLD_WORDS];
    ob_view v = ob_view_of_bytes(got, bytes);
    ob_cursor c;
    int here = from->transport->poll(from, &e);
    EX_CHECK(here >= 0);
    if (here == 0)
        return false;
    EX_CHECK(e.context == 7 && e.tag == 3 && e.bytes == bytes);
    ob_cursor_open(&c, &v);
    for (;;) {
        EX_CHECK(from->transport->pull(from, &c) >= 0);
        if (c.left == 0)
            break;
        ex_again();
    }
    fill(right, number, bytes);
    EX_CHECK(memcmp(got, right, bytes) == 0);
    return true;
}

void world_receive_long(ob_peer *from, uint64_t number, size_t bytes)
{
    while (!try_long(from, number, bytes))
        ex_again();
}

int world_send(ob_peer *to, uint64_t number)
{
    return world_send_long(to, number, sizeof number);
}

bool world_try(ob_peer *from, uint64_t number)
{
    return try_long(from, number, sizeof number);
}

void world_receive(ob_peer *from, uint64_t number)
{
    world_receive_long(from, number, sizeof number);
}
