/*
 * Messages: send0, recv0 and what asks about them, those inside high-level calls, and sync0.
 */
#include <stdio.h>

#include "picl.h"

/* ------------------------------------------------------------------- checks */

static void check_type(const char *routine, int type, int argument, int least)
{
    if (picl_own.checking && (type < least || type >= PICL_TYPES))
        picl_fault(routine, "OB-1022 argument %d (type) is %d, must be %d .. %d", argument, type,
                   least, PICL_TYPES - 1);
}

static void check_buffer(const char *routine, const void *buf, int bytes)
{
    if (bytes < 0)
        picl_fault(routine, "OB-1003 argument 2 (bytes) is %d, must be at least 0", bytes);
    if (buf == NULL && bytes)
        picl_fault(routine, "OB-1002 argument 1 (buf) is NULL, but argument 2 (bytes) is %d",
                   bytes);
}

static void check_dest(int dest)
{
    if (dest == PICL_HOST ? picl_own.host : dest < PICL_ALL || dest >= picl_own.nodes)
        picl_fault("send0", "OB-1009 argument 4 (dest) is %d, must be -1 .. %d%s", dest,
                   picl_own.nodes - 1, picl_own.host ? "" : ", or the host, -32768");
}

/* ---------------------------------------------------------------- the calls */

static void note_received(const ob_received *got)
{
    picl_own.bytes = (int)got->bytes;
    picl_own.type = got->tag;
    picl_own.source = picl_number(got->source);
    picl_count_received(1, (int64_t)got->bytes);
}

static void send_to_all(const char *buf, int bytes, int type)
{
    for (int n = 0; n < picl_own.nodes; n++)
        if (n != picl_own.me)
            picl_put("send0", picl_own.world, picl_position(n), type, buf, (size_t)bytes);
}

void picl_send_message(const char *routine, const char *buf, int bytes, int type, int dest)
{
    int level = picl_message_level(), count = 1;
    picl_idle_begin();
    if (dest == PICL_ALL) {
        send_to_all(buf, bytes, type);
        count = picl_own.host ? picl_own.nodes : picl_own.nodes - 1;
    } else {
        picl_put(routine, picl_own.world, picl_position(dest), type, buf, (size_t)bytes);
    }
    picl_count_sent(count, (int64_t)count * bytes);
    picl_idle_end(level, level, PICL_SEND, 3, (int64_t)dest, (int64_t)type, (int64_t)bytes);
}

void send0(char *buf, int bytes, int type, int dest)
{
    OB_TRACE_ROUTINE("send0");
    picl_need_open("send0");
    check_buffer("send0", buf, bytes);
    check_type("send0", type, 3, 0);
    if (picl_own.checking)
        check_dest(dest);
    picl_send_message("send0", buf, bytes, type, dest);
}

/* The begin of a receive. When that is recorded: is the message not there at once? */
static int must_wait(const char *routine, ob_group *group, int position, int tag)
{
    int there = 1;
    picl_idle_begin();
    if (group == NULL || !picl_records(picl_message_level()))
        return 0;
    picl_check(routine, ob_iprobe(group, position, tag, &there, NULL));
    if (there)
        picl_idle_begin(); /* not before it was sent */
    return !there;
}

void recv0(char *buf, int bytes, int type)
{
    ob_received got;
    OB_TRACE_ROUTINE("recv0");
    picl_need_open("recv0");
    check_buffer("recv0", buf, bytes);
    check_type("recv0", type, 3, PICL_ANY_TYPE);
    int level = picl_message_level(), tag = type < 0 ? OB_ANY : type;
    int waited = must_wait("recv0", picl_own.world, OB_ANY, tag);
    picl_get("recv0", picl_own.world, OB_ANY, tag, buf, (size_t)bytes, &got);
    note_received(&got);
    picl_receive_end(level, waited, type);
}

