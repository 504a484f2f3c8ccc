/*
 * Long combines on one node without copies in between. Each member tells all others where its
 * values are, and where it wants the results: in two matrices, or in one. Then the vector is cut
 * into chunks (claims.h). Who claims a chunk reads it out of all others' values, folds it, and
 * writes the result to all who want it. So it needs nobody else's processor: who is in its wait, or
 * in its background thread, does what others that compute have not begun. It is over for a member
 * when it knows that all chunks are done: from all members that have claimed any.
 *
 * Each member first tries whether its own matrix can be read and written this way. Whether all may
 * reach each other's memory is found out by a group's first call: members tell each other, and all
 * know the same afterwards. (Who may read others' memory may write it: the kernel asks the same. So
 * reading is tried.) Else the combine goes on as straight_combine.c does it. What can be reached at
 * both ends, and not in between, is found when results stand there already: the call fails, and the
 * group's next ones go that way.
 *
 * Who fails tells all others; and closes its gate (claims.h), so that nobody is at its matrix any
 * more when its request is done.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "collective/data/parts.h"
#include "collective/overlap/claims.h"
#include "collective/overlap/folding.h"
#include "collective/overlap/gate.h"
#include "core/error.h"
#include "core/scratch.h"
#include "core/trial.h"

/* Bytes that are worth it: of fewer, messages cost less than the kernel's help. Bytes of a chunk,
 * and how many chunks there are at most. */
enum { CLAIMED_LEAST = 128 << 10 };
enum { CHUNK_LEAST = 32 << 10, CHUNK_MOST = 128 << 10, CHUNKS_MOST = 1024 };
/* Bytes of all members and of the result that are folded at a time: they stay in a second-level
 * cache. What is worth asking the kernel for. And after how many others have their turn. */
enum { STRIPS_BYTES = 384 << 10, STRIP_LEAST = 16 << 10, TURN_BYTES = 512 << 10 };

/* Seconds. */
static const double PATIENCE = 0.01, CLEAR_SECONDS = 0.001;

/* What each member tells all others. `mark` tells it from a message as long of a member that
 * combines another length another way: nothing else of it is believed before all are compared. */
typedef struct hello {
    uint64_t mark;
    ob_end from, to; /* where its values are, which are only read; and where it wants results */
    uint64_t bytes, kind;
    uint64_t claims, claims_call; /* member 0: their name, and what they are open for */
    uint64_t gate, call;          /* its gate's name, and what it is open for */
    bool can;                     /* its matrix is worth reading, and it may be read */
    uint8_t reached;              /* enum reached: what it knows */
} hello;

static const uint64_t MARK = UINT64_C(0x8c1e5a6d3b9f2471);

/* Can all read and write the memory of all? The last word is that of any member. */
enum reached { UNKNOWN = 0, YES, NO };

typedef struct combine {
    ob_prepared *p;
    ob_folding fold;
    ob_view from, matrix; /* the values; where results go, if to us */
    bool apart;           /* these are two places */
    int me, root;
    size_t strip;           /* elements */
    hello own, *theirs;     /* of each member */
    bool verdict;           /* we can reach all */
    bool *verdicts;         /* of each member */
    ob_claims_memory *lent; /* member 0: the claims'; NULL: none */
    ob_claims claims;
    bool claimed;    /* the call goes this way */
    unsigned taken;  /* chunks of ours */
    ob_gate *gate;   /* ours; NULL: none is open */
    ob_gate **gates; /* of each member */
    ob_peer **peers; /* also when the group is gone */
    bool inside;     /* we are inside all others' gates */
    double since;    /* the background thread could take some; 0: not yet */
    char *strips;    /* of each distance and of the result; while chunks are worked at */
    const void **source, **shifted;
    /* Steps that a call may do without: from .. to */
    int ask, ask_end, go, go_end, ends, fall_back, fall_back_end;
} combine;

/* ------------------------------------------------------------------- which way */

static void switch_steps(const combine *c, int from, int to, bool on)
{
    for (int i = from; i < to; i++)
        c->p->course.step[i].off = !on;
}

/* For the group's next calls. */
static void learn(ob_group *g, enum reached what)
{
    if (what > g->reached)
        g->reached = (uint8_t)what;
}

static void take_way(combine *c, bool claimed)
{
    switch_steps(c, c->go, c->go_end, claimed);
    switch_steps(c, c->fall_back, c->fall_back_end, !claimed);
    c->claimed = claimed;
    ob_way_count(OB_WAY_COLLECTIVES, claimed);
}

