/*
 * Combines of trapezoids with more operations than the BLACS have, and with the
 * caller's own (LAWN 73, 7.1.3). An operation whose elements are the matrix's
 * own goes to the core with the matrix; where an element becomes several
 * numbers on the way, those lie in a vector. Combines of the core's operations can be begun, too.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "begun.h"
#include "openblacs/blacs_extensions.h"

/* Numbers of arguments; and MOST_WIDTH double complex numbers are what the core combines at most.
 */
enum {
    M_ARGUMENT = 6,
    DEST_ARGUMENT = 10,
    REQUEST_ARGUMENT = 12,
    WIDTH_ARGUMENT = 12,
    COMBINE_ARGUMENT = 14
};
enum { MOST_WIDTH = 16 };

/* What becomes of a matrix element: `bytes` bytes, combined, and an element again. combine NULL:
 * the core's operator on elements of that kind. */
typedef struct method {
    OB_T(blacs_begin) begin; /* NULL: a copy */
    OB_T(blacs_combine) combine;
    OB_T(blacs_end) end; /* NULL: a copy */
    size_t bytes;        /* 0: those of a matrix element */
    ob_operator what;
    ob_kind kind;
} method;

/* ------------------------------------------------------- the library's operations */

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
static obl_int portion(size_t left)
{
    enum { MOST = 1 << 24 };
    return left < MOST ? (obl_int)left : MOST;
}

static void apply(size_t n, void *acc, const void *in, const void *context)
{
    const method *o = context;
    char *a = acc;
    const char *b = in;
    while (n) {
        obl_int now = portion(n);
        o->combine(&now, a, b);
        n -= (size_t)now;
        a += (size_t)now * o->bytes;
        b += (size_t)now * o->bytes;
    }
}

