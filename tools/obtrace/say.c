/*
 * The sentences of the summary.
 */
#include <string.h>

#include "analysis.h"

void obt_say(obt_analysis *a, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    size_t kept = obt_text(a->trace, text, strlen(text));
    a->texts = obt_grow(a->texts, a->text_count, &a->text_room, sizeof *a->texts);
    a->gains = obt_grow(a->gains, a->text_count, &a->gain_room, sizeof *a->gains);
    a->gains[a->text_count] = -1;
    a->texts[a->text_count++] = a->trace->texts[kept];
}

void obt_tell_gain(obt_analysis *a, int64_t gain)
{
    a->gains[a->text_count - 1] = gain;
}

bool obt_next_to_nothing(const obt_analysis *a, int64_t gain)
{
    return gain >= 0 && gain < (a->end - a->begin) / 100;
}

int obt_percent(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)(100.0 * (double)part / (double)whole + 0.5) : 0;
}
