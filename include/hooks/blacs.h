/*
 * For an interface that stands on the BLACS' with other names and no contexts (libblacs94).
 */
#ifndef OPENBLACS_HOOKS_BLACS_H
#define OPENBLACS_HOOKS_BLACS_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on lines, traces and checks of this process call a routine what name(its name here)
 * gives, to be kept by address, and number its arguments by argument(that name, the number here).
 */
OB_API void ob_blacs_called(const char *(*name)(const char *routine),
                            int (*argument)(const char *routine, int number));

#ifdef __cplusplus
}
#endif
#endif
