/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_losses: what a graph of the heap lacks (heapgraph/heapgraph.h), for whoever reads an answer
 * that rests on it: `gotap stacks --leaked` and `gotap heap --retained`.
 */
#ifndef GOTAP_CMD_GRAPH_LOSSES_H
#define GOTAP_CMD_GRAPH_LOSSES_H

#include "base/json_out.h"
#include "heapgraph/heapgraph.h"

/* Prints a line to stderr for each kind of loss; none if the graph is whole. */
void graph_losses_say(const struct graph_counts *c);
/* Adds the counts to the open object @j. */
void graph_losses_put(struct json_out *j, const struct graph_counts *c);

#endif
