/*
 * The built-in datatypes, found by their handles in a hash table.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "hooks/hash.h"
#include "shim.h"

enum { PLACES = 512 }; /* a power of two, several times the number of types */
static shim_type table[PLACES];
static bool used[PLACES];
static atomic_uint defined[PLACES];

static unsigned place_of(MPI_Datatype type)
{
    return (unsigned)(ob_hash_spread((uintptr_t)type) >> 32) & (PLACES - 1);
}

/* The place of a type, or the free one where it would be. */
static unsigned seek(MPI_Datatype type)
{
    unsigned i = place_of(type);
    while (used[i] && table[i].type != type)
        i = (i + 1) & (PLACES - 1);
    return i;
}

static void add(MPI_Datatype type, ob_kind kind)
{
    MPI_Aint low, extent;
    int size = 0;
    if (type == MPI_DATATYPE_NULL)
        return;
    unsigned i = seek(type);
    if (used[i] || PMPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0 ||
        PMPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS)
        return; /* under two names, or one this library lacks */
    used[i] = true;
    table[i] = (shim_type){.type = type,
                           .kind = kind,
                           .size = (size_t)size,
                           .extent = (size_t)extent,
                           .plain = true,
                           .defined = &defined[i],
                           .dense = (MPI_Aint)size == extent};
}

static ob_kind by_size(MPI_Datatype type, const ob_kind kinds[4])
{
    int size = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS)
        return OB_KINDS;
    return size == 1   ? kinds[0]
           : size == 2 ? kinds[1]
           : size == 4 ? kinds[2]
           : size == 8 ? kinds[3]
                       : OB_KINDS;
}

/* Types whose size is the compiler's choice. */
static void add_integers(void)
{
    static const ob_kind is_signed[4] = {OB_KIND_INT8, OB_KIND_INT16, OB_KIND_INT32, OB_KIND_INT64};
    static const ob_kind is_unsigned[4] = {OB_KIND_UINT8, OB_KIND_UINT16, OB_KIND_UINT32,
                                           OB_KIND_UINT64};
    static const ob_kind logical[4] = {OB_KIND_LOGICAL1, OB_KIND_LOGICAL2, OB_KIND_LOGICAL4,
                                       OB_KIND_LOGICAL8};
    const MPI_Datatype with[] = {MPI_SIGNED_CHAR, MPI_SHORT,     MPI_INT,
                                 MPI_LONG,        MPI_LONG_LONG, MPI_INT8_T,
                                 MPI_INT16_T,     MPI_INT32_T,   MPI_INT64_T};
    /* Logical operations are for C's integers alone (MPI 3.1, 5.9.2). */
    const MPI_Datatype others[] = {MPI_AINT,     MPI_OFFSET,   MPI_COUNT,    MPI_INTEGER,
                                   MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8};
    const MPI_Datatype without[] = {MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT,     MPI_UNSIGNED,
                                    MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UINT8_T,
                                    MPI_UINT16_T,      MPI_UINT32_T,           MPI_UINT64_T};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        add(with[i], by_size(with[i], is_signed));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        add(others[i], by_size(others[i], is_signed));
        table[seek(others[i])].no_logical = true;
    }
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        add(without[i], by_size(without[i], is_unsigned));
    add(MPI_LOGICAL, by_size(MPI_LOGICAL, logical));
}

static ob_kind real_of(MPI_Datatype type)
{
    static const ob_kind real[4] = {OB_KINDS, OB_KINDS, OB_KIND_FLOAT, OB_KIND_DOUBLE};
    return by_size(type, real);
}

