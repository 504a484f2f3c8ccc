/*
 * What programs have built in stays: layouts of the structures that public headers show, and
 * numbers of enumerators. For machines with 64-bit pointers; run.sh compiles this. A line here may
 * be added, not changed.
 */
#include <stddef.h>

#include "openblacs/bsp2d.h"
#include "openblacs/bsp_lu.h"
#include "openblacs/core.h"
#include "openblacs/launch.h"
#include "openblacs/mlacs.h"
#include "openblacs/profile.h"
#include "openblacs/trace.h"

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has another size")
#define AT(type, member, offset)                                                                   \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member " lies elsewhere")
#define NUMBER(name, value) _Static_assert((int)(name) == (value), #name " has another number")

SIZE(ob_view, 48);
AT(ob_view, base, 0);
AT(ob_view, m, 8);
AT(ob_view, n, 16);
AT(ob_view, ld, 24);
AT(ob_view, type, 32);
AT(ob_view, shape, 36);
AT(ob_view, unit_diagonal, 40);
SIZE(ob_received, 24);
AT(ob_received, source, 0);
AT(ob_received, tag, 4);
AT(ob_received, bytes, 8);
AT(ob_received, type, 16);
SIZE(ob_route, 16);
AT(ob_route, topology, 0);
AT(ob_route, branches, 4);
AT(ob_route, repeatable, 8);
AT(ob_route, coherent, 12);
SIZE(ob_operation, 24);
AT(ob_operation, apply, 0);
AT(ob_operation, context, 8);
AT(ob_operation, element_bytes, 16);
SIZE(ob_pieces, 56);
AT(ob_pieces, base, 0);
AT(ob_pieces, type, 8);
AT(ob_pieces, count, 16);
AT(ob_pieces, counts, 24);
AT(ob_pieces, offsets, 32);
AT(ob_pieces, views, 40);
AT(ob_pieces, private_sizes, 48);

SIZE(ob_launch_options, 48);
AT(ob_launch_options, count, 0);
AT(ob_launch_options, bind_cores, 4);
AT(ob_launch_options, owns_children, 8);
AT(ob_launch_options, grace_seconds, 16);
AT(ob_launch_options, heap_bytes, 24);
AT(ob_launch_options, output, 32);
AT(ob_launch_options, context, 40);
SIZE(ob_launch_program, 16);
AT(ob_launch_program, argv, 0);
AT(ob_launch_program, input, 8);
SIZE(ob_launch_event, 20);
AT(ob_launch_event, number, 0);
AT(ob_launch_event, pid, 4);
AT(ob_launch_event, status, 8);
AT(ob_launch_event, signal, 12);
AT(ob_launch_event, core_dumped, 16);

SIZE(MLACS_Status, 32);
AT(MLACS_Status, row, 0);
AT(MLACS_Status, column, 4);
AT(MLACS_Status, rank, 8);
AT(MLACS_Status, tag, 12);
AT(MLACS_Status, type, 16);
AT(MLACS_Status, cancelled, 20);
AT(MLACS_Status, count, 24);
SIZE(MLACS_Request, 16);
SIZE(bsp2d_cost, 32);
AT(bsp2d_cost, sync_seconds, 24);
SIZE(bsp_lu_parts, 80);
AT(bsp_lu_parts, supersteps, 48);
AT(bsp_lu_parts, block, 72);

/* The trace file. */
NUMBER(OB_TRACE_VERSION, 2);
SIZE(ob_trace_header, 64);
SIZE(ob_trace_chunk, 32);
SIZE(ob_trace_process, 224);
SIZE(ob_trace_site, 24);
SIZE(ob_trace_origin, 32);
SIZE(ob_trace_group_head, 24);
SIZE(ob_trace_event, 80);
SIZE(ob_trace_row, 80);
SIZE(ob_trace_sync, 32);
SIZE(ob_trace_places, 136);

NUMBER(OB_OK, 0);
NUMBER(OB_EARG, -1);
NUMBER(OB_ENOMEM, -2);
NUMBER(OB_ESIZE, -3);
NUMBER(OB_EGONE, -4);
NUMBER(OB_ESYSTEM, -5);
NUMBER(OB_ESETTING, -6);
NUMBER(OB_ESTATE, -7);
NUMBER(OB_EREADY, -8);
NUMBER(OB_ANY, -1);
NUMBER(OB_CANCELLED, -2);
NUMBER(OB_INT, 0);
NUMBER(OB_FLOAT, 1);
NUMBER(OB_DOUBLE, 2);
NUMBER(OB_COMPLEX, 3);
NUMBER(OB_DCOMPLEX, 4);
NUMBER(OB_BYTE, 5);
NUMBER(OB_INT64, 6);
NUMBER(OB_GENERAL, 0);
NUMBER(OB_UPPER, 1);
NUMBER(OB_LOWER, 2);
NUMBER(OB_ALONE, 0);
NUMBER(OB_OBRUN, 1);
NUMBER(OB_MPI, 2);
NUMBER(OB_STANDARD, 0);
NUMBER(OB_BUFFERED, 1);
NUMBER(OB_SYNCHRONOUS, 2);
NUMBER(OB_READY, 3);
NUMBER(OB_EXACT, 0);
NUMBER(OB_SHORTER, 1);
NUMBER(OB_TOP_BEST, 0);
NUMBER(OB_TOP_RING_UP, 1);
NUMBER(OB_TOP_RING_DOWN, 2);
NUMBER(OB_TOP_SPLIT_RING, 3);
NUMBER(OB_TOP_MULTIRING, 4);
NUMBER(OB_TOP_HYPERCUBE, 5);
NUMBER(OB_TOP_FULL, 6);
NUMBER(OB_TOP_TREE, 7);
NUMBER(OB_SUM, 0);
NUMBER(OB_MAX_ABS, 1);
NUMBER(OB_MIN_ABS, 2);
NUMBER(OB_MAX, 3);
NUMBER(OB_MIN, 4);
NUMBER(OB_OPERATOR_MAX, 0);
NUMBER(OB_OPERATOR_SUM, 2);
NUMBER(OB_OPERATOR_PRODUCT, 3);
NUMBER(OB_OPERATOR_MIN_PAIR, 11);
NUMBER(OB_OPERATOR_AVERAGE, 12);
NUMBER(OB_KIND_INT8, 0);
NUMBER(OB_KIND_FLOAT, 8);
NUMBER(OB_KIND_LONG_COMPLEX, 13);
NUMBER(OB_KIND_LOGICAL8, 18);
NUMBER(OB_KIND_BYTE, 19);
NUMBER(OB_KIND_2DOUBLE, 27);
NUMBER(OB_KIND_HALF, 28);
NUMBER(OB_KIND_BFLOAT16, 29);
NUMBER(OB_T_C, 0);
NUMBER(OB_T_O, 4);
