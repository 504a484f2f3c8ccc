/* In front of every explored file. */
void ex_again(void);
#define OB_PAUSE ex_again
