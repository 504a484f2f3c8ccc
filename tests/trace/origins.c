/*
 * Calls that work for a routine some functions further out, as those of the PBLAS do, for what
 * traces and statistics say of them: a message to oneself is sent within PB_Csend, which pdouter_
 * calls, which pdfirst_ and pdsecond_ call, from stacks that look alike.
 *
 *   trace_origins [deep]    deep: at 6000 depths of the stack, more than are told apart
 */
#include <alloca.h>
#include <pthread.h>
#include <string.h>

#include <openblacs/blacs.h>

#define APART __attribute__((noinline))
/* Behind a call, so that it is no jump; no two functions are alike, so that none stands for two. */
#define STAYS(name) __asm__ volatile("# " name ::: "memory")

void pdouter_(int context);
void pdfirst_(int context);
void pdsecond_(int context);
void pdroomy_(int context, size_t bytes);
void PB_Csend(int context);

APART void PB_Csend(int context)
{
    double a = 1;
    Cdgesd2d(context, 1, 1, &a, 1, 0, 0);
    Cdgerv2d(context, 1, 1, &a, 1, 0, 0);
    STAYS("PB_Csend");
}

APART void pdouter_(int context)
{
    PB_Csend(context);
    STAYS("pdouter_");
}

APART void pdfirst_(int context)
{
    pdouter_(context);
    STAYS("pdfirst_");
}

APART void pdsecond_(int context)
{
    pdouter_(context);
    STAYS("pdsecond_");
}

/* A function whose part of the stack has no fixed size. */
APART void pdroomy_(int context, size_t bytes)
{
    char *room = alloca(bytes);
    memset(room, 0, bytes);
    __asm__ volatile("" ::"r"(room) : "memory");
    pdouter_(context);
    STAYS("pdroomy_");
}

static APART void helper(int context)
{
    double a = 1;
    Cdgsum2d(context, "A", " ", 1, 1, &a, 1, -1, -1);
    STAYS("helper");
}

static APART void deep(int context, int left)
{
    if (left == 0)
        pdfirst_(context);
    else
        deep(context, left - 1);
    STAYS("deep");
}

static void *in_thread(void *of)
{
    int context = *(int *)of;
    for (int i = 0; i < 7; i++)
        pdsecond_(context);
    return NULL;
}

int main(int argc, char **argv)
{
    int me, count, context, other;
    pthread_t thread;
    (void)argv;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    other = context;
    Cblacs_gridinit(&context, "R", 1, 1);
    Cblacs_gridinit(&other, "R", 1, 1);
    for (int i = 0; i < 30; i++) {
        if (i % 3)
            pdfirst_(context);
        else
            pdsecond_(context);
        pdroomy_(context, 64 + 16 * (size_t)(i % 5));
        helper(context);
    }
    pthread_create(&thread, NULL, in_thread, &other);
    pthread_join(thread, NULL);
    for (int i = 0; argc > 1 && i < 6000; i++)
        deep(context, i);
    Cblacs_exit(0);
    return 0;
}
