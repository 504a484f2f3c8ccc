/*
 * A comparison in the terminal, for programs, and as a page.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "compare.h"
#include "formats.h"

enum { ROWS_SHOWN = 20, NOISE_SHOWN = 5 };
#define LEAST 0.002 /* of the run: smaller differences are counted */

static const char *signed_time(double ns, char text[40])
{
    char time[32];
    snprintf(text, 40, "%s%s", ns < 0 ? "-" : "+", obt_show_time((int64_t)fabs(ns), time));
    return text;
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static bool small(const obt_comparison *c, const obt_change_row *r)
{
    return fabs(r->b - r->a) < LEAST * (c->whole.a > c->whole.b ? c->whole.a : c->whole.b);
}

static void print_head(const obt_comparison *c, FILE *out)
{
    char a[32], b[32], change[40], error[32];
    const obt_change_row *w = &c->whole;
    fprintf(out, "A: %zu %s, %s%s, %zu processes\n", c->a, c->a == 1 ? "trace" : "traces",
            c->path[0], c->a > 1 ? " ..." : "", c->processes[0]);
    fprintf(out, "B: %zu %s, %s%s, %zu processes\n", c->b, c->b == 1 ? "trace" : "traces",
            c->path[1], c->b > 1 ? " ..." : "", c->processes[1]);
    fprintf(out, "  the run takes %s in A and %s in B: %s, %+.1f %%",
            obt_show_time((int64_t)w->a, a), obt_show_time((int64_t)w->b, b),
            signed_time(w->b - w->a, change), percent(w->b - w->a, w->a));
    if (w->verdict == OBT_NOT_JUDGED)
        fputs(". With one trace of each it is not known how much of that is noise.\n", out);
    else if (w->verdict == OBT_NOISE)
        fprintf(out, ". That is noise: runs alike differ by up to %s.\n",
                obt_show_time((int64_t)w->error, error));
    else
        fprintf(out, ". B is %s: runs alike differ by up to %s.\n", obt_verdict_names[w->verdict],
                obt_show_time((int64_t)w->error, error));
}

static void print_row(const obt_comparison *c, const obt_change_row *r, FILE *out)
{
    char a[32], b[32], change[40];
    fprintf(out, "  %-14s %11s %+7.1f %% %10s %10s  %s %s\n", obt_verdict_names[r->verdict],
            signed_time(r->b - r->a, change), percent(r->b - r->a, c->whole.a),
            obt_show_time((int64_t)r->a, a), obt_show_time((int64_t)r->b, b), r->cause, r->place);
}

static void print(const obt_comparison *c, FILE *out)
{
    size_t shown = 0, noise = 0, left = 0;
    print_head(c, out);
    fprintf(out, "\n  %-14s %11s %9s %10s %10s  %s\n", "", "change", "of run A", "A", "B",
            "cause and place; times of a process, in the mean");
    for (size_t k = 0; k < c->row_count; k++) {
        const obt_change_row *r = &c->rows[k];
        bool is_noise = r->verdict == OBT_NOISE;
        if (small(c, r) || (is_noise ? noise >= NOISE_SHOWN : shown >= ROWS_SHOWN)) {
            left++;
            continue;
        }
        *(is_noise ? &noise : &shown) += 1;
        print_row(c, r, out);
    }
    if (shown + noise == 0)
        fputs("  nothing differs by more than 0.2 % of the run\n", out);
    if (left)
        fprintf(out, "  (and %zu smaller ones)\n", left);
}

static void print_plain(const obt_comparison *c, FILE *out)
{
    const obt_change_row *w = &c->whole;
    fprintf(out, "run a %.0f b %.0f error %.0f %s\n", w->a, w->b, w->error,
            obt_verdict_names[w->verdict]);
    for (size_t k = 0; k < c->row_count; k++) {
        const obt_change_row *r = &c->rows[k];
        fprintf(out, "row %.0f a %.0f b %.0f error %.0f %s: %s %s\n", r->b - r->a, r->a, r->b,
                r->error, obt_verdict_names[r->verdict], r->cause, r->place);
    }
}

/* -------------------------------------------------------------------- a page */

static void put_text(const char *text, FILE *out)
{
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: putc(*text, out);
        }
}

/* From the middle to the right what became slower, to the left what became faster. */
static void put_bar(const obt_change_row *r, double most, FILE *out)
{
    double share = most > 0 ? 50 * (r->b - r->a) / most : 0;
    fprintf(out, "<td class=\"bar\"><i class=\"%s\" style=\"left:%.2f%%;width:%.2f%%\"></i></td>",
            r->verdict == OBT_NOISE ? "noise"
            : share < 0             ? "faster"
                                    : "slower",
            share < 0 ? 50 + share : 50, fabs(share));
}

