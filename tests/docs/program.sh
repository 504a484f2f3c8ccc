# Makes ./program, a ScaLAPACK program for either MPI: its processes take the one of their launcher.
cp "tests/docs/program.c" program.c
for mpi in openmpi mpich; do
    mpicc.$mpi program.c -o program.$mpi -lscalapack-$mpi -lm
done
cat >program <<'END'
#!/bin/sh
if [ -n "$PMI_RANK" ]; then exec "$0.mpich" "$@"; fi
exec "$0.openmpi" "$@"
END
chmod +x program
