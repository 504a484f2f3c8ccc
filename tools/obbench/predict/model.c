/*
 * The algorithms as scripts for the simulation: each function here mirrors one file of
 * collective/topology, step by step.
 */
#include <stdlib.h>

#include "hooks/partners.h"
#include "hooks/pattern.h"
#include "hooks/topology.h"
#include "obbench/median.h"
#include "obbench/predict/simulate.h"

/* Orders in which waiting members get a shared processor, and rounds in each. The first bring the
 * members out of step; in the last, those that are done leave the others alone. */
enum { ORDERS = 8, ROUNDS = 8, WARM_UP = 3, LAST = 1, KEPT = ORDERS * (ROUNDS - WARM_UP - LAST) };

/* ------------------------------------------------------------------- scripts */

static void merge_bytes(obb_script *s, const obb_work *w, int peer, size_t bytes)
{
    obb_script_add(s, OB_DO_RECEIVE, peer, bytes);
    obb_script_work(s, bytes, w->bytes);
}

static void script_outward(obb_script *s, ob_pattern *p, size_t bytes)
{
    ob_edge edge;
    if (ob_pattern_parent(p, &edge))
        obb_script_add(s, OB_DO_RECEIVE, edge.peer, bytes);
    while (ob_pattern_next(p, &edge))
        obb_script_add(s, OB_DO_SEND, edge.peer, bytes);
}

static void script_broadcast(obb_script *s, const obb_work *w, int me)
{
    ob_pattern p;
    ob_pattern_broadcast(&p, w->route.topology, w->route.branches, w->members, w->root, me);
    script_outward(s, &p, w->bytes);
}

static void script_send_out(obb_script *s, const obb_work *w, int me, size_t bytes)
{
    ob_pattern p;
    ob_pattern_send_out(&p, w->route.topology, w->route.branches, w->members, 0, me);
    script_outward(s, &p, bytes);
}

static void script_gather(obb_script *s, const obb_work *w, int root, int me, size_t bytes)
{
    ob_pattern p;
    ob_edge edge;
    ob_pattern_combine(&p, w->route.topology, w->route.branches, w->members, root, me);
    while (ob_pattern_next(&p, &edge))
        merge_bytes(s, w, edge.peer, bytes);
    if (ob_pattern_parent(&p, &edge))
        obb_script_add(s, OB_DO_SEND, edge.peer, bytes);
}

static void script_exchange(obb_script *s, const obb_work *w, int me, size_t bytes)
{
    ob_partners e = ob_partners_open(w->members, me);
    if (e.beyond) {
        obb_script_add(s, OB_DO_SEND, e.folded, bytes);
        obb_script_add(s, OB_DO_RECEIVE, e.folded, bytes);
        return;
    }
    if (e.folded != OB_ANY)
        merge_bytes(s, w, e.folded, bytes);
    for (int round = 0; round < e.rounds; round++) {
        obb_script_add(s, OB_DO_SEND, ob_partners_partner(&e, round), bytes);
        merge_bytes(s, w, ob_partners_partner(&e, round), bytes);
    }
    if (e.folded != OB_ANY)
        obb_script_add(s, OB_DO_SEND, e.folded, bytes);
}

/* One chunk of the vector. */
static void script_chunk(obb_script *s, const obb_work *w, int me, size_t bytes)
{
    if (w->root != OB_ANY) {
        script_gather(s, w, w->root, me, bytes);
    } else if (w->route.topology == OB_TOP_HYPERCUBE && !w->route.coherent) {
        script_exchange(s, w, me, bytes);
    } else {
        script_gather(s, w, 0, me, bytes);
        script_send_out(s, w, me, bytes);
    }
}

static void script_combine(obb_script *s, const obb_work *w, int me)
{
    size_t most = OB_SLICE_BYTES, chunks = w->bytes > most ? (w->bytes + most - 1) / most : 1;
    for (size_t k = 0; k < chunks; k++)
        script_chunk(s, w, me, w->bytes / chunks + (k < w->bytes % chunks));
}

static void script_barrier(obb_script *s, int size, int me)
{
    for (int round = 0; round < ob_dissemination_rounds(size); round++) {
        obb_script_add(s, OB_DO_SEND, ob_dissemination_to(size, me, round), 0);
        obb_script_add(s, OB_DO_RECEIVE, ob_dissemination_from(size, me, round), 0);
    }
}

