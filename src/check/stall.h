/*
 * A note to the user when processes that wait for each other have done so for long, at the
 * level of checking that everybody has (docs/checking.md). It says so once, and ends nothing.
 */
#ifndef OB_CHECK_STALL_H
#define OB_CHECK_STALL_H

#include "core/job.h"

/* This thread waits since `since` for one of the peers, and has just looked in vain; for longer
 * than OPENBLACS_CHECK_SECONDS. */
void ob_stall(ob_job *job, double since, double now, ob_peer *const *peers, int count);

#endif
