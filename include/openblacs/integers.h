/*
 * The integers of the routines that a header declares, and their names: OB_INTEGER, and OB_C and
 * OB_F of a routine's name in C and Fortran, OB_T of a type's. Headers whose routines exist with
 * 32-bit and with 64-bit integers include themselves a second time, with OB_STAMPING defined. Not
 * for programs, which define OPENBLACS_ILP64 or do not.
 */
#undef OB_INTEGER
#undef OB_C
#undef OB_F
#undef OB_T
#if defined(OB_STAMPING) || defined(OPENBLACS_ILP64)
#define OB_INTEGER int64_t
#else
#define OB_INTEGER int
#endif
#ifdef OB_STAMPING
#define OB_C(name) C##name##64_
#define OB_F(name) name##_64_
#define OB_T(name) name##64_
#else
#define OB_C(name) C##name
#define OB_F(name) name##_
#define OB_T(name) name
#endif
