/* The short name of BSP2D's header. */
#include "openblacs/bsp2d.h"
