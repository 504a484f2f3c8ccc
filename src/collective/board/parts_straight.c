/*
 * Collects, distributed combines and gathers straight from the members' matrices, and those to the
 * root's.
 */
#include "collective/board/parts_table.h"

/* Bytes of our piece that are combined at a time: they stay in a second-level cache. */
enum { STRAIGHT_STRIP = 64 << 10 };

/* Where the vector would begin in memory, all others' pieces being where they are: the own one
 * may be elsewhere. NULL: they are not one run. */
static char *around_own(const ob_parts *p, int me)
{
    char *base = NULL;
    for (int i = 0; i < p->size; i++) {
        if (i == me || ob_part_bytes(p, i) == 0)
            continue;
        char *from = (char *)p->view[i].base - p->cut[i] * p->esize;
        if (!ob_view_contiguous(&p->view[i]) || (base && from != base))
            return NULL;
        base = from;
    }
    return base;
}

/* Nobody reads it here. */
static void place_own_straight(ob_parts_table *t)
{
    while (t->parts->apart && t->apart.left) {
        size_t n;
        const char *run = ob_cursor_take(&t->apart, t->apart.left, &n);
        ob_cursor_unpack(&t->cursor[t->board->me], run, n);
    }
}

static void collect_straight(ob_parts_table *t)
{
    place_own_straight(t);
    for (int k = 1; k < t->board->size; k++) {
        int i = (t->board->me + k) % t->board->size;
        ob_long_fetch(&t->call, i, 0, ob_part_bytes(t->parts, i), &t->parts->view[i], 0);
    }
}

/* The root reads the begin of each piece, and its owner writes the rest into the root's vector, so
 * that all move as much. Where that is not one run the root reads all. */
static void gather_straight(ob_parts_table *t)
{
    const ob_parts *p = t->parts;
    int me = t->board->me, root = t->root;
    bool puts = ob_view_bytes(&t->call.direct->end[root].view) != 0;
    for (int k = 1; k < t->board->size; k++) {
        int i = (root + k) % t->board->size;
        size_t bytes = ob_part_bytes(p, i), read = puts ? bytes / (size_t)t->board->size : bytes;
        if (me == root)
            ob_long_fetch(&t->call, i, 0, read, &p->view[i], 0);
        else if (me == i && puts)
            ob_long_put(&t->call, root, p->cut[i] * p->esize + read, bytes - read, &p->view[i],
                        read);
    }
}

size_t ob_parts_strip(const ob_parts *p)
{
    return STRAIGHT_STRIP < p->esize ? p->esize : STRAIGHT_STRIP / p->esize * p->esize;
}

/* As combine_own: in the order of positions. Nobody reads our own piece here. */
static void combine_straight(ob_parts_table *t)
{
    const ob_parts *p = t->parts;
    int me = t->board->me;
    size_t strip = ob_parts_strip(p), bytes = ob_part_bytes(p, me), start = p->cut[me] * p->esize;
    char *acc = t->strips, *in = acc + strip;
    for (size_t from = 0; from < bytes && !t->call.failed; from += strip) {
        size_t step = bytes - from < strip ? bytes - from : strip;
        ob_cursor own = t->cursor[me];
        for (int i = 0; i < t->board->size; i++) {
            char *to = i ? in : acc;
            ob_view here = ob_view_of_bytes(to, step);
            if (i == me)
                ob_cursor_pack(&own, to, step);
            else
                ob_long_fetch(&t->call, i, start + from, step, &here, 0);
            if (i && !t->call.failed)
                ob_part_combine(p, step / p->esize, acc, in);
        }
        if (t->call.failed)
            return;
        ob_cursor_unpack(p->apart ? &t->apart : &t->cursor[me], acc, step);
        if (p->apart)
            t->cursor[me] = own;
    }
}

enum ob_direct_sort ob_parts_sort(ob_task task)
{
    return task == OB_TASK_COLLECT  ? OB_DIRECT_COLLECT
           : task == OB_TASK_GATHER ? OB_DIRECT_GATHER
                                    : OB_DIRECT_DISTRIBUTE;
}

const ob_view *ob_parts_reached(ob_parts_table *t)
{
    const ob_parts *p = t->parts;
    int me = t->board->me;
    if (t->task == OB_TASK_COLLECT || (t->task == OB_TASK_GATHER && me != t->root))
        return p->apart ? p->apart : &p->view[me];
    char *base = around_own(p, me);
    t->all = ob_view_of_bytes(base, base ? ob_parts_bytes(p) : 0);
    return base || t->task == OB_TASK_GATHER ? &t->all : NULL;
}

void ob_parts_move_straight(ob_parts_table *t)
{
    if (t->task == OB_TASK_COLLECT)
        collect_straight(t);
    else if (t->task == OB_TASK_GATHER)
        gather_straight(t);
    else
        combine_straight(t);
}
