/*
 * The conformance suite of jobs, groups and messages. What must hold on every
 * transport and for every number of processes: contents and order, all types
 * and shapes, sends that need no receiver, groups that do not see each other.
 */
#include "harness.h"

/* -------------------------------------------------------------- matrices */

enum { EDGE = 3, FILL = 0x5b };

typedef struct matrix {
    ob_view view;
    unsigned char *memory;
    size_t bytes;
} matrix;

static void open_matrix(matrix *x, size_t m, size_t n, size_t ld, ob_type type, ob_shape shape,
                        int unit)
{
    x->view = (ob_view){
        .m = m, .n = n, .ld = ld ? ld : 1, .type = type, .shape = shape, .unit_diagonal = unit};
    x->bytes = (x->view.ld * n + 2 * EDGE) * ob_type_bytes(type);
    x->memory = malloc(x->bytes);
    memset(x->memory, FILL, x->bytes);
    x->view.base = x->memory + EDGE * ob_type_bytes(type);
}

static void close_matrix(matrix *x)
{
    free(x->memory);
}

/* Does element (i, j) belong to the view (core.h, ob_shape)? */
static int belongs(const ob_view *v, long i, long j)
{
    long m = (long)v->m, n = (long)v->n;
    if (v->shape == OB_UPPER) {
        long last = j + (m > n ? m - n : 0);
        return i < last || (i == last && !v->unit_diagonal);
    }
    if (v->shape == OB_LOWER) {
        long first = j - (n > m ? n - m : 0);
        return i > first || (i == first && !v->unit_diagonal);
    }
    return 1;
}

/* n elements of message `seed`, from the k-th that travels on. */
static void write_elements(unsigned char *at, size_t unit, uint64_t seed, size_t k, size_t n)
{
    if (unit == 1) {
        write_bytes(at, seed, k, n);
        return;
    }
    for (size_t i = 0; i < n; i++, k++) {
        uint64_t bits[2] = {mix(seed + 2 * k), unit > 8 ? mix(seed + 2 * k + 1) : 0};
        memcpy(at + i * unit, bits, unit);
    }
}

/* Writes the elements of message `seed` into the view, or compares them; the
 * k-th element that travels has bytes that follow from seed and k. Returns
 * whether all is as it should be, the memory around included. */
static int walk(const matrix *x, uint64_t seed, int write)
{
    const ob_view *v = &x->view;
    size_t unit = ob_type_bytes(v->type), k = 0;
    unsigned char *expected = malloc(x->bytes);
    memset(expected, FILL, x->bytes);
    for (size_t j = 0; j < v->n; j++) {
        size_t from = 0, to = v->m; /* those that belong follow each other */
        while (from < to && !belongs(v, (long)from, (long)j))
            from++;
        while (to > from && !belongs(v, (long)to - 1, (long)j))
            to--;
        write_elements(expected + (EDGE + from + j * v->ld) * unit, unit, seed, k, to - from);
        k += to - from;
    }
    int good = k == ob_view_count(v);
    if (write)
        memcpy(x->memory, expected, x->bytes);
    else
        good = good && memcmp(x->memory, expected, x->bytes) == 0;
    free(expected);
    return good;
}

static uint64_t seed_of(int from, int to, int k)
{
    return mix((uint64_t)from * 1000003 + (uint64_t)to * 7919 + (uint64_t)k);
}

