#include "target.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf way_out;
static int running;

_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status);

void __wrap_exit(int status)
{
    if (running)
        longjmp(way_out, 1);
    __real_exit(status);
}

int fuzz_exits(void (*run)(void *), void *context)
{
    running = 1;
    int left = setjmp(way_out);
    if (!left)
        run(context);
    running = 0;
    return left;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

int fuzz_words(char *text, const char *program, char *words[FUZZ_WORDS + 2])
{
    static char name[32];
    int count = 1;
    strncpy(name, program, sizeof name - 1);
    words[0] = name;
    for (char *at = strtok(text, "\n"); at && count <= FUZZ_WORDS; at = strtok(NULL, "\n"))
        words[count++] = at;
    words[count] = NULL;
    return count;
}
