// SPDX-License-Identifier: Apache-2.0
/*
 * tally_names: the group of a goroutine: its start function, labels, or region. See
 * tally_internal.h.
 */
#include <stdlib.h>

#include "read/labels.h"
#include "spans/spans.h"
#include "top/tally_internal.h"

const char *const group_by_names[GROUP_BYS] = {
	[BY_FUNCTION] = "function",
	[BY_LABEL] = "label",
	[BY_REGION] = "region",
	[BY_ROUTE] = "route",
};

/*
 * Limit on start functions with a name. A program has some hundred; damaged memory may yield any
 * number.
 */
enum { FUNCTIONS_MAX = 16384 };

struct tally_function {
	char *name;
	bool system;
};

static struct tally_function *look_up(const struct tally *t, uint64_t start)
{
	struct tally_function *f = xcalloc(1, sizeof(*f));
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	size_t n = start ? tap_frames(t->tap, start, frames, TRACEV2_MAX_FRAMES) : 0;
	const char *name = n ? frames[n - 1].func : "";

	/*
	 * The main goroutine begins in runtime.main, but has the name of the program's function, as
	 * in reports.
	 */
	if (name && !strcmp(name, "runtime.main"))
		name = "main.main";
	f->name = xstrdup(name && *name ? name : "(function not known)");
	f->system = spans_is_system(f->name);
	return f;
}

static struct tally_function *tally_function_of(struct tally *t, uint64_t start)
{
	uint64_t *known = map64_get(&t->functions, start);
	struct tally_function *f;

	if (known)
		return (struct tally_function *)(uintptr_t)*known;
	if (t->functions.len >= FUNCTIONS_MAX)
		return start ? tally_function_of(t, 0) : NULL;
	f = look_up(t, start);
	*map64_put(&t->functions, start, NULL) = (uint64_t)(uintptr_t)f;
	return f;
}

bool top_tally_is_system(struct tally *t, uint64_t start)
{
	struct tally_function *f = tally_function_of(t, start);

	return f && f->system;
}

static struct group *group_of_function(struct tally *t, uint64_t start)
{
	struct tally_function *f = tally_function_of(t, start);
	/*
	 * Looks the group up by the name of the function: compiler-made wrappers of one function
	 * have different keys.
	 */
	struct group *g = groups_of_text(&t->groups, f ? f->name : "(function not known)", t->now);

	g->system = f && f->system;
	return g;
}

/* Groups by the value of one label: "/buy" of path="/buy". */
static struct group *group_of_value(struct tally *t, const char *text)
{
	struct labels labels = {0};
	const struct label *l = NULL;
	struct group *g;

	if (labels_parse(&labels, text, strlen(text)))
		l = labels_find(&labels, t->opts.label, strlen(t->opts.label));
	g = groups_of_text(&t->groups, l ? label_value(&labels, l) : "(no such label)", t->now);
	labels_free(&labels);
	return g;
}

static struct group *group_of_labels(struct tally *t, const struct tally_go *g)
{
	if (t->opts.label)
		return group_of_value(t, g->labels ? g->labels : "");
	return groups_of_text(&t->groups, g->labels ? g->labels : "(no labels)", t->now);
}

static struct group *group_of_region(struct tally *t, const struct tally_go *g)
{
	const char *text = "(in no region)";

	if (g->regions.len)
		text = *vec_at(&g->regions, const char *, g->regions.len - 1);
	return groups_of_text(&t->groups, text, t->now);
}

struct group *top_tally_group_of(struct tally *t, const struct tap_go *g)
{
	switch (t->opts.by) {
	case BY_LABEL:
		return group_of_labels(t, tally_go_of(g));
	case BY_REGION:
		return group_of_region(t, tally_go_of(g));
	default:
		return group_of_function(t, g->start);
	}
}

void top_tally_names_free(struct tally *t)
{
	size_t i;

	for (i = 0; i < t->functions.made; i++) {
		struct tally_function *f =
			(struct tally_function *)(uintptr_t)t->functions.slots[i].value;

		if (f)
			free(f->name);
		free(f);
	}
	map64_free(&t->functions);
}
