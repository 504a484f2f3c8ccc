/*
 * CSV and JSON.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/planner.h"
#include "report.h"

static const char csv_head[] =
    "system,what,topology,scope,processes,root,bytes,calls,root_us,min_us,"
    "max_us,mean_us,relative_error,model_root_us,model_min_us,model_max_us,"
    "model_mean_us,paper_root_us,paper_max_us,partner,repeats_us";
enum { COLUMNS = 21, OLD_COLUMNS = 19 }; /* 0.1.0 had no partner and no repeats */

static void number(FILE *out, double v)
{
    if (v < 0)
        fputc(',', out);
    else
        fprintf(out, ",%.6g", v);
}

void obb_write_csv_line(FILE *out, const obb_record *r)
{
    char top[8];
    obb_top_text(r, top);
    fprintf(out, "%s,%s,%s,%s,%d,%d,%zu,%d", r->system, obb_what_name(r->what), top,
            obb_scope_name(r->scope), r->processes, r->root, r->bytes, r->calls);
    number(out, r->time.root);
    number(out, r->time.min);
    number(out, r->time.max);
    number(out, r->time.mean);
    number(out, r->spread);
    number(out, r->predicted.root);
    number(out, r->predicted.min);
    number(out, r->predicted.max);
    number(out, r->predicted.mean);
    number(out, r->paper.root);
    number(out, r->paper.max);
    fputc(',', out);
    if (obb_is_pair(r->what))
        fprintf(out, "%d", r->partner);
    for (int i = 0; i < r->repeats; i++)
        fprintf(out, "%c%.6g", i ? ' ' : ',', r->repeat[i]);
    fputs(r->repeats ? "\n" : ",\n", out);
}

void obb_write_csv(FILE *out, const obb_records *list)
{
    fprintf(out, "%s\n", csv_head);
    for (int i = 0; i < list->count; i++)
        obb_write_csv_line(out, &list->at[i]);
}

/* ------------------------------------------------------------------- reading */

static bool whole(const char *text, long long least, long long most, long long *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *value >= least && *value <= most;
}

static bool time_in(const char *text, double *value)
{
    char *end;
    *value = -1;
    if (*text == '\0')
        return true;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value) && *value >= 0;
}

static bool read_top(const char *text, obb_record *r)
{
    long long branches = 0;
    ob_route route;
    ob_takes takes = obb_top_takes(text[0]);
    r->top = text[0];
    if (text[0] == '\0')
        return true;
    if (takes == OB_TAKES_NOTHING)
        return text[1] == '\0' && (text[0] == 'p' || obb_route_of(text[0], 0, &route));
    bool good = whole(text + 1, takes == OB_TAKES_RINGS ? -9999 : 1, 9999, &branches) && branches;
    r->branches = (int)branches;
    return good;
}

static bool read_what(const char *text, obb_record *r)
{
    for (int w = 0; w < OBB_WHATS; w++)
        if (strcmp(text, obb_what_name((obb_what)w)) == 0) {
            r->what = (obb_what)w;
            return true;
        }
    return false;
}

static bool read_scope(const char *text, obb_record *r)
{
    r->scope = text[0];
    return strcmp(text, obb_scope_name(text[0])) == 0;
}

static int split(char *line, char *field[COLUMNS])
{
    int n = 0;
    char *at = line;
    for (; n < COLUMNS; n++) {
        field[n] = at;
        at = strchr(at, ',');
        if (at == NULL)
            return n + 1;
        *at++ = '\0';
    }
    return COLUMNS + 1;
}

static bool read_partner(const char *text, obb_record *r)
{
    long long partner = r->root == 0 && r->processes > 1;
    if (!obb_is_pair(r->what))
        return *text == '\0';
    bool good = *text == '\0' || whole(text, 0, r->processes - 1, &partner);
    r->partner = (int)partner;
    return good;
}

/* Times with a blank between two. */
static bool read_repeats(const char *text, obb_record *r)
{
    int room = 1;
    if (*text == '\0')
        return true;
    for (const char *p = text; *p; p++)
        room += *p == ' ';
    r->repeat = obb_memory((size_t)room, sizeof *r->repeat);
    for (const char *at = text;; at++) {
        char *end;
        double v = strtod(at, &end);
        if (end == at || *at == ' ' || !isfinite(v) || v < 0 || r->repeats == room)
            return false;
        r->repeat[r->repeats++] = v;
        at = end;
        if (*at != ' ')
            return *at == '\0';
    }
}

