/*
 * One-way message times: half of LAWN 73's echo test (3.3), between processes
 * 0 and 1; all others wait in a barrier meanwhile. The median of several
 * rounds. Process 0 also times a memcpy of the largest size.
 */
#include "work.h"

enum { ROUNDS = 7 };
static const double ROUND_US = 15000;

static const struct shape {
    const char *key;
    int m, n, ld;
} shapes[] = {
    {"8", 1, 1, 1},
    {"64", 8, 1, 8},
    {"1K", 128, 1, 128},
    {"4K", 512, 1, 512},
    {"16K", 2048, 1, 2048},
    {"64K", 8192, 1, 8192},
    {"256K", 32768, 1, 32768},
    {"1M", 131072, 1, 131072},
    {"16M", 2097152, 1, 2097152},
    {"16M-columns-of-64", 64, 32768, 128},
};

static double echo(const struct shape *s, double *a, int times)
{
    double start = now_us();
    for (int i = 0; i < times; i++) {
        if (me == 0) {
            send_to(1, a, s->m, s->n, s->ld);
            receive_from(1, a, s->m, s->n, s->ld);
        } else {
            receive_from(0, a, s->m, s->n, s->ld);
            send_to(0, a, s->m, s->n, s->ld);
        }
    }
    return (now_us() - start) / times / 2;
}

/* How often to repeat so that a round is well above the clock; process 0 decides. */
static int repetitions(const struct shape *s, double *a)
{
    double first = echo(s, a, 3), times = ROUND_US / (2 * first);
    times = times < 2 ? 2 : times > 20000 ? 20000 : times;
    if (me == 0)
        send_to(1, &times, 1, 1, 1);
    else
        receive_from(0, &times, 1, 1, 1);
    return (int)times;
}

static void measure(const char *work, const struct shape *s, double *a)
{
    double round[ROUNDS];
    int times = repetitions(s, a);
    for (int i = 0; i < ROUNDS; i++)
        round[i] = echo(s, a, times);
    if (me == 0) {
        printf("%s %s %.4f\n", work, s->key, median(round, ROUNDS));
        fflush(stdout);
    }
}

static void measure_copy(const double *a, double *b, size_t bytes)
{
    double round[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double start = now_us();
        for (int k = 0; k < 3; k++) {
            memcpy(b, a, bytes);
            __asm__ volatile("" : : "r"(b) : "memory");
        }
        round[i] = (now_us() - start) / 3;
    }
    printf("memcpy 16M %.4f\n", median(round, ROUNDS));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    char work[32];
    size_t most = 128u * 32768u;
    double *a = malloc(most * sizeof *a), *b = malloc(most * sizeof *b);
    if (a == NULL || b == NULL || processes < 2) {
        fprintf(stderr, "echo: needs 2 processes and 64 MiB each\n");
        return 1;
    }
    for (size_t i = 0; i < most; i++)
        a[i] = b[i] = (double)i;
    snprintf(work, sizeof work, "echo/%d", processes);
    barrier();
    size_t count = sizeof shapes / sizeof *shapes;
    /* Alone, all sizes; with company, those that show what waiting costs. */
    for (size_t i = 0; me < 2 && i < count; i++)
        measure(work, &shapes[i], a);
    if (me == 0)
        measure_copy(a, b, (size_t)16 << 20);
    barrier();
    free(a);
    free(b);
    end();
    return 0;
}
