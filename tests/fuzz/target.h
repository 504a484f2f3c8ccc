/*
 * A target: eats some bytes as a file, a setting or a command line, and must not crash. libFuzzer
 * calls it.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs what may call exit; true when it did. For a program linked with --wrap=exit. */
int fuzz_exits(void (*run)(void *), void *context);

/* The bytes as a string for the caller to free, up to the first zero. */
char *fuzz_text(const uint8_t *data, size_t size);

enum { FUZZ_WORDS = 16 };
/* Cuts a text at line ends into at most FUZZ_WORDS words behind the name of a program, ended by
 * NULL. */
int fuzz_words(char *text, const char *program, char *words[FUZZ_WORDS + 2]);

#endif
