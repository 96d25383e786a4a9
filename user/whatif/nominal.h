/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nominal: how long the sleeps and timers of a trace were meant to be. The trace has how long they
 * took: a sleep ends late, and it ends much later while all Ps are busy.
 */
#ifndef GOTAP_WHATIF_NOMINAL_H
#define GOTAP_WHATIF_NOMINAL_H

#include "whatif/programs.h"

/*
 * Sets class.nominal of the sleeps, shortens those that ended late because no P looked, and finds
 * tickers: waits whose ends are regular whenever they began. They become ENDED_CLOCK.
 */
void nominal_find(struct programs *p);

#endif
