/*
 * Messages beyond 2^31 bytes and beyond 2^31 elements: contiguous, strided and
 * trapezoidal, to a receiver that is there, that comes late, to oneself, and in
 * collective calls. For 2 processes; takes minutes and up to 16 GB, so it is
 * not part of the usual tests. A case for which memory is short is named and left out.
 */
#include <unistd.h>

#include "harness.h"

static unsigned char byte_at(size_t k, uint64_t seed)
{
    return (unsigned char)((k * UINT64_C(0x9e3779b97f4a7c15) + seed) >> 56);
}

/* The rows of column j that travel, from the words of core.h. */
static void column(const ob_view *v, size_t j, size_t *first, size_t *end)
{
    size_t down = v->m > v->n ? v->m - v->n : 0, up = v->n > v->m ? v->n - v->m : 0;
    *first = v->shape == OB_LOWER && j > up ? j - up : 0;
    *end = v->shape == OB_UPPER && j + down + 1 < v->m ? j + down + 1 : v->m;
}

/* Writes what travels (write), or counts the bytes that are not as written. */
static size_t walk(const ob_view *v, uint64_t seed, int write)
{
    size_t unit = ob_type_bytes(v->type), k = 0, bad = 0;
    for (size_t j = 0; j < v->n; j++) {
        size_t first, end;
        column(v, j, &first, &end);
        unsigned char *x = (unsigned char *)v->base + (j * v->ld + first) * unit;
        size_t bytes = (end - first) * unit;
        for (size_t i = 0; i < bytes; i++, k++) {
            if (write)
                x[i] = byte_at(k, seed);
            else
                bad += x[i] != byte_at(k, seed);
        }
    }
    return bad + (k != ob_view_count(v) * unit);
}

