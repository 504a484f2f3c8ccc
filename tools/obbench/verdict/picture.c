/*
 * The picture: one panel of bars for each row, on a scale of its own that begins at 0. Drawn by
 * gnuplot.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "obbench/obbench.h"
#include "obbench/plot.h"
#include "obbench/verdict/verdict.h"

enum { COLUMNS = 3, WIDE = 400, NAMES = 178, TIMES = 86, BAR = 18, HEAD = 30, TOP = 34, EDGE = 12 };
static const char *const colours[] = {"#2f6db5", "#7fa8d4", "#e08a2e", "#9a9a9a"};

static void write_text(FILE *g, double x, double y, const char *text, bool bold)
{
    fprintf(g, "set label ");
    obb_quoted(g, text);
    fprintf(g, " at %.1f,%.1f left noenhanced font '%s,11'\n", x, y, bold ? "sans:Bold" : "sans");
}

static int write_panel(FILE *g, const obv_figures *f, const obv_series *row, double x, double y)
{
    obv_bar bars[OBV_BARS];
    char text[80];
    double most = 0;
    int count = obv_bars_of(f, row, bars);
    for (int k = 0; k < count; k++)
        most = fmax(most, bars[k].us);
    obv_row_title(row, text, sizeof text);
    write_text(g, x, y + 8, text, true);
    for (int k = 0; k < count; k++) {
        double wide = fmax(1, (WIDE - NAMES - TIMES) * bars[k].us / most);
        y += BAR;
        write_text(g, x, y + 8, bars[k].name, false);
        fprintf(g,
                "set object rectangle from %.1f,%.1f to %.1f,%.1f fc rgb '%s' fs solid noborder\n",
                x + NAMES, y + 1, x + NAMES + wide, y + BAR - 3, colours[bars[k].colour]);
        obv_time_text(bars[k].us, "\u00b5", text, sizeof text);
        write_text(g, x + NAMES + wide + 4, y + 8, text, false);
    }
    return count;
}

static int most_bars(const obv_figures *f)
{
    obv_bar bars[OBV_BARS];
    const obv_series *row;
    int most = 0;
    for (int i = 0; (row = obv_row_at(f, i)); i++) {
        int count = obv_bars_of(f, row, bars);
        most = count > most ? count : most;
    }
    return most;
}

static void write_picture(FILE *g, const obv_figures *f, const char *terminal, const char *name,
                          const char *end, bool noisy)
{
    int panels = 0, high = HEAD + most_bars(f) * BAR;
    char path[4096];
    const obv_series *row;
    while (obv_row_at(f, panels))
        panels++;
    int width = COLUMNS * WIDE + 2 * EDGE, height = TOP + (panels + COLUMNS - 1) / COLUMNS * high;
    snprintf(path, sizeof path, "%s.%s", name, end);
    fprintf(g, "reset\nset encoding utf8\nset terminal %s size %d,%d background rgb 'white'\n",
            terminal, width, height);
    fprintf(g, "set output ");
    obb_quoted(g, path);
    fprintf(g,
            "\nset lmargin 0\nset rmargin 0\nset tmargin 0\nset bmargin 0\nunset border\n"
            "unset tics\nunset key\nset xrange [0:%d]\nset yrange [%d:0]\n",
            width, height);
    snprintf(path, sizeof path, "%s: times, shorter is better%s", f->machine,
             noisy ? "; doubtful, because the machine was too noisy" : "");
    write_text(g, EDGE, 14, path, false);
    for (int i = 0; (row = obv_row_at(f, i)); i++)
        write_panel(g, f, row, EDGE + i % COLUMNS * WIDE, TOP + i / COLUMNS * high);
    fprintf(g, "plot NaN\nunset output\n");
}

bool obv_draw(const obv_figures *f, const char *name, double noise)
{
    char why[256];
    bool noisy = obv_is_noisy(f, noise, why, sizeof why);
    signal(SIGPIPE, SIG_IGN);
    FILE *g = popen("exec gnuplot -", "w");
    if (g == NULL)
        return false;
    write_picture(g, f, "svg dynamic", name, "svg", noisy);
    write_picture(g, f, "pngcairo", name, "png", noisy);
    if (pclose(g) != 0) {
        obb_warn("OB-9605 gnuplot failed; its reason stands above");
        return false;
    }
    fprintf(stderr, "obbench: the picture is %s.svg and %s.png\n", name, name);
    return true;
}
