/*
 * Inside libopenblacs_redist: what one call moves, and how it is cut. Routines (routines.c) make a
 * call of their arguments (arguments.c), the processes compare what each has said and who is where
 * (agree.c), and then exchange (exchange.c) streams of elements (stream.c, transpose.c), of which
 * lines.c says where they lie.
 */
#ifndef OPENBLACS_REDIST_INSIDE_H
#define OPENBLACS_REDIST_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openblacs/core.h"

/* No memory for lists of our own, of which the core has no line. Else a status is one of the
 * core's.
 */
enum { OBRD_ENOMEM = 1 };

/* ---------------------------------------------------------------- lines.c */

/* How the rows, or the columns, of an array are dealt to the rows, or columns, of a grid: a first
 * block of its own size at process `source`, then blocks of one size. */
typedef struct obrd_axis {
    int64_t start, block, source, processes;
} obrd_axis;

/* Where the part of such an array lies that is moved: so many elements stand before it. */
typedef struct obrd_part {
    obrd_axis axis;
    int64_t first;
} obrd_part;

/* A run of rows, or columns, that lie together on both sides. */
typedef struct obrd_run {
    int64_t at;     /* the first one's index in what is moved */
    int64_t here;   /* and in this process's local array */
    int64_t before; /* how many of the list stand in runs before it */
} obrd_run;

/* The rows that this process shares with one process row of the other side, in order; or columns.
 * Behind the last run stands one more, whose `before` is how many there are. */
typedef struct obrd_list {
    const obrd_run *run;
    size_t runs;
} obrd_list;

/* The same runs in the order in which they lie in this process's array, without gaps: each ends
 * where the next one begins. */
typedef struct obrd_step {
    int64_t at, here;
    int64_t who; /* has it on the other side */
} obrd_step;

/* The lists for all process rows of the other side; and all of them as steps, behind which stands
 * one more. */
typedef struct obrd_lines {
    obrd_run *run;
    size_t *begin; /* of each list in run, and where the last one ends */
    obrd_step *step;
    size_t steps;
} obrd_lines;

/* The lists of what process `me` of the one side has of n rows. OB_OK or OBRD_ENOMEM. */
int obrd_lines_make(obrd_lines *lines, const obrd_part *mine, int64_t me, const obrd_part *other,
                    int64_t n);
void obrd_lines_free(obrd_lines *lines);
static inline obrd_list obrd_list_of(const obrd_lines *lines, int64_t process)
{
    size_t begin = lines->begin[process];
    return (obrd_list){lines->run + begin, lines->begin[process + 1] - begin - 1};
}
static inline int64_t obrd_list_count(const obrd_list *list)
{
    return list->run[list->runs].before;
}
/* The number of the run that has line k of the list; 0 <= k < its count. */
size_t obrd_list_find(const obrd_list *list, int64_t k);
/* How many of the list have an index below `at`. */
int64_t obrd_list_below(const obrd_list *list, int64_t at);
/* How many elements of the axis a process has. */
int64_t obrd_axis_count(const obrd_axis *axis, int64_t process, int64_t n);

/* --------------------------------------------------------------- stream.c */

/* What is done with elements where they arrive: to = beta to + alpha from, n of them, behind each
 * other on both sides. */
typedef void (*obrd_apply)(size_t n, void *to, const void *from, const void *alpha,
                           const void *beta);

/* What a call moves. Index 0 is rows, 1 columns, of what is read. */
typedef struct obrd_move {
    int64_t length[2];
    size_t bytes; /* of an element */
    ob_shape shape;
    int without_diagonal;
    bool transposed;  /* to (j, i) */
    obrd_apply apply; /* NULL: copied */
    const void *alpha, *beta;
} obrd_move;

/* What two processes have in common, as one of them sees it: elements in an order that both know,
 * and how far they have come. Blocks of columns of what is read follow each other. Within one a row
 * follows the other, for what is transposed; else a block is one column. */
typedef struct obrd_stream {
    const obrd_move *move;
    obrd_list list[2]; /* rows and columns of what is read */
    int64_t count[2];
    char *local;
    size_t ld; /* elements */
    int64_t column, row;
} obrd_stream;

/* Columns of a block of what is transposed. */
enum { OBRD_WIDE = 16 };

static inline bool obrd_stream_ended(const obrd_stream *s)
{
    return s->column >= s->count[1] || s->count[0] == 0;
}
/* Copies the next elements to the buffer, or from it, as many as fit into `bytes` and there are;
 * returns their bytes. */
size_t obrd_pack(obrd_stream *s, char *to, size_t bytes);
size_t obrd_unpack(obrd_stream *s, const char *from, size_t bytes);
/* All elements straight from one to the other: both are this process's. Not of what is transposed.
 */
void obrd_copy(const obrd_stream *from, const obrd_stream *to);
/* How many bytes of that column the list has. */
size_t obrd_column_bytes(const obrd_move *move, const obrd_list *rows, int64_t at);
/* Deals that column, which begins at `local`, to the places to[] of all who have rows of it, and
 * moves these on; and collects it from there. Where it is collected without the cache, nobody reads
 * it soon. */
void obrd_deal(const obrd_move *move, const obrd_lines *rows, int64_t at, const char *local,
               char **to);
void obrd_collect(const obrd_move *move, const obrd_lines *rows, int64_t at, char *local,
                  const char **from, bool cached);

/* ------------------------------------------------------------ transpose.c */

size_t obrd_pack_transposed(obrd_stream *s, char *to, size_t bytes);
size_t obrd_unpack_transposed(obrd_stream *s, const char *from, size_t bytes);
/* The function for elements of a type; NULL where it is a copy: alpha is 1, beta 0, no conjugates.
 */