static size_t available_bytes(void)
{
    size_t kib = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %zu", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib ? kib * 1024 : (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

/* All decide alike: by what process 0 sees. */
static int enough(const char *what, size_t bytes)
{
    int32_t yes = available_bytes() > bytes + ((size_t)1 << 30);
    ob_view v = {.base = &yes, .m = 1, .n = 1, .ld = 1, .type = OB_INT};
    fine(ob_broadcast(everyone, 0, &v, NULL), "ob_broadcast");
    if (world.me == 0)
        printf("%s: %s\n", what, yes ? "runs" : "left out, memory is short");
    fflush(stdout);
    return yes;
}

static void *array(const ob_view *v)
{
    void *p = malloc(v->ld * v->n * ob_type_bytes(v->type));
    if (!p) {
        fprintf(stderr, "no memory for %zu x %zu\n", v->ld, v->n);
        exit(1);
    }
    return p;
}

/* From process 0 to process 1, who comes `late` milliseconds after. */
static void one_way(const char *what, ob_view v, int late)
{
    size_t bytes = ob_view_count(&v) * ob_type_bytes(v.type);
    size_t memory = v.ld * v.n * ob_type_bytes(v.type);
    if (world.count < 2 || !enough(what, 2 * memory + bytes))
        return;
    fine(ob_barrier(everyone), "ob_barrier");
    if (world.me == 0) {
        v.base = array(&v);
        walk(&v, 7, 1);
        fine(ob_send(everyone, 1, 0, &v), what);
        free(v.base);
    } else if (world.me == 1) {
        ob_received r = {0};
        v.base = array(&v);
        rest_ms(late);
        fine(ob_recv(everyone, 0, 0, &v, &r), what);
        check(r.bytes == bytes, "%zu bytes arrived, %zu were sent", r.bytes, bytes);
        check(walk(&v, 7, 0) == 0, "%s arrived damaged", what);
        free(v.base);
    }
    ob_job_trim(job);
    fine(ob_barrier(everyone), "ob_barrier");
}

static void to_oneself(ob_view v)
{
    if (!enough("to oneself", 3 * ob_view_count(&v)))
        return;
    if (world.me == 0) {
        v.base = array(&v);
        walk(&v, 9, 1);
        fine(ob_send(everyone, 0, 0, &v), "a big message to oneself");
        memset(v.base, 0, ob_view_count(&v));
        fine(ob_recv(everyone, 0, 0, &v, NULL), "a big message from oneself");
        check(walk(&v, 9, 0) == 0, "a big message to oneself arrived damaged");
        free(v.base);
    }
    fine(ob_barrier(everyone), "ob_barrier");
}

/* A wrong size beyond 32 bits is told apart from its remainder. */
static void wrong_size(ob_view v)
{
    if (world.count < 2 || !enough("a wrong size", 4 * ob_view_count(&v)))
        return;
    if (world.me == 0) {
        v.base = array(&v);
        fine(ob_send(everyone, 1, 0, &v), "ob_send");
        free(v.base);
    } else if (world.me == 1) {
        unsigned char small[4096];
        ob_view s = {
            .base = small, .m = v.m - ((size_t)1 << 32), .n = 1, .ld = 4096, .type = OB_BYTE};
        check(ob_recv(everyone, 0, 0, &s, NULL) == OB_ESIZE, "2^32 + 100 bytes fit in 100");
        check(strstr(ob_error_text(), "4294967396 bytes") != NULL, "%s", ob_error_text());
    }
    fine(ob_barrier(everyone), "ob_barrier");
}

static void collective(size_t count)
{
    ob_view v = {.m = count, .n = 1, .ld = count, .type = OB_INT};
    size_t bad = 0;
    if (!enough("collective calls", (size_t)world.count * count * 4 * 2))
        return;
    int32_t *x = v.base = array(&v);
    for (size_t i = 0; i < count; i++)
        x[i] = (int32_t)(i % 1000003) + world.me;
    fine(ob_combine(everyone, OB_ANY, OB_SUM, &v, NULL, 0, NULL), "a big combine");
    for (size_t i = 0; i < count; i++)
        bad += x[i] != world.count * (int32_t)(i % 1000003) + world.count * (world.count - 1) / 2;
    check(bad == 0, "%zu of the sums are wrong", bad);
    if (world.me)
        memset(x, 0, count * 4);
    fine(ob_broadcast(everyone, 0, &v, NULL), "a big broadcast");
    bad = 0;
    for (size_t i = 0; i < count; i++)
        bad += x[i] != world.count * (int32_t)(i % 1000003) + world.count * (world.count - 1) / 2;
    check(bad == 0, "%zu of the broadcast values are wrong", bad);
    free(x);
}

int main(void)
{
    const size_t limit = (size_t)1 << 31;
    begin();
    const ob_view bytes = {.m = limit + 4097 + 17, .n = 1, .ld = limit + 5000, .type = OB_BYTE};
    one_way("2^31 elements, receiver there", bytes, 0);
    one_way("2^31 elements, receiver late", bytes, 3000);
    one_way("2^31 elements, strided",
            (ob_view){.m = 50000, .n = 45000, .ld = 50007, .type = OB_BYTE}, 0);
    one_way("2^31 bytes of doubles, strided",
            (ob_view){.m = 20001, .n = 16000, .ld = 20100, .type = OB_DOUBLE}, 0);
    one_way("2^31 elements, upper trapezoid",
            (ob_view){.m = 66000, .n = 66000, .ld = 66001, .type = OB_BYTE, .shape = OB_UPPER}, 0);
    one_way("2^31 elements, lower trapezoid, late",
            (ob_view){.m = 70000, .n = 62000, .ld = 70000, .type = OB_BYTE, .shape = OB_LOWER},
            2000);
    to_oneself(bytes);
    wrong_size((ob_view){.m = 2 * limit + 100, .n = 1, .ld = 2 * limit + 100, .type = OB_BYTE});
    collective(limit / 4 + 12345);
    return finish();
}
