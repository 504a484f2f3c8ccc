/* The way of a process to itself: the one-process oracle of every other transport. */
#ifndef OB_SELF_H
#define OB_SELF_H
#include "core/job.h"
int ob_self_connect(ob_peer *peer);
#endif
