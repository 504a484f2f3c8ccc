/*
 * Where the records come from: the job this process is in, or jobs it starts.
 */
#ifndef OBBENCH_JOB_H
#define OBBENCH_JOB_H

#include "obbench.h"

typedef struct obb_bsp {
    int p;
    double s, g, l;
} obb_bsp;

typedef struct obb_results {
    obb_records records;
    obb_bsp bsp[OBB_SIZES];
    int bsp_count;
} obb_results;

/* As obb_die, of what all processes of a job find alike, before they have begun: one
 * says it. All are about options: OB-9601. */
__attribute__((format(printf, 1, 2), noreturn)) void obb_refuse(const char *format, ...);
/* Measures in the job of this process. True at its process 0. */
bool obb_run_here(const obb_options *o, ob_job *job, obb_results *out);
/* Starts a job of each size in turn, of this program with the same arguments. */
void obb_run_jobs(int argc, char **argv, const obb_options *o, obb_results *out);
/* Progress on standard error: how much is done, and of which job. What the bar of a terminal has
 * left is wiped before anything else is printed. */
void obb_show_part(double part, const char *job);
void obb_wipe_bar(void);
/* What follows is what is left after this part of all. */
void obb_show_from(double part);
/* The same of the fit behind the measurements, whose parts take as long. */
void obb_show_fit(double part);
/* Says what it does next, after measurements long enough for progress to be shown. */
void obb_tell_stage(const obb_options *o, const char *what);

#endif
