/*
 * Broadcasts and reductions. The core combines in place; the MLACS keep the
 * input, so it is copied first: to where the result goes, or into memory kept for that. What
 * the result's receiver wants of ranks the others do not know, so they always travel.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/collective.h"
#include "room.h"

/* ------------------------------------------------------------------ broadcast */

/* Without waiting: there is a place for the request. */
static int check_place(const obm_call *call, bool begins, MLACS_Request *request)
{
    if (!begins)
        return MLACS_SUCCESS;
    if (request == NULL)
        return obm_fail(call, MLACS_ERR_REQUEST, "OB-1001 request is NULL");
    *request = MLACS_REQUEST_NULL;
    return MLACS_SUCCESS;
}

/* What the core has begun, as a request. */
static int begun(const obm_call *call, const obm_comm *c, int status, ob_request *r,
                 MLACS_Request *request)
{
    request->operation = r;
    request->columns = obm_columns(c);
    return obm_status(call, status);
}

/* Waits where it does not begin. */
static int broadcast(const char *routine, void *a, int lda, int m, int n, char uplo, char diag,
                     MLACS_Type type, int rroot, int croot, MLACS_Comm comm, bool begins,
                     MLACS_Request *request)
{
    obm_call call = {routine, NULL};
    obm_comm c;
    ob_view view;
    ob_request *r = NULL;
    int root, code = check_place(&call, begins, request);
    if (code == MLACS_SUCCESS)
        code = obm_enter(&call, comm, &c);
    if (code == MLACS_SUCCESS)
        code = obm_view(&call, a, lda, m, n, uplo, diag, type, &view);
    if (code == MLACS_SUCCESS)
        code = obm_root(&call, &c, rroot, croot, &root);
    if (code == MLACS_SUCCESS && !begins)
        code = obm_apart(&call);
    if (code != MLACS_SUCCESS)
        return code;
    OB_TRACE_SCOPE("ARC"[c.kind]);
    ob_group *group = c.grid->group[c.kind];
    if (!begins)
        return obm_status(&call, ob_broadcast(group, root, &view, NULL));
    int status = ob_ibroadcast(group, root, &view, NULL, &r);
    return begun(&call, &c, status, r, request);
}

int mlacs_bcast(void *a, int lda, int m, int n, MLACS_Type datatype, int rroot, int croot,
                MLACS_Comm comm)
{
    OB_TRACE_ROUTINE("mlacs_bcast");
    return broadcast("mlacs_bcast", a, lda, m, n, OBM_GENERAL, 0, datatype, rroot, croot, comm,
                     false, NULL);
}

int mlacs_bcast_trap(void *a, int lda, int m, int n, char uplo, char diag, MLACS_Type datatype,
                     int rroot, int croot, MLACS_Comm comm)
{
    OB_TRACE_ROUTINE("mlacs_bcast_trap");
    return broadcast("mlacs_bcast_trap", a, lda, m, n, uplo ? uplo : '?', diag, datatype, rroot,
                     croot, comm, false, NULL);
}

int mlacs_ibcast(void *a, int lda, int m, int n, MLACS_Type datatype, int rroot, int croot,
                 MLACS_Comm comm, MLACS_Request *request)
{
    OB_TRACE_ROUTINE("mlacs_ibcast");
    return broadcast("mlacs_ibcast", a, lda, m, n, OBM_GENERAL, 0, datatype, rroot, croot, comm,
                     true, request);
}

int mlacs_ibcast_trap(void *a, int lda, int m, int n, char uplo, char diag, MLACS_Type datatype,
                      int rroot, int croot, MLACS_Comm comm, MLACS_Request *request)
{
    OB_TRACE_ROUTINE("mlacs_ibcast_trap");
    return broadcast("mlacs_ibcast_trap", a, lda, m, n, uplo ? uplo : '?', diag, datatype, rroot,
                     croot, comm, true, request);
}

/* --------------------------------------------------------------------- barrier */

int mlacs_ibarrier(MLACS_Comm comm, MLACS_Request *request)
{
    OB_TRACE_ROUTINE("mlacs_ibarrier");
    obm_call call = {"mlacs_ibarrier", NULL};
    obm_comm c;
    ob_request *r = NULL;
    int code = check_place(&call, true, request);
    if (code == MLACS_SUCCESS)
        code = obm_enter(&call, comm, &c);
    if (code != MLACS_SUCCESS)
        return code;
    OB_TRACE_SCOPE("ARC"[c.kind]);
    int status = ob_ibarrier(c.grid->group[c.kind], &r);
    return begun(&call, &c, status, r, request);
}

/* -------------------------------------------------------------- working memory */

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_key;
static _Thread_local void *piece;
static _Thread_local size_t piece_bytes;

static void make_key(void)
{
    have_key = pthread_key_create(&key, free) == 0;
}

