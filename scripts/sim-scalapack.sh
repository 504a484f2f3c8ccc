#!/bin/bash
# Compiles the real double part of ScaLAPACK, its PBLAS and its BLACS for SimGrid's SMPI, as the
# programs of bench/sim want it (docs/simulation.md).
#
#     scripts/sim-scalapack.sh SOURCE LIBRARY.a
#
# SOURCE is the folder of ScaLAPACK's source, 2.2 or newer.
set -eu
if [ $# -ne 2 ] || [ ! -d "$1/BLACS/SRC" ]; then
    echo "usage: scripts/sim-scalapack.sh SOURCE LIBRARY.a (SOURCE: ScaLAPACK's source, with BLACS/SRC in it)" >&2
    exit 2
fi
library=$(realpath -m "$2")
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
cd "$1"
export objects
# shellcheck disable=SC2016 # the inner shells expand
c() { # SUFFIX [OPTION...] -- FILE...
    local suffix=$1 options=()
    shift
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c '
        source=$1 suffix=$2
        shift 2
        exec smpicc -std=gnu99 -w -O2 -fPIC -DAdd_ "$@" -c "$source" -o "$objects/$(basename "$source" .c)$suffix.o"' sh {} "$suffix" "${options[@]}"
}
# SMPI 3.32 has this one, by which the BLACS find MPI_INT, and ends the program in it. It declares
# it weak, so that a definition in a library would not be taken.
cat >"$objects/match.h" <<'END'
#include <mpi.h>
#define MPI_Type_match_size(kind, size, type) (*(type) = MPI_INT)
END
c "" -include "$objects/match.h" -- BLACS/SRC/*.c
shopt -s extglob
c -C -DCallFromC -include "$objects/match.h" -- BLACS/SRC/!(BI_*).c
c _c -- PBLAS/SRC/pi*_.c PBLAS/SRC/pd*_.c PBLAS/SRC/PTOOLS/*.c TOOLS/*.c REDIST/SRC/pd*.c REDIST/SRC/pgemraux.c
c _c -- SRC/*.c
# shellcheck disable=SC2016
printf "%s\n" PBLAS/SRC/*.f PBLAS/SRC/PTZBLAS/*.f PBLAS/SRC/PBBLAS/*.f TOOLS/*.f SRC/pd*.f SRC/pi*.f SRC/pj*.f SRC/d*.f |
    xargs -P "$(nproc)" -I{} sh -c 'exec gfortran -O2 -fPIC -std=legacy -w -c "$1" -o "$objects/$(basename "$1" .f)_f.o"' sh {}
rm -f "$library"
ar rcs "$library" "$objects"/*.o
