# shellcheck shell=bash
# Makes ./program, a ScaLAPACK program for either MPI.
. tests/docs/either_mpi.sh
cp tests/docs/program.c program.c
either_mpi program.c scalapack-
