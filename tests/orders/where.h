/* Places in the program's text by name (addr2line, of the binutils). */
#ifndef OB_ORDERS_WHERE_H
#define OB_ORDERS_WHERE_H

typedef struct where {
    char file[60], function[80];
    int line;
} where;

/* Return addresses, all with one run of addr2line. */
void where_learn(const void *const *places, int number);
const where *where_of(const void *place);

#endif