/* As many for each member, if there are some for all. */
static unsigned chunks_of(const combine *c)
{
    size_t bytes = c->fold.n * c->fold.esize, size = (size_t)c->fold.size, share = bytes / size;
    size_t chunks = (share + CHUNK_MOST - 1) / CHUNK_MOST * size;
    if (share < CHUNK_LEAST)
        chunks = bytes / CHUNK_LEAST;
    return chunks > CHUNKS_MOST ? CHUNKS_MOST : chunks ? (unsigned)chunks : 1;
}

/* Can our values be read, and our results written? */
static bool can_be_reached(combine *c, hello *h)
{
    const ob_group *g = c->p->group;
    ob_peer *other = ob_group_another(g);
    const ob_transport *t = other->transport;
    bool wanted = c->root == OB_ANY || c->root == g->me;
    if (g->reached == NO || g->job->set.one_copy == OB_ONE_COPY_NEVER)
        return false;
    return t->expose(other, &c->from, &h->from) &&
           t->serves(other, &h->from, wanted && !c->apart) &&
           (!wanted || t->expose(other, &c->matrix, &h->to)) &&
           (!wanted || !c->apart || t->serves(other, &h->to, true));
}

static int greet(const ob_step *step)
{
    combine *c = step->with;
    ob_group *g = c->p->group;
    hello *h = &c->own;
    c->taken = 0;
    c->since = 0;
    c->claimed = false;
    memset(h, 0, sizeof *h);
    for (int i = 0; i < g->size; i++)
        c->theirs[i].mark = 0;
    h->mark = MARK;
    h->can = can_be_reached(c, h);
    if (h->can)
        c->gate = ob_gate_take(g, &h->gate, &h->call);
    h->can = c->gate != NULL;
    h->bytes = c->fold.n * c->fold.esize;
    h->kind = c->fold.kind;
    h->reached = g->reached;
    if (g->me == 0 && h->can) {
        c->lent = ob_claims_lend(g, chunks_of(c), &h->claims, &c->claims);
        h->can = c->lent != NULL;
        h->claims_call = c->claims.call;
    }
    return OB_OK;
}

/* Is that a hello, and of the same call? */
static int check(const combine *c, int member)
{
    const hello *h = &c->theirs[member];
    return ob_folding_check(&c->fold, c->p->group, member, h->mark == MARK ? h->bytes : 0, h->kind);
}

static int decide(const ob_step *step)
{
    combine *c = step->with;
    ob_group *g = c->p->group;
    bool can = true;
    enum reached reached = UNKNOWN;
    c->theirs[g->me] = c->own;
    switch_steps(c, c->ask, c->ask_end, false);
    for (int i = 0; i < g->size; i++) {
        int status = check(c, i);
        if (status != OB_OK)
            return status;
    }
    for (int i = 0; i < g->size; i++) {
        can &= c->theirs[i].can;
        if (c->theirs[i].reached > reached)
            reached = c->theirs[i].reached;
    }
    learn(g, reached);
    for (int i = 0; i < g->size && can; i++)
        c->gates[i] = ob_group_borrow(g, i, c->theirs[i].gate);
    if (g->me && can)
        c->claims = ob_claims_of(ob_group_borrow(g, 0, c->theirs[0].claims), chunks_of(c),
                                 c->theirs[0].claims_call);
    if (!can || reached) {
        take_way(c, can && reached == YES);
        return OB_OK;
    }
    c->verdict = true;
    for (int i = 0; i < g->size; i++)
        c->verdict &= i == g->me || g->peer[i]->transport->reaches(g->peer[i], &c->theirs[i].from);
    switch_steps(c, c->ask, c->ask_end, true);
    return OB_OK;
}

static int judge(const ob_step *step)
{
    combine *c = step->with;
    ob_group *g = c->p->group;
    bool all = c->verdict;
    for (int i = 0; i < g->size; i++)
        all &= i == g->me || c->verdicts[i];
    learn(g, all ? YES : NO);
    take_way(c, all);
    return OB_OK;
}

/* ------------------------------------------------------------------- working memory */

/* It is kept for the next call of any group, since fresh memory costs more than what it is used
 * for. Who takes it out by an exchange has it alone; acquire and release: what was written to it
 * comes first. */
typedef struct spare {
    _Alignas(64) size_t bytes;
    _Alignas(64) char at[];
} spare;

