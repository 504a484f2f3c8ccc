/*
 * Reading the OPENBLACS_ variables. Names that other parts own (the launcher's
 * and the tools') are known here too, so that a misspelt one is always noticed.
 */
#include "core/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

extern char **environ;

static int read_flag(const char *name, const char *value, int *out)
{
    if (strcmp(value, "0") == 0 || strcmp(value, "1") == 0) {
        *out = value[0] - '0';
        return OB_OK;
    }
    return ob_fail(OB_ESETTING, "%s is '%s', must be 0 or 1", name, value);
}

static int read_transport(const char *name, const char *value, int *out)
{
    static const char *const choices[] = {"auto", "shm", "mpi"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, choices[i]) == 0) {
            *out = i;
            return OB_OK;
        }
    return ob_fail(OB_ESETTING, "%s is '%s', must be auto, shm or mpi", name, value);
}

static int read_micros(const char *name, const char *value, int *out)
{
    char *end;
    errno = 0;
    long v = strtol(value, &end, 10);
    if (end == value || *end || errno || v < 0 || v > 1000000000)
        return ob_fail(OB_ESETTING, "%s is '%s', must be microseconds, 0 to 1000000000", name,
                       value);
    *out = (int)v;
    return OB_OK;
}

static int read_bytes(const char *name, const char *value, size_t least, size_t *out)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(value, &end, 10), unit = 1;
    if (end != value && value[0] != '-' && *end) {
        static const char units[] = "KMGT";
        const char *u = strchr(units, *end & ~0x20);
        if (u && *u) {
            unit = 1ull << (10 * (u - units + 1));
            end++;
        }
    }
    if (end == value || value[0] == '-' || *end || errno || v > (SIZE_MAX >> 1) / unit ||
        v * unit < least)
        return ob_fail(OB_ESETTING,
                       "%s is '%s', must be bytes, at least %zu, optionally followed by K, M, G "
                       "or T",
                       name, value, least);
    *out = (size_t)(v * unit);
    return OB_OK;
}

static int read_step(const char *name, const char *value, size_t *out)
{
    int status = read_bytes(name, value, 64, out);
    if (status == OB_OK && (*out % 64 || *out > 65536))
        status = ob_fail(OB_ESETTING, "%s is '%s', must be a multiple of 64, at most 64K", name,
                         value);
    return status;
}

/* 0 is never. */
static int read_background(const char *name, const char *value, size_t *out)
{
    int status = read_bytes(name, value, 0, out);
    if (status == OB_OK && *out == 0)
        *out = SIZE_MAX;
    return status;
}

static int read_level(const char *name, const char *value, int *out)
{
    if (value[0] < '0' || value[0] > '3' || value[1])
        return ob_fail(OB_ESETTING, "%s is '%s', must be 0, 1, 2 or 3", name, value);
    *out = value[0] - '0';
    return OB_OK;
}

static int read_seconds(const char *name, const char *value, double *out)
{
    char *end;
    double v = strtod(value, &end);
    if (end == value || *end || !(v >= 0.1 && v <= 1e6))
        return ob_fail(OB_ESETTING, "%s is '%s', must be seconds, 0.1 to 1000000", name, value);
    *out = v;
    return OB_OK;
}

/* The settings of the recorder; OB_EARG for a name that is none of them. */
static int read_trace(ob_settings *s, const char *name, const char *key, const char *value)
{
    if (strcmp(key, "STATS") == 0)
        return read_flag(name, value, &s->stats);
    if (strcmp(key, "TRACE_LEVEL") == 0)
        return read_level(name, value, &s->trace_level);
    if (strcmp(key, "TRACE_BUFFER") == 0)
        return read_bytes(name, value, 4096, &s->trace_buffer);
    if (strcmp(key, "TRACE_RANKS") == 0)
        s->trace_ranks = getenv(name);
    else if (strcmp(key, "TRACE") == 0)
        s->trace = getenv(name);
    else
        return OB_EARG;
    return *value ? OB_OK : ob_fail(OB_ESETTING, "%s is empty", name);
}

static int read_one(ob_settings *s, const char *name, const char *value)
{
    const char *key = name + strlen("OPENBLACS_");
    if (strcmp(key, "VERBOSE") == 0)
        return read_flag(name, value, &s->verbose);
    if (strcmp(key, "REPRODUCIBLE") == 0)
        return read_flag(name, value, &s->reproducible);
    if (strcmp(key, "TRANSPORT") == 0)
        return read_transport(name, value, &s->transport);
    if (strcmp(key, "HEAP") == 0)
        return read_bytes(name, value, 1 << 20, &s->heap_bytes);
    if (strcmp(key, "STEP") == 0)
        return read_step(name, value, &s->step_bytes);
    if (strcmp(key, "BACKGROUND") == 0)
        return read_background(name, value, &s->background_bytes);
    if (strcmp(key, "SPIN") == 0)
        return read_micros(name, value, &s->spin_us);
    if (strcmp(key, "MODULES") == 0) {
        s->modules = getenv(name);
        return OB_OK;
    }
    if (strcmp(key, "PROFILE") == 0) /* read by core/profile.c, which trusts nothing */
        return OB_OK;
    if (strcmp(key, "PLAN") == 0) {
        s->plan = getenv(name);
        return OB_OK;
    }
    if (strcmp(key, "ICC_MPI") == 0 || strcmp(key, "ICC_MPI_DERIVED") == 0)
        return OB_OK; /* read by libicc-mpi, which knows their words */
    if (strcmp(key, "CHECK") == 0)
        return read_level(name, value, &s->check);
    if (strcmp(key, "CHECK_SECONDS") == 0)
        return read_seconds(name, value, &s->check_seconds);
    if (strcmp(key, "JOB") == 0 || strcmp(key, "PICL") == 0) /* the launchers' */
        return OB_OK;
    int status = read_trace(s, name, key, value);
    if (status != OB_EARG)
        return status;
    return ob_fail(OB_ESETTING,
                   "%s is not a setting; there are OPENBLACS_VERBOSE, _TRANSPORT, _HEAP, _STEP, "
                   "_BACKGROUND, _SPIN, _MODULES, _PLAN, _PROFILE, _ICC_MPI, _ICC_MPI_DERIVED, "
                   "_REPRODUCIBLE, _CHECK, _CHECK_SECONDS, _STATS, _TRACE, _TRACE_LEVEL, "
                   "_TRACE_BUFFER and _TRACE_RANKS",
                   name);
}

int ob_settings_read(ob_settings *s)
{
    *s = (ob_settings){.spin_us = -1, .trace_level = -1, .check = 1, .check_seconds = 20};
    for (char **e = environ; e && *e; e++) {
        const char *equals = strchr(*e, '=');
        char name[64];
        if (strncmp(*e, "OPENBLACS_", 10) || equals == NULL)
            continue;
        size_t length = (size_t)(equals - *e);
        if (length >= sizeof name)
            length = sizeof name - 1;
        memcpy(name, *e, length);
        name[length] = 0;
        int status = read_one(s, name, equals + 1);
        if (status != OB_OK)
            return status;
    }
    return OB_OK;
}
