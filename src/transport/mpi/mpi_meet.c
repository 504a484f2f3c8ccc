/*
 * Meetings: how processes of an MPI job that have nothing in common but
 * MPI_COMM_WORLD get to know each other without the others taking part.
 *
 * The members of a new group make a communicator among themselves and tell
 * each other on it which machine they are on and where their segment of shared memory
 * is. A pair that can map each other's segment uses shared memory; another
 * pair uses the communicator. If no pair needs it, it is given back at once. Later
 * groups within the same set of processes find all done: since every member
 * of a meeting took part in it, all of them know that without asking.
 *
 * Threads of one process may meet different sets at the same time only when
 * MPI allows MPI_THREAD_MULTIPLE, and neither set may contain the other (one
 * process could find the smaller one covered already, another not yet).
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/machine.h"
#include "core/port.h"
#include "hooks/hash.h"
#include "node/processor.h"
#include "node/shm.h"
#include "transport/mpi/internal.h"

/* What a process tells the others; the same size everywhere. */
typedef struct card {
    char machine[96]; /* boot and process namespace: equal where /proc shows the same processes */
    unsigned long long born;    /* when the process began, so that a reused pid is noticed */
    unsigned long long sharing; /* ob_processor_sharing */
    int pid;
    int fd;         /* of its segment's file, -1: none */
    int records;    /* a trace */
    int measures;   /* the network, where nothing else is said of it */
    unsigned alike; /* ob_settings_alike */
    cpu_set_t processors;
} card;

/* What a process says of another, in the meeting's second round. */
enum tie {
    TIE_NONE = 0, /* cannot map its segment */
    TIE_MAPPED,
    TIE_OLD_SHM, /* met before */
    TIE_OLD_MPI
};

/* What a member needs; the least of all members' is what happens. */
enum need { NEED_REFUSE = 0, NEED_COMM, NEED_OLD_COMM, NEED_NOTHING };

typedef struct meeting_work {
    card *cards;
    unsigned char *mine, *theirs; /* enum tie, by rank */
    ob_mpi_meeting *record;
    bool measure; /* all members do */
    int refused;  /* process that OPENBLACS_TRANSPORT=shm cannot reach, -1 */
    int unlike;   /* process with another OPENBLACS_TOPOLOGY than the first one's, -1 */
} meeting_work;

/* ------------------------------------------------------------ known meetings */

static bool covers(const ob_mpi_meeting *m, const int *numbers, int size, int count)
{
    if (m->size == count)
        return true;
    if (m->size < size)
        return false;
    for (int i = 0; i < size; i++)
        if (ob_mpi_rank(m, numbers[i]) < 0)
            return false;
    return true;
}

bool ob_mpi_have_met(const ob_job *job, const int *numbers, int size)
{
    if (size == 1)
        return true;
    const ob_mpi_meeting *m = atomic_load_explicit(&job->mpi->meetings, memory_order_acquire);
    for (; m; m = m->next)
        if (covers(m, numbers, size, job->count))
            return true;
    return false;
}

bool ob_mpi_one_node(ob_job *job, const int *numbers, int size)
{
    const ob_mpi_meeting *m = atomic_load_explicit(&job->mpi->meetings, memory_order_acquire);
    for (; m; m = m->next)
        if (m->one_node && covers(m, numbers, size, job->count))
            return true;
    return size == 1;
}

/* Meetings that cover a list were attended by all of it, so all find the same. */
bool ob_mpi_nodes(ob_job *job, const int *numbers, int size, int *node)
{
    const ob_mpi_meeting *m = atomic_load_explicit(&job->mpi->meetings, memory_order_acquire);
    while (m && !(m->nodes && covers(m, numbers, size, job->count)))
        m = m->next;
    for (int i = 0; m && i < size; i++)
        node[i] = m->seat[ob_mpi_seat(m, numbers[i])].node;
    return m != NULL;
}

const ob_network *ob_mpi_network(ob_job *job, const int *numbers, int size, int *node)
{
    const ob_mpi_meeting *m = atomic_load_explicit(&job->mpi->meetings, memory_order_acquire);
    while (m && !(m->measured && covers(m, numbers, size, job->count)))
        m = m->next;
    for (int i = 0; m && i < size; i++)
        node[i] = m->seat[ob_mpi_seat(m, numbers[i])].node;
    return m ? &m->network : NULL;
}

