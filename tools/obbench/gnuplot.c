/*
 * What all figures say to gnuplot in the same way.
 */
#include <string.h>

#include "plot.h"

/* Dark enough on white, and far enough apart. */
static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                      "#ff7f0e", "#17becf", "#8c564b", "#e377c2",
                                      "#7f7f7f", "#000000", "#bcbd22", "#004d40"};

void obb_quoted(FILE *g, const char *text)
{
    fputc('\'', g);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', g);
        fputc(*text, g);
    }
    fputc('\'', g);
}

void obb_set_up_figure(FILE *g, const char *file, const char *title, const char *which,
                       const obb_options *o)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.svg", o->plot, file);
    fprintf(g, "reset\nset terminal svg size 900,600 dynamic background rgb 'white' font "
               "'sans-serif,14'\nset output ");
    obb_quoted(g, path);
    fprintf(g, "\nset title ");
    obb_quoted(g, title);
    fprintf(g,
            " noenhanced\nset xlabel 'Length (bytes)'\nset ylabel 'Time (microseconds), %s'\n"
            "set grid\nset key outside right top Left reverse samplen 2 spacing 1.2 noenhanced\n",
            which);
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        fprintf(g, "set linetype %zu lc rgb '%s'\n", i + 1, colours[i]);
    fprintf(g, "set linetype cycle %zu\n", sizeof colours / sizeof *colours);
    if (o->linear)
        fprintf(g, "set format x '%%.0s %%c'\nset xrange [0:*]\nset yrange [0:*]\n");
    else
        fprintf(g,
                "set logscale xy\nset format x '%%.0b %%BB'\nset logscale x 2\n"
                "set xtics (%s)\nset format y '%%g'\n",
                "'8' 8, '32' 32, '128' 128, '512' 512, '2K' 2048, '8K' 8192, '32K' 32768, "
                "'128K' 131072, '512K' 524288, '2M' 2097152, '8M' 8388608, '32M' 33554432");
}

const char *obb_series_name(const obb_record *r, char *text, size_t room)
{
    ob_route route;
    const ob_topology_row *row =
        obb_route_of(r->top, r->branches, &route) ? ob_topology_at((int)route.topology) : NULL;
    if (row == NULL)
        snprintf(text, room, "%s", r->system);
    else if (row->takes)
        snprintf(text, room, "%d-%s", route.branches, row->name);
    else
        snprintf(text, room, "%s", row->name);
    return text;
}
