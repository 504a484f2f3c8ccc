/*
 * Collective calls that are put together: those of one kind in one group become one call on a
 * vector, begun without waiting when the vector is full or at the end. All members of the group
 * make the same calls in the same order, so they fill the same vectors and begin them in the same
 * order, whatever else they do and in which other groups. A vector is full by its calls, not by
 * its bytes: so members whose matrices have other sizes still begin as many, and learn of it there.
 *
 * Behind the vector of a broadcast is a word that says which sizes the root's matrices have: two
 * lists of matrices may have as many bytes.
 */
#include "collective/together.h"

#include <stdlib.h>

#include "collective/arguments.h"
#include "collective/levels/levels.h"
#include "collective/topology/topology.h"
#include "collective/way.h"
#include "core/error.h"
#include "hooks/hash.h"
#include "hooks/together.h"

/* Calls in one vector; or (bytes NULL) one call whose matrix goes as it is. */
typedef struct ob_vector_of_calls {
    struct ob_vector_of_calls *next;
    ob_group *group; /* NULL: it was freed before the vector was begun */
    uint64_t context;
    int stream;

    /* What calls have in common that share a vector. */
    int root;
    bool combines;
    ob_op op;
    ob_type type;
    ob_route route;

    char *bytes;
    size_t used, room;
    unsigned calls;  /* at most CALLS_MOST */
    ob_view *result; /* where the results go; at who gets none there are none */
    size_t results, places;
    uint64_t sizes;   /* a hash of them */
    bool alone;       /* among what is put together this is all of its group */
    bool begun, made; /* made: it is over, and has gone well */
    ob_request *request;
} vector;

typedef struct calls {
    vector *first, *last, *recent;
} calls;

enum { BYTES_FIRST = 4096, RESULTS_FIRST = 64, CALLS_MOST = 1024 };

/* ------------------------------------------------------------------- vectors */

static void forget(ob_together *t, uint64_t context, int stream)
{
    for (vector *v = ((calls *)t->calls)->first; v; v = v->next)
        if (v->context == context && (!stream || v->stream == stream))
            v->group = NULL;
}

static calls *calls_of(ob_together *t)
{
    if (t->calls == NULL)
        t->calls = calloc(1, sizeof(calls));
    if (t->calls)
        t->forget_calls = forget;
    return t->calls;
}

static int no_memory(const ob_group *g)
{
    return ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for calls that are put together",
                   g->job->number);
}

/* May more calls of this kind go into it? */
static bool takes(const vector *v, const vector *kind)
{
    return !v->begun && v->group == kind->group && v->combines == kind->combines &&
           v->root == kind->root && v->op == kind->op && v->type == kind->type &&
           v->route.repeatable == kind->route.repeatable &&
           v->route.coherent == kind->route.coherent;
}

static vector *new_vector(const vector *kind)
{
    calls *c = calls_of(ob_together_now);
    vector *v = c ? malloc(sizeof *v) : NULL;
    if (v == NULL)
        return NULL;
    *v = *kind;
    v->context = kind->group->context;
    v->stream = kind->group->stream;
    v->sizes = OB_HASH;
    v->alone = true;
    for (vector *other = c->first; other; other = other->next)
        if (other->context == v->context && other->stream == v->stream)
            other->alone = v->alone = false;
    if (c->last)
        c->last->next = v;
    else
        c->first = v;
    c->last = v;
    return v;
}

static vector *vector_for(const vector *kind)
{
    calls *c = calls_of(ob_together_now);
    if (c == NULL)
        return NULL;
    vector *v = c->recent;
    if (v && takes(v, kind))
        return v;
    for (v = c->first; v && !takes(v, kind); v = v->next)
        ;
    return c->recent = v ? v : new_vector(kind);
}

static bool make_room(vector *v, size_t bytes)
{
    size_t room = v->room ? v->room : BYTES_FIRST;
    while (room < v->used + bytes)
        room *= 2;
    char *more = room > v->room ? realloc(v->bytes, room) : v->bytes;
    if (more == NULL)
        return false;
    v->bytes = more;
    v->room = room;
    if (v->results < v->places)
        return true;
    size_t places = v->places ? 2 * v->places : RESULTS_FIRST;
    ob_view *results = realloc(v->result, places * sizeof *results);
    if (results == NULL)
        return false;
    v->result = results;
    v->places = places;
    return true;
}

