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
#undef OB_LIBRARY_64
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
/* The library whose plain names have 64-bit integers has this constant alone, and who is compiled
 * for it refers to it: with 32-bit integers in its place the program does not link. OB_PLAIN_64: in
 * the library itself. */
#if !defined(OPENBLACS_ILP64) || defined(OB_STAMPING) || !defined(__GNUC__)
#define OB_LIBRARY_64(name)
#elif defined(OB_PLAIN_64)
#define OB_LIBRARY_64(name)                                                                        \
    extern const char name;                                                                        \
    OB_API __attribute__((weak)) const char name = 64;
#else
#define OB_LIBRARY_64(name)                                                                        \
    extern const char name;                                                                        \
    __attribute__((used)) static const char *const name##_ = &name;
#endif
