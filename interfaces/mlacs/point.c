/*
 * Point to point: the sixteen sends and four receives are the three functions
 * below with a mode and a shape filled in.
 */
#include "room.h"

/* The arguments of a send or receive. */
typedef struct matrix {
    const void *a;
    int lda, m, n;
    char uplo, diag;
    MLACS_Type type;
} matrix;

typedef struct target {
    ob_view view;
    obm_comm comm;
    int position;
} target;

static inline ob_group *group_of(const target *t)
{
    return t->comm.grid->group[t->comm.kind];
}

/* Checks the arguments of a send to (row, col), or of a receive from there. */
static inline int enter(obm_call *call, bool receives, const matrix *a, int row, int col, int tag,
                        MLACS_Comm comm, target *t)
{
    int code = obm_enter(call, comm, &t->comm);
    if (code == MLACS_SUCCESS)
        code = obm_view(call, a->a, a->lda, a->m, a->n, a->uplo, a->diag, a->type, &t->view);
    if (code == MLACS_SUCCESS)
        code = (receives ? obm_source : obm_dest)(call, &t->comm, row, col, &t->position);
    return code == MLACS_SUCCESS ? obm_tag(call, tag, receives) : code;
}

static int send_now(const char *routine, ob_mode mode, const matrix *a, int rdest, int cdest,
                    int tag, MLACS_Comm comm)
{
    obm_call call = {routine, NULL};
    target t;
    int code = enter(&call, false, a, rdest, cdest, tag, comm, &t);
    if (code != MLACS_SUCCESS)
        return code;
    int status = mode <= OB_BUFFERED ? ob_send(group_of(&t), t.position, tag, &t.view)
                                     : ob_send_mode(group_of(&t), t.position, tag, &t.view, mode);
    return obm_status(&call, status);
}

static int no_request(const obm_call *call, const MLACS_Request *request)
{
    return request ? MLACS_SUCCESS : obm_fail(call, MLACS_ERR_REQUEST, "OB-1001 request is NULL");
}

static int receive_now(const char *routine, const matrix *a, int rsrc, int csrc, int tag,
                       MLACS_Comm comm, MLACS_Status *status)
{
    obm_call call = {routine, NULL};
    target t;
    ob_received got = {.source = -1, .tag = -1}; /* where no message is met */
    int code = enter(&call, true, a, rsrc, csrc, tag, comm, &t);
    if (code == MLACS_SUCCESS)
        code = obm_apart(&call);
    if (code != MLACS_SUCCESS)
        return code;
    int result = ob_recv_with(group_of(&t), t.position, tag, &t.view, OB_SHORTER, &got);
    if (status)
        obm_tell(&got, obm_columns(&t.comm), status);
    return obm_status(&call, result);
}

/* The mode is that of a send. */
static int begin(const char *routine, bool receives, ob_mode mode, const matrix *a, int row,
                 int col, int tag, MLACS_Comm comm, MLACS_Request *request)
{
    obm_call call = {routine, NULL};
    target t;
    ob_request *r;
    int code = enter(&call, receives, a, row, col, tag, comm, &t);
    if (code == MLACS_SUCCESS)
        code = no_request(&call, request);
    if (code != MLACS_SUCCESS)
        return code;
    int status = receives ? ob_irecv(group_of(&t), t.position, tag, &t.view, OB_SHORTER, &r)
                          : ob_isend(group_of(&t), t.position, tag, &t.view, mode, &r);
    *request = (MLACS_Request){status == OB_OK ? r : NULL, obm_columns(&t.comm)};
    return obm_status(&call, status);
}

/* A letter of no meaning must not pass for a general matrix. */
static inline char letter(char c)
{
    return c ? c : '?';
}

#define GENERAL                                                                                    \
    &(const matrix)                                                                                \
    {                                                                                              \
        a, lda, m, n, OBM_GENERAL, 0, datatype                                                     \
    }
#define TRAPEZOID                                                                                  \
    &(const matrix)                                                                                \
    {                                                                                              \
        a, lda, m, n, letter(uplo), letter(diag), datatype                                         \
    }

#define SENDS(name, mode)                                                                          \
    int mlacs_##name(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,         \
                     int cdest, int tag, MLACS_Comm comm)                                          \
    {                                                                                              \
        OB_TRACE_ROUTINE("mlacs_" #name);                                                          \
        return send_now("mlacs_" #name, mode, GENERAL, rdest, cdest, tag, comm);                   \
    }                                                                                              \
    int mlacs_##name##_trap(const void *a, int lda, int m, int n, char uplo, char diag,            \
                            MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm)   \
    {                                                                                              \
        OB_TRACE_ROUTINE("mlacs_" #name "_trap");                                                  \
        return send_now("mlacs_" #name "_trap", mode, TRAPEZOID, rdest, cdest, tag, comm);         \
    }                                                                                              \
    int mlacs_i##name(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,        \
                      int cdest, int tag, MLACS_Comm comm, MLACS_Request *request)                 \
    {                                                                                              \
        OB_TRACE_ROUTINE("mlacs_i" #name);                                                         \
        return begin("mlacs_i" #name, false, mode, GENERAL, rdest, cdest, tag, comm, request);     \
    }                                                                                              \
    int mlacs_i##name##_trap(const void *a, int lda, int m, int n, char uplo, char diag,           \
                             MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm,  \
                             MLACS_Request *request)                                               \
    {                                                                                              \
        OB_TRACE_ROUTINE("mlacs_i" #name "_trap");                                                 \
        return begin("mlacs_i" #name "_trap", false, mode, TRAPEZOID, rdest, cdest, tag, comm,     \
                     request);                                                                     \
    }

SENDS(send, OB_STANDARD)
SENDS(rsend, OB_READY)
SENDS(ssend, OB_SYNCHRONOUS)
SENDS(bsend, OB_BUFFERED)

int mlacs_recv(void *a, int lda, int m, int n, MLACS_Type datatype, int rsrc, int csrc, int tag,
               MLACS_Comm comm, MLACS_Status *status)
{
    OB_TRACE_ROUTINE("mlacs_recv");
    return receive_now("mlacs_recv", GENERAL, rsrc, csrc, tag, comm, status);
}

int mlacs_recv_trap(void *a, int lda, int m, int n, char uplo, char diag, MLACS_Type datatype,
                    int rsrc, int csrc, int tag, MLACS_Comm comm, MLACS_Status *status)
{
    OB_TRACE_ROUTINE("mlacs_recv_trap");
    return receive_now("mlacs_recv_trap", TRAPEZOID, rsrc, csrc, tag, comm, status);
}

int mlacs_irecv(void *a, int lda, int m, int n, MLACS_Type datatype, int rsrc, int csrc, int tag,
                MLACS_Comm comm, MLACS_Request *request)
{
    OB_TRACE_ROUTINE("mlacs_irecv");
    return begin("mlacs_irecv", true, OB_STANDARD, GENERAL, rsrc, csrc, tag, comm, request);
}

int mlacs_irecv_trap(void *a, int lda, int m, int n, char uplo, char diag, MLACS_Type datatype,
                     int rsrc, int csrc, int tag, MLACS_Comm comm, MLACS_Request *request)
{
    OB_TRACE_ROUTINE("mlacs_irecv_trap");
    return begin("mlacs_irecv_trap", true, OB_STANDARD, TRAPEZOID, rsrc, csrc, tag, comm, request);
}