/* What a broadcast's vector is in all; there is room: add() asks for it. */
static ob_view with_sizes(const vector *v)
{
    memcpy(v->bytes + v->used, &v->sizes, sizeof v->sizes);
    return ob_view_of_bytes(v->bytes, v->used + sizeof v->sizes);
}

static int begin(vector *v)
{
    ob_group *g = v->group;
    v->begun = true;
    if (g == NULL)
        return ob_fail(OB_ESTATE, "OB-2521 ob_together_end: the group of a collective call was "
                                  "freed before the end; free it after the end");
    if (v->combines) {
        ob_view all = ob_view_vector(v->bytes, v->used / ob_type_bytes(v->type), v->type);
        return ob_icombine(g, v->root, v->op, &all, NULL, 0, &v->route, &v->request);
    }
    ob_view all = with_sizes(v);
    return ob_ibroadcast(g, v->root, &all, NULL, &v->request);
}

/* A broadcast over memory of a node costs less where it is not begun but made. Its root waits for
 * nobody's end of what is put together, so all that this process is the root of come first, and
 * then the others. Of more vectors of a group the order would be wrong: these are begun. */
static bool is_made(const vector *v)
{
    return v->group && v->alone && !v->begun && !v->combines &&
           ob_use_board(v->group, OB_TASK_BROADCAST, NULL) > 0;
}

/* As ob_broadcast does. */
static int broadcast_near(ob_group *g, int root, const ob_view *all)
{
    if (g->size > 2)
        return ob_broadcast_node(g, root, all);
    const ob_route taken = ob_route_broadcast(NULL);
    return ob_broadcast_pattern(g, root, all, &taken);
}

static int make(vector *v)
{
    const ob_view all = with_sizes(v);
    ob_trace_span span;
    v->begun = true;
    ob_call_begin(&span, v->group);
    int status = broadcast_near(v->group, v->root, &all);
    v->made = status == OB_OK;
    return ob_call_end(&span, v->group, "ob_broadcast", OB_TRACE_BROADCAST, v->root, &all, NULL,
                       NULL, status);
}

static int check_sizes(const vector *v)
{
    uint64_t theirs;
    if (v->combines || v->bytes == NULL)
        return OB_OK;
    memcpy(&theirs, v->bytes + v->used, sizeof theirs);
    return theirs == v->sizes
               ? OB_OK
               : ob_fail(OB_ESIZE,
                         "OB-2522 ob_together_end: member %d has put broadcasts together whose "
                         "matrices have other sizes than here, though as many bytes in all; all "
                         "members of a group name the same matrices in the same order",
                         v->root);
}

/* When it is over: the results to their places. */
static int end(const vector *v)
{
    int status = check_sizes(v);
    const char *at = v->bytes;
    for (size_t i = 0; i < v->results && status == OB_OK; i++) {
        ob_view_unpack(&v->result[i], at);
        at += ob_view_bytes(&v->result[i]);
    }
    return status;
}

/* ------------------------------------------------------------------- the calls */

/* gives, gets: this member's matrix goes into the vector, or a result comes into the matrix. There
 * is room. */
static inline void put(vector *v, bool gives, bool gets, ob_cursor *data)
{
    size_t bytes = data->left;
    if (gets)
        v->result[v->results++] = *data->view;
    if (gives)
        ob_cursor_pack(data, v->bytes + v->used, bytes);
    v->used += bytes;
    v->calls++;
    v->sizes = ob_hash_word(v->sizes, bytes);
}

static int add(const vector *kind, bool gives, bool gets, ob_cursor *data)
{
    vector *v = vector_for(kind);
    if (v && v->calls == CALLS_MOST) {
        ob_first_add(&ob_together_now->failed, begin(v));
        v = vector_for(kind);
    }
    if (v == NULL || !make_room(v, data->left + sizeof v->sizes))
        return no_memory(kind->group);
    put(v, gives, gets, data);
    return OB_OK;
}