static int by_number(const void *a, const void *b)
{
    const struct ob_mpi_seat *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static ob_mpi_meeting *new_meeting(const int *numbers, int size)
{
    ob_mpi_meeting *m = malloc(sizeof *m + (size_t)size * sizeof m->seat[0]);
    if (m == NULL)
        return NULL;
    m->next = NULL;
    m->comm = NULL;
    m->one_node = m->nodes = m->parted = m->clocked = m->measured = false;
    m->size = size;
    for (int i = 0; i < size; i++)
        m->seat[i] = (struct ob_mpi_seat){numbers[i], i, 0};
    qsort(m->seat, (size_t)size, sizeof m->seat[0], by_number);
    return m;
}

/* -------------------------------------------------------------------- cards */

static void name_machine(char *name, size_t room)
{
    char boot[64], space[24];
    if (!ob_port_machine(boot, sizeof boot) && gethostname(boot, sizeof boot - 1) != 0)
        boot[0] = '\0';
    ob_port_space(space, sizeof space);
    snprintf(name, room, "%s %s", boot, space);
}

static bool measures(const ob_job *job)
{
    return job->set.measure && job->set.profile == NULL;
}

static void fill_card(ob_job *job, card *c)
{
    memset(c, 0, sizeof *c);
    name_machine(c->machine, sizeof c->machine);
    c->pid = (int)getpid();
    c->born = ob_port_born(c->pid);
    c->records = job->set.trace != NULL && job->mpi->first == job->mpi;
    c->measures = measures(job);
    c->alike = ob_settings_alike(&job->set);
    c->fd = job->shm ? ob_shm_fd(job->shm) : -1;
    c->sharing = ob_processor_sharing();
    if (sched_getaffinity(0, sizeof c->processors, &c->processors) != 0)
        CPU_ZERO(&c->processors);
}

/* How many processes share this machine, and how many processors they have
 * together: each may be bound to a few; and whether yields reach one of them. */
static void count_neighbours(ob_job *job, const card *cards, int size, const card *mine)
{
    cpu_set_t all;
    int here = 0, group = 0;
    CPU_ZERO(&all);
    for (int i = 0; i < size; i++) {
        if (strcmp(cards[i].machine, mine->machine) != 0)
            continue;
        here++;
        group += cards[i].sharing == mine->sharing;
        CPU_OR(&all, &all, &cards[i].processors);
    }
    job->neighbours = here;
    atomic_store_explicit(&job->apart, group == 1, memory_order_relaxed);
    int bound = CPU_COUNT(&all), quota = ob_processor_quota();
    job->processors = bound == 0 ? ob_processors() : bound < quota ? bound : quota;
}

/* ---------------------------------------------------------- who reaches whom */

static bool map_segment(ob_job *job, int number, const card *c)
{
    if (c->fd < 0 || job->shm == NULL || ob_port_born(c->pid) != c->born)
        return false;
    int fd = ob_port_open_of(c->pid, c->fd, O_RDWR);
    if (fd < 0)
        return false;
    pthread_mutex_lock(&job->mpi->registry);
    int status = ob_shm_attach(job->shm, number, fd);
    pthread_mutex_unlock(&job->mpi->registry);
    close(fd);
    return status == OB_OK;
}

static enum tie tie_with(ob_job *job, int number, const card *c, const card *mine)
{
    unsigned char path = atomic_load(&job->mpi->path[number]);
    if (path == OB_PATH_SHM)
        return TIE_OLD_SHM;
    if (path == OB_PATH_MPI)
        return TIE_OLD_MPI;
    if (number == job->number)
        return TIE_MAPPED;
    if (mine->fd < 0 || strcmp(c->machine, mine->machine) != 0)
        return TIE_NONE;
    return map_segment(job, number, c) ? TIE_MAPPED : TIE_NONE;
}

static enum ob_mpi_path path_of(int mine, int theirs)
{
    bool here = mine == TIE_MAPPED || mine == TIE_OLD_SHM;
    bool there = theirs == TIE_MAPPED || theirs == TIE_OLD_SHM;
    return here && there ? OB_PATH_SHM : OB_PATH_MPI;
}

/* Reads the bits of both sides; the paths are set once all agree. */
static enum need read_ties(ob_job *job, const int *numbers, int size, meeting_work *w)
{
    enum need need = NEED_NOTHING;
    for (int i = 0; i < size; i++) {
        if (path_of(w->mine[i], w->theirs[i]) == OB_PATH_SHM)
            continue;
        if (job->set.transport == OB_TRANSPORT_SHM) {
            w->refused = numbers[i];
            return NEED_REFUSE;
        }
        bool old = w->mine[i] == TIE_OLD_MPI && w->theirs[i] == TIE_OLD_MPI;
        if (!old || need == NEED_NOTHING)
            need = old ? NEED_OLD_COMM : NEED_COMM;
    }
    return need;
}

static void set_paths(ob_job *job, const int *numbers, int size, const meeting_work *w)
{
    for (int i = 0; i < size; i++) {
        unsigned char unknown = OB_PATH_UNKNOWN;
        atomic_compare_exchange_strong(&job->mpi->path[numbers[i]], &unknown,
                                       path_of(w->mine[i], w->theirs[i]));
    }
}

/* ------------------------------------------------------------------- nodes */

/* Has this process memory in common with all members on its machine? */
static int whole_node(const meeting_work *w, int size, const card *mine)
{
    for (int i = 0; i < size; i++)
        if (strcmp(w->cards[i].machine, mine->machine) == 0 &&
            path_of(w->mine[i], w->theirs[i]) != OB_PATH_SHM)
            return 0;
    return 1;
}

/* Nodes are numbered from 0, as they come by their members' numbers. */
static void number_nodes(const card *cards, ob_mpi_meeting *m)
{
    int *first = malloc((size_t)m->size * sizeof *first), nodes = 0;
    m->nodes = first != NULL;
    for (int k = 0; k < m->size && first; k++) {
        const char *machine = cards[m->seat[k].rank].machine;
        int i = 0;
        while (i < nodes && strcmp(cards[m->seat[first[i]].rank].machine, machine) != 0)
            i++;
        if (i == nodes)
            first[nodes++] = k;
        m->seat[k].node = i;
    }
    free(first);
}

/* --------------------------------------------------------------- the meeting */

/* A tag that tells meetings at the same time apart. */
static int tag_of(const int *numbers, int size)
{
    uint64_t h = OB_HASH;
    for (int i = 0; i < size; i++)
        h = ob_hash_word(h, (unsigned)numbers[i]);
    return (int)((h ^ h >> 32) % OB_MPI_TAGS);
}

/* The two rounds on the new communicator. code: of MPI. */
static enum need talk(ob_job *job, const int *numbers, int size, meeting_work *w, int *code)
{
    struct ob_mpi *mpi = job->mpi;
    ob_mpi_comm *comm = w->record->comm;
    card mine;
    fill_card(job, &mine);
    ob_mpi_enter(mpi);
    *code = mpi->module->allgather(comm, &mine, w->cards, sizeof mine);
    ob_mpi_leave(mpi);
    for (int i = 0; *code == 0 && i < size; i++)
        if (w->unlike < 0 && w->cards[i].alike != w->cards[0].alike)
            w->unlike = i;
    if (*code != 0 || w->unlike >= 0)
        return NEED_REFUSE;
    for (int i = 0; i < size; i++)
        w->mine[i] = (unsigned char)tie_with(job, numbers[i], &w->cards[i], &mine);
    ob_mpi_enter(mpi);
    *code = mpi->module->alltoall(comm, w->mine, w->theirs, 1);
    int need = *code == 0 ? (int)read_ties(job, numbers, size, w) : NEED_REFUSE;
    if (*code == 0)
        *code = mpi->module->minimum(comm, &need);
    int whole = *code == 0 && whole_node(w, size, &mine);
    if (*code == 0 && need != NEED_REFUSE)
        *code = mpi->module->minimum(comm, &whole);
    ob_mpi_leave(mpi);
    if (*code == 0 && whole)
        number_nodes(w->cards, w->record);
    w->record->clocked = w->record->nodes;
    for (int i = 0; i < size; i++)
        w->record->clocked = w->record->clocked && w->cards[i].records;
    w->measure = w->record->nodes && need == NEED_COMM;
    for (int i = 0; i < size; i++)
        w->measure = w->measure && w->cards[i].measures;
    if (*code == 0 && size >= mpi->largest) {
        mpi->largest = size;
        count_neighbours(job, w->cards, size, &mine);
    }
    return (enum need)need;
}

static void give_back(struct ob_mpi *mpi, ob_mpi_meeting *m)
{
    ob_mpi_enter(mpi);
    mpi->module->release(m->comm);
    ob_mpi_leave(mpi);
    m->comm = NULL;
}

static int refuse(const ob_job *job, const meeting_work *w, const int *numbers, int size)
{
    if (w->unlike >= 0) {
        char here[OB_UNLIKE_TEXT], there[OB_UNLIKE_TEXT];
        unsigned a = w->cards[0].alike, b = w->cards[w->unlike].alike;
        ob_settings_unlike(a, b, here);
        ob_settings_unlike(b, a, there);
        return ob_fail(
            OB_ESETTING,
            "OB-9006 %s at process %d and%s at process %d; set it for all processes of the job "
            "or for none",
            here, numbers[0], strrchr(there, ' '), numbers[w->unlike]);
    }
    if (w->refused >= 0)
        return ob_fail(
            OB_ESYSTEM,
            "OB-3014 OPENBLACS_TRANSPORT is shm, but processes %d and %d have no memory in "
            "common: they run on different machines or may not open each other's files "
            "in /proc; set it to auto",
            job->number, w->refused);
    return ob_fail(
        OB_ESYSTEM,
        "OB-3014 OPENBLACS_TRANSPORT is shm, but some of the %d processes of this group have "
        "no memory in common; set it to auto",
        size);
}

static void remember(struct ob_mpi *mpi, ob_mpi_meeting *m)
{
    pthread_mutex_lock(&mpi->registry);
    m->next = atomic_load_explicit(&mpi->meetings, memory_order_relaxed);
    /* Release: whoever finds the meeting sees its seats, and the paths set before. */
    atomic_store_explicit(&mpi->meetings, m, memory_order_release);
    pthread_mutex_unlock(&mpi->registry);
}

static int hold(ob_job *job, const int *numbers, int size, meeting_work *w)
{
    struct ob_mpi *mpi = job->mpi;
    ob_mpi_enter(mpi);
    ob_mpi_makes = true;
    int code =
        mpi->module->create(mpi->world, numbers, size, tag_of(numbers, size), &w->record->comm);
    ob_mpi_makes = false;
    ob_mpi_leave(mpi);
    if (code != 0)
        return ob_mpi_error(mpi, code, "%d processes cannot meet", size);
    /* Simulated processes have nothing to tell: all goes by the communicator. */
    enum need need = OB_SIMULATED ? NEED_COMM : talk(job, numbers, size, w, &code);
    if (OB_SIMULATED) {
        ob_mpi_places(job, w->record);
        w->measure = measures(job) && !w->record->one_node;
    }
    if (code == 0 && w->measure)
        code = ob_mpi_measure(mpi, w->record);
    if (code != 0)
        return ob_mpi_error(mpi, code, "%d processes cannot meet", size);
    if (need != NEED_COMM)
        give_back(mpi, w->record);
    if (need == NEED_REFUSE)
        return refuse(job, w, numbers, size);
    set_paths(job, numbers, size, w);
    if (!OB_SIMULATED) {
        w->record->one_node = need == NEED_NOTHING;
        ob_mpi_clock(mpi, w->record);
    }
    remember(mpi, w->record);
    w->record = NULL;
    return OB_OK;
}

int ob_mpi_meet(ob_job *job, const int *numbers, int size)
{
    if (ob_mpi_have_met(job, numbers, size))
        return OB_OK;
    if (atomic_load(&job->mpi->over))
        return ob_fail(
            OB_ESTATE,
            "OB-3007 %d processes that have not met cannot form a group after MPI_Finalize", size);
    meeting_work w = {.cards = malloc((size_t)size * sizeof *w.cards),
                      .mine = calloc((size_t)size, 1),
                      .theirs = calloc((size_t)size, 1),
                      .record = new_meeting(numbers, size),
                      .refused = -1,
                      .unlike = -1};
    int status = OB_ENOMEM;
    if (w.cards && w.mine && w.theirs && w.record)
        status = hold(job, numbers, size, &w);
    else
        ob_fail(OB_ENOMEM, "OB-4001 no memory for a meeting of %d processes", size);
    free(w.cards);
    free(w.mine);
    free(w.theirs);
    free(w.record);
    return status;
}

/* ------------------------------------------------------------------ connecting */

/* The first meeting with a process that kept its communicator. */
static const ob_mpi_meeting *first_with(struct ob_mpi *mpi, int number)
{
    const ob_mpi_meeting *m, *found = NULL;
    for (m = atomic_load_explicit(&mpi->meetings, memory_order_acquire); m; m = m->next)
        if (m->comm && ob_mpi_rank(m, number) >= 0)
            found = m;
    return found;
}

int ob_mpi_connect(ob_job *job, ob_peer *peer)
{
    struct ob_mpi *mpi = job->mpi;
    unsigned char path = atomic_load(&mpi->path[peer->number]);
    const ob_mpi_meeting *m = NULL;
    if (path == OB_PATH_SHM)
        return ob_shm_connect(job->shm, peer);
    if (path == OB_PATH_MPI)
        m = first_with(mpi, peer->number);
    if (m)
        return ob_mpi_link(mpi, peer, m);
    return ob_fail(OB_ESTATE, "OB-3015 processes %d and %d have never been in one group",
                   job->number, peer->number);
}