/* One of the caller's two changes of n elements; NULL: a copy. */
static void change(OB_T(blacs_begin) by, size_t n, const char *from, size_t old, char *to,
                   size_t new)
{
    if (!by)
        memcpy(to, from, n * old);
    while (by && n) {
        obl_int now = portion(n);
        by(&now, from, to);
        n -= (size_t)now;
        from += (size_t)now * old;
        to += (size_t)now * new;
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
    ob_view vector = ob_view_vector(w, n * (o->bytes / element), view->type);
    int status = x && w ? OB_OK : OB_ENOMEM;
    if (status == OB_OK) {
        ob_view_pack(view, x);
        change(o->begin, n, x, element, w, o->bytes);
        status = ob_combine_by(group, root, operation, &vector, route);
    }
    if (status == OB_OK && (root == OB_ANY || root == ob_group_me(group))) {
        change(o->end, n, w, o->bytes, x, element);
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
    obl_int context;
    const char *scope, *top, *uplo, *diag;
    obl_int m, n;
    void *a;
    obl_int lda, rdest, cdest;
    const void *site;
    obl_int width;    /* of the caller's own operation, else 0 */
    obl_int *request; /* NULL: waits */
} arguments;

static int shape_letter(const obl_call *call, const char *uplo)
{
    char shown[16];
    int letter = obl_letter(uplo);
    if (letter != 'G' && letter != 'U' && letter != 'L')
        obl_fault(call, "OB-1006 argument %d (UPLO) is %s, must be U, L or G", M_ARGUMENT - 2,
                  obl_show(letter, shown));
    return letter == 'G' ? OBL_GENERAL : letter;
}

static void combine(const arguments *g, method *o)
{
    obl_call call = {g->routine, g->context, NULL};
    obl_grid *grid = obl_enter(&call);
    obl_trace(&call, g->site);
    int letter, root = OB_ANY, status;
    ob_group *group = obl_scope(&call, g->scope, &letter);
    ob_route route = obl_route(&call, g->top, grid->combine_rings, grid->combine_branches);
    ob_view view = obl_view(&call, g->type, shape_letter(&call, g->uplo), obl_letter(g->diag), g->m,
                            g->n, g->a, g->lda, M_ARGUMENT);
    if (g->rdest != -1 && g->cdest != -1)
        root = obl_position(&call, letter, g->rdest, g->cdest, DEST_ARGUMENT, "DEST");
    if (o->bytes == 0)
        o->bytes = ob_type_bytes(g->type);
    obl_begun begun = {.routine = g->routine, .grid = grid, .context = g->context};
    if (__builtin_expect(ob_check_now > 2, 0))
        obl_agree(&call, group,
                  &(obl_named){.what = g->routine,
                               .scope = letter,
                               .top = obl_letter(g->top),
                               .uplo = obl_letter(g->uplo),
                               .diag = obl_letter(g->diag),
                               .view = &view,
                               .route = &route,
                               .root = root,
                               .width = (int)g->width},
                  g->request ? &begun.agreement : NULL);
    ob_operation operation = {apply, o, o->bytes};
    if (!o->combine)
        obl_check(&call, ob_operation_of(o->what, o->kind, &operation));
    if (g->request)
        status = ob_icombine_by(group, root, &operation, &view, &route, &begun.request);
    else if (!o->begin && !o->end)
        status = ob_combine_by(group, root, &operation, &view, &route);
    else
        status = combine_changed(group, root, &operation, &view, &route);
    if (status == OB_ENOMEM)
        obl_fault(&call, "OB-4001 no memory for what the %zu elements become",
                  ob_view_count(&view));
    obl_check(&call, status);
    if (g->request)
        *g->request = obl_enroll_begun(&call, &begun);
    obl_end_call(&call);
}

static void combine_by_caller(const arguments *g, OB_T(blacs_begin) begin,
                              OB_T(blacs_combine) apply_to, OB_T(blacs_end) end)
{
    obl_call call = {g->routine, g->context, NULL};
    obl_int width = g->width;
    obl_enter(&call);
    if (width < 1 || width > MOST_WIDTH)
        obl_fault(&call, "OB-1021 argument %d (WIDTH) is %" OBL_D ", must be 1 to %d",
                  WIDTH_ARGUMENT, width, MOST_WIDTH);
    if (!apply_to)
        obl_fault(&call, "OB-1021 argument %d (COMBINE) is NULL, must be a function",
                  COMBINE_ARGUMENT);
    if (width > 1 && (!begin || !end))
        obl_fault(&call, "OB-1021 argument %d (%s) is NULL, but WIDTH is %" OBL_D ", not 1",
                  begin ? COMBINE_ARGUMENT + 1 : COMBINE_ARGUMENT - 1, begin ? "END" : "BEGIN",
                  width);
    method o = {begin, apply_to, end, ob_type_bytes(g->type) * (size_t)width, 0, 0};
    combine(g, &o);
}

/* ---------------------------------------------------------------------- the routines */

#define STAMP(p, T, type, name, ...)                                                               \
    void OB_C(p##name)(obl_int context, const char *scope, const char *top, const char *uplo,      \
                       const char *diag, obl_int m, obl_int n, T *a, obl_int lda, obl_int rdest,   \
                       obl_int cdest)                                                              \
    {                                                                                              \
        const arguments g = {#p #name, type, context, scope, top,   uplo,     diag, m,             \
                             n,        a,    lda,     rdest, cdest, OBL_SITE, 0,    NULL};         \
        method o = {__VA_ARGS__};                                                                  \
        combine(&g, &o);                                                                           \
    }                                                                                              \
    void OB_F(p##name)(const obl_int *context, const char *scope, const char *top,                 \
                       const char *uplo, const char *diag, const obl_int *m, const obl_int *n,     \
                       T *a, const obl_int *lda, const obl_int *rdest, const obl_int *cdest)       \
    {                                                                                              \
        OB_C(p##name)(*context, scope, top, uplo, diag, *m, *n, a, *lda, *rdest, *cdest);          \
    }                                                                                              \
    OBL_NAMES64(p##name)

/* What is begun has an operation of the core, which needs nothing of this call later. */
#define STAMP_BEGIN(p, T, type, name, ...)                                                         \
    void OB_C(p##name)(obl_int context, const char *scope, const char *top, const char *uplo,      \
                       const char *diag, obl_int m, obl_int n, T *a, obl_int lda, obl_int rdest,   \
                       obl_int cdest, obl_int *request)                                            \
    {                                                                                              \
        static const char routine[] = #p #name;                                                    \
        const arguments g = {                                                                      \
            routine, type,     context, scope,                                                     \
            top,     uplo,     diag,    m,                                                         \
            n,       a,        lda,     rdest,                                                     \
            cdest,   OBL_SITE, 0,       obl_place(routine, context, request, REQUEST_ARGUMENT)};   \
        method o = {__VA_ARGS__};                                                                  \
        combine(&g, &o);                                                                           \
    }                                                                                              \
    void OB_F(p##name)(const obl_int *context, const char *scope, const char *top,                 \
                       const char *uplo, const char *diag, const obl_int *m, const obl_int *n,     \
                       T *a, const obl_int *lda, const obl_int *rdest, const obl_int *cdest,       \
                       obl_int *request)                                                           \
    {                                                                                              \
        OB_C(p##name)(*context, scope, top, uplo, diag, *m, *n, a, *lda, *rdest, *cdest, request); \
    }                                                                                              \
    OBL_NAMES64(p##name)

#define STAMP_OWN(p, T, type)                                                                      \
    void OB_C(p##tuop2d)(obl_int context, const char *scope, const char *top, const char *uplo,    \
                         const char *diag, obl_int m, obl_int n, T *a, obl_int lda, obl_int rdest, \
                         obl_int cdest, obl_int width, OB_T(blacs_begin) begin,                    \
                         OB_T(blacs_combine) apply_to, OB_T(blacs_end) end)                        \
    {                                                                                              \
        const arguments g = {#p "tuop2d", type, context, scope, top,   uplo,     diag,  m,         \
                             n,           a,    lda,     rdest, cdest, OBL_SITE, width, NULL};     \
        combine_by_caller(&g, begin, apply_to, end);                                               \
    }                                                                                              \
    void OB_F(p##tuop2d)(const obl_int *context, const char *scope, const char *top,               \
                         const char *uplo, const char *diag, const obl_int *m, const obl_int *n,   \
                         T *a, const obl_int *lda, const obl_int *rdest, const obl_int *cdest,     \
                         const obl_int *width, OB_T(blacs_begin) begin,                            \
                         OB_T(blacs_combine) apply_to, OB_T(blacs_end) end)                        \
    {                                                                                              \
        OB_C(p##tuop2d)                                                                            \
        (*context, scope, top, uplo, diag, *m, *n, a, *lda, *rdest, *cdest, *width, begin,         \
         apply_to, end);                                                                           \
    }                                                                                              \
    OBL_NAMES64(p##tuop2d)

OBL_TYPES(STAMP_OWN)

#define KIND_INTEGER OBL_KIND
#define KIND_FLOAT OB_KIND_FLOAT
#define KIND_DOUBLE OB_KIND_DOUBLE
#define KIND_COMPLEX OB_KIND_COMPLEX
#define KIND_DCOMPLEX OB_KIND_DCOMPLEX
#define STAMP_CORE(p, T, type, name, operator, k)                                                  \
    STAMP(p, T, type, name, .what = OB_OPERATOR_##operator, .kind = KIND_##k)                      \
    STAMP_BEGIN(p, T, type, name##_begin, .what = OB_OPERATOR_##operator, .kind = KIND_##k)
#define STAMP_REALS(name, operator)                                                                \
    STAMP_CORE(i, obl_int, OBL_INTEGER, name, operator, INTEGER)                                   \
    STAMP_CORE(s, float, OB_FLOAT, name, operator, FLOAT)                                          \
    STAMP_CORE(d, double, OB_DOUBLE, name, operator, DOUBLE)
#define STAMP_ALL(name, operator)                                                                  \
    STAMP_REALS(name, operator)                                                                    \
    STAMP_CORE(c, void, OB_COMPLEX, name, operator, COMPLEX)                                       \
    STAMP_CORE(z, void, OB_DCOMPLEX, name, operator, DCOMPLEX)
STAMP_ALL(tsum2d, SUM)
STAMP_ALL(tprd2d, PRODUCT)
STAMP_REALS(tmax2d, MAX)
STAMP_REALS(tmin2d, MIN)

#define STAMP_CHANGED(p, T, type, name, operation, numbers)                                        \
    STAMP(p, T, type, name, .begin = operation##_begin_##p, .combine = operation##_##p,            \
          .end = operation##_end_##p, .bytes = numbers)
#define STAMP_INEXACT(name, operation, numbers)                                                    \
    STAMP_CHANGED(s, float, OB_FLOAT, name, operation, 2 * sizeof(float))                          \
    STAMP_CHANGED(d, double, OB_DOUBLE, name, operation, 2 * sizeof(double))                       \
    STAMP_CHANGED(c, void, OB_COMPLEX, name, operation, numbers * sizeof(float))                   \
    STAMP_CHANGED(z, void, OB_DCOMPLEX, name, operation, numbers * sizeof(double))
STAMP_INEXACT(tnrm2d, norm, 2)
STAMP_INEXACT(tksm2d, sum, 4)

STAMP_CORE(i, obl_int, OBL_INTEGER, txor2d, BIT_XOR, INTEGER)
STAMP_CORE(i, obl_int, OBL_INTEGER, tand2d, BIT_AND, INTEGER)
STAMP_CORE(i, obl_int, OBL_INTEGER, tior2d, BIT_OR, INTEGER)
