// SPDX-License-Identifier: Apache-2.0
/* goroutines: see goroutines.h. */
#include "cmd/ps/goroutines.h"

#include "live/memory.h"
#include "live/pointers.h"
#include "live/process.h"
#include "live/roots.h"
#include "stacks/goroutines.h"
#include "target/offsets.h"

enum { BATCH = 64, SEARCHED = 64 << 20 };

struct ps_roots ps_roots_of(const struct plan *plan, const struct gobin *bin)
{
	return (struct ps_roots){
		.minor = plan->minor, .machine = plan->arch->elf, .entry = gobin_entry(bin),
		.allgs = plan->allgs, .allp = plan->allp,
		.data_start = plan->data_start, .data_end = plan->data_end,
	};
}

const char *const ps_state_names[PS_STATES] = {
	[PS_RUNNING] = "running",
	[PS_RUNNABLE] = "runnable",
	[PS_SYSCALL] = "syscall",
	[PS_WAITING] = "waiting",
};

static const struct ps_goroutines none = { .n = -1 };

/* _Gcopystack: the runtime moves the stack of a goroutine that runs before and after. */
static enum ps_state state_of(const struct g_facts *f)
{
	switch (f->status) {
	case G_RUNNING:
	case G_COPYSTACK:
		return PS_RUNNING;
	case G_RUNNABLE:
		return PS_RUNNABLE;
	case G_SYSCALL:
		return PS_SYSCALL;
	default:
		return PS_WAITING;
	}
}

static bool exists(const struct g_facts *f)
{
	return f->goid && f->status && f->status != G_DEAD && f->status != G_DEADEXTRA;
}

/* An element that is no goroutine, or not one any more, is not counted. */
static struct ps_goroutines ps_goroutines_count(const struct goroutines_opts *opts,
						const struct pointers *list)
{
	struct g_facts facts[BATCH];
	struct ps_goroutines ret = {0};
	size_t i, k, piece;

	for (i = 0; i < list->n; i += piece) {
		piece = list->n - i < BATCH ? list->n - i : BATCH;
		goroutines_look(opts, list->at + i, piece, facts, NULL);
		for (k = 0; k < piece; k++) {
			if (!exists(&facts[k]))
				continue;
			ret.n++;
			ret.in[state_of(&facts[k])]++;
		}
	}
	/* a program that runs has one at least */
	return ret.n ? ret : none;
}

static struct ps_goroutines ps_goroutines_look(const struct plan *plan, const struct process *p)
{
	struct roots roots;
	struct goroutines_opts opts = { .plan = plan, .proc = p, .roots = &roots };
	struct pointers list = {0};
	struct ps_goroutines ret = none;

	if (!roots_find(plan, p, NULL, &roots, &(struct error){0}) &&
	    !goroutines_list(&opts, &list, &(struct error){0}) && !memory_is_silent(p))
		ret = ps_goroutines_count(&opts, &list);
	pointers_free(&list);
	return ret;
}

struct ps_goroutines ps_goroutines_of(const struct procfs *fs, pid_t pid, const struct ps_roots *r)
{
	struct plan plan = { .minor = r->minor, .arch = goarch_of(r->machine), .allgs = r->allgs,
			     .allp = r->allp, .data_start = r->data_start,
			     .data_end = r->data_end };
	struct process p = PROCESS_CLOSED;
	struct ps_goroutines ret = none;

	if (r->minor <= 0 || !plan.arch || r->data_end - r->data_start > SEARCHED ||
	    go_offsets_from_table(r->minor, &plan.offsets))
		return none;
	if (!process_open(&p, fs, pid, &(struct error){0}) &&
	    !process_find_bias(&p, r->entry, &(struct error){0}) &&
	    !memory_begin(&p, NULL, &(struct error){0}))
		ret = ps_goroutines_look(&plan, &p);
	process_close(&p);
	return ret;
}
