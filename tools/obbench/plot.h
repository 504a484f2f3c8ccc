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

#endif
