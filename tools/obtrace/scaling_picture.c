/*
 * Efficiencies over processes, as a picture (SVG).
 */
#include <math.h>
#include <stddef.h>

#include "scaling.h"

enum { WIDTH = 680, HEIGHT = 380, LEFT = 56, RIGHT = 470, TOP = 24, BOTTOM = 330 };

typedef struct curve {
    const char *name, *colour, *dash;
    int width;    /* those in front are narrower: where they are equal all can be seen */
    size_t value; /* offset in obt_run */
} curve;

static const curve curves[] = {
    {"global efficiency", "#111111", "", 2, offsetof(obt_run, global)},
    {"parallel efficiency", "#56a0d8", "", 5, offsetof(obt_run, efficiency.parallel)},
    {"load balance", "#c04a00", "6 3", 2, offsetof(obt_run, efficiency.balance)},
    {"serialisation", "#3fa584", "", 5, offsetof(obt_run, efficiency.serialisation)},
    {"transfer", "#dba3cf", "", 9, offsetof(obt_run, efficiency.transfer)},
    {"computation scaling", "#dcc98a", "", 9, offsetof(obt_run, computation)}};

enum { CURVES = sizeof curves / sizeof *curves };

/* The mean of all runs with as many processes, which stand together. */
static double value_of(const obt_run *runs, size_t i, size_t n, const curve *c)
{
    double sum = 0;
    for (size_t k = i; k < i + n; k++)
        sum += *(const double *)(const void *)((const char *)&runs[k] + c->value);
    return sum / (double)n;
}

static size_t alike(const obt_run *runs, size_t count, size_t i)
{
    size_t n = 1;
    while (i + n < count && runs[i + n].processes == runs[i].processes)
        n++;
    return n;
}

static double x_of(const obt_run *runs, size_t count, size_t i)
{
    double low = log2((double)runs[0].processes), high = log2((double)runs[count - 1].processes);
    double at = high > low ? (log2((double)runs[i].processes) - low) / (high - low) : 0.5;
    return LEFT + 12 + (RIGHT - LEFT - 24) * at;
}

static double y_of(double value, double most)
{
    value = value < 0 ? 0 : value > most ? most : value;
    return BOTTOM - (BOTTOM - TOP) * value / most;
}

/* A whole number of fifths above all values but for 1 %, at least 100 %. */
static double top_of(const obt_run *runs, size_t count)
{
    double most = 1;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < CURVES; k++)
            most = fmax(most, value_of(runs, i, 1, &curves[k]));
    return ceil(fmin(most, 4) * 5 - 0.05) / 5;
}

static void draw_axes(const obt_run *runs, size_t count, double most, FILE *out)
{
    double step = most > 2 ? 0.5 : 0.2;
    for (double v = 0; v < most + 1e-9; v += step) {
        fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#d8d8d8\"/>\n",
                LEFT, RIGHT, y_of(v, most), y_of(v, most));
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f %%</text>\n", LEFT - 8,
                y_of(v, most) + 4, 100 * v);
    }
    for (size_t i = 0; i < count; i += alike(runs, count, i))
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%zu</text>\n",
                x_of(runs, count, i), BOTTOM + 18, runs[i].processes);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">processes</text>\n",
            (LEFT + RIGHT) / 2, BOTTOM + 38);
}

static void draw_curve(const obt_run *runs, size_t count, const curve *c, double most, FILE *out)
{
    fprintf(out,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%d\" stroke-dasharray=\"%s\" "
            "points=\"",
            c->colour, c->width, c->dash);
    for (size_t i = 0; i < count; i += alike(runs, count, i))
        fprintf(out, "%s%.1f,%.1f", i ? " " : "", x_of(runs, count, i),
                y_of(value_of(runs, i, alike(runs, count, i), c), most));
    fprintf(out, "\"/>\n");
    for (size_t i = 0; i < count; i += alike(runs, count, i)) {
        double v = value_of(runs, i, alike(runs, count, i), c);
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"><title>%s, %zu processes: "
                "%.1f %%</title></circle>\n",
                x_of(runs, count, i), y_of(v, most), c->colour, c->name, runs[i].processes,
                100 * v);
    }
}

void obt_scaling_picture(const obt_run *runs, size_t count, FILE *out)
{
    double most = top_of(runs, count);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\" role=\"img\" "
            "aria-label=\"efficiencies over processes\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_axes(runs, count, most, out);
    for (int k = CURVES - 1; k >= 0; k--)
        draw_curve(runs, count, &curves[k], most, out);
    for (int k = 0; k < CURVES; k++) {
        int y = TOP + 14 + 24 * k;
        fprintf(out,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"%d\" "
                "stroke-dasharray=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
                RIGHT + 20, RIGHT + 50, y, y, curves[k].colour, curves[k].width, curves[k].dash,
                RIGHT + 58, y + 4, curves[k].name);
    }
    fputs("</svg>\n", out);
}