static int add_alone(const vector *kind, const ob_view *matrix)
{
    ob_group *g = kind->group;
    vector *v = new_vector(kind);
    if (v == NULL)
        return no_memory(g);
    v->begun = true;
    return kind->combines
               ? ob_icombine(g, kind->root, kind->op, matrix, NULL, 0, &kind->route, &v->request)
               : ob_ibroadcast(g, kind->root, matrix, NULL, &v->request);
}

static int note(const vector *kind, bool gives, bool gets, ob_cursor *data)
{
    if (kind->group->size == 1)
        return OB_OK;
    return data->left > OB_TOGETHER_BYTES ? add_alone(kind, data->view)
                                          : add(kind, gives, gets, data);
}

/* The vector of the last call, if one more broadcast goes into it as it is. */
static inline vector *recent_for(const ob_group *group, int root, size_t bytes)
{
    const calls *c = ob_together_now->calls;
    vector *v = c ? c->recent : NULL;
    if (v && !v->begun && !v->combines && v->group == group && v->root == root &&
        bytes <= OB_TOGETHER_BYTES && v->calls < CALLS_MOST &&
        v->used + bytes + sizeof v->sizes <= v->room && v->results < v->places)
        return v;
    return NULL;
}

int ob_together_broadcast(ob_group *group, int root, const ob_view *matrix)
{
    ob_cursor data;
    ob_cursor_open(&data, matrix);
    const bool gives = root == group->me;
    vector *v = recent_for(group, root, data.left);
    if (v) {
        put(v, gives, !gives, &data);
        return OB_OK;
    }
    const vector kind = {.group = group, .root = root};
    return note(&kind, gives, !gives, &data);
}

int ob_together_combine(ob_group *group, int root, ob_op op, const ob_view *matrix,
                        const ob_route *route)
{
    vector kind = {.group = group, .root = root, .combines = true, .op = op, .type = matrix->type};
    ob_cursor data;
    ob_cursor_open(&data, matrix);
    if (route)
        kind.route = (ob_route){.repeatable = route->repeatable, .coherent = route->coherent};
    return note(&kind, true, root == OB_ANY || root == group->me, &data);
}

/* ------------------------------------------------------------------- begin and end */

int ob_together_begin(void)
{
    ob_together *t = ob_together_now ? ob_together_now : ob_together_new();
    if (t == NULL)
        return OB_ENOMEM;
    t->depth++;
    ob_together_now = t;
    return OB_OK;
}

int ob_together_is_open(void)
{
    return ob_together_now != NULL;
}

/* What is begun is first: others may wait for it. */
static void begin_all(ob_together *t)
{
    const calls *c = t->calls;
    for (vector *v = c ? c->first : NULL; v; v = v->next)
        if (!v->begun && !is_made(v))
            ob_first_add(&t->failed, begin(v));
    for (int mine = 1; mine >= 0; mine--)
        for (vector *v = c ? c->first : NULL; v; v = v->next)
            if (!v->begun && (v->root == v->group->me) == mine)
                ob_first_add(&t->failed, make(v));
}

/* What was not begun, or has failed, has no results. */
static void end_all(ob_together *t)
{
    const calls *c = t->calls;
    for (vector *v = c ? c->first : NULL, *next; v; v = next) {
        bool there = v->request != NULL || v->made;
        int status = ob_wait(&v->request, NULL);
        if (status == OB_OK && there)
            status = end(v);
        ob_first_add(&t->failed, status);
        next = v->next;
        free(v->bytes);
        free(v->result);
        free(v);
    }
    free(t->calls);
}

/* All is sent first, and collective calls are begun, since others may wait for these before they
 * send what is received here. */
int ob_together_end(void)
{
    ob_together *t = ob_together_now;
    if (t == NULL)
        return ob_fail(OB_ESTATE, "OB-2520 ob_together_end: this thread has made no "
                                  "ob_together_begin that is not ended");
    if (--t->depth)
        return OB_OK;
    ob_together_now = NULL;
    ob_first_add(&t->failed, ob_together_flush(t));
    begin_all(t);
    ob_first_add(&t->failed, ob_together_receive(t));
    end_all(t);
    int status = ob_first_end(&t->failed);
    ob_together_free(t);
    return status;
}
