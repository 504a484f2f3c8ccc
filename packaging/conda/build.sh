#!/bin/bash
set -eu
# shellcheck disable=SC2086,SC2154 # conda-build sets them
cmake -S . -B build-conda ${CMAKE_ARGS} -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DOPENBLACS_TESTS=OFF -DOPENBLACS_BENCH=OFF -DOPENBLACS_EXAMPLES=OFF -DOPENBLACS_MPI=ON \
    -DOPENBLACS_PYTHON_DIR="${SP_DIR#"$PREFIX"/}"
cmake --build build-conda --parallel "$CPU_COUNT"
cmake --install build-conda