static bool read_fields(char *const f[COLUMNS], obb_record *r)
{
    long long processes, root, bytes, calls;
    if (strlen(f[0]) >= sizeof r->system || f[0][0] == '\0')
        return false;
    strcpy(r->system, f[0]);
    if (f[0][strspn(f[0], "abcdefghijklmnopqrstuvwxyz")])
        return false;
    if (!read_what(f[1], r) || !read_top(f[2], r) || !read_scope(f[3], r) ||
        !whole(f[4], 1, 1 << 20, &processes) || !whole(f[5], 0, processes - 1, &root) ||
        !whole(f[6], 0, 1ll << 50, &bytes) || !whole(f[7], 1, 1000, &calls))
        return false;
    r->processes = (int)processes;
    r->root = (int)root;
    r->bytes = (size_t)bytes;
    r->calls = (int)calls;
    r->paper.min = r->paper.mean = -1;
    return time_in(f[8], &r->time.root) && time_in(f[9], &r->time.min) &&
           time_in(f[10], &r->time.max) && time_in(f[11], &r->time.mean) &&
           time_in(f[12], &r->spread) && time_in(f[13], &r->predicted.root) &&
           time_in(f[14], &r->predicted.min) && time_in(f[15], &r->predicted.max) &&
           time_in(f[16], &r->predicted.mean) && time_in(f[17], &r->paper.root) &&
           time_in(f[18], &r->paper.max) && r->time.max >= 0 && read_partner(f[19], r) &&
           read_repeats(f[20], r);
}

bool obb_read_csv_line(const char *line, obb_record *r)
{
    char *copy = strdup(line), *f[COLUMNS] = {0}, none[] = "";
    if (copy == NULL)
        obb_die("OB-4001 no memory for a line of %zu bytes", strlen(line));
    copy[strcspn(copy, "\r\n")] = '\0';
    memset(r, 0, sizeof *r);
    int columns = split(copy, f);
    if (columns == OLD_COLUMNS)
        f[COLUMNS - 2] = f[COLUMNS - 1] = none;
    bool good = (columns == COLUMNS || columns == OLD_COLUMNS) && read_fields(f, r);
    if (!good)
        free(r->repeat);
    free(copy);
    return good;
}

void obb_read_csv(const char *path, obb_records *list)
{
    char *line = NULL;
    size_t room = 0;
    int number = 0;
    obb_record r;
    FILE *in = fopen(path, "r");
    if (in == NULL)
        obb_die("OB-9602 %s cannot be read: %s", path, strerror(errno));
    while (getline(&line, &room, in) > 0) {
        if (++number == 1 && strncmp(line, csv_head, strcspn(csv_head, ",") + 1) == 0)
            continue;
        if (!obb_read_csv_line(line, &r))
            obb_die("OB-9604 %s, line %d is no measurement", path, number);
        obb_add(list, &r);
    }
    free(line);
    fclose(in);
    if (list->count == 0)
        obb_die("OB-9604 %s holds no measurement", path);
}

/* ---------------------------------------------------------------------- JSON */

static void json_number(FILE *out, const char *key, double v)
{
    if (v < 0)
        fprintf(out, ", \"%s\": null", key);
    else
        fprintf(out, ", \"%s\": %.6g", key, v);
}

