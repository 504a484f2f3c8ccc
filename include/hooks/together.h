/*
 * For interfaces whose calls cannot be put together (openblacs/together.h).
 */
#ifndef OPENBLACS_HOOKS_TOGETHER_H
#define OPENBLACS_HOOKS_TOGETHER_H

#include "openblacs/api.h"

/* Are the calling thread's calls put together now? */
OB_API int ob_together_is_open(void);

#endif
