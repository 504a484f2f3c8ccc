/*
 * The algorithms as scripts for the simulation: each function here mirrors one file of
 * collective/topology, step by step.
 */
#include "predict/model.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "collective/topology/partners.h"
#include "collective/topology/pattern.h"
#include "collective/topology/combine.h"
#include "core/error.h"
#include "collective/planner/profile.h"

/* Of ob_model_times: orders in which waiting members get a shared processor, and rounds in
 * each. The first bring the members out of step; in the last, those that are done leave the others alone. */
enum { ORDERS = 8, ROUNDS = 8, WARM_UP = 3, LAST = 1, KEPT = ORDERS * (ROUNDS - WARM_UP - LAST) };

/* ------------------------------------------------------------------- scripts */

static void send_bytes(ob_script *s, int peer, size_t bytes)
{
    ob_script_add(s, OB_DO_SEND, peer, bytes);
}

static void receive_bytes(ob_script *s, int peer, size_t bytes)
{
    ob_script_add(s, OB_DO_RECEIVE, peer, bytes);
}

static void merge_bytes(ob_script *s, const ob_model_call *c, int peer, size_t bytes)
{
    receive_bytes(s, peer, bytes);
    ob_script_work(s, bytes, c->bytes);
}

static void script_broadcast(ob_script *s, ob_topology topology, int branches, int size, int root,
                             int me, size_t bytes)
{
    ob_pattern p;
    ob_edge edge;
    ob_pattern_broadcast(&p, topology, branches, size, root, me);
    if (ob_pattern_parent(&p, &edge))
        receive_bytes(s, edge.peer, bytes);
    while (ob_pattern_next(&p, &edge))
        send_bytes(s, edge.peer, bytes);
}

static void script_gather(ob_script *s, const ob_model_call *c, int root, int me, size_t bytes)
{
    ob_pattern p;
    ob_edge edge;
    ob_pattern_combine(&p, c->topology, c->branches, c->members, root, me);
    while (ob_pattern_next(&p, &edge))
        merge_bytes(s, c, edge.peer, bytes);
    if (ob_pattern_parent(&p, &edge))
        send_bytes(s, edge.peer, bytes);
}

/* As send_out of combine_pattern.c: rings go out along rings, all else along the
 * tree with one branch. */
static void script_send_out(ob_script *s, const ob_model_call *c, int me, size_t bytes)
{
    switch (c->topology) {
    case OB_TOP_SPLIT_RING:
        script_broadcast(s, OB_TOP_MULTIRING, 2, c->members, 0, me, bytes);
        break;
    case OB_TOP_FULL:
    case OB_TOP_TREE:
    case OB_TOP_HYPERCUBE:
        script_broadcast(s, OB_TOP_TREE, 1, c->members, 0, me, bytes);
        break;
    default:
        script_broadcast(s, c->topology, c->branches, c->members, 0, me, bytes);
    }
}

static void script_exchange(ob_script *s, const ob_model_call *c, int me, size_t bytes)
{
    ob_exchange e = ob_exchange_open(c->members, me);
    if (e.beyond) {
        send_bytes(s, e.folded, bytes);
        receive_bytes(s, e.folded, bytes);
        return;
    }
    if (e.folded != OB_ANY)
        merge_bytes(s, c, e.folded, bytes);
    for (int round = 0; round < e.rounds; round++) {
        send_bytes(s, ob_exchange_partner(&e, round), bytes);
        merge_bytes(s, c, ob_exchange_partner(&e, round), bytes);
    }
    if (e.folded != OB_ANY)
        send_bytes(s, e.folded, bytes);
}

/* One chunk of the vector. */
static void script_chunk(ob_script *s, const ob_model_call *c, int me, size_t bytes)
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

static void script_combine(ob_script *s, const ob_model_call *c, int me)
{
    size_t most = c->slice, chunks = most && c->bytes > most ? (c->bytes + most - 1) / most : 1;
    for (size_t k = 0; k < chunks; k++)
        script_chunk(s, c, me, c->bytes / chunks + (k < c->bytes % chunks));
}

static void script_barrier(ob_script *s, int size, int me)
{
    for (int round = 0; round < ob_dissemination_rounds(size); round++) {
        send_bytes(s, ob_dissemination_to(size, me, round), 0);
        receive_bytes(s, ob_dissemination_from(size, me, round), 0);
    }
}

static void script_call(ob_script *s, const ob_model_call *c, int me)
{
    if (c->kind == OB_WORK_BARRIER)
        script_barrier(s, c->members, me);
    else if (c->kind == OB_WORK_COMBINE)
        script_combine(s, c, me);
    else
        script_broadcast(s, c->topology, c->branches, c->members, c->root, me, c->bytes);
}

/* --------------------------------------------------------------------- running */

