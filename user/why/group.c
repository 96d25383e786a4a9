// SPDX-License-Identifier: Apache-2.0
/* group: see group.h. */
#include "why/group.h"

void walk_interval(struct walk *w, struct path *path, int64_t from, int64_t to,
		   const struct trail_rec *at, struct error *failed)
{
	path_begin(path, from, to);
	if (at->to < to) {
		struct step ended = { .from = at->to > from ? at->to : from,
				      .to = to,
				      .g = at->g,
				      .name = at->name,
				      .reason = "",
				      .kind = STEP_ENDED,
				      .p = UINT32_MAX };

		path_add(path, &ended);
	}
	w->path = path;
	if (at->to > from)
		walk_back(w, at);
	if (!failed->code && path_check(path, failed) == 0)
		if (!store_error(trail_store(w->trail), failed))
			(void)store_error(trail_parts(w->trail)->store, failed);
}

void group_add(struct why_group *group, struct walk *w, int64_t from, int64_t to,
	       const struct trail_rec *at, struct error *failed)
{
	uint64_t before = group->path.count + w->held->read;
	int64_t ns = to - from;

	group->cut |= group->work > WHY_WORK;
	if (group->cut)
		return;
	if (!group->looked++ || ns < group->shortest)
		group->shortest = ns;
	if (ns > group->longest)
		group->longest = ns;
	group->ns += ns;
	walk_interval(w, &group->path, from, to, at, failed);
	group->work += group->path.count + w->held->read - before;
}
