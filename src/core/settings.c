/*
 * Reading the OPENBLACS_ variables. Names that other parts own (the launcher's
 * and libicc-mpi's) are known here too, so that a misspelt one is always noticed.
 */
#include "core/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/port.h"

#define PREFIX "OPENBLACS_"
enum { PREFIX_LENGTH = sizeof PREFIX - 1 };

extern char **environ;

typedef struct setting {
    const char *key;
    int (*read)(const struct setting *s, const char *name, const char *value, void *out);
    size_t offset;            /* in ob_settings */
    bool hidden;              /* not the user's to set */
    const char *const *words; /* read_choice: ended by NULL */
    double least;             /* read_bytes, read_seconds */
} setting;

/* strtol and its kin also take blanks and signs in front. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One of some words; their numbers are those of the enumerations. */
static int read_choice(const setting *s, const char *name, const char *value, void *out)
{
    char list[64] = "";
    int count = 0;
    for (; s->words[count]; count++)
        if (strcmp(value, s->words[count]) == 0) {
            *(int *)out = count;
            return OB_OK;
        }
    for (int i = 0; i < count; i++) {
        strcat(list, i == 0 ? "" : i + 1 < count ? ", " : " or ");
        strcat(list, s->words[i]);
    }
    return ob_fail(OB_ESETTING, "OB-9001 %s is '%s', must be %s", name, value, list);
}

static int read_tiers(const setting *s, const char *name, const char *value, void *out)
{
    ob_tiers_choice *t = out;
    char *end;
    (void)s;
    long v = strtol(value, &end, 10);
    *t = (ob_tiers_choice){.most = OB_TIER};
    if (strcmp(value, "auto") == 0)
        return OB_OK;
    if (!is_digit(*value) || *end || v == 1 || v > 1000)
        return ob_fail(OB_ESETTING, "OB-9002 %s is '%s', must be auto, 0, or members, 2 to 1000",
                       name, value);
    *t = (ob_tiers_choice){.most = (int)v, .always = v != 0};
    return OB_OK;
}

static int read_lists(const setting *s, const char *name, const char *value, void *out)
{
    char *end;
    (void)s;
    errno = 0;
    long v = strtol(value, &end, 10);
    if (!is_digit(*value) || *end || errno || v < 1 || v > 1000000000)
        return ob_fail(OB_ESETTING,
                       "OB-9002 %s is '%s', must be lists of processes, 1 to 1000000000", name,
                       value);
    *(size_t *)out = (size_t)v;
    return OB_OK;
}

static int read_micros(const setting *s, const char *name, const char *value, void *out)
{
    char *end;
    (void)s;
    errno = 0;
    long v = strtol(value, &end, 10);
    if (!is_digit(*value) || *end || errno || v > 1000000000)
        return ob_fail(OB_ESETTING, "OB-9002 %s is '%s', must be microseconds, 0 to 1000000000",
                       name, value);
    *(int *)out = (int)v;
    return OB_OK;
}

static int read_bytes(const setting *s, const char *name, const char *value, void *out)
{
    char *end;
    size_t least = (size_t)s->least;
    errno = 0;
    unsigned long long v = strtoull(value, &end, 10), unit = 1;
    if (is_digit(*value) && *end) {
        static const char units[] = "KMGT";
        const char *u = strchr(units, *end & ~0x20);
        if (u && *u) {
            unit = 1ull << (10 * (u - units + 1));
            end++;
        }
    }
    if (!is_digit(*value) || *end || errno || v > (SIZE_MAX >> 1) / unit || v * unit < least)
        return ob_fail(
            OB_ESETTING,
            "OB-9002 %s is '%s', must be bytes, at least %zu, optionally followed by K, M, G "
            "or T",
            name, value, least);
    *(size_t *)out = (size_t)(v * unit);
    return OB_OK;
}

static int read_step(const setting *s, const char *name, const char *value, void *out)
{
    size_t *bytes = out;
    int status = read_bytes(s, name, value, bytes);
    if (status == OB_OK && (*bytes % 64 || *bytes > 65536))
        status = ob_fail(OB_ESETTING, "OB-9002 %s is '%s', must be a multiple of 64, at most 64K",
                         name, value);
    return status;
}

