#ifndef OB_CORE_SCRATCH_H
#define OB_CORE_SCRATCH_H
/* Frees the calling thread's working memory. */
void ob_scratch_free(void);
#endif
