/*
 * The collective operations of the Oxford BSP toolset's level-1 library, on BSPlib's processes.
 *
 * All processes call them, with the same root and nbytes; that they have is checked at the next
 * sync. They have supersteps of their own, which carry nothing else: puts, gets and sends that wait
 * go on waiting, and the queue stays. (The toolset's own contained a bsp_sync.)
 *
 * Programs include <bsp_level1.h>, or say BSP_LEVEL1 before they include <bsp.h> (bspcc --level1
 * does).
 */
#ifndef OPENBLACS_BSP_LEVEL1_H
#define OPENBLACS_BSP_LEVEL1_H

#include "openblacs/bsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* nbytes at src of process root to dst on all. 2 n g + 2 l. */
OB_API void bsp_bcast(bsp_pid_t root, const void *src, void *dst, size_t nbytes);
/* Part i of the p * nbytes at src of process root to dst of process i. n p g + l. */
OB_API void bsp_scatter(bsp_pid_t root, const void *src, void *dst, size_t nbytes);
/* nbytes at src of every process to dst of process root, one behind the other. n p g + l. */
OB_API void bsp_gather(bsp_pid_t root, const void *src, void *dst, size_t nbytes);
/* An operator writes what left and right give to out, which is neither; *nbytes as in the call. It
 * must be associative. */
typedef void (*bsp_operator)(void *out, void *left, void *right, int *nbytes);
/* What the src of processes 0, 1, ... p - 1 give, from left to right, to dst on all. At most
 * INT_MAX bytes. p n g + l, and p - 1 calls of op. */
OB_API void bsp_fold(bsp_operator op, const void *src, void *dst, size_t nbytes);
/* The same of processes 0 to this one. */
OB_API void bsp_scan(bsp_operator op, const void *src, void *dst, size_t nbytes);

/* Whether a condition holds on all processes; on any. */
OB_API int bsp_all(int condition);
OB_API int bsp_any(int condition);
/* Of one number of each process: of all, and of processes 0 to this one. */
OB_API int bsp_sumI(int x);
OB_API float bsp_sumR(float x);
OB_API double bsp_sumD(double x);
OB_API int bsp_productI(int x);
OB_API float bsp_productR(float x);
OB_API double bsp_productD(double x);
OB_API int bsp_minI(int x);
OB_API float bsp_minR(float x);
OB_API double bsp_minD(double x);
OB_API int bsp_maxI(int x);
OB_API float bsp_maxR(float x);
OB_API double bsp_maxD(double x);
OB_API int bsp_sumI_prefix(int x);
OB_API float bsp_sumR_prefix(float x);
OB_API double bsp_sumD_prefix(double x);
OB_API int bsp_productI_prefix(int x);
OB_API float bsp_productR_prefix(float x);
OB_API double bsp_productD_prefix(double x);
OB_API int bsp_minI_prefix(int x);
OB_API float bsp_minR_prefix(float x);
OB_API double bsp_minD_prefix(double x);
OB_API int bsp_maxI_prefix(int x);
OB_API float bsp_maxR_prefix(float x);
OB_API double bsp_maxD_prefix(double x);

#ifdef __cplusplus
}
#endif
#endif
