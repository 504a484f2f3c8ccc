/*
 * For src/transport/mpi/mpi_load_files_test.c: an MPI library and a module in one file, that say of
 * themselves what the environment tells them to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/mpi/module.h"

#define SEEN __attribute__((visibility("default")))

SEEN int MPI_Get_library_version(char *text, int *length);
SEEN const struct ob_mpi_module *ob_mpi_module(void);

static const char *told(const char *name)
{
    const char *text = getenv(name);
    return text ? text : "";
}

int MPI_Get_library_version(char *text, int *length)
{
    strcpy(text, told("LOAD_TEST_VERSION"));
    *length = (int)strlen(text);
    return 0;
}

static void library(char *text, size_t room)
{
    snprintf(text, room, "%s", told("LOAD_TEST_BOUND"));
}

const struct ob_mpi_module *ob_mpi_module(void)
{
    static struct ob_mpi_module module = {.name = "test", .library = library};
    module.number = OB_MPI_MODULE_NUMBER + (*told("LOAD_TEST_OLD") != 0);
    return &module;
}