/* The calling thread's until it asks again. */
static void *scratch(const obm_call *call, size_t bytes)
{
    if (bytes <= piece_bytes)
        return piece;
    pthread_once(&once, make_key);
    free(piece);
    piece_bytes = (bytes + 4095) / 4096 * 4096;
    piece = aligned_alloc(64, piece_bytes);
    if (have_key)
        pthread_setspecific(key, piece);
    if (piece == NULL) {
        piece_bytes = 0;
        obm_fail(call, MLACS_ERR_MEMORY, "OB-4011 no memory for %zu bytes to reduce in", bytes);
    }
    return piece;
}

/* ------------------------------------------------------------------- reductions */

/* A reduction's arguments, checked. */
typedef struct reduction {
    obm_comm comm;
    ob_group *group;
    int root;     /* or OB_ANY */
    bool result;  /* it comes here */
    ob_view a, b; /* b only where the result comes */
} reduction;

enum { TO_ALL = -3 }; /* in the place of a root's coordinates */

static int check(obm_call *call, reduction *r, const void *a, void *b, int ldab, int m, int n,
                 MLACS_Type type, int rroot, int croot, MLACS_Comm comm)
{
    int code = obm_enter(call, comm, &r->comm);
    if (code != MLACS_SUCCESS)
        return code;
    OB_TRACE_SCOPE("ARC"[r->comm.kind]);
    r->root = OB_ANY;
    r->group = r->comm.grid->group[r->comm.kind];
    code = obm_view(call, a, ldab, m, n, OBM_GENERAL, 0, type, &r->a);
    if (code == MLACS_SUCCESS && rroot != TO_ALL)
        code = obm_root(call, &r->comm, rroot, croot, &r->root);
    r->result = r->root == OB_ANY || r->root == ob_group_me(r->group);
    if (code == MLACS_SUCCESS && r->result && b == NULL && m && n)
        code = obm_fail(call, MLACS_ERR_BUFFER,
                        "OB-1002 b is NULL, but the result of %d x %d comes here", m, n);
    r->b = r->a;
    r->b.base = b;
    return code;
}

static void copy(const ob_view *from, const ob_view *to)
{
    size_t unit = ob_type_bytes(from->type);
    for (size_t j = 0; j < from->n && from->base != to->base; j++)
        memcpy((char *)to->base + j * to->ld * unit, (const char *)from->base + j * from->ld * unit,
               from->m * unit);
}

static int check_sum(obm_call *call, reduction *r, const void *a, void *b, int ldab, int m, int n,
                     MLACS_Type type, int rroot, int croot, MLACS_Comm comm)
{
    int code = check(call, r, a, b, ldab, m, n, type, rroot, croot, comm);
    if (code == MLACS_SUCCESS && type == MLACS_BYTE)
        code = obm_fail(call, MLACS_ERR_TYPE, "OB-1019 datatype is MLACS_BYTE, which has no sum");
    return code;
}

static int sum(const char *routine, const void *a, void *b, int ldab, int m, int n, MLACS_Type type,
               int rroot, int croot, MLACS_Comm comm)
{
    obm_call call = {routine, NULL};
    reduction r;
    int code = check_sum(&call, &r, a, b, ldab, m, n, type, rroot, croot, comm);
    if (code == MLACS_SUCCESS)
        code = obm_apart(&call);
    if (code != MLACS_SUCCESS)
        return code;
    ob_view work = r.b;
    if (!r.result) {
        work.ld = r.a.m ? r.a.m : 1;
        work.base = scratch(&call, r.a.m * r.a.n * ob_type_bytes(r.a.type) + 1);
        if (work.base == NULL)
            return MLACS_ERR_MEMORY;
    }
    copy(&r.a, &work);
    return obm_status(&call, ob_combine(r.group, r.root, OB_SUM, &work, NULL, 0, NULL));
}

/* In b where the result comes; elsewhere the core keeps a as it is. */
static int begin_sum(const char *routine, const void *a, void *b, int ldab, int m, int n,
                     MLACS_Type type, int rroot, int croot, MLACS_Comm comm, MLACS_Request *request)
{
    obm_call call = {routine, NULL};
    reduction r;
    ob_request *begins = NULL;
    int code = check_place(&call, true, request);
    if (code == MLACS_SUCCESS)
        code = check_sum(&call, &r, a, b, ldab, m, n, type, rroot, croot, comm);
    if (code != MLACS_SUCCESS)
        return code;
    if (r.result)
        copy(&r.a, &r.b);
    int status = ob_icombine_keep(r.group, r.root, OB_SUM, r.result ? &r.b : &r.a, NULL, &begins);
    return begun(&call, &r.comm, status, begins, request);
}

int mlacs_reduce_sum(const void *a, void *b, int ldab, int m, int n, MLACS_Type datatype, int rroot,
                     int croot, MLACS_Comm comm)
{
    OB_TRACE_ROUTINE("mlacs_reduce_sum");
    return sum("mlacs_reduce_sum", a, b, ldab, m, n, datatype, rroot, croot, comm);
}

