/*
 * Which MPI library a process has, or which launcher has started it, and the module for it. Each
 * question is asked by a process of its own, since what is loaded stays.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/mpi/internal.h"
#include "unit.h"

enum { ROOM = 1024, NAMES = 4 };

static char folder[] = "/tmp/mpi_load_test.XXXXXX";
static char library[PATH_MAX]; /* tests/mpi/load_library.c */

/* A process: the environment that its launcher has set, the file that it has loaded and as what,
 * and what the MPI library in it and the module say of themselves. */
typedef struct question {
    const char *set[NAMES];       /* "NAME=VALUE" */
    const char *loaded;           /* a copy of the library under this name; NULL: none */
    int how;                      /* RTLD_LOCAL, RTLD_GLOBAL */
    const char *version, *bound;  /* of the library; that the module is for */
    const char *module, *content; /* a file in the folder; its content, NULL: the library */
    bool anywhere;                /* OPENBLACS_MODULES is not set */
} question;

typedef struct reply {
    int present, launched, status, number, left; /* a module, where it is refused */
    char file[ROOM], text[ROOM];
} reply;

static void in_folder(char *path, const char *name)
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

static void copy(const char *name, const char *content)
{
    char path[PATH_MAX];
    static char bytes[1 << 20];
    size_t n = content ? strlen(content) : 0;
    in_folder(path, name);
    if (content == NULL) {
        FILE *from = fopen(library, "rb");
        assert_non_null(from);
        n = fread(bytes, 1, sizeof bytes, from);
        fclose(from);
    }
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(content ? content : bytes, 1, n, to), n);
    fclose(to);
}

static void forget(const char *name)
{
    char path[PATH_MAX];
    in_folder(path, name);
    unlink(path);
}

static void look(const question *q, reply *r)
{
    static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                                        "LOAD_TEST_OLD"};
    char path[PATH_MAX];
    const struct ob_mpi_module *module = NULL;
    ob_settings set = {.modules = q->anywhere ? NULL : folder};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        unsetenv(marks[i]);
    for (int i = 0; i < NAMES && q->set[i]; i++)
        putenv((char *)q->set[i]);
    setenv("LOAD_TEST_VERSION", q->version ? q->version : "", 1);
    setenv("LOAD_TEST_BOUND", q->bound ? q->bound : "", 1);
    in_folder(path, q->loaded ? q->loaded : "");
    if (q->loaded && dlopen(path, RTLD_NOW | q->how) == NULL)
        _exit(1);
    *r = (reply){.present = ob_mpi_present(), .launched = ob_mpi_launched()};
    r->status = ob_mpi_load(&set, &module, r->file, sizeof r->file);
    r->number = r->status == OB_OK ? (int)module->number : 0;
    r->left = r->status != OB_OK && module != NULL;
    snprintf(r->text, sizeof r->text, "%s", r->status == OB_OK ? "" : ob_error_text());
}

