// SPDX-License-Identifier: Apache-2.0
/*
 * report_alloc: sampled allocations (group alloc): whether the program samples any, before the
 * recording, and how many there were, after it.
 */
#include <inttypes.h>

#include "cmd/record/record.h"
#include "cmd/record/report.h"
#include "live/memory.h"

/* Since Go 1.17 the linker sets runtime.disableMemoryProfiling. */
enum { MINOR_SWITCHED_OFF = 17 };

/*
 * The linker switches sampling off in a program that has none of the functions that read the
 * profile. A launched program has not come to the place yet that sets the rate to 0.
 */
static bool alloc_is_linked(const struct gobin *b)
{
	struct gobin_func fn;

	return gobin_go_minor(b) < MINOR_SWITCHED_OFF ||
	       !gobin_func(b, "runtime.MemProfile", &fn) ||
	       !gobin_func(b, "runtime.memProfileInternal", &fn);
}

static bool alloc_is_off(const struct target *t)
{
	uint64_t at = t->plan.profile_rate, rate = 0;

	if (t->proc.launched)
		return !alloc_is_linked(t->bin);
	return at && memory_read(&t->proc, at + t->proc.bias, &rate, sizeof(rate)) && !rate;
}

void report_say_sampling(const struct target *t, FILE *f)
{
	if (!(t->plan.groups & 1u << GROUP_ALLOC))
		return;
	if (alloc_is_off(t))
		fprintf(f, "gotap: group alloc: the program samples no allocations now "
			"(runtime.MemProfileRate is 0, which the linker sets where nothing reads "
			"the heap profile): there will be no events of it; `gotap heap -p PID "
			"--switch-on --diff TIME` switches sampling on for a time\n");
	else if (!t->plan.profile_rate)
		fprintf(f, "gotap: group alloc: runtime.MemProfileRate was not found: samples have "
			"no rate, and cannot be scaled\n");
}

void report_print_allocs(const struct report *r, FILE *f)
{
	const struct model_counts *c = &r->result->model;

	if (!r->plan || !(r->plan->groups & 1u << GROUP_ALLOC))
		return;
	fprintf(f, "allocations: %" PRIu64 " sampled, %" PRIu64 " samples freed", c->allocs,
		c->frees);
	if (c->frees_before)
		fprintf(f, ", %" PRIu64 " of them allocated before the recording, or before a loss",
			c->frees_before);
	if (c->frees_beyond)
		fprintf(f, ", %" PRIu64 " before the recording, or when too many were alive",
			c->frees_beyond);
	fputc('\n', f);
	if (c->allocs_untyped)
		fprintf(f, "allocations: %" PRIu64 " of these have no type, as too many stacks "
			"allocate\n", c->allocs_untyped);
	if (c->allocs_homeless)
		fprintf(f, "allocations: %" PRIu64 " of these have no event, as their thread ran "
			"no goroutine\n", c->allocs_homeless);
	if (c->allocs_unpaired)
		fprintf(f, "allocations: of %" PRIu64 " samples the end is not known, because "
			"records are missing\n", c->allocs_unpaired);
}
