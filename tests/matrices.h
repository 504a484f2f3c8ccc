/*
 * Matrices for tests of any interface: which elements belong to one, and arrays whose every byte is
 * known.
 */
#ifndef OB_TESTS_MATRICES_H
#define OB_TESTS_MATRICES_H

#include <limits.h>

#include "checks.h"

/* Which elements belong to an m x n matrix (LAWN 73, figure 1): a trapezoid where uplo is U or L,
 * else all. */
static inline int inside(char uplo, char diag, int m, int n, int i, int j)
{
    int offset = uplo == 'U' ? (m > n ? m - n : 0) : (n > m ? m - n : 0);
    if (uplo != 'U' && uplo != 'L')
        return 1;
    if (i == j + offset)
        return diag == 'N';
    return uplo == 'U' ? i < j + offset : i > j + offset;
}

static inline int elements(char uplo, char diag, int m, int n)
{
    int count = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            count += inside(uplo, diag, m, n, i, j);
    return count;
}

enum { BLANK = 0xA5, FULL = INT_MAX }; /* a byte nobody may write; all elements */

/* An array of lda x n elements in which the k-th element (below `filled`) that belongs to the
 * matrix has bytes of (seed, k); all others are blank. */
static inline unsigned char *new_matrix(size_t bytes, char uplo, char diag, int m, int n, int lda,
                                        uint64_t seed, int filled)
{
    size_t size = (size_t)lda * (size_t)(n > 0 ? n : 0) * bytes;
    const uint64_t key = mix(seed);
    int k = 0;
    unsigned char *a = malloc(size + 1);
    memset(a, BLANK, size + 1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m && k < filled; i++) {
            if (!inside(uplo, diag, m, n, i, j))
                continue;
            unsigned char *element = a + ((size_t)i + (size_t)j * (size_t)lda) * bytes;
            for (size_t b = 0; b < bytes; b += sizeof(uint64_t)) {
                const uint64_t word = mix(key + (uint64_t)k * 8 + b / sizeof word);
                memcpy(element + b, &word, bytes - b < sizeof word ? bytes - b : sizeof word);
            }
            k++;
        }
    return a;
}

/* Is the array exactly what new_matrix makes? */
static inline int is_matrix(const unsigned char *a, size_t bytes, char uplo, char diag, int m,
                            int n, int lda, uint64_t seed, int filled)
{
    unsigned char *want = new_matrix(bytes, uplo, diag, m, n, lda, seed, filled);
    int same = memcmp(a, want, (size_t)lda * (size_t)(n > 0 ? n : 0) * bytes + 1) == 0;
    free(want);
    return same;
}

#endif
