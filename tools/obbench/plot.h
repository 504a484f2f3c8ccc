/*
 * Figures like the paper's: time against length, measured as points, predicted as lines, one
 * colour a topology. Made by gnuplot.
 */
#ifndef OBBENCH_PLOT_H
#define OBBENCH_PLOT_H

#include "obbench.h"

/* Writes the .svg files of the folder and says which; one line on standard error and false when
 * there is no gnuplot. */
bool obb_plot(const obb_records *list, const obb_options *o);

/* The folder of the figures; ends the program when it cannot be made or written to. */
void obb_make_folder(const char *path);

/* ----------------------------------------------------- gnuplot.c, variance.c */

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
