/*
 * Names and call sites of the library's own trace file.
 */
#include "native.h"

#include <string.h>

#include "hooks/hash.h"

enum { LABEL = 160 };

static void add(obt_numbers *n, size_t index)
{
    n->at = obt_grow(n->at, n->count, &n->room, sizeof *n->at);
    n->at[n->count++] = index;
}

const char *obt_native_text(const obt_trace *t, const obt_numbers *names, uint32_t number)
{
    return number && number <= names->count ? t->texts[names->at[number - 1]] : "";
}

int64_t obt_native_site(const obt_numbers *sites, uint32_t number)
{
    return number && number <= sites->count ? (int64_t)sites->at[number - 1] : -1;
}

void obt_native_names(obt_trace *t, obt_numbers *names, const ob_trace_chunk *c, const char *p,
                      size_t bytes)
{
    const char *end = p + bytes;
    for (uint32_t i = 0; i < c->count && p < end; i++) {
        const char *stop = memchr(p, '\0', (size_t)(end - p));
        if (!stop)
            stop = end;
        add(names, obt_text(t, p, (size_t)(stop - p)));
        p = stop < end ? stop + 1 : end;
    }
}

static size_t site_of(obt_trace *t, obt_map *known, const char *label)
{
    uint64_t h = ob_hash_bytes(OB_HASH, label, strlen(label));
    size_t found = obt_map_take(known, (int64_t)h, t->site_count);
    if (found == t->site_count) {
        t->sites = obt_grow(t->sites, found, &t->site_room, sizeof *t->sites);
        t->sites[t->site_count++] = obt_keep(t, label, strlen(label));
    }
    return found;
}

/* "solve+0x10": a function, or else a file, and where in it. */
static void label_place(const char *function, const char *file, uint64_t offset, char label[LABEL])
{
    const char *slash = strrchr(file, '/'), *where = *function ? function
                                                     : slash   ? slash + 1
                                                               : file;
    snprintf(label, LABEL, "%.128s+0x%llx", *where ? where : "?", (unsigned long long)offset);
}

void obt_native_sites(obt_trace *t, obt_map *known, const obt_numbers *names, obt_numbers *sites,
                      const ob_trace_chunk *c, const char *p, size_t bytes)
{
    for (uint32_t i = 0; i < c->count && (i + 1) * sizeof(ob_trace_site) <= bytes; i++) {
        ob_trace_site s;
        char label[LABEL];
        memcpy(&s, p + i * sizeof s, sizeof s);
        label_place(obt_native_text(t, names, s.function), obt_native_text(t, names, s.object),
                    s.offset, label);
        add(sites, site_of(t, known, label));
    }
}

void obt_native_origins(obt_trace *t, obt_map *known, const obt_numbers *names, obt_numbers *sites,
                        const ob_trace_chunk *c, const char *p, size_t bytes)
{
    for (uint32_t i = 0;
         i < c->count && i < sites->count && (i + 1) * sizeof(ob_trace_origin) <= bytes; i++) {
        ob_trace_origin o;
        char caller[LABEL], label[2 * LABEL + 32];
        memcpy(&o, p + i * sizeof o, sizeof o);
        const char *routine = obt_native_text(t, names, o.routine);
        if (o.direct || *routine == 0)
            routine = t->sites[sites->at[i]];
        label_place(obt_native_text(t, names, o.caller), obt_native_text(t, names, o.object),
                    o.offset, caller);
        if (o.object)
            snprintf(label, sizeof label, "%s called from %s", routine, caller);
        else
            snprintf(label, sizeof label, "%s", routine);
        sites->at[i] = site_of(t, known, label);
    }
}

const char *obt_native_kind_name(int kind)
{
    static const char *const kinds[] = {"call",
                                        "send",
                                        "receive",
                                        "post receive",
                                        "probe",
                                        "broadcast",
                                        "combine",
                                        "scatter",
                                        "gather",
                                        "collect",
                                        "distributed combine",
                                        "barrier",
                                        "make a group",
                                        "wait",
                                        "exchange",
                                        "passed on"};
    return kinds[kind < (int)(sizeof kinds / sizeof *kinds) ? kind : 0];
}
