/* A target that hangs, so that tests/run/fuzz.sh shows that it finds such: 'l' computes for ever,
 * 's' sleeps. */
#include <unistd.h>

#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (volatile int turn = 0; size && data[0] == 'l'; turn = !turn)
        ;
    while (size && data[0] == 's')
        pause();
    return 0;
}
