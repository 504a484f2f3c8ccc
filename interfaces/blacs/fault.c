/*
 * Error and warning lines: they name routine, argument, process and context.
 */
#include <ctype.h>
#include <stdbool.h>

#include "common/fault.h"
#include "grid.h"

/* Of an interface on top of this one; NULL: none. */
static const char *(*their_name)(const char *routine);
static int (*their_argument)(const char *routine, int number);

void ob_blacs_called(const char *(*name)(const char *routine),
                     int (*argument)(const char *routine, int number))
{
    their_name = name;
    their_argument = argument;
}

const char *obl_name(const obl_call *call)
{
    return their_name ? their_name(call->routine) : call->routine;
}

int obl_argument(const obl_call *call, int number)
{
    return their_argument ? their_argument(obl_name(call), number) : number;
}

const char *obl_whole(void)
{
    return their_name ? "job" : "system context";
}

_Noreturn void obl_end(int code)
{
    ob_fault_end(obl_job(), code);
}

/* "; process {0,1} (number 1) in context 0", as much of it as is known. */
static void say_process(const obl_call *call, char *text, size_t size)
{
    int number = obl_number();
    text[0] = '\0';
    if (call->grid && their_name)
        snprintf(text, size, "; process {%d,%d} (number %d)", call->grid->myrow, call->grid->mycol,
                 number);
    else if (call->grid)
        snprintf(text, size, "; process {%d,%d} (number %d) in context %" PRId64, call->grid->myrow,
                 call->grid->mycol, number, call->context);
    else if (number >= 0)
        snprintf(text, size, "; process number %d", number);
}

static void print_line(const obl_call *call, const char *kind, const char *format, va_list args)
{
    char where[96];
    say_process(call, where, sizeof where);
    ob_fault_print(kind, obl_name(call), where, format, args);
}

_Noreturn void obl_fault(const obl_call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(call, "", format, args);
    va_end(args);
    obl_end(1);
}

void obl_warn(const obl_call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(call, "warning: ", format, args);
    va_end(args);
}

/* Row and column of a process of the grid, by its number in the job. */
static bool find_place(const obl_grid *grid, long number, int *row, int *column)
{
    for (int k = 0; k < ob_group_size(grid->point); k++)
        if (ob_group_number(grid->point, k) == number) {
            int place = grid->listed ? grid->listed[k] : k;
            *row = place / grid->npcol;
            *column = place % grid->npcol;
            return true;
        }
    return false;
}

/* The core's line in the words of the grid: "process 1" is "process {0,1} (number 1)". */
static void name_places(const obl_grid *grid, const char *line, char *out, size_t size)
{
    static const char *const before[] = {"process ", "processes ", " and "};
    bool named = false; /* a process, just before: only then does " and " lead to another one */
    size_t used = 0;
    while (*line && used + 1 < size) {
        char *end = NULL;
        int row, column;
        size_t word = 0;
        for (int k = 0; k < 2 + named && word == 0; k++)
            if (strncmp(line, before[k], strlen(before[k])) == 0)
                word = strlen(before[k]);
        long number =
            word && isdigit((unsigned char)line[word]) ? strtol(line + word, &end, 10) : 0;
        named = end && find_place(grid, number, &row, &column);
        int n = named ? snprintf(out + used, size - used, "%.*s{%d,%d} (number %ld)", (int)word,
                                 line, row, column, number)
                      : snprintf(out + used, size - used, "%c", *line);
        used += (size_t)n;
        line = named ? end : line + 1;
    }
    out[used < size ? used : size - 1] = '\0';
}

static _Noreturn void fail(const obl_call *call, int status)
{
    if (status == OB_ESIZE && !ob_job_speaks(obl_job()))
        obl_end(1);
    char line[4096]; /* the core's have less than 1024 */
    if (call->grid == NULL)
        obl_fault(call, "%s", ob_error_text());
    name_places(call->grid, ob_error_text(), line, sizeof line);
    obl_fault(call, "%s", line);
}

void obl_check(const obl_call *call, int status)
{
    if (__builtin_expect(status != OB_OK, 0))
        fail(call, status);
}

const char *obl_show(int letter, char shown[static 16])
{
    if (letter > ' ' && letter < 127)
        snprintf(shown, 16, "'%c'", letter);
    else if (letter == ' ')
        snprintf(shown, 16, "blank");
    else
        snprintf(shown, 16, "character %d", letter);
    return shown;
}