static _Atomic(spare *) kept;

static bool get_strips(combine *c)
{
    size_t bytes = ((size_t)c->fold.size + 1) * c->strip * c->fold.esize;
    if (c->strips)
        return true;
    spare *s = atomic_exchange_explicit(&kept, NULL, memory_order_acquire);
    if (s == NULL || s->bytes < bytes) {
        free(s);
        s = aligned_alloc(64, sizeof *s + ob_align(bytes));
        if (s)
            s->bytes = bytes;
    }
    c->strips = s ? s->at : NULL;
    return s != NULL;
}

static void leave_strips(combine *c)
{
    if (c->strips)
        free(atomic_exchange_explicit(&kept, (spare *)(void *)(c->strips - sizeof(spare)),
                                      memory_order_acq_rel));
    c->strips = NULL;
}

static int no_strips(const combine *c)
{
    return ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for a collective of %d members",
                   c->p->group->job->number, c->fold.size);
}

/* ------------------------------------------------------------------- gates */

static void go_out(combine *c, int end)
{
    for (int i = 0; i < end; i++)
        if (i != c->p->group->me)
            ob_gate_go_out(c->gates[i], c->p->group->me);
    c->inside = false;
}

/* A member has closed its gate, or opened its memory for another call. */
static int has_failed(const combine *c, int member, int status)
{
    return ob_fail(status,
                   "OB-2500 process %d, a member of the same collective call, has failed in it "
                   "(%s); its own error line says more",
                   c->p->group->peer[member]->number, ob_status_text(status));
}

static int go_in(combine *c)
{
    const ob_group *g = c->p->group;
    int status = OB_OK;
    for (int i = 0; i < g->size && !c->inside && status == OB_OK; i++) {
        if (i != g->me)
            status = ob_gate_enter(c->gates[i], g->me, c->theirs[i].call);
        if (status != OB_OK)
            go_out(c, i);
        if (status != OB_OK)
            return has_failed(c, i, status);
    }
    c->inside = true;
    return OB_OK;
}

/* Who has ended is not inside. */
static bool is_clear(const combine *c)
{
    for (int i = 0; i < c->fold.size; i++)
        if (ob_gate_holds(c->gate, i) && !c->peers[i]->transport->gone(c->peers[i]))
            return false;
    return true;
}

/* Members may look at the claims until they end, unless we have failed. */
static void leave_claims(combine *c)
{
    ob_claims_memory *m = c->lent;
    for (int i = 1; i < c->fold.size && c->claimed && !c->p->course.failed; i++)
        m->user[m->users++] = (ob_claims_user){c->peers[i], c->gates[i], c->theirs[i].call};
    ob_claims_leave(c->peers[0]->job, m);
    c->lent = NULL;
}

/* Others are inside for some chunks at most, unless they are stopped. */
static bool let_go(void *with)
{
    combine *c = with;
    const ob_course *course = &c->p->course;
    if (c->gate)
        ob_gate_close(c->gate, (unsigned)c->fold.size, course->failed ? course->status : OB_OK);
    for (double until = ob_time() + CLEAR_SECONDS; c->gate && !is_clear(c);) {
        if (ob_time() > until)
            return false;
        sched_yield();
    }
    if (c->gate)
        ob_gate_leave(c->peers[0]->job, c->gate);
    c->gate = NULL;
    if (c->lent)
        leave_claims(c);
    return true;
}

/* ------------------------------------------------------------------- the work */

static int failed(const combine *c, int member)
{
    const ob_group *g = c->p->group;
    if (errno == ESRCH) /* the launcher may not know yet */
        return ob_fail(OB_EGONE, "OB-5006 process %d, which process %d waits for, has ended",
                       g->peer[member]->number, g->job->number);
    learn(c->p->group, NO);
    return ob_fail(
        OB_ESYSTEM,
        "OB-4009 process %d cannot reach the others' memory any more, as it could before; "
        "OPENBLACS_ONE_COPY=0 does without",
        g->job->number);
}

