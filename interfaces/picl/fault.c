/*
 * Who this process is, and the lines that name it.
 */
#include "common/fault.h"
#include "hooks/mpi.h"
#include "picl.h"

picl_state picl_own = {
    .checking = 1, .type = -1, .source = -1, .top = PICL_HYPERCUBE, .direction = PICL_FORWARD};

/* The number that a launcher has given, before the job is joined; 0: the host's. */
static int number_given(void)
{
    const ob_mpi_launcher *l;
    const char *job = secure_getenv("OPENBLACS_JOB"), *number = job ? strchr(job, ':') : NULL;
    if (number)
        return atoi(number + 1);
    for (size_t i = 0; (l = ob_mpi_launcher_at(i)) != NULL; i++)
        if ((number = secure_getenv(l->rank)))
            return atoi(number);
    return 0;
}

int picl_is_launched(void)
{
    return secure_getenv("OPENBLACS_JOB") || ob_mpi_launcher_here();
}

int picl_is_node(void)
{
    return picl_own.joined ? !picl_own.host : number_given() > 0;
}

static void say_process(char *text, size_t size)
{
    if (picl_is_node())
        snprintf(text, size, "node %d", picl_own.joined ? picl_own.me : number_given() - 1);
    else if (picl_own.joined)
        snprintf(text, size, "the host (number %d)", PICL_HOST);
    else
        snprintf(text, size, "the host");
}

int picl_print(const char *line)
{
    fflush(stdout);
    return ob_fault_write(STDOUT_FILENO, line);
}

/* On the host's standard output, as the manual says (2.1): a node's goes there, too. */
static void say(const char *routine, const char *format, va_list args)
{
    char who[64], where[80];
    say_process(who, sizeof who);
    snprintf(where, sizeof where, "; %s", who);
    char *line = ob_fault_line("", routine, where, format, args);
    if (line == NULL || picl_print(line) != 0)
        ob_fault_write(STDERR_FILENO,
                       line ? line
                            : "OpenBLACS: there is no memory for an error's line [OB-4001]\n");
    free(line);
}

void picl_warn(const char *routine, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(routine, format, args);
    va_end(args);
}

_Noreturn void picl_fault(const char *routine, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(routine, format, args);
    va_end(args);
    picl_own.closed = 0;
    /* Of a process that ends before it has joined MPICH's launcher takes no notice. */
    if (picl_own.job == NULL && picl_is_launched())
        ob_job_start(&picl_own.job);
    if (picl_own.launch) {
        ob_launch_close(picl_own.launch);
        picl_own.launch = NULL;
    }
    ob_fault_end(picl_own.job, 1);
}

void picl_check(const char *routine, int status)
{
    if (status != OB_OK)
        picl_fault(routine, "%s", ob_error_text());
}

void picl_need_open(const char *routine)
{
    if (!picl_own.open)
        picl_fault(routine, "OB-7001 communication is not open: call open0 first");
}
