/*
 * Combines of trapezoids with more operations than the BLACS have, and with the
 * caller's own (LAWN 73, 7.1.3). An operation whose elements are the matrix's
 * own goes to the core with the matrix; where an element becomes several
 * numbers on the way, those lie in a vector.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "openblacs/blacs_extensions.h"

/* Numbers of arguments; and MOST_WIDTH double complex numbers are what the core combines at most. */
enum { M_ARGUMENT = 6, DEST_ARGUMENT = 10, WIDTH_ARGUMENT = 12, COMBINE_ARGUMENT = 14 };
enum { MOST_WIDTH = 16 };

/* What becomes of a matrix element: `bytes` bytes, combined, and an element again. */
typedef struct method {
    blacs_begin begin; /* NULL: a copy */
    blacs_combine combine;
    blacs_end end;     /* NULL: a copy */
    size_t bytes;      /* 0: those of a matrix element */
} method;

/* ------------------------------------------------------- the library's operations */

#define EACH(NAME, R, EXPRESSION)                                                                 \
    static void NAME(const int *n, void *vw, const void *vv)                                      \
    {                                                                                             \
        R *w = vw;                                                                                \
        const R *v = vv;                                                                          \
        for (int i = 0; i < *n; i++) {                                                            \
            R x = w[i], y = v[i];                                                                 \
            w[i] = (EXPRESSION);                                                                  \
        }                                                                                         \
    }

EACH(product_i, unsigned, x * y)
EACH(product_s, float, x * y)
EACH(product_d, double, x * y)
EACH(xor_i, unsigned, x ^ y)
EACH(and_i, unsigned, x & y)
EACH(ior_i, unsigned, x | y)
EACH(max_i, int, x > y ? x : y)
EACH(min_i, int, x < y ? x : y)
/* A NaN wins; of two zeros the one with the sign asked for. */
#define LARGER (x != x ? x : y != y ? y : x == y ? (signbit(x) ? y : x) : x > y ? x : y)
#define SMALLER (x != x ? x : y != y ? y : x == y ? (signbit(x) ? x : y) : x < y ? x : y)
EACH(max_s, float, LARGER)
EACH(max_d, double, LARGER)
EACH(min_s, float, SMALLER)
EACH(min_d, double, SMALLER)

#define COMPLEX_PRODUCT(NAME, R)                                                                  \
    static void NAME(const int *n, void *vw, const void *vv)                                      \
    {                                                                                             \
        R *w = vw;                                                                                \
        const R *v = vv;                                                                          \
        for (int i = 0; i < 2 * *n; i += 2) {                                                     \
            R re = w[i] * v[i] - w[i + 1] * v[i + 1], im = w[i] * v[i + 1] + w[i + 1] * v[i];     \
            w[i] = re;                                                                            \
            w[i + 1] = im;                                                                        \
        }                                                                                         \
    }
COMPLEX_PRODUCT(product_c, float)
COMPLEX_PRODUCT(product_z, double)

#define OF(name) name##_s
#define R float
#define PARTS 1
#include "operation_parts.h"
#define OF(name) name##_d
#define R double
#define PARTS 1
#include "operation_parts.h"
#define OF(name) name##_c
#define R float
#define PARTS 2
#include "operation_parts.h"
#define OF(name) name##_z
#define R double
#define PARTS 2
#include "operation_parts.h"

/* --------------------------------------------------------------------- combining */

/* A routine takes this many elements at a time: it counts in an int. */
static int portion(size_t left)
{
    enum { MOST = 1 << 24 };
    return left < MOST ? (int)left : MOST;
}

static void apply(size_t n, void *acc, const void *in, const void *context)
{
    const method *o = context;
    char *a = acc;
    const char *b = in;
    while (n) {
        int now = portion(n);
        o->combine(&now, a, b);
        n -= (size_t)now;
        a += (size_t)now * o->bytes;
        b += (size_t)now * o->bytes;
    }
}

static void begin_all(const method *o, size_t n, size_t element, const char *x, char *w)
{
    if (!o->begin)
        memcpy(w, x, n * element);
    while (o->begin && n) {
        int now = portion(n);
        o->begin(&now, x, w);
        n -= (size_t)now;
        x += (size_t)now * element;
        w += (size_t)now * o->bytes;
    }
}

static void end_all(const method *o, size_t n, size_t element, const char *w, char *x)
{
    if (!o->end)
        memcpy(x, w, n * element);
    while (o->end && n) {
        int now = portion(n);
        o->end(&now, w, x);
        n -= (size_t)now;
        x += (size_t)now * element;
        w += (size_t)now * o->bytes;
    }
}

