/*
 * What the process that reads an archive tells the one that asked it to.
 */
#ifndef OBTRACE_OTF2_ITEM_H
#define OBTRACE_OTF2_ITEM_H

#include "trace.h"

#define OBT_OTF2_TEXT 1000 /* bytes of a text at most */

/* What comes through the pipe; a text of `bytes` follows. */
typedef enum item_kind { EVENT, PROCESS, GROUP, MEMBER, SITE, PROGRAM, PROBLEM } item_kind;

typedef struct item {
    int32_t what;
    int32_t process;
    uint32_t kind, count; /* of an event and its values */
    int64_t time, values[OBT_VALUES];
    uint32_t bytes;
} item;

/* Reads the archive and writes what is in it. False: not all could be written. */
bool obt_otf2_send(FILE *out, const char *path);

#endif
