/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaks: which goroutines nothing can wake, by reachability: the algorithm of the collector since
 * Go 1.26 (runtime/mgc.go, findGoroutineLeaks), for all releases. In: a graph. Out: a flag for each
 * goroutine. Called by `gotap stacks --leaked`.
 *
 * Marked is what global variables reach, and goroutines that can run. A goroutine that waits for a
 * channel, a lock, a sync.WaitGroup or a sync.Cond can run as soon as that object is marked. Those
 * that are left are leaked: nothing that can run has a way to what they wait for.
 */
#ifndef GOTAP_HEAPGRAPH_LEAKS_H
#define GOTAP_HEAPGRAPH_LEAKS_H

#include "heapgraph/heapgraph.h"

/* Stores true for each goroutine of hg->goroutines that is leaked. The caller frees *@ret. */
size_t heapgraph_leaks(const struct heapgraph *hg, bool **ret);

#endif
