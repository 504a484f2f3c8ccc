/*
 * The parts of a launch, for the files of this folder.
 */
#ifndef OB_LAUNCH_PLACE_H
#define OB_LAUNCH_PLACE_H

#include <poll.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "launch/guard.h"
#include "launch/input.h"
#include "launch/stream.h"
#include "node/segment.h"
#include "openblacs/launch.h"

typedef struct ob_place {
    pid_t pid;   /* 0: nothing runs here */
    pid_t group; /* 0: nothing is left of it; outlives pid when descendants do */
    ob_stream streams[2];
} ob_place;

struct ob_launch {
    ob_launch_options set;
    ob_segments memory;
    bool has_memory;
    ob_place *places;
    int running;
    bool ended; /* by ob_launch_end */
    double kill_at, linger_until;
    int wake[2]; /* a pipe */
    int nothing; /* /dev/null */
    ob_guard guard;
    ob_input input;
    struct rlimit files; /* the caller's limit, for the processes */
    bool raised_files;
    struct pollfd *polls; /* wake, input, streams */
};

enum { OB_READ_END = 1, OB_WRITE_END = 2 };
/* A pipe closed on exec, above the standard descriptors, which does not block at our ends. False
 * with errno. */
bool ob_make_pipe(int ends[2], unsigned ours);
void ob_kill_group(const ob_place *p, int signal);

#endif
