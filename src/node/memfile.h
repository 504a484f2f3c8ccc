/* Anonymous memory files: sparse, shared by descriptor, gone with their last user. */
#ifndef OB_NODE_MEMFILE_H
#define OB_NODE_MEMFILE_H

#include <stdbool.h>
#include <stddef.h>

/* A new file of that many bytes, all zero, costing memory only where touched;
 * its descriptor (inherited across exec), or -1 with errno. */
int ob_memfile_create(size_t bytes);
/* Maps [offset, offset + bytes) shared; NULL with errno. */
void *ob_memfile_map(int fd, size_t offset, size_t bytes);
void ob_memfile_unmap(void *base, size_t bytes);
/* Makes sure that memory stands behind a range, so that touching it cannot
 * fail later; false when there is none. */
bool ob_memfile_reserve(int fd, size_t offset, size_t bytes);
/* Gives the memory behind a range back; it reads as zero afterwards. */
void ob_memfile_discard(int fd, size_t offset, size_t bytes);
/* Has anything of a range been touched since it was made or given back? Tells no less than that. */
bool ob_memfile_touched(int fd, size_t offset, size_t bytes);
/* Bytes of the machine's memory. */
size_t ob_memfile_machine_bytes(void);

#endif