int probe0(int type)
{
    ob_received got;
    int there = 0;
    OB_TRACE_ROUTINE("probe0");
    picl_need_open("probe0");
    check_type("probe0", type, 1, PICL_ANY_TYPE);
    picl_count_probe();
    picl_attend("probe0", 0);
    if (picl_own.world)
        picl_check("probe0",
                   ob_iprobe(picl_own.world, OB_ANY, type < 0 ? OB_ANY : type, &there, &got));
    if (there) {
        picl_own.bytes = (int)got.bytes;
        picl_own.type = got.tag;
        picl_own.source = picl_number(got.source);
    }
    return there;
}

void recvinfo0(int *bytes, int *type, int *source)
{
    picl_need_open("recvinfo0");
    if (bytes == NULL || type == NULL || source == NULL)
        picl_fault("recvinfo0", "OB-1001 an argument is NULL");
    if (picl_own.type < 0)
        picl_fault("recvinfo0", "OB-7016 no message has been received or found yet");
    *bytes = picl_own.bytes;
    *type = picl_own.type;
    *source = picl_own.source;
}

/* What a node prints arrives at the host's output by way of its launcher. That is one message
 * with the line and its ending zero, as in Oak Ridge's own library. */
void message0(char *message)
{
    char line[PICL_TEXT_MOST + 2];
    int node = picl_is_node();
    if (message == NULL)
        picl_fault("message0", "OB-1001 argument 1 (message) is NULL");
    if (node)
        picl_need_open("message0");
    if (node)
        picl_idle_begin();
    int length = snprintf(line, sizeof line, "%.*s\n", PICL_TEXT_MOST, message);
    picl_print(line);
    if (node) {
        picl_count_sent(1, length + 1);
        picl_idle_end(2, 2, PICL_MESSAGE, 0);
    } else {
        picl_event(2, PICL_MESSAGE, 0);
    }
}

/* --------------------------------------------------- parts of high-level calls */

void picl_send_part(const char *routine, const void *data, int bytes, int type, int dest,
                    ob_type element)
{
    int level = picl_message_level();
    picl_idle_begin();
    picl_put_as(routine, picl_own.inner, picl_position(dest), type, data, (size_t)bytes, element);
    picl_count_sent(1, bytes);
    picl_idle_end(level, level, PICL_SEND, 3, (int64_t)dest, (int64_t)type, (int64_t)bytes);
}

static const char *element_name(ob_type element)
{
    return element == OB_INT      ? "int"
           : element == OB_FLOAT  ? "float"
           : element == OB_DOUBLE ? "double"
                                  : "of another type";
}

/* Calls come in one order at all nodes, so what comes next from a source belongs to this
 * call; a message of another type shows that the other one makes another call. */
int picl_recv_part(const char *routine, void *data, int bytes, int type, int source,
                   ob_type element)
{
    ob_received got;
    int level = picl_message_level(), position = picl_position(source);
    int waited = must_wait(routine, picl_own.inner, position, OB_ANY);
    picl_get(routine, picl_own.inner, position, OB_ANY, data, (size_t)bytes, &got);
    if (got.tag != type)
        picl_fault(routine,
                   "OB-7009 waits for a message of type %d from processor %d, which is in a call "
                   "with type %d: all must make the same calls with the same types",
                   type, source, got.tag);
    if (got.bytes && got.type != element)
        picl_fault(routine, "OB-7009 its data are %s, those of processor %d %s",
                   element_name(element), source, element_name(got.type));
    note_received(&got);
    picl_receive_end(level, waited, type);
    return (int)got.bytes;
}

void sync0(void)
{
    OB_TRACE_ROUTINE("sync0");
    picl_need_open("sync0");
    if (picl_own.host)
        picl_fault("sync0", "OB-7005 only nodes may call it");
    picl_idle_begin();
    picl_meet("sync0", PICL_SYNCING, picl_own.nodes);
    /* Oak Ridge's counts a byte for each of its messages. */
    int rounds = picl_meet_rounds(picl_own.nodes);
    picl_count_sent(rounds, rounds);
    picl_count_received(rounds, rounds);
    picl_idle_end(2, 2, PICL_SYNC, 0);
}
