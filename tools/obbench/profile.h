/*
 * From measured points to this machine's profile.
 */
#ifndef OBBENCH_PROFILE_H
#define OBBENCH_PROFILE_H

#include "files.h"
#include "job.h"

/* Fits lines to the results, and writes the profile where the files say so; ends the program where
 * something that it needs was not measured. What waiting costs is sought for so many seconds at
 * most (0: until it is found). */
void obb_make_profile(const obb_files *files, const obb_results *r, double seconds, ob_profile *p);

#endif
