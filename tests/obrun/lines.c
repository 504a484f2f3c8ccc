/*
 * Writes numbered lines of changing length in pieces that never end where a
 * line does: what an unlucky program's stdio does. lines COUNT [WIDTH]: line k
 * of process i is "i k xxx... end", on standard output and, for odd k, on
 * standard error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1009 };

typedef struct piece {
    int fd;
    size_t used;
    char bytes[PIECE];
} piece;

static void flush(piece *p)
{
    for (size_t at = 0; at < p->used;) {
        ssize_t done = write(p->fd, p->bytes + at, p->used - at);
        if (done < 0)
            exit(9);
        at += (size_t)done;
    }
    p->used = 0;
}

static void add(piece *p, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        p->bytes[p->used++] = text[i];
        if (p->used == PIECE)
            flush(p);
    }
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 10, width = argc > 2 ? atol(argv[2]) : 60;
    const char *job = getenv("OPENBLACS_JOB");
    const char *number = job ? strchr(job, ':') : NULL;
    static piece streams[2] = {{.fd = 1}, {.fd = 2}};
    if (number == NULL)
        return 8;
    char *filler = malloc((size_t)width + 1);
    memset(filler, 'x', (size_t)width);
    for (long k = 0; k < count; k++) {
        char head[64];
        piece *p = &streams[k % 2];
        int n = snprintf(head, sizeof head, "%s %ld ", number + 1, k);
        add(p, head, (size_t)n);
        add(p, filler, (size_t)(width > 100000 ? width : (k * 7) % (width + 1)));
        add(p, " end\n", 5);
    }
    flush(&streams[0]);
    flush(&streams[1]);
    free(filler);
    return 0;
}
