/*
 * The MPI libraries that are known by name, and their launchers: the one list. Which module
 * (mpi-KIND.so, libicc-mpi-KIND.so, obbench-KIND.so) serves a library follows from the text of
 * MPI_Get_library_version; who started a process, from variables that the launcher sets.
 */
#ifndef OPENBLACS_HOOKS_MPI_H
#define OPENBLACS_HOOKS_MPI_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "openmpi" or "mpich", the binary interface of the library that says this of itself. A library
 * that is not in the list has one of its own, as far as we know: "mpi". */
static inline const char *ob_mpi_kind_of(const char *version)
{
    static const char *const known[][2] = {{"Open MPI", "openmpi"},
                                           {"Spectrum MPI", "openmpi"},
                                           {"MPICH", "mpich"},
                                           {"Intel(R) MPI", "mpich"},
                                           {"MVAPICH", "mpich"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(version, known[i][0]))
            return known[i][1];
    return "mpi";
}

/* Is this file the library of MPI 5's standard binary interface, libmpi_abi.so.1, or
 * libmpi_abi_mpich.so.1.0.0, to which that name is a link? Its handles are neither MPICH's nor Open
 * MPI's, though its version text may be theirs. "abi" in place of ob_mpi_kind_of. */
static inline int ob_mpi_is_standard(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL, *name = slash ? slash + 1 : file;
    return name && strncmp(name, "libmpi_abi", 10) == 0 && (name[10] == '.' || name[10] == '_');
}

/* The user's own folder for modules, in which the library looks last and `obinfo --build-module`
 * writes. 0: there is none. */
enum { OB_MPI_HOME = 4000 };
static inline int ob_mpi_home(char folder[OB_MPI_HOME])
{
    const char *home = secure_getenv("HOME");
    if (home == NULL || home[0] != '/')
        return 0;
    return snprintf(folder, OB_MPI_HOME, "%s/.local/lib/openblacs", home) < OB_MPI_HOME;
}

/* The folders in which the library looks for modules, in its order. setting: OPENBLACS_MODULES, or
 * NULL; own: the folder that the library lies in, or NULL; built: that of the installation it was
 * built for. The last one may be the user's own. */
enum { OB_MPI_FOLDERS = 4 };
static inline int ob_mpi_folders(const char *setting, const char *own, const char *built,
                                 char folder[OB_MPI_FOLDERS][PATH_MAX])
{
    int n = 0;
    if (setting && *setting) {
        snprintf(folder[n++], PATH_MAX, "%s", setting);
        return n;
    }
    if (own) {
        snprintf(folder[n++], PATH_MAX, "%s/openblacs", own);
        snprintf(folder[n++], PATH_MAX, "%s", own);
    }
    snprintf(folder[n++], PATH_MAX, "%s", built);
    return n + ob_mpi_home(folder[n]);
}

/* What a launcher sets in its processes: their number, each one's rank, and how many of them are
 * on its node. NULL: it does not say. */
typedef struct ob_mpi_launcher {
    const char *kind, *size, *rank, *neighbours;
} ob_mpi_launcher;

/* Launcher number i, NULL behind the last. One without a size only hints: Open MPI sets PMIX_RANK
 * itself, also in a process that nobody has launched. */
static inline const ob_mpi_launcher *ob_mpi_launcher_at(size_t i)
{
    static const ob_mpi_launcher known[] = {
        {"openmpi", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
        {"openmpi", NULL, "PMIX_RANK", NULL},
        {"mpich", "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"}};
    return i < sizeof known / sizeof known[0] ? &known[i] : NULL;
}

/* The launcher that has started this process; NULL: none has. */
static inline const ob_mpi_launcher *ob_mpi_launcher_here(void)
{
    const ob_mpi_launcher *l;
    for (size_t i = 0; (l = ob_mpi_launcher_at(i)) != NULL; i++)
        if ((l->size && secure_getenv(l->size)) || secure_getenv(l->rank))
            return l;
    return NULL;
}

#endif