/* Through a vector of what the elements become. */
static int combine_changed(ob_group *group, int root, const ob_operation *operation,
                           const ob_view *view, const ob_route *route)
{
    const method *o = operation->context;
    size_t n = ob_view_count(view), element = ob_type_bytes(view->type);
    if (n > SIZE_MAX / 2 / (o->bytes + element))
        return OB_ENOMEM;
    char *x = malloc(n * element + 1), *w = malloc(n * o->bytes + 1);
    ob_view vector = {.base = w, .m = n * (o->bytes / ob_type_bytes(view->type)), .n = 1,
                      .type = view->type};
    vector.ld = vector.m;
    int status = x && w ? OB_OK : OB_ENOMEM;
    if (status == OB_OK) {
        ob_view_pack(view, x);
        begin_all(o, n, element, x, w);
        status = ob_combine_by(group, root, operation, &vector, route);
    }
    if (status == OB_OK && (root == OB_ANY || root == ob_group_me(group))) {
        end_all(o, n, element, w, x);
        ob_view_unpack(view, x);
    }
    free(x);
    free(w);
    return status;
}

/* The arguments that all these routines have in common. */
typedef struct arguments {
    const char *routine;
    ob_type type;
    int context;
    const char *scope, *top, *uplo, *diag;
    int m, n;
    void *a;
    int lda, rdest, cdest;
    const void *site;
    int width; /* of the caller's own operation, else 0 */
} arguments;

static int shape_letter(const obl_call *call, const char *uplo)
{
    char shown[16];
    int letter = obl_letter(uplo);
    if (letter != 'G' && letter != 'U' && letter != 'L')
        obl_fault(call, "argument %d (UPLO) is %s, must be U, L or G", M_ARGUMENT - 2,
                  obl_show(letter, shown));
    return letter == 'G' ? OBL_GENERAL : letter;
}

/* With no method the sum that the core knows. */
static void combine(const arguments *g, method *o)
{
    obl_call call = {g->routine, g->context, NULL};
    obl_grid *grid = obl_enter(&call);
    obl_trace(&call, g->site);
    int letter, root = OB_ANY, status;
    ob_group *group = obl_scope(&call, g->scope, &letter);
    ob_route route = obl_route(&call, g->top, grid->combine_rings, grid->combine_branches);
    ob_view view = obl_view(&call, g->type, shape_letter(&call, g->uplo), obl_letter(g->diag),
                            g->m, g->n, g->a, g->lda, M_ARGUMENT);
    if (g->rdest != -1 && g->cdest != -1)
        root = obl_position(&call, letter, g->rdest, g->cdest, DEST_ARGUMENT, "DEST");
    if (o && o->bytes == 0)
        o->bytes = ob_type_bytes(g->type);
    if (__builtin_expect(ob_check_now > 2, 0))
        obl_agree(&call, group,
                  &(obl_named){.what = g->routine, .scope = letter, .top = obl_letter(g->top),
                               .uplo = obl_letter(g->uplo), .diag = obl_letter(g->diag),
                               .view = &view, .route = &route, .root = root, .width = g->width});
    ob_operation operation = {apply, o, o ? o->bytes : 0};
    if (!o)
        status = ob_combine(group, root, OB_SUM, &view, NULL, 0, &route);
    else if (!o->begin && !o->end)
        status = ob_combine_by(group, root, &operation, &view, &route);
    else
        status = combine_changed(group, root, &operation, &view, &route);
    if (status == OB_ENOMEM)
        obl_fault(&call, "no memory for what the %zu elements become", ob_view_count(&view));
    obl_check(&call, status);
    obl_end_call(&call);
}

static void combine_by_caller(const arguments *g, blacs_begin begin, blacs_combine apply_to,
                              blacs_end end)
{
    obl_call call = {g->routine, g->context, NULL};
    int width = g->width;
    obl_enter(&call);
    if (width < 1 || width > MOST_WIDTH)
        obl_fault(&call, "argument %d (WIDTH) is %d, must be 1 to %d", WIDTH_ARGUMENT, width,
                  MOST_WIDTH);
    if (!apply_to)
        obl_fault(&call, "argument %d (COMBINE) is NULL, must be a function", COMBINE_ARGUMENT);
    if (width > 1 && (!begin || !end))
        obl_fault(&call, "argument %d (%s) is NULL, but WIDTH is %d, not 1",
                  begin ? COMBINE_ARGUMENT + 1 : COMBINE_ARGUMENT - 1, begin ? "END" : "BEGIN",
                  width);
    method o = {begin, apply_to, end, ob_type_bytes(g->type) * (size_t)width};
    combine(g, &o);
}