static void script_call(obb_script *s, const obb_work *w, int me)
{
    if (w->kind == OB_WORK_BARRIER)
        script_barrier(s, w->members, me);
    else if (w->kind == OB_WORK_COMBINE)
        script_combine(s, w, me);
    else
        script_broadcast(s, w, me);
}

/* --------------------------------------------------------------------- running */

static void free_scripts(obb_script *scripts, int members)
{
    for (int i = 0; scripts && i < members; i++)
        free(scripts[i].step);
    free(scripts);
}

static obb_script *make_scripts(const obb_work *w)
{
    obb_script *scripts = calloc((size_t)w->members, sizeof *scripts);
    for (int i = 0; scripts && i < w->members; i++) {
        obb_script_add(&scripts[i], OB_DO_BARRIER, 0, 0);
        obb_script_add(&scripts[i], OB_DO_MARK, 0, 0);
        for (int k = 0; k < w->repeated; k++) {
            obb_script_add(&scripts[i], OB_DO_CALL, 0, w->kind == OB_WORK_COMBINE);
            script_call(&scripts[i], w, i);
        }
        obb_script_add(&scripts[i], OB_DO_MARK, 0, 0);
    }
    return scripts;
}

/* Each member's own matrix, and once more on its way. */
static size_t footprint(const obb_work *w)
{
    return 2 * w->bytes * (size_t)w->members;
}

static int check_work(const obb_work *w)
{
    bool all = w->kind == OB_WORK_COMBINE && w->root == OB_ANY;
    if (!ob_topology_sound(&w->route) || w->members < 1 || w->members > 1 << 20)
        return OB_EARG;
    if (w->kind != OB_WORK_BARRIER && !all && (w->root < 0 || w->root >= w->members))
        return OB_EARG;
    if (w->repeated < 1 || w->repeated > 1000)
        return OB_EARG;
    return OB_OK;
}

static void summarize(const obb_work *w, int orders, const double *elapsed, obb_times *times)
{
    double root[KEPT], min[KEPT], max[KEPT], mean[KEPT];
    int p = w->members, r0 = w->root == OB_ANY ? 0 : w->root, kept = 0;
    for (int r = 0; r < orders * ROUNDS; r++) {
        const double *of = elapsed + (size_t)r * (size_t)p;
        if (r % ROUNDS < WARM_UP || r % ROUNDS >= ROUNDS - LAST)
            continue;
        min[kept] = max[kept] = root[kept] = of[r0];
        mean[kept] = 0;
        for (int i = 0; i < p; i++) {
            min[kept] = of[i] < min[kept] ? of[i] : min[kept];
            max[kept] = of[i] > max[kept] ? of[i] : max[kept];
            mean[kept] += of[i] / p;
        }
        kept++;
    }
    *times = (obb_times){.root = obb_median(root, kept) / w->repeated,
                         .min = obb_median(min, kept) / w->repeated,
                         .max = obb_median(max, kept) / w->repeated,
                         .mean = obb_median(mean, kept) / w->repeated};
}

int obb_predict(const ob_profile *profile, const obb_work *work, obb_times *times)
{
    obb_work w = *work;
    if (w.repeated <= 0)
        w.repeated = 1;
    int status = check_work(&w), orders = w.members > profile->processors ? ORDERS : 1;
    if (status)
        return status;
    if (w.route.topology == OB_TOP_BEST) {
        w.route.topology = OB_TOP_TREE;
        w.route.branches = 1;
    }
    size_t each = (size_t)ROUNDS * (size_t)w.members;
    obb_script *scripts = make_scripts(&w);
    double *elapsed = calloc((size_t)orders * each, sizeof *elapsed);
    if (scripts == NULL || elapsed == NULL)
        status = OB_ENOMEM;
    for (int k = 0; k < orders && status == OB_OK; k++)
        status = obb_simulate(profile, w.members, scripts, ROUNDS, footprint(&w), (unsigned)k,
                              elapsed + (size_t)k * each);
    if (status == OB_OK)
        summarize(&w, orders, elapsed, times);
    free_scripts(scripts, w.members);
    free(elapsed);
    return status;
}