static const struct shape {
    size_t m, n, more; /* ld = m + more */
    ob_shape shape;
    int unit;
} shapes[] = {
    {1, 1, 0, OB_GENERAL, 0},     {5, 7, 0, OB_GENERAL, 0},    {5, 7, 4, OB_GENERAL, 0},
    {0, 4, 2, OB_GENERAL, 0},     {4, 0, 2, OB_GENERAL, 0},    {9, 9, 1, OB_UPPER, 0},
    {9, 9, 0, OB_UPPER, 1},       {9, 9, 1, OB_LOWER, 0},      {9, 9, 3, OB_LOWER, 1},
    {12, 5, 2, OB_UPPER, 0},      {12, 5, 0, OB_UPPER, 1},     {12, 5, 2, OB_LOWER, 0},
    {12, 5, 0, OB_LOWER, 1},      {5, 12, 2, OB_UPPER, 0},     {5, 12, 0, OB_UPPER, 1},
    {5, 12, 2, OB_LOWER, 0},      {5, 12, 0, OB_LOWER, 1},     {1, 1, 0, OB_UPPER, 1},
    {100, 40, 60, OB_GENERAL, 0}, {150, 150, 10, OB_UPPER, 0}, {3000, 1, 0, OB_GENERAL, 0},
    {64, 300, 64, OB_GENERAL, 0}, {1, 900, 5, OB_GENERAL, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void open_shape(matrix *x, const struct shape *s, ob_type type)
{
    open_matrix(x, s->m, s->n, s->m + s->more, type, s->shape, s->unit);
}

/* All to all, oneself included, every type and shape; all is sent before
 * anything is received. */
static void types_and_shapes(ob_type type)
{
    matrix x;
    for (int s = 0; s < SHAPES; s++)
        for (int to = 0; to < world.count; to++) {
            open_shape(&x, &shapes[s], type);
            walk(&x, seed_of(world.me, to, s), 1);
            fine(ob_send(everyone, to, s, &x.view), "ob_send");
            memset(x.memory, 0, x.bytes);
            close_matrix(&x);
        }
    for (int s = 0; s < SHAPES; s++)
        for (int from = 0; from < world.count; from++) {
            ob_received r = {0};
            open_shape(&x, &shapes[s], type);
            fine(ob_recv(everyone, from, s, &x.view, &r), "ob_recv");
            check(walk(&x, seed_of(from, world.me, s), 0), "type %d shape %d from %d", type, s,
                  from);
            check(r.source == from && r.tag == s && r.type == type &&
                      r.bytes == ob_view_count(&x.view) * ob_type_bytes(type),
                  "received says source %d tag %d type %d bytes %zu", r.source, r.tag, r.type,
                  r.bytes);
            close_matrix(&x);
        }
}

/* LAWN 73, 4.2: only the number of elements must agree. A trapezoid arrives as
 * a column, a column as another trapezoid. */
static void shapes_differ(void)
{
    static const struct shape pairs[][2] = {
        {{6, 4, 2, OB_GENERAL, 0}, {3, 8, 1, OB_GENERAL, 0}},
        {{9, 9, 2, OB_UPPER, 0}, {45, 1, 0, OB_GENERAL, 0}},
        {{45, 1, 0, OB_GENERAL, 0}, {9, 9, 5, OB_LOWER, 0}},
        {{10, 10, 0, OB_LOWER, 1}, {9, 9, 5, OB_UPPER, 0}},
        {{12, 5, 0, OB_UPPER, 0}, {5, 12, 3, OB_LOWER, 0}},
        {{24, 1, 0, OB_GENERAL, 0}, {1, 24, 7, OB_GENERAL, 0}},
        {{0, 3, 0, OB_GENERAL, 0}, {1, 1, 0, OB_LOWER, 1}},
    };
    int right = (world.me + 1) % world.count, left = (world.me + world.count - 1) % world.count;
    for (int k = 0; k < (int)(sizeof pairs / sizeof *pairs); k++) {
        matrix out, in;
        open_shape(&out, &pairs[k][0], OB_DOUBLE);
        open_shape(&in, &pairs[k][1], OB_DOUBLE);
        walk(&out, seed_of(world.me, right, k), 1);
        fine(ob_send(everyone, right, 0, &out.view), "ob_send");
        fine(ob_recv(everyone, left, 0, &in.view, NULL), "ob_recv");
        check(walk(&in, seed_of(left, world.me, k), 0), "pair %d", k);
        close_matrix(&out);
        close_matrix(&in);
    }
}

/* ------------------------------------------------------------------ sizes */

static const size_t sizes[] = {0,      1,      7,      8,      31,     32,      33,      63,
                               64,     65,     1000,   4032,   4096,   4097,    8191,    8192,
                               16352,  16383,  16384,  16385,  32767,  65536,   65537,   131072,
                               250000, 262112, 262144, 262176, 524288, 1000000, 1048576, 3000000};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void open_bytes(matrix *x, size_t bytes)
{
    open_matrix(x, bytes, 1, bytes, OB_BYTE, OB_GENERAL, 0);
}

/* The receiver is there, comes late, or is in time by chance. */
static void all_sizes(int delay_ms)
{
    int right = (world.me + 1) % world.count, left = (world.me + world.count - 1) % world.count;
    matrix x;
    for (int s = 0; s < SIZES; s++) {
        open_bytes(&x, sizes[s]);
        walk(&x, seed_of(world.me, right, s), 1);
        fine(ob_send(everyone, right, 0, &x.view), "ob_send");
        memset(x.memory, 0, x.bytes);
        close_matrix(&x);
    }
    rest_ms(delay_ms * (world.me % 2));
    for (int s = 0; s < SIZES; s++) {
        open_bytes(&x, sizes[s]);
        fine(ob_recv(everyone, left, OB_ANY, &x.view, NULL), "ob_recv");
        check(walk(&x, seed_of(left, world.me, s), 0), "%zu bytes from %d", sizes[s], left);
        close_matrix(&x);
    }
}

/* Locally blocking (R2): round the ring everybody first sends 20 MB. */
static void ring_of_long_sends(void)
{
    enum { ROWS = 250, COLUMNS = 10000 };
    int right = (world.me + 1) % world.count, left = (world.me + world.count - 1) % world.count;
    matrix x;
    open_matrix(&x, ROWS, COLUMNS, ROWS + 30, OB_DOUBLE, OB_GENERAL, 0);
    walk(&x, seed_of(world.me, right, 1), 1);
    fine(ob_send(everyone, right, 0, &x.view), "ob_send of 20 MB");
    memset(x.memory, FILL, x.bytes);
    fine(ob_recv(everyone, left, 0, &x.view, NULL), "ob_recv of 20 MB");
    check(walk(&x, seed_of(left, world.me, 1), 0), "20 MB from %d", left);
    close_matrix(&x);
}

/* Thousands of short messages that nobody receives yet, in all directions. */
static void many_unreceived(void)
{
    enum { MESSAGES = 3000 };
    int32_t value[3];
    ob_view v = {.base = value, .m = 3, .n = 1, .ld = 3, .type = OB_INT};
    int bad = 0;
    for (int k = 0; k < MESSAGES; k++)
        for (int to = 0; to < world.count; to++) {
            value[0] = world.me, value[1] = to, value[2] = k;
            bad += ob_send(everyone, to, k % 5, &v) != OB_OK;
        }
    for (int tag = 4; tag >= 0; tag--)
        for (int from = 0; from < world.count; from++)
            for (int k = tag; k < MESSAGES; k += 5) {
                bad += ob_recv(everyone, from, tag, &v, NULL) != OB_OK;
                bad += value[0] != from || value[1] != world.me || value[2] != k;
            }
    check(bad == 0, "%d of the short messages were wrong", bad);
}

/* ----------------------------------------------------------------- matching */

/* A receive of any source and tag finds every message once, each source's in
 * order, and never what a collective call of the same group is about. */
static void any_source(void)
{
    enum { EACH = 50 };
    int32_t value[2], *next = calloc((size_t)world.count, sizeof *next);
    ob_view v = {.base = value, .m = 2, .n = 1, .ld = 2, .type = OB_INT};
    int bad = 0;
    if (world.me) {
        for (int k = 0; k < EACH; k++) {
            value[0] = world.me, value[1] = k;
            if (world.me == world.count - 1 && k == 0)
                rest_ms(20); /* the others are in the barrier by then */
            bad += ob_send(everyone, 0, (world.me + k) % 7, &v) != OB_OK;
        }
    } else {
        for (int k = 0; k < EACH * (world.count - 1); k++) {
            ob_received r = {.source = 0};
            bad += ob_recv(everyone, OB_ANY, OB_ANY, &v, &r) != OB_OK;
            bad += r.source != value[0] || value[1] != next[r.source]++;
            bad += r.tag != (r.source + value[1]) % 7;
        }
    }
    fine(ob_barrier(everyone), "ob_barrier");
    check(bad == 0, "%d of the receives from anybody were wrong", bad);
    free(next);
}

/* A wrong size is refused, both sizes are named, the next message is intact. */
static void wrong_sizes(void)
{
    int right = (world.me + 1) % world.count, left = (world.me + world.count - 1) % world.count;
    static double x[5000], y[5000];
    ob_view out = {.base = x, .m = 5000, .n = 1, .ld = 5000, .type = OB_DOUBLE};
    ob_view in = {.base = y, .m = 4999, .n = 1, .ld = 4999, .type = OB_DOUBLE};
    for (int round = 0; round < 3; round++) {
        out.m = round == 2 ? 3 : 5000;
        in.m = round == 1 ? 0 : 4999;
        fine(ob_send(everyone, right, 0, &out), "ob_send");
        x[0] = 4711;
        out.m = 1;
        fine(ob_send(everyone, right, 0, &out), "ob_send");
        int status = ob_recv(everyone, left, 0, &in, NULL);
        check(status == OB_ESIZE, "status %d for a wrong size", status);
        char mine[32], theirs[32];
        snprintf(mine, sizeof mine, "(%zu bytes)", 8 * in.m);
        snprintf(theirs, sizeof theirs, "(%d bytes)", round == 2 ? 24 : 40000);
        check(strstr(ob_error_text(), mine) && strstr(ob_error_text(), theirs), "%s",
              ob_error_text());
        in.m = 1;
        fine(ob_recv(everyone, left, 0, &in, NULL), "the message behind a refused one");
        check(y[0] == 4711, "the message behind a refused one is %g", y[0]);
    }
}

static void bad_arguments(void)
{
    double x[4] = {0};
    ob_view v = {.base = x, .m = 2, .n = 2, .ld = 2, .type = OB_DOUBLE};
    ob_view thin = v, none = v, nowhere = v;
    ob_group *g = NULL;
    uint64_t a, b;
    const int outside = world.count, stranger = (world.me + 1) % world.count;
    thin.ld = 1;
    none.type = OB_TYPES;
    nowhere.base = NULL;
    check(ob_send(everyone, world.count, 0, &v) == OB_EARG, "destination outside");
    check(ob_send(everyone, OB_ANY, 0, &v) == OB_EARG, "destination OB_ANY");
    check(ob_send(everyone, 0, -1, &v) == OB_EARG, "negative tag");
    check(ob_send(everyone, 0, 0, &thin) == OB_EARG, "ld < m");
    check(ob_send(everyone, 0, 0, &none) == OB_EARG, "no type");
    check(ob_send(everyone, 0, 0, &nowhere) == OB_EARG, "no address");
    check(ob_send(everyone, 0, 0, NULL) == OB_EARG, "no matrix");
    check(ob_recv(everyone, world.count, 0, &v, NULL) == OB_EARG, "source outside");
    check(ob_recv(everyone, -2, 0, &v, NULL) == OB_EARG, "source -2");
    check(ob_group_create(job, &outside, 1, &g) == OB_EARG, "a process outside the job");
    if (stranger != world.me)
        check(ob_group_create(job, &stranger, 1, &g) == OB_EARG, "a group of others");
    check(ob_job_traffic(job, world.count, &a, &b) == OB_EARG, "traffic with nobody");
    check(ob_error_text()[0] != 0 && !strchr(ob_error_text(), '\n'), "one line of text");
}

/* ------------------------------------------------------------------- groups */

/* Messages of many groups on the same pairs, received group by group in
 * another order than sent. */
static void many_groups(void)
{
    enum { GROUPS = 12 };
    ob_group *g[GROUPS];
    int32_t value;
    ob_view v = {.base = &value, .m = 1, .n = 1, .ld = 1, .type = OB_INT};
    for (int k = 0; k < GROUPS; k++)
        g[k] = group_of_all();
    for (int k = 0; k < GROUPS; k++)
        for (int to = 0; to < world.count; to++)
            for (int i = 0; i < 3; i++) {
                value = k * 100 + i;
                fine(ob_send(g[k], to, 0, &v), "ob_send");
            }
    for (int k = 0; k < GROUPS; k++) {
        int pick = (k * 5 + world.me) % GROUPS;
        for (int from = world.count - 1; from >= 0; from--)
            for (int i = 0; i < 3; i++) {
                fine(ob_recv(g[pick], from, 0, &v, NULL), "ob_recv");
                check(value == pick * 100 + i, "group %d gave %d", pick, value);
            }
    }
    for (int k = 0; k < GROUPS; k++)
        ob_group_free(g[k]);
}

/* Only the members take part: neighbours, every second one, all but one, each
 * alone, and a group in reverse order. */
static int exchange(ob_group *g, int32_t word)
{
    int size = ob_group_size(g), me = ob_group_me(g), bad = 0;
    int32_t out = word + ob_group_number(g, me), in;
    ob_view o = {.base = &out, .m = 1, .n = 1, .ld = 1, .type = OB_INT}, i = o;
    i.base = &in;
    bad += ob_send(g, (me + 1) % size, 0, &o) != OB_OK;
    int from = (me + size - 1) % size;
    bad += ob_recv(g, from, 0, &i, NULL) != OB_OK;
    bad += in != word + ob_group_number(g, from);
    bad += ob_barrier(g) != OB_OK;
    return bad;
}

static void sub_group(const int *list, int size, int word)
{
    for (int i = 0; i < size; i++)
        if (list[i] == world.me) {
            ob_group *g = group_of(list, size);
            check(ob_group_me(g) == i && ob_group_size(g) == size, "place in a group");
            check(exchange(g, word) == 0, "sub-group %d: %s", word, ob_error_text());
            ob_group_free(g);
        }
}

static void sub_groups(void)
{
    int *list = malloc((size_t)world.count * sizeof *list);
    for (int round = 0; round < 3; round++) {
        for (int first = 0; first + 1 < world.count; first++) {
            const int pair[] = {first + 1, first};
            sub_group(pair, 2, 1000 * first);
        }
        for (int parity = 0; parity < 2; parity++) {
            int size = 0;
            for (int i = parity; i < world.count; i += 2)
                list[size++] = i;
            if (size)
                sub_group(list, size, 5000);
        }
        for (int out = 0; out < world.count && world.count > 1; out++) {
            int size = 0;
            for (int i = 0; i < world.count; i++)
                if (i != out)
                    list[size++] = i;
            sub_group(list, size, 7000 + out);
        }
        for (int i = 0; i < world.count; i++)
            list[i] = world.count - 1 - i;
        sub_group(list, world.count, 9000);
        sub_group(&world.me, 1, 9999);
    }
    free(list);
}

/* Rows and columns of grids as parts: streams of one context. */
static void grid_parts(int rows, int columns)
{
    int *all = malloc((size_t)world.count * sizeof *all), *line = malloc(64 * sizeof *line);
    for (int i = 0; i < world.count; i++)
        all[i] = i;
    if (world.me < rows * columns) {
        ob_group *grid = group_of(all, rows * columns), *row, *column;
        int r = world.me / columns, c = world.me % columns;
        for (int i = 0; i < columns; i++)
            line[i] = r * columns + i;
        fine(ob_group_part(grid, 1, line, columns, &row), "ob_group_part");
        for (int i = 0; i < rows; i++)
            line[i] = i * columns + c;
        fine(ob_group_part(grid, 2, line, rows, &column), "ob_group_part");
        check(ob_group_me(row) == c && ob_group_me(column) == r, "place in row and column");
        int bad = 0;
        for (int k = 0; k < 20; k++) {
            bad += exchange(row, 100 * r + k);
            bad += exchange(column, 10000 + 100 * c + k);
            bad += exchange(grid, 50000 + k);
        }
        check(bad == 0, "%d x %d grid: %s", rows, columns, ob_error_text());
        ob_group_free(row);
        ob_group_free(column);
        ob_group_free(grid);
    }
    free(all);
    free(line);
}

/* ---------------------------------------------------------------- the rest */

static void traffic(void)
{
    double x[100] = {0};
    ob_view v = {.base = x, .m = 100, .n = 1, .ld = 100, .type = OB_DOUBLE};
    for (int to = 0; to < world.count; to++) {
        uint64_t messages[2], bytes[2];
        fine(ob_job_traffic(job, to, &messages[0], &bytes[0]), "ob_job_traffic");
        for (int k = 0; k <= to; k++)
            fine(ob_send(everyone, to, 0, &v), "ob_send");
        fine(ob_job_traffic(job, to, &messages[1], &bytes[1]), "ob_job_traffic");
        check(messages[1] - messages[0] == (uint64_t)to + 1, "messages to %d", to);
        check(bytes[1] - bytes[0] == (uint64_t)(to + 1) * 800, "bytes to %d", to);
    }
    for (int from = 0; from < world.count; from++)
        for (int k = 0; k <= world.me; k++)
            fine(ob_recv(everyone, from, 0, &v, NULL), "ob_recv");
}

static void job_questions(void)
{
    ob_job *again = NULL;
    int *numbers = NULL, size = 0;
    fine(ob_job_start(&again), "ob_job_start");
    check(again == job, "a second ob_job_start gives another job");
    check(world.me >= 0 && world.me < world.count, "process %d of %d", world.me, world.count);
    long system = ob_system_world(job);
    fine(ob_system_group(job, system, &numbers, &size), "ob_system_group");
    check(size == world.count, "the world has %d of %d", size, world.count);
    for (int i = 0; numbers && i < size; i++)
        check(numbers[i] == i, "process %d of the world is %d", i, numbers[i]);
    free(numbers);
    check(ob_system_from_word(job, ob_system_to_word(job, system)) == system,
          "the world's word and back");
    double cpu = ob_cpu_time(), wall = ob_time();
    rest_ms(5);
    check(ob_time() - wall >= 0.005, "5 ms took %g s", ob_time() - wall);
    check(ob_cpu_time() >= cpu, "processor time runs backwards");
    ob_job_trim(job);
}

/* ob_job_start may follow ob_job_stop. */
static void stop_and_go_on(void)
{
    fine(ob_barrier(everyone), "ob_barrier");
    fine(ob_job_stop(job, 0), "ob_job_stop");
    fine(ob_job_start(&job), "ob_job_start after ob_job_stop");
    ob_group *g = group_of_all();
    check(exchange(g, 31) == 0, "messages after stop and start: %s", ob_error_text());
    ob_group_free(g);
}

/* The group of all, made with no job at hand: everybody is at its number, and each call gives a
 * group whose messages the others do not see. */
static void worlds_apart(void)
{
    ob_group *other = NULL;
    ob_job *same = NULL;
    int right = (world.me + 1) % world.count, left = (world.me + world.count - 1) % world.count;
    int32_t value = world.me, got[2] = {-1, -1};
    ob_view out = ob_view_vector(&value, 1, OB_INT), in = ob_view_vector(got, 1, OB_INT);
    fine(ob_group_world(&other), "ob_group_world");
    fine(ob_job_start(&same), "ob_job_start");
    check(same == job && ob_group_job(other) == job, "a group of another job");
    check(ob_group_size(other) == world.count && ob_group_me(other) == world.me,
          "position %d of %d", ob_group_me(other), ob_group_size(other));
    check(ob_group_number(other, right) == right, "number %d at %d", ob_group_number(other, right),
          right);
    fine(ob_send(everyone, right, 0, &out), "ob_send");
    value += 1000;
    fine(ob_send(other, right, 0, &out), "ob_send in the second group");
    fine(ob_recv(other, left, 0, &in, NULL), "ob_recv in the second group");
    check(got[0] == left + 1000, "%d came in the second group", got[0]);
    fine(ob_recv(everyone, left, 0, &in, NULL), "ob_recv");
    check(got[0] == left && got[1] == -1, "%d and %d came in the first group", got[0], got[1]);
    ob_group_free(other);
    check(ob_group_world(NULL) == OB_EARG, "no place for a group");
}

/* A vector's view, also of none and of constant data. */
static void vectors(void)
{
    static const double x[3] = {1, 2, 3};
    ob_view v = ob_view_vector(x, 3, OB_DOUBLE), none = ob_view_vector(NULL, 0, OB_BYTE);
    double y[3] = {0};
    check(v.base == (void *)x && v.m == 3 && v.n == 1 && v.ld == 3 && v.shape == OB_GENERAL,
          "a vector of 3");
    check(ob_view_count(&v) == 3 && ob_view_count(&none) == 0 && none.ld == 1, "how many");
    ob_view_pack(&v, y);
    check(y[0] == 1 && y[2] == 3, "packed %g %g", y[0], y[2]);
    fine(ob_send(everyone, world.me, 0, &none), "ob_send of nothing");
    fine(ob_recv(everyone, world.me, 0, &none, NULL), "ob_recv of nothing");
}

int main(void)
{
    begin();
    job_questions();
    worlds_apart();
    vectors();
    for (int type = 0; type < OB_TYPES; type++)
        types_and_shapes((ob_type)type);
    shapes_differ();
    all_sizes(0);
    all_sizes(30);
    ring_of_long_sends();
    many_unreceived();
    any_source();
    wrong_sizes();
    bad_arguments();
    many_groups();
    sub_groups();
    for (int rows = 1; rows <= world.count; rows++)
        grid_parts(rows, world.count / rows);
    traffic();
    stop_and_go_on();
    return finish();
}
