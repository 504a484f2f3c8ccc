/*
 * obbench verdict: OpenBLACS, the netlib BLACS and the plain calls of the MPI side by side in the
 * same processes, round after round, told in one paragraph and one picture.
 */
#ifndef OBBENCH_VERDICT_H
#define OBBENCH_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "obbench/face.h"
#include "openblacs/core.h"

/* ------------------------------------------------------------------ options.c */

/* What is compared. OBV_MESSAGE has the places of a near and a far pair, too. */
typedef enum obv_work {
    OBV_MESSAGE = 0, /* where all pairs are alike */
    OBV_NEAR,
    OBV_FAR,
    OBV_BROADCAST,
    OBV_SUM,
    OBV_REPEATABLE, /* a sum with the same bits in every run: --rows long */
    OBV_AMX,        /* largest absolute values, and where they are: --rows long */
    OBV_LU,
    OBV_WORKS
} obv_work;

typedef struct obv_options {
    double seconds;           /* for all */
    int processes;            /* of the jobs that it starts; 0: one for each processor */
    bool asked[OBV_WORKS];    /* OBV_MESSAGE stands for its three */
    bool rows_long;           /* all lengths */
    int order, block, rounds; /* rounds: of each job, 0: as many as there is time for */
    double noise;             /* the share of its time that a processor may lose */
    int pair[2][2];           /* near and far, found by an earlier job; -1: not yet */
    const char *scalapack, *picture, *figures, *input, *profile;
    bool write, quiet, child, bound;
    bool looks; /* a child that only looks for noise */
    bool told;  /* a child that does not say again what is left out */
} obv_options;

/* Ends the program after --help, and with a line for what it does not understand. */
void obv_read_options(int argc, char **argv, obv_options *o);

/* ------------------------------------------------------------------ figures.c */

/* All samples of one kind of work of one way in the jobs of one launcher. */
typedef struct obv_series {
    char launcher[12]; /* obrun, openmpi, mpich */
    char way[12];      /* openblacs, netlib, mpi; machine: what is known of the machine itself */
    char work[16], key[24];
    int processes, count;
    double *values;
    size_t room;
} obv_series;

typedef struct obv_figures {
    obv_series *at;
    int count;
    size_t room;
    char machine[128];
} obv_figures;

extern const char *const obv_work_names[OBV_WORKS];

void obv_add(obv_figures *f, const obv_series *of, double value);
/* A line of a file of figures, or of a job's output behind "= "; false: it is none. */
bool obv_read_line(obv_figures *f, const char *line);
void obv_write_line(FILE *out, const obv_series *of, double value);
void obv_write_file(const char *path, const obv_figures *f);
void obv_read_file(const char *path, obv_figures *f);
void obv_free(obv_figures *f);
const obv_series *obv_find(const obv_figures *f, const char *launcher, const char *way,
                           const char *work, const char *key);
/* The median; -1: there is none. */
double obv_middle(const obv_series *s);

/* --------------------------------------------------------------------- ways.c */

/* One library that does the work. Processes are numbered as in the job. All but barrier take
 * doubles; a matrix has m rows, n columns, and ld elements from column to column. */
typedef struct obv_blacs obv_blacs;
typedef struct obv_scalapack obv_scalapack;
typedef struct obv_way {
    const char *name;
    const obv_blacs *blacs;         /* NULL: plain MPI */
    const obb_face *face;           /* NULL: a BLACS */
    const obv_scalapack *scalapack; /* over this BLACS; NULL: none */
    int grid;
} obv_way;

enum { OBV_WAYS = 3 };
/* Those of this job; why one is left out is said by process 0 when `say`. Collective. */
int obv_open_ways(const obv_options *o, ob_job *job, bool say, obv_way ways[OBV_WAYS]);
void obv_close_ways(obv_way *ways, int count);
void obv_send(const obv_way *w, int dest, const double *a, int m, int n, int ld);
void obv_receive(const obv_way *w, int source, double *a, int m, int n, int ld);
void obv_barrier(const obv_way *w);
/* Of all, from process 0; left on all. */
void obv_broadcast(const obv_way *w, int me, double *a, int n);
void obv_sum(const obv_way *w, double *a, double *spare, int n);
/* Only a BLACS. where: 2 n integers. */
void obv_amx(const obv_way *w, double *a, int *where, int n);
void obv_ask_repeatable(const obv_way *w, int on);
/* The file of the ScaLAPACK for this kind of MPI; "": none. Looked for in a process of its own. */
void obv_find_scalapack(const obv_options *o, const char *kind, char *path, size_t room);

/* ----------------------------------------------------------------------- lu.c */

/* An LU of a random matrix by PDGETRF on a grid as square as can be. NULL: no memory, no
 * ScaLAPACK. Collective, as all below. */
typedef struct obv_lu obv_lu;
obv_lu *obv_lu_open(const obv_way *w, int order, int block, int me, int processes);
double obv_lu_us(obv_lu *lu);
void obv_lu_close(obv_lu *lu);
const char *obv_lu_key(const obv_lu *lu);

/* --------------------------------------------------------------------- here.c */

/* Takes a figure, at process 0. */
typedef void obv_sink(void *context, const obv_series *of, double value);
/* Measures in the job of this process; with o->looks only what other programs take. Collective. */
void obv_measure(const obv_options *o, ob_job *job, obv_sink *sink, void *context);

/* --------------------------------------------------------------------- jobs.c */

/* Says what there is and what is left out; then measures in jobs of each launcher in turn. */
void obv_run_jobs(obv_options *o, obv_figures *f, double seconds);
/* A job of obrun that looks for noise once more. */
void obv_run_look(const obv_options *o, obv_figures *f);
/* A number for the set of processors that this process may use. */
unsigned long long obv_processors_here(void);
/* This process goes to the processor of its number, of those it may use; before the job starts. */
void obv_take_processor(void);
bool obv_has_gnuplot(void);

/* -------------------------------------------------------------------- noise.c */

/* The share of `seconds` that this process did not have its processor. */
double obv_lost(double seconds);
/* Whether the figures tell of a machine with other work; why, for a line. */
bool obv_is_noisy(const obv_figures *f, double limit, char *why, size_t room);

/* -------------------------------------------------------------------- words.c */

/* noise: the share of its time that a processor may lose before the verdict is doubtful. */
void obv_tell(FILE *out, const obv_figures *f, double noise);
void obv_tell_bars(FILE *out, const obv_figures *f);
/* "near message, 64 KiB" */
void obv_row_title(const obv_series *s, char *text, size_t room);
/* "0.072 us", "17.4 ms"; micro: how its letter is written. */
void obv_time_text(double us, const char *micro, char *text, size_t room);
/* Bars of one row in their order, at most OBV_BARS. */
enum { OBV_BARS = 9 };
typedef struct obv_bar {
    char name[32];
    double us;
    int colour; /* 0 ours under obrun, 1 under an mpirun, 2 netlib, 3 plain MPI */
} obv_bar;
int obv_bars_of(const obv_figures *f, const obv_series *row, obv_bar bars[OBV_BARS]);
/* The rows that are shown, in their order; NULL behind the last. */
const obv_series *obv_row_at(const obv_figures *f, int i);

/* ------------------------------------------------------------------ verdict.c */

/* The whole command; returns the exit status. */
int obv_verdict(int argc, char **argv);

/* ------------------------------------------------------------------ picture.c */

/* NAME.svg and NAME.png; false: gnuplot failed. noise: as for obv_tell. */
bool obv_draw(const obv_figures *f, const char *name, double noise);

#endif
