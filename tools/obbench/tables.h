/*
 * The tables of LAWN 73 (5 to 8, 11, 12, 14 to 16): one least-squares line over a range of
 * lengths, and how far predictions are off.
 */
#ifndef OBBENCH_TABLES_H
#define OBBENCH_TABLES_H

#include "fit.h"
#include "obbench.h"

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
