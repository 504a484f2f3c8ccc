/*
 * OB_API marks what the libraries of OpenBLACS export. The other public headers include this one.
 */
#ifndef OPENBLACS_API_H
#define OPENBLACS_API_H

#if defined(OPENBLACS_BUILDING) && defined(__GNUC__)
#define OB_API __attribute__((visibility("default")))
#else
#define OB_API
#endif

#endif
