/*
 * Where the library and its modules lie.
 */
#ifndef OB_TOOLS_WHERE_H
#define OB_TOOLS_WHERE_H

/* Prints two lines. */
void print_where(void);

#endif
