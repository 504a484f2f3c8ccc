/*
 * For unit tests: cmocka, behind the headers that it needs. It hands each test a pointer, which few
 * use.
 */
#ifndef OB_TESTS_UNIT_H
#define OB_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
