/*
 * The command line.
 */
#ifndef OBBENCH_OPTIONS_H
#define OBBENCH_OPTIONS_H

#include "obbench.h"

/* Ends the program after --help and --version, and with a line for what it
 * does not understand. */
void obb_read_options(int argc, char **argv, obb_options *o);

#endif
