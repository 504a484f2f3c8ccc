/*
 * The module's communicators of the program: their handles and words, the processes behind
 * them, and the Cartesian ones of a grid. What goes wrong with a program's communicator is
 * for the caller to report, so MPI's error handlers return meanwhile.
 */
#include "transport/mpi/module_comms.h"

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hooks/hash.h"
#include "openblacs/core.h"
#include "transport/mpi/module.h"

long ob_module_world_handle(void)
{
    return MPI_Comm_c2f(MPI_COMM_WORLD);
}

#if defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(OB_MPI_STANDARD)
/* MPICH's handles are ints: two bits of how the object is kept (0: not at all, 1:
 * built in, 2: in a fixed array, 3: in blocks), four bits of its kind (1:
 * communicator), its index. Only indices into blocks are checked by MPICH
 * itself. The array has 8 places in MPICH (MPID_COMM_PREALLOC), maybe some more in its kin. */
enum { BUILT_IN = 1, IN_ARRAY = 2, ARRAY_PLACES = 64 };

static bool may_be_mpich_s(unsigned bits)
{
    return bits >> 30 != 0 && (bits >> 26 & 15) == 1 &&
           (bits >> 30 != IN_ARRAY || (bits & 0x03ffffff) < ARRAY_PLACES);
}
#endif

#if defined(OB_MPI_STANDARD)
/* The standard has fixed the numbers of what is built in, below 1024; all others are the library's
 * own, and MPICH ends the program at those that it has not given. */
enum { STANDARD = 1024 };

static bool may_be(long handle)
{
    static _Atomic int mpich = -1;
    char line[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    if (handle >= 0 && handle < STANDARD)
        return handle == MPI_Comm_toint(MPI_COMM_WORLD) || handle == MPI_Comm_toint(MPI_COMM_SELF);
    if (mpich < 0) {
        MPI_Get_library_version(line, &length);
        mpich = strstr(line, "MPICH") != NULL;
    }
    return !mpich || ((unsigned)handle >> 30 != BUILT_IN && may_be_mpich_s((unsigned)handle));
}
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION)
/* Of those that are built in two are for users. */
static bool may_be(long handle)
{
    return may_be_mpich_s((unsigned)handle) &&
           ((unsigned)handle >> 30 != BUILT_IN || handle == MPI_Comm_c2f(MPI_COMM_WORLD) ||
            handle == MPI_Comm_c2f(MPI_COMM_SELF));
}
#endif

#if defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(OB_MPI_STANDARD)
static int to_comm(long handle, MPI_Comm *comm)
{
    if (handle != (int)handle)
        return OB_MPI_NO_HANDLE;
    if (handle == 0) { /* Open MPI's MPI_COMM_WORLD, which programs have in their source */
        *comm = MPI_COMM_WORLD;
        return 0;
    }
    if (!may_be(handle))
        return OB_MPI_NO_HANDLE;
    *comm = MPI_Comm_f2c((MPI_Fint)handle);
    return *comm == MPI_COMM_NULL ? OB_MPI_NO_HANDLE : 0;
}
#else
static int to_comm(long handle, MPI_Comm *comm)
{
    if (handle != (MPI_Fint)handle)
        return OB_MPI_NO_HANDLE;
    *comm = MPI_Comm_f2c((MPI_Fint)handle);
#if defined(OPEN_MPI)
    if (!*comm) /* what Open MPI gives for a number that it never gave out */
        return OB_MPI_NO_HANDLE;
#endif
    return *comm == MPI_COMM_NULL ? OB_MPI_NO_HANDLE : 0;
}
#endif

int ob_module_world(long base, int *rank, int *size)
{
    MPI_Comm comm;
    if (to_comm(base, &comm) != 0)
        return MPI_ERR_COMM;
    int code = MPI_Comm_rank(comm, rank);
    return code != MPI_SUCCESS ? code : MPI_Comm_size(comm, size);
}

void ob_module_abort(long base, int code)
{
    MPI_Comm comm;
    MPI_Abort(to_comm(base, &comm) == 0 ? comm : MPI_COMM_WORLD, code);
    _Exit(code);
}

