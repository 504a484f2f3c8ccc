/* A trace in any of the formats of one file, and all that obtrace works out of it. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"
#include "formats.h"
#include "target.h"

static void look(void *context)
{
    obt_trace *t = context;
    static FILE *nowhere;
    if (nowhere == NULL && (nowhere = fopen("/dev/null", "w")) == NULL)
        abort();
    obt_analysis *a = obt_analyse(t);
    obt_stat(a, nowhere);
    obt_stat_plain(a, nowhere);
    if (t->event_count % 8 == 0) /* its page is long */
        obt_report(a, nowhere);
    obt_analysis_free(a);
    for (const obt_format *f = obt_formats; f->name; f++)
        if (f->write)
            f->write(t, nowhere);
}

/* The first byte chooses the format: which one a file looks like is seen from its beginning. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const obt_format *readers[8];
    int count = 0;
    for (const obt_format *f = obt_formats; f->name; f++)
        if (f->read)
            readers[count++] = f;
    if (size == 0)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    obt_trace *t = obt_trace_new("fuzz");
    const obt_format *f = readers[data[0] % count];
    f->likely(text, size - 1);
    f->read(t, text, size - 1);
    if (t->event_count)
        fuzz_exits(look, t);
    obt_trace_free(t);
    free(text);
    return 0;
}
