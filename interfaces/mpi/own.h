/*
 * The MPI library's own functions, found by name in the libraries behind this one.
 */
#ifndef OB_MPI_OWN_H
#define OB_MPI_OWN_H

#include <stdatomic.h>
#include <string.h>

#include "shim.h"

/* The function of that name; ends the job when there is none. */
void *shim_find(const char *name);

/* The library's function of this name; looked up once, by whoever comes first: all find
 * the same, so the order is relaxed. ISO C has no cast from an object's address to a function's. */
#define OWN(name, type)                                                                            \
    ({                                                                                             \
        static _Atomic(void *) found;                                                              \
        void *here = atomic_load_explicit(&found, memory_order_relaxed);                           \
        if (here == NULL) {                                                                        \
            here = shim_find("P" #name);                                                           \
            atomic_store_explicit(&found, here, memory_order_relaxed);                             \
        }                                                                                          \
        type *function;                                                                            \
        memcpy(&function, &here, sizeof function);                                                 \
        function;                                                                                  \
    })

#endif
