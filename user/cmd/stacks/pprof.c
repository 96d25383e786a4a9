// SPDX-License-Identifier: Apache-2.0
/*
 * pprof: goroutines as a profile in the form of /debug/pprof/goroutine?debug=0: a sample for each
 * stack with each set of labels. See stacks.h.
 */
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/stacks/stacks.h"
#include "pprof/count_profile.h"

/* The outermost function of each goroutine, which runtime/pprof leaves out. */
static size_t without_exit(const struct shown_frame *frames, size_t n)
{
	return n > 1 && !strcmp(frames[n - 1].func, "runtime.goexit") ? n - 1 : n;
}

static void add_stack(struct count_profile *p, struct stacks *s, const struct stacks_group *group,
		      const char *labels)
{
	static struct shown_frame frames[SHOWN_MAX];
	static uint32_t numbers[SHOWN_MAX];
	const struct goroutine *g = *vec_at(&group->members, const struct goroutine *, 0);
	size_t i, n = without_exit(frames,
				   shown_frames(&s->gs, g->stack, SHOWN_ALL, frames, SHOWN_MAX));

	for (i = 0; i < n; i++)
		numbers[i] = count_profile_frame(p, frames[i].func, frames[i].file, frames[i].line,
						 frames[i].pc - 1);
	count_profile_add(p, numbers, (uint32_t)n, labels, group->members.len);
}

static void add_group(struct count_profile *p, struct stacks *s, const struct stacks_group *group)
{
	static const char *const unknown[] = {
		[STACK_RUNNING] = "(running)", [STACK_MOVED] = "(ran each time that it was read)",
		[STACK_UNREADABLE] = "(could not be read)",
	};
	const struct goroutine *g = *vec_at(&group->members, const struct goroutine *, 0);
	const char *labels = g->labels && !s->o->no_labels ? g->labels : "";

	if (g->known == STACK_KNOWN)
		add_stack(p, s, group, labels);
	else
		count_profile_add_place(p, unknown[g->known], labels, group->members.len);
}

int stacks_write_profile(struct stacks *s, struct error *err)
{
	struct count_profile *p = count_profile_new("goroutine");
	_cleanup_free_ char *missing = NULL;
	struct vec groups;
	size_t i;
	int r;

	stacks_group(s, &groups);
	for (i = 0; i < groups.len; i++)
		add_group(p, s, vec_at(&groups, struct stacks_group, i));
	if (s->gs.unreadable) {
		missing = xasprintf("%zu goroutines could not be read", s->gs.unreadable);
		count_profile_comment(p, missing);
	}
	r = count_profile_write(p, STDOUT_FILENO, err);
	stacks_free_groups(&groups);
	count_profile_free(p);
	return r;
}
