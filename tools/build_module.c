#include "build_module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/mpi.h"

/* From the folder of the tools to the module's sources, and to the public headers. */
#ifndef OB_FROM_TOOLS
#define OB_FROM_TOOLS "../share/openblacs/module"
#define OB_HEADERS_FROM_TOOLS "../include"
#endif

typedef int version_function(char *text, int *length);

static int fail(const char *what, const char *name, const char *why)
{
    fprintf(stderr, "obinfo: --build-module: %s %s%s%s [OB-3024]\n", what, name, *why ? ": " : "",
            why);
    return 1;
}

/* The folder that `path`, from that of this program unless it is absolute, leads to. */
static int from_here(const char *path, char folder[PATH_MAX])
{
    char self[PATH_MAX], whole[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    snprintf(whole, sizeof whole, "%s%s%s", *path == '/' ? "" : self, *path == '/' ? "" : "/",
             path);
    return realpath(whole, folder) != NULL;
}

/* Makes what there is not yet of it, for the user alone. */
static int make_folder(const char *folder)
{
    char part[PATH_MAX];
    for (const char *c = folder + 1;; c++) {
        if (*c != '/' && *c != '\0')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)(c - folder), folder);
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return fail("cannot make", part, strerror(errno));
        if (*c == '\0')
            return 0;
    }
}

static int compile(const char *wrapper, const char *kind, const char *sources, const char *headers,
                   const char *file)
{
    char name[64], one[PATH_MAX + 32], two[PATH_MAX + 32];
    char in_sources[PATH_MAX + 8], in_headers[PATH_MAX + 8];
    int status;
    snprintf(name, sizeof name, "-DOB_MPI_NAME=\"%s\"", kind);
    snprintf(one, sizeof one, "%s/transport/mpi/module.c", sources);
    snprintf(two, sizeof two, "%s/transport/mpi/module_comms.c", sources);
    snprintf(in_sources, sizeof in_sources, "-I%s", sources);
    snprintf(in_headers, sizeof in_headers, "-I%s", headers);
    const char *const words[] = {wrapper,   "-std=c11", "-O2",      "-fPIC",
                                 "-shared", "-pthread", "-w",       "-D_GNU_SOURCE",
                                 name,      in_sources, in_headers, "-fvisibility=hidden",
                                 "-o",      file,       one,        two,
                                 NULL};
    pid_t pid = fork();
    if (pid == 0) {
        execvp(wrapper, (char *const *)words);
        fprintf(stderr, "obinfo: --build-module: cannot run %s: %s [OB-3024]\n", wrapper,
                strerror(errno));
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return fail("cannot run", wrapper, strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return 1;
    if (status != 0)
        return fail("the compiler failed:", wrapper, "its lines are above");
    return 0;
}

/* What the MPI library that the file was linked with says of itself, up to the first comma, and
 * what its module is called. */
static const char *library_of(const char *file, char *text, size_t room)
{
    void *handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, "MPI_Get_library_version") : NULL;
    char *whole = calloc(1, 16384); /* MPICH's own limit is 8192 */
    version_function *version;
    Dl_info info;
    int length = 0;
    if (symbol == NULL || whole == NULL) {
        fail("this is no MPI library's module:", file, handle ? "" : dlerror());
        free(whole);
        return NULL;
    }
    memcpy(&version, &symbol, sizeof symbol);
    version(whole, &length);
    const char *kind = ob_mpi_kind_of(whole);
    if (dladdr(symbol, &info) && ob_mpi_is_standard(info.dli_fname))
        kind = "abi";
    whole[strcspn(whole, ",\n\r")] = '\0';
    snprintf(text, room, "%s", whole);
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
    free(whole);
    return kind; /* the handle stays: MPI libraries do not like to be unloaded */
}

int build_module(const char *wrapper)
{
    char sources[PATH_MAX], headers[PATH_MAX], folder[OB_MPI_HOME], text[256];
    char draft[OB_MPI_HOME + 32], file[OB_MPI_HOME + 32];
    if (!from_here(OB_FROM_TOOLS, sources) || !from_here(OB_HEADERS_FROM_TOOLS, headers))
        return fail("the module's sources are not in", OB_FROM_TOOLS,
                    "seen from obinfo's folder; use the installed obinfo");
    if (!ob_mpi_home(folder))
        return fail("HOME is not set,", "so there is no place for the module", "");
    if (make_folder(folder))
        return 1;
    snprintf(draft, sizeof draft, "%s/draft-XXXXXX", folder);
    int open = mkstemp(draft);
    if (open < 0)
        return fail("cannot write to", folder, strerror(errno));
    close(open);
    const char *kind = NULL;
    int bad = compile(wrapper, "mpi", sources, headers, draft) ||
              (kind = library_of(draft, text, sizeof text)) == NULL;
    if (!bad && strcmp(kind, "mpi") != 0) {
        unlink(draft); /* it is in this process */
        bad = compile(wrapper, kind, sources, headers, draft);
    }
    if (bad) {
        unlink(draft);
        return 1;
    }
    snprintf(file, sizeof file, "%s/mpi-%s.so", folder, kind);
    if (chmod(draft, 0755) != 0 || rename(draft, file) != 0) {
        unlink(draft);
        return fail("cannot write", file, strerror(errno));
    }
    printf("%s is for %s\n", file, text);
    return 0;
}
