/*
 * Reading the command line: one table of options, each with a function.
 */
#include "obbench.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

static const char help[] =
    "usage: obbench COMMAND ... [OPTION ...]\n"
    "Measures what communication costs on this machine, and how well LAWN 73's models predict it.\n"
    "\n"
    "commands\n"
    "  tc ts tm to    a message, posting a send, a copy, the local operation\n"
    "  broadcast combine barrier     by topology and scope\n"
    "  fit            measure, fit lines, write this machine's profile\n"
    "  predict        predicted against measured, and the BSP parameters p, s, g, l\n"
    "  tables         LAWN 73's tables: one line alpha + beta N for each kind of point, and\n"
    "                 how far predictions are off; its lengths, 0 to 400000 bytes\n"
    "  bsp_probe      the BSP parameters alone\n"
    "  all            all of these\n"
    "  verdict        alone: is OpenBLACS faster here than netlib's BLACS and plain MPI? One\n"
    "                 paragraph, one picture, the profile; obbench verdict --help\n"
    "Started alone it runs the job itself, with 2, 4 and 8 processes; under obrun or\n"
    "mpirun it measures the job it is in, under mpirun also the plain MPI calls.\n"
    "\n"
    "what\n"
    "  -n, --processes LIST   sizes of the jobs it starts (2,4,8)\n"
    "  --lengths LIST         bytes, with K or M; or --from, --to and --step or --factor\n"
    "                         (8 to 4M by factors of 4 and 2)\n"
    "  --top LETTERS          topologies: letters of gebs2d(3), - for the library's choice\n"
    "  --branches N           of m and t (3)\n"
    "  --leave one|all|both   combines (both)    --op sum|max|min (sum)\n"
    "  --scope all|row|column, --grid RxC        --type i|s|d|c|z (d)\n"
    "  --root N               source of a broadcast, destination of a combine (0)\n"
    "  --pair A,B|all         tc and ts: from process A to B (0,1), or every two\n"
    "  --mode single|repeated|both               --calls N in a row when repeated (15)\n"
    "  --no-mpi               leave plain MPI out under mpirun\n"
    "how\n"
    "  --rounds N (7)  --reps N (adaptive)  --sample US (2000), the time of one sample\n"
    "  --every N (5), --again N (10): every fifth length is measured ten times more\n"
    "  --time SECONDS (90 for all, else 0, no limit): fewer rounds where they take\n"
    "       longer, and fewer lengths where one does; not with --rounds\n"
    "  --bind core|none (core), of the jobs it starts\n"
    "output\n"
    "  --format table|json|csv   --output FILE   --show max|root|min|mean (max)\n"
    "  --plot FOLDER (SVG, with gnuplot)  --axes log|linear (log)\n"
    "  --input FILE.csv       earlier measurements in place of new ones\n"
    "  --profile FILE         in place of this machine's   --no-write: fit, but keep the file\n"
    "  --against FILE         how another profile differs\n"
    "  --assume none|buffers|no-overlap|both      of the machine, in the paper's formulas (none)\n"
    "  -q, --quiet            no progress         -h, --help   --version\n";

/* Of the command all, unless --time says otherwise. */
enum { ALL_SECONDS = 90 };

static long long whole(const char *option, const char *text, long long least, long long most)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || errno || v < least || v > most)
        obb_refuse("%s %s: must be a whole number, %lld to %lld", option, text, least, most);
    return v;
}

static size_t bytes(const char *option, const char *text, char **end)
{
    errno = 0;
    unsigned long long v = strtoull(text, end, 10), unit = 1;
    if (*end == text || text[0] == '-' || errno)
        obb_refuse("%s %s: must be bytes, with K, M or G", option, text);
    if (**end == 'K' || **end == 'k')
        unit = 1ull << 10;
    else if (**end == 'M' || **end == 'm')
        unit = 1ull << 20;
    else if (**end == 'G' || **end == 'g')
        unit = 1ull << 30;
    *end += unit > 1;
    if (v > (1ull << 40) / unit)
        obb_refuse("%s %s: more than can be measured", option, text);
    return (size_t)(v * unit);
}

static size_t one_size(const char *option, const char *text)
{
    char *end;
    size_t v = bytes(option, text, &end);
    if (*end)
        obb_refuse("%s %s: must be bytes, with K, M or G", option, text);
    return v;
}