static reply ask(const question *q)
{
    int line[2], status;
    reply r;
    if (q->loaded)
        copy(q->loaded, NULL);
    if (q->module)
        copy(q->module, q->content);
    assert_int_equal(pipe(line), 0);
    pid_t pid = fork();
    if (pid == 0) {
        look(q, &r);
        _exit(write(line[1], &r, sizeof r) != sizeof r);
    }
    close(line[1]);
    assert_int_equal(read(line[0], &r, sizeof r), sizeof r);
    close(line[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_false(r.left);
    if (q->loaded)
        forget(q->loaded);
    if (q->module)
        forget(q->module);
    return r;
}

#define ASK(...) ask(&(question){__VA_ARGS__})

static void expect(const reply *r, const char *text)
{
    char whole[ROOM + PATH_MAX];
    snprintf(whole, sizeof whole, "this process runs under %s%s", text, folder);
    assert_int_equal(r->status, OB_ESYSTEM);
    if (strncmp(r->text, whole, strlen(whole)) != 0)
        fail_msg("'%s' instead of '%s'", r->text, whole);
}

/* -------------------------------------------------------------------------- tests */

static void launchers_are_known_by_what_they_set(void **state)
{
    static const struct {
        const char *set[NAMES];
        int present, launched;
        const char *module;
    } cases[] = {
        {{NULL}, 0, 0, "mpi"},
        {{"OMPI_COMM_WORLD_SIZE=4"}, 1, 1, "openmpi"},
        {{"OMPI_COMM_WORLD_SIZE=4", "PMIX_RANK=0"}, 1, 1, "openmpi"},
        {{"PMIX_RANK=0"}, 1, 0, "openmpi"}, /* Open MPI sets it itself */
        {{"OMPI_COMM_WORLD_SIZE=1"}, 0, 1, "mpi"},
        {{"PMI_RANK=0", "PMI_SIZE=2"}, 1, 1, "mpich"},
        {{"PMI_RANK=0"}, 1, 1, "mpich"},
        {{"PMI_RANK=0", "PMI_SIZE=1"}, 0, 1, "mpi"},
        {{"PMI_SIZE=3"}, 1, 1, "mpich"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        question q = {.version = NULL};
        char text[128];
        memcpy(q.set, cases[i].set, sizeof q.set);
        reply r = ask(&q);
        assert_int_equal(r.present, cases[i].present);
        assert_int_equal(r.launched, cases[i].launched);
        snprintf(text, sizeof text, "an MPI launcher, but its module mpi-%s.so is not in ",
                 cases[i].module);
        expect(&r, text);
    }
}

static void libraries_are_known_by_what_they_say(void **state)
{
    static const char *const cases[][3] = {
        {"Open MPI v4.1.4, package: Debian", "Open MPI v4.1.4", "openmpi"},
        {"IBM Spectrum MPI 10.4", "IBM Spectrum MPI 10.4", "openmpi"},
        {"MPICH Version:\t4.0.2\nMPICH Release", "MPICH Version: 4.0.2", "mpich"},
        {"Intel(R) MPI Library 2021.10", "Intel(R) MPI Library 2021.10", "mpich"},
        {"MVAPICH2 Version: 2.3", "MVAPICH2 Version: 2.3", "mpich"},
        {"Another 1.0", "Another 1.0", "mpi"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        reply r = ASK(.loaded = "libmpi.so.40", .how = RTLD_GLOBAL, .version = cases[i][0],
                      .set = {"PMI_RANK=0"});
        assert_true(r.present);
        snprintf(text, sizeof text, "%s, but its module mpi-%s.so is not in ", cases[i][1],
                 cases[i][2]);
        expect(&r, text);
    }
}

/* MPI 5: MPICH made it, and no module of MPICH's can speak to it. */
static void the_standard_interface_has_a_module_of_its_own(void **state)
{
    static const char *const names[] = {"libmpi_abi.so.1", "libmpi_abi_mpich.so.1.0.0"};
    for (int how = 0; how < 4; how++) {
        reply r = ASK(.loaded = names[how / 2], .how = how % 2 ? RTLD_GLOBAL : RTLD_LOCAL,
                      .version = "MPICH Version:\t5.0.0", .module = "mpi-mpich.so");
        assert_true(r.present);
        expect(&r, "MPICH Version: 5.0.0, but its module mpi-abi.so is not in ");
    }
}

/* As Python loads mpi4py: what is loaded is not visible, and known by its name alone. */
static void a_library_may_be_hidden(void **state)
{
    static const char *const names[] = {"libmpi.so.40",         "libmpich.so.12",
                                        "libmpi.so.12",         "libmpi_cray.so.12",
                                        "libmpi_gnu_123.so.12", "libmpi_ibm.so.3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        reply r = ASK(.loaded = names[i], .how = RTLD_LOCAL, .version = "MPICH 5");
        assert_true(r.present);
        expect(&r, "MPICH 5, but its module mpi-mpich.so is not in ");
    }
    assert_false(ASK(.loaded = "libother.so", .how = RTLD_LOCAL, .version = "MPICH 5").present);
    assert_true(ASK(.loaded = "libother.so", .how = RTLD_GLOBAL, .version = "MPICH 5").present);
}

static void the_module_for_the_library_is_loaded(void **state)
{
    char path[PATH_MAX];
    in_folder(path, "mpi-openmpi.so");
    reply r = ASK(.loaded = "libmpi.so.40", .how = RTLD_GLOBAL, .version = "Open MPI v4.1.4, more",
                  .bound = "Open MPI v4.1.4", .module = "mpi-openmpi.so");
    assert_string_equal(r.text, "");
    assert_int_equal(r.status, OB_OK);
    assert_int_equal(r.number, OB_MPI_MODULE_NUMBER);
    assert_string_equal(r.file, path);
    /* A process without a library has the module's, whichever that is. */
    r = ASK(.set = {"OMPI_COMM_WORLD_SIZE=4"}, .module = "mpi-openmpi.so", .bound = "Open MPI v5");
    assert_int_equal(r.status, OB_OK);
    assert_string_equal(r.file, path);
}

static void a_module_that_does_not_fit_is_refused(void **state)
{
    reply r = ASK(.loaded = "libmpi.so.40", .how = RTLD_GLOBAL, .version = "Open MPI v4.1.4, more",
                  .bound = "Open MPI v5.0.0", .module = "mpi-openmpi.so");
    assert_int_equal(r.status, OB_ESYSTEM);
    assert_non_null(strstr(r.text, "this process runs Open MPI v4.1.4, but the MPI module /"));
    assert_non_null(strstr(r.text, "is bound to Open MPI v5.0.0; build"));
    r = ASK(.set = {"PMI_RANK=0", "LOAD_TEST_OLD=1"}, .module = "mpi-mpich.so");
    assert_int_equal(r.status, OB_ESYSTEM);
    assert_non_null(strstr(r.text, "belongs to another version of OpenBLACS"));
    r = ASK(.set = {"PMI_RANK=0"}, .module = "mpi-mpich.so", .content = "no library");
    assert_int_equal(r.status, OB_ESYSTEM);
    assert_non_null(strstr(r.text, "cannot load the MPI module /"));
}

/* An installed library's module is found before what a test has put elsewhere. */
static void skip_where_installed(void)
{
    if (access(OB_MODULE_DIR "/mpi-mpich.so", F_OK) == 0) {
        print_message("there is a module in " OB_MODULE_DIR "\n");
        skip();
    }
}

/* Beside the library itself, and where it was installed. */
static void all_folders_that_were_looked_in_are_named(void **state)
{
    char own[PATH_MAX], text[2 * PATH_MAX];
    skip_where_installed();
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = 0;
    *strrchr(own, '/') = 0;
    reply r = ASK(.set = {"PMI_RANK=0"}, .anywhere = true, .module = "mpi-mpich.so");
    assert_int_equal(r.status, OB_ESYSTEM);
    snprintf(text, sizeof text, "%s, ", strrchr(own, '/'));
    assert_non_null(strstr(r.text, text));
    snprintf(text, sizeof text, "%s/openblacs, ", strrchr(own, '/'));
    assert_non_null(strstr(r.text, text));
    assert_null(strstr(r.text, folder));
}

/* Of `obinfo --build-module`: looked for last, and only where nobody else can write. */
static void a_module_of_the_user_is_used_where_no_other_fits(void **state)
{
    static const char *const parts[] = {".local", ".local/lib", ".local/lib/openblacs"};
    static const char name[] = ".local/lib/openblacs/mpi-mpich.so";
    char home[PATH_MAX], path[PATH_MAX];
    skip_where_installed();
    snprintf(home, sizeof home, "HOME=%s", folder);
    for (int i = 0; i < 3; i++) {
        in_folder(path, parts[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    question q = {.loaded = "libmpi.so.12",
                  .how = RTLD_GLOBAL,
                  .version = "MPICH 5, more",
                  .bound = "MPICH 5",
                  .module = name,
                  .anywhere = true,
                  .set = {home}};
    reply r = ask(&q);
    assert_string_equal(r.text, "");
    assert_int_equal(r.status, OB_OK);
    in_folder(path, name);
    assert_string_equal(r.file, path);
    in_folder(path, parts[2]);
    assert_int_equal(chmod(path, 0777), 0);
    r = ask(&q);
    assert_int_equal(r.status, OB_ESYSTEM);
    assert_non_null(strstr(r.text, "is not used: others may write to its folder; chmod go-w"));
    assert_int_equal(chmod(path, 0700), 0);
    q.version = "MPICH 6";
    r = ask(&q);
    assert_int_equal(r.status, OB_ESYSTEM);
    assert_non_null(strstr(r.text, "bound to MPICH 5; build one with"));
    q.anywhere = false; /* OPENBLACS_MODULES names the only folder */
    r = ask(&q);
    assert_non_null(strstr(r.text, "but its module mpi-mpich.so is not in"));
    for (int i = 2; i >= 0; i--) {
        in_folder(path, parts[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launchers_are_known_by_what_they_set),
        cmocka_unit_test(libraries_are_known_by_what_they_say),
        cmocka_unit_test(the_standard_interface_has_a_module_of_its_own),
        cmocka_unit_test(a_library_may_be_hidden),
        cmocka_unit_test(the_module_for_the_library_is_loaded),
        cmocka_unit_test(a_module_that_does_not_fit_is_refused),
        cmocka_unit_test(all_folders_that_were_looked_in_are_named),
        cmocka_unit_test(a_module_of_the_user_is_used_where_no_other_fits),
    };
    ssize_t n = readlink("/proc/self/exe", library, sizeof library - 64);
    library[n > 0 ? n : 0] = 0;
    char *slash = strrchr(library, '/');
    if (slash == NULL || mkdtemp(folder) == NULL)
        return 1;
    strcpy(slash, "/mpi_load_library.so");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
