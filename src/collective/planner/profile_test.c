/*
 * The machine profile: what is written is read again; whatever else is in a file is
 * refused with a line that says why, and never crashes the reader.
 */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collective/planner/profile.h"
#include "unit.h"

static char folder[] = "/tmp/ob_profile_XXXXXX";

static ob_profile sample(void)
{
    ob_profile p;
    ob_profile_builtin(&p);
    p.origin = OB_MEASURED;
    strcpy(p.host, "node-7.example");
    p.processors = 2;
    p.curve[OB_T_C] =
        (ob_curve){.pieces = 3,
                   .piece = {{0, 0.0875, 1.0 / 3e4}, {4096, -0.125, 2e-5}, {1 << 20, 1e-3, 1e-4}},
                   .spread = 0.0625,
                   .misfit = 0.01};
    p.bsp_processes = 2;
    p.bsp_s = 3500;
    p.bsp_g = 0.002;
    p.bsp_l = 0.75;
    p.native[0][0] = (ob_native_curve){2, {.pieces = 1, .piece = {{0, 25, 2e-3}}}};
    p.native[0][1] =
        (ob_native_curve){8, {.pieces = 2, .piece = {{0, 41.5, 3e-3}, {8192, 60, 1e-3}}}};
    p.native[2][0] = (ob_native_curve){3, {.pieces = 1, .piece = {{0, 33.25, 4e-3}}}};
    return p;
}

static void same(const ob_profile *a, const ob_profile *b)
{
    assert_string_equal(a->host, b->host);
    assert_int_equal(a->processors, b->processors);
    assert_int_equal(a->cache, b->cache);
    for (int q = 0; q < OB_QUANTITIES; q++) {
        assert_int_equal(a->curve[q].pieces, b->curve[q].pieces);
        for (size_t n = 0; n < (size_t)1 << 24; n = 3 * n + 1) {
            double x = ob_curve_at(&a->curve[q], n), y = ob_curve_at(&b->curve[q], n);
            assert_true(fabs(x - y) <= 1e-7 * fabs(x) + 1e-9);
        }
    }
    assert_true(fabs(a->waiting.turn - b->waiting.turn) <= 1e-5 * a->waiting.turn);
    assert_int_equal(a->bsp_processes, b->bsp_processes);
    for (int task = 0; task < OB_NATIVE_TASKS; task++)
        for (int members = 2; members < 10; members++)
            for (size_t n = 0; n < (size_t)1 << 20; n = 9 * n + 1)
                assert_true(ob_profile_native(a, task, members, n) ==
                            ob_profile_native(b, task, members, n));
    assert_true(fabs(a->bsp_g - b->bsp_g) <= 1e-5 * a->bsp_g);
}

static int parse(const char *text, ob_profile *p)
{
    return ob_profile_parse(text, strlen(text), p);
}

/* The sample's text with one thing replaced; the end line still counts right. */
static void text_with(char *out, const char *what, const char *by)
{
    char text[OB_PROFILE_TEXT];
    ob_profile p = sample();
    ob_profile_format(&p, text);
    char *at = strstr(text, what);
    assert_non_null(at);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
}

static void refused(const char *what, const char *by, const char *why)
{
    char text[2 * OB_PROFILE_TEXT];
    ob_profile p = sample(), before = p;
    text_with(text, what, by);
    assert_int_equal(parse(text, &p), OB_EARG);
    if (strstr(ob_error_text(), why) == NULL)
        fail_msg("'%s' for '%s': the line is '%s', should have '%s'", by, what, ob_error_text(),
                 why);
    assert_memory_equal(&p, &before, sizeof p);
}

static void test_curves(void **state)
{
    ob_curve c = {.pieces = 2, .piece = {{0, 2, 0.5}, {100, -20, 1}}};
    assert_true(ob_curve_at(&c, 0) == 2);
    assert_true(ob_curve_at(&c, 99) == 51.5);
    assert_true(ob_curve_at(&c, 100) == 80);
    c.piece[0].alpha = -7;
    assert_true(ob_curve_at(&c, 0) == 0); /* never negative */
    c.pieces = 0;
    assert_true(ob_curve_at(&c, 5) == 0);
    c.pieces = 99;
    assert_true(ob_curve_at(&c, 5) == 0);
    assert_string_equal(ob_quantity_name(OB_T_O), "T_o");
    assert_null(ob_quantity_name((ob_quantity)77));
    assert_null(ob_quantity_name((ob_quantity)-1));
}

