/*
 * The point-to-point functions of core.h: arguments checked, then the message room.
 */
#include "core/error.h"
#include "message/message.h"
#include "message/request.h"
#include "message/together.h"

static int check_odd_view(const char *routine, const ob_view *v);

/* What nearly every call passes is recognised here: also no more than 2^29 columns and rows of up
 * to 16 bytes. */
enum { SMALL = 29 };

static inline int check_view(const char *routine, const ob_view *v)
{
    bool plain = v && (unsigned)v->type < OB_TYPES && (unsigned)v->shape <= OB_LOWER && v->base &&
                 v->ld >= v->m && (v->ld | v->n) >> SMALL == 0;
    return __builtin_expect(plain, 1) ? OB_OK : check_odd_view(routine, v);
}

static __attribute__((noinline)) int check_odd_view(const char *routine, const ob_view *v)
{
    if (v == NULL)
        return ob_fail(OB_EARG, "OB-1002 %s: the matrix is NULL", routine);
    if (ob_type_bytes(v->type) == 0)
        return ob_fail(OB_EARG, "OB-1018 %s: type %d is none", routine, (int)v->type);
    if ((unsigned)v->shape > OB_LOWER)
        return ob_fail(OB_EARG, "OB-1018 %s: shape %d is none", routine, (int)v->shape);
    if (v->base == NULL && ob_view_count(v))
        return ob_fail(OB_EARG, "OB-1002 %s: the matrix has %zu elements but no address", routine,
                       ob_view_count(v));
    if (!ob_view_fits(v))
        return ob_fail(
            OB_EARG,
            "OB-1005 %s: the matrix has %zu rows, %zu columns and a leading dimension of %zu; "
            "memory cannot hold so many elements",
            routine, v->m, v->n, v->ld);
    if (v->ld < v->m && v->n > 1 && v->m)
        return ob_fail(OB_EARG, "OB-1004 %s: the leading dimension is %zu, must be at least %zu",
                       routine, v->ld, v->m);
    return OB_OK;
}

static inline int check_member(const char *routine, const ob_group *g, const char *what,
                               int position)
{
    if (g == NULL)
        return ob_fail(OB_EARG, "OB-1001 %s: the group is NULL", routine);
    if (position < 0 || position >= g->size)
        return ob_fail(OB_EARG, "OB-1009 %s: %s %d is outside the group of %d", routine, what,
                       position, g->size);
    return OB_OK;
}

int ob_send(ob_group *group, int dest, int tag, const ob_view *matrix)
{
    int status = check_member("ob_send", group, "destination", dest);
    if (status == OB_OK)
        status = check_view("ob_send", matrix);
    if (status == OB_OK && tag < 0)
        status = ob_fail(OB_EARG, "OB-1022 ob_send: tag %d is negative", tag);
    if (OB_TOGETHER && status == OB_OK && !ob_tag_is_own(tag))
        return ob_together_send(group, dest, tag, matrix);
    return status == OB_OK ? ob_message_send(group, dest, tag, matrix) : status;
}

/* The other end and the tag of sends and receives of all kinds. A "source" and its tag may
 * also be OB_ANY. */
static int check_ends(const char *routine, const ob_group *g, const char *what, int position,
                      int tag)
{
    bool receive = what[0] == 's', any = receive && position == OB_ANY;
    int status = check_member(routine, g, what, any ? 0 : position);
    if (status == OB_OK && (tag < 0 || tag > OB_TAG_MAX) && !(receive && tag == OB_ANY))
        status =
            ob_fail(OB_EARG, "OB-1022 %s: tag %d is outside 0 .. %d", routine, tag, OB_TAG_MAX);
    return status;
}

static int check_request(const char *routine, ob_request **request)
{
    return request ? OB_OK
                   : ob_fail(OB_EARG, "OB-1001 %s: there is no place for the request", routine);
}

static int check_send(const char *routine, const ob_group *g, int dest, int tag,
                      const ob_view *matrix, ob_mode mode)
{
    int status = check_view(routine, matrix);
    if (status == OB_OK)
        status = check_ends(routine, g, "destination", dest, tag);
    if (status == OB_OK && (unsigned)mode > OB_READY)
        status = ob_fail(OB_EARG, "OB-1023 %s: mode %d is none", routine, (int)mode);
    return status;
}

static int check_receive(const char *routine, const ob_group *g, int source, int tag,
                         const ob_view *matrix, int options)
{
    int status = check_view(routine, matrix);
    if (status == OB_OK)
        status = check_ends(routine, g, "source", source, tag);
    if (status == OB_OK && options & ~OB_SHORTER)
        status = ob_fail(OB_EARG, "OB-1023 %s: options %d are none", routine, options);
    return status;
}