static int one_of(const char *option, const char *text, const char *const *choices)
{
    for (int i = 0; choices[i]; i++)
        if (strcmp(text, choices[i]) == 0)
            return i;
    char list[128] = "";
    for (int i = 0; choices[i]; i++) {
        strcat(list, i ? ", " : "");
        strcat(list, choices[i]);
    }
    obb_refuse("%s %s: must be one of %s", option, text, list);
}

/* ------------------------------------------------------------------- lengths */

typedef struct range {
    bool given;
    size_t from, to, step;
    double factor;
} range;

static void add_length(obb_options *o, size_t n)
{
    if (o->length_count == OBB_LENGTHS)
        obb_refuse("more than %d lengths", OBB_LENGTHS);
    o->lengths[o->length_count++] = n;
}

static void read_list(obb_options *o, const char *text)
{
    o->length_count = 0;
    o->own_lengths = false;
    for (char *end; *text; text = end) {
        add_length(o, bytes("--lengths", text, &end));
        if (*end != ',' && *end)
            obb_refuse("--lengths: what is '%s'?", end);
        end += *end == ',';
    }
    if (o->length_count == 0)
        obb_refuse("--lengths: no length");
}

static void fill_range(obb_options *o, const range *r)
{
    o->length_count = 0;
    o->own_lengths = false;
    if (r->from > r->to)
        obb_refuse("--from %zu is larger than --to %zu", r->from, r->to);
    for (size_t n = r->from; n <= r->to;) {
        add_length(o, n);
        size_t next = r->step ? n + r->step : (size_t)((double)(n ? n : 8) * (n ? r->factor : 1));
        n = next > n ? next : n + 1;
    }
}

/* ------------------------------------------------------------------- options */

static void read_sizes(obb_options *o, const char *text)
{
    char copy[128];
    if (strlen(text) >= sizeof copy)
        obb_refuse("-n: too many");
    strcpy(copy, text);
    o->size_count = 0;
    for (char *rest, *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (o->size_count == OBB_SIZES)
            obb_refuse("-n: more than %d sizes", OBB_SIZES);
        o->sizes[o->size_count++] = (int)whole("-n", word, 1, 1024);
    }
    if (o->size_count == 0)
        obb_refuse("-n: no size");
}

static _Noreturn void refuse_tops(const char *text)
{
    const ob_topology_row *row;
    char letters[128];
    int at = 0;
    for (int t = OB_TOP_BEST + 1; (row = ob_topology_at(t)); t++)
        at += snprintf(letters + at, sizeof letters - (size_t)at, "%c ", tolower(row->letter));
    obb_refuse("--top %s: must be letters of %s1-9 -", text, letters);
}

static void read_tops(obb_options *o, const char *text)
{
    ob_route route;
    size_t good = 0;
    while (obb_route_of(text[good], 1, &route))
        good++;
    if (good == 0 || text[good] || good > OBB_TOPS)
        refuse_tops(text);
    strcpy(o->tops, text);
    o->tops_given = true;
}

static void read_grid(obb_options *o, const char *text)
{
    int used = 0;
    if (sscanf(text, "%dx%d%n", &o->rows, &o->columns, &used) != 2 || text[used] || o->rows < 1 ||
        o->columns < 1 || o->rows > 32767 || o->columns > 32767)
        obb_refuse("--grid %s: must be ROWSxCOLUMNS", text);
}

static void read_pair(obb_options *o, const char *text)
{
    int used = 0;
    o->all_pairs = strcmp(text, "all") == 0;
    o->pair_given = true;
    if (!o->all_pairs &&
        (sscanf(text, "%d,%d%n", &o->pair[0], &o->pair[1], &used) != 2 || text[used] ||
         o->pair[0] < 0 || o->pair[1] < 0 || o->pair[0] == o->pair[1]))
        obb_refuse("--pair %s: must be the numbers of two processes, A,B, or all", text);
}

static void read_leave(obb_options *o, const char *text)
{
    static const char *const choices[] = {"one", "all", "both", NULL};
    int c = one_of("--leave", text, choices);
    o->asked[OBB_REDUCE] = c != 1;
    o->asked[OBB_COMBINE] = c != 0;
}

static const char *const names_scope[] = {"all", "row", "column", NULL};
static const char *const names_type[] = {"i", "s", "d", "c", "z", NULL};
static const char *const names_op[] = {"sum", "max", "min", NULL};
static const char *const names_mode[] = {"single", "repeated", "both", NULL};
static const char *const names_format[] = {"table", "json", "csv", NULL};
static const char *const names_show[] = {"max", "root", "min", "mean", NULL};
static const char *const names_axes[] = {"log", "linear", NULL};
static const char *const names_bind[] = {"core", "none", NULL};
/* The position is the sum of the OB_PAPER_ bits. */
static const char *const names_assume[] = {"none", "buffers", "no-overlap", "both", NULL};

