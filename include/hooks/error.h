/*
 * The code of an error line: OB-1016. docs/errors.md explains each one.
 *
 * In the source it stands at the beginning of a line's format, or in brackets at its end. Users
 * see it at the end, behind all that is added to the line on its way.
 */
#ifndef OPENBLACS_HOOKS_ERROR_H
#define OPENBLACS_HOOKS_ERROR_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OB_CODE_BYTES = 11 }; /* " [OB-1016]" */

/* Takes the codes out of a line, and gives the first: " [OB-1016]", or "" where there is none. A
 * line that quotes another one so has its own code, and without one that of the other. Returns
 * code, of OB_CODE_BYTES. */
OB_API const char *ob_error_code(char *line, char *code);

#ifdef __cplusplus
}
#endif
#endif
