/*
 * obinfo --build-module: the module for an MPI library that was not there when OpenBLACS was built.
 */
#ifndef TOOLS_BUILD_MODULE_H
#define TOOLS_BUILD_MODULE_H

/* Compiles the module with this compiler wrapper (mpicc, mpiicx, a path) and puts it into the
 * user's folder, where the library looks last (hooks/mpi.h). Says which MPI library it is for.
 * An exit status: 0, or 1 with a line. */
int build_module(const char *wrapper);

#endif
