// SPDX-License-Identifier: Apache-2.0
/*
 * leaked: leaked goroutines by the graph of the heap, of a process that stands still or a core
 * file, any release. See stacks.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/graph_losses.h"
#include "cmd/stacks/stacks.h"
#include "heapgraph/leaks.h"

static int leaked_read(struct stacks *s, struct map64 *goids, struct error *err)
{
	struct heapgraph_opts opts = {
		.plan = &s->plan, .proc = &s->look.proc, .roots = &s->roots, .bin = s->look.bin,
	};
	struct heapgraph hg;
	bool *leaked = NULL;
	size_t i;
	int r = heapgraph_read(&hg, &opts, err);

	if (!r) {
		heapgraph_leaks(&hg, &leaked);
		s->graph = hg.counts;
		for (i = 0; i < hg.goroutines.len; i++)
			if (leaked[i])
				map64_put(goids, vec_at(&hg.goroutines, struct graph_goroutine,
							i)->goid, NULL);
	}
	free(leaked);
	heapgraph_free(&hg);
	return r;
}

int stacks_find_leaks(struct stacks *s, struct error *err)
{
	struct map64 goids = {0};
	size_t i;
	int r = leaked_read(s, &goids, err);

	for (i = 0; i < s->gs.all.len && !r; i++) {
		struct goroutine *g = vec_at(&s->gs.all, struct goroutine, i);

		if (g->status == G_WAITING || g->status == G_LEAKED)
			g->status = map64_get(&goids, g->goid) ? G_LEAKED : G_WAITING;
	}
	map64_free(&goids);
	return r;
}

void stacks_say_graph(const struct stacks *s)
{
	const struct graph_counts *c = &s->graph;

	if (!s->o->reachability)
		return;
	graph_losses_say(c);
	if (c->waits_unknown)
		fprintf(stderr,
			"gotap: of %" PRIu64 " blocked goroutines it is not known what they wait "
			"for: they are not shown as leaked\n", c->waits_unknown);
}
