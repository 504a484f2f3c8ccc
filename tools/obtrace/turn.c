/*
 * The library's own files from a machine with another byte order: all their numbers are turned, and
 * the file is then read as any other. What stands in a chunk says include/openblacs/trace.h.
 */
#include <string.h>

#include "formats.h"
#include "openblacs/trace.h"

static uint32_t turned(uint32_t x)
{
    return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
}

static void turn(char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes / 2; i++) {
        char c = at[i];
        at[i] = at[bytes - 1 - i];
        at[bytes - 1 - i] = c;
    }
}

/* The numbers of one entry, by their bytes, in order; 1: a byte, or what is a text. The last one is
 * repeated up to the entry's end. */
typedef struct layout {
    size_t bytes;
    const char *sizes;
} layout;

static const layout header = {sizeof(ob_trace_header), "11111111448444444"};
static const layout head = {sizeof(ob_trace_chunk), "444488"};
static const layout process = {sizeof(ob_trace_process), "888888888844441"};
static const layout places = {sizeof(ob_trace_places), "448"};
static const layout site = {sizeof(ob_trace_site), "8844"};
static const layout origin = {sizeof(ob_trace_origin), "884"};
static const layout event = {sizeof(ob_trace_event), "88888844444421"};
static const layout row = {sizeof(ob_trace_row), "448"};
static const layout sync = {sizeof(ob_trace_sync), "8884"};

static void turn_entry(char *at, const layout *l)
{
    const char *size = l->sizes;
    for (size_t done = 0; done < l->bytes;) {
        size_t bytes = (size_t)(*size - '0');
        turn(at + done, bytes);
        done += bytes;
        size += size[1] != 0;
    }
}

/* Whole entries; of a damaged chunk, those that are there. */
static void turn_entries(char *at, size_t bytes, const layout *l)
{
    for (; bytes >= l->bytes; at += l->bytes, bytes -= l->bytes)
        turn_entry(at, l);
}

/* A head, its members, and what fills them up to 8 bytes. */
static void turn_groups(char *at, size_t bytes)
{
    static const layout group = {sizeof(ob_trace_group_head), "84"};
    static const layout member = {4, "4"};
    while (bytes >= group.bytes) {
        ob_trace_group_head g;
        turn_entry(at, &group);
        memcpy(&g, at, sizeof g);
        at += sizeof g, bytes -= sizeof g;
        if (g.size < 0 || (size_t)g.size > bytes / 4)
            return;
        size_t members = ((size_t)g.size * 4 + 7) / 8 * 8;
        members = members < bytes ? members : bytes;
        turn_entries(at, members, &member);
        at += members, bytes -= members;
    }
}

static void turn_payload(uint32_t kind, char *at, size_t bytes)
{
    switch (kind) {
    case OB_TRACE_JOINED:
    case OB_TRACE_PROCESS: turn_entries(at, bytes, &process); break;
    case OB_TRACE_PLACES: turn_entries(at, bytes, &places); break;
    case OB_TRACE_SITES: turn_entries(at, bytes, &site); break;
    case OB_TRACE_ORIGINS: turn_entries(at, bytes, &origin); break;
    case OB_TRACE_GROUPS: turn_groups(at, bytes); break;
    case OB_TRACE_EVENTS: turn_entries(at, bytes, &event); break;
    case OB_TRACE_STATS: turn_entries(at, bytes, &row); break;
    case OB_TRACE_SYNC: turn_entries(at, bytes, &sync); break;
    default: break; /* texts; kinds that are not known are skipped */
    }
}

bool obt_native_other_order(const char *text, size_t length)
{
    ob_trace_header h;
    if (length < sizeof h)
        return false;
    memcpy(&h, text, sizeof h);
    return h.order == turned(OB_TRACE_ORDER);
}

/* Chunks begin at multiples of 8, also behind a damaged one. */
void obt_native_turn(char *text, size_t length)
{
    size_t at = header.bytes;
    turn_entry(text, &header);
    while (at + head.bytes <= length) {
        ob_trace_chunk c;
        memcpy(&c, text + at, sizeof c);
        if (c.magic != turned(OB_TRACE_CHUNK_MAGIC)) {
            at += 8;
            continue;
        }
        turn_entry(text + at, &head);
        memcpy(&c, text + at, sizeof c);
        at += sizeof c;
        size_t bytes = c.bytes < length - at ? (size_t)c.bytes : length - at;
        turn_payload(c.kind, text + at, bytes);
        at += (bytes + 7) / 8 * 8;
    }
}
