/*
 * The environment of the processes of a job.
 */
#ifndef OB_LAUNCH_FIND_H
#define OB_LAUNCH_FIND_H

/* A copy of the caller's environment with `name` left out and room for one
 * entry, *slot, in its place. NULL when memory is out. One free() releases it. */
char **ob_environment(const char *name, char ***slot);

#endif
