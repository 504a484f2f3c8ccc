#include "where.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/mpi.h"
#include "use.h"

/* Prints the modules of a folder, and how many there are. */
static int print_modules(const char *folder)
{
    DIR *open = opendir(folder);
    struct dirent *e;
    int count = 0;
    while (open && (e = readdir(open)) != NULL) {
        const char *end = strrchr(e->d_name, '.');
        if (strncmp(e->d_name, "mpi-", 4) == 0 && end && strcmp(end, ".so") == 0) {
            printf(" %s/%s", folder, e->d_name);
            count++;
        }
    }
    if (open)
        closedir(open);
    return count;
}

void print_where(void)
{
    char library[PATH_MAX], folder[OB_MPI_FOLDERS][PATH_MAX], own[PATH_MAX - 16];
    int shared = find_library(library), count = 0;
    if (shared)
        snprintf(own, sizeof own, "%.*s", (int)(strrchr(library, '/') - library), library);
    printf("library: %s\nMPI modules:", shared ? library : "in this program");
    int n = ob_mpi_folders(getenv("OPENBLACS_MODULES"), shared ? own : NULL, OB_MODULE_DIR, folder);
    for (int i = 0; i < n; i++) {
        int seen = 0;
        for (int j = 0; j < i; j++)
            seen |= strcmp(folder[i], folder[j]) == 0;
        count += seen ? 0 : print_modules(folder[i]);
    }
    printf("%s\n", count ? "" : " none (obinfo --build-module makes one)");
}
