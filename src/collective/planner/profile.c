/*
 * The machine profile: its curves, its bounds, its file, and the one this
 * process uses.
 */
#include "collective/planner/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "hooks/error.h"
#include "hooks/patience.h"

int ob_profile_open(const char *path, ob_profile **profile)
{
    ob_profile *p = malloc(sizeof *p);
    int status = p ? ob_profile_read(path, p)
                   : ob_fail(OB_ENOMEM, "OB-4001 ob_profile_open: no memory for a profile");
    if (status == OB_OK)
        *profile = p;
    else
        free(p);
    return status;
}

void ob_profile_close(ob_profile *profile)
{
    free(profile);
}

double ob_profile_time(const ob_profile *profile, ob_quantity quantity, size_t bytes)
{
    return (unsigned)quantity < OB_QUANTITIES ? ob_curve_at(&profile->curve[quantity], bytes) : -1;
}

int ob_profile_measured(const ob_profile *profile)
{
    return profile->origin == OB_MEASURED;
}

const char *ob_profile_host(const ob_profile *profile)
{
    return profile->host;
}

int ob_profile_bsp(const ob_profile *profile, double *s, double *g, double *l)
{
    if (profile->bsp_processes > 0) {
        *s = profile->bsp_s;
        *g = profile->bsp_g;
        *l = profile->bsp_l;
    }
    return profile->bsp_processes;
}

double ob_profile_native(const ob_profile *profile, int task, int members, size_t bytes)
{
    if (task < 0 || task >= OB_NATIVE_TASKS || members < 2)
        return -1;
    const ob_native_curve *n = profile->native[task];
    int k = 0;
    while (k < OB_NATIVE_SIZES && n[k].members && n[k].members < members)
        k++;
    if (k == OB_NATIVE_SIZES || n[k].members == 0 || (k == 0 && n[k].members > members))
        return -1;
    double above = ob_curve_at(&n[k].curve, bytes);
    if (n[k].members == members)
        return above;
    double below = ob_curve_at(&n[k - 1].curve, bytes);
    double part =
        log2((double)members / n[k - 1].members) / log2((double)n[k].members / n[k - 1].members);
    return below + part * (above - below);
}

/* Measured on a two-processor virtual machine of 2025 (bench/models.md), and rounded. */
void ob_profile_builtin(ob_profile *p)
{
    *p = (ob_profile){
        .origin = OB_BUILTIN,
        .host = "builtin",
        .processors = 1,
        .cache = (size_t)32 << 20,
        .curve = {[OB_T_C] = {.pieces = 3,
                              .piece = {{0, 0.12, 1e-4}, {2048, 0.25, 2e-5}, {65536, 0, 2.4e-5}}},
                  [OB_T_S] = {.pieces = 2, .piece = {{0, 0.06, 4e-5}, {262144, 0, 5e-5}}},
                  [OB_T_R] = {.pieces = 2, .piece = {{0, 0.1, 4e-5}, {262144, 0, 5e-5}}},
                  [OB_T_M] = {.pieces = 2, .piece = {{0, 0.01, 1.5e-5}, {1048576, -20, 3.5e-5}}},
                  [OB_T_O] = {.pieces = 2, .piece = {{0, 0.01, 2e-5}, {1048576, -20, 4e-5}}}},
        .waiting = {.call = 0.045,
                    .combine = 0.085,
                    .glance = 1,
                    .look = OB_BRIEF_US,
                    .turn = 1.4,
                    .ring = 1,
                    .wake = 5,
                    .patience = 10,
                    .rest = 1,
                    .flow = 0.3,
                    .spill = 2.8,
                    .cold = 2},
    };
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online > 1)
        p->processors = online < 1 << 20 ? (int)online : 1 << 20;
}

/* What crosses a network, through an MPI library over TCP, in round numbers. */
static void builtin_network(ob_profile *p)
{
    ob_profile_builtin(p);
    p->curve[OB_T_C] = (ob_curve){.pieces = 1, .piece = {{0, 10, 1.6e-4}}};
    p->curve[OB_T_S] = (ob_curve){.pieces = 1, .piece = {{0, 2, 8e-5}}};
    p->curve[OB_T_R] = (ob_curve){.pieces = 1, .piece = {{0, 2, 8e-5}}};
}

/* Taking a message that is there costs about what sending it does. */
void ob_profile_of_network(const ob_network *network, ob_profile *p)
{
    ob_profile_builtin(p);
    p->origin = OB_MEASURED;
    p->curve[OB_T_C] = (ob_curve){.pieces = 1, .piece = {{0, network->start, network->byte}}};
    p->curve[OB_T_S] = (ob_curve){.pieces = 1, .piece = {{0, network->send, 0}}};
    p->curve[OB_T_R] = p->curve[OB_T_S];
}

/* -------------------------------------------------------------------- files */

static int read_all(int fd, const char *path, char *bytes, size_t room, size_t *count)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return ob_fail(OB_ESYSTEM, "OB-8101 the profile %.200s is no plain file", path);
    for (*count = 0; *count < room;) {
        ssize_t got = read(fd, bytes + *count, room - *count);
        if (got == 0)
            return OB_OK;
        if (got < 0 && errno != EINTR)
            return ob_fail(OB_ESYSTEM, "OB-8101 the profile %.200s cannot be read: %s", path,
                           strerror(errno));
        if (got > 0)
            *count += (size_t)got;
    }
    return OB_OK;
}

