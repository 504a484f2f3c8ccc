/*
 * The files and folders that were named on the command line, looked at before
 * the measurements: who waits a minute for them shall not lose them then.
 */
#ifndef OBBENCH_FILES_H
#define OBBENCH_FILES_H

#include "obbench.h"

typedef struct obb_files {
    FILE *out;        /* results; keeps what is in it until obb_begin_output */
    ob_profile base;  /* what is predicted from, or what a fit begins with */
    ob_profile other; /* of --against */
    char *profile;    /* the file to write; NULL: none */
} obb_files;

/* All of them; ends the program with one line when one cannot be used. */
void obb_open_files(const obb_options *o, obb_files *p);
/* Empties the file of the results. */
void obb_begin_output(const obb_options *o, obb_files *p);
/* Whether everything was written is found out here. */
void obb_close_files(const obb_options *o, obb_files *p);

#endif
