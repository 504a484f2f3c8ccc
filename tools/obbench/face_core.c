/*
 * The face of the library itself, and the search for the other one.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "face.h"
#include "hooks/mpi.h"
#include "obbench.h"

static ob_job *job;
static ob_group *group;
static int *members, member_count;

static int check(int status)
{
    if (status)
        obb_warn("%s", ob_error_text());
    return status;
}

static int core_open(int color, int number)
{
    (void)color, (void)number;
    return check(ob_group_create(job, members, member_count, &group));
}

static void core_close(void)
{
    ob_group_free(group);
    group = NULL;
}

static int core_send(const void *vector, size_t count, ob_type type, int dest)
{
    ob_view v = ob_view_vector(vector, count, type);
    return check(ob_send(group, dest, 0, &v));
}

static int core_receive(void *vector, size_t count, ob_type type, int source)
{
    ob_view v = ob_view_vector(vector, count, type);
    return check(ob_recv(group, source, 0, &v, NULL));
}

static int core_barrier(void)
{
    return check(ob_barrier(group));
}

static int core_broadcast(void *vector, size_t count, ob_type type, int root, const ob_route *route)
{
    ob_view v = ob_view_vector(vector, count, type);
    return check(ob_broadcast(group, root, &v, route));
}

static int core_combine(void *vector, void *spare, size_t count, ob_type type, ob_op op, int root,
                        const ob_route *route)
{
    ob_view v = ob_view_vector(vector, count, type);
    (void)spare;
    return check(ob_combine(group, root, op, &v, NULL, 0, route));
}

const obb_face *obb_core_face(ob_job *of, const int *numbers, int count)
{
    static const obb_face face = {.number = OBB_FACE_NUMBER,
                                  .name = "openblacs",
                                  .open = core_open,
                                  .close = core_close,
                                  .send = core_send,
                                  .receive = core_receive,
                                  .barrier = core_barrier,
                                  .broadcast = core_broadcast,
                                  .combine = core_combine};
    job = of;
    free(members);
    members = malloc((size_t)count * sizeof *members);
    if (members == NULL)
        return NULL;
    memcpy(members, numbers, (size_t)count * sizeof *members);
    member_count = count;
    return &face;
}

/* ------------------------------------------------------------------ plain MPI */

const char *obb_mpi_kind(void)
{
    typedef int version_function(char *, int *);
    static char text[16384];
    version_function *version;
    void *symbol = dlsym(RTLD_DEFAULT, "MPI_Get_library_version");
    int length;
    if (symbol == NULL)
        return NULL;
    memcpy(&version, &symbol, sizeof version);
    version(text, &length);
    return ob_mpi_kind_of(text);
}

/* Beside this program in a build folder, in lib/openblacs where it is installed. */
static bool find_module(const char *kind, char *path, size_t room)
{
    char self[PATH_MAX - 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    static const char *const places[] = {".", OBB_MODULE_WAY};
    if (length <= 0)
        return false;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int absolute = places[i][0] == '/';
        snprintf(path, room, "%s/%s/obbench-%s.so", absolute ? "" : self, places[i], kind);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool obb_has_module(const char *kind)
{
    char path[PATH_MAX];
    return find_module(kind, path, sizeof path);
}

static void *open_module(const char *kind, int say)
{
    char path[PATH_MAX];
    if (!find_module(kind, path, sizeof path)) {
        if (say)
            obb_warn("OB-9606 no obbench-%s.so beside this program: plain MPI is left out", kind);
        return NULL;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL && say)
        obb_warn("OB-9606 plain MPI is left out: %s", dlerror());
    return handle;
}

const obb_face *obb_plain_face(int say)
{
    const char *kind = obb_mpi_kind();
    void *handle = kind ? open_module(kind, say) : NULL;
    void *symbol = handle ? dlsym(handle, OBB_FACE_SYMBOL) : NULL;
    obb_face_function *function;
    if (symbol == NULL)
        return NULL;
    memcpy(&function, &symbol, sizeof function);
    const obb_face *face = function();
    if (face->number == OBB_FACE_NUMBER)
        return face;
    if (say)
        obb_warn("OB-9606 obbench-%s.so is of another version: plain MPI is left out", kind);
    return NULL;
}
