/*
 * The options of obbench verdict.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "obbench/job.h"
#include "obbench/verdict/verdict.h"

static const char help[] =
    "usage: obbench verdict [OPTION ...]\n"
    "Is OpenBLACS faster on this machine? Measures messages, broadcasts, sums and an LU with\n"
    "OpenBLACS, with netlib's BLACS and with plain MPI calls, side by side, in two minutes. Says "
    "it\n"
    "in one paragraph and one picture, and writes this machine's profile.\n"
    "\n"
    "Started alone it uses obrun and the mpirun of each MPI that is installed; under mpirun it\n"
    "measures the job it is in, on one node or several. It first says what is missing. The LU and\n"
    "netlib's BLACS take an installed ScaLAPACK, the picture takes gnuplot.\n"
    "\n"
    "what\n"
    "  -n, --processes N      of the jobs it starts (one for each processor, at most 32)\n"
    "  --only LIST            of messages,broadcasts,sums,lu (all)\n"
    "  --rows short|long      lengths that tell most, or all; sums that are repeatable and\n"
    "                         largest values with their places, too (short)\n"
    "  --order N (1000)  --block N (32)       of the LU\n"
    "  --scalapack FILE       in place of libscalapack-openmpi.so and the like\n"
    "how\n"
    "  --time SECONDS (120)   for all; rows that do not fit are left out\n"
    "  --rounds N             at most so many in each job, of all rows\n"
    "  --noise PERCENT (5)    of its time that a processor may lose to other programs: above\n"
    "                         this the verdict is doubtful, and no profile is written\n"
    "output\n"
    "  --picture NAME         NAME.svg and NAME.png (verdict)\n"
    "  --figures FILE         all times, as CSV   --input FILE: tell and draw such a file\n"
    "  --profile FILE         in place of this machine's   --no-write: no profile\n"
    "  -q, --quiet            no progress         -h, --help\n";

static double number_of(const char *option, const char *text, double least, double most)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (end == text || *end || errno || (double)v < least || (double)v > most)
        obb_refuse("%s %s: must be a whole number, %.0f to %.0f", option, text, least, most);
    return (double)v;
}

static void read_only(obv_options *o, const char *text)
{
    static const char *const names[OBV_WORKS] = {[OBV_MESSAGE] = "messages",
                                                 [OBV_BROADCAST] = "broadcasts",
                                                 [OBV_SUM] = "sums",
                                                 [OBV_LU] = "lu"};
    memset(o->asked, 0, sizeof o->asked);
    if (*text == '\0')
        obb_refuse("--only: must be of messages, broadcasts, sums, lu");
    while (*text) {
        size_t length = strcspn(text, ",");
        int found = -1;
        for (int i = 0; i < OBV_WORKS; i++)
            if (names[i] && strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
                found = i;
        if (found < 0)
            obb_refuse("--only %s: must be of messages, broadcasts, sums, lu", text);
        o->asked[found] = true;
        text += length + (text[length] == ',');
    }
    o->asked[OBV_REPEATABLE] = o->asked[OBV_AMX] = o->asked[OBV_SUM];
}

static void read_rows(obv_options *o, const char *text)
{
    o->rows_long = strcmp(text, "long") == 0;
    if (!o->rows_long && strcmp(text, "short"))
        obb_refuse("--rows %s: must be one of short, long", text);
}

static bool read_value(obv_options *o, const char *name, const char *v)
{
    enum { MOST_PROCESSES = 1024, MOST_ORDER = 32768 };
    if (strcmp(name, "-n") == 0 || strcmp(name, "--processes") == 0)
        o->processes = (int)number_of(name, v, 2, MOST_PROCESSES);
    else if (strcmp(name, "--only") == 0)
        read_only(o, v);
    else if (strcmp(name, "--rows") == 0)
        read_rows(o, v);
    else if (strcmp(name, "--order") == 0)
        o->order = (int)number_of(name, v, 1, MOST_ORDER);
    else if (strcmp(name, "--block") == 0)
        o->block = (int)number_of(name, v, 1, MOST_ORDER);
    else if (strcmp(name, "--scalapack") == 0)
        o->scalapack = v;
    else if (strcmp(name, "--time") == 0)
        o->seconds = number_of(name, v, 1, 1000000);
    else if (strcmp(name, "--rounds") == 0)
        o->rounds = (int)number_of(name, v, 1, 1000);
    else if (strcmp(name, "--noise") == 0)
        o->noise = number_of(name, v, 0, 100) / 100;
    else if (strcmp(name, "--picture") == 0)
        o->picture = v;
    else if (strcmp(name, "--figures") == 0)
        o->figures = v;
    else if (strcmp(name, "--input") == 0)
        o->input = v;
    else if (strcmp(name, "--profile") == 0)
        o->profile = v;
    else if (strcmp(name, "--as-pairs") == 0)
        return sscanf(v, "%d-%d,%d-%d", &o->pair[0][0], &o->pair[0][1], &o->pair[1][0],
                      &o->pair[1][1]) == 4;
    else
        return false;
    return true;
}

static bool read_flag(obv_options *o, const char *word)
{
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        fputs(help, stdout);
        exit(0);
    }
    if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0)
        o->quiet = true;
    else if (strcmp(word, "--no-write") == 0)
        o->write = false;
    else if (strcmp(word, "--as-process") == 0)
        o->child = true;
    else if (strcmp(word, "--as-bound") == 0)
        o->bound = true;
    else if (strcmp(word, "--as-look") == 0)
        o->looks = true;
    else if (strcmp(word, "--as-told") == 0)
        o->told = true;
    else
        return false;
    return true;
}

void obv_read_options(int argc, char **argv, obv_options *o)
{
    *o = (obv_options){.seconds = 120,
                       .order = 1000,
                       .block = 32,
                       .noise = 0.05,
                       .pair = {{-1, -1}, {-1, -1}},
                       .picture = "verdict",
                       .write = true};
    read_only(o, "messages,broadcasts,sums,lu");
    for (int i = 1; i < argc; i++) {
        char name[32];
        const char *equals = strchr(argv[i], '='), *value;
        if (read_flag(o, argv[i]))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals ? equals - argv[i] : 31), argv[i]);
        value = equals ? equals + 1 : i + 1 < argc ? argv[i + 1] : NULL;
        if (value == NULL || !read_value(o, name, value))
            obb_refuse(
                "%s is no option of verdict, or lacks its value; obbench verdict --help lists "
                "them",
                argv[i]);
        i += equals == NULL;
    }
}
