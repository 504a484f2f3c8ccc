/*
 * The Open Trace Format 2 (Debian's libotf2-trace-dev), through its own library, where
 * there was one when obtrace was built. An archive is several files; FILE.otf2 names it.
 */
#ifndef OBTRACE_OTF2_H
#define OBTRACE_OTF2_H

#include "trace.h"

/* path: the anchor file, of a name that ends with .otf2. Each event stands there in the
 * form that other programs know, with its record and values as attributes. */
size_t obt_otf2_write(obt_trace *t, const char *path);
void obt_otf2_read(obt_trace *t, const char *path);

/* The numbers of what both sides of this program define in an archive. */
enum {
    OBT_OTF2_RECORD = 0, /* attribute: the kind of event */
    OBT_OTF2_VALUE = 1,  /* attributes: the first value, and those behind it */
    OBT_OTF2_SITE = OBT_OTF2_VALUE + OBT_VALUES, /* attribute: where a block was begun, a text */
};
/* Who made an archive of ours, and what processes say about themselves. */
#define OBT_OTF2_CREATOR "obtrace"
#define OBT_OTF2_BEGAN "began"
#define OBT_OTF2_ENDED "ended"
#define OBT_OTF2_BORN "born"
#define OBT_OTF2_LOST "lost"
#define OBT_OTF2_PROCESSOR "processor time"
#define OBT_OTF2_MACHINE "machine"
#define OBT_OTF2_QUOTA "quota of processors"
#define OBT_OTF2_ALLOWED "processors" /* as a hexadecimal number, the lowest word first */

/* -------------------------- what the process that reads an archive tells the one that asked it to
 */

#define OBT_OTF2_TEXT 1000 /* bytes of a text at most */

/* What comes through the pipe; a text of `bytes` follows. */
typedef enum item_kind { EVENT, PROCESS, PLACES, GROUP, MEMBER, SITE, PROGRAM, PROBLEM } item_kind;

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
