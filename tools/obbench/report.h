/*
 * Output: records as tables, JSON or CSV, and back from CSV.
 */
#ifndef OBBENCH_REPORT_H
#define OBBENCH_REPORT_H

#include "fit.h"
#include "obbench.h"

/* CSV is also how processes hand records to whoever started them. */
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

/* ------------------------------------------------------------------ tables.c
 * The tables of LAWN 73 (5 to 8, 11, 12, 14 to 16): one least-squares line over a range of
 * lengths, and how far predictions are off. */

/* The records of one curve: everything but the length is the same. */
bool obb_same_series(const obb_record *a, const obb_record *b);
/* Is this the first record of its series? */
bool obb_begins_series(const obb_records *list, int index);

typedef struct obb_range {
    size_t from, to; /* bytes, both inclusive */
} obb_range;

/* alpha and beta (us, N counting doubles) through all points of a series in the range, repeats
 * included, as in 3.3; error: the largest (max - min) / average of a length's repeats, the empty
 * message left out, -1 when none was repeated. False for fewer than two lengths. */
typedef struct obb_fitted {
    obb_fit line;
    double error;
    int lengths, points;
} obb_fitted;
bool obb_fit_series(const obb_records *list, const obb_record *of, obb_range range,
                    obb_fitted *out);

/* Of the topologies that a call was measured with in this series' place (same system, processes and
 * so on), is this the one with the least times? Their geometric mean over the range. */
bool obb_is_best(const obb_records *list, const obb_record *of, obb_range range);

/* The range a series is shown over: what was asked for, else the paper's primary range. */
obb_range obb_range_of(const obb_options *o);

void obb_write_paper_tables(FILE *out, const obb_records *list, const obb_options *o);
/* The lines as the value of a JSON key. */
void obb_write_json_lines(FILE *out, const obb_records *list, const obb_options *o);

#endif