int ob_send_mode(ob_group *group, int dest, int tag, const ob_view *matrix, ob_mode mode)
{
    int status = check_send("ob_send_mode", group, dest, tag, matrix, mode);
    if (status != OB_OK)
        return status;
    if (mode > OB_BUFFERED)
        return ob_message_send_mode(group, dest, tag, matrix, mode);
    return OB_TOGETHER ? ob_together_send(group, dest, tag, matrix)
                       : ob_message_send(group, dest, tag, matrix);
}

int ob_isend(ob_group *group, int dest, int tag, const ob_view *matrix, ob_mode mode,
             ob_request **request)
{
    int status = check_send("ob_isend", group, dest, tag, matrix, mode);
    if (status == OB_OK)
        status = check_request("ob_isend", request);
    return status == OB_OK ? ob_message_isend(group, dest, tag, matrix, mode, request) : status;
}

int ob_irecv(ob_group *group, int source, int tag, const ob_view *matrix, int options,
             ob_request **request)
{
    int status = check_receive("ob_irecv", group, source, tag, matrix, options);
    if (status == OB_OK)
        status = check_request("ob_irecv", request);
    return status == OB_OK ? ob_message_irecv(group, source, tag, matrix, options, request)
                           : status;
}

int ob_recv_with(ob_group *group, int source, int tag, const ob_view *matrix, int options,
                 ob_received *received)
{
    int status = check_receive("ob_recv_with", group, source, tag, matrix, options);
    if (OB_TOGETHER && status == OB_OK)
        return ob_together_recv(group, source, tag, matrix, options, received, NULL, NULL);
    return status == OB_OK ? ob_message_recv_with(group, source, tag, matrix, options, received)
                           : status;
}

int ob_probe(ob_group *group, int source, int tag, ob_received *received)
{
    int status = check_ends("ob_probe", group, "source", source, tag);
    return status == OB_OK ? ob_message_probe(group, source, tag, NULL, received) : status;
}

int ob_iprobe(ob_group *group, int source, int tag, int *there, ob_received *received)
{
    int status = check_ends("ob_iprobe", group, "source", source, tag);
    if (status == OB_OK && there == NULL)
        status = ob_fail(OB_EARG, "OB-1001 ob_iprobe: `there` is NULL");
    return status == OB_OK ? ob_message_probe(group, source, tag, there, received) : status;
}

/* A long one goes as ever, behind what is noted for its receivers. */
static int send_many_together(ob_group *group, const int *dests, int count, int tag,
                              const ob_view *matrix)
{
    bool is_short = ob_view_bytes(matrix) <= OB_TOGETHER_BYTES;
    int status = OB_OK;
    for (int i = 0; i < count && status == OB_OK; i++)
        status = is_short ? ob_together_send(group, dests[i], tag, matrix)
                          : ob_together_send_first(group->peer[dests[i]]);
    return status || is_short || count == 0
               ? status
               : ob_message_send_many(group, dests, count, tag, matrix);
}

int ob_send_many(ob_group *group, const int *dests, int count, int tag, const ob_view *matrix)
{
    int status = check_view("ob_send_many", matrix);
    if (status == OB_OK && (count < 0 || (count && dests == NULL)))
        status = ob_fail(OB_EARG, "OB-1001 ob_send_many: %d destinations at %p", count,
                         (const void *)dests);
    for (int i = 0; i < count && status == OB_OK; i++)
        status = check_member("ob_send_many", group, "destination", dests[i]);
    if (status == OB_OK && tag < 0)
        status = ob_fail(OB_EARG, "OB-1022 ob_send_many: tag %d is negative", tag);
    if (OB_TOGETHER && status == OB_OK)
        return send_many_together(group, dests, count, tag, matrix);
    return status == OB_OK && count ? ob_message_send_many(group, dests, count, tag, matrix)
                                    : status;
}

int ob_recv(ob_group *group, int source, int tag, const ob_view *matrix, ob_received *received)
{
    int status = check_member("ob_recv", group, "source", source == OB_ANY ? 0 : source);
    if (status == OB_OK)
        status = check_view("ob_recv", matrix);
    if (status == OB_OK && tag < 0 && tag != OB_ANY)
        status = ob_fail(OB_EARG, "OB-1022 ob_recv: tag %d is negative", tag);
    if (OB_TOGETHER && status == OB_OK && (tag == OB_ANY || !ob_tag_is_own(tag)))
        return ob_together_recv(group, source, tag, matrix, OB_EXACT, received, NULL, NULL);
    return status == OB_OK ? ob_message_recv(group, source, tag, matrix, received) : status;
}