/* ---------------------------------------------------------------------- the routines */

#define STAMP(p, T, type, name, ...)                                                               \
    void C##p##name(int context, const char *scope, const char *top, const char *uplo,             \
                    const char *diag, int m, int n, T *a, int lda, int rdest, int cdest)           \
    {                                                                                              \
        const arguments g = {#p #name, type, context, scope, top, uplo, diag, m, n,                \
                             a, lda, rdest, cdest, OBL_SITE, 0};                                   \
        method o = {__VA_ARGS__};                                                                  \
        combine(&g, o.combine ? &o : NULL);                                                        \
    }                                                                                              \
    void p##name##_(const int *context, const char *scope, const char *top, const char *uplo,      \
                    const char *diag, const int *m, const int *n, T *a, const int *lda,            \
                    const int *rdest, const int *cdest)                                            \
    {                                                                                              \
        C##p##name(*context, scope, top, uplo, diag, *m, *n, a, *lda, *rdest, *cdest);             \
    }

#define STAMP_OWN(p, T, type)                                                                      \
    void C##p##tuop2d(int context, const char *scope, const char *top, const char *uplo,           \
                      const char *diag, int m, int n, T *a, int lda, int rdest, int cdest,         \
                      int width, blacs_begin begin, blacs_combine apply_to, blacs_end end)         \
    {                                                                                              \
        const arguments g = {#p "tuop2d", type, context, scope, top, uplo, diag, m, n,             \
                             a, lda, rdest, cdest, OBL_SITE, width};                               \
        combine_by_caller(&g, begin, apply_to, end);                                               \
    }                                                                                              \
    void p##tuop2d_(const int *context, const char *scope, const char *top, const char *uplo,      \
                    const char *diag, const int *m, const int *n, T *a, const int *lda,            \
                    const int *rdest, const int *cdest, const int *width, blacs_begin begin,       \
                    blacs_combine apply_to, blacs_end end)                                         \
    {                                                                                              \
        C##p##tuop2d(*context, scope, top, uplo, diag, *m, *n, a, *lda, *rdest, *cdest, *width,    \
                     begin, apply_to, end);                                                        \
    }

#define STAMP_SUM(p, T, type) STAMP(p, T, type, tsum2d, .combine = NULL)
OBL_TYPES(STAMP_SUM)
OBL_TYPES(STAMP_OWN)

STAMP(i, int, OB_INT, tprd2d, .combine = product_i)
STAMP(s, float, OB_FLOAT, tprd2d, .combine = product_s)
STAMP(d, double, OB_DOUBLE, tprd2d, .combine = product_d)
STAMP(c, void, OB_COMPLEX, tprd2d, .combine = product_c)
STAMP(z, void, OB_DCOMPLEX, tprd2d, .combine = product_z)

STAMP(i, int, OB_INT, tmax2d, .combine = max_i)
STAMP(s, float, OB_FLOAT, tmax2d, .combine = max_s)
STAMP(d, double, OB_DOUBLE, tmax2d, .combine = max_d)
STAMP(i, int, OB_INT, tmin2d, .combine = min_i)
STAMP(s, float, OB_FLOAT, tmin2d, .combine = min_s)
STAMP(d, double, OB_DOUBLE, tmin2d, .combine = min_d)

STAMP(s, float, OB_FLOAT, tnrm2d, norm_begin_s, norm_s, norm_end_s, 2 * sizeof(float))
STAMP(d, double, OB_DOUBLE, tnrm2d, norm_begin_d, norm_d, norm_end_d, 2 * sizeof(double))
STAMP(c, void, OB_COMPLEX, tnrm2d, norm_begin_c, norm_c, norm_end_c, 2 * sizeof(float))
STAMP(z, void, OB_DCOMPLEX, tnrm2d, norm_begin_z, norm_z, norm_end_z, 2 * sizeof(double))

STAMP(s, float, OB_FLOAT, tksm2d, sum_begin_s, sum_s, sum_end_s, 2 * sizeof(float))
STAMP(d, double, OB_DOUBLE, tksm2d, sum_begin_d, sum_d, sum_end_d, 2 * sizeof(double))
STAMP(c, void, OB_COMPLEX, tksm2d, sum_begin_c, sum_c, sum_end_c, 4 * sizeof(float))
STAMP(z, void, OB_DCOMPLEX, tksm2d, sum_begin_z, sum_z, sum_end_z, 4 * sizeof(double))

STAMP(i, int, OB_INT, txor2d, .combine = xor_i)
STAMP(i, int, OB_INT, tand2d, .combine = and_i)
STAMP(i, int, OB_INT, tior2d, .combine = ior_i)
