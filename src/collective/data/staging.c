#include "collective/data/staging.h"

#include "core/error.h"

void ob_staging_open(ob_staging *s, const ob_group *g, const ob_view *matrix, int *owner,
                     size_t ld_owner, int base, bool distances)
{
    s->me = g->me;
    s->size = g->size;
    s->base = base;
    s->distances = distances;
    ob_cursor_open(&s->in, matrix);
    ob_cursor_open(&s->out, matrix);
    s->owner_view = *matrix;
    s->owner_view.base = owner;
    s->owner_view.ld = ld_owner;
    s->owner_view.type = OB_INT;
    if (owner) {
        ob_cursor_open(&s->owner_in, &s->owner_view);
        ob_cursor_open(&s->owner_out, &s->owner_view);
    }
}

void ob_staging_pack(ob_staging *s, void *values, size_t esize, int32_t *owners, size_t count)
{
    int32_t distance = s->me >= s->base ? s->me - s->base : s->me - s->base + s->size;
    if (count == 0)
        return;
    ob_cursor_pack(&s->in, values, count * esize);
    if (owners && s->distances)
        ob_cursor_pack(&s->owner_in, owners, count * sizeof *owners);
    for (size_t k = 0; owners && !s->distances && k < count; k++)
        owners[k] = distance;
}

void ob_staging_unpack(ob_staging *s, const void *values, size_t esize, int32_t *owners,
                       size_t count)
{
    int32_t base = s->base, size = s->size;
    if (count == 0)
        return;
    ob_cursor_unpack(&s->out, values, count * esize);
    if (owners == NULL)
        return;
    for (size_t k = 0; base && !s->distances && k < count; k++)
        owners[k] = owners[k] < size - base ? owners[k] + base : owners[k] + base - size;
    ob_cursor_unpack(&s->owner_out, owners, count * sizeof *owners);
}

int ob_staging_no_memory(const ob_group *g, size_t bytes)
{
    return ob_fail(
        OB_ENOMEM,
        "OB-4011 a collective: process %d of %d has no memory for %zu bytes of intermediate "
        "results; free memory or communicate a smaller matrix at a time",
        g->me, g->size, bytes);
}
