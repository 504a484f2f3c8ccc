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

int ob_fail_size(int from, uint64_t bytes, ob_type type, const ob_view *receive)
{
    size_t unit = ob_type_bytes(type), wanted = ob_view_count(receive);
    unsigned long long sent = unit ? bytes / unit : 0;
    return ob_fail(OB_ESIZE,
                   "the message from process %d has %llu %s element%s (%llu bytes), the receive "
                   "expects %zu %s element%s (%zu bytes)",
                   from, sent, ob_type_name(type), sent == 1 ? "" : "s",
                   (unsigned long long)bytes, wanted, ob_type_name(receive->type),
                   wanted == 1 ? "" : "s", wanted * ob_type_bytes(receive->type));
}