static void free_scripts(ob_script *scripts, int members)
{
    for (int i = 0; scripts && i < members; i++)
        free(scripts[i].step);
    free(scripts);
}

static ob_script *make_scripts(const ob_model_call *c, bool barriers)
{
    ob_script *scripts = calloc((size_t)c->members, sizeof *scripts);
    for (int i = 0; scripts && i < c->members; i++) {
        if (barriers)
            ob_script_add(&scripts[i], OB_DO_BARRIER, 0, 0);
        ob_script_add(&scripts[i], OB_DO_MARK, 0, 0);
        for (int k = 0; k < c->repeated; k++) {
            ob_script_add(&scripts[i], OB_DO_CALL, 0, c->kind == OB_WORK_COMBINE);
            script_call(&scripts[i], c, i);
        }
        ob_script_add(&scripts[i], OB_DO_MARK, 0, 0);
    }
    return scripts;
}

/* Each member's own matrix, and once more on its way. */
static size_t footprint(const ob_model_call *c)
{
    return 2 * c->bytes * (size_t)c->members;
}

static int check_call(const ob_model_call *c)
{
    bool all = c->kind == OB_WORK_COMBINE && c->root == OB_ANY;
    if (c->members < 1 || c->members > 1 << 20)
        return ob_fail(OB_EARG, "a call of %d members cannot be predicted", c->members);
    if (c->kind != OB_WORK_BARRIER && !all && (c->root < 0 || c->root >= c->members))
        return ob_fail(OB_EARG, "root %d of a call of %d members is none of them", c->root,
                       c->members);
    if (c->repeated < 1 || c->repeated > 1000)
        return ob_fail(OB_EARG, "%d calls in a row cannot be predicted; 1 to 1000 can", c->repeated);
    return OB_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void summarize(const ob_model_call *c, int orders, const double *elapsed, ob_times *times)
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
    *times = (ob_times){.root = middle(root, kept) / c->repeated,
                        .min = middle(min, kept) / c->repeated,
                        .max = middle(max, kept) / c->repeated,
                        .mean = middle(mean, kept) / c->repeated};
}

/* `orders` times `rounds` rounds behind one another. */
static int run(const ob_profile *profile, const ob_model_call *c, int orders, int rounds,
               double **elapsed)
{
    int status = check_call(c);
    if (status)
        return status;
    size_t each = (size_t)rounds * (size_t)c->members;
    ob_script *scripts = make_scripts(c, rounds > 1);
    *elapsed = calloc((size_t)orders * each, sizeof **elapsed);
    if (scripts == NULL || *elapsed == NULL)
        status = ob_fail(OB_ENOMEM, "no memory to predict a call of %d members", c->members);
    for (int k = 0; k < orders && status == OB_OK; k++)
        status = ob_simulate(profile, c->members, scripts, rounds, footprint(c), (unsigned)k,
                             *elapsed + (size_t)k * each);
    free_scripts(scripts, c->members);
    if (status) {
        free(*elapsed);
        *elapsed = NULL;
    }
    return status;
}

int ob_model_times(const ob_profile *profile, const ob_model_call *call, ob_times *times)
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

double ob_model_slowest(const ob_profile *profile, const ob_model_call *call)
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

static int check_route(const ob_route *r)
{
    if ((unsigned)r->topology > OB_TOP_TREE)
        return ob_fail(OB_EARG, "topology %d is none", (int)r->topology);
    if (r->topology == OB_TOP_TREE && r->branches < 1)
        return ob_fail(OB_EARG, "a tree with %d branches is none", r->branches);
    if (r->topology == OB_TOP_MULTIRING && r->branches == 0)
        return ob_fail(OB_EARG, "0 rings are none");
    return OB_OK;
}

int ob_predict(const ob_profile *profile, const ob_work *work, ob_times *times)
{
    int status = check_route(&work->route);
    if (status)
        return status;
    ob_model_call c = {.kind = work->kind,
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
    return ob_model_times(profile, &c, times);
}

int ob_combine_local(ob_op op, ob_type type, size_t n, void *acc, const void *in)
{
    ob_kernel kernel = (unsigned)op <= OB_MIN ? ob_kernel_find(op, type, 0) : NULL;
    if (kernel == NULL)
        return ob_fail(OB_EARG, "ob_combine_local: operation %d of type %d is none", (int)op,
                       (int)type);
    kernel(n, acc, NULL, in, NULL);
    return OB_OK;
}

/* FNV-1a over the text, which is the same on all machines. */
uint64_t ob_profile_fingerprint(const ob_profile *profile)
{
    char text[OB_PROFILE_TEXT];
    ob_profile p = *profile;
    uint64_t hash = 14695981039346656037u;
    strcpy(p.host, "any");
    size_t count = ob_profile_format(&p, text);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}
