/*
 * Finding the MPI library of this process and the module that speaks to it.
 * The module is a file of its own because each MPI library has its own binary
 * interface; which one is right is only known at run time.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "hooks/mpi.h"
#include "transport/mpi/internal.h"

#ifndef OB_MODULE_DIR
#define OB_MODULE_DIR "/usr/local/lib/openblacs"
#endif

typedef int version_function(char *text, int *length);

/* MPI libraries may write up to MPI_MAX_LIBRARY_VERSION_STRING, 8192 in MPICH. */
enum { VERSION_ROOM = 16384, LINE = 1024 };

/* --------------------------------------------------- the library in the process */

static const char version_symbol[] = "MPI_Get_library_version";

/* The file of a loaded library whose name begins as those of MPI libraries do: libmpi.so.40 (Open
 * MPI), libmpi.so.12 (Intel MPI, MVAPICH), libmpich.so.12, libmpi_cray.so.12, libmpi_ibm.so.3. */
typedef struct search {
    int skip; /* so many of them come before */
    char path[PATH_MAX];
} search;

static int note_mpi(struct dl_phdr_info *info, size_t size, void *data)
{
    search *s = data;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    if (strncmp(name, "libmpi", 6) != 0 || s->skip-- > 0)
        return 0;
    snprintf(s->path, sizeof s->path, "%s", info->dlpi_name);
    return 1;
}

/* An MPI library that a plug-in brought (Python's mpi4py) is in the process
 * without being visible to it. */
static void *hidden_version(void)
{
    search s = {.skip = 0};
    for (int i = 0; dl_iterate_phdr(note_mpi, &s); s.skip = ++i) {
        void *library = dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD);
        void *f = library ? dlsym(library, version_symbol) : NULL;
        if (library)
            dlclose(library); /* it has other users */
        if (f)
            return f;
    }
    return NULL;
}

static version_function *loaded_version(void)
{
    void *f = dlsym(RTLD_DEFAULT, version_symbol);
    if (f == NULL)
        f = hidden_version();
    version_function *version;
    memcpy(&version, &f, sizeof f); /* ISO C has no such cast */
    return version;
}

/* A module may be linked with a library of another name and the same binary interface (MPICH's
 * instead of Intel's), which comes along with it. A hidden library is made visible first: so the
 * module finds MPI's names there, and not in the one that came along, which nobody initializes. */
static void make_visible(version_function *version)
{
    Dl_info info;
    void *f, *library = NULL;
    memcpy(&f, &version, sizeof f);
    if (dladdr(f, &info) && info.dli_fname)
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    if (library)
        dlclose(library);
}

/* Is this function of a library with the standard binary interface? */
static bool is_standard(version_function *version)
{
    Dl_info info;
    void *f;
    memcpy(&f, &version, sizeof f);
    return dladdr(f, &info) && ob_mpi_is_standard(info.dli_fname);
}

/* "Open MPI v4.1.4" of "Open MPI v4.1.4, package: ...", as a module says it. */
static void tidy(char *text)
{
    text[strcspn(text, ",\n\r")] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
}

/* ------------------------------------------------------------- the launcher */

/* Which MPI's launcher started a process that has no MPI library; NULL: none
 * did, or it started this process alone. */
static const char *kind_of_launcher(void)
{
    const ob_mpi_launcher *l = ob_mpi_launcher_here();
    const char *size = l && l->size ? secure_getenv(l->size) : NULL;
    return l == NULL || (size && strcmp(size, "1") == 0) ? NULL : l->kind;
}

bool ob_mpi_present(void)
{
    return loaded_version() != NULL || kind_of_launcher() != NULL;
}

bool ob_mpi_launched(void)
{
    const ob_mpi_launcher *l;
    for (size_t i = 0; (l = ob_mpi_launcher_at(i)) != NULL; i++)
        if (l->size && (secure_getenv(l->size) || secure_getenv(l->rank)))
            return true;
    return false;
}

/* --------------------------------------------------------------- the module */

/* The folder this library was loaded from. */
static bool own_folder(char *folder, size_t room)
{
    Dl_info info;
    void *self;
    bool (*function)(void) = ob_mpi_present;
    memcpy(&self, &function, sizeof self);
    if (!dladdr(self, &info) || info.dli_fname == NULL)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash == NULL)
        return false;
    snprintf(folder, room, "%.*s", (int)(slash - info.dli_fname), info.dli_fname);
    return true;
}

static int folders(const ob_settings *set, char folder[OB_MPI_FOLDERS][PATH_MAX])
{
    char own[PATH_MAX - 16];
    return ob_mpi_folders(set->modules, own_folder(own, sizeof own) ? own : NULL, OB_MODULE_DIR,
                          folder);
}

static int no_file(const ob_settings *set, const char *kind, const char *who)
{
    char folder[OB_MPI_FOLDERS][PATH_MAX];
    char looked[512] = "";
    int n = folders(set, folder);
    for (int i = 0; i < n; i++) {
        size_t used = strlen(looked);
        snprintf(looked + used, sizeof looked - used, "%s%.120s", i ? ", " : "", folder[i]);
    }
    return ob_fail(
        OB_ESYSTEM,
        "OB-3001 this process runs under %s, but its module mpi-%s.so is not in %s; install it, "
        "build it (obinfo --build-module MPICC), or set OPENBLACS_MODULES to its folder",
        who, kind, looked);
}

