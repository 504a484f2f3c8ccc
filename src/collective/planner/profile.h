/*
 * The machine profile's text form (man/openblacs-profile.5), apart from files:
 * so that a test can hand it any bytes.
 */
#ifndef OB_COLLECTIVE_PLANNER_PROFILE_H
#define OB_COLLECTIVE_PLANNER_PROFILE_H

#include "core/network.h"
#include "hooks/profile.h"

/* A profile is refused beyond this. A written one has about 2000 bytes. */
enum { OB_PROFILE_BYTES = 64 * 1024 };
/* Room that any valid profile's text fits into. */
enum { OB_PROFILE_TEXT = 24 * 1024 };

/* The entries of ob_waiting: name, place and bounds. */
typedef struct ob_waiting_entry {
    const char *name;
    size_t offset;
    double least, most;
} ob_waiting_entry;
enum { OB_WAITING_ENTRIES = 12 };
extern const ob_waiting_entry ob_waiting_entries[OB_WAITING_ENTRIES];

static inline double *ob_waiting_value(ob_waiting *w, int entry)
{
    return (double *)(void *)((char *)w + ob_waiting_entries[entry].offset);
}

/* Writes the text, with the closing zero; the profile has been checked. */
size_t ob_profile_format(const ob_profile *profile, char text[OB_PROFILE_TEXT]);
/* Reads bytes that anybody may have written. On OB_EARG *profile is unchanged
 * and the error text says in which line what is wrong. */
int ob_profile_parse(const char *bytes, size_t count, ob_profile *profile);

/* What the members of a group plan from, who must all choose alike: the profile that
 * OPENBLACS_PROFILE names, else the built-in one, never a machine's own file. */
const ob_profile *ob_profile_common(void);
/* The same for members on several nodes; the built-in one is of a fast network then. */
const ob_profile *ob_profile_between_nodes(void);
/* What members plan from who have measured the network between their nodes. */
void ob_profile_of_network(const ob_network *network, ob_profile *profile);

#endif
