#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char text[512];

int ob_fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return status;
}

const char *ob_error_text(void)
{
    return text;
}

const char *ob_type_name(ob_type type)
{
    static const char *const names[OB_TYPES] = {"integer",        "single precision",
                                                "double precision", "single complex",
                                                "double complex", "byte"};
    return (unsigned)type < OB_TYPES ? names[type] : "unknown";
}
