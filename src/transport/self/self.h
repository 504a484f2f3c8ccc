/* The way of a process to itself: the one-process oracle of every other transport. */
#ifndef OB_TRANSPORT_SELF_SELF_H
#define OB_TRANSPORT_SELF_SELF_H
#include "core/job.h"
int ob_self_connect(ob_peer *peer);
#endif
