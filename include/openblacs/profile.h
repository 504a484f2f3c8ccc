/*
 * OpenBLACS machine profiles: how long messages and local work take on a machine, as
 * obbench has measured it (LAWN 73, 3.3; man openblacs-profile). Nothing here communicates.
 *
 * Times are microseconds, lengths are bytes. Errors and threads are as in core.h;
 * ob_job_start need not have been called. A profile is seen through functions alone, so
 * that later versions may know more of a machine.
 */
#ifndef OPENBLACS_PROFILE_H
#define OPENBLACS_PROFILE_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_profile ob_profile;

/* The times that a profile knows as functions of the length (LAWN 73, table 1). */
typedef enum ob_quantity {
    OB_T_C = 0, /* from the start of a send until a waiting receiver has returned */
    OB_T_S,     /* to post a send that nobody waits for */
    OB_T_R,     /* to receive a message that is already there */
    OB_T_M,     /* to copy a buffer */
    OB_T_O,     /* to add one vector of double to another */
    OB_QUANTITIES
} ob_quantity;

/* The profile of this process, read once: the file that ob_profile_path names, or a built-in
 * one for a present-day server. A file that is damaged or of another version is named on standard
 * error and ignored; so is one that OPENBLACS_PROFILE names and that is not there. Valid for ever.
 */
OB_API const ob_profile *ob_profile_current(void);
/* Reads a profile; ob_profile_close gives it back. OB_ESYSTEM: no file that can be read;
 * OB_EARG: it is damaged or of another version; OB_ENOMEM. */
OB_API int ob_profile_open(const char *path, ob_profile **profile);
/* NULL is fine. */
OB_API void ob_profile_close(ob_profile *profile);
/* Where this machine's profile is looked for: OPENBLACS_PROFILE, else
 * $XDG_CACHE_HOME/openblacs/HOST.profile, else ~/.cache/openblacs/HOST.profile.
 * Returns the length, 0 when there is no such place or it does not fit into `room` bytes. */
OB_API size_t ob_profile_path(char *path, size_t room);

/* The time of so many bytes; never negative. -1 for no such quantity. */
OB_API double ob_profile_time(const ob_profile *profile, ob_quantity quantity, size_t bytes);
/* 1: measured on a machine; 0: built-in. */
OB_API int ob_profile_measured(const ob_profile *profile);
/* Name of the machine, "builtin" for the built-in one. It lives as long as the profile. */
OB_API const char *ob_profile_host(const ob_profile *profile);
/* Parameters of the BSP model: how many processes they were measured with, which is returned, 0
 * when they were not; then *s is flop/us, *g us for one double sent or received, *l us for a
 * superstep. */
OB_API int ob_profile_bsp(const ob_profile *profile, double *s, double *g, double *l);
/* "T_c" and so on; NULL for none. */
OB_API const char *ob_quantity_name(ob_quantity quantity);

#ifdef __cplusplus
}
#endif
#endif
