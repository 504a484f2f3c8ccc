/*
 * obinfo --use: on whose BLACS the ScaLAPACK programs of this system run.
 */
#ifndef TOOLS_USE_H
#define TOOLS_USE_H

/* "openblacs": on this program's libopenblacs; "system": on their own again. An exit status: 0; 1
 * with a line; 2 for another word. */
int use_blacs(const char *word);

/* Says so where they run on libopenblacs. */
void print_use(void);

#endif
