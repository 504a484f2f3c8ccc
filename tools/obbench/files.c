/*
 * Opening and trying the files of results and profiles.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plot.h"

/* Not emptied yet: it may be what --input has read, and the measurements may be stopped. */
static FILE *open_output(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (out == NULL)
        obb_die("OB-9603 %s cannot be written: %s", path, strerror(errno));
    return out;
}

static void to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        strcpy(path, ".");
    else
        slash[slash == path] = '\0';
}

/* The folder that is to take the file, or where ob_profile_write would make it: the last
 * two folders of the path need not be there. */
static void try_folder_of(const char *path)
{
    char folder[PATH_MAX];
    struct stat status;
    snprintf(folder, sizeof folder, "%s", path);
    to_parent(folder);
    for (int i = 0; i < 2 && stat(folder, &status) && errno == ENOENT; i++)
        to_parent(folder);
    if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode))
        obb_die("OB-8102 the profile %s cannot be written: %s is no folder", path, folder);
    if (access(folder, W_OK | X_OK))
        obb_die("OB-8102 the profile %s cannot be written: %s: %s", path, folder, strerror(errno));
}

static char *profile_to_write(const obb_options *o)
{
    char path[PATH_MAX];
    struct stat status;
    if (o->profile)
        snprintf(path, sizeof path, "%s", o->profile);
    else if (ob_profile_path(path, sizeof path) == 0)
        obb_die("OB-8102 there is no place for a profile: set HOME, XDG_CACHE_HOME or "
                "OPENBLACS_PROFILE, "
                "or use --profile");
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        obb_die("OB-8102 the profile %s cannot be written: it is a folder", path);
    try_folder_of(path);
    return strdup(path);
}

static void read_base(const obb_options *o, ob_profile *p)
{
    if (o->fit) {
        ob_profile_builtin(p);
    } else if (o->profile) {
        if (ob_profile_read(o->profile, p))
            obb_die("%s", ob_error_text());
    } else {
        *p = *ob_profile_current();
    }
    if (!o->fit && (o->predict || o->tables) && p->origin == OB_BUILTIN)
        obb_warn("OB-9608 no profile of this machine; predicting from the built-in one "
                 "(obbench fit makes one)");
}

void obb_open_files(const obb_options *o, obb_files *p)
{
    *p = (obb_files){.out = stdout};
    read_base(o, &p->base);
    if (o->against && ob_profile_read(o->against, &p->other))
        obb_die("%s", ob_error_text());
    if (o->fit && o->write)
        p->profile = profile_to_write(o);
    if (o->plot)
        obb_make_folder(o->plot);
    if (o->output)
        p->out = open_output(o->output);
}

void obb_begin_output(const obb_options *o, obb_files *p)
{
    /* A pipe or a device has nothing to cut. */
    if (o->output && ftruncate(fileno(p->out), 0) && errno != EINVAL)
        obb_die("OB-9603 %s cannot be written: %s", o->output, strerror(errno));
}

void obb_close_files(const obb_options *o, obb_files *p)
{
    bool bad = ferror(p->out);
    if ((o->output ? fclose(p->out) : fflush(p->out)) || bad)
        obb_die("OB-9603 the output cannot be written: %s", strerror(errno));
    free(p->profile);
}
