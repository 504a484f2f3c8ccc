/*
 * Buffers: what an argument list names, as bytes. Types with gaps and derived types are
 * packed and unpacked by the MPI library, element by element as far as int reaches.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

shim_fate shim_fate_of(const shim_type *type)
{
    return type->uncommitted ? UNCOMMITTED : type->derived ? TAKEN_PACKED : TAKEN;
}

shim_fate shim_buffer_of(const void *base, long long count, MPI_Datatype type, shim_buffer *buffer)
{
    if (count < 0 || !shim_type_of(type, &buffer->type))
        return INVALID;
    buffer->base = (char *)base;
    buffer->count = (size_t)count;
    buffer->bytes = buffer->count * buffer->type.size;
    /* Derived types may hold addresses themselves, and start at MPI_BOTTOM. */
    bool good = base != NULL || buffer->bytes == 0 || buffer->type.derived;
    return good ? shim_fate_of(&buffer->type) : INVALID;
}

/* ----------------------------------------------------------------- packing */

/* As many elements as one call of MPI_Pack can take. */
static size_t at_once(const shim_type *type, size_t count)
{
    enum { SOME = 1 << 30 };
    size_t fit = type->size ? SOME / type->size : count;
    if (type->size > INT_MAX)
        shim_fault(
            "OB-3021 libicc-mpi: an element of a derived type has %zu bytes, and this MPI library "
            "packs less than 2^31; name the calls to be served in OPENBLACS_ICC_MPI, "
            "without this one",
            type->size);
    if (fit == 0)
        fit = 1;
    return fit < count ? fit : count;
}

/* Elements at MPI_BOTTOM, whose type holds addresses, as one element at `anchor`: MPICH's
 * MPI_Pack takes the address 0 for a mistake. */
static char anchor;
static MPI_Datatype anchored(MPI_Datatype type, int count)
{
    MPI_Datatype moved;
    MPI_Aint back = -(MPI_Aint)(ptrdiff_t)&anchor;
    if (PMPI_Type_create_hindexed(1, &count, &back, type, &moved) != MPI_SUCCESS ||
        PMPI_Type_commit(&moved) != MPI_SUCCESS)
        shim_fault("OB-3020 libicc-mpi: no type for data at MPI_BOTTOM");
    return moved;
}

/* Some elements to `packed`, or from there. */
static int move_some(const shim_comm *on, MPI_Datatype type, void *base, int count, char *packed,
                     int bytes, bool out)
{
    int position = 0;
    return out ? PMPI_Unpack(packed, bytes, &position, base, count, type, on->comm)
               : PMPI_Pack(base, count, type, packed, bytes, &position, on->comm);
}

static int move_anchored(const shim_comm *on, MPI_Datatype type, int count, char *packed, int bytes,
                         bool out)
{
    MPI_Datatype moved = anchored(type, count);
    int code = move_some(on, moved, &anchor, 1, packed, bytes, out);
    PMPI_Type_free(&moved);
    return code;
}

static bool move(const shim_comm *on, const shim_type *type, char *base, size_t count, char *packed,
                 bool out)
{
    if (type->dense) {
        if (count)
            memcpy(out ? base : packed, out ? packed : base, count * type->size);
        return true;
    }
    while (count) {
        size_t step = at_once(type, count);
        int bytes = (int)(step * type->size);
        int code = base ? move_some(on, type->type, base, (int)step, packed, bytes, out)
                        : move_anchored(on, type->type, (int)step, packed, bytes, out);
        if (code != MPI_SUCCESS)
            return false;
        base += step * type->extent;
        packed += bytes;
        count -= step;
    }
    return true;
}

bool shim_pack(const shim_comm *on, const shim_type *type, const char *base, size_t count, char *to)
{
    return move(on, type, (char *)(uintptr_t)base, count, to, false);
}

bool shim_unpack(const shim_comm *on, const shim_type *type, char *base, size_t count,
                 const char *from)
{
    return move(on, type, base, count, (char *)(uintptr_t)from, true);
}

/* ----------------------------------------------------------------- scratch */

/* Kept from call to call: fresh memory costs a page fault every 4 KiB. */
enum { KEEP = 64 << 20 };
typedef struct scratch {
    void *memory[SLOTS];
    size_t room[SLOTS];
} scratch;
static _Thread_local scratch *mine;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop(void *of_thread)
{
    scratch *s = of_thread;
    for (int i = 0; i < SLOTS; i++)
        free(s->memory[i]);
    free(s);
}

static void make_key(void)
{
    if (pthread_key_create(&key, drop) != 0)
        shim_fault("OB-3020 libicc-mpi: no thread keys left");
}

void *shim_scratch(int slot, size_t bytes)
{
    if (mine == NULL) {
        pthread_once(&once, make_key);
        mine = calloc(1, sizeof *mine);
        if (mine == NULL || pthread_setspecific(key, mine) != 0)
            return NULL;
    }
    if (bytes > mine->room[slot] || mine->memory[slot] == NULL) {
        free(mine->memory[slot]);
        size_t room = bytes < 4096 ? 4096 : bytes;
        mine->memory[slot] = aligned_alloc(64, (room + 63) / 64 * 64);
        mine->room[slot] = mine->memory[slot] ? room : 0;
    }
    return mine->memory[slot];
}

void shim_scratch_trim(void)
{
    for (int i = 0; mine && i < SLOTS; i++) {
        if (mine->room[i] <= KEEP)
            continue;
        free(mine->memory[i]);
        mine->memory[i] = NULL;
        mine->room[i] = 0;
    }
}