int mlacs_allreduce_sum(const void *a, void *b, int ldab, int m, int n, MLACS_Type datatype,
                        MLACS_Comm comm)
{
    OB_TRACE_ROUTINE("mlacs_allreduce_sum");
    return sum("mlacs_allreduce_sum", a, b, ldab, m, n, datatype, TO_ALL, TO_ALL, comm);
}

int mlacs_ireduce_sum(const void *a, void *b, int ldab, int m, int n, MLACS_Type datatype,
                      int rroot, int croot, MLACS_Comm comm, MLACS_Request *request)
{
    OB_TRACE_ROUTINE("mlacs_ireduce_sum");
    return begin_sum("mlacs_ireduce_sum", a, b, ldab, m, n, datatype, rroot, croot, comm, request);
}

int mlacs_iallreduce_sum(const void *a, void *b, int ldab, int m, int n, MLACS_Type datatype,
                         MLACS_Comm comm, MLACS_Request *request)
{
    OB_TRACE_ROUTINE("mlacs_iallreduce_sum");
    return begin_sum("mlacs_iallreduce_sum", a, b, ldab, m, n, datatype, TO_ALL, TO_ALL, comm,
                     request);
}

static int check_ranks(const obm_call *call, const int *ranks, int ldia, int m)
{
    if (ranks && ldia < m)
        return obm_fail(call, MLACS_ERR_SIZE, "OB-1020 ldia is %d, must be at least m = %d", ldia,
                        m);
    return MLACS_SUCCESS;
}

static int check_order(const obm_call *call, ob_op op, MLACS_Type type)
{
    bool complex = type == MLACS_COMPLEX || type == MLACS_DOUBLE_COMPLEX;
    if (type == MLACS_BYTE || (complex && (op == OB_MAX || op == OB_MIN)))
        return obm_fail(call, MLACS_ERR_TYPE, "OB-1019 datatype %d has no order%s", (int)type,
                        complex ? "; maxabsloc and minabsloc compare magnitudes" : "");
    return MLACS_SUCCESS;
}

/* Where values and ranks are combined: the caller's arrays where they are wanted, and memory
 * of ours. */
static int combine_where(const obm_call *call, const reduction *r, int *ranks, int ldia,
                         ob_view *work, int **owner, size_t *ld_owner)
{
    size_t count = r->a.m * r->a.n, bytes = r->result ? 0 : count * ob_type_bytes(r->a.type);
    bool keep = r->result && ranks;
    char *memory = keep ? NULL : scratch(call, bytes + count * sizeof(int) + 1);
    if (!keep && memory == NULL)
        return MLACS_ERR_MEMORY;
    *work = r->b;
    if (!r->result) {
        work->base = memory;
        work->ld = r->a.m ? r->a.m : 1;
    }
    *owner = keep ? ranks : (int *)(void *)(memory + bytes);
    *ld_owner = keep ? (size_t)ldia : r->a.m;
    return MLACS_SUCCESS;
}

static int locate(const char *routine, ob_op op, const void *a, void *b, int ldab, int m, int n,
                  int *ranks, int ldia, MLACS_Type type, int rroot, int croot, MLACS_Comm comm)
{
    obm_call call = {routine, NULL};
    reduction r;
    ob_view work;
    int *owner;
    size_t ld_owner;
    int code = check(&call, &r, a, b, ldab, m, n, type, rroot, croot, comm);
    if (code == MLACS_SUCCESS)
        code = check_ranks(&call, ranks, ldia, m);
    if (code == MLACS_SUCCESS)
        code = check_order(&call, op, type);
    if (code == MLACS_SUCCESS)
        code = combine_where(&call, &r, ranks, ldia, &work, &owner, &ld_owner);
    if (code != MLACS_SUCCESS)
        return code;
    copy(&r.a, &work);
    return obm_status(&call, ob_combine(r.group, r.root, op, &work, owner, ld_owner, NULL));
}

#define LOCATIONS(name, what)                                                                      \
    int mlacs_reduce_##name(const void *a, void *b, int ldab, int m, int n, int *ranks, int ldia,  \
                            MLACS_Type datatype, int rroot, int croot, MLACS_Comm comm)            \
    {                                                                                              \
        OB_TRACE_ROUTINE("mlacs_reduce_" #name);                                                   \
        return locate("mlacs_reduce_" #name, what, a, b, ldab, m, n, ranks, ldia, datatype, rroot, \
                      croot, comm);                                                                \
    }                                                                                              \
    int mlacs_allreduce_##name(const void *a, void *b, int ldab, int m, int n, int *ranks,         \
                               int ldia, MLACS_Type datatype, MLACS_Comm comm)                     \
    {                                                                                              \
        OB_TRACE_ROUTINE("mlacs_allreduce_" #name);                                                \
        return locate("mlacs_allreduce_" #name, what, a, b, ldab, m, n, ranks, ldia, datatype,     \
                      TO_ALL, TO_ALL, comm);                                                       \
    }

LOCATIONS(maxloc, OB_MAX)
LOCATIONS(minloc, OB_MIN)
LOCATIONS(maxabsloc, OB_MAX_ABS)
LOCATIONS(minabsloc, OB_MIN_ABS)
