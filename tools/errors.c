/*
 * obinfo --error: docs/errors.md, which is part of the program, as plain text.
 *
 * A section begins with "### OB-1016" and goes to the next heading. Its first paragraph is the
 * title, between double stars.
 */
#include "errors.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS = 78, ONE_LINE = 1000 };

static const char heading[] = "\n### OB-";

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at != '\0');
}

/* "OB-1016", "[OB-1016]" or "1016" are 1016; 0: no code. */
static int number_of(const char *code)
{
    bool bracket = *code == '[';
    code += bracket;
    code += strncasecmp(code, "OB-", 3) == 0 ? 3 : 0;
    int number = 0, digits = 0;
    for (; digits < 4 && isdigit((unsigned char)*code); digits++)
        number = 10 * number + (*code++ - '0');
    return digits == 4 && strcmp(code, bracket ? "]" : "") == 0 ? number : 0;
}

/* Where the section's heading ends; NULL: there is none. */
static const char *section_of(int number)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s%d\n", heading, number);
    const char *at = strstr(ob_errors_md, wanted);
    return at ? at + strlen(wanted) : NULL;
}

/* "[text](target)"? */
static int is_link(const char *at)
{
    const char *end = strchr(at, ']');
    return *at == '[' && end && end[1] == '(';
}

/* A paragraph's text without stars, back quotes and the targets of links, in lines of so many
 * columns at most. Returns the line behind it. */
static const char *put_paragraph(const char *at, size_t columns)
{
    char word[256];
    size_t column = 0, n = 0;
    for (;; at++) {
        if (*at == '\0' || isspace((unsigned char)*at)) {
            if (n > 0 && column > 0 && column + 1 + n > columns) {
                putchar('\n');
                column = 0;
            }
            if (n > 0)
                column += (size_t)printf("%s%.*s", column ? " " : "", (int)n, word);
            n = 0;
            if (*at == '\0' || (at[0] == '\n' && (at[1] == '\n' || at[1] == '\0')))
                break;
        } else if (at[0] == ']' && at[1] == '(') { /* [text](target) */
            at += strcspn(at, ")");
        } else if (*at != '*' && *at != '`' && !is_link(at) && n < sizeof word) {
            word[n++] = *at;
        }
    }
    putchar('\n');
    return next_line(at);
}

/* The lines of a block ```, with space before them. Returns the line behind it. */
static const char *put_block(const char *at)
{
    while (at = next_line(at), *at && strncmp(at, "```", 3) != 0)
        printf("    %.*s\n", (int)strcspn(at, "\n"), at);
    return next_line(at);
}

static void put_section(int number, const char *at)
{
    printf("OB-%d: ", number);
    at = put_paragraph(at + strspn(at, "\n"), ONE_LINE);
    while (at += strspn(at, "\n"), *at && *at != '#') {
        putchar('\n');
        at = strncmp(at, "```", 3) == 0 ? put_block(at) : put_paragraph(at, COLUMNS);
    }
}

static void put_list(void)
{
    for (const char *at = ob_errors_md; (at = strstr(at, heading)) != NULL;) {
        at += strlen(heading);
        printf("OB-%.4s  ", at);
        at = next_line(at);
        put_paragraph(at + strspn(at, "\n"), ONE_LINE);
    }
}

int show_error(const char *code)
{
    int number = code ? number_of(code) : 0;
    const char *section = number ? section_of(number) : NULL;
    if (code && section == NULL) {
        fprintf(stderr, "obinfo: there is no code '%s'; obinfo --error lists all [OB-9601]\n",
                code);
        return 2;
    }
    if (code)
        put_section(number, section);
    else
        put_list();
    if (fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "obinfo: the output cannot be written: %s [OB-9603]\n", strerror(errno));
    return 1;
}
