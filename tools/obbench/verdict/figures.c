/*
 * All samples, in memory and in files: lines of LAUNCHER,WAY,WORK,PROCESSES,KEY,VALUE.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/grow.h"
#include "obbench/median.h"
#include "obbench/obbench.h"
#include "obbench/verdict/verdict.h"

static const char heading[] = "launcher,way,work,processes,bytes,microseconds";

const char *const obv_work_names[OBV_WORKS] = {"message",   "message-near", "message-far",
                                               "broadcast", "sum",          "sum-repeatable",
                                               "amx",       "pdgetrf"};

const obv_series *obv_find(const obv_figures *f, const char *launcher, const char *way,
                           const char *work, const char *key)
{
    for (int i = 0; i < f->count; i++) {
        const obv_series *s = &f->at[i];
        if (strcmp(s->launcher, launcher) == 0 && strcmp(s->way, way) == 0 &&
            strcmp(s->work, work) == 0 && strcmp(s->key, key) == 0)
            return s;
    }
    return NULL;
}

void obv_add(obv_figures *f, const obv_series *of, double value)
{
    const obv_series *there = obv_find(f, of->launcher, of->way, of->work, of->key);
    obv_series *s = there ? &f->at[there - f->at] : NULL;
    if (s == NULL) {
        f->at = ob_grow(f->at, (size_t)f->count, &f->room, sizeof *f->at);
        if (f->at == NULL)
            obb_die("OB-4001 no memory for more figures");
        s = &f->at[f->count++];
        *s = *of;
        s->values = NULL;
        s->count = 0;
        s->room = 0;
    }
    s->values = ob_grow(s->values, (size_t)s->count, &s->room, sizeof *s->values);
    if (s->values == NULL)
        obb_die("OB-4001 no memory for more figures");
    s->values[s->count++] = value;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words))
        words++;
    return *words != NULL;
}

/* "8", "64K", "16M-columns-of-64"; of an LU "n=1000". */
static bool is_key(const char *work, const char *key)
{
    bool lu = strcmp(work, obv_work_names[OBV_LU]) == 0;
    int number, end = 0;
    if (lu)
        return sscanf(key, "n=%d", &number) == 1 && number > 0;
    size_t digits = strspn(key, "0123456789");
    const char *rest = key + digits;
    rest += *rest == 'K' || *rest == 'M';
    if (digits == 0 || *rest == '\0')
        return digits > 0;
    return sscanf(rest, "-columns-of-%d%n", &number, &end) == 1 && number > 0 && rest[end] == '\0';
}

static bool is_known(const obv_series *s)
{
    static const char *const launchers[] = {"obrun", "openmpi", "mpich", "mpi", NULL},
                             *const ways[] = {"openblacs", "netlib", "mpi", NULL},
                             *const facts[] = {"nodes", "lost", "pair-near", "pair-far", NULL};
    bool work = false;
    for (int w = 0; w < OBV_WORKS; w++)
        work = work || strcmp(s->work, obv_work_names[w]) == 0;
    if (!is_one_of(s->launcher, launchers) || s->processes < 1)
        return false;
    return strcmp(s->way, "machine") ? is_one_of(s->way, ways) && work && is_key(s->work, s->key)
                                     : is_one_of(s->work, facts);
}

bool obv_read_line(obv_figures *f, const char *line)
{
    obv_series s = {.count = 0};
    double value;
    int end = 0;
    if (sscanf(line, "%11[^,],%11[^,],%15[^,],%d,%23[^,],%lf%n", s.launcher, s.way, s.work,
               &s.processes, s.key, &value, &end) != 6 ||
        line[end] || !isfinite(value) || value < 0 || !is_known(&s))
        return false;
    obv_add(f, &s, value);
    return true;
}

void obv_write_line(FILE *out, const obv_series *s, double value)
{
    fprintf(out, "%s,%s,%s,%d,%s,%.6g\n", s->launcher, s->way, s->work, s->processes, s->key,
            value);
}

void obv_write_file(const char *path, const obv_figures *f)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        obb_die("OB-9603 %s cannot be written: %s", path, strerror(errno));
    fprintf(out, "# %s\n%s\n", f->machine, heading);
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < f->at[i].count; k++)
            obv_write_line(out, &f->at[i], f->at[i].values[k]);
    if (ferror(out) | fclose(out))
        obb_die("OB-9603 %s cannot be written: %s", path, strerror(errno));
}

void obv_read_file(const char *path, obv_figures *f)
{
    char line[256];
    int number = 0;
    FILE *in = fopen(path, "r");
    if (in == NULL)
        obb_die("OB-9602 %s cannot be read: %s", path, strerror(errno));
    while (fgets(line, sizeof line, in)) {
        size_t length = strcspn(line, "\n");
        bool whole = line[length] == '\n' || feof(in);
        line[length] = '\0';
        number++;
        if (whole && number == 1 && strncmp(line, "# ", 2) == 0)
            snprintf(f->machine, sizeof f->machine, "%.127s", line + 2);
        else if (!whole || (number == 2 ? strcmp(line, heading) != 0 : !obv_read_line(f, line)))
            obb_die("OB-9604 %s, line %d: not a file that obbench verdict --figures has written",
                    path, number);
    }
    fclose(in);
    if (f->count == 0)
        obb_die("OB-9604 %s has no figures", path);
}

double obv_middle(const obv_series *s)
{
    double *v, middle;
    if (s == NULL || s->count == 0)
        return -1;
    v = obb_memory((size_t)s->count, sizeof *v);
    memcpy(v, s->values, (size_t)s->count * sizeof *v);
    middle = obb_median(v, s->count);
    free(v);
    return middle;
}

void obv_free(obv_figures *f)
{
    for (int i = 0; i < f->count; i++)
        free(f->at[i].values);
    free(f->at);
}
