/*
 * blacs_get and blacs_set, message ids, times, freebuff, setup. The warnings
 * of refused values are compared word by word in bad_input.sh.
 */
#include "harness.h"

static int get(int context, int what)
{
    int val[2] = {-12345, -12345};
    Cblacs_get(context, what, val);
    return val[0];
}

static void values(int context)
{
    static const int start[] = {1, 1, 1, 1, 0, 0}, next[] = {3, 2, -4, 5, 1, 7};
    for (int k = 0; k < 6; k++) {
        check(get(context, 11 + k) == start[k], "what %d is %d at the start", 11 + k,
              get(context, 11 + k));
        Cblacs_set(context, 11 + k, &next[k]);
        check(get(context, 11 + k) == next[k], "what %d is %d after set", 11 + k,
              get(context, 11 + k));
    }
    for (int k = 0; k < 6; k++)
        check(get(context, 11 + k) == next[k], "what %d is %d in the end", 11 + k,
              get(context, 11 + k));
}

/* Settings belong to a context. */
static void apart(int context)
{
    int other = make_grid(1, world.count);
    check(get(other, 12) == 1 && get(context, 12) == 2, "settings of two grids");
    Cblacs_gridexit(other);
}

static void fortran_form(int context)
{
    int what = 14, val = 9, got = 0;
    blacs_set_(&context, &what, &val);
    blacs_get_(&context, &what, &got);
    check(got == 9, "blacs_get_ gives %d", got);
}

static void job_values(void)
{
    int ids[2] = {-1, -1}, me = -1, count = -1;
    Cblacs_get(-1, 1, ids);
    check(ids[0] == 0 && ids[1] >= 32767, "message ids %d .. %d", ids[0], ids[1]);
    check(get(-1, 2) == 0, "debug level %d", get(-1, 2));
    check(get(-1, 0) == get(77, 0), "the system context does not depend on the context");
    Cblacs_setup(&me, &count);
    check(me == world.me && count == world.count, "blacs_setup gives %d of %d", me, count);
    blacs_setup_(&me, &count);
    blacs_pinfo_(&me, &count);
    check(me == world.me && count == world.count, "blacs_pinfo_ gives %d of %d", me, count);
}

static void ids(int context)
{
    int range[2], zero = 0;
    Cblacs_get(-1, 1, range);
    int id[] = {Cksendid(context, 0, 0),
                Ckrecvid(context, 0, 0),
                Ckbsid(context, "r"),
                Ckbrid(context, "Column", 0, 0),
                Ckbsid(context, "all"),
                ksendid_(&context, &zero, &zero),
                krecvid_(&context, &zero, &zero),
                kbsid_(&context, "R"),
                kbrid_(&context, "A", &zero, &zero)};
    for (size_t k = 0; k < sizeof id / sizeof *id; k++)
        check(id[k] >= range[0] && id[k] <= range[1], "id %zu is %d", k, id[k]);
    check(id[0] == id[1] && Ckbsid(context, "c") == id[3], "both ends have the same id");
}

static void times(void)
{
    volatile double sink = 0;
    double wall = Cdwalltime00(), cpu = Cdcputime00();
    while (Cdwalltime00() - wall < 0.02)
        sink = sink + 1;
    double spent = dwalltime00_() - wall, used = dcputime00_() - cpu;
    check(spent >= 0.02 && spent < 60, "0.02 s of wall time took %g", spent);
    check(used > 0 && used < spent * 1.5 + 0.01, "of them %g s of processor time", used);
}

int main(void)
{
    begin();
    int context = make_grid(1, world.count);
    values(context);
    apart(context);
    fortran_form(context);
    job_values();
    ids(context);
    times();
    Cblacs_freebuff(context, 1);
    Cblacs_freebuff(-1, 0);
    Cblacs_gridexit(context);
    return finish();
}
