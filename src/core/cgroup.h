/*
 * The control groups this process is in, and the folders in which Linux describes them: version 2
 * under /sys/fs/cgroup (or /sys/fs/cgroup/unified beside version 1), version 1 under
 * /sys/fs/cgroup/CONTROLLER.
 */
#ifndef OB_CORE_CGROUP_H
#define OB_CORE_CGROUP_H

/* What is to be done with one group: its folder, and the version of the files there (1, 2). */
typedef void ob_cgroup_look(const char *group, int version, void *result);

/* For each group of the controller ("memory", "cpu") and all groups above it, since each limit
 * holds for all below it. Some may have no folder. root: of proc and sys, "" for this machine's. */
void ob_cgroup_each(const char *root, const char *controller, ob_cgroup_look *look, void *result);

#endif
