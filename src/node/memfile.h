/* Anonymous memory files: sparse, shared by descriptor, gone with their last user. */
#ifndef OB_NODE_MEMFILE_H
#define OB_NODE_MEMFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A new file of that many bytes, all zero, costing memory only where touched;
 * its descriptor (inherited across exec), or -1 with errno. */
int ob_memfile_create(size_t bytes);
/* Maps [offset, offset + bytes) shared; NULL with errno. */
void *ob_memfile_map(int fd, size_t offset, size_t bytes);
/* Addresses for later mappings, behind which there is nothing yet; NULL with errno. */
void *ob_memfile_addresses(size_t bytes);
/* Maps [offset, offset + bytes) shared at addresses that were had so; false with errno. */
bool ob_memfile_map_at(void *at, int fd, size_t offset, size_t bytes);
void ob_memfile_unmap(void *base, size_t bytes);

/* A file of which a part is mapped. A program may close our descriptor and open a file of its own
 * under the number: so what can be done through the mapping is, and a descriptor is used only
 * while it still leads to the file that it was opened for. */
typedef struct ob_memfile {
    char *base;    /* where the file is mapped, */
    size_t offset; /* from there on */
    int fd;
    dev_t device;
    ino_t inode;
} ob_memfile;

ob_memfile ob_memfile_of(int fd, void *base, size_t offset);
/* Does the descriptor still lead to the file? */
bool ob_memfile_open(const ob_memfile *m);
/* Makes sure that memory stands behind a range, so that touching it cannot
 * fail later; false with errno when there is none. */
bool ob_memfile_reserve(const ob_memfile *m, void *at, size_t bytes);
/* Gives the memory of all pages within a range back; they read as zero afterwards. */
void ob_memfile_discard(void *at, size_t bytes);
/* So many bytes from there on have not been touched since they were made or given back; those
 * may be fewer than it could tell. */
size_t ob_memfile_untouched(const ob_memfile *m, const void *at);
/* Bytes of a page, which are a power of two from 4096 on, and of the machine's memory. */
size_t ob_memfile_page(void);
size_t ob_memfile_machine_bytes(void);

#endif
