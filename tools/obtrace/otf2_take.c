/*
 * Reading the Open Trace Format 2. The library that does it is another's, and was not
 * made for damaged archives; so it works in a process of its own, which sends what it
 * finds through a pipe. Should it crash, what came before is kept.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats.h"
#include "otf2.h"

static void add_group(obt_trace *t, const char *label, size_t length)
{
    t->groups = obt_grow(t->groups, t->group_count, &t->group_room, sizeof *t->groups);
    t->groups[t->group_count] =
        (obt_group){.context = (int64_t)t->group_count, .label = obt_keep(t, label, length)};
    t->group_count++;
}

/* Members come one by one; the array grows when their number is a power of two. */
static void add_member(obt_trace *t, int32_t process)
{
    obt_group *g = t->group_count ? &t->groups[t->group_count - 1] : NULL;
    if (!g)
        return;
    if ((g->member_count & (g->member_count - 1)) == 0) {
        int32_t *more = obt_memory(g->member_count ? 2 * g->member_count : 1, sizeof *more);
        for (size_t i = 0; i < g->member_count; i++)
            more[i] = g->members[i];
        free(g->members);
        g->members = more;
    }
    g->members[g->member_count++] = process;
}

static void describe(obt_trace *t, const item *it, const char *text, size_t length)
{
    if (it->process < 0 && it->process != OBT_HOST)
        return;
    uint32_t index = obt_process_index(t, it->process);
    obt_process *p = &t->processes[index];
    bool known = it->time >= 0 && it->values[0] > it->time;
    p->began = known ? it->time : 0;
    p->ended = known ? it->values[0] : 0;
    p->lost = it->values[1] > 0 ? it->values[1] : 0;
    p->processor = it->values[2] > 0 && it->values[2] <= OBT_LATEST ? it->values[2] : 0;
    p->born = (uint64_t)it->values[3];
    p->host = length ? obt_keep(t, text, length) : NULL;
}

static void describe_places(obt_trace *t, const item *it, const char *text, size_t length)
{
    if (it->process < 0 && it->process != OBT_HOST)
        return;
    uint32_t index = obt_process_index(t, it->process); /* the array may move */
    obt_process *p = &t->processes[index];
    p->machine = (uint32_t)it->values[0];
    p->quota = (uint32_t)it->values[1];
    for (size_t i = 0; i < sizeof p->allowed / sizeof *p->allowed && 16 * (i + 1) <= length; i++) {
        char word[17] = "";
        memcpy(word, text + 16 * i, 16);
        p->allowed[i] = strtoull(word, NULL, 16);
    }
}

static void take(obt_trace *t, item *it, const char *text)
{
    size_t length = strlen(text);
    switch (it->what) {
    case EVENT:
        obt_add_checked(t, 0, obt_kind_name((int)it->kind), it->time, it->process, it->values,
                        it->count, text, text);
        break;
    case PROCESS: describe(t, it, text, length); break;
    case PLACES: describe_places(t, it, text, length); break;
    case GROUP: add_group(t, text, length); break;
    case MEMBER: add_member(t, it->process); break;
    case SITE:
        t->sites = obt_grow(t->sites, t->site_count, &t->site_room, sizeof *t->sites);
        t->sites[t->site_count++] = obt_keep(t, text, length);
        break;
    case PROGRAM: t->program = obt_keep(t, text, length); break;
    default: obt_problem(t, 0, "%s", text);
    }
}

static void take_all(obt_trace *t, FILE *in)
{
    item it;
    char text[OBT_OTF2_TEXT + 1];
    while (fread(&it, sizeof it, 1, in) == 1 && it.bytes <= OBT_OTF2_TEXT &&
           fread(text, 1, it.bytes, in) == it.bytes) {
        text[it.bytes] = '\0';
        take(t, &it, text);
    }
}

void obt_otf2_read(obt_trace *t, const char *path)
{
    int ends[2], status;
    if (access(path, R_OK) != 0)
        obt_die("OB-9602 %s: cannot be opened: %s", path, strerror(errno));
    if (pipe(ends) != 0)
        obt_die("OB-2004 %s: no pipe: %s", path, strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        obt_die("OB-2004 %s: no process to read it: %s", path, strerror(errno));
    if (child == 0) {
        FILE *out = fdopen(ends[1], "wb");
        close(ends[0]);
        _exit(!out || !obt_otf2_send(out, path));
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "rb");
    t->format = "OTF2";
    if (in)
        take_all(t, in);
    if (in)
        fclose(in);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        obt_problem(t, 0, "the archive is damaged: libotf2 does not come to an end");
    else if (WIFSIGNALED(status))
        obt_problem(t, 0, "the archive is damaged: libotf2 ended with signal %d (%s)",
                    WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        obt_problem(t, 0, "the archive could not be read to its end");
    obt_sort(t);
}
