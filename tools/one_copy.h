/*
 * Can processes of one launcher read each other's memory here, and how fast is it just now?
 */
#ifndef OB_TOOLS_ONE_COPY_H
#define OB_TOOLS_ONE_COPY_H

/* Starts two processes, and prints a line. */
void print_one_copy(void);

#endif
