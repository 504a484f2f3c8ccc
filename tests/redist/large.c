/*
 * Matrices of more than 2^31 bytes, by their indices and by their bytes: a part at the far end of a
 * local array of 4.3 GB of which only that part is touched, and a whole array of more than 2 GB.
 *
 *   redist_large [whole]     on 2 processes
 */
#include <openblacs/redist.h>

#include <sys/mman.h>

#include "../blacs/harness.h"

/* Memory that exists where it is written. */
static double *room(size_t count)
{
    void *at = mmap(NULL, count * sizeof(double), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return at;
}

int main(int argc, char **argv)
{
    begin();
    int context = make_grid(1, world.count), whole = argc > 1 && strcmp(argv[1], "whole") == 0;
    int ld = whole ? 20000 : 30000, columns = whole ? 15000 : 18000, n = columns * world.count;
    int size = whole ? n : 700, first = n - size + 1, rows = whole ? ld : 600;
    /* A in columns one by one, B in blocks of 64. */
    int desca[9] = {1, context, ld, n, ld, 1, 0, 0, ld};
    int descb[9] = {1, context, ld, n, ld, 64, 0, world.count > 1, ld};
    double *a = room((size_t)ld * (size_t)columns), *b = room((size_t)ld * ((size_t)columns + 64));
    int ia = ld - rows + 1;
    for (int j = first; j <= n; j++)
        if ((j - 1) % world.count == world.me)
            for (int i = ia; i <= ld; i++)
                a[(size_t)(j - 1) / (size_t)world.count * (size_t)ld + (size_t)(i - 1)] =
                    i + 1e6 * j;
    Cpdgemr2d(rows, size, a, ia, first, desca, b, ia, first, descb, context);
    size_t wrong = 0, looked = 0;
    for (int j = first; j <= n; j++) {
        int block = (j - 1) / 64, owner = (block + (world.count > 1)) % world.count;
        size_t column = (size_t)(block / world.count) * 64 + (size_t)(j - 1) % 64;
        for (int i = ia; i <= ld && owner == world.me; i++, looked++)
            wrong += b[column * (size_t)ld + (size_t)(i - 1)] != i + 1e6 * j;
    }
    check(wrong == 0, "%zu of %zu elements are wrong", wrong, looked);
    return finish();
}
