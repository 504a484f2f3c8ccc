#include "core/trial.h"

#include <limits.h>
#include <stdatomic.h>

/* At so many ns a byte and less a ring was faster than two processes by the kernel's hand, wherever
 * both were measured with pages of 4 KiB: ring .018 to .042, straight .033 to .063
 * (bench/messages.md). With huge pages it may be otherwise, so there are trials, but few. */
#define USUAL_IS_NEAR .05f
#define FAR_SLOWER 1.5f
/* A trial that takes so many times as long ends at once: cold caches alone do not make that. */
#define HOPELESS 2.f
#define TRYING UINT_MAX /* since: a trial has begun */

/* A faster time is believed, down to a half: nothing makes a way look faster than it is. A slower
 * one may be the scheduler's, so it has half the weight, and less when it is far off. True: it is
 * to be tried again soon. */
static bool blend(float *time, float now)
{
    float ratio = *time > 0 ? now / *time : 1;
    *time = *time > 0 ? *time * (ratio < .5f    ? .5f
                                 : ratio < 1    ? ratio
                                 : ratio < 1.4f ? .5f + .5f * ratio
                                                : 1.2f)
                      : now;
    return ratio < .5f || ratio > 1.4f;
}

/* What was far slower waits longer for its next trial; what has no time yet, since the other way
 * came first, still longer: that is likely to be faster, and the first times cost most. */
static unsigned next_pause(const ob_way *w, bool odd, bool changed)
{
    float slower = w->better ? w->usual : w->straight, faster = w->better ? w->straight : w->usual;
    bool rarely = slower > FAR_SLOWER * faster || (!w->better && w->usual <= USUAL_IS_NEAR);
    unsigned least = w->usual <= 0 ? OB_WAY_PAUSE_ALONE
                     : rarely      ? OB_WAY_PAUSE_NEAR
                                   : OB_WAY_PAUSE_LEAST;
    unsigned pause = odd ? OB_WAY_PAUSE_LEAST : changed ? OB_WAY_PAUSE : w->pause * 2;
    return pause < least ? least : pause > OB_WAY_PAUSE_MOST ? OB_WAY_PAUSE_MOST : pause;
}

void ob_way_saw(ob_way *w, bool straight, double ns_per_byte)
{
    bool before = w->better;
    bool tried = w->trial && straight != before; /* not what was under way before the trial began */
    float faster = before ? w->straight : w->usual;
    bool odd = blend(straight ? &w->straight : &w->usual, (float)ns_per_byte);
    /* What alone is known is the better one: it came first where a like length goes so. */
    w->better = w->straight > 0 && (w->usual <= 0 || w->straight < w->usual);
    bool changed = w->better != before;
    if (tried)
        w->trial = ns_per_byte >= HOPELESS * faster ? 0 : w->trial - 1;
    if (changed || w->pause == 0 || (w->trial == 0 && w->since == TRYING)) {
        w->pause = next_pause(w, odd, changed);
        w->since = 0;
        w->trial = 0;
    }
    if (w->trial == 0 && ++w->since >= w->pause) {
        w->trial = OB_WAY_TRIAL;
        w->since = TRYING;
    }
    w->wanted = w->better != (w->trial > 0);
}

/* Relaxed: numbers for people, read at the end. */
static atomic_ullong counted[OB_WAYS_OF][2];

void ob_way_count(enum ob_way_of what, bool straight)
{
    atomic_fetch_add_explicit(&counted[what][straight], 1, memory_order_relaxed);
}

uint64_t ob_way_counted(enum ob_way_of what, bool straight)
{
    return atomic_load_explicit(&counted[what][straight], memory_order_relaxed);
}
