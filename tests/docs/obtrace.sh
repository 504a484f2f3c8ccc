# shellcheck shell=bash
cc tests/docs/program.c -o program -lopenblacs -lscalapack-openmpi -lm
