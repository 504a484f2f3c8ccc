/*
 * The local work of a combine: acc[i] = acc[i] op in[i], for every operation
 * and element type, with or without the place each element came from.
 *
 * Ties. With owners (distances from the root) the smaller distance wins.
 * Without, of two elements equal in magnitude the larger wins, real part
 * first; a positive zero is larger than a negative one, so that the operands'
 * order never shows in the result.
 * Values. OB_MAX and OB_MIN compare the numbers themselves, with the same rules, but that
 * distances count from member 0, a NaN wins over every number in both, and the smaller of two zeros
 * is the negative one.
 * NaN. Its magnitude (for complex: when either part is NaN) counts as larger
 * than any number's: OB_MAX_ABS passes it on, OB_MIN_ABS gives it only where
 * all elements are NaN. Among NaN the tie rule with owners holds; without,
 * and in sums, which NaN's bits come out is not specified.
 * Integers. Sums wrap around; the magnitude of INT32_MIN is 2^31.
 */
#ifndef OB_KERNEL_KERNEL_H
#define OB_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "openblacs/core.h"

/* The member at distance 0, whom ties are for. */
static inline int ob_combine_base(ob_op op, int root)
{
    return root == OB_ANY || op >= OB_MAX ? 0 : root;
}

/* In the place of an ob_op, of an operation of the caller's: its operands keep their order, that of
 * positions. So its base is member 0. */
#define OB_IN_ORDER OB_MAX

/* acc and in do not overlap. The owner arrays are NULL for a kernel without. */
typedef void (*ob_kernel)(size_t n, void *acc, int32_t *acc_owner, const void *in,
                          const int32_t *in_owner);

/* The kernel for this machine; NULL for OB_BYTE, a bad type or operation, or a
 * sum with owners. */
ob_kernel ob_kernel_find(ob_op op, ob_type type, int owners);
/* The kernel that runs on any machine, whatever this one has; for tests. */
ob_kernel ob_kernel_portable(ob_op op, ob_type type, int owners);

/* The same for results kept apart from the operands: dst[i] = x[i] op y[i];
 * dst may be x. x belongs to a member nearer the root than y's, so that x wins ties where
 * owners count. */
typedef void (*ob_fold)(size_t n, void *dst, const void *x, const void *y);
/* With owners: `of_x` where x won, else `of_y`, in one or (second NULL: not) two arrays. */
typedef struct ob_two {
    int32_t first, second;
} ob_two;
typedef void (*ob_fold_two)(size_t n, void *dst, int32_t *first, int32_t *second, const void *x,
                            const void *y, ob_two of_x, ob_two of_y);
/* acc[i] = acc[i] op y[i]; owner[i] = of_y where y won. */
typedef void (*ob_fold_more)(size_t n, void *acc, int32_t *owner, const void *y, int32_t of_y);

typedef struct ob_folds {
    ob_fold plain;
    ob_fold_two two;   /* NULL for sums */
    ob_fold_more more; /* NULL for sums */
} ob_folds;

/* Is it one of ob_operation_of? Then no function of the caller's is called. */
bool ob_operation_is_own(const ob_operation *operation);
/* Is this operation, one of ob_operation_of, an ob_op on matrices of that type? Then it is better
 * done by the kernels above. */
int ob_operation_is(const ob_operation *operation, ob_type type, ob_op *op);

/* An operation of ob_operation_of that is not done when its operands are combined: an average is
 * divided by the number of members, and numbers of 16 bits are combined as floats, so that they are
 * rounded once. */
typedef struct ob_staged {
    ob_operation inner; /* what is combined */
    ob_type type;       /* of a matrix of such elements; OB_BYTE: there is none */
    bool divides;
    /* n elements as the inner ones; NULL: they are such. */
    void (*widen)(size_t n, void *to, const void *from);
    /* And back, divided by `members` (1 where it does not divide); `to` may be `from` where they
     * are not widened. */
    void (*finish)(size_t n, void *to, const void *from, int members);
} ob_staged;

/* Is it such a one? */
bool ob_operation_staged(const ob_operation *operation, ob_staged *staged);

/* NULL members for OB_BYTE, a bad type or operation. */
ob_folds ob_folds_find(ob_op op, ob_type type);
/* For tests, as above. */
ob_folds ob_folds_portable(ob_op op, ob_type type);

#endif