static void json_record(FILE *out, const obb_record *r)
{
    char top[8];
    obb_top_text(r, top);
    fprintf(out,
            "    {\"system\": \"%s\", \"what\": \"%s\", \"topology\": \"%s\", \"scope\": \"%s\", "
            "\"processes\": %d, \"root\": %d, \"bytes\": %zu, \"calls\": %d",
            r->system, obb_what_name(r->what), top, obb_scope_name(r->scope), r->processes, r->root,
            r->bytes, r->calls);
    json_number(out, "root_us", r->time.root);
    json_number(out, "min_us", r->time.min);
    json_number(out, "max_us", r->time.max);
    json_number(out, "mean_us", r->time.mean);
    json_number(out, "relative_error", r->spread);
    json_number(out, "model_root_us", r->predicted.root);
    json_number(out, "model_min_us", r->predicted.min);
    json_number(out, "model_max_us", r->predicted.max);
    json_number(out, "model_mean_us", r->predicted.mean);
    json_number(out, "paper_root_us", r->paper.root);
    json_number(out, "paper_max_us", r->paper.max);
    if (obb_is_pair(r->what))
        fprintf(out, ", \"partner\": %d", r->partner);
    fprintf(out, ", \"repeats_us\": [");
    for (int i = 0; i < r->repeats; i++)
        fprintf(out, "%s%.6g", i ? ", " : "", r->repeat[i]);
    fprintf(out, "]}");
}

static void json_lines(FILE *out, const ob_curve *c)
{
    for (int i = 0; i < c->pieces; i++)
        fprintf(out, "%s{\"from\": %zu, \"alpha_us\": %.9g, \"beta_us\": %.9g}", i ? ", " : "",
                c->piece[i].from, c->piece[i].alpha, c->piece[i].beta);
}

static void json_curve(FILE *out, const char *name, const ob_curve *c, bool last)
{
    fprintf(out, "      \"%s\": {\"relative_error\": %.6g, \"misfit\": %.6g, \"lines\": [", name,
            c->spread, c->misfit);
    json_lines(out, c);
    fprintf(out, "]}%s\n", last ? "" : ",");
}

/* Only where there are any. */
static void json_natives(FILE *out, const ob_profile *p)
{
    const char *before = "    \"native\": [\n";
    for (int t = 0; t < OB_NATIVE_TASKS; t++)
        for (int k = 0; k < OB_NATIVE_SIZES && p->native[t][k].members; k++) {
            const ob_native_curve *n = &p->native[t][k];
            fprintf(out, "%s      {\"operation\": \"%s\", \"nodes\": %d, \"lines\": [", before,
                    ob_plan_task_name((ob_plan_task)t), n->members);
            json_lines(out, &n->curve);
            fprintf(out, "]}");
            before = ",\n";
        }
    if (before[0] == ',')
        fprintf(out, "\n    ],\n");
}

static void json_profile(FILE *out, const ob_profile *p)
{
    fprintf(out,
            "  \"profile\": {\n    \"host\": \"%s\", \"processors\": %d, \"cache\": %zu,\n"
            "    \"curves\": {\n",
            p->host, p->processors, p->cache);
    for (int q = 0; q < OB_QUANTITIES; q++)
        json_curve(out, ob_quantity_name((ob_quantity)q), &p->curve[q], q + 1 == OB_QUANTITIES);
    const ob_waiting *w = &p->waiting;
    fprintf(out,
            "    },\n    \"waiting\": {\"call\": %.6g, \"combine\": %.6g, \"glance\": %.6g, "
            "\"look\": %.6g, \"turn\": %.6g, \"ring\": %.6g, \"wake\": %.6g, \"patience\": %.6g, "
            "\"rest\": %.6g, \"flow\": %.6g, \"spill\": %.6g, \"cold\": %.6g},\n",
            w->call, w->combine, w->glance, w->look, w->turn, w->ring, w->wake, w->patience,
            w->rest, w->flow, w->spill, w->cold);
    json_natives(out, p);
    fprintf(out,
            "    \"bsp\": {\"p\": %d, \"s_mflops\": %.6g, \"g_us\": %.6g, \"l_us\": %.6g}\n  },\n",
            p->bsp_processes, p->bsp_s, p->bsp_g, p->bsp_l);
}

void obb_write_json(FILE *out, const obb_records *list, const ob_profile *profile,
                    const obb_options *o)
{
    fprintf(out, "{\n");
    if (profile)
        json_profile(out, profile);
    if (o->tables)
        obb_write_json_lines(out, list, o);
    fprintf(out, "  \"points\": [\n");
    for (int i = 0; i < list->count; i++) {
        json_record(out, &list->at[i]);
        fprintf(out, "%s\n", i + 1 < list->count ? "," : "");
    }
    fprintf(out, "  ]\n}\n");
}
