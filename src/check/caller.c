/*
 * Which routine of the library the program has called, and from where: read off the stack
 * when somebody wants to know, so that it costs nothing before.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "hooks/check.h"
#include "trace/trace.h"

#if defined(__has_include)
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAVE_BACKTRACE
#endif
#endif

#ifdef HAVE_BACKTRACE
enum { FRAMES = 64 };

/* The interfaces, which are libraries of their own. */
static const char *const libraries[] = {"libopenblacs", "libblacs94", "libmlacs",
                                        "libicc",       "libnx",      "libpicl"};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool ours(const Dl_info *at, const Dl_info *core)
{
    const char *name = at->dli_fname ? base_name(at->dli_fname) : "";
    bool found = at->dli_fbase == core->dli_fbase;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !found; i++)
        found = strncmp(name, libraries[i], strlen(libraries[i])) == 0 && strstr(name, ".so");
    return found;
}

/* Is the library a part of the program itself? Then they cannot be told apart. */
static bool is_static(const Dl_info *core)
{
    uintptr_t headers = (uintptr_t)getauxval(AT_PHDR), base = (uintptr_t)core->dli_fbase;
    return headers >= base && headers - base < 4096;
}

/* A return address may be the first one behind a function that never returns. */
static bool look_up(const void *frame, Dl_info *at)
{
    return dladdr((const char *)frame - 1, at) && at->dli_fbase;
}

int ob_check_called_from(ob_check_site *site)
{
    void *frame[FRAMES];
    int n = backtrace(frame, FRAMES), i = 0;
    Dl_info core, at;
    *site = (ob_check_site){0};
    if (!dladdr((void *)(uintptr_t)ob_check_called_from, &core) || is_static(&core))
        return 0;
    /* A sanitizer's backtrace begins with frames of its own. */
    while (i < n && !(look_up(frame[i], &at) && ours(&at, &core)))
        i++;
    for (; i < n && look_up(frame[i], &at) && ours(&at, &core); i++)
        site->routine = at.dli_sname;
    if (i == n || !look_up(frame[i], &at))
        return 0;
    if (at.dli_sname)
        site->function = ob_trace_as_written(at.dli_sname, site->text, sizeof site->text);
    site->object = base_name(at.dli_fname);
    site->offset = (uintptr_t)frame[i] - (uintptr_t)(at.dli_sname ? at.dli_saddr : at.dli_fbase);
    return 1;
}
#else
int ob_check_called_from(ob_check_site *site)
{
    *site = (ob_check_site){0};
    return 0;
}
#endif

const char *ob_check_caller(char *text, size_t room)
{
    ob_check_site s;
    text[0] = 0;
    if (ob_check_called_from(&s) && s.function)
        snprintf(text, room, "; called from %s", s.function);
    return text;
}
