/*
 * Lines of a report on their way out.
 */
#include <stdarg.h>
#include <stdio.h>

#include "trace/report.h"

void ob_report_flush(ob_report_out *out)
{
    if (out->text && out->used)
        out->put(out->context, out->text, out->used);
    out->used = out->text ? 0 : out->used;
}

void ob_report_print(ob_report_out *out, const char *format, ...)
{
    enum { LONGEST = 4096 };
    if (out->text && out->room - out->used < LONGEST && out->used &&
        out->text[out->used - 1] == '\n')
        ob_report_flush(out);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out->text ? out->text + out->used : NULL,
                      out->text ? out->room - out->used : 0, format, args);
    va_end(args);
    size_t room = out->text ? out->room - out->used - 1 : SIZE_MAX;
    out->used += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room;
}
