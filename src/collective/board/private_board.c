/*
 * Scatter and gather on the board where each member knows the size of its own piece alone, and the
 * root those of all. So who sends chooses the way, and its note says which: short pieces stand in
 * the note or in lent memory, with their sizes; long ones go as messages.
 */
#include <string.h>

#include "collective/board/board.h"
#include "collective/board/collectives.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"
#include "core/scratch.h"
#include "message/message.h"

/* Bytes in lent memory, sizes included, and rounds that one is ahead of the others then, at most.
 */
enum { LENT_MOST = 64 << 10, AHEAD = 4 };
/* Where they are; in a note's kind, behind the task. */
enum form { NOTHING, IN_NOTE, LENT, IN_MESSAGES };
enum { FORM_AT = 12, FORM = 3 << FORM_AT };

/* What we do, in an error line. */
static const char DOES[] = "takes part in a scatter or gather";

/* Unlike the kinds of all other notes: what is in its upper four bits is no task, and its lowest
 * eight are no type. */
static uint32_t kind_of(ob_task task)
{
    return (uint32_t)(OB_TASK_KINDS + 2) << 28 | (uint32_t)task << 8 | 0xff;
}

static enum form form_of(const ob_note *note)
{
    return (enum form)((note->kind & FORM) >> FORM_AT);
}

/* Begins a round in which so many bytes are shown. *to: where; NULL: they go as messages. */
static int begin(ob_board *b, ob_task task, size_t bytes, unsigned readers, ob_note **note,
                 char **to)
{
    enum form form = bytes <= OB_NOTE_INLINE ? IN_NOTE : bytes <= LENT_MOST ? LENT : IN_MESSAGES;
    int status = form == LENT ? ob_board_keep_up(b, AHEAD) : OB_OK;
    if (status == OB_OK)
        status = ob_board_begin(b, note);
    if (status != OB_OK)
        return status;
    *to = form == IN_NOTE ? (*note)->data : NULL;
    if (form == LENT)
        *to = ob_board_lend(b, bytes, readers, &(*note)->name[0]);
    if (*to == NULL)
        form = IN_MESSAGES;
    (*note)->bytes = bytes;
    (*note)->kind = kind_of(task) | (uint32_t)form << FORM_AT;
    return OB_OK;
}

static int post_nothing(ob_board *b, ob_task task)
{
    ob_note *note;
    int status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    note->bytes = 0;
    note->kind = kind_of(task);
    ob_board_post(b);
    return OB_OK;
}

static char *pack(char *to, const ob_view *piece, size_t bytes)
{
    ob_cursor in;
    ob_cursor_open(&in, piece);
    if (bytes)
        ob_cursor_pack(&in, to, bytes);
    return to + bytes;
}

/* A piece of so many bytes, which a member sent. */
static int unpack(const ob_board *b, int member, const ob_view *piece, const char *from,
                  uint64_t bytes)
{
    ob_cursor out;
    if (bytes != ob_view_bytes(piece))
        return ob_fail_size(b->group->peer[member]->number, bytes, OB_BYTE, piece);
    ob_cursor_open(&out, piece);
    if (bytes)
        ob_cursor_unpack(&out, from, bytes);
    return OB_OK;
}

/* Where a member's note has it; give_back() when done. NULL: in messages. */
static const char *find(const ob_board *b, int member)
{
    const ob_note *note = ob_board_note(b, member);
    return form_of(note) == IN_NOTE ? note->data
           : form_of(note) == LENT  ? ob_board_borrow(b, member, note->name[0])
                                    : NULL;
}

static void give_back(const ob_board *b, int member, const char *at)
{
    if (form_of(ob_board_note(b, member)) == LENT)
        ob_board_give_back(b, (void *)(uintptr_t)at);
}

static bool is_of(const ob_board *b, int member, ob_task task)
{
    return (ob_board_note(b, member)->kind & ~(uint32_t)FORM) == kind_of(task);
}

/* ---------------------------------------------------------------------- scatter */

