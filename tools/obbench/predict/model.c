/*
 * The algorithms as scripts for the simulation: each function here mirrors one file of
 * collective/topology, step by step.
 */
#include "obbench/predict/model.h"

#include <stdlib.h>

#include "hooks/partners.h"
#include "hooks/pattern.h"
#include "hooks/topology.h"
#include "obbench/median.h"

/* Of obb_model_times: orders in which waiting members get a shared processor, and rounds in
 * each. The first bring the members out of step; in the last, those that are done leave the others
 * alone. */
enum { ORDERS = 8, ROUNDS = 8, WARM_UP = 3, LAST = 1, KEPT = ORDERS * (ROUNDS - WARM_UP - LAST) };

/* ------------------------------------------------------------------- scripts */

static void send_bytes(obb_script *s, int peer, size_t bytes)
{
    obb_script_add(s, OB_DO_SEND, peer, bytes);
}

static void receive_bytes(obb_script *s, int peer, size_t bytes)
{
    obb_script_add(s, OB_DO_RECEIVE, peer, bytes);
}

static void merge_bytes(obb_script *s, const obb_model_call *c, int peer, size_t bytes)
{
    receive_bytes(s, peer, bytes);
    obb_script_work(s, bytes, c->bytes);
}

static void script_outward(obb_script *s, ob_pattern *p, size_t bytes)
{
    ob_edge edge;
    if (ob_pattern_parent(p, &edge))
        receive_bytes(s, edge.peer, bytes);
    while (ob_pattern_next(p, &edge))
        send_bytes(s, edge.peer, bytes);
}

static void script_broadcast(obb_script *s, const obb_model_call *c, int me)
{
    ob_pattern p;
    ob_pattern_broadcast(&p, c->topology, c->branches, c->members, c->root, me);
    script_outward(s, &p, c->bytes);
}

static void script_send_out(obb_script *s, const obb_model_call *c, int me, size_t bytes)
{
    ob_pattern p;
    ob_pattern_send_out(&p, c->topology, c->branches, c->members, 0, me);
    script_outward(s, &p, bytes);
}

static void script_gather(obb_script *s, const obb_model_call *c, int root, int me, size_t bytes)
{
    ob_pattern p;
    ob_edge edge;
    ob_pattern_combine(&p, c->topology, c->branches, c->members, root, me);
    while (ob_pattern_next(&p, &edge))
        merge_bytes(s, c, edge.peer, bytes);
    if (ob_pattern_parent(&p, &edge))
        send_bytes(s, edge.peer, bytes);
}

static void script_exchange(obb_script *s, const obb_model_call *c, int me, size_t bytes)
{
    ob_partners e = ob_partners_open(c->members, me);
    if (e.beyond) {
        send_bytes(s, e.folded, bytes);
        receive_bytes(s, e.folded, bytes);
        return;
    }
    if (e.folded != OB_ANY)
        merge_bytes(s, c, e.folded, bytes);
    for (int round = 0; round < e.rounds; round++) {
        send_bytes(s, ob_partners_partner(&e, round), bytes);
        merge_bytes(s, c, ob_partners_partner(&e, round), bytes);
    }
    if (e.folded != OB_ANY)
        send_bytes(s, e.folded, bytes);
}

/* One chunk of the vector. */
static void script_chunk(obb_script *s, const obb_model_call *c, int me, size_t bytes)
{
    if (c->method == OB_METHOD_EXCHANGE) {
        script_exchange(s, c, me, bytes);
    } else if (c->root != OB_ANY) {
        script_gather(s, c, c->root, me, bytes);
    } else {
        script_gather(s, c, 0, me, bytes);
        script_send_out(s, c, me, bytes);
    }
}

static void script_combine(obb_script *s, const obb_model_call *c, int me)
{
    size_t most = c->slice, chunks = most && c->bytes > most ? (c->bytes + most - 1) / most : 1;
    for (size_t k = 0; k < chunks; k++)
        script_chunk(s, c, me, c->bytes / chunks + (k < c->bytes % chunks));
}

static void script_barrier(obb_script *s, int size, int me)
{
    for (int round = 0; round < ob_dissemination_rounds(size); round++) {
        send_bytes(s, ob_dissemination_to(size, me, round), 0);
        receive_bytes(s, ob_dissemination_from(size, me, round), 0);
    }
}

static void script_call(obb_script *s, const obb_model_call *c, int me)
{
    if (c->kind == OB_WORK_BARRIER)
        script_barrier(s, c->members, me);
    else if (c->kind == OB_WORK_COMBINE)
        script_combine(s, c, me);
    else
        script_broadcast(s, c, me);
}

