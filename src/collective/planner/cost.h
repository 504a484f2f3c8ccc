/*
 * What the stages of a scheme should take, in closed form: the alpha, beta and
 * gamma terms of icc.txt 3.1 to 3.3 with the profile's curves in place of straight lines,
 * and, where the mesh is one of links, with the messages that cross one link
 * sharing it.
 */
#ifndef OB_COLLECTIVE_PLANNER_COST_H
#define OB_COLLECTIVE_PLANNER_COST_H

#include <stdbool.h>

#include "collective/scheme/scheme.h"
#include "hooks/profile.h"

typedef struct ob_net {
    const ob_profile *profile;
    int rows, columns;
    int shared; /* 0: a switch that all messages pass at full speed; 1: a mesh of links; 2: a torus
                 */
} ob_net;

/* One stage on its lines. bytes: of the vector a line works on, whole; lines: those
 * that work at the same time over the same links. */
double ob_cost_stage(const ob_net *net, const ob_stage *stage, double bytes, double lines,
                     int root_digit);
/* Does the stage's line go around: all of a row or column of a torus, or every second one, third
 * ..? */
bool ob_cost_rings(const ob_net *net, const ob_stage *stage);
/* A whole scheme. */
double ob_cost_scheme(const ob_net *net, const ob_scheme *scheme, int root, double bytes);
/* What each stage of a scheme for `bytes` works on: a line's vector, whole. */
void ob_cost_widths(const ob_scheme *scheme, double bytes, double width[OB_STAGES]);
/* The best detail (lambda, segments) of a stage. */
int ob_cost_detail(const ob_net *net, const ob_stage *stage, double bytes, double lines,
                   int root_digit);

#endif
