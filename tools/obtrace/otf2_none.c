/*
 * In place of the Open Trace Format 2 where its library was not there.
 */
#include "otf2.h"

size_t obt_otf2_write(obt_trace *t, const char *path)
{
    (void)t;
    obt_die("OB-8505 %s: this obtrace was built without OTF2 (libotf2-trace-dev)", path);
}

void obt_otf2_read(obt_trace *t, const char *path)
{
    obt_otf2_write(t, path);
}