/* --------------------------------------------------------------------- running */

static void free_scripts(obb_script *scripts, int members)
{
    for (int i = 0; scripts && i < members; i++)
        free(scripts[i].step);
    free(scripts);
}

static obb_script *make_scripts(const obb_model_call *c, bool barriers)
{
    obb_script *scripts = calloc((size_t)c->members, sizeof *scripts);
    for (int i = 0; scripts && i < c->members; i++) {
        if (barriers)
            obb_script_add(&scripts[i], OB_DO_BARRIER, 0, 0);
        obb_script_add(&scripts[i], OB_DO_MARK, 0, 0);
        for (int k = 0; k < c->repeated; k++) {
            obb_script_add(&scripts[i], OB_DO_CALL, 0, c->kind == OB_WORK_COMBINE);
            script_call(&scripts[i], c, i);
        }
        obb_script_add(&scripts[i], OB_DO_MARK, 0, 0);
    }
    return scripts;
}

/* Each member's own matrix, and once more on its way. */
static size_t footprint(const obb_model_call *c)
{
    return 2 * c->bytes * (size_t)c->members;
}

static int check_call(const obb_model_call *c)
{
    bool all = c->kind == OB_WORK_COMBINE && c->root == OB_ANY;
    if (c->members < 1 || c->members > 1 << 20)
        return OB_EARG;
    if (c->kind != OB_WORK_BARRIER && !all && (c->root < 0 || c->root >= c->members))
        return OB_EARG;
    if (c->repeated < 1 || c->repeated > 1000)
        return OB_EARG;
    return OB_OK;
}

static void summarize(const obb_model_call *c, int orders, const double *elapsed, obb_times *times)
{
    double root[KEPT], min[KEPT], max[KEPT], mean[KEPT];
    int p = c->members, r0 = c->root == OB_ANY ? 0 : c->root, kept = 0;
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
    *times = (obb_times){.root = obb_median(root, kept) / c->repeated,
                         .min = obb_median(min, kept) / c->repeated,
                         .max = obb_median(max, kept) / c->repeated,
                         .mean = obb_median(mean, kept) / c->repeated};
}

/* `orders` times `rounds` rounds behind one another. */
static int run(const ob_profile *profile, const obb_model_call *c, int orders, int rounds,
               double **elapsed)
{
    int status = check_call(c);
    if (status)
        return status;
    size_t each = (size_t)rounds * (size_t)c->members;
    obb_script *scripts = make_scripts(c, rounds > 1);
    *elapsed = calloc((size_t)orders * each, sizeof **elapsed);
    if (scripts == NULL || *elapsed == NULL)
        status = OB_ENOMEM;
    for (int k = 0; k < orders && status == OB_OK; k++)
        status = obb_simulate(profile, c->members, scripts, rounds, footprint(c), (unsigned)k,
                              *elapsed + (size_t)k * each);
    free_scripts(scripts, c->members);
    if (status) {
        free(*elapsed);
        *elapsed = NULL;
    }
    return status;
}

int obb_model_times(const ob_profile *profile, const obb_model_call *call, obb_times *times)
{
    double *elapsed;
    int orders = call->members > profile->processors ? ORDERS : 1;
    int status = run(profile, call, orders, ROUNDS, &elapsed);
    if (status)
        return status;
    summarize(call, orders, elapsed, times);
    free(elapsed);
    return OB_OK;
}

double obb_model_slowest(const ob_profile *profile, const obb_model_call *call)
{
    double *elapsed, most = 0;
    if (run(profile, call, 1, 1, &elapsed))
        return -1;
    for (int i = 0; i < call->members; i++)
        most = elapsed[i] > most ? elapsed[i] : most;
    free(elapsed);
    return most;
}

/* ------------------------------------------------------------ the public calls */

int obb_predict(const ob_profile *profile, const obb_work *work, obb_times *times)
{
    if (!ob_topology_sound(&work->route))
        return OB_EARG;
    obb_model_call c = {.kind = work->kind,
                        .topology = work->route.topology,
                        .branches = work->route.branches,
                        .members = work->members,
                        .root = work->root,
                        .bytes = work->bytes,
                        .slice = OB_SLICE_BYTES,
                        .repeated = work->repeated > 0 ? work->repeated : 1};
    if (c.topology == OB_TOP_BEST) {
        c.topology = OB_TOP_TREE;
        c.branches = 1;
    }
    if (c.kind == OB_WORK_COMBINE && c.root == OB_ANY && c.topology == OB_TOP_HYPERCUBE &&
        !work->route.coherent)
        c.method = OB_METHOD_EXCHANGE;
    return obb_model_times(profile, &c, times);
}
