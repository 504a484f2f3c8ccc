/*
 * The names of files that settings ask for.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/internal.h"

char *ob_trace_file_name(const char *pattern, const char *host)
{
    char folder[4096] = "";
    if (*pattern == '/' || getcwd(folder, sizeof folder - 1) == NULL)
        folder[0] = 0;
    else
        strcat(folder, "/");
    size_t length = strlen(folder) + strlen(pattern) + 1, each = strlen(host);
    for (const char *p = pattern; (p = strstr(p, "%h")); p += 2)
        length += each;
    char *name = malloc(length), *to = name ? stpcpy(name, folder) : NULL;
    for (const char *p = pattern; name && *p;) {
        if (p[0] == '%' && p[1] == 'h') {
            memcpy(to, host, each);
            to += each;
            p += 2;
        } else {
            *to++ = *p++;
        }
    }
    if (name)
        *to = 0;
    return name;
}

const char *ob_trace_report_file(const char *asked)
{
    const char *colon = strchr(asked, ':');
    return colon ? colon + 1 : NULL;
}

char *ob_trace_report_asked(const char *stats, const char *host)
{
    const char *name = ob_trace_report_file(stats);
    if (name == NULL)
        return strdup(stats);
    char *whole = ob_trace_file_name(name, host);
    size_t form = (size_t)(name - stats), room = whole ? form + strlen(whole) + 1 : 0;
    char *asked = whole ? malloc(room) : NULL;
    if (asked)
        snprintf(asked, room, "%.*s%s", (int)form, stats, whole);
    free(whole);
    return asked;
}

int ob_trace_report_open(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_APPEND);
    return fd;
}

int ob_trace_report_try(const char *name)
{
    struct stat s;
    if (stat(name, &s) == 0 && S_ISFIFO(s.st_mode))
        return access(name, W_OK);
    int fd = ob_trace_report_open(name);
    return fd < 0 ? -1 : close(fd);
}
