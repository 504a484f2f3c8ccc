/*
 * The page that shows a trace.
 */
#ifndef OBTRACE_REPORT_H
#define OBTRACE_REPORT_H

#include "analysis.h"

/* Writes one HTML file that needs nothing else. */
void obt_report(const obt_analysis *a, FILE *out);

/* A text as a JSON string, with its quotes; safe within an HTML script element. */
void obt_json_text(FILE *out, const char *text);

/* Files of report/, put into the program when it is built (embed.cmake). */
extern const char obt_page_html[], obt_style_css[], obt_data_js[], obt_tools_js[],
    obt_timeline_js[], obt_charts_js[], obt_main_js[];

#endif
