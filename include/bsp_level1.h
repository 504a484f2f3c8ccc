/* The short name of the level-1 header. */
#include "openblacs/bsp_level1.h"
