/*
 * The libraries that are compared, each behind the same functions: OpenBLACS and netlib's BLACS
 * by the BLACS' names, the MPI by the module with its plain calls (bench/obbench_mpi.c).
 *
 * netlib's BLACS comes with ScaLAPACK. It is loaded so that it finds its own names first. For the
 * LU over OpenBLACS the same file is loaded a second time, as a copy in memory, which finds the
 * names of this program first: those of OpenBLACS.
 */
#include "verdict.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "obbench/obbench.h"
#include "obbench/verdict/blacs.h"

#define OBV_NAMES(X)                                                                               \
    X(pinfo, "Cblacs_pinfo")                                                                       \
    X(get, "Cblacs_get")                                                                           \
    X(set, "Cblacs_set")                                                                           \
    X(gridinit, "Cblacs_gridinit")                                                                 \
    X(gridinfo, "Cblacs_gridinfo")                                                                 \
    X(gridexit, "Cblacs_gridexit")                                                                 \
    X(barrier, "Cblacs_barrier")                                                                   \
    X(send, "Cdgesd2d")                                                                            \
    X(receive, "Cdgerv2d")                                                                         \
    X(broadcast, "Cdgebs2d")                                                                       \
    X(take, "Cdgebr2d")                                                                            \
    X(sum, "Cdgsum2d")                                                                             \
    X(amx, "Cdgamx2d")

/* Who finds its own names first. musl's loader does not know it, and the sanitizers refuse it. */
#if defined RTLD_DEEPBIND && !defined __SANITIZE_ADDRESS__
enum { OWN_NAMES = RTLD_DEEPBIND };
#else
enum { OWN_NAMES = 0 };
#endif

static const obv_blacs openblacs = {.pinfo = Cblacs_pinfo,
                                    .get = Cblacs_get,
                                    .set = Cblacs_set,
                                    .gridinit = Cblacs_gridinit,
                                    .gridinfo = Cblacs_gridinfo,
                                    .gridexit = Cblacs_gridexit,
                                    .barrier = Cblacs_barrier,
                                    .send = Cdgesd2d,
                                    .receive = Cdgerv2d,
                                    .broadcast = Cdgebs2d,
                                    .take = Cdgebr2d,
                                    .sum = Cdgsum2d,
                                    .amx = Cdgamx2d};