/* The values of all for n elements; ours are copied where they are not one run of memory. */
static int bring(combine *c, size_t first, size_t n)
{
    const ob_group *g = c->p->group;
    size_t unit = c->fold.esize, at = first * unit, bytes = n * unit;
    for (int d = 0; d < g->size; d++) {
        int member = ob_folding_member(&c->fold, d);
        ob_peer *peer = g->peer[member];
        ob_view to = ob_view_of_bytes(c->strips + (size_t)d * c->strip * unit, bytes);
        ob_cursor own;
        c->source[d] = to.base;
        if (member != g->me) {
            if (!peer->transport->fetch(peer, &c->theirs[member].from, at, bytes, &to, 0))
                return failed(c, member);
            continue;
        }
        ob_cursor_part(&own, &c->from, at, bytes);
        if (own.run >= bytes)
            c->source[d] = own.at;
        else
            ob_cursor_pack(&own, to.base, bytes);
    }
    return OB_OK;
}

/* n results to those who want them. */
static int hand_out(const combine *c, size_t first, size_t n, char *result)
{
    const ob_group *g = c->p->group;
    size_t at = first * c->fold.esize, bytes = n * c->fold.esize;
    const ob_view from = ob_view_of_bytes(result, bytes);
    ob_cursor own;
    for (int k = 0; k < g->size; k++) {
        int member = (g->me + k) % g->size;
        ob_peer *peer = g->peer[member];
        if (c->root != OB_ANY && c->root != member)
            continue;
        if (member == g->me) {
            ob_cursor_part(&own, &c->matrix, at, bytes);
            ob_cursor_unpack(&own, result, bytes);
        } else if (!peer->transport->put(peer, &c->theirs[member].to, at, bytes, &from, 0)) {
            return failed(c, member);
        }
    }
    return OB_OK;
}

static int do_strip(combine *c, size_t first, size_t n)
{
    size_t unit = c->fold.esize, most = STRIP_LEAST / unit ? STRIP_LEAST / unit : 1;
    char *result = c->strips + (size_t)c->fold.size * c->strip * unit;
    int status = bring(c, first, n);
    for (size_t at = 0; at < n && status == OB_OK; at += most) {
        for (int d = 0; d < c->fold.size; d++)
            c->shifted[d] = (const char *)c->source[d] + at * unit;
        ob_folding_strip(&c->fold, c->shifted, n - at < most ? n - at : most, result + at * unit,
                         NULL);
    }
    return status == OB_OK ? hand_out(c, first, n, result) : status;
}

static int do_chunk(combine *c, unsigned chunk)
{
    size_t at = ob_part_start(c->fold.n, c->claims.chunks, chunk);
    size_t end = ob_part_start(c->fold.n, c->claims.chunks, chunk + 1);
    int status = OB_OK;
    for (; at < end && status == OB_OK; at += c->strip)
        status = do_strip(c, at, end - at < c->strip ? end - at : c->strip);
    return status;
}

/* What is left for us to hear, and to say. */
static int end_claims(combine *c)
{
    const ob_group *g = c->p->group;
    ob_step *s = c->p->course.step + c->ends;
    s->off = c->taken == 0;
    for (int i = 0; i < g->size; i++)
        if (i != g->me)
            (++s)->off = !ob_claims_any(&c->claims, 1 + (unsigned)i);
    return ob_claims_hold(&c->claims) ? OB_OK : has_failed(c, 0, OB_ESTATE);
}

/* The background thread does what else our process would do, and not at once on a processor that
 * another process may need: what it took from one that computes it would take from all. */
static bool is_time(combine *c)
{
    const ob_job *job = c->p->group->job;
    if (c->p->course.attended || job->neighbours < job->processors)
        return true;
    double now = ob_time();
    c->since = c->since > 0 ? c->since : now;
    return now - c->since > PATIENCE;
}

/* Each begins where others do not. */
static bool claim(combine *c, unsigned *chunk)
{
    const ob_group *g = c->p->group;
    size_t chunks = c->claims.chunks, size = (size_t)g->size, me = (size_t)g->me;
    size_t first = ob_part_start(chunks, size, me), many = chunks;
    if (c->p->course.background)
        many = is_time(c) ? ob_part_start(chunks, size, me + 1) - first : 0;
    return ob_claims_take(&c->claims, g->me, (unsigned)first, (unsigned)many, chunk);
}

/* Some of the chunks. */
static int take_some(combine *c)
{
    size_t done = 0;
    unsigned chunk;
    while (done < TURN_BYTES) {
        if (!claim(c, &chunk)) {
            if (ob_claims_any(&c->claims, 0))
                return done ? OB_STEP_AGAIN : OB_STEP_LATER;
            return end_claims(c);
        }
        c->taken++;
        int status = get_strips(c) ? go_in(c) : no_strips(c);
        if (status == OB_OK)
            status = do_chunk(c, chunk);
        if (status != OB_OK)
            return status;
        done += c->fold.n / c->claims.chunks * c->fold.esize;
    }
    return OB_STEP_AGAIN;
}

