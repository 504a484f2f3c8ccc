/*
 * The table of the building blocks.
 */
#include "collective/scheme/form.h"

#define HOW(NAME, name) extern const ob_how_row ob_how_##name;
OB_HOW_LIST(HOW)
#undef HOW
#define HOW(NAME, name) &ob_how_##name,
const ob_how_row *const ob_hows[OB_HOWS] = {OB_HOW_LIST(HOW)};
#undef HOW

bool ob_form_exists(ob_act act, ob_how how)
{
    return (unsigned)act < OB_ACTS && (unsigned)how < OB_HOWS && (ob_hows[how]->acts >> act & 1);
}

int ob_stage_fine(const ob_stage *t)
{
    const ob_how_row *b = ob_hows[t->how];
    return (b->fine ? b->fine : 1) * (b->detail == OB_DETAIL_SEGMENTS ? t->detail : 1);
}

int ob_stage_blocks(const ob_stage *t)
{
    bool whole =
        t->act == OB_ACT_BROADCAST || t->act == OB_ACT_COMBINE || t->act == OB_ACT_EXCHANGE;
    return ob_stage_fine(t) * (whole ? 1 : t->count);
}

void ob_form_moves(ob_act act, ob_how how, const ob_line *line, ob_moves *moves)
{
    if (line->q > 1)
        ob_hows[how]->moves(act, line, moves);
}