/* A function of the handle into the pointer at `to`. */
static bool take(void *handle, const char *name, void *to)
{
    void *symbol = dlsym(handle, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool take_blacs(void *handle, obv_blacs *b)
{
    bool all = true;
#define TAKE(field, name) all = take(handle, name, &b->field) && all;
    OBV_NAMES(TAKE)
#undef TAKE
    return all;
}

static bool take_scalapack(void *handle, obv_scalapack *s)
{
    return take(handle, "pdgetrf_", &s->pdgetrf) && take(handle, "numroc_", &s->numroc) &&
           take(handle, "descinit_", &s->descinit);
}

/* ------------------------------------------------------------ ScaLAPACK's file */

/* Which MPI a library calls, by what is loaded with it. */
static bool is_for(void *handle, const char *kind)
{
    bool open_mpi = dlsym(handle, "ompi_mpi_comm_world") != NULL;
    return open_mpi == (strcmp(kind, "openmpi") == 0);
}

static void try_file(const char *name, const char *kind, char *path, size_t room)
{
    obv_scalapack s;
    obv_blacs b;
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    Dl_info info;
    if (handle && take_blacs(handle, &b) && take_scalapack(handle, &s) && is_for(handle, kind) &&
        dladdr(dlsym(handle, "pdgetrf_"), &info))
        snprintf(path, room, "%s", info.dli_fname);
}

static void try_files(const obv_options *o, const char *kind, char *path, size_t room)
{
    static const char *const ends[] = {"", ".2.2", ".2.1", ".2.0", ".2"};
    char name[96];
    if (o->scalapack) {
        try_file(o->scalapack, kind, path, room);
        return;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends && *path == '\0'; i++) {
        snprintf(name, sizeof name, "libscalapack-%s.so%s", kind, ends[i]);
        try_file(name, kind, path, room);
    }
}

/* In a process of its own: loading it loads its MPI, which this one may not want. */
void obv_find_scalapack(const obv_options *o, const char *kind, char *path, size_t room)
{
    int ends[2], status;
    path[0] = '\0';
    if (pipe(ends))
        return;
    pid_t child = fork();
    if (child == 0) {
        char found[PATH_MAX] = "";
        try_files(o, kind, found, sizeof found);
        if (write(ends[1], found, strlen(found)) < 0)
            _exit(1);
        _exit(0);
    }
    close(ends[1]);
    ssize_t got = child > 0 ? read(ends[0], path, room - 1) : 0;
    path[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
}

/* The same file once more, under a name that the loader does not know. */
static void *load_copy(const char *path)
{
    char name[64];
    void *handle = NULL;
    struct stat status;
    int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("scalapack", MFD_CLOEXEC);
    off_t left = from >= 0 && to >= 0 && fstat(from, &status) == 0 ? status.st_size : 0;
    while (left > 0) {
        ssize_t sent = sendfile(to, from, NULL, (size_t)left);
        if (sent <= 0)
            break;
        left -= sent;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", to);
    if (from >= 0 && to >= 0 && left == 0)
        handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return handle;
}

/* Whether what is loaded without names of its own finds those of OpenBLACS. */
static bool is_found_first(void)
{
    void (*found)(int *, int *);
    return take(RTLD_DEFAULT, "Cblacs_pinfo", &found) && found == openblacs.pinfo;
}

/* --------------------------------------------------------------------- opening */

static void open_grid(obv_way *w, int processes)
{
    int me, count;
    w->blacs->pinfo(&me, &count);
    w->blacs->get(-1, 0, &w->grid);
    w->blacs->gridinit(&w->grid, "Row", processes, 1);
}

static const char *kind_here(const ob_job *job)
{
    const char *kind = ob_job_kind(job) == OB_MPI ? obb_mpi_kind() : NULL;
    return kind ? kind : "openmpi";
}

/* On all processes or on none: a path is found by process 0. Under obrun any MPI's will do, since
 * nothing of the MPI is called. */
static void agree_on_file(const obv_options *o, ob_job *job, char path[PATH_MAX])
{
    ob_group *all;
    ob_view v = ob_view_vector(path, PATH_MAX, OB_BYTE);
    memset(path, 0, PATH_MAX);
    if (ob_job_number(job) == 0) {
        obv_find_scalapack(o, kind_here(job), path, PATH_MAX);
        if (*path == '\0' && ob_job_kind(job) != OB_MPI)
            obv_find_scalapack(o, "mpich", path, PATH_MAX);
    }
    if (ob_group_world(&all) || ob_broadcast(all, 0, &v, NULL))
        obb_die("%s", ob_error_text());
    ob_group_free(all);
}

static bool on_all(ob_job *job, bool here)
{
    ob_group *all;
    int missing = !here;
    ob_view v = ob_view_vector(&missing, 1, OB_INT);
    if (ob_group_world(&all) || ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, NULL))
        obb_die("%s", ob_error_text());
    ob_group_free(all);
    return missing == 0 && ob_job_count(job) > 0;
}

/* The BLACS of netlib, and the LU over it and over OpenBLACS. */
static int open_scalapack(const obv_options *o, ob_job *job, bool say, obv_way *ours,
                          obv_way *netlib)
{
    static obv_blacs blacs;
    static obv_scalapack theirs, over_ours;
    static char path[PATH_MAX];
    bool mpi = ob_job_kind(job) == OB_MPI;
    agree_on_file(o, job, path);
    if (*path == '\0') {
        if (say && !o->child)
            obb_warn("OB-9606 no libscalapack of this MPI: netlib's BLACS and the LU are left out");
        return 0;
    }
    void *own = mpi && OWN_NAMES != 0 ? dlopen(path, RTLD_LAZY | RTLD_LOCAL | OWN_NAMES) : NULL;
    bool there = own && take_blacs(own, &blacs) && take_scalapack(own, &theirs);
    void *copy = !is_found_first() ? NULL : mpi ? load_copy(path) : dlopen(path, RTLD_LAZY);
    if (on_all(job, copy && take_scalapack(copy, &over_ours)))
        ours->scalapack = &over_ours;
    else if (say)
        obb_warn("OB-9606 %s cannot be loaded so that it calls OpenBLACS: the LU over OpenBLACS is "
                 "left out",
                 path);
    if (!on_all(job, there)) {
        if (say && mpi)
            obb_warn("OB-9606 %s cannot be loaded so that it calls its own BLACS: netlib's BLACS "
                     "is left out",
                     path);
        return 0;
    }
    *netlib = (obv_way){.name = "netlib", .blacs = &blacs, .scalapack = &theirs};
    open_grid(netlib, ob_job_count(job));
    return 1;
}

int obv_open_ways(const obv_options *o, ob_job *job, bool say, obv_way ways[OBV_WAYS])
{
    int count = 1;
    bool mpi = ob_job_kind(job) == OB_MPI;
    ways[0] = (obv_way){.name = "openblacs", .blacs = &openblacs};
    open_grid(&ways[0], ob_job_count(job));
    count += open_scalapack(o, job, say, &ways[0], &ways[1]);
    const obb_face *face = mpi ? obb_plain_face(say) : NULL;
    if (on_all(job, face != NULL)) {
        ways[count++] = (obv_way){.name = "mpi", .face = face};
        if (face->open(0, ob_job_number(job)))
            obb_die("OB-9607 plain MPI cannot be measured");
    }
    return count;
}

void obv_close_ways(obv_way *ways, int count)
{
    for (int i = 0; i < count; i++) {
        if (ways[i].blacs)
            ways[i].blacs->gridexit(ways[i].grid);
        else
            ways[i].face->close();
    }
}

/* ------------------------------------------------------------------- the calls */

static void must(int failed)
{
    if (failed)
        obb_die("OB-9607 a call of the MPI library failed");
}

void obv_send(const obv_way *w, int dest, const double *a, int m, int n, int ld)
{
    if (w->blacs)
        w->blacs->send(w->grid, m, n, a, ld, dest, 0);
    else if (m == ld)
        must(w->face->send(a, (size_t)m * (size_t)n, OB_DOUBLE, dest));
    else
        must(w->face->send_columns(a, m, n, ld, OB_DOUBLE, dest));
}

void obv_receive(const obv_way *w, int source, double *a, int m, int n, int ld)
{
    if (w->blacs)
        w->blacs->receive(w->grid, m, n, a, ld, source, 0);
    else if (m == ld)
        must(w->face->receive(a, (size_t)m * (size_t)n, OB_DOUBLE, source));
    else
        must(w->face->receive_columns(a, m, n, ld, OB_DOUBLE, source));
}

void obv_barrier(const obv_way *w)
{
    if (w->blacs)
        w->blacs->barrier(w->grid, "All");
    else
        must(w->face->barrier());
}

void obv_broadcast(const obv_way *w, int me, double *a, int n)
{
    if (!w->blacs)
        must(w->face->broadcast(a, (size_t)n, OB_DOUBLE, 0, NULL));
    else if (me == 0)
        w->blacs->broadcast(w->grid, "All", " ", n, 1, a, n);
    else
        w->blacs->take(w->grid, "All", " ", n, 1, a, n, 0, 0);
}

void obv_sum(const obv_way *w, double *a, double *spare, int n)
{
    if (w->blacs)
        w->blacs->sum(w->grid, "All", " ", n, 1, a, n, -1, -1);
    else
        must(w->face->combine(a, spare, (size_t)n, OB_DOUBLE, OB_SUM, OB_ANY, NULL));
}

void obv_amx(const obv_way *w, double *a, int *where, int n)
{
    w->blacs->amx(w->grid, "All", " ", n, 1, a, n, where, where + n, n, -1, -1);
}

void obv_ask_repeatable(const obv_way *w, int on)
{
    enum { REPEATABLE = 15 };
    w->blacs->set(w->grid, REPEATABLE, &on);
}