/* 0 is never. */
static int read_background(const setting *s, const char *name, const char *value, void *out)
{
    size_t *bytes = out;
    int status = read_bytes(s, name, value, bytes);
    if (status == OB_OK && *bytes == 0)
        *bytes = SIZE_MAX;
    return status;
}

static int read_seconds(const setting *s, const char *name, const char *value, void *out)
{
    char *end;
    double v = strtod(value, &end);
    if ((!is_digit(*value) && *value != '.') || *end || !(v >= s->least && v <= 1e6))
        return ob_fail(OB_ESETTING, "OB-9002 %s is '%s', must be seconds, %g to 1000000", name,
                       value, s->least);
    *(double *)out = v;
    return OB_OK;
}

/* For what is read later, by who knows its words. */
static int read_text(const setting *s, const char *name, const char *value, void *out)
{
    (void)s;
    *(const char **)out = value;
    return *value ? OB_OK : ob_fail(OB_ESETTING, "OB-9004 %s is empty", name);
}

int ob_settings_listed(const char *list, int number)
{
    int found = 0;
    for (const char *at = list;; at++) {
        char *end;
        long low = strtol(at, &end, 10), high = low;
        if (!is_digit(*at))
            return -1;
        if (*end == '-') {
            at = end + 1;
            high = strtol(at, &end, 10);
            if (!is_digit(*at))
                return -1;
        }
        if (low > high || (*end && *end != ','))
            return -1;
        found |= number >= low && number <= high;
        if (*end == 0)
            return found;
        at = end;
    }
}

static int read_ranks(const setting *s, const char *name, const char *value, void *out)
{
    int status = read_text(s, name, value, out);
    if (status == OB_OK && ob_settings_listed(value, 0) < 0)
        status =
            ob_fail(OB_ESETTING,
                    "OB-9003 %s is '%s', must be process numbers and ranges of them, like 0-3,7",
                    name, value);
    return status;
}

/* How the statistics are printed, and where to. */
static int read_stats(const setting *s, const char *name, const char *value, void *out)
{
    static const char *const form[] = {"1", "line", "json"};
    (void)s;
    *(const char **)out = NULL;
    if (strcmp(value, "0") == 0)
        return OB_OK;
    *(const char **)out = value;
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(form[i]);
        if (strncmp(value, form[i], length) == 0 &&
            (value[length] == 0 || (value[length] == ':' && value[length + 1])))
            return OB_OK;
    }
    return ob_fail(OB_ESETTING,
                   "OB-9001 %s is '%s', must be 0, 1, line or json; behind all but 0 may stand "
                   ":FILE, to be written in place of standard error",
                   name, value);
}

/* libicc-mpi knows the calls; here it must be a list of words. */
static int read_calls(const setting *s, const char *name, const char *value, void *out)
{
    size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyz_,");
    (void)s, (void)out;
    if (*value == 0 || value[length] || *value == ',' || value[length - 1] == ',' ||
        strstr(value, ",,"))
        return ob_fail(
            OB_ESETTING,
            "OB-9012 %s is '%s', must be auto, all, none, or a list of calls separated by commas",
            name, value);
    return OB_OK;
}

/* And its words. */
static int read_derived(const setting *s, const char *name, const char *value, void *out)
{
    int which;
    (void)out;
    return read_choice(s, name, value, &which);
}

static int read_picl(const setting *s, const char *name, const char *value, void *out)
{
    int nodes, generation, used = 0;
    (void)s, (void)out;
    if (sscanf(value, "%d:%d%n", &nodes, &generation, &used) == 2 && value[used] == 0)
        return OB_OK;
    return ob_fail(OB_ESETTING, "OB-9005 %s is '%s'; only the host of a PICL program sets it", name,
                   value);
}

