// SPDX-License-Identifier: Apache-2.0
/*
 * wanted: which goroutines the options of `gotap stacks` ask for, one by one and as groups of one
 * stack. See stacks.h.
 */
#define _GNU_SOURCE
#include <string.h>

#include "cmd/stacks/stacks.h"

static bool wanted_is_in_list(const char *list, const char *state)
{
	size_t n = strlen(state);
	const char *end;

	for (;; list = end + 1) {
		end = strchrnul(list, ',');
		if ((size_t)(end - list) == n && !memcmp(list, state, n))
			return true;
		if (!*end)
			return false;
	}
}

static bool wanted_stack_matches(struct stacks *s, uint32_t stack)
{
	static struct shown_frame frames[SHOWN_MAX];
	size_t i, n = shown_frames(&s->gs, stack, SHOWN_ALL, frames, SHOWN_MAX);

	for (i = 0; i < n; i++)
		if (!regexec(&s->o->func_regex, frames[i].func, 0, NULL, 0))
			return true;
	return false;
}

static bool wanted_has_function(struct stacks *s, const struct goroutine *g)
{
	enum { MATCHES = 1, MATCHES_NOT };
	uint8_t *match;

	if (g->known != STACK_KNOWN)
		return false;
	while (s->matches.len <= g->stack)
		vec_push(&s->matches, sizeof(uint8_t));
	match = vec_at(&s->matches, uint8_t, g->stack);
	if (!*match)
		*match = wanted_stack_matches(s, g->stack) ? MATCHES : MATCHES_NOT;
	return *match == MATCHES;
}

bool stacks_wants(struct stacks *s, const struct goroutine *g)
{
	const struct stacks_options *o = s->o;
	char state[SHOWN_STATE];

	if (o->goid && g->goid != o->goid)
		return false;
	if (o->leaked && !shown_is_leaked(s->plan.minor, g))
		return false;
	if (!o->system && !o->goid && shown_is_system(&s->gs, s->plan.minor, g)) {
		s->left_out++;
		return false;
	}
	if (o->still && g->still <= STILL_MOVED)
		return false;
	if (o->states && !wanted_is_in_list(o->states, shown_state(s->plan.minor, g, state)))
		return false;
	return !o->func || wanted_has_function(s, g);
}

static uint64_t wanted_group_key(const struct stacks *s, const struct goroutine *g)
{
	uint64_t h = g->known == STACK_KNOWN ?
			     g->stack :
			     ~(uint64_t)(g->known << 16 | g->status << 8 | g->reason);

	return hash64_seeded(h) ^ (s->o->no_labels ? 0 : (uintptr_t)g->labels + g->labels_unread);
}

static int wanted_larger_first(const void *a, const void *b)
{
	const struct vec *x = &((const struct stacks_group *)a)->members;
	const struct vec *y = &((const struct stacks_group *)b)->members;
	uint64_t i, j;

	if (x->len != y->len)
		return x->len < y->len ? 1 : -1;
	i = (*vec_at(x, const struct goroutine *, 0))->goid;
	j = (*vec_at(y, const struct goroutine *, 0))->goid;
	return (i > j) - (i < j);
}

void stacks_group(struct stacks *s, struct vec *ret)
{
	struct map64 known = {0};
	struct stacks_group *group;
	uint64_t *at;
	bool is_new;
	size_t i;

	*ret = (struct vec){0};
	for (i = 0; i < s->gs.all.len; i++) {
		const struct goroutine *g = vec_at(&s->gs.all, struct goroutine, i);

		if (!stacks_wants(s, g))
			continue;
		at = map64_put(&known, wanted_group_key(s, g), &is_new);
		if (is_new) {
			*at = ret->len;
			vec_push(ret, sizeof(*group));
		}
		group = vec_at(ret, struct stacks_group, *at);
		*(const struct goroutine **)vec_push(&group->members, sizeof(g)) = g;
	}
	map64_free(&known);
	vec_sort(ret, sizeof(*group), wanted_larger_first);
}

void stacks_free_groups(struct vec *groups)
{
	size_t i;

	for (i = 0; i < groups->len; i++)
		vec_free(&vec_at(groups, struct stacks_group, i)->members);
	vec_free(groups);
}