obrd_apply obrd_apply_of(ob_type type, bool conjugate, const void *alpha, const void *beta);
/* Is the scalar of the type zero, or one? */
bool obrd_is(ob_type type, const void *scalar, int value);

/* ------------------------------------------------------------- exchange.c */

/* A matrix, and the caller's place in its grid; row -1: it has none. */
typedef struct obrd_side {
    obrd_part part[2]; /* rows, columns */
    int64_t row, column;
    char *local;
    size_t ld;
} obrd_side;

/* Where a member is in the grids of the two sides. */
typedef struct obrd_place {
    int32_t row[2], column[2];
} obrd_place;

/* A matrix that goes from one distribution to another; place is that of the members, by position.
 */
typedef struct obrd_moved {
    obrd_move move;
    obrd_side from, to;
    const obrd_place *place;
} obrd_moved;

/* All members of the group call, with the same n matrices in the same order; n > 0. What core.h
 * says of a failure. */
int obrd_exchange(ob_group *group, size_t n, const obrd_moved *moved);
/* Multiplies the caller's elements of an m x n part by beta; what zero multiplies is not read.
 * OBRD_ENOMEM. */
int obrd_scale(ob_type type, const obrd_side *side, int64_t m, int64_t n, const void *beta);

/* ------------------------------------------------------------ arguments.c */

/* Entries of a descriptor, made alike of both types. */
enum { DTYPE, CTXT, M, N, IMB, INB, MB, NB, RSRC, CSRC, LLD, OBRD_ENTRIES };

/* A matrix as a routine gets it. */
typedef struct obrd_matrix {
    int64_t i, j, m, n; /* the part of it */
    int64_t desc[OBRD_ENTRIES];
    void *local;
    int m_place, n_place, desc_place;   /* in the argument list; i and j stand before desc */
    int64_t rows, columns, row, column; /* its grid, and where the caller is; row -1: not in it */
} obrd_matrix;

/* What a process has found wrong: the argument, 100 times its number and the entry of a descriptor
 * (above, and 1); 0: nothing. */
typedef struct obrd_fault {
    int part;
    char text[200];
} obrd_fault;

/* One call of a routine. */
typedef struct obrd_call {
    const char *routine, *names; /* of its arguments, with spaces between them */
    ob_group *group;             /* the processes that call */
    int64_t context;
    int context_place;
    int64_t code[6]; /* what else all must say alike: the routine, letters, scalars */
    obrd_matrix a, b;
    obrd_move move;
    obrd_fault fault;
} obrd_call;

/* The largest array: with blocks as long as it, so many on each process count far below 2^63. */
#define OBRD_LONGEST ((int64_t)1 << 48)
/* How the rows, or columns, of the matrix are dealt. A block is no longer than they are. */
obrd_axis obrd_axis_of(const obrd_matrix *x, int axis);
/* Finds the group, and where the caller is in the grids. The end of the job where `context` is
 * none. */
void obrd_enter(obrd_call *c);
/* The end of the job where the core's calls are put together. */
void obrd_refuse_together(const obrd_call *c);
/* Notes the first wrong thing of a call's arguments, as this process sees them. */
void obrd_check(obrd_call *c);
/* Compares what all members have said of n calls of one group, and learns what others alone know:
 * the descriptor of a matrix in whose grid the caller is not, and each member's place, of one call
 * after the other. Ends the job where something is wrong.
 */
void obrd_agree(obrd_call *c, size_t n, obrd_place *place);
/* The end of the job where not all have as many calls put together. */
void obrd_agree_count(const obrd_call *c, size_t n);

/* ---------------------------------------------------------------- calls.c */

/* Of n calls of one group, by all its members: checks and compares the arguments, and returns each
 * member's place, of one call after the other, for the caller to free; */
obrd_place *obrd_meet(obrd_call *c, size_t n);
/* brings the matrices to where they go; */
void obrd_bring(const obrd_call *c, size_t n, const obrd_place *place);
/* and both. */
void obrd_carry_out(obrd_call *c, size_t n);
obrd_side obrd_side_of(const obrd_matrix *x);
/* The end of the job where moving has failed. */
void obrd_must_move(const obrd_call *c, int status);

/* -------------------------------------------------------------- entries.c */

typedef struct obrd_arguments {
    const char *routine;
    ob_type type;
    int64_t m, n, ia, ja, ib, jb, context;
    const void *a;
    void *b;
    int64_t desca[OBRD_ENTRIES], descb[OBRD_ENTRIES];
} obrd_arguments;

void obrd_gemr2d(const obrd_arguments *g);
void obrd_trmr2d(const obrd_arguments *g, const char *uplo, const char *diag);
/* b is C. */
void obrd_tran(const obrd_arguments *g, bool conjugate, const void *alpha, const void *beta);

/* ------------------------------------------------------------- together.c */

/* Between the two of a thread obrd_gemr2d and obrd_trmr2d are noted; the end carries them out. They
 * count. */
void obrd_together_begin(void);
void obrd_together_end(void);
/* Notes a call; false: it is to be carried out now. */
bool obrd_together_note(const obrd_call *c);

/* ---------------------------------------------------------------- fault.c */

/* The line, with "argument 6 (DESCA)" or "entry 5 (MB_) of argument 6 (DESCA)" before the text. */
void obrd_say_part(const obrd_call *c, int part, const char *code, const char *text);
void obrd_say(const obrd_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void obrd_end(void);
/* Is the caller the one to say what is wrong? It knows, or others do, to whom it leaves it for a
 * while. */
bool obrd_speaks(bool knows);
/* The line of a failed core call, and the end of the job, unless status is OB_OK. */
void obrd_must(const obrd_call *c, int status);
void *obrd_room(const obrd_call *c, size_t count, size_t bytes);

#endif
