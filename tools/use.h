/*
 * obinfo --use: on whose BLACS the ScaLAPACK programs of this system run.
 */
#ifndef TOOLS_USE_H
#define TOOLS_USE_H

#include <limits.h>

/* "openblacs": on this program's libopenblacs; "system": on their own again. An exit status: 0; 1
 * with a line; 2 for another word. */
int use_blacs(const char *word);

/* Says so where they run on libopenblacs; else which ScaLAPACK has a BLACS of its own, and how to
 * change that. */
void print_use(void);

/* The file of the library that this program runs with, by its soname. 0: there is none, the library
 * is inside this program. */
int find_library(char path[PATH_MAX]);

#endif