static void add_reals(void)
{
    add(MPI_FLOAT, OB_KIND_FLOAT);
    add(MPI_DOUBLE, OB_KIND_DOUBLE);
    add(MPI_LONG_DOUBLE, OB_KIND_LONG_DOUBLE);
    add(MPI_REAL, real_of(MPI_REAL));
    add(MPI_DOUBLE_PRECISION, real_of(MPI_DOUBLE_PRECISION));
    add(MPI_REAL4, real_of(MPI_REAL4));
    add(MPI_REAL8, real_of(MPI_REAL8));
    add(MPI_C_FLOAT_COMPLEX, OB_KIND_COMPLEX);
    add(MPI_C_DOUBLE_COMPLEX, OB_KIND_DCOMPLEX);
    add(MPI_C_LONG_DOUBLE_COMPLEX, OB_KIND_LONG_COMPLEX);
    add(MPI_COMPLEX, real_of(MPI_REAL) == OB_KIND_FLOAT ? OB_KIND_COMPLEX : OB_KINDS);
    add(MPI_DOUBLE_COMPLEX,
        real_of(MPI_DOUBLE_PRECISION) == OB_KIND_DOUBLE ? OB_KIND_DCOMPLEX : OB_KINDS);
    add(MPI_COMPLEX8, OB_KIND_COMPLEX);
    add(MPI_COMPLEX16, OB_KIND_DCOMPLEX);
    add(MPI_CXX_FLOAT_COMPLEX, OB_KIND_COMPLEX);
    add(MPI_CXX_DOUBLE_COMPLEX, OB_KIND_DCOMPLEX);
    add(MPI_CXX_LONG_DOUBLE_COMPLEX, OB_KIND_LONG_COMPLEX);
}

static void add_others(void)
{
    const ob_kind reals = real_of(MPI_REAL), doubles = real_of(MPI_DOUBLE_PRECISION);
    add(MPI_C_BOOL, OB_KIND_BOOL);
    add(MPI_CXX_BOOL, OB_KIND_BOOL);
    add(MPI_BYTE, OB_KIND_BYTE);
    add(MPI_CHAR, (char)-1 < 0 ? OB_KIND_INT8 : OB_KIND_UINT8);
    table[seek(MPI_CHAR)].no_numbers = true;
    add(MPI_WCHAR, OB_KINDS);
    add(MPI_CHARACTER, OB_KINDS);
    add(MPI_PACKED, OB_KINDS);
    add(MPI_FLOAT_INT, OB_KIND_FLOAT_INT);
    add(MPI_DOUBLE_INT, OB_KIND_DOUBLE_INT);
    add(MPI_LONG_INT, OB_KIND_LONG_INT);
    add(MPI_SHORT_INT, OB_KIND_SHORT_INT);
    add(MPI_LONG_DOUBLE_INT, OB_KIND_LONG_DOUBLE_INT);
    add(MPI_2INT, OB_KIND_2INT);
    add(MPI_2INTEGER, OB_KIND_2INT);
    add(MPI_2REAL, reals == OB_KIND_FLOAT ? OB_KIND_2FLOAT : OB_KINDS);
    add(MPI_2DOUBLE_PRECISION, doubles == OB_KIND_DOUBLE ? OB_KIND_2DOUBLE : OB_KINDS);
}

void shim_types_start(void)
{
    add_integers();
    add_reals();
    add_others();
}

/* A type that is not in the table: derived, or built in and seldom met. */
static bool look_up(MPI_Datatype type, shim_type *found)
{
    MPI_Count size = 0, low, extent, first, span;
    int integers, addresses, types, combiner;
    if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0 ||
        PMPI_Type_get_extent_x(type, &low, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent_x(type, &first, &span) != MPI_SUCCESS ||
        PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS)
        return false;
    bool built_in = combiner == MPI_COMBINER_NAMED;
    char nothing[1];
    int position = 0;
    *found = (shim_type){.type = type,
                         .kind = OB_KINDS,
                         .derived = !built_in,
                         .size = (size_t)size,
                         .extent = (size_t)extent,
                         .plain = built_in || (first == 0 && size == span && size == extent),
                         .first = (MPI_Aint)first,
                         .span = (MPI_Aint)span,
                         .dense = built_in && size == extent};
    found->uncommitted = !built_in && PMPI_Pack(nothing, 0, type, nothing, 1, &position,
                                                shim_quiet()) != MPI_SUCCESS;
    return true;
}

bool shim_type_of(MPI_Datatype type, shim_type *found)
{
    if (type == MPI_DATATYPE_NULL)
        return false;
    unsigned i = seek(type);
    if (!used[i])
        return look_up(type, found);
    *found = table[i];
    return true;
}
