/*
 * What libopenblacs_factor passes on from a library that was opened for this program alone, with
 * the ScaLAPACK that it is linked with: nothing of it stands behind by the order of loading.
 */
#include "matrix.h"

#include <dlfcn.h>

int main(void)
{
    begin();
    void *library = dlopen(MODULE, RTLD_NOW | RTLD_LOCAL);
    int (*info_of)(int) = NULL;
    int context = make_grid(1, world.count);
    check(library != NULL, "%s", dlerror());
    if (library)
        *(void **)&info_of = dlsym(library, "info_of_oblong_blocks");
    check(info_of != NULL, "nothing in %s", MODULE);
    int info = info_of ? info_of(context) : 0;
    check(info == -606, "blocks that are not square: info %d, not -606", info);
    Cblacs_gridexit(context);
    return finish();
}