/* The ranks in the base of a group's members. */
static int ranks_of(MPI_Comm base, MPI_Group group, int **ranks)
{
    MPI_Group all;
    int size = 0, result = OB_MPI_NO_HANDLE;
    if (MPI_Group_size(group, &size) != MPI_SUCCESS || size < 1)
        return OB_MPI_NO_HANDLE;
    int *in = malloc(2 * (size_t)size * sizeof *in);
    if (!in)
        return OB_MPI_NO_MEMORY;
    int *out = in + size;
    for (int i = 0; i < size; i++)
        in[i] = i;
    if (MPI_Comm_group(base, &all) == MPI_SUCCESS) {
        if (MPI_Group_translate_ranks(group, size, in, all, out) == MPI_SUCCESS)
            result = size;
        MPI_Group_free(&all);
    }
    for (int i = 0; i < size && result > 0; i++)
        if (out[i] == MPI_UNDEFINED)
            result = OB_MPI_FOREIGN;
    if (result > 0) {
        memmove(in, out, (size_t)size * sizeof *in);
        *ranks = in;
    } else {
        free(in);
    }
    return result;
}

static int ranks_of_comm(MPI_Comm base, MPI_Comm comm, int **ranks)
{
    MPI_Group group;
    int inter = 0;
    if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return OB_MPI_NO_HANDLE;
    if (inter)
        return OB_MPI_INTER_HANDLE;
    if (MPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return OB_MPI_NO_HANDLE;
    int result = ranks_of(base, group, ranks);
    MPI_Group_free(&group);
    return result;
}

/* An invalid communicator is reported to the error handler of MPI_COMM_WORLD
 * (MPI 3.1) or MPI_COMM_SELF (MPI 4.0), which by default end the job: for a while these return. */
typedef struct handlers {
    MPI_Errhandler world, self;
} handlers;

static void set_handler(MPI_Comm comm, MPI_Errhandler to, MPI_Errhandler *was)
{
    MPI_Comm_get_errhandler(comm, was);
    MPI_Comm_set_errhandler(comm, to);
}

static void reset_handler(MPI_Comm comm, MPI_Errhandler *was)
{
    MPI_Comm_set_errhandler(comm, *was);
    MPI_Errhandler_free(was);
}

static void errors_return(handlers *was)
{
    set_handler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, &was->world);
    set_handler(MPI_COMM_SELF, MPI_ERRORS_RETURN, &was->self);
}

static void errors_as_before(handlers *was)
{
    reset_handler(MPI_COMM_WORLD, &was->world);
    reset_handler(MPI_COMM_SELF, &was->self);
}

int ob_module_group(long base, long handle, int **ranks)
{
    handlers was;
    MPI_Comm comm, whole;
    if (to_comm(handle, &comm) != 0 || to_comm(base, &whole) != 0)
        return OB_MPI_NO_HANDLE;
    errors_return(&was);
    int result = ranks_of_comm(whole, comm, ranks);
    errors_as_before(&was);
    return result;
}

static MPI_Comm comm_of_word(uintptr_t word)
{
    MPI_Comm comm;
    if (sizeof comm == sizeof(int)) { /* the upper half is whatever the register held */
        unsigned low = (unsigned)word;
        memcpy(&comm, &low, sizeof low);
    } else {
        memcpy(&comm, &word, sizeof comm);
    }
    return comm;
}

#if defined(OPEN_MPI)
/* A word that is no communicator is a pointer nobody may follow, so it is looked
 * up among the communicators that Open MPI has numbered; it numbers fewer than
 * this many. */
#define HANDLES 65536
int ob_module_from_word(uintptr_t word, long *handle)
{
    MPI_Comm comm = comm_of_word(word);
    if (!comm || comm == MPI_COMM_NULL)
        return OB_MPI_NO_HANDLE;
    for (MPI_Fint i = 0; i < HANDLES; i++) {
        if (MPI_Comm_f2c(i) == comm) {
            *handle = i;
            return 0;
        }
    }
    return OB_MPI_NO_HANDLE;
}
#elif defined(OB_MPI_STANDARD)
static bool is_address(uintptr_t word)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    return msync((void *)(word / page * page), page, MS_ASYNC) == 0;
}