static void put_row(const obt_comparison *c, const obt_change_row *r, double most, FILE *out)
{
    char a[32], b[32], change[40], error[32];
    fprintf(out, "<tr><td>%s</td><td>%s</td><td>%+.1f %%</td>", obt_verdict_names[r->verdict],
            signed_time(r->b - r->a, change), percent(r->b - r->a, c->whole.a));
    put_bar(r, most, out);
    fprintf(out, "<td>%s</td><td>%s</td><td>%s</td><td class=\"text\">",
            obt_show_time((int64_t)r->a, a), obt_show_time((int64_t)r->b, b),
            r->error < 0 ? "not known" : obt_show_time((int64_t)r->error, error));
    put_text(r->cause, out);
    fputs("</td><td class=\"text\">", out);
    put_text(r->place, out);
    fputs("</td></tr>\n", out);
}

void obt_comparison_page(const obt_comparison *c, FILE *out)
{
    double most = 0;
    char *head = NULL;
    size_t length;
    FILE *text = open_memstream(&head, &length);
    if (!text)
        obt_die("OB-4001 not enough memory for a page");
    print_head(c, text);
    fclose(text);
    for (size_t k = 0; k < c->row_count; k++)
        most = fmax(most, fabs(c->rows[k].b - c->rows[k].a));
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>Two runs side by side</title>\n<style>\n",
          out);
    fputs(obt_compare_css, out);
    fputs("</style>\n</head>\n<body>\n<h1>Two runs side by side</h1>\n<pre>", out);
    put_text(head, out);
    fputs("</pre>\n<table>\n<thead><tr><th>verdict</th><th>change</th><th>of run A</th>"
          "<th>faster | slower</th><th>A</th><th>B</th><th>noise</th><th>cause</th><th>place</th>"
          "</tr></thead>\n<tbody>\n",
          out);
    for (size_t k = 0; k < c->row_count; k++)
        if (!small(c, &c->rows[k]))
            put_row(c, &c->rows[k], most, out);
    fputs("</tbody>\n</table>\n<p>Times are those of a process, in the mean of all processes of a "
          "run and of all runs of a side. Noise: a difference as large comes by chance in one of a "
          "hundred comparisons. Rows of less than 0.2 % of the run are left out.</p>\n</body>\n"
          "</html>\n",
          out);
    free(head);
}

/* ------------------------------------------------------------------ the command */

static const char help[] = "usage: obtrace compare A B | A ... -- B ... [--plain] [-o FILE.html]\n"
                           "What became slower or faster from the runs A to the runs B, by cause "
                           "and place. With two traces\n"
                           "or more of a side it tells what is noise.\n"
                           "\n"
                           "  --plain                 numbers for programs\n"
                           "  -o, --output FILE.html  a page in place of the text\n";

static int add_trace(obt_comparison *c, const char *path, bool second)
{
    obt_trace *t = obt_read(path);
    obt_analysis *a = obt_analyse(t);
    obt_comparison_add(c, a, second);
    obt_analysis_free(a);
    return obt_done(t);
}

static void write_out(const obt_comparison *c, const obt_told *told)
{
    const char *suffix = told->output ? strrchr(told->output, '.') : NULL;
    bool page = suffix && strcmp(suffix, ".html") == 0;
    FILE *out = obt_open_output(told->output);
    if (told->plain)
        print_plain(c, out);
    else if (page)
        obt_comparison_page(c, out);
    else
        print(c, out);
    obt_close_output(out, told->output);
}

int obt_compare_command(int argc, char **argv)
{
    obt_told told = {0};
    size_t paths = 0, split = SIZE_MAX;
    int status = 0;
    for (int i = 0; i < argc; i++) {
        if (obt_take_option(&told, help, &i, argc, argv))
            continue;
        if (strcmp(argv[i], "--") == 0) {
            if (split != SIZE_MAX)
                obt_usage("compare has two sides: what is the second %s?", argv[i]);
            split = paths;
        } else if (argv[i][0] == '-') {
            obt_usage("what is %s?", argv[i]);
        } else {
            argv[paths++] = argv[i];
        }
    }
    if (split == SIZE_MAX && paths != 2)
        obt_usage("compare needs %s", "two traces, or several with -- between the two sides");
    split = split == SIZE_MAX ? 1 : split;
    if (split == 0 || split == paths)
        obt_usage("compare needs %s", "a trace on each side of --");
    obt_comparison *c = obt_comparison_new(paths);
    for (size_t k = 0; k < paths; k++)
        status |= add_trace(c, argv[k], k >= split);
    obt_comparison_judge(c);
    write_out(c, &told);
    obt_comparison_free(c);
    return status;
}