int ob_profile_read(const char *path, ob_profile *profile)
{
    size_t room = OB_PROFILE_BYTES + 1, count = 0;
    /* Not to hang on a pipe. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return ob_fail(OB_ESYSTEM, "OB-8101 the profile %.200s cannot be read: %s", path,
                       strerror(errno));
    char *bytes = malloc(room);
    int status = bytes ? read_all(fd, path, bytes, room, &count)
                       : ob_fail(OB_ENOMEM, "OB-4001 no memory to read the profile %.200s", path);
    close(fd);
    if (status == OB_OK) {
        status = ob_profile_parse(bytes, count, profile);
        if (status)
            ob_fail(status, "the profile %.200s: %s", path, ob_error_text());
    }
    free(bytes);
    return status;
}

/* Makes the folder of a path, and that folder's own, where they are missing. */
static void make_folders(const char *path)
{
    char folder[PATH_MAX], above[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder)
        return;
    *slash = '\0';
    if (mkdir(folder, 0777) == 0 || errno != ENOENT)
        return;
    memcpy(above, folder, sizeof above);
    slash = strrchr(above, '/');
    if (slash == NULL || slash == above)
        return;
    *slash = '\0';
    mkdir(above, 0777);
    mkdir(folder, 0777);
}

static int write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = write(fd, bytes, count);
        if (done < 0 && errno != EINTR)
            return -1;
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        }
    }
    return fsync(fd);
}

int ob_profile_write(const char *path, const ob_profile *profile)
{
    char text[OB_PROFILE_TEXT], other[PATH_MAX];
    int status = ob_profile_check(profile);
    if (status)
        return status;
    if ((size_t)snprintf(other, sizeof other, "%s.XXXXXX", path) >= sizeof other)
        return ob_fail(OB_ESYSTEM, "OB-8102 the profile's path is longer than %zu bytes",
                       sizeof other - 8);
    make_folders(path);
    int fd = mkstemp(other);
    if (fd < 0)
        return ob_fail(OB_ESYSTEM, "OB-8102 the profile %.200s cannot be written: %s", path,
                       strerror(errno));
    int failed = fchmod(fd, 0644) || write_all(fd, text, ob_profile_format(profile, text));
    failed = close(fd) || failed;
    if (failed || rename(other, path)) {
        int error = errno;
        unlink(other);
        return ob_fail(OB_ESYSTEM, "OB-8102 the profile %.200s cannot be written: %s", path,
                       strerror(error));
    }
    return OB_OK;
}

/* ------------------------------------------------------------ which is used */

static void host_name(char host[64])
{
    char name[256] = "";
    size_t used = 0;
    gethostname(name, sizeof name - 1);
    for (const char *c = name; *c && used < 63; c++)
        if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
            *c == '-' || *c == '_' || (*c == '.' && used))
            host[used++] = *c;
    host[used] = '\0';
    if (used == 0)
        strcpy(host, "host");
}

size_t ob_profile_path(char *path, size_t room)
{
    const char *named = secure_getenv("OPENBLACS_PROFILE"),
               *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    char host[64];
    int length;
    host_name(host);
    if (named && *named)
        length = snprintf(path, room, "%s", named);
    else if (cache && *cache == '/') /* the rule of XDG: a relative path is none */
        length = snprintf(path, room, "%s/openblacs/%s.profile", cache, host);
    else if (home && *home == '/')
        length = snprintf(path, room, "%s/.cache/openblacs/%s.profile", home, host);
    else
        return 0;
    return length < 0 || (size_t)length >= room ? 0 : (size_t)length;
}

static ob_profile current, common, network;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void)
{
    char path[PATH_MAX], kept[OB_ERROR_LINE], code[OB_CODE_BYTES];
    const char *named = secure_getenv("OPENBLACS_PROFILE");
    /* The caller may be about to report another error. */
    snprintf(kept, sizeof kept, "%s", ob_error_text());
    ob_profile_builtin(&current);
    builtin_network(&network);
    common = current;
    /* Most machines have none, and need none. */
    bool wanted = ob_profile_path(path, sizeof path) && ((named && *named) || !access(path, F_OK));
    if (wanted && ob_profile_read(path, &current)) {
        char line[OB_ERROR_LINE];
        snprintf(line, sizeof line, "%s", ob_error_text());
        ob_error_code(line, code);
        fprintf(stderr, "OpenBLACS: %s; it is ignored%s\n", line, code);
    }
    if (named && *named)
        common = current;
    ob_fail(OB_OK, "%s", kept);
}

const ob_profile *ob_profile_current(void)
{
    pthread_once(&loaded, load);
    return &current;
}

const ob_profile *ob_profile_common(void)
{
    pthread_once(&loaded, load);
    return &common;
}

const ob_profile *ob_profile_between_nodes(void)
{
    pthread_once(&loaded, load);
    return common.origin == OB_BUILTIN ? &network : &common;
}
