/*
 * The calls that end what was begun: blacs_wait, blacs_test and blacs_waitall.
 */
#include "begun.h"
#include "common/fortran.h"
#include "openblacs/blacs_extensions.h"

static void end(const char *routine, obl_int *request, const void *site)
{
    obl_end_begun(routine, *request, true, site);
    *request = -1;
}

void OB_C(blacs_wait)(obl_int *request)
{
    end("blacs_wait", obl_place("blacs_wait", -1, request, 1), OBL_SITE);
}

OB_FORTRAN(void, blacs_wait, (obl_int * request), OB_C(blacs_wait)(request))

void OB_C(blacs_test)(obl_int *request, obl_int *done)
{
    obl_place("blacs_test", -1, request, 1);
    if (!done)
        obl_fault(&(obl_call){"blacs_test", -1, NULL}, "OB-1001 argument 2 (DONE) is NULL");
    *done = obl_end_begun("blacs_test", *request, false, OBL_SITE);
    if (*done)
        *request = -1;
}

OB_FORTRAN(void, blacs_test, (obl_int * request, obl_int *done), OB_C(blacs_test)(request, done))

void OB_C(blacs_waitall)(obl_int n, obl_int *request)
{
    const obl_call call = {"blacs_waitall", -1, NULL};
    if (n < 0)
        obl_fault(&call, "OB-1003 argument 1 (N) is %" OBL_D ", must not be negative", n);
    for (obl_int i = 0; i < n; i++)
        end("blacs_waitall", obl_place("blacs_waitall", -1, request, 2) + i, OBL_SITE);
}

OB_FORTRAN(void, blacs_waitall, (const obl_int *n, obl_int *request),
           OB_C(blacs_waitall)(*n, request))

OBL_NAMES64(blacs_wait)
OBL_NAMES64(blacs_test)
OBL_NAMES64(blacs_waitall)