static void test_good(void **state)
{
    char text[OB_PROFILE_TEXT], path[128];
    ob_profile p = sample(), q;
    assert_int_equal(ob_profile_check(&p), OB_OK);
    size_t count = ob_profile_format(&p, text);
    assert_int_equal(count, strlen(text));
    assert_int_equal(ob_profile_parse(text, count, &q), OB_OK);
    same(&p, &q);
    ob_profile_builtin(&p);
    assert_int_equal(ob_profile_check(&p), OB_OK);
    snprintf(path, sizeof path, "%s/new/er/x.profile", folder);
    assert_int_equal(ob_profile_write(path, &p), OB_OK);
    assert_int_equal(ob_profile_write(path, &p), OB_OK);
    assert_int_equal(ob_profile_read(path, &q), OB_OK);
    same(&p, &q);
    assert_int_equal(q.origin, OB_MEASURED);
}

static void test_largest_fits(void **state)
{
    char text[OB_PROFILE_TEXT];
    ob_profile p = sample(), q;
    memset(p.host, 'x', sizeof p.host - 1);
    for (int c = 0; c < OB_QUANTITIES; c++) {
        p.curve[c].pieces = OB_PIECES;
        for (int i = 0; i < OB_PIECES; i++)
            p.curve[c].piece[i] =
                (ob_piece){i ? ((size_t)1 << 59) + (size_t)i : 0, 1.23456789e-100, 1.23456789e-100};
    }
    for (int t = 0; t < OB_NATIVE_TASKS; t++)
        for (int k = 0; k < OB_NATIVE_SIZES; k++)
            p.native[t][k] = (ob_native_curve){(1 << 24) - OB_NATIVE_SIZES + k, p.curve[0]};
    assert_int_equal(ob_profile_check(&p), OB_OK);
    size_t count = ob_profile_format(&p, text);
    assert_true(count < OB_PROFILE_TEXT);
    assert_int_equal(ob_profile_parse(text, count, &q), OB_OK);
}

