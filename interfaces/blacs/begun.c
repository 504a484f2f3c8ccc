/*
 * The table of what has been begun. A handle is a place in it and how often the place was used
 * before, so that a handle that was ended already is not taken for another one's.
 */
#include "begun.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 1 << 20, ROUNDS = 2047, NONE = -1 };

typedef struct place {
    obl_begun begun;
    bool used, busy; /* a thread is about to end it */
    int round, next; /* of those that are free */
} place;

/* The lock covers all of it. Who ends a request works on a copy: the places move when there are
 * more. */
static struct {
    pthread_mutex_t lock;
    place *at;
    int room, free;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .free = NONE};

/* With the lock held. */
static bool grow(void)
{
    int room = table.room ? 2 * table.room : 64;
    place *more = room <= PLACES ? realloc(table.at, (size_t)room * sizeof *more) : NULL;
    if (!more)
        return false;
    for (int i = room - 1; i >= table.room; i--) {
        more[i] = (place){.next = table.free};
        table.free = i;
    }
    table.at = more;
    table.room = room;
    return true;
}

int obl_enroll_begun(const obl_call *call, const obl_begun *begun)
{
    pthread_mutex_lock(&table.lock);
    if (table.free == NONE && !grow()) {
        pthread_mutex_unlock(&table.lock);
        obl_fault(call, "OB-4001 no memory or no number for one more request; %d are under way",
                  table.room);
    }
    int at = table.free;
    place *p = &table.at[at];
    table.free = p->next;
    p->begun = *begun;
    p->used = true;
    p->busy = false;
    int handle = p->round * PLACES + at;
    pthread_mutex_unlock(&table.lock);
    return handle;
}

/* With the lock held; NULL: there is none. */
static place *find(int64_t handle)
{
    if (handle < 0 || handle >= (int64_t)ROUNDS * PLACES || handle % PLACES >= table.room)
        return NULL;
    place *p = &table.at[handle % PLACES];
    return p->used && p->round == handle / PLACES ? p : NULL;
}

static void give_back(place *p)
{
    p->used = false;
    p->round = (p->round + 1) % ROUNDS;
    p->next = table.free;
    table.free = (int)(p - table.at);
}

/* This thread alone ends it from now on. */
static obl_begun take(const obl_call *call, int64_t handle)
{
    pthread_mutex_lock(&table.lock);
    place *p = find(handle);
    bool there = p != NULL, busy = there && p->busy;
    obl_begun begun = {0};
    if (there && !busy) {
        p->busy = true;
        begun = p->begun;
    }
    pthread_mutex_unlock(&table.lock);
    if (!there)
        obl_fault(call,
                  "OB-2580 the request %" PRId64 " is none that is under way; a request is ended "
                  "once, and is -1 then",
                  handle);
    if (busy)
        obl_fault(call,
                  "OB-2581 another thread is about to end the request %" PRId64
                  "; one thread ends a request",
                  handle);
    return begun;
}

static void put(int64_t handle, const obl_begun *begun, bool over)
{
    pthread_mutex_lock(&table.lock);
    place *p = find(handle);
    p->begun = *begun;
    p->busy = false;
    if (over)
        give_back(p);
    pthread_mutex_unlock(&table.lock);
}

/* --------------------------------------------------------------------- ending */

static void set(const obl_owners *o, void *to, size_t at, int value)
{
    if (o->wide)
        ((int64_t *)to)[at] = value;
    else
        ((int *)to)[at] = value;
}

static void tell_owners(const obl_begun *b)
{
    const obl_owners *o = &b->owners;
    const obl_grid *g = b->grid;
    for (size_t j = 0; o->here && j < o->n; j++)
        for (size_t i = 0; i < o->m; i++) {
            int at = o->position[i + j * o->m];
            if (g->listed)
                at = g->listed[at];
            set(o, o->row, i + j * o->ld,
                o->scope == 'R'   ? g->myrow
                : o->scope == 'C' ? at
                                  : at / g->npcol);
            set(o, o->column, i + j * o->ld, o->scope == 'C' ? g->mycol : at % g->npcol);
        }
    free(o->position);
}

static int move(obl_begun *b, bool waits, int *over)
{
    int status = OB_OK;
    *over = 1;
    if (b->agreement)
        status = ob_check_agree_end(&b->agreement, waits ? NULL : over);
    if (status != OB_OK || !*over)
        return status;
    return waits ? ob_wait(&b->request, NULL) : ob_test(&b->request, over, NULL);
}

bool obl_end_begun(const char *routine, int64_t handle, bool waits, const void *site)
{
    obl_call call = {routine, -1, NULL};
    int over;
    if (handle == NONE)
        return true;
    obl_begun b = take(&call, handle);
    call.context = b.context;
    call.grid = b.grid;
    obl_trace(&call, site);
    int status = move(&b, waits, &over);
    if (status != OB_OK) {
        char both[64];
        snprintf(both, sizeof both, "%s: %s", routine, b.routine);
        call.routine = both;
        obl_check(&call, status);
    }
    if (over)
        tell_owners(&b);
    put(handle, &b, over);
    obl_end_call(&call);
    return over;
}

/* ------------------------------------------------------------------ what is left */

/* With the lock held: of a grid, or of all. */
static int count_left(const obl_grid *grid, const place **first)
{
    int left = 0;
    for (int i = 0; i < table.room; i++) {
        const place *p = &table.at[i];
        if (p->used && (!grid || p->begun.grid == grid) && left++ == 0)
            *first = p;
    }
    return left;
}

void obl_refuse_begun(const obl_call *call)
{
    const place *first = NULL;
    pthread_mutex_lock(&table.lock);
    int left = count_left(call->grid, &first);
    const char *routine = left ? first->begun.routine : "";
    pthread_mutex_unlock(&table.lock);
    if (left)
        obl_fault(
            call,
            "OB-2582 %d request%s of this context, one of %s, %s not ended; wait for %s first",
            left, left == 1 ? "" : "s", routine, left == 1 ? "is" : "are",
            left == 1 ? "it" : "them");
}

void obl_forget_begun(const obl_call *call)
{
    enum { NAMED = 8 };
    char which[1024] = "";
    int left = 0;
    size_t used = 0;
    pthread_mutex_lock(&table.lock);
    for (int i = 0; i < table.room; i++) {
        place *p = &table.at[i];
        if (!p->used)
            continue;
        if (left++ < NAMED)
            used += (size_t)snprintf(which + used, sizeof which - used, "%s %s in context %" PRId64,
                                     left == 1 ? ":" : ",", p->begun.routine, p->begun.context);
        free(p->begun.owners.position);
        give_back(p);
    }
    pthread_mutex_unlock(&table.lock);
    if (left && ob_check_level())
        obl_warn(call, "OB-2583 %d request%s never waited for%s%s", left,
                 left == 1 ? " was" : "s were", which, left > NAMED ? ", ..." : "");
}