/* A word that is no communicator may be no address, and the communicator may have been freed. */
int ob_module_from_word(uintptr_t word, long *handle)
{
    handlers was;
    MPI_Comm comm = comm_of_word(word);
    int size;
    if (comm == MPI_COMM_NULL || (word >= STANDARD && !is_address(word)))
        return OB_MPI_NO_HANDLE;
    *handle = MPI_Comm_c2f(comm);
    if (to_comm(*handle, &comm) != 0)
        return OB_MPI_NO_HANDLE;
    errors_return(&was);
    int code = MPI_Comm_size(comm, &size);
    errors_as_before(&was);
    return code == MPI_SUCCESS ? 0 : OB_MPI_NO_HANDLE;
}
#else
int ob_module_from_word(uintptr_t word, long *handle)
{
    MPI_Comm comm = comm_of_word(word);
    if (comm == MPI_COMM_NULL)
        return OB_MPI_NO_HANDLE;
    *handle = MPI_Comm_c2f(comm);
    return to_comm(*handle, &comm);
}
#endif

static void word_of(MPI_Comm comm, uintptr_t *word)
{
    *word = 0;
    if (sizeof comm == sizeof(int)) {
        unsigned low;
        memcpy(&low, &comm, sizeof low);
        *word = low;
    } else {
        memcpy(word, &comm, sizeof comm);
    }
}

int ob_module_to_word(long handle, uintptr_t *word)
{
    MPI_Comm comm;
    if (to_comm(handle, &comm) != 0)
        return OB_MPI_NO_HANDLE;
    word_of(comm, word);
    return 0;
}

void ob_module_null_comm(long *handle, uintptr_t *word)
{
    *handle = MPI_Comm_c2f(MPI_COMM_NULL);
    word_of(MPI_COMM_NULL, word);
}

/* The Cartesian ones, from a communicator of the members in their order: all three, or none. */
static int cut_grid(MPI_Comm members, int rows, int columns, MPI_Comm made[3])
{
    int dims[2] = {rows, columns}, periods[2] = {0, 0}, along_row[2] = {0, 1}, down[2] = {1, 0};
    int code = MPI_Cart_create(members, 2, dims, periods, 0, &made[0]);
    if (code == MPI_SUCCESS)
        code = MPI_Cart_sub(made[0], along_row, &made[1]);
    if (code == MPI_SUCCESS)
        code = MPI_Cart_sub(made[0], down, &made[2]);
    for (int k = 0; code != MPI_SUCCESS && k < 3; k++)
        if (made[k] != MPI_COMM_NULL)
            MPI_Comm_free(&made[k]);
    return code;
}

/* Members of different grids may call at the same time: a grid's first process tells them apart. */
static int split_grid(MPI_Comm comm, const int *ranks, int rows, int columns, MPI_Comm made[3])
{
    MPI_Comm members = MPI_COMM_NULL;
    int me, position = MPI_UNDEFINED;
    int code = MPI_Comm_rank(comm, &me);
    for (int k = 0; code == MPI_SUCCESS && k < rows * columns; k++)
        if (ranks[k] == me)
            position = k;
    if (code == MPI_SUCCESS)
        code = MPI_Comm_split(comm, position == MPI_UNDEFINED ? position : ranks[0], position,
                              &members);
    if (code == MPI_SUCCESS && members != MPI_COMM_NULL) {
        code = cut_grid(members, rows, columns, made);
        MPI_Comm_free(&members);
    }
    return code;
}

/* Where MPI has no communicators left it says so to the caller. New ones inherit the error
 * handler of the one they come from, so they get back the program's. */
