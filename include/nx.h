/* The name under which programs for NX include it. */
#include "openblacs/nx.h"