/* A program that speaks German reads and writes the same file. */
static void test_other_languages(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    char text[OB_PROFILE_TEXT], english[OB_PROFILE_TEXT];
    ob_profile p = sample(), q;
    ob_profile_format(&p, english);
    for (int i = 0; i < 3; i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    ob_profile_format(&p, text);
    assert_string_equal(text, english);
    assert_int_equal(parse(text, &q), OB_OK);
    same(&p, &q);
    setlocale(LC_ALL, "C");
}

static void test_versions(void **state)
{
    refused("openblacs-profile 1", "openblacs-profile 2", "another version");
    refused("openblacs-profile 1", "openblacs-profile 0", "another version");
    refused("openblacs-profile 1", "openblacs-profile 1 ", "another version");
    refused("openblacs-profile 1", "openblacs-profile", "another version");
    refused("openblacs-profile 1", "openblacs-prof", "no profile");
    refused("openblacs-profile 1",
            "\x7f"
            "ELF",
            "no profile");
    refused("openblacs-profile 1", "", "no profile");
}

/* However a file is cut, it is refused. */
static void test_truncated(void **state)
{
    char text[OB_PROFILE_TEXT];
    ob_profile p = sample();
    size_t count = ob_profile_format(&p, text);
    for (size_t n = 0; n < count; n++) {
        char *exact = malloc(n + 1); /* a reader beyond the end is seen by valgrind, ASan */
        memcpy(exact, text, n);
        assert_int_equal(ob_profile_parse(exact, n, &p), OB_EARG);
        free(exact);
    }
    refused("end ", "# ", "'end' is missing");
}

static void test_hostile_words(void **state)
{
    refused("processors 2", "processors 0", "not between");
    refused("processors 2", "processors -1", "no whole number");
    refused("processors 2", "processors 2x", "no whole number");
    refused("processors 2", "processors 99999999999999999999999", "no whole number");
    refused("processors 2", "processors 1048577", "not between");
    refused("processors 2", "processors", "takes 1 words");
    refused("processors 2", "processors 2 3", "takes 1 words");
    refused("processors 2", "processors 2\nprocessors 2", "a second");
    refused("processors 2", "# none", "missing");
    refused("waiting turn", "waitin turn", "no entry");
    refused("waiting turn", "waiting nan turn", "takes 2 words");
    refused("waiting turn", "waiting tur", "no cost of waiting");
    refused("waiting turn", "waiting look", "a second");
    refused("waiting turn 1", "waiting turn -1", "not between");
    refused("waiting turn 1", "# none", "missing");
    refused("0.0875", "inf", "no number");
    refused("0.0875", "nan", "no number");
    refused("0.0875", "0x1p3", "no number");
    refused("0.0875", "1e999", "no number");
    refused("0.0875", "1e13", "not between");
    refused("0.0875", "1,5", "no number");
    refused("0.0875", "-", "no number");
    refused("line T_c 4096", "line T_x 4096", "no quantity");
    refused("line T_c 4096", "line T_c 2000000", "growing lengths");
    refused("line T_c 4096", "line T_c 0", "growing lengths");
    refused("line T_c 0", "line T_c 1", "must be from 0");
    refused("-0.125", "-125000", "below 0");
    refused("error T_c", "error T_s", "a second");
    refused("host node-7.example", "host ../../etc", "other letters");
    refused("host node-7.example", "host a\x01z", "plain text");
    refused("host node-7.example", "host a\xffz", "plain text");
    refused("native broadcast 2", "native jump 2", "none of broadcast");
    refused("native broadcast 2", "native scatter 2", "none of broadcast");
    refused("native broadcast 2", "native broadcast 1", "not between");
    refused("native broadcast 2", "native broadcast 9", "grow from one to the next");
    refused("native broadcast 2 0", "native broadcast 2", "takes 5 words");
    refused("native broadcast 2 0", "native broadcast 2 5", "must be from 0");
    refused("native broadcast 8 8192", "native broadcast 8 0", "growing lengths");
    refused("native combine-all 3 0 33.25 0.004", "native combine-all 3 0 33.25 -0.004", "below 0");
    refused("native combine-all 3 0 33.25", "native combine-all 3 0 inf", "no number");
    refused("end ", "end 1", "should stand before");
    refused("host node-7.example",
            "host xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "63 letters");
    refused("host node-7.example", "1 2 3 4 5 6 7 8 9", "more than 8 words");
}

static void test_hostile_sizes(void **state)
{
    ob_profile p;
    char *text = malloc(3 * OB_PROFILE_BYTES);
    memset(text, 'a', 3 * OB_PROFILE_BYTES);
    assert_int_equal(ob_profile_parse(text, 3 * OB_PROFILE_BYTES, &p), OB_EARG);
    assert_int_equal(ob_profile_parse(text, OB_PROFILE_BYTES, &p), OB_EARG);
    memset(text, '\n', OB_PROFILE_BYTES);
    memcpy(text, "openblacs-profile 1\n", 20);
    assert_int_equal(ob_profile_parse(text, OB_PROFILE_BYTES, &p), OB_EARG);
    assert_non_null(strstr(ob_error_text(), "more than 400 lines"));
    memset(text + 20, ' ', 1000);
    assert_int_equal(ob_profile_parse(text, OB_PROFILE_BYTES, &p), OB_EARG);
    assert_int_equal(ob_profile_parse(text, 0, &p), OB_EARG);
    memset(text, 0, 100);
    assert_int_equal(ob_profile_parse(text, 100, &p), OB_EARG);
    free(text);
}

/* Bytes changed at random: refused, or a profile within all bounds. */
static void test_noise(void **state)
{
    char text[OB_PROFILE_TEXT], bytes[OB_PROFILE_TEXT];
    ob_profile p = sample();
    size_t count = ob_profile_format(&p, text);
    uint32_t seed = 12345;
    int taken = 0, tries = 20000;
    for (int i = 0; i < tries; i++) {
        memcpy(bytes, text, count);
        for (int k = 0; k < 1 + i % 4; k++) {
            seed = seed * 1664525 + 1013904223;
            size_t at = (seed >> 8) % count;
            seed = seed * 1664525 + 1013904223;
            bytes[at] = i % 2 ? "0123456789.-e \n"[(seed >> 8) % 15] : (char)(seed >> 24);
        }
        if (ob_profile_parse(bytes, count, &p) != OB_OK)
            continue;
        assert_int_equal(ob_profile_check(&p), OB_OK);
        for (int q = 0; q < OB_QUANTITIES; q++)
            for (size_t n = 0; n < (size_t)1 << 40; n = 5 * n + 1)
                assert_true(ob_curve_at(&p.curve[q], n) >= 0);
        taken++;
    }
    assert_in_range(taken, 1, tries - 1); /* digits of numbers may change; words may not */
}

static void write_file(const char *path, const char *bytes)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(bytes, f);
    fclose(f);
}

static void test_files(void **state)
{
    char path[128];
    ob_profile p = sample(), before = p;
    snprintf(path, sizeof path, "%s/none", folder);
    assert_int_equal(ob_profile_read(path, &p), OB_ESYSTEM);
    assert_int_equal(ob_profile_read(folder, &p), OB_ESYSTEM);
    assert_int_equal(ob_profile_read("/dev/zero", &p), OB_ESYSTEM);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(ob_profile_read(path, &p), OB_ESYSTEM); /* does not hang */
    assert_non_null(strstr(ob_error_text(), "no plain file"));
    unlink(path);
    write_file(path, "garbage\n");
    assert_int_equal(ob_profile_read(path, &p), OB_EARG);
    assert_non_null(strstr(ob_error_text(), path));
    assert_memory_equal(&p, &before, sizeof p);
    assert_int_equal(ob_profile_write("/dev/null/x/y.profile", &p), OB_ESYSTEM);
    p.waiting.turn = -1;
    assert_int_equal(ob_profile_write(path, &p), OB_EARG);
}

static void test_path(void **state)
{
    char path[256], small[8];
    setenv("OPENBLACS_PROFILE", "/a/b", 1);
    assert_int_equal(ob_profile_path(path, sizeof path), 4);
    assert_string_equal(path, "/a/b");
    unsetenv("OPENBLACS_PROFILE");
    setenv("XDG_CACHE_HOME", "/cache", 1);
    setenv("HOME", "/home/x", 1);
    assert_true(ob_profile_path(path, sizeof path) > 0);
    assert_int_equal(strncmp(path, "/cache/openblacs/", 17), 0);
    assert_int_equal(ob_profile_path(small, sizeof small), 0);
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(ob_profile_path(path, sizeof path) > 0);
    assert_int_equal(strncmp(path, "/home/x/.cache/openblacs/", 25), 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_int_equal(ob_profile_path(path, sizeof path), 0);
}

/* What a fresh process uses and says, with OPENBLACS_PROFILE as given. */
static ob_origin fresh_process(const char *profile, char *said, size_t room)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        setenv("HOME", folder, 1);
        setenv("OPENBLACS_PROFILE", profile, 1);
        const ob_profile *p = ob_profile_current();
        _exit(p == ob_profile_current() && ob_profile_check(p) == OB_OK ? (int)p->origin : 99);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t got;
    while (used < room - 1 && (got = read(ends[0], said + used, room - 1 - used)) > 0)
        used += (size_t)got;
    said[used] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    return (ob_origin)WEXITSTATUS(status);
}

static void test_current(void **state)
{
    char path[128], said[1024], text[2 * OB_PROFILE_TEXT];
    ob_profile p = sample();
    snprintf(path, sizeof path, "%s/current.profile", folder);
    assert_int_equal(fresh_process("", said, sizeof said), OB_BUILTIN);
    assert_string_equal(said, "");
    assert_int_equal(fresh_process(path, said, sizeof said), OB_BUILTIN);
    assert_non_null(strstr(said, "cannot be read"));
    assert_int_equal(ob_profile_write(path, &p), OB_OK);
    assert_int_equal(fresh_process(path, said, sizeof said), OB_MEASURED);
    assert_string_equal(said, "");
    text_with(text, "openblacs-profile 1", "openblacs-profile 9");
    write_file(path, text);
    assert_int_equal(fresh_process(path, said, sizeof said), OB_BUILTIN);
    assert_non_null(strstr(said, path));
    assert_non_null(strstr(said, "another version"));
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* one line */
}

/* In a process of its own, as both are read once: 0 when the machine's own file is used here
 * but not for what the members of a group must agree on. */
static int own_and_common(const char *variable)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        char path[PATH_MAX];
        ob_profile p = sample();
        unsetenv("OPENBLACS_PROFILE");
        setenv("XDG_CACHE_HOME", folder, 1);
        if (!ob_profile_path(path, sizeof path) || ob_profile_write(path, &p) != OB_OK)
            _exit(9);
        if (variable)
            setenv("OPENBLACS_PROFILE", path, 1);
        _exit((ob_profile_current()->origin != OB_MEASURED) +
              2 * (ob_profile_common()->origin == OB_MEASURED));
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static void test_common(void **state)
{
    assert_int_equal(own_and_common(NULL), 0);
    assert_int_equal(own_and_common("named"), 2);
    assert_int_equal(ob_profile_check(ob_profile_between_nodes()), OB_OK);
}

static int make_folder(void **state)
{
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),        cmocka_unit_test(test_good),
        cmocka_unit_test(test_largest_fits),  cmocka_unit_test(test_other_languages),
        cmocka_unit_test(test_versions),      cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_hostile_words), cmocka_unit_test(test_hostile_sizes),
        cmocka_unit_test(test_noise),         cmocka_unit_test(test_files),
        cmocka_unit_test(test_current),       cmocka_unit_test(test_path),
        cmocka_unit_test(test_common),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
