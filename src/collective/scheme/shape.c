/*
 * Lists of moves, and which shape is whose.
 */
#include "collective/scheme/shape.h"

int ob_log2_ceil(int q)
{
    int k = 0;
    while (k < 31 && (1LL << k) < q)
        k++;
    return k;
}

bool ob_shape_exists(ob_act act, ob_how how)
{
    static const unsigned hows[OB_ACTS] = {
        [OB_ACT_BROADCAST] =
            1u << OB_HOW_TREE | 1u << OB_HOW_POSTAL | 1u << OB_HOW_CHAIN | 1u << OB_HOW_DOUBLE,
        [OB_ACT_COMBINE] =
            1u << OB_HOW_TREE | 1u << OB_HOW_POSTAL | 1u << OB_HOW_CHAIN | 1u << OB_HOW_DOUBLE,
        [OB_ACT_SCATTER] = 1u << OB_HOW_TREE | 1u << OB_HOW_POSTAL | 1u << OB_HOW_FLAT,
        [OB_ACT_GATHER] = 1u << OB_HOW_TREE | 1u << OB_HOW_POSTAL | 1u << OB_HOW_FLAT,
        [OB_ACT_COLLECT] =
            1u << OB_HOW_BUCKET | 1u << OB_HOW_HALVING | 1u << OB_HOW_BRUCK | 1u << OB_HOW_BOTH,
        [OB_ACT_DISTRIBUTE] = 1u << OB_HOW_BUCKET | 1u << OB_HOW_HALVING | 1u << OB_HOW_BOTH,
        [OB_ACT_EXCHANGE] = 1u << OB_HOW_HALVING,
    };
    return (unsigned)act < OB_ACTS && (unsigned)how < OB_HOWS && (hows[act] >> how & 1);
}

int ob_shape_blocks(ob_act act, ob_how how, const ob_line *line)
{
    if (how == OB_HOW_CHAIN)
        return line->segments;
    if (how == OB_HOW_DOUBLE)
        return 2 * line->segments;
    if (act == OB_ACT_BROADCAST || act == OB_ACT_COMBINE || act == OB_ACT_EXCHANGE)
        return 1;
    return how == OB_HOW_BOTH ? 2 * line->q : line->q;
}

void ob_shape_moves(ob_act act, ob_how how, const ob_line *line, ob_moves *moves)
{
    if (line->q < 2)
        return;
    switch (how) {
    case OB_HOW_BUCKET: ob_shape_bucket(act, line, moves); break;
    case OB_HOW_BOTH: ob_shape_both(act, line, moves); break;
    case OB_HOW_HALVING: ob_shape_halving(act, line, moves); break;
    case OB_HOW_BRUCK: ob_shape_bruck(line, moves); break;
    case OB_HOW_CHAIN: ob_shape_chain(act, line, moves); break;
    case OB_HOW_FLAT: ob_shape_flat(act, line, moves); break;
    case OB_HOW_DOUBLE: ob_shape_double(act, line, moves); break;
    default: ob_shape_tree(act, how, line, moves);
    }
}