/* Sizes of all pieces but the own one, which is nobody's, and then these. */
static int give(ob_board *b, const ob_parts *parts)
{
    uint64_t sizes = sizeof(uint64_t) * (size_t)b->size;
    ob_note *note;
    char *to;
    size_t own = ob_part_bytes(parts, b->me);
    int status = begin(b, OB_TASK_SCATTER, sizes + ob_parts_bytes(parts) - own,
                       (unsigned)b->size - 1, &note, &to);
    if (status != OB_OK)
        return status;
    char *at = to ? to + sizes : NULL;
    for (int i = 0; i < b->size && to; i++) {
        uint64_t bytes = i == b->me ? 0 : ob_part_bytes(parts, i);
        memcpy(to + sizeof bytes * (size_t)i, &bytes, sizeof bytes);
        if (bytes)
            at = pack(at, &parts->view[i], bytes);
    }
    ob_board_post(b);
    return to ? OB_OK : ob_parts_straight(b->group, OB_TASK_SCATTER, b->me, parts);
}

static int take(ob_board *b, int root, const ob_parts *parts)
{
    int status = post_nothing(b, OB_TASK_SCATTER);
    if (status == OB_OK)
        status = ob_board_wait(b, root);
    if (status != OB_OK)
        return status;
    if (!is_of(b, root, OB_TASK_SCATTER) || form_of(ob_board_note(b, root)) == NOTHING)
        return ob_board_other_call(b, root, DOES);
    const char *shown = find(b, root), *at = shown;
    if (shown == NULL)
        return ob_parts_straight(b->group, OB_TASK_SCATTER, root, parts);
    uint64_t bytes = 0;
    at += sizeof bytes * (size_t)b->size;
    for (int i = 0; i <= b->me; i++) {
        at += bytes;
        memcpy(&bytes, shown + sizeof bytes * (size_t)i, sizeof bytes);
    }
    status = unpack(b, root, &parts->view[b->me], at, bytes);
    give_back(b, root, shown);
    return status;
}

/* ----------------------------------------------------------------------- gather */

static int bring(ob_board *b, int root, const ob_parts *parts)
{
    ob_note *note;
    char *to;
    const ob_view *mine = &parts->view[b->me];
    size_t bytes = ob_view_bytes(mine);
    int status = begin(b, OB_TASK_GATHER, bytes, 1, &note, &to);
    if (status != OB_OK)
        return status;
    if (to)
        pack(to, mine, bytes);
    ob_board_post(b);
    return to ? OB_OK : ob_parts_straight(b->group, OB_TASK_GATHER, root, parts);
}

/* Takes all pieces, also behind one of another size. */
static int collect(ob_board *b, const ob_parts *parts)
{
    int status = post_nothing(b, OB_TASK_GATHER), worst = OB_OK;
    if (status == OB_OK)
        status = ob_board_wait_all(b);
    for (int k = 1; k < b->size && status == OB_OK; k++) {
        int i = (b->me + k) % b->size, one = OB_OK;
        bool here = is_of(b, i, OB_TASK_GATHER) && form_of(ob_board_note(b, i)) != NOTHING;
        const char *at = here ? find(b, i) : NULL;
        if (!here) {
            one = ob_board_other_call(b, i, DOES);
        } else if (at == NULL) {
            one = ob_message_recv(b->group, i, OB_TAG_COLLECTIVE, &parts->view[i], NULL);
        } else {
            one = unpack(b, i, &parts->view[i], at, ob_board_note(b, i)->bytes);
            give_back(b, i, at);
        }
        worst = one ? one : worst;
    }
    return status ? status : worst;
}

int ob_private_board(ob_group *group, ob_task task, int root, const ob_parts *parts)
{
    ob_board *b;
    int status = ob_board_of(group, &b);
    if (status != OB_OK)
        return status;
    if (task == OB_TASK_SCATTER)
        return group->me == root ? give(b, parts) : take(b, root, parts);
    return group->me == root ? collect(b, parts) : bring(b, root, parts);
}
