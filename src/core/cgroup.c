#include "core/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct search {
    const char *root, *controller;
    ob_cgroup_look *look;
    void *result;
} search;

/* A group and all above it. In a container its path may be one of the host's, which is not there:
 * what is mounted is the container's own then, and it is looked at last. */
static void upwards(const search *s, const char *mount, const char *group, int version)
{
    char path[PATH_MAX];
    int front = snprintf(path, sizeof path, "%s%s", s->root, mount);
    if (front + strlen(group) >= sizeof path)
        return;
    strcpy(path + front, group);
    for (;;) {
        s->look(path, version, s->result);
        char *last = strrchr(path + front, '/');
        if (last == NULL)
            return;
        *last = 0;
    }
}

static bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == 0))
            return true;
    }
    return false;
}

/* A line of /proc/self/cgroup: number, controllers (none in version 2) and group. */
static void of_line(const search *s, char *line)
{
    char mount[64], *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL)
        return;
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    if (controllers[1] == 0) {
        upwards(s, "/sys/fs/cgroup", group, 2);
        upwards(s, "/sys/fs/cgroup/unified", group, 2);
    } else if (is_listed(controllers + 1, s->controller)) {
        snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", s->controller);
        upwards(s, mount, group, 1);
    }
}

void ob_cgroup_each(const char *root, const char *controller, ob_cgroup_look *look, void *result)
{
    const search s = {root, controller, look, result};
    char line[PATH_MAX];
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *in = fopen(line, "re");
    while (in && fgets(line, sizeof line, in))
        of_line(&s, line);
    if (in)
        fclose(in);
}
