/*
 * What the files that talk to gnuplot share.
 */
#ifndef OBBENCH_PLOT_INNER_H
#define OBBENCH_PLOT_INNER_H

#include "obbench.h"

/* Text between single quotes. */
void obb_quoted(FILE *g, const char *text);
/* "m3" as "3-ring" and so on; the MPI library's call by the library's name. */
const char *obb_series_name(const obb_record *r, char *text, size_t room);
/* The file, title, axes and colours of the next figure; which: whose time is shown. */
void obb_set_up_figure(FILE *g, const char *file, const char *title, const char *which,
                       const obb_options *o);
/* One figure of the variance of a call; false when nothing of it was repeated. */
bool obb_variance_figure(FILE *g, const obb_records *list, const obb_options *o, obb_what what,
                         int processes);

#endif
