/*
 * Calls that are put together: noted one by one, and carried out by the end, all of one context in
 * one go. Contexts come in the order of their first call. That is a call that all of a context's
 * processes make; so where the calls one by one would not wait in a circle, the contexts do not.
 */
#include "redist.h"

#include "common/grow.h"
#include "hooks/blacs.h"

#include <inttypes.h>

/* What a thread has noted, in order. */
static _Thread_local struct {
    int depth;
    obrd_call *call;
    size_t count, room;
} noted;

void obrd_together_begin(void)
{
    noted.depth++;
}

bool obrd_together_note(const obrd_call *c)
{
    if (noted.depth == 0)
        return false;
    obrd_call *more = ob_grow(noted.call, noted.count, &noted.room, sizeof *more);
    if (more == NULL) {
        obrd_say(c, "OB-4001 no memory for one more of %zu calls that are put together",
                 noted.count);
        obrd_end();
    }
    noted.call = more;
    noted.call[noted.count++] = *c;
    return true;
}

/* The context must be what it was. */
static void check_context(const obrd_call *c)
{
    if (ob_blacs_group(c->context, 'A') == c->group)
        return;
    if (obrd_speaks(true))
        obrd_say(c,
                 "OB-2532 the context %" PRId64 " was released between the call and "
                 "ob_redist_together_end; release it behind the end",
                 c->context);
    obrd_end();
}

/* Moves the calls of the first one's context to the front, and the others behind, each in their
 * order; returns how many they are. `other` has room for all. */
static size_t gather(obrd_call *call, size_t count, obrd_call *other)
{
    const ob_group *group = call->group;
    size_t mine = 0, others = 0;
    for (size_t i = 0; i < count; i++)
        if (call[i].group == group)
            call[mine++] = call[i];
        else
            other[others++] = call[i];
    for (size_t i = 0; i < others; i++)
        call[mine + i] = other[i];
    return mine;
}

void obrd_together_end(void)
{
    obrd_call self = {.routine = "ob_redist_together_end"};
    if (noted.depth == 0) {
        if (obrd_speaks(true))
            obrd_say(&self, "OB-2530 this thread has made no ob_redist_together_begin that is not "
                            "ended");
        obrd_end();
    }
    if (noted.depth > 1 || noted.count == 0) {
        noted.depth--;
        return;
    }
    obrd_refuse_together(&self);
    obrd_call *call = noted.call, *other = obrd_room(&self, noted.count, sizeof *other);
    size_t left = noted.count;
    for (size_t i = 0; i < left; i++)
        check_context(&call[i]);
    while (left) {
        size_t n = gather(call, left, other);
        self.group = call->group;
        self.context = call->context;
        obrd_agree_count(&self, n);
        obrd_carry_out(call, n);
        call += n;
        left -= n;
    }
    free(other);
    free(noted.call);
    noted.call = NULL;
    noted.depth = 0;
    noted.count = noted.room = 0;
}
