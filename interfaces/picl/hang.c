/*
 * Processors that wait for each other. Nodes say what they wait for, and how often they
 * have looked in vain; the host, while it waits itself, looks at that. When all wait and
 * each one has looked again since, nobody can send any more: what was sent before has
 * arrived by then, since a send needs its sender no longer than it lasts.
 */
#include <stdio.h>

#include "picl.h"

static const double BETWEEN_LOOKS = 0.2; /* seconds */
enum { SHOWN = 8 };                      /* nodes in the error's line */

/* Kind of group in bits 62 and 61, position + 1 (any: 0) from 32 on, tag + 1; bit 60: not 0. */
uint64_t picl_what(const ob_group *group, int position, int tag)
{
    uint64_t kind = group == picl_own.inner ? 1 : group == picl_own.control ? 2 : 0;
    return kind << 61 | UINT64_C(1) << 60 | (uint64_t)(uint32_t)(position + 1) << 32 |
           (uint32_t)(tag + 1);
}

static int number_of_node(int n)
{
    return ob_group_number(picl_own.world, picl_position(n));
}

/* Does the node count: can it still send? */
static int is_there(int n, const ob_wait_note *w)
{
    const struct picl_node *node = &picl_own.node[n];
    return w->what != OB_WAITING_LEFT && !node->ended && (!picl_own.launch || node->loaded);
}

int picl_sees_nodes(void)
{
    ob_wait_note w;
    for (int n = 0; n < picl_own.nodes; n++)
        if (ob_job_waiting(picl_own.job, number_of_node(n), &w) != OB_OK)
            return 0;
    return 1;
}

/* 1 when all nodes wait, and there is one; *moved: not all in the same calls as when they
 * were seen; *again: all have looked since. */
static int all_wait(int *moved, int *again)
{
    int count = 0;
    *moved = 0;
    *again = 1;
    for (int n = 0; n < picl_own.nodes; n++) {
        ob_wait_note w, *seen = &picl_own.node[n].seen;
        if (ob_job_waiting(picl_own.job, number_of_node(n), &w) != OB_OK)
            return 0;
        if (!is_there(n, &w))
            continue;
        if (w.what == 0)
            return 0;
        count++;
        *moved |= w.turn != seen->turn;
        *again = *again && w.naps - seen->naps >= 2;
    }
    return count > 0;
}

static void remember(void)
{
    for (int n = 0; n < picl_own.nodes; n++)
        if (ob_job_waiting(picl_own.job, number_of_node(n), &picl_own.node[n].seen) != OB_OK)
            return;
}

void picl_suspect(picl_suspicion *s)
{
    double now = ob_time();
    int moved, again;
    if (now < s->next || picl_own.world == NULL)
        return;
    s->next = now + BETWEEN_LOOKS;
    int wait = all_wait(&moved, &again);
    s->certain = wait && s->armed && !moved && again;
    /* Whoever has moved may have sent something that another has not seen yet. */
    if (wait && (!s->armed || moved))
        remember();
    s->armed = wait;
}

/* -------------------------------------------------------------------- the line */

static void name(char *text, size_t size, int position)
{
    if (position < 0)
        snprintf(text, size, "anybody");
    else if (position == 0)
        snprintf(text, size, "the host");
    else
        snprintf(text, size, "node %d", position - 1);
}

static void describe(char *text, size_t size, uint64_t what)
{
    char who[32];
    int kind = (int)(what >> 61 & 3), tag = (int)(uint32_t)what - 1;
    name(who, sizeof who, (int)(what >> 32 & 0x0fffffff) - 1);
    if (kind == 2)
        snprintf(text, size, "in close0 for %s", who);
    else if (kind == 1)
        snprintf(text, size, "in a global operation for %s", who);
    else if (tag < 0)
        snprintf(text, size, "for a message of any type from %s", who);
    else
        snprintf(text, size, "for a message of type %d from %s", tag, who);
}

_Noreturn void picl_hang(const char *routine, uint64_t host)
{
    char line[900] = "", one[96];
    int shown = 0, more = 0;
    describe(one, sizeof one, host);
    int length = snprintf(line, sizeof line, "the host waits %s", one);
    for (int n = 0; n < picl_own.nodes; n++) {
        const ob_wait_note *w = &picl_own.node[n].seen;
        if (!is_there(n, w))
            continue;
        more += shown == SHOWN;
        if (shown == SHOWN)
            continue;
        shown++;
        describe(one, sizeof one, w->what);
        length += snprintf(line + length, sizeof line - (size_t)length, ", node %d %s", n, one);
    }
    if (more)
        snprintf(line + length, sizeof line - (size_t)length, ", and %d more nodes wait", more);
    picl_fault(routine, "OB-7008 all processors wait for each other: %s", line);
}
