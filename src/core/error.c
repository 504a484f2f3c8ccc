#include "core/error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hooks/error.h"

static _Thread_local char text[OB_ERROR_LINE];

static bool is_code(const char *at)
{
    return strncmp(at, "OB-", 3) == 0 && isdigit((unsigned char)at[3]) &&
           isdigit((unsigned char)at[4]) && isdigit((unsigned char)at[5]) &&
           isdigit((unsigned char)at[6]);
}

const char *ob_error_code(char *line, char *code)
{
    char *to = line;
    *code = '\0';
    for (const char *from = line; *from;) {
        bool begins = from == line && is_code(from) && from[7] == ' ',
             ends = strncmp(from, " [", 2) == 0 && is_code(from + 2) && from[9] == ']';
        if (!begins && !ends) {
            *to++ = *from++;
            continue;
        }
        if (*code == '\0')
            snprintf(code, OB_CODE_BYTES, " [%.7s]", begins ? from : from + 2);
        from += begins ? 8 : 10;
    }
    *to = '\0';
    return code;
}

/* A line that is too long loses its end, never its code. What it quotes may be the text before. */
int(ob_fail)(int status, const char *format, ...)
{
    char whole[2 * sizeof text], code[OB_CODE_BYTES];
    const size_t most = sizeof text - OB_CODE_BYTES - 3;
    va_list args;
    va_start(args, format);
    vsnprintf(whole, sizeof whole, format, args);
    va_end(args);
    ob_error_code(whole, code);
    snprintf(text, sizeof text, "%.*s%s%s", (int)most, whole, strlen(whole) > most ? "..." : "",
             code);
    return status;
}

const char *ob_error_text(void)
{
    return text;
}

const char *ob_status_text(int status)
{
    switch (status) {
    case OB_OK: return "OB_OK: no error";
    case OB_EARG: return "OB_EARG: an argument is out of its range";
    case OB_ENOMEM: return "OB_ENOMEM: memory, or the heap for unreceived messages, is full";
    case OB_ESIZE: return "OB_ESIZE: a message and its receive differ in size or type";
    case OB_EGONE: return "OB_EGONE: the awaited process has ended";
    case OB_ESYSTEM: return "OB_ESYSTEM: the operating system or the MPI library refused";
    case OB_ESETTING: return "OB_ESETTING: an OPENBLACS_ environment variable is malformed";
    case OB_ESTATE: return "OB_ESTATE: the call is not allowed now";
    case OB_EREADY: return "OB_EREADY: a ready send came before its receive was posted";
    default: return "no status of OpenBLACS";
    }
}

const char *ob_type_name(ob_type type)
{
    static const char *const names[OB_TYPES] = {
        "integer", "single precision", "double precision", "single complex", "double complex",
        "byte",    "64-bit integer"};
    return (unsigned)type < OB_TYPES ? names[type] : "unknown";
}

int ob_fail_size(int from, uint64_t bytes, ob_type type, const ob_view *receive)
{
    size_t unit = ob_type_bytes(type), wanted = ob_view_count(receive);
    unsigned long long sent = unit ? bytes / unit : 0;
    return ob_fail(
        OB_ESIZE,
        "OB-5001 the message from process %d has %llu %s element%s (%llu bytes), the receive "
        "expects %zu %s element%s (%zu bytes)",
        from, sent, ob_type_name(type), sent == 1 ? "" : "s", (unsigned long long)bytes, wanted,
        ob_type_name(receive->type), wanted == 1 ? "" : "s", wanted * ob_type_bytes(receive->type));
}

/* Of a file nothing is ever left, and of a terminal the number is what was typed. */
static int left_in_pipe(int fd)
{
    struct stat what;
    int left = 0;
    if (fstat(fd, &what) != 0 || !S_ISFIFO(what.st_mode) || ioctl(fd, FIONREAD, &left) != 0)
        return 0;
    return left;
}

/* Open MPI's mpirun closes pipes that it has not read to their end, which it has not for
 * long when the processors are busy. MPICH's drops also what its proxy has just read (a plain MPI
 * program loses 5 of 80 lines so, and none of 80 after 5 ms). */
void ob_lines_through(void)
{
    static const struct timespec look = {.tv_nsec = 1000 * 1000},
                                 moment = {.tv_nsec = 20 * 1000 * 1000};
    for (int i = 0; i < 2000 && left_in_pipe(STDOUT_FILENO) + left_in_pipe(STDERR_FILENO) > 0; i++)
        nanosleep(&look, NULL);
    nanosleep(&moment, NULL);
}
