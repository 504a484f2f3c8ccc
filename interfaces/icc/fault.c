/*
 * The checks of arguments, and the one line that ends the job when one fails.
 */
#include "common/fault.h"
#include "machine.h"

static ob_job *the_job;

void icc_fault_job(ob_job *job)
{
    the_job = job;
}

_Noreturn void icc_fault(const icc_call *call, const char *format, ...)
{
    char where[40] = "";
    va_list args;
    if (call->node >= 0)
        snprintf(where, sizeof where, "; process %d", call->node);
    va_start(args, format);
    ob_fault_print("", call->routine, where, format, args);
    va_end(args);
    ob_fault_end(the_job, 1);
}

void icc_check(const icc_call *call, int status)
{
    if (status == OB_ESIZE && !ob_job_speaks(the_job))
        ob_fault_end(the_job, 1);
    if (status != OB_OK)
        icc_fault(call, "%s", ob_error_text());
}

size_t icc_length(const icc_call *call, long length, size_t element, int argument, const char *name)
{
    if (length < 0)
        icc_fault(call, "OB-1003 argument %d (%s) is %ld, must not be negative", argument, name,
                  length);
    if ((size_t)length >= (size_t)PTRDIFF_MAX / element)
        icc_fault(call, "OB-1005 argument %d (%s) is %ld, more than memory can hold", argument,
                  name, length);
    return (size_t)length;
}

size_t *icc_lengths(const icc_call *call, const ob_group *group, const long *lengths,
                    size_t element, int argument, const char *name)
{
    size_t n = (size_t)ob_group_size(group), *result = malloc(n * sizeof *result);
    if (lengths == NULL)
        icc_fault(call, "OB-1001 argument %d (%s) is NULL", argument, name);
    if (result == NULL)
        icc_fault(call, "OB-4001 no memory for %zu lengths", n);
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (lengths[i] < 0)
            icc_fault(call,
                      "OB-1003 argument %d (%s) has %ld for position %zu, must not be negative",
                      argument, name, lengths[i], i);
        result[i] = (size_t)lengths[i];
        if (result[i] >= (size_t)PTRDIFF_MAX / element - sum)
            icc_fault(call, "OB-1005 argument %d (%s) has a sum beyond what memory can hold",
                      argument, name);
        sum += result[i];
    }
    return result;
}

void icc_address(const icc_call *call, const void *x, size_t bytes, int argument, const char *name)
{
    if (x == NULL && bytes)
        icc_fault(call, "OB-1002 argument %d (%s) is NULL, but there are %zu bytes", argument, name,
                  bytes);
}

int icc_root(const icc_call *call, const ob_group *group, long root, int argument)
{
    int size = ob_group_size(group);
    if (root < 0 || root >= size)
        icc_fault(call, "OB-1009 argument %d (root) is %ld, must be 0 to %d", argument, root,
                  size - 1);
    return (int)root;
}
