/*
 * The profile of what was measured.
 */
#include "profile.h"

#include <limits.h>
#include <string.h>

#include "fit.h"

static void set_host(ob_profile *p)
{
    char path[PATH_MAX];
    if (ob_profile_path(path, sizeof path) == 0)
        return;
    /* The file's name, without .profile, is the host's. */
    char *name = strrchr(path, '/'), *dot;
    name = name ? name + 1 : path;
    dot = strstr(name, ".profile");
    if (dot && dot[8] == '\0' && dot != name && dot - name < (long)sizeof p->host) {
        *dot = '\0';
        strcpy(p->host, name);
        if (ob_profile_check(p))
            strcpy(p->host, "host");
    }
}

/* A profile that calls built-in numbers measured would be believed. */
static void tell_missing(const obb_files *files, unsigned fitted)
{
    char names[64] = "";
    for (int q = 0; q < OB_QUANTITIES; q++)
        if (!(fitted & 1u << q)) {
            strcat(names, *names ? ", " : "");
            strcat(names, ob_quantity_name((ob_quantity)q));
        }
    if (*names && files->profile)
        obb_die("OB-9608 %s: not measured, so no profile is written; it takes a job of two "
                "processes or "
                "more (--no-write fits what there is)",
                names);
    if (*names)
        obb_warn("OB-9608 %s: not measured; the built-in numbers stand for them", names);
}

void obb_make_profile(const obb_files *files, const obb_results *r, double seconds, ob_profile *p)
{
    tell_missing(files, obb_fit_curves(&r->records, p));
    double off = obb_fit_waiting(&r->records, p, seconds, obb_show_fit);
    obb_wipe_bar();
    for (int i = 0; i < r->bsp_count; i++)
        if (p->bsp_processes == 0) {
            p->bsp_processes = r->bsp[i].p;
            p->bsp_s = r->bsp[i].s;
            p->bsp_g = r->bsp[i].g;
            p->bsp_l = r->bsp[i].l;
        }
    set_host(p);
    if (off < 0)
        obb_warn(
            "OB-9608 no broadcasts and combines were measured: what waiting costs is not fitted");
    if (files->profile == NULL)
        return;
    if (ob_profile_write(files->profile, p))
        obb_die("%s", ob_error_text());
    fprintf(stderr, "obbench: the profile is %s\n", files->profile);
}
