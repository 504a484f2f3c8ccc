/*
 * Reading a terminal on behalf of process 0. Its process group is not the
 * terminal's foreground group, so it would be stopped if it read itself.
 */
#ifndef OB_LAUNCH_INPUT_H
#define OB_LAUNCH_INPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ob_input {
    int terminal; /* -1 when there is nothing to pass on */
    int pipe;     /* to process 0 */
    char bytes[4096];
    size_t at, used; /* [at, used) of bytes is not yet in the pipe */
} ob_input;

/* Begins to pass the terminal's input to `pipe`, which it now owns. */
void ob_input_open(ob_input *in, int terminal, int pipe);
void ob_input_close(ob_input *in);
/* Fills *p with what to poll for; false when there is nothing to wait for now. */
bool ob_input_wants(const ob_input *in, struct pollfd *p);
/* Moves bytes after poll has found *p ready. */
void ob_input_step(ob_input *in, const struct pollfd *p);

#endif
