/*
 * One wrong program, by name; tests/run/bsp.sh compares the line it prints.
 */
#include <bsp_level1.h>
#include <openblacs/core.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int x[4], y[4], z;
static double big;

static void give_up(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bsp_vabort(format, args);
}

static void nothing(void)
{
}

static void only_begins(void)
{
    bsp_begin(8);
}

static void wrong(const char *what, int me, int p)
{
    int tag = me ? 8 : 4, negative = -1;
#define WHEN(name, call)                                                                           \
    if (strcmp(what, name) == 0)                                                                   \
        call;
    WHEN("pid", bsp_put(p, x, x, 0, 4))
    WHEN("negative-pid", bsp_send(-1, NULL, NULL, 0))
    WHEN("unregistered", bsp_put(0, y, y, 0, 4))
    WHEN("too-soon", (bsp_push_reg(y, sizeof y), bsp_get(0, y, 0, &z, 4)))
    WHEN("inside", bsp_put(0, y, x + 1, 0, 4))
    WHEN("popped", (bsp_pop_reg(x), bsp_sync(), bsp_put(0, y, x, 0, 4)))
    WHEN("null", bsp_put(0, NULL, x, 0, 4))
    WHEN("length", bsp_hpput(0, y, x, 0, (size_t)-4))
    WHEN("offset", bsp_get(0, x, (size_t)-8, y, 4))
    WHEN("put-beyond", if (me == 1) bsp_put(0, y, x, 12, 8))
    WHEN("word-beyond", for (int i = 0; me == 1 && i < 40; i++) bsp_put(0, &big, x,
                                                                        (size_t)(i % 2    ? 0
                                                                                 : i < 38 ? 4
                                                                                          : 9),
                                                                        8))
    WHEN("long-put-beyond", if (me == 1) bsp_put(0, malloc(70000), x, 0, 70000))
    WHEN("get-beyond", if (me == 0) bsp_get(1, x, 16, y, 4))
    WHEN("hpput-own", bsp_hpput(me, y, x, 8, 16))
    WHEN("null-target", (bsp_push_reg(me ? NULL : y, me ? 0 : 16), bsp_sync(),
                         me ? (void)0 : bsp_put(1, x, y, 0, 4)))
    int *here = me ? NULL : y, *there = me ? y : NULL;
    WHEN("null-source", (bsp_push_reg(here, 16), bsp_sync(), me ? (void)0 : bsp_get(1, y, 0, x, 4)))
    WHEN("put-null", (bsp_push_reg(here, 16), bsp_sync(), bsp_put(0, x, here, 0, 4)))
    WHEN("get-null", (bsp_push_reg(here, 16), bsp_sync(), bsp_get(0, here, 0, x, 4)))
    WHEN("pop-null-none", bsp_pop_reg(me ? NULL : x))
    WHEN("pop-null-twice",
         (bsp_push_reg(NULL, 0), bsp_sync(), bsp_pop_reg(NULL), bsp_pop_reg(NULL)))
    WHEN("pop-null-again", (bsp_push_reg(NULL, 0), bsp_sync(), bsp_pop_reg(NULL), bsp_sync(),
                            bsp_pop_reg(NULL), exit(3)))
    WHEN("pop-null-of-x", (bsp_push_reg(here, 16), bsp_sync(), bsp_pop_reg(me ? NULL : x)))
    WHEN("pop-null-nowhere",
         (bsp_push_reg(here, 16), bsp_push_reg(there, 16), bsp_sync(), bsp_pop_reg(NULL)))
    WHEN("pop-other-beside-null", (bsp_push_reg(y, 16), bsp_push_reg(NULL, 0), bsp_sync(),
                                   bsp_pop_reg(NULL), bsp_pop_reg(me ? x : y)))
    WHEN("tag-size-beside-null",
         (bsp_push_reg(NULL, 0), bsp_sync(), bsp_pop_reg(NULL), bsp_set_tagsize(&tag)))
    WHEN("push-size", bsp_push_reg(y, (size_t)-1))
    WHEN("push-alone", if (me) bsp_push_reg(y, sizeof y))
    WHEN("pop-none", bsp_pop_reg(y))
    WHEN("pop-twice", (bsp_pop_reg(x), bsp_pop_reg(x)))
    WHEN("pop-other", (bsp_push_reg(y, 4), bsp_sync(), bsp_pop_reg(me ? x : y)))
    WHEN("tag-size", bsp_set_tagsize(&tag))
    WHEN("tag-negative", bsp_set_tagsize(&negative))
    WHEN("tag-size-null", bsp_set_tagsize(NULL))
    WHEN("tag-null", (tag = 4, bsp_set_tagsize(&tag), bsp_sync(), bsp_send(0, NULL, x, 4)))
    WHEN("payload-null", bsp_send(0, NULL, NULL, 4))
    WHEN("payload", bsp_send(0, NULL, x, (size_t)1 << 31))
    WHEN("move", bsp_move(x, 4))
    WHEN("move-null", (bsp_send(me, NULL, x, 4), bsp_sync(), bsp_move(NULL, 4)))
    WHEN("hpmove-null", (void)bsp_hpmove(NULL, NULL))
    WHEN("status-null", bsp_get_tag(NULL, NULL))
    WHEN("tag-to-null", (tag = 4, bsp_set_tagsize(&tag), bsp_sync(), bsp_send(me, x, x, 4),
                         bsp_sync(), bsp_get_tag(&tag, NULL)))
    WHEN("end", if (me) bsp_end())
    WHEN("begin", bsp_begin(2))
    WHEN("leave", if (me) exit(0))
    WHEN("leave-all", exit(0))
    WHEN("level1-root", bsp_bcast(p, x, y, 4))
    WHEN("level1-operator", bsp_fold(NULL, x, y, 4))
    WHEN("level1-differs", (void)(me ? bsp_sumI(1) : bsp_sumI_prefix(1)))
    WHEN("together", (ob_together_begin(), bsp_sync()))
    WHEN("together-bcast", (ob_together_begin(), bsp_bcast(0, x, y, 4)))
    WHEN("direct-beyond", bsp_direct_get(1 - me, x, 12, y, 8))
    WHEN("vabort", if (me) give_up("stopped by %d of %d\n", me, p))
    WHEN("abort", if (me) bsp_abort("stopped by %d of %d\n", me, p))
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    WHEN("before", bsp_sync())
    WHEN("time", (void)bsp_time())
    WHEN("none", bsp_begin(0))
    WHEN("together-begin", (ob_together_begin(), bsp_begin(2)))
    WHEN("init-null", bsp_init(NULL, argc, argv))
    WHEN("init-twice", (bsp_init(nothing, argc, argv), bsp_init(nothing, argc, argv)))
    WHEN("no-end", (bsp_init(only_begins, argc, argv), only_begins(), bsp_sync()))
    bsp_begin(8);
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    wrong(what, bsp_pid(), bsp_nprocs());
    bsp_sync();
    bsp_end();
    WHEN("after", bsp_sync())
    WHEN("init-after", bsp_init(nothing, argc, argv))
    return 0;
}
