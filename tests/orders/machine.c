/* swapcontext asks the system for the signal mask at each switch; on x86-64 we do without. */
#include "machine.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

struct coroutine {
    char *stack;
    size_t bytes;
    void (*main)(int);
    int argument;
#ifdef __x86_64__
    void *own, *caller; /* stack pointers */
#else
    ucontext_t own, caller;
#endif
};

coroutine *machine_make(size_t stack)
{
    coroutine *c = calloc(1, sizeof *c);
    if (c == NULL || (c->stack = aligned_alloc(64, stack)) == NULL)
        abort();
    c->bytes = stack;
    return c;
}

static coroutine *begun;

static void first(void)
{
    begun->main(begun->argument);
    abort();
}

#ifdef __x86_64__

void orders_switch(void **from, void *to);
__asm__(".text\n"
        ".globl orders_switch\n"
        ".type orders_switch,@function\n"
        "orders_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size orders_switch,.-orders_switch\n");

void machine_start(coroutine *c, void (*main)(int), int argument)
{
    void **top = (void **)(void *)(c->stack + c->bytes);
    c->main = main;
    c->argument = argument;
    memset(top - 9, 0, 9 * sizeof *top);
    top[-2] = (void *)(uintptr_t)first; /* what `ret` takes; then the stack is as after a call */
    c->own = top - 8;
}

void machine_enter(coroutine *c)
{
    begun = c;
    orders_switch(&c->caller, c->own);
}

void machine_leave(coroutine *c)
{
    orders_switch(&c->own, c->caller);
}

#else

void machine_start(coroutine *c, void (*main)(int), int argument)
{
    c->main = main;
    c->argument = argument;
    getcontext(&c->own);
    c->own.uc_stack.ss_sp = c->stack;
    c->own.uc_stack.ss_size = c->bytes;
    c->own.uc_link = NULL;
    makecontext(&c->own, first, 0);
}

void machine_enter(coroutine *c)
{
    begun = c;
    swapcontext(&c->caller, &c->own);
}

void machine_leave(coroutine *c)
{
    swapcontext(&c->own, &c->caller);
}

#endif
