/*
 * Output: records as tables, JSON or CSV, and back from CSV.
 */
#ifndef OBBENCH_REPORT_H
#define OBBENCH_REPORT_H

#include "obbench.h"

/* CSV is also how processes hand records to whoever started them. */
extern const char obb_csv_head[];
void obb_write_csv_line(FILE *out, const obb_record *r);
/* One line; false when it is none of ours. Nothing in it is trusted. */
bool obb_read_csv_line(const char *line, obb_record *r);
/* Adds a file's records; ends the program when it cannot be read. */
void obb_read_csv(const char *path, obb_records *list);

void obb_write_csv(FILE *out, const obb_records *list);
/* With the profile unless NULL, and the lines of LAWN 73's tables when they were asked for. */
void obb_write_json(FILE *out, const obb_records *list, const ob_profile *profile,
                    const obb_options *o);
/* One table for each kind of point; predicted: with columns for the models. */
void obb_write_tables(FILE *out, const obb_records *list, const obb_options *o);

/* Fills in what the models say, where they say something; machine: what the paper's formulas assume
 * (OB_PAPER_ bits). */
void obb_predict_all(obb_records *list, const ob_profile *profile, int machine);
/* How well: per kind and number of processes, the share of points within 15 and
 * 30 %, and the median and largest relative errors. */
void obb_write_quality(FILE *out, const obb_records *list, const obb_options *o);
/* The fitted lines as in the paper's tables 5 to 7 and 14. */
void obb_write_profile(FILE *out, const ob_profile *profile, const obb_records *list);
/* What differs between two profiles, at lengths from 8 B to 4 MiB. */
void obb_write_difference(FILE *out, const ob_profile *a, const ob_profile *b);

#endif
