/*
 * Which run, which node and which process this is, and the recorder's state.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/hash.h"
#include "trace/internal.h"

struct ob_trace_state ob_trace;

static uint64_t hash_text(uint64_t h, const char *text)
{
    return ob_hash_bytes(h, text, strlen(text) + 1);
}

/* Field `wanted` (from 1) of /proc/PID/stat behind the name; 4 is the parent, 22 the begin. */
static uint64_t stat_field(int pid, int wanted, char name[32])
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return 0;
    line[n] = 0;
    char *open_at = strchr(line, '('), *close_at = strrchr(line, ')');
    if (open_at == NULL || close_at == NULL)
        return 0;
    if (name)
        snprintf(name, 32, "%.*s", (int)(close_at - open_at - 1), open_at + 1);
    char *at = close_at + 1;
    if (at[1] == 'Z' || at[1] == 'X') /* has ended, and nobody has waited for it yet */
        return 0;
    for (int field = 3; field <= wanted && at; field++)
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
    return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t ob_trace_born(int pid)
{
    return stat_field(pid, 22, NULL);
}

/* MPICH's launcher leaves no mark of the run in the environment: its own
 * process, above us, is one; so is any other launcher's. */
static int launcher_above(void)
{
    int pid = getppid();
    for (int up = pid, depth = 0; up > 1 && depth < 16; depth++) {
        char name[32] = "";
        int parent = (int)stat_field(up, 4, name);
        if (strstr(name, "pmi_proxy") || strstr(name, "mpiexec") || strstr(name, "mpirun") ||
            strstr(name, "orted") || strstr(name, "prted") || strstr(name, "slurmstepd"))
            return up;
        up = parent;
    }
    return pid;
}

static uint64_t number_of_process(uint64_t h, int pid)
{
    uint64_t born = ob_trace_born(pid);
    return ob_hash_bytes(ob_hash_bytes(h, &pid, sizeof pid), &born, sizeof born);
}

uint64_t ob_trace_launch_number(void)
{
    static const char *const marks[] = {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID",
                                        "SLURM_STEP_ID"};
    uint64_t h = OB_HASH;
    bool marked = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = secure_getenv(marks[i]);
        if (mark)
            h = hash_text(hash_text(h, marks[i]), mark);
        marked |= mark != NULL;
    }
    return marked ? h : number_of_process(h, launcher_above());
}

uint64_t ob_trace_run_number(const ob_job *job)
{
    const char *obrun = secure_getenv("OPENBLACS_JOB");
    struct stat s;
    if (job->kind == OB_OBRUN && obrun && fstat(atoi(obrun), &s) == 0)
        return ob_hash_bytes(ob_hash_bytes(OB_HASH, &s.st_dev, sizeof s.st_dev), &s.st_ino,
                             sizeof s.st_ino);
    return job->count == 1 ? number_of_process(OB_HASH, getpid()) : ob_trace_launch_number();
}

uint32_t ob_trace_node(const char *host)
{
    char boot[64] = "";
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (f) {
        if (fgets(boot, sizeof boot, f) == NULL)
            boot[0] = 0;
        fclose(f);
    }
    return (uint32_t)(ob_mix(hash_text(hash_text(OB_HASH, host), boot)) | 1);
}