/* Options that choose what is measured; true when it was one of them. */
static bool read_what(obb_options *o, range *r, const char *name, const char *v, const char **leave)
{
    if (strcmp(name, "-n") == 0 || strcmp(name, "--processes") == 0)
        read_sizes(o, v);
    else if (strcmp(name, "--lengths") == 0)
        read_list(o, v);
    else if (strcmp(name, "--from") == 0)
        r->from = one_size(name, v), r->given = o->ranged = true;
    else if (strcmp(name, "--to") == 0)
        r->to = one_size(name, v), r->given = o->ranged = true;
    else if (strcmp(name, "--step") == 0)
        r->step = one_size(name, v), r->given = true;
    else if (strcmp(name, "--factor") == 0)
        r->factor = (double)whole(name, v, 2, 1024), r->step = 0, r->given = true;
    else if (strcmp(name, "--top") == 0)
        read_tops(o, v);
    else if (strcmp(name, "--branches") == 0)
        o->branches = (int)whole(name, v, 1, 9999);
    else if (strcmp(name, "--leave") == 0)
        *leave = v;
    else if (strcmp(name, "--op") == 0)
        o->op = (ob_op)one_of(name, v, names_op);
    else if (strcmp(name, "--scope") == 0)
        o->scope = "arc"[one_of(name, v, names_scope)];
    else if (strcmp(name, "--grid") == 0)
        read_grid(o, v);
    else if (strcmp(name, "--type") == 0)
        o->type = (ob_type)one_of(name, v, names_type);
    else if (strcmp(name, "--root") == 0)
        o->root = (int)whole(name, v, 0, INT_MAX);
    else if (strcmp(name, "--pair") == 0)
        read_pair(o, v);
    else if (strcmp(name, "--mode") == 0)
        o->modes = one_of(name, v, names_mode) + 1;
    else if (strcmp(name, "--calls") == 0)
        o->calls = (int)whole(name, v, 2, 1000);
    else
        return false;
    return true;
}

static bool read_how(obb_options *o, const char *name, const char *v)
{
    if (strcmp(name, "--rounds") == 0) {
        o->rounds = (int)whole(name, v, 1, 1000);
        o->whole = true;
    } else if (strcmp(name, "--reps") == 0)
        o->reps = (int)whole(name, v, 1, 1000000);
    else if (strcmp(name, "--sample") == 0)
        o->sample_us = (double)whole(name, v, 1, 100000000);
    else if (strcmp(name, "--time") == 0)
        o->seconds = (double)whole(name, v, 0, 1000000);
    else if (strcmp(name, "--every") == 0)
        o->every = (int)whole(name, v, 1, OBB_LENGTHS);
    else if (strcmp(name, "--again") == 0)
        o->again = (int)whole(name, v, 0, 1000);
    else if (strcmp(name, "--bind") == 0)
        o->bind = one_of(name, v, names_bind) == 0;
    else if (strcmp(name, "--format") == 0)
        o->format = one_of(name, v, names_format);
    else if (strcmp(name, "--output") == 0)
        o->output = v;
    else if (strcmp(name, "--show") == 0)
        o->statistic = (obb_statistic)one_of(name, v, names_show);
    else if (strcmp(name, "--plot") == 0)
        o->plot = v;
    else if (strcmp(name, "--axes") == 0)
        o->linear = one_of(name, v, names_axes) == 1;
    else if (strcmp(name, "--input") == 0)
        o->input = v;
    else if (strcmp(name, "--profile") == 0)
        o->profile = v;
    else if (strcmp(name, "--against") == 0)
        o->against = v;
    else if (strcmp(name, "--assume") == 0)
        o->machine = one_of(name, v, names_assume);
    else
        return false;
    return true;
}

static bool read_flag(obb_options *o, const char *word)
{
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        fputs(help, stdout);
        exit(0);
    }
    if (strcmp(word, "--version") == 0) {
        printf("obbench (OpenBLACS) %d.%d.%d\n", OB_VERSION_MAJOR, OB_VERSION_MINOR,
               OB_VERSION_PATCH);
        exit(0);
    }
    if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0)
        o->quiet = true;
    else if (strcmp(word, "--no-mpi") == 0)
        o->plain = false;
    else if (strcmp(word, "--no-write") == 0)
        o->write = false;
    else if (strcmp(word, "--as-process") == 0)
        o->child = true;
    else
        return false;
    return true;
}