int ob_module_grid(long handle, const int *ranks, int rows, int columns, long handles[3])
{
    MPI_Comm comm, made[3] = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
    MPI_Errhandler was;
    if (to_comm(handle, &comm) != 0)
        return MPI_ERR_COMM;
    set_handler(comm, MPI_ERRORS_RETURN, &was);
    int code = split_grid(comm, ranks, rows, columns, made);
    for (int k = 0; k < 3; k++) {
        if (made[k] != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(made[k], was);
        handles[k] = MPI_Comm_c2f(made[k]);
    }
    reset_handler(comm, &was);
    return code;
}

int ob_module_create(long base, const int *ranks, int size, int tag, MPI_Comm *comm)
{
    MPI_Comm whole;
    MPI_Group all, group;
    if (to_comm(base, &whole) != 0)
        return MPI_ERR_COMM;
    int code = MPI_Comm_group(whole, &all);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Group_incl(all, size, ranks, &group);
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_create_group(whole, group, tag, comm);
        MPI_Group_free(&group);
    }
    MPI_Group_free(&all);
    return code;
}

/* As if the program had made it from MPI_COMM_WORLD, of which it has the error handler. */
int ob_module_comm(long base, const int *ranks, int size, int tag, long *handle)
{
    handlers was;
    MPI_Comm comm;
    errors_return(&was);
    int code = ob_module_create(base, ranks, size, tag, &comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(comm, was.world);
    errors_as_before(&was);
    if (code == MPI_SUCCESS)
        *handle = MPI_Comm_c2f(comm);
    return code;
}

/* It may be the program's error: one that it has freed already. */
int ob_module_free_comm(long handle)
{
    handlers was;
    MPI_Comm comm;
    if (to_comm(handle, &comm) != 0)
        return MPI_ERR_COMM;
    errors_return(&was);
    int code = MPI_Comm_free(&comm);
    errors_as_before(&was);
    return code;
}

/* ------------------------------------------------------ the program's own communicators */

static int topology_of(MPI_Comm comm, int dims[2], int periods[2])
{
    int kind, inter, count = 0;
    if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return OB_MPI_NO_HANDLE;
    if (inter || MPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind != MPI_CART ||
        MPI_Cartdim_get(comm, &count) != MPI_SUCCESS)
        return 0;
    if (count == 1 || count == 2) {
        int coords[2];
        MPI_Cart_get(comm, count, dims, periods, coords);
    }
    return count;
}

int ob_module_cartesian(long handle, int dims[2], int periods[2])
{
    handlers was;
    MPI_Comm comm;
    if (to_comm(handle, &comm) != 0)
        return OB_MPI_NO_HANDLE;
    errors_return(&was);
    int count = topology_of(comm, dims, periods);
    errors_as_before(&was);
    return count;
}

/* What is kept with a communicator. */
typedef struct kept {
    uint64_t key; /* 0: none yet */
    uint64_t duplicates;
    void *job; /* the job that it is; NULL: it is none */
} kept;
static int keyval = MPI_KEYVAL_INVALID, keyval_code;
static pthread_once_t keyval_once = PTHREAD_ONCE_INIT;
static void (*tell_freed)(long handle);
static void (*tell_job_freed)(void *job);

/* A duplicate is made by all members, so they count alike. */
static int copy_kept(MPI_Comm comm, int which, void *extra, void *in, void *out, int *flag)
{
    kept *from = in, *to = from->key ? malloc(sizeof *to) : NULL;
    (void)comm;
    (void)which;
    (void)extra;
    *flag = to != NULL;
    if (to) {
        uint64_t mixed = (from->key + ++from->duplicates) * OB_GOLDEN;
        *to = (kept){.key = (mixed ^ mixed >> 29) | 1};
        *(void **)out = to;
    }
    return MPI_SUCCESS;
}

static int delete_kept(MPI_Comm comm, int which, void *value, void *extra)
{
    (void)which;
    (void)extra;
    kept *k = value;
    if (tell_freed)
        tell_freed(MPI_Comm_c2f(comm));
    if (k->job)
        tell_job_freed(k->job);
    free(k);
    return MPI_SUCCESS;
}

static void make_keyval(void)
{
    keyval_code = MPI_Comm_create_keyval(copy_kept, delete_kept, &keyval, NULL);
}

static kept *kept_of(MPI_Comm comm)
{
    kept *k;
    int there = 0;
    pthread_once(&keyval_once, make_keyval);
    if (keyval_code != MPI_SUCCESS || MPI_Comm_get_attr(comm, keyval, &k, &there) != MPI_SUCCESS)
        return NULL;
    return there ? k : NULL;
}

/* What is kept with a communicator, from now on at the latest. */
static int keep(long handle, kept **out)
{
    MPI_Comm comm;
    if (to_comm(handle, &comm) != 0)
        return MPI_ERR_COMM;
    kept *k = *out = kept_of(comm);
    if (k || keyval_code != MPI_SUCCESS)
        return keyval_code;
    k = calloc(1, sizeof *k);
    if (k == NULL)
        return MPI_ERR_NO_MEM;
    int code = MPI_Comm_set_attr(comm, keyval, k);
    if (code == MPI_SUCCESS)
        *out = k;
    else
        free(k);
    return code;
}

int ob_module_keep_key(long handle, uint64_t key)
{
    kept *k;
    int code = keep(handle, &k);
    if (code == MPI_SUCCESS && key)
        k->key = key;
    return code;
}

int ob_module_keep_job(long handle, void *job)
{
    kept *k;
    int code = keep(handle, &k);
    if (code == MPI_SUCCESS)
        k->job = job;
    return code;
}

void *ob_module_job(long handle)
{
    handlers was;
    MPI_Comm comm;
    if (to_comm(handle, &comm) != 0)
        return NULL;
    errors_return(&was); /* it may be one that the program has freed already */
    kept *k = kept_of(comm);
    errors_as_before(&was);
    return k ? k->job : NULL;
}

void ob_module_on_job_free(void (*freed)(void *job))
{
    tell_job_freed = freed;
}

uint64_t ob_module_key(long handle)
{
    MPI_Comm comm;
    kept *k = to_comm(handle, &comm) == 0 ? kept_of(comm) : NULL;
    return k ? k->key : 0;
}

void ob_module_on_free(void (*freed)(long handle))
{
    tell_freed = freed;
}

int ob_module_agree(long handle, uint64_t *key, ob_mpi_request *request)
{
    MPI_Comm comm;
    MPI_Request r;
    if (to_comm(handle, &comm) != 0)
        return MPI_ERR_COMM;
    int code = MPI_Iallreduce(MPI_IN_PLACE, key, 1, MPI_UINT64_T, MPI_MAX, comm, &r);
    memcpy(request, &r, sizeof r);
    return code;
}

/* An integer or a real of another size (compilers can be told) is none of ours. */
int ob_module_type(long handle)
{
    MPI_Datatype type =
        handle == (MPI_Fint)handle ? MPI_Type_f2c((MPI_Fint)handle) : MPI_DATATYPE_NULL;
    const struct {
        MPI_Datatype type;
        int ours, bytes;
    } known[] = {
        {MPI_INTEGER, OB_INT, 4},
        {MPI_INT, OB_INT, 4},
        {MPI_INTEGER4, OB_INT, 4},
        {MPI_INT32_T, OB_INT, 4},
        {MPI_REAL, OB_FLOAT, 4},
        {MPI_FLOAT, OB_FLOAT, 4},
        {MPI_REAL4, OB_FLOAT, 4},
        {MPI_DOUBLE_PRECISION, OB_DOUBLE, 8},
        {MPI_DOUBLE, OB_DOUBLE, 8},
        {MPI_REAL8, OB_DOUBLE, 8},
        {MPI_COMPLEX, OB_COMPLEX, 8},
        {MPI_C_FLOAT_COMPLEX, OB_COMPLEX, 8},
        {MPI_COMPLEX8, OB_COMPLEX, 8},
        {MPI_DOUBLE_COMPLEX, OB_DCOMPLEX, 16},
        {MPI_C_DOUBLE_COMPLEX, OB_DCOMPLEX, 16},
        {MPI_COMPLEX16, OB_DCOMPLEX, 16},
        {MPI_BYTE, OB_BYTE, 1},
        {MPI_CHARACTER, OB_BYTE, 1},
        {MPI_CHAR, OB_BYTE, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int bytes;
        if (known[i].type == type && type != MPI_DATATYPE_NULL &&
            MPI_Type_size(type, &bytes) == MPI_SUCCESS && bytes == known[i].bytes)
            return known[i].ours;
    }
    return -1;
}
