/* The name under which programs for NX on the iPSC include it. */
#include "openblacs/nx.h"
