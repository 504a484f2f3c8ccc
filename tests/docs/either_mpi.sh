# shellcheck shell=bash
# either_mpi SOURCE.c [LIBRARY-]: makes ./program, for either MPI: its processes take the one of their launcher.
either_mpi() {
    local mpi
    for mpi in openmpi mpich; do
        mpicc.$mpi "$1" -o program.$mpi ${2:+-l$2$mpi} -lm
    done
    cat >program <<'END'
#!/bin/sh
if [ -n "$PMI_RANK" ]; then exec "$0.mpich" "$@"; fi
exec "$0.openmpi" "$@"
END
    chmod +x program
}