/* By who alone knows what it says. */
static int read_elsewhere(const setting *s, const char *name, const char *value, void *out)
{
    (void)s, (void)name, (void)value, (void)out;
    return OB_OK;
}

/* -------------------------------------------------------------------------- names */

static const char *const topology[] = {"named", "plan", NULL}, *const flag[] = {"0", "1", NULL},
                         *const level[] = {"0", "1", "2", "3", NULL},
                         *const transport[] = {"auto", "shm", "mpi", NULL},
                         *const one_copy[] = {"auto", "0", "1", NULL},
                         *const derived[] = {"pack", "pass", NULL};
#define AT(field) .offset = offsetof(ob_settings, field)
static const setting settings[] = {
    {"VERBOSE", read_choice, AT(verbose), .words = flag},
    {"TRANSPORT", read_choice, AT(transport), .words = transport},
    {"ONE_COPY", read_choice, AT(one_copy), .words = one_copy},
    {"TIERS", read_tiers, AT(tiers)},
    {"HEAP", read_bytes, AT(heap_bytes), .least = 1 << 20},
    {"HEAP_SECONDS", read_seconds, AT(heap_seconds)},
    {"STEP", read_step, AT(step_bytes), .least = 64},
    {"LISTS", read_lists, AT(lists)},
    {"BACKGROUND", read_background, AT(background_bytes)},
    {"SPIN", read_micros, AT(spin_us)},
    {"MODULES", read_text, AT(modules)},
    {"PLAN", read_text, AT(plan)},
    {"PROFILE", read_text, AT(profile)},
    {"TOPOLOGY", read_choice, AT(topology), .words = topology},
    {"MEASURE", read_choice, AT(measure), .words = flag},
    {"ICC_MPI", read_calls, .offset = 0},
    {"ICC_MPI_DERIVED", read_derived, .words = derived},
    {"REPRODUCIBLE", read_choice, AT(reproducible), .words = flag},
    {"CHECK", read_choice, AT(check), .words = level},
    {"CHECK_SECONDS", read_seconds, AT(check_seconds), .least = 0.1},
    {"STATS", read_stats, AT(stats)},
    {"TRACE", read_text, AT(trace)},
    {"TRACE_LEVEL", read_choice, AT(trace_level), .words = level},
    {"TRACE_BUFFER", read_bytes, AT(trace_buffer), .least = 4096},
    {"TRACE_RANKS", read_ranks, AT(trace_ranks)},
    {"JOB", read_elsewhere, .hidden = true}, /* core/job.c */
    {"PICL", read_picl, .hidden = true},
    {"SIM_PAYLOAD", read_elsewhere, .hidden = true}, /* of simulations: transport/mpi/mpi_sim.c */
};
#undef AT
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* By these the module files of clusters say where a package is. */
static const char *const of_modules[] = {
    "ROOT", "DIR",    "HOME",    "PREFIX",  "BASE",        "PATH",    "VERSION",
    "BIN",  "LIB",    "LIBDIR",  "LIB_DIR", "LIBS",        "LIBRARY", "LIBRARY_DIR",
    "INC",  "INCDIR", "INC_DIR", "INCLUDE", "INCLUDE_DIR", "CFLAGS",  "LDFLAGS",
    "MAN",  "MANDIR", "DOC",     "SHARE",   "MODULE"};

/* What follows OPENBLACS_ in an entry of the environment, with the whole name in `name`;
 * NULL: the entry is none of ours. */
static const char *key_of(const char *entry, char name[static 64])
{
    const char *equals = strchr(entry, '=');
    if (strncmp(entry, PREFIX, PREFIX_LENGTH) || equals == NULL)
        return NULL;
    /* Longer than any of ours: its beginning, which is none of ours either. */
    bool fits = equals - entry < 64;
    snprintf(name, 64, "%.*s%s", fits ? (int)(equals - entry) : 60, entry, fits ? "" : "...");
    return name + PREFIX_LENGTH;
}

unsigned ob_settings_alike(const ob_settings *s)
{
    unsigned tiers = (unsigned)s->tiers.most << 1 | s->tiers.always;
    return (tiers << 2 | (s->topology == OB_TOPOLOGY_PLAN) << 1 | (s->lists > 0)) + 1;
}