static int take_chunks(const ob_step *step)
{
    combine *c = step->with;
    int status = take_some(c);
    if (c->inside)
        go_out(c, c->fold.size);
    leave_strips(c);
    return status;
}

/* ------------------------------------------------------------------- the steps */

static void add_all(combine *c, bool quick, void *own, void *theirs, size_t bytes)
{
    ob_prepared *p = c->p;
    const ob_group *g = p->group;
    ob_view mine = ob_view_of_bytes(own, bytes);
    for (int i = 0; theirs && i < g->size; i++) {
        ob_view v = ob_view_of_bytes((char *)theirs + (size_t)i * bytes, bytes);
        if (i != g->me)
            ob_add_recv(p, false, i, &v);
    }
    int at = p->course.count;
    ob_add_send_all(p, false, &mine);
    if (!p->failed)
        p->course.step[at].quick = quick;
}

static void add_ends(combine *c)
{
    const ob_view nothing = ob_view_of_bytes(NULL, 0);
    const ob_group *g = c->p->group;
    c->ends = c->p->course.count;
    ob_add_send_all(c->p, false, &nothing);
    for (int i = 0; i < g->size; i++)
        if (i != g->me)
            ob_add_recv(c->p, false, i, &nothing);
}

static void add_steps(combine *c)
{
    ob_prepared *p = c->p;
    int first = p->course.count;
    ob_add_work(p, false, greet, c, 0, 0);
    if (!p->failed)
        p->course.step[first].quick = true;
    add_all(c, true, &c->own, c->theirs, sizeof c->own);
    ob_add_work(p, true, decide, c, 0, 0);
    c->ask = p->course.count;
    add_all(c, false, &c->verdict, c->verdicts, sizeof c->verdict);
    ob_add_work(p, true, judge, c, 0, 0);
    c->ask_end = c->go = p->course.count;
    ob_add_work(p, false, take_chunks, c, 0, 0);
    add_ends(c);
    c->go_end = c->fall_back = p->course.count;
}

static void get_memory(combine *c)
{
    size_t size = (size_t)c->fold.size, unit = c->fold.esize;
    size_t bytes = STRIPS_BYTES / (size + 1);
    bytes = bytes > CHUNK_MOST ? CHUNK_MOST : bytes < STRIP_LEAST ? STRIP_LEAST : bytes;
    c->strip = bytes < unit ? 1 : bytes / unit;
    c->theirs = ob_prepared_memory(c->p, size * sizeof *c->theirs);
    if (c->theirs) /* who fails before the first greeting knows of nobody */
        memset(c->theirs, 0, size * sizeof *c->theirs);
    c->verdicts = ob_prepared_memory(c->p, size * sizeof *c->verdicts);
    c->gates = ob_prepared_memory(c->p, size * sizeof *c->gates);
    c->peers = ob_prepared_memory(c->p, size * sizeof *c->peers);
    if (c->peers)
        memcpy(c->peers, c->p->group->peer, size * sizeof *c->peers);
    c->source = ob_prepared_memory(c->p, 2 * size * sizeof *c->source);
    c->shifted = c->source ? c->source + size : NULL;
}

bool ob_claimed_serves(const ob_group *g, const ob_combining *what)
{
    return g->size > 1 && g->one_node && what->owner == NULL &&
           ob_view_bytes(&what->matrix) >= CLAIMED_LEAST &&
           ob_group_another(g)->transport->put != NULL;
}

void ob_claimed_combine(ob_prepared *p, const ob_combining *what)
{
    combine *c = ob_prepared_memory(p, sizeof *c);
    if (c == NULL)
        return;
    *c = (combine){.p = p,
                   .fold = ob_folding_of(p->group, what),
                   .from = what->apart ? what->from : what->matrix,
                   .matrix = what->matrix,
                   .apart = what->apart,
                   .me = p->group->me,
                   .root = what->root};
    get_memory(c);
    p->course.let_go = let_go;
    p->course.with = c;
    if (!p->failed)
        add_steps(c);
    if (!p->failed && what->apart)
        ob_add_copy(p, &what->from, &what->matrix);
    if (!p->failed)
        ob_straight_combine(p, what);
    c->fall_back_end = p->course.count;
}
