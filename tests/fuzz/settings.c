/* The environment: lines of names and values. All that ob_settings_read knows are asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/settings.h"
#include "target.h"

extern char **environ;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char warning[200], *words[FUZZ_WORDS + 2], **before = environ;
    char *text = fuzz_text(data, size);
    ob_settings s;
    fuzz_words(text, "", words);
    environ = words + 1;
    ob_settings_read(&s);
    for (char **at = environ; *at; at++)
        ob_settings_unknown(*at, warning, sizeof warning);
    ob_settings_listed(text, 3);
    environ = before;
    free(text);
    return 0;
}
