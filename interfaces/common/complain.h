/*
 * An error line of a tool: "TOOL: TEXT [CODE]" on standard error. The code is where ob_error_code
 * finds it, as in the library's lines: at the beginning of the format, or at the end of what it
 * quotes.
 */
#ifndef OB_COMMON_COMPLAIN_H
#define OB_COMMON_COMPLAIN_H

#include <stdarg.h>
#include <stdio.h>

#include "hooks/error.h"

enum { OB_COMPLAINT = 3 * 4096 }; /* two paths of PATH_MAX, and words */

__attribute__((format(printf, 2, 0))) static inline void
ob_complain(const char *tool, const char *format, va_list args)
{
    char text[OB_COMPLAINT], code[OB_CODE_BYTES];
    vsnprintf(text, sizeof text, format, args);
    ob_error_code(text, code);
    fprintf(stderr, "%s: %s%s\n", tool, text, code);
}

#endif
