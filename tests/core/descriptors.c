/*
 * A program that closes all descriptors, as daemons do, and opens files of its own under the
 * numbers. Its files stay as they are, and messages go on. (Regression: the heap gave memory back
 * by a descriptor's number, and so the user's numbers became zeros without a word.)
 */
#include "harness.h"

#include <dirent.h>
#include <unistd.h>

enum { MOST = 256, WORDS = 1 << 19, MESSAGE = 1 << 18, MESSAGES = 3, PLACE = 4711 };

static int files[MOST], file_count;
static uint64_t words[WORDS];

/* A file of the user's under the number, or nothing where the number is not ours to take. */
static void take(int fd)
{
    char name[] = "/tmp/descriptors-XXXXXX";
    int file = mkstemp(name);
    if (!check(file >= 0, "mkstemp"))
        exit(1);
    unlink(name);
    if (file != fd) {
        dup2(file, fd);
        close(file);
    }
    check(write(fd, words, sizeof words) == (ssize_t)sizeof words, "write");
    lseek(fd, PLACE, SEEK_SET);
    files[file_count++] = fd;
}

/* The MPI library needs its own descriptors; where there is none, all are closed. Before the job
 * is joined we have one for OPENBLACS_STATS. */
static int to_be_taken(int fd)
{
    char path[64], target[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (readlink(path, target, sizeof target - 1) < 0 || fd < 3)
        return 0;
    if (job == NULL)
        return strstr(target, "/openblacs-") != NULL;
    return getenv("OPENBLACS_JOB") || strncmp(target, "/memfd:openblacs", 16) == 0;
}

static void take_all(void)
{
    int found[MOST], count = 0;
    DIR *d = opendir("/proc/self/fd");
    for (struct dirent *e; (e = readdir(d)) && count < MOST;)
        if (atoi(e->d_name) != dirfd(d) && to_be_taken(atoi(e->d_name)))
            found[count++] = atoi(e->d_name);
    closedir(d);
    for (int i = 0; i < count; i++)
        take(found[i]);
}

static void compare(void)
{
    static uint64_t now[WORDS];
    for (int i = 0; i < file_count; i++) {
        int changed = 0;
        check(lseek(files[i], 0, SEEK_CUR) == PLACE, "the place in the file of number %d moved",
              files[i]);
        check(lseek(files[i], 0, SEEK_END) == (off_t)sizeof words,
              "the file of number %d has another size", files[i]);
        check(pread(files[i], now, sizeof now, 0) == (ssize_t)sizeof now, "pread");
        for (int k = 0; k < WORDS; k++)
            changed += now[k] != words[k];
        check(changed == 0, "%d of %d numbers in the file of number %d have changed", changed,
              WORDS, files[i]);
        lseek(files[i], PLACE, SEEK_SET);
    }
}

static void traffic(uint64_t seed)
{
    static uint64_t out[MESSAGE], in[MESSAGE];
    int next = (world.me + 1) % world.count, before = (world.me + world.count - 1) % world.count;
    ob_view from = {.base = out, .m = MESSAGE, .n = 1, .ld = MESSAGE, .type = OB_DOUBLE}, to = from;
    to.base = in;
    for (int i = 0; i < MESSAGES; i++) {
        for (uint64_t k = 0; k < MESSAGE; k++)
            out[k] = mix(seed + (uint64_t)(world.me * MESSAGES + i) * MESSAGE + k);
        fine(ob_send(everyone, next, i, &from), "ob_send");
    }
    for (int i = 0; i < MESSAGES; i++) {
        uint64_t wrong = 0;
        fine(ob_recv(everyone, before, i, &to, NULL), "ob_recv");
        for (uint64_t k = 0; k < MESSAGE; k++)
            wrong += in[k] != mix(seed + (uint64_t)(before * MESSAGES + i) * MESSAGE + k);
        check(wrong == 0, "message %d has %d wrong numbers", i, (int)wrong);
    }
    fine(ob_barrier(everyone), "ob_barrier");
    ob_job_trim(job);
}

int main(void)
{
    for (uint64_t i = 0; i < WORDS; i++)
        words[i] = mix(i);
    take_all();
    begin();
    traffic(1);
    take_all();
    compare();
    for (uint64_t round = 2; round < 5; round++) {
        traffic(round);
        compare();
    }
    return finish();
}
