/* Chunks that members claim, and gates of their matrices (collective/overlap/claims.h). */
#include <string.h>

#include "collective/overlap/claims.h"
#include "collective/overlap/gate.h"
#include "models.h"

enum { CHUNKS = 2, MEMBERS = 3 };

static struct shared {
    ob_claim word[CHUNKS];
    ob_claims claims;
    ob_gate *gate[MEMBERS];
    uint64_t call[MEMBERS], matrix[MEMBERS][CHUNKS];
    atomic_uint
        over[MEMBERS]; /* stands for the messages: 1: all ours are done, 2: we have failed */
} * all;
static int members, leaver; /* who fails; -1: nobody */

static void setup(int count, int who)
{
    members = count;
    leaver = who;
    all = ex_alloc(sizeof *all);
    all->claims = (ob_claims){all->word, CHUNKS, 1};
    ob_claims_open(&all->claims);
    for (int i = 0; i < count; i++) {
        all->gate[i] = ex_alloc(sizeof(ob_gate) + (size_t)count * sizeof(uint64_t));
        all->call[i] = ob_gate_open(all->gate[i], (unsigned)count);
        for (int k = 0; k < CHUNKS; k++)
            all->matrix[i][k] = 1;
    }
}

static void close_gate(int me, int status)
{
    ob_gate_close(all->gate[me], (unsigned)members, status);
    for (int i = 0; i < members; i++)
        while (ob_gate_holds(all->gate[me], i))
            ex_again();
}

/* Its matrix is its own again. */
static void fail(int me)
{
    close_gate(me, OB_ESTATE);
    for (int k = 0; k < CHUNKS; k++)
        all->matrix[me][k] = 100;
}

static int go_in(int me)
{
    for (int i = 0; i < members; i++) {
        if (i == me || ob_gate_enter(all->gate[i], me, all->call[i]) == OB_OK)
            continue;
        while (i--)
            if (i != me)
                ob_gate_go_out(all->gate[i], me);
        return OB_ESTATE;
    }
    return OB_OK;
}

static int do_chunk(int me, unsigned k)
{
    uint64_t sum = 0;
    if (go_in(me) != OB_OK)
        return OB_ESTATE;
    for (int i = 0; i < members; i++)
        sum += all->matrix[i][k];
    for (int i = 0; i < members; i++)
        all->matrix[i][k] = sum;
    for (int i = 0; i < members; i++)
        if (i != me)
            ob_gate_go_out(all->gate[i], me);
    return OB_OK;
}

/* Are all done, of whom we must hear? */
static int hear(int me)
{
    for (int i = 0; i < members; i++) {
        unsigned over = 0;
        if (i == me || !ob_claims_any(&all->claims, 1 + (unsigned)i))
            continue;
        while ((over = atomic_load_explicit(&all->over[i], memory_order_acquire)) == 0)
            ex_again();
        if (over == 2)
            return OB_ESTATE;
    }
    return OB_OK;
}

static int take_all(int me)
{
    unsigned chunk, first = (unsigned)(me * CHUNKS / members);
    int status = OB_OK;
    while (status == OB_OK && ob_claims_take(&all->claims, me, first, CHUNKS, &chunk))
        status = do_chunk(me, chunk);
    atomic_store_explicit(&all->over[me], status ? 2 : 1, memory_order_release);
    return status ? status : hear(me);
}

static void combine(int me)
{
    if (me == leaver || take_all(me) != OB_OK) {
        fail(me);
        return;
    }
    close_gate(me, OB_OK);
    for (int k = 0; k < CHUNKS; k++)
        EX_CHECK(all->matrix[me][k] == (uint64_t)members);
    memset(all->matrix[me], 0, sizeof all->matrix[me]); /* the next call's */
}

/* One goes in late, when the gate is closed and open for the next call. */
static void late(int me)
{
    if (me) {
        if (ob_gate_enter(all->gate[0], 1, all->call[0]) == OB_OK) {
            all->matrix[0][0]++;
            ob_gate_go_out(all->gate[0], 1);
        }
        return;
    }
    fail(0);
    ob_gate_open(all->gate[0], (unsigned)members);
    EX_CHECK(!ob_gate_holds(all->gate[0], 1));
}

/* Member 1 looks at the claims until it closes its gate. Member 0 has ended before, and opens them
 * for its next call; at once if it has failed. */
static void open_again(int me)
{
    unsigned chunk;
    const ob_claims next = {all->word, CHUNKS, 2};
    if (me == 0) {
        while (leaver != 0 && !ob_gate_ended(all->gate[1], 0, all->call[1]))
            ex_again();
        ob_claims_open(&next);
        EX_CHECK(ob_claims_take(&next, 0, 0, CHUNKS, &chunk) && ob_claims_hold(&next));
        return;
    }
    while (ob_claims_take(&all->claims, 1, 0, CHUNKS, &chunk))
        ;
    EX_CHECK(leaver == 0 || (ob_claims_hold(&all->claims) && ob_claims_any(&all->claims, 2)));
    ob_gate_close(all->gate[1], (unsigned)members, OB_OK);
}

static void two_setup(void)
{
    setup(2, -1);
}

static void two_leave_setup(void)
{
    setup(2, 1);
}

static void first_leaves_setup(void)
{
    setup(2, 0);
}

static void three_setup(void)
{
    setup(3, -1);
}

static void three_leave_setup(void)
{
    setup(3, 2);
}

const ex_model claim_models[] = {
    {"claims: two members, two chunks", 2, two_setup, combine, NULL},
    {"claims: one of two fails", 2, two_leave_setup, combine, NULL},
    {"claims: three members, two chunks", 3, three_setup, combine, NULL},
    {"claims: one of three fails", 3, three_leave_setup, combine, NULL},
    {"claims: opened again when the other has ended", 2, two_setup, open_again, NULL},
    {"claims: opened again at once, after a failure", 2, first_leaves_setup, open_again, NULL},
    {"claims: one comes when the gate is the next call's", 2, two_setup, late, NULL},
};
const int claim_model_count = sizeof claim_models / sizeof *claim_models;

/* Without the wait. */
static void leaves_at_once(int me)
{
    if (me != leaver) {
        combine(me);
        return;
    }
    ob_gate_close(all->gate[me], (unsigned)members, OB_ESTATE);
    all->matrix[me][0] = 100;
}

const ex_model claim_unsafe = {"claims: one does not wait", 2, two_leave_setup, leaves_at_once,
                               NULL};
