/*
 * Which run, which node and which process this is, and the recorder's state.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/port.h"
#include "hooks/hash.h"
#include "trace/internal.h"

struct ob_trace_state ob_trace = {.apart = INT64_MAX};

static uint64_t hash_text(uint64_t h, const char *text)
{
    return ob_hash_bytes(h, text, strlen(text) + 1);
}

/* MPICH's launcher leaves no mark of the run in the environment: its own
 * process, above us, is one; so is any other launcher's. */
static int launcher_above(void)
{
    int pid = getppid();
    for (int up = pid, depth = 0; up > 1 && depth < 16; depth++) {
        ob_port_process p;
        if (!ob_port_look(up, 0, &p))
            break;
        const char *name = p.name;
        if (strstr(name, "pmi_proxy") || strstr(name, "mpiexec") || strstr(name, "mpirun") ||
            strstr(name, "orted") || strstr(name, "prted") || strstr(name, "slurmstepd"))
            return up;
        up = p.parent;
    }
    return pid;
}

static uint64_t number_of_process(uint64_t h, int pid)
{
    uint64_t born = ob_port_born(pid);
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
    char boot[64];
    ob_port_machine(boot, sizeof boot);
    return (uint32_t)(ob_mix(hash_text(hash_text(OB_HASH, host), boot)) | 1);
}
