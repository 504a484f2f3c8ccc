/*
 * What the stages of a scheme should take, in closed form: the alpha, beta and
 * gamma terms of icc.txt 3.1 to 3.3 with the profile's curves in place of straight lines,
 * and, where the mesh is one of links, with the messages that cross one link
 * sharing it.
 */
#ifndef OB_COLLECTIVE_PLANNER_COST_H
#define OB_COLLECTIVE_PLANNER_COST_H

#include "collective/scheme/net.h"
#include "collective/scheme/scheme.h"

/* One stage on its lines. bytes: of the vector a line works on, whole; lines: those
 * that work at the same time over the same links. */
double ob_cost_stage(const ob_net *net, const ob_stage *stage, double bytes, double lines,
                     int root_digit);
/* A whole scheme. */
double ob_cost_scheme(const ob_net *net, const ob_scheme *scheme, int root, double bytes);
/* What each stage of a scheme for `bytes` works on: a line's vector, whole. */
void ob_cost_widths(const ob_scheme *scheme, double bytes, double width[OB_STAGES]);
/* The best detail (lambda, segments) of a stage. */
int ob_cost_detail(const ob_net *net, const ob_stage *stage, double bytes, double lines,
                   int root_digit);

#endif
