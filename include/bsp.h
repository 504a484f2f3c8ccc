/* The name under which programs for BSPlib include it. */
#include "openblacs/bsp.h"
