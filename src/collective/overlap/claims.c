/*
 * Claims are kept for the job's next calls. Others may look at some for a call that has failed, so
 * their memory is never given back.
 */
#include "collective/overlap/claims.h"

#include <string.h>

/* Acquire, in both: what they have looked at comes first. */
static bool is_over(const ob_claims_user *u, int lender)
{
    return ob_gate_ended(u->gate, lender, u->call) || u->peer->transport->gone(u->peer);
}

static bool is_free(ob_claims_memory *m)
{
    while (m->users && is_over(&m->user[m->users - 1], 0))
        m->users--;
    return m->users == 0;
}

static ob_claims_memory *lend(ob_group *g, unsigned chunks)
{
    ob_claims_memory *m;
    size_t seats = (size_t)g->size, bytes = sizeof *m + chunks * sizeof m->word[0];
    uint64_t name;
    m = ob_group_lend_now(g, bytes + seats * sizeof *m->user, 1, &name);
    if (m == NULL)
        return NULL;
    memset(m, 0, bytes);
    m->name = name;
    m->room = chunks;
    m->seats = g->size;
    m->user = (ob_claims_user *)(void *)((char *)m + bytes);
    return m;
}

ob_claims_memory *ob_claims_lend(ob_group *g, unsigned chunks, uint64_t *name, ob_claims *claims)
{
    ob_claims_memory **at = &g->job->claims, *m;
    while (*at && ((*at)->room < chunks || (*at)->seats < g->size || !is_free(*at)))
        at = &(*at)->next;
    m = *at;
    if (m)
        *at = m->next;
    else
        m = lend(g, chunks);
    if (m == NULL)
        return NULL;
    *name = m->name;
    *claims = ob_claims_of(m, chunks, ++m->call);
    ob_claims_open(claims);
    return m;
}

void ob_claims_leave(ob_job *job, ob_claims_memory *m)
{
    m->next = job->claims;
    job->claims = m;
}
