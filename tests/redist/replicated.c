/*
 * Transposes whose arrays are replicated: all process columns, or rows, have them whole. They are
 * ScaLAPACK's, which stands behind libopenblacs_redist. Each type has a routine of its own there.
 */
#include "array.h"

enum { N = 5, M = 7, BLOCK = 2, MOST = N * M };

/* An array on a grid of one row of processes, or of one column (`down`): spread over its processes,
 * or whole in each (replicated). */
typedef struct shape {
    int m, n;
    bool down, replicated;
} shape;

static bool is_here(const shape *s, int i, int j)
{
    return s->replicated || (s->down ? i : j) / BLOCK % world.count == world.me;
}

static size_t place(const shape *s, int i, int j)
{
    int *along = s->down ? &i : &j;
    if (!s->replicated)
        *along = *along / BLOCK / world.count * BLOCK + *along % BLOCK;
    return (size_t)i + (size_t)j * (size_t)s->m;
}

static void fill_desc(const shape *s, int context, int desc[9])
{
    const int first = s->replicated ? -1 : 0;
    const int all[9] = {
        1, context, s->m, s->n, BLOCK, BLOCK, s->down ? first : 0, s->down ? 0 : first, s->m};
    memcpy(desc, all, sizeof all);
}

#define CALL(name, real)                                                                           \
    do {                                                                                           \
        const real one[2] = {1}, none[2] = {0};                                                    \
        name(&m, &n, one, a, &first, &first, desca, none, c, &first, &first, descc);               \
    } while (0)

static void transpose(char type, const void *a, const int *desca, void *c, const int *descc)
{
    static const int first = 1, m = M, n = N;
    switch (type) {
    case 's': CALL(pstran_, float); break;
    case 'd': CALL(pdtran_, double); break;
    case 'c': CALL(pctranu_, float); break;
    case 'z': CALL(pztranu_, double); break;
    case 'C': CALL(pctranc_, float); break;
    default: CALL(pztranc_, double);
    }
}

static void one_case(char type, int context, bool down, bool a_replicated, bool c_replicated)
{
    const shape of_a = {N, M, down, a_replicated}, of_c = {M, N, down, c_replicated};
    const char kind = (char)(type | 32); /* of the elements */
    int desca[9], descc[9], wrong = 0;
    double complex a[MOST], c[MOST], right[MOST];
    memset(a, 0, sizeof a);
    memset(c, 0, sizeof c);
    memset(right, 0, sizeof right);
    fill_desc(&of_a, context, desca);
    fill_desc(&of_c, context, descc);
    for (int j = 0; j < M; j++)
        for (int i = 0; i < N; i++) {
            number x = 10 * i + j + (kind == 'c' || kind == 'z' ? I : 0);
            if (is_here(&of_a, i, j))
                set(kind, a, place(&of_a, i, j), x);
            if (is_here(&of_c, j, i))
                set(kind, right, place(&of_c, j, i), type == kind ? x : conj(x));
        }
    transpose(type, a, desca, c, descc);
    for (size_t i = 0; i < MOST * bytes_of(kind); i++)
        wrong += ((char *)c)[i] != ((char *)right)[i];
    check(wrong == 0, "type %c, down %d, replicated %d %d: %d bytes are wrong", type, down,
          a_replicated, c_replicated, wrong);
}

int main(void)
{
    begin();
    for (int down = 0; down < 2; down++) {
        int context = down ? make_grid(world.count, 1) : make_grid(1, world.count);
        for (const char *type = "sdczCZ"; *type; type++)
            for (int way = 0; way < 4; way++)
                one_case(*type, context, down, way % 2, way / 2);
        Cblacs_gridexit(context);
    }
    return finish();
}
