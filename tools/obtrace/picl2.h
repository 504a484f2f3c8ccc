/*
 * PICL's later trace format (Worley, "A new PICL trace file format", ORNL/TM-12125, 1992): numbers
 * of records and of events, for its reader and its writer. The report itself was not at hand; the
 * numbers are those of MPICL's description of them, and the fields those that programs write for
 * ParaGraph.
 *
 * A line is: record, event, seconds, processor, process on it, number of fields, and if there are
 * fields what they are (2: integers, or a format as of printf in quotes) and the fields.
 */
#ifndef OBTRACE_PICL2_H
#define OBTRACE_PICL2_H

/* Records. */
enum { OBT_P2_MARK = -2, OBT_P2_ENTRY = -3, OBT_P2_EXIT = -4, OBT_P2_LABEL = -5 };

/* Events; from 0 on they are the program's own. */
enum {
    OBT_P2_OPEN = -11,
    OBT_P2_CLOSE = -12,
    OBT_P2_SEND = -21, /* in: length, type, destination, its process */
    OBT_P2_RECV = -51, /* not blocked. In: type, source; out: length, type, source, its process */
    OBT_P2_RECV_BLOCKED = -52,
    OBT_P2_PROBE = -53,
    OBT_P2_BARRIER = -402, /* in: subset, -1 all */
    OBT_P2_LOAD = -503,
    OBT_P2_IDLE = -601,
    OBT_P2_BCAST = -785, /* in: length, root, subset */
    OBT_P2_TRACE = -901, /* tracing begins and ends */
    OBT_P2_LEVEL = -904,
    OBT_P2_TEXT = -911, /* in: length, words */
    OBT_P2_FLUSH = -912,
    OBT_P2_FULL = -913
};

#endif
