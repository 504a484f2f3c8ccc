/*
 * Finding a program as a shell would, and the environment it gets.
 */
#include "launch/find.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "openblacs/launch.h"

extern char **environ;

/* 0, or why the file cannot be run. */
static int refusal(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    return access(path, X_OK) == 0 ? 0 : errno;
}

static bool is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR;
}

static int refuse(const char *program, int error)
{
    if (is_absent(error))
        return ob_fail(OB_EARG, "OB-2001 %s: not found", program);
    return ob_fail(OB_ESYSTEM, "OB-2002 %s: cannot be executed: %s", program, strerror(error));
}

static char *join(const char *folder, size_t length, const char *name)
{
    /* An empty entry of PATH is the current folder. */
    if (length == 0) {
        folder = ".";
        length = 1;
    }
    char *path = malloc(length + strlen(name) + 2);
    if (path == NULL)
        return NULL;
    memcpy(path, folder, length);
    path[length] = '/';
    strcpy(path + length + 1, name);
    return path;
}

/* As execvp: a file that may not be executed is passed over for a later one,
 * and named when there is none. */
static int find_in_path(const char *program, char **path)
{
    const char *list = secure_getenv("PATH");
    int worst = 0;
    for (const char *at = list ? list : "/bin:/usr/bin"; at;) {
        const char *end = strchr(at, ':');
        *path = join(at, end ? (size_t)(end - at) : strlen(at), program);
        if (*path == NULL)
            return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory", program);
        int error = refusal(*path);
        if (error == 0)
            return OB_OK;
        if (!is_absent(error))
            worst = error;
        free(*path);
        *path = NULL;
        at = end ? end + 1 : NULL;
    }
    if (worst)
        return refuse(program, worst);
    return ob_fail(OB_EARG, "OB-2001 %s: not found in PATH", program);
}

int ob_launch_find(const char *program, char **path)
{
    *path = NULL;
    if (program == NULL || program[0] == 0)
        return ob_fail(OB_EARG, "OB-2001 the program's name is empty");
    if (strchr(program, '/') == NULL)
        return find_in_path(program, path);
    int error = refusal(program);
    if (error)
        return refuse(program, error);
    *path = strdup(program);
    return *path ? OB_OK : ob_fail(OB_ENOMEM, "OB-4001 %s: no memory", program);
}

char **ob_environment(const char *name, char ***slot)
{
    size_t count = 0, length = strlen(name), kept = 0;
    while (environ && environ[count])
        count++;
    char **copy = malloc((count + 2) * sizeof *copy);
    if (copy == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], name, length) != 0 || environ[i][length] != '=')
            copy[kept++] = environ[i];
    }
    *slot = &copy[kept];
    copy[kept] = NULL;
    copy[kept + 1] = NULL;
    return copy;
}
