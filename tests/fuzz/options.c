/* The command lines of obrun and the tools, a word a line; the first byte says whose. */
#include <stdlib.h>

#include "obrun/options.h"
#include "target.h"

static void read_them(void *words)
{
    obrun_options o = {0};
    obrun_read_options(&o, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[FUZZ_WORDS + 2], *text = fuzz_text(data, size);
    fuzz_words(text, "obrun", words);
    fuzz_exits(read_them, words);
    free(text);
    return 0;
}
