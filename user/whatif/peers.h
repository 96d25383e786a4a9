/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers: waits for the network that another goroutine of the same program ends. If a goroutine
 * waits for what one other goroutine writes, the trace shows no wake-up between them: the network
 * poller ends the wait. They are found by their times: one of the writes lies in nearly each wait,
 * shortly before its end, and no other goroutine's writes do.
 */
#ifndef GOTAP_WHATIF_PEERS_H
#define GOTAP_WHATIF_PEERS_H

#include "whatif/programs.h"

/* Makes such waits ENDED_POST, by a new op behind the write; counts them in @p->linked. */
void peers_join(struct programs *p);

#endif
