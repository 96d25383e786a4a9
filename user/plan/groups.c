// SPDX-License-Identifier: Apache-2.0
/* groups: the groups of probes by name (plan.h, groups.def) and what they cost (costs.def). */
#include <string.h>

#include "plan/plan.h"

static const struct group_spec {
	const char *name;
	bool on;
	const char *text;
} group_specs[GROUPS] = {
#define GROUP(id, name, on, text) { name, on, text },
#include "plan/groups.def"
#undef GROUP
};

const char *group_name(enum group g)
{
	return group_specs[g].name;
}

const char *group_text(enum group g)
{
	return group_specs[g].text;
}

struct group_cost group_cost(enum group g)
{
	static const struct group_cost costs[GROUPS] = {
#define COST(id, hits, uprobes) [GROUP_##id] = { hits, uprobes },
#include "plan/costs.def"
#undef COST
	};

	return costs[g];
}

bool group_is_extra(enum group g)
{
	return g == GROUP_HEAP || g == GROUP_SWEEP || g == GROUP_STACKS || g == GROUP_SPANS ||
	       g == GROUP_OBJECTS || g == GROUP_ALLOC;
}

unsigned int groups_default(void)
{
	unsigned int set = 0;
	enum group g;

	for (g = 0; g < GROUPS; g++)
		if (group_specs[g].on)
			set |= 1u << g;
	return set;
}

/*
 * Objects cost more than all others together, and linux is about the kernel, which runs other
 * programs, too: both have to be named.
 */
static unsigned int groups_all(void)
{
	return ((1u << GROUPS) - 1) & ~(1u << GROUP_OBJECTS | 1u << GROUP_LINUX);
}

static bool group_mask(const char *name, size_t n, unsigned int *ret)
{
	enum group g;

	if (n == 3 && !strncmp(name, "all", n))
		*ret = groups_all();
	else if (n == 7 && !strncmp(name, "default", n))
		*ret = groups_default();
	else {
		for (g = 0; g < GROUPS; g++)
			if (strlen(group_specs[g].name) == n &&
			    !strncmp(name, group_specs[g].name, n))
				break;
		if (g == GROUPS)
			return false;
		*ret = 1u << g;
	}
	return true;
}

bool groups_parse(const char *list, unsigned int *ret)
{
	unsigned int set = *list == '-' || *list == '+' ? groups_default() : 0, mask;

	if (!*list)
		return false;
	while (*list) {
		bool minus = *list == '-';
		size_t n = strcspn(list += minus || *list == '+', ",");

		if (!group_mask(list, n, &mask))
			return false;
		set = minus ? set & ~mask : set | mask;
		list += n + (list[n] == ',');
	}
	*ret = set | 1u << GROUP_SCHED | 1u << GROUP_SYSCALL;
	return true;
}
