/*
 * The network between nodes: its numbers, and its shape from where messages meet.
 *
 * On a torus all members send to the one so many further on, along rows first. Then each link of a
 * dimension carries as many messages as each has to go in it: that many times longer take the
 * bytes. A switch shows 1 for every pattern.
 */
#include "core/network.h"

#include <math.h>

/* ------------------------------------------------------------------ one number */

enum { TIME_BITS = 8, SEND_BITS = 4, SHARED_BITS = 2, SHAPE_BITS = 6, PER_OCTAVE = 8 };
/* The least times, in octaves of a microsecond: 16 ns to start, 4 TB/s. */
enum { LEAST_START = -6, LEAST_BYTE = -22, MOST_SHAPES = 1 << SHAPE_BITS };

static int log_step(double time, int least)
{
    int step = time > 0 ? (int)lround(PER_OCTAVE * (log2(time) - least)) : 0;
    return step < 0 ? 0 : step >= 1 << TIME_BITS ? (1 << TIME_BITS) - 1 : step;
}

static double of_step(int step, int least)
{
    return exp2((double)step / PER_OCTAVE + least);
}

/* The k-th divisor, counted from 0; 0: there are fewer. */
static int divisor(int nodes, int k)
{
    for (int d = 1; d <= nodes; d++)
        if (nodes % d == 0 && k-- == 0)
            return d;
    return 0;
}

int ob_network_code(const ob_network *n)
{
    int shape = 0, shared = n->shared;
    while (shape < MOST_SHAPES && divisor(n->nodes, shape) != n->columns)
        shape++;
    if (shape == MOST_SHAPES)
        shape = shared = 0;
    int send = n->start > 0 ? (int)lround(n->send / n->start * (1 << SEND_BITS)) : 0;
    send = send < 0 ? 0 : send >= 1 << SEND_BITS ? (1 << SEND_BITS) - 1 : send;
    int code = log_step(n->start, LEAST_START);
    code = code << TIME_BITS | log_step(n->byte, LEAST_BYTE);
    code = code << SEND_BITS | send;
    code = code << SHAPE_BITS | shape;
    return (code << SHARED_BITS | shared) + 1;
}

ob_network ob_network_of(int code, int nodes)
{
    ob_network n = {.nodes = nodes};
    code--;
    n.shared = code & ((1 << SHARED_BITS) - 1);
    code >>= SHARED_BITS;
    n.columns = n.shared ? divisor(nodes, code & (MOST_SHAPES - 1)) : nodes;
    n.rows = nodes / n.columns;
    code >>= SHAPE_BITS;
    int send = code & ((1 << SEND_BITS) - 1);
    code >>= SEND_BITS;
    n.byte = of_step(code & ((1 << TIME_BITS) - 1), LEAST_BYTE);
    n.start = of_step(code >> TIME_BITS, LEAST_START);
    n.send = n.start * send / (1 << SEND_BITS);
    return n;
}

/* --------------------------------------------------------------------- patterns */

/* Below so many nodes there are too few patterns to tell a torus from chance. */
enum { FEWEST = 64, DIMENSIONS = 3 };

int ob_network_patterns(int nodes, int pattern[OB_NETWORK_PATTERNS])
{
    int count = 0;
    if (nodes < FEWEST || nodes % 2)
        return 0;
    for (int away = nodes / 2; away > 0 && count < OB_NETWORK_PATTERNS; away /= 4)
        pattern[count++] = away;
    return count;
}

/* Sizes from near to far. */
typedef struct torus {
    int dimensions, of[DIMENSIONS];
} torus;

/* Messages that meet on a link, in the dimension where most do. Of members that go on by no
 * multiple of the dimensions before, as many as the fraction says go one further. */
static double meeting(const torus *t, int pattern)
{
    double most = 1, stride = 1;
    for (int k = 0; k < t->dimensions; k++) {
        double away = fmod(pattern, stride * t->of[k]) / stride, back = t->of[k] - away;
        double load = away < back ? away : back;
        most = load > most ? load : most;
        stride *= t->of[k];
    }
    return most;
}

typedef struct fitting {
    const int *pattern;
    const double *crowd;
    int count;
    torus best;
    double least; /* sum of squares; INFINITY: none fits */
} fitting;

/* What was seen may be off by this factor. One more of each, lest small ones weigh as much. */
static const double OFF = 1.6;

static void try_torus(fitting *f, const torus *t)
{
    double sum = 0;
    for (int k = 0; k < f->count; k++) {
        double off = log((f->crowd[k] + 1) / (meeting(t, f->pattern[k]) + 1));
        if (!(fabs(off) <= log(OFF)))
            return;
        sum += off * off;
    }
    if (sum < f->least * (1 - 1e-9)) {
        f->least = sum;
        f->best = *t;
    }
}

/* Three dimensions are only tried for where two do not fit. */
static void try_tori(fitting *f, int nodes)
{
    for (int a = 2; a <= nodes; a++)
        if (nodes % a == 0)
            try_torus(f, &(torus){nodes / a > 1 ? 2 : 1, {a, nodes / a}});
    for (int a = 2; a <= nodes && f->best.dimensions % 3 == 0; a++)
        for (int b = 2; nodes % a == 0 && b <= nodes / a; b++)
            if (nodes / a % b == 0)
                try_torus(f, &(torus){3, {a, b, nodes / a / b}});
}

void ob_network_find_shape(ob_network *n, const int *pattern, const double *crowd, int count)
{
    static const double MUCH = 1.3;
    fitting f = {pattern, crowd, count, {0}, INFINITY};
    double most = 0;
    n->rows = 1;
    n->columns = n->nodes;
    n->shared = 0;
    for (int k = 0; k < count; k++)
        most = crowd[k] > most ? crowd[k] : most;
    if (most > MUCH)
        try_tori(&f, n->nodes);
    if (f.best.dimensions == 0)
        return;
    n->columns = f.best.of[0];
    n->rows = n->nodes / n->columns;
    /* The planner knows two dimensions: further ones are rows, whose ends are not joined. */
    n->shared = f.best.dimensions < 3 ? 2 : 1;
}

/* -------------------------------------------------------------------- of members */

void ob_network_shape_of(const ob_network *n, const int *node, int size, int *rows, int *columns,
                         int *shared)
{
    int stride = size > 1 ? node[1] - node[0] : 0;
    *rows = 1;
    *columns = size;
    *shared = 0;
    for (int i = 1; i < size; i++) {
        if (node[i] == node[i - 1])
            return; /* some share a node: their leaders are asked again */
        if (node[i] - node[i - 1] != stride)
            stride = 0;
    }
    if (n->shared == 0)
        return;
    *shared = 1;
    bool rows_of_it = stride == 1 && node[0] % n->columns == 0 && size % n->columns == 0;
    if (rows_of_it) {
        *columns = n->columns;
        *rows = size / n->columns;
    }
    bool row = rows_of_it && *rows == 1, column = stride == n->columns && size == n->rows;
    if (row || column || size == n->nodes)
        *shared = rows_of_it || column ? n->shared : 1;
}
