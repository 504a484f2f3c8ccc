/*
 * ob_send and ob_recv: arguments checked, then the message room.
 */
#include "core/error.h"
#include "message/message.h"

static int check_odd_view(const char *routine, const ob_view *v);

/* What nearly every call passes is recognised here. */
static inline int check_view(const char *routine, const ob_view *v)
{
    bool plain = v && (unsigned)v->type < OB_TYPES && (unsigned)v->shape <= OB_LOWER && v->base &&
                 (v->ld >= v->m || v->n <= 1);
    return __builtin_expect(plain, 1) ? OB_OK : check_odd_view(routine, v);
}

static __attribute__((noinline)) int check_odd_view(const char *routine, const ob_view *v)
{
    if (v == NULL)
        return ob_fail(OB_EARG, "%s: the matrix is NULL", routine);
    if (ob_type_bytes(v->type) == 0)
        return ob_fail(OB_EARG, "%s: type %d is none", routine, (int)v->type);
    if ((unsigned)v->shape > OB_LOWER)
        return ob_fail(OB_EARG, "%s: shape %d is none", routine, (int)v->shape);
    if (v->base == NULL && ob_view_count(v))
        return ob_fail(OB_EARG, "%s: the matrix has %zu elements but no address", routine,
                       ob_view_count(v));
    if (v->ld < v->m && v->n > 1 && v->m)
        return ob_fail(OB_EARG, "%s: the leading dimension is %zu, must be at least %zu", routine,
                       v->ld, v->m);
    return OB_OK;
}

static inline int check_member(const char *routine, const ob_group *g, const char *what, int position)
{
    if (g == NULL)
        return ob_fail(OB_EARG, "%s: the group is NULL", routine);
    if (position < 0 || position >= g->size)
        return ob_fail(OB_EARG, "%s: %s %d is outside the group of %d", routine, what, position,
                       g->size);
    return OB_OK;
}

int ob_send(ob_group *group, int dest, int tag, const ob_view *matrix)
{
    int status = check_member("ob_send", group, "destination", dest);
    if (status == OB_OK)
        status = check_view("ob_send", matrix);
    if (status == OB_OK && tag < 0)
        status = ob_fail(OB_EARG, "ob_send: tag %d is negative", tag);
    return status == OB_OK ? ob_message_send(group, dest, tag, matrix) : status;
}

int ob_send_many(ob_group *group, const int *dests, int count, int tag, const ob_view *matrix)
{
    int status = check_view("ob_send_many", matrix);
    if (status == OB_OK && (count < 0 || (count && dests == NULL)))
        status = ob_fail(OB_EARG, "ob_send_many: %d destinations at %p", count, (const void *)dests);
    for (int i = 0; i < count && status == OB_OK; i++)
        status = check_member("ob_send_many", group, "destination", dests[i]);
    if (status == OB_OK && tag < 0)
        status = ob_fail(OB_EARG, "ob_send_many: tag %d is negative", tag);
    return status == OB_OK && count ? ob_message_send_many(group, dests, count, tag, matrix)
                                    : status;
}

int ob_recv(ob_group *group, int source, int tag, const ob_view *matrix, ob_received *received)
{
    int status = check_member("ob_recv", group, "source", source == OB_ANY ? 0 : source);
    if (status == OB_OK)
        status = check_view("ob_recv", matrix);
    if (status == OB_OK && tag < 0 && tag != OB_ANY)
        status = ob_fail(OB_EARG, "ob_recv: tag %d is negative", tag);
    return status == OB_OK ? ob_message_recv(group, source, tag, matrix, received) : status;
}
