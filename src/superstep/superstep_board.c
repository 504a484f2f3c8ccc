/*
 * A superstep among the members of one node: one round of the board, or a collect in tiers. Each
 * member says where its chunks for each other one are, in memory it has lent; they are
 * read there.
 */
#include "collective/levels/tiers.h"
#include "superstep/internal.h"

/* No other round's kind (barrier_board.c has the one above). */
#define KIND (UINT32_MAX - 1)

/* Among the flags: the member has something for others. No caller's flag (ob_tally). */
enum { SENT = 1 << 4 };

/* What stands in a note: two words, and the entries of a small group. */
typedef struct saying {
    uint64_t flags, claim;
    ob_entry entry[];
} saying;

enum { INLINE = (OB_NOTE_INLINE - sizeof(saying)) / sizeof(ob_entry) };

static uint64_t fill(ob_superstep *x, ob_entry *entry)
{
    uint64_t all = 0;
    for (int d = 0; d < x->size; d++) {
        uint64_t bytes = d == x->me ? 0 : ob_outbox_close(x, d);
        entry[d] = (ob_entry){bytes ? x->out[x->turn][d].piece[0].name : 0, bytes};
        all += bytes;
    }
    return all;
}

/* What the caller says, who has so many bytes for others. */
static unsigned said(ob_tally *tally, uint64_t bytes)
{
    tally->sent = bytes;
    tally->flags |= bytes ? SENT : 0;
    return tally->flags;
}

/* What a member says, and its entries (NULL: it has nothing for anybody). */
static void hear(ob_superstep *x, int member, uint64_t flags, bool agrees, const ob_entry *e,
                 ob_tally *tally)
{
    ob_inbox *in = &x->in[member];
    in->first = NULL;
    tally->flags |= (unsigned)flags;
    tally->agreed &= agrees;
    if (e && e[x->me].bytes)
        in->first = ob_board_read(x->group, member, e[x->me].name, e[x->me].bytes);
}

static int look(ob_superstep *x, int member, ob_tally *tally, uint32_t claim)
{
    const ob_note *note = ob_board_note(x->board, member);
    const saying *s = (const saying *)note->data;
    const ob_entry *e = NULL;
    if (note->kind != KIND)
        return ob_board_mixed(x->group, x->me, member);
    if (note->bytes)
        e = x->size <= INLINE ? s->entry : ob_group_borrow(x->group, member, note->name[0]);
    hear(x, member, s->flags, s->claim == claim, e, tally);
    return OB_OK;
}

static int on_board(ob_superstep *x, ob_tally *tally)
{
    ob_note *note;
    int status = ob_board_begin(x->board, &note);
    if (status != OB_OK)
        return status;
    saying *s = (saying *)note->data;
    note->kind = KIND;
    note->name[0] = x->table_name[x->turn];
    s->claim = tally->claim;
    note->bytes = fill(x, x->size <= INLINE ? s->entry : x->table[x->turn]);
    s->flags = said(tally, note->bytes);
    ob_board_post(x->board);
    status = ob_board_wait_all(x->board);
    for (int i = 0; status == OB_OK && i < x->size; i++)
        if (i != x->me)
            status = look(x, i, tally, tally->claim);
    return status;
}

/* Where no line is to be read by all: who says what is collected in tiers, and a table's line has
 * the entries of four. */
static int in_tiers(ob_superstep *x, ob_tally *tally)
{
    const int *slot = x->tiers->slot;
    ob_word *all = x->word;
    uint64_t bytes = fill(x, x->table[x->turn]);
    all[slot[x->me]] = (ob_word){(uint64_t)tally->claim << 32 | said(tally, bytes),
                                 bytes ? x->table_name[x->turn] : 0};
    int status =
        ob_tiers_bring_equal(x->tiers, OB_ANY, OB_PARTS_SUPERSTEP, (char *)all, sizeof *all);
    for (int i = 0; status == OB_OK && i < x->size; i++) {
        const ob_word *w = &all[slot[i]];
        if (i != x->me)
            hear(x, i, w->said & UINT32_MAX, w->said >> 32 == tally->claim,
                 w->table ? ob_group_borrow(x->group, i, w->table) : NULL, tally);
    }
    return status;
}

int ob_superstep_shared(ob_superstep *x, ob_tally *tally)
{
    int status = x->tiers ? in_tiers(x, tally) : on_board(x, tally);
    x->quiet = !(tally->flags & SENT);
    tally->flags &= ~(unsigned)SENT;
    return status;
}
