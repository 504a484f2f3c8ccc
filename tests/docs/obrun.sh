# shellcheck shell=bash
cc tests/docs/program.c -o solve -lopenblacs -lscalapack-openmpi -lm
cp solve xdlu
touch matrix.mtx
