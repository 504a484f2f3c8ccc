/*
 * What all commands do: complain of arguments, open what is written, and end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"

enum { USAGE_TEXT = 8192 }; /* a path of PATH_MAX, and words */

void obt_usage(const char *format, const char *word)
{
    char text[USAGE_TEXT];
    snprintf(text, sizeof text, format, word);
    fprintf(stderr, "obtrace: %s; see obtrace --help [OB-9601]\n", text);
    exit(2);
}

const char *obt_argument(int *i, int argc, char **argv)
{
    if (*i + 1 >= argc)
        obt_usage("%s needs a value", argv[*i]);
    return argv[++*i];
}

bool obt_take_option(obt_told *told, const char *help, int *i, int argc, char **argv)
{
    const char *word = argv[*i];
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        fputs(help, stdout);
        exit(0);
    }
    if (strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0)
        told->output = obt_argument(i, argc, argv);
    else if (strcmp(word, "--plain") == 0)
        told->plain = true;
    else
        return false;
    return true;
}

FILE *obt_open_output(const char *path)
{
    FILE *out = path && strcmp(path, "-") ? fopen(path, "wb") : stdout;
    if (!out)
        obt_die("OB-9603 %s: cannot be written: %s", path, strerror(errno));
    return out;
}

/* A file that could not be written whole is not left behind; a device is. */
void obt_close_output(FILE *out, const char *path)
{
    bool bad = ferror(out) | (fflush(out) != 0);
    int why = errno;
    struct stat s;
    bool plain = fstat(fileno(out), &s) == 0 && S_ISREG(s.st_mode);
    if (out != stdout)
        bad |= fclose(out) != 0;
    if (!bad)
        return;
    if (out != stdout && plain)
        remove(path);
    obt_die("OB-9603 %s: cannot be written: %s", path ? path : "standard output", strerror(why));
}

/* Gives the trace up; the exit status tells whether all of it could be read. */
int obt_done(obt_trace *t)
{
    size_t problems = t->problems;
    if (*t->unfinished)
        obt_warn("%s %s: %s", "OB-8503", t->path, t->unfinished);
    if (problems)
        obt_warn("OB-8501 %s: %zu records could not be read", t->path, problems);
    obt_trace_free(t);
    return problems > 0;
}
