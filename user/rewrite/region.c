// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite_region: tasks and regions. Readers refuse the end of a region that is not the innermost
 * one of its goroutine, and a task that begins twice. An undamaged original has neither, but damage
 * may have removed an end or a name.
 */
#include <sys/types.h>

#include "rewrite/internal.h"

/* The innermost regions among which an end is looked up: damage leaves few regions open forever. */
enum { DEPTH = 64 };

/* A pointer for the name, the same one while a region with this name is open. */
static const char *rewrite_region_name_of(struct rewrite *c, uint64_t id)
{
	size_t len = 0;
	const char *s = trace_reader_string(c->r, id, &len);

	return strset_add_bytes(c->texts, s ? s : "", s ? len : 0);
}

static void rewrite_region_put(struct rewrite *c, enum sim_origin origin, struct sim_g *g,
			       enum tracev2_event ev, const struct sim_region *region,
			       uint64_t stack)
{
	size_t len = strset_len(region->name);

	sim_put(&c->sim, origin, g->m, ev, region->task,
		len ? tracefile_bytes(c->tf, region->name, len) : 0, stack);
}

int rewrite_region_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);
	struct sim_region *region;

	if (!g || !c->writing)
		return g || !rewrite_wanted(c, ev->g);
	region = vec_push(&g->regions, sizeof(*region));
	*region = (struct sim_region){ ev->args[0], rewrite_region_name_of(c, ev->args[1]) };
	rewrite_region_put(c, SIM_CONVERTED, g, EV_UserRegionBegin, region,
			   rewrite_stack(c, ev->args[2]));
	return 1;
}

/*
 * The number of regions around @ended, less than the number of open ones if inner regions did not
 * end. -1: the region is not open.
 */
static ssize_t outer_of(const struct vec *regions, const struct sim_region *ended)
{
	size_t i = regions->len, least = i > DEPTH ? i - DEPTH : 0;

	while (i-- > least) {
		const struct sim_region *region = vec_at(regions, struct sim_region, i);

		if (region->task == ended->task && region->name == ended->name)
			return (ssize_t)i;
	}
	return -1;
}

/* Ends a region. If the goroutine has no open region, the region began before the trace. */
int rewrite_region_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);
	struct sim_region ended;
	ssize_t outer;

	if (!g || !c->writing)
		return g || !rewrite_wanted(c, ev->g);
	ended = (struct sim_region){ ev->args[0], rewrite_region_name_of(c, ev->args[1]) };
	outer = outer_of(&g->regions, &ended);
	if (outer < 0 && g->regions.len)
		return 0;
	while (outer >= 0 && g->regions.len > (size_t)outer + 1)
		rewrite_region_put(c, SIM_ADDED, g, EV_UserRegionEnd,
		    vec_at(&g->regions, struct sim_region, --g->regions.len), 0);
	g->regions.len -= g->regions.len > 0;
	rewrite_region_put(c, SIM_CONVERTED, g, EV_UserRegionEnd, &ended,
			   rewrite_stack(c, ev->args[2]));
	return 1;
}

int rewrite_task_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);
	uint64_t parent = ev->args[1] == TRACEV2_NO_ID ? 0 : ev->args[1];
	bool is_new = true;

	if (!g || !c->writing)
		return g || !rewrite_wanted(c, ev->g);
	map64_put(&c->tasks, ev->args[0], &is_new);
	if (!is_new)
		return 0;
	sim_put(&c->sim, SIM_CONVERTED, g->m, EV_UserTaskBegin, ev->args[0], parent,
		rewrite_string(c, ev->args[2]), rewrite_stack(c, ev->args[3]));
	return 1;
}

int rewrite_task_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	if (!g || !c->writing)
		return g || !rewrite_wanted(c, ev->g);
	map64_del(&c->tasks, ev->args[0]);
	sim_put(&c->sim, SIM_CONVERTED, g->m, EV_UserTaskEnd, ev->args[0],
		rewrite_stack(c, ev->args[1]));
	return 1;
}
