/*
 * Messages that came for this process and that nobody received: those that are here when it
 * leaves the job, and those that were dropped before, when their group ended.
 */
#include <stdio.h>

#include "core/error.h"
#include "hooks/check.h"
#include "message/background.h"
#include "message/internal.h"
#include "message/message.h"
#include "message/together.h"

static void add_stored(ob_queued *item, void *lost)
{
    if (item->key.tag == OB_ANY)
        return; /* the half under its own tag stands for it */
    ob_stored *s = (ob_stored *)((char *)item - offsetof(ob_stored, exact));
    if (!s->told)
        ob_message_lost(lost, s->peer->number, &s->envelope);
    s->told = true;
}

static void name(const ob_lost *lost, char *text, size_t room)
{
    size_t at = 0;
    for (size_t i = 0; i < lost->count && i < OB_LOST_NAMED && at < room; i++) {
        const ob_envelope *e = &lost->first[i].envelope;
        size_t unit = ob_type_bytes((ob_type)e->type), count = unit ? e->bytes / unit : 0;
        at += (size_t)snprintf(text + at, room - at, "%s%zu %s element%s from process %d",
                               i ? ", " : ": ", count, ob_type_name((ob_type)e->type),
                               count == 1 ? "" : "s", lost->first[i].source);
    }
    if (lost->count > OB_LOST_NAMED && at < room)
        snprintf(text + at, room - at, " and %zu more", lost->count - OB_LOST_NAMED);
}

size_t ob_check_unreceived(ob_job *job, char *text, size_t room)
{
    ob_matching *m = ob_matching_of(job);
    text[0] = 0;
    if (m == NULL)
        return 0;
    ob_arrival_take_all(job);
    ob_lock_take(&m->lock);
    ob_lost lost = m->lost;
    m->lost.count = 0;
    ob_table_visit(&m->stored, add_stored, &lost);
    ob_lock_release(&m->lock);
    if (ob_check_now > 2)
        name(&lost, text, room);
    return lost.count;
}

void ob_message_forget(ob_job *job, uint64_t context, int stream)
{
    ob_matching *m = ob_matching_now(job);
    if (OB_TOGETHER)
        ob_together_forget(context, stream);
    if (atomic_load_explicit(&job->courses, memory_order_acquire))
        m->forget_courses(job, context, stream);
    ob_tables_forget(job, context, stream);
    ob_background_pause(job);
}