static bool read_command(obb_options *o, const char *word)
{
    bool one = false;
    if (strcmp(word, "ts") == 0)
        o->asked[OBB_TS] = o->asked[OBB_TR] = one = true;
    else if (strcmp(word, "tm") == 0)
        o->asked[OBB_TM] = o->asked[OBB_COLD] = one = true;
    else if (strcmp(word, "combine") == 0)
        o->asked[OBB_REDUCE] = o->asked[OBB_COMBINE] = one = true;
    else if (strcmp(word, "tc") == 0)
        o->asked[OBB_TC] = one = true;
    else if (strcmp(word, "to") == 0)
        o->asked[OBB_TO] = one = true;
    else if (strcmp(word, "broadcast") == 0)
        o->asked[OBB_BROADCAST] = one = true;
    else if (strcmp(word, "barrier") == 0)
        o->asked[OBB_BARRIER] = one = true;
    else if (strcmp(word, "fit") == 0)
        o->fit = o->bsp = one = true;
    else if (strcmp(word, "predict") == 0)
        o->predict = o->bsp = one = true;
    else if (strcmp(word, "tables") == 0)
        o->tables = one = true;
    else if (strcmp(word, "bsp_probe") == 0)
        o->bsp = one = true;
    else if (strcmp(word, "all") == 0)
        o->all = o->fit = o->predict = o->tables = o->bsp = one = true;
    return one;
}

/* fit needs everything its numbers come from; predict, the calls it predicts. */
static void complete(obb_options *o, const char *leave)
{
    bool measured = false;
    for (int w = 0; w < OBB_WHATS; w++) {
        measured = measured || o->asked[w];
        o->asked[w] = o->asked[w] || o->all || (o->fit && w != OBB_BARRIER);
    }
    if ((o->predict || o->tables) && !o->fit && !measured)
        for (int w = 0; w < OBB_WHATS; w++)
            o->asked[w] = w <= OBB_COMBINE;
    if (o->asked[OBB_REDUCE] && o->asked[OBB_COMBINE] && leave)
        read_leave(o, leave);
}

static void defaults(obb_options *o)
{
    *o = (obb_options){.sizes = {2, 4, 8},
                       .size_count = 3,
                       .branches = 3,
                       .scope = 'a',
                       .type = OB_DOUBLE,
                       .modes = OBB_SINGLE | OBB_REPEATED,
                       .rounds = 7,
                       .every = 5,
                       .again = 10,
                       .sample_us = 2000,
                       .seconds = -1,
                       .bind = true,
                       .plain = true,
                       .pair = {0, 1},
                       .write = true};
    for (size_t n = 8; n <= (size_t)4 << 20; n *= 4)
        add_length(o, n);
    add_length(o, (size_t)4 << 20);
    o->own_lengths = true;
}

void obb_read_options(int argc, char **argv, obb_options *o)
{
    range r = {.from = 8, .to = (size_t)4 << 20, .factor = 4};
    const char *leave = NULL;
    bool any = false;
    defaults(o);
    for (int i = 1; i < argc; i++) {
        char name[32];
        const char *equals = strchr(argv[i], '='), *value;
        if (read_command(o, argv[i])) {
            any = true;
            continue;
        }
        if (argv[i][0] != '-')
            obb_refuse("%s is no command; obbench --help lists them", argv[i]);
        if (read_flag(o, argv[i]))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals ? equals - argv[i] : 31), argv[i]);
        value = equals ? equals + 1 : i + 1 < argc ? argv[i + 1] : NULL;
        if (value == NULL)
            obb_refuse("%s is no option, or lacks its value; obbench --help lists them", argv[i]);
        if (!read_what(o, &r, name, value, &leave) && !read_how(o, name, value))
            obb_refuse("%s is no option; obbench --help lists them", argv[i]);
        i += equals == NULL;
    }
    if (!any)
        obb_refuse("what shall be measured? obbench --help lists the commands");
    o->from = r.from;
    o->to = r.to;
    if (r.given)
        fill_range(o, &r);
    else if (o->own_lengths && o->tables && !o->all)
        fill_range(o, &(range){.from = 0, .to = 400000, .step = 8000}), o->own_lengths = true;
    if (o->seconds < 0)
        o->seconds = o->all ? ALL_SECONDS : 0;
    complete(o, leave);
}
