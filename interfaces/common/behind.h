/*
 * What stands behind a routine of ours that has another library's name.
 */
#ifndef OB_COMMON_BEHIND_H
#define OB_COMMON_BEHIND_H

#include <dlfcn.h>
#include <stddef.h>

/* The routine of that name that the program would have without ours; NULL: none. A library that was
 * opened for its opener alone, as Python opens extension modules, is behind nobody: then it is what
 * the caller's own library is linked with. */
static inline void *ob_behind(const char *name, const void *ours, const void *caller)
{
    void *next = dlsym(RTLD_NEXT, name), *library = NULL;
    Dl_info where;
    if (next == NULL && dladdr(caller, &where) && where.dli_fname)
        library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        next = dlsym(library, name);
        dlclose(library); /* the caller is in it */
    }
    return next == ours ? NULL : next;
}

#endif