static int open_file(const char *file, bool global, const struct ob_mpi_module **module)
{
    /* Where the module brings the MPI library with it, the library must be as
     * visible as if the program had been linked with it: its plug-ins and the
     * user's own later libraries look for it there. */
    void *handle = dlopen(file, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (handle == NULL)
        return ob_fail(OB_ESYSTEM, "OB-3002 cannot load the MPI module %s: %s", file, dlerror());
    void *symbol = dlsym(handle, OB_MPI_MODULE_SYMBOL);
    ob_mpi_module_function *function;
    memcpy(&function, &symbol, sizeof symbol);
    const struct ob_mpi_module *found = symbol ? function() : NULL;
    if (found == NULL || found->number != OB_MPI_MODULE_NUMBER) {
        dlclose(handle);
        return ob_fail(
            OB_ESYSTEM,
            "OB-3003 the MPI module %s belongs to another version of OpenBLACS; install the "
            "one that came with this library",
            file);
    }
    *module = found;
    return OB_OK;
}

/* The module must speak to the very library the program uses. */
static int check_library(const struct ob_mpi_module *module, const char *file, const char *text)
{
    char bound[OB_MPI_LINE];
    module->library(bound, sizeof bound);
    if (strncmp(bound, text, sizeof bound - 1) == 0)
        return OB_OK;
    return ob_fail(
        OB_ESYSTEM,
        "OB-3004 this process runs %s, but the MPI module %s is bound to %s; build one with the "
        "compiler wrapper of the former (obinfo --build-module MPICC)",
        text, file, bound);
}

/* What others can write is not loaded. */
static int check_owner(const char *file)
{
    char folder[PATH_MAX];
    struct stat of[2];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(file, '/') - file), file);
    if (stat(folder, &of[0]) != 0 || stat(file, &of[1]) != 0)
        return ob_fail(OB_ESYSTEM, "OB-3002 cannot look at the MPI module %s: %s", file,
                       strerror(errno));
    for (int i = 0; i < 2; i++)
        if ((of[i].st_mode & (S_IWGRP | S_IWOTH)) || (of[i].st_uid && of[i].st_uid != geteuid()))
            return ob_fail(
                OB_ESYSTEM,
                "OB-3005 the MPI module %s is not used: others may write to %s; chmod go-w it",
                file, i ? "it" : "its folder");
    return OB_OK;
}

static int try_file(const char *file, const char *text, bool own,
                    const struct ob_mpi_module **module)
{
    int status = own ? check_owner(file) : OB_OK;
    if (status == OB_OK)
        status = open_file(file, text == NULL, module);
    if (status == OB_OK && text)
        status = check_library(*module, file, text);
    return status;
}

/* The first one that fits; if none does, the first one's error. text: of the library in this
 * process, NULL: it has none. */
static int find_module(const ob_settings *set, const char *kind, const char *text, char *file,
                       size_t room, const struct ob_mpi_module **module)
{
    char folder[OB_MPI_FOLDERS][PATH_MAX], home[OB_MPI_HOME], first[LINE], refused[PATH_MAX];
    int n = folders(set, folder), bad = OB_OK;
    if (!ob_mpi_home(home))
        home[0] = '\0';
    for (int i = 0; i < n; i++) {
        int length = snprintf(file, room, "%s/mpi-%s.so", folder[i], kind);
        if (length < 0 || (size_t)length >= room || access(file, R_OK) != 0)
            continue;
        int status = try_file(file, text, strcmp(folder[i], home) == 0, module);
        if (status == OB_OK)
            return OB_OK;
        if (bad == OB_OK) {
            bad = status;
            snprintf(first, sizeof first, "%s", ob_error_text());
            snprintf(refused, sizeof refused, "%s", file);
        }
    }
    if (bad == OB_OK)
        return no_file(set, kind, text ? text : "an MPI launcher");
    snprintf(file, room, "%s", refused);
    return ob_fail(bad, "%s", first);
}

int ob_mpi_load(const ob_settings *set, const struct ob_mpi_module **module, char *file,
                size_t room)
{
    char *text = calloc(1, VERSION_ROOM);
    version_function *version = loaded_version();
    const struct ob_mpi_module *found = NULL;
    int length = 0, status;
    *module = NULL;
    if (text == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory to find the MPI library");
    if (version) {
        version(text, &length);
        make_visible(version);
    }
    tidy(text);
    const char *kind = version == NULL        ? kind_of_launcher()
                       : is_standard(version) ? "abi"
                                              : ob_mpi_kind_of(text);
    if (kind == NULL)
        kind = "mpi";
    status = find_module(set, kind, version ? text : NULL, file, room, &found);
    if (status == OB_OK)
        *module = found;
    free(text);
    return status;
}