void ob_settings_unlike(unsigned alike, unsigned other, char text[OB_UNLIKE_TEXT])
{
    unsigned code = alike - 1, differs = code ^ (other - 1), most = code >> 3;
    if (differs & 1)
        snprintf(text, OB_UNLIKE_TEXT, "OPENBLACS_LISTS is %s", code & 1 ? "set" : "unset");
    else if (differs & 2)
        snprintf(text, OB_UNLIKE_TEXT, "OPENBLACS_TOPOLOGY is %s", topology[code >> 1 & 1]);
    else if (code & 4 || most == 0)
        snprintf(text, OB_UNLIKE_TEXT, "OPENBLACS_TIERS is %u", most);
    else
        snprintf(text, OB_UNLIKE_TEXT, "OPENBLACS_TIERS is auto");
}

static const setting *find(const char *key)
{
    for (int i = 0; i < SETTINGS; i++)
        if (strcmp(settings[i].key, key) == 0)
            return &settings[i];
    return NULL;
}

bool ob_environment_trusted(void)
{
    return ob_port_trusted();
}

int ob_settings_read(ob_settings *s)
{
    char name[64];
    bool trusted = ob_environment_trusted();
    *s = (ob_settings){.spin_us = -1,
                       .tiers.most = OB_TIER,
                       .measure = 1,
                       .trace_level = -1,
                       .check = 1,
                       .heap_seconds = OB_HEAP_SECONDS};
    for (char **e = environ; trusted && e && *e; e++) {
        const char *key = key_of(*e, name);
        const setting *one = key ? find(key) : NULL;
        int status =
            one ? one->read(one, name, strchr(*e, '=') + 1, (char *)s + one->offset) : OB_OK;
        if (status != OB_OK)
            return status;
    }
    /* By this valgrind comes into the processes that it looks at. */
    const char *preloaded = secure_getenv("LD_PRELOAD");
    if (s->heap_bytes == 0 && preloaded && strstr(preloaded, "vgpreload"))
        s->heap_bytes = OB_HEAP_UNDER_VALGRIND;
    if (s->check_seconds == 0)
        s->check_seconds = s->check > 1 ? 20 : 30;
    return OB_OK;
}

/* ----------------------------------------------------------------- misspelt names */

/* How many letters must be put in, left out or changed to make one word of the other. */
static int distance(const char *a, const char *b)
{
    int row[64], n = (int)strlen(b);
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; *a; a++, i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int changed = corner + (toupper((unsigned char)*a) != b[j - 1]);
            int more = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = changed < more ? changed : more;
        }
    }
    return row[n];
}

static const char *nearest(const char *key)
{
    const char *best = settings[0].key;
    for (int i = 1; i < SETTINGS; i++)
        if (!settings[i].hidden && distance(key, settings[i].key) < distance(key, best))
            best = settings[i].key;
    return best;
}

bool ob_settings_unknown(const char *entry, char *line, size_t room)
{
    char name[64];
    const char *key = key_of(entry, name);
    if (key == NULL || find(key))
        return false;
    for (size_t i = 0; i < sizeof of_modules / sizeof *of_modules; i++)
        if (strcmp(key, of_modules[i]) == 0)
            return false;
    const char *like = nearest(key);
    bool near = 2 * distance(key, like) <= (int)strlen(key);
    snprintf(line, room, "OpenBLACS: warning: %s is not a setting and is ignored; %s%s [OB-9011]",
             name, near ? "the nearest is OPENBLACS_" : "openblacs(7) names those that there are",
             near ? like : "");
    return true;
}

void ob_settings_warn(void)
{
    static bool warned; /* a process may begin one job after the other */
    bool trusted = ob_environment_trusted();
    char line[256];
    for (char **e = environ; trusted && e && *e && !warned; e++)
        if (ob_settings_unknown(*e, line, sizeof line))
            fprintf(stderr, "%s\n", line);
    warned = true;
}
