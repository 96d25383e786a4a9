// SPDX-License-Identifier: Apache-2.0
/*
 * check_traps: traces that reader and validator accept, and that crash or mislead tools which use
 * the result (Go 1.27: the accessors of Event, and MutatorUtilizationV2 of the MMU page). Input:
 * events in order. Output: faults of kind trap, and warnings.
 */
#include <string.h>

#include "read/check_state.h"

#define FAIL(c, ev, ...) check_fail(c, CHECK_TRAP, ev, __VA_ARGS__)

enum {
	EXPERIMENTS = 2,		/* none, and AllocFree */
	MANY_PROCS = 1 << 20,		/* the MMU page allocates memory for each P */
};

static void trap_experiments(struct check *c, const struct trace_event *ev)
{
	const struct v2_generation *gen = trace_reader_generation(c->r);
	size_t i;

	for (i = 0; i < gen->experiments.len; i++) {
		uint8_t exp = vec_at(&gen->experiments, struct v2_experiment, i)->exp;

		if (exp >= EXPERIMENTS)
			FAIL(c, ev, "experimental batch of unknown experiment %u: Event.Sync()"
			     " panics", exp);
	}
}

static void trap_sync(struct check *c, const struct trace_event *ev)
{
	const struct v2_generation *gen = trace_reader_generation(c->r);

	if (!gen)
		return;
	trap_experiments(c, ev);
	if (!gen->has_threads)
		check_warn(c, WARN_EMPTY_GENERATION, &ev->place);
	c->stw_across = c->open_stw;
	if (gen->tables.frames_differ)
		check_warn(c, WARN_PC_MEANINGS, &ev->place);
}

static void trap_stw(struct check *c, const struct trace_event *ev)
{
	size_t len;

	if (ev->type == EV_STWBegin) {
		c->open_stw++;
		return;
	}
	c->open_stw--;
	if (c->stw_across)
		check_warn(c, WARN_STW_ACROSS, &ev->place);
	c->stw_across = c->open_stw < c->stw_across ? c->open_stw : c->stw_across;
	if (!check_text(c, ev->args[0], &len))
		FAIL(c, ev, "its reason, string %llu of the generation it began in, is unknown in"
		     " this one: Event.Range() panics", (unsigned long long)ev->args[0]);
}

static void trap_procs(struct check *c, const struct trace_event *ev)
{
	int64_t procs = (int64_t)ev->args[0];

	c->procs_seen = true;
	if (procs < 0 || procs > MANY_PROCS) {
		FAIL(c, ev, "GOMAXPROCS of %lld", (long long)procs);
		return;
	}
	c->procs = procs;
}

/* The mutator utilization uses the event's P as an index of a list with GOMAXPROCS items. */
static void use_proc(struct check *c, const struct trace_event *ev)
{
	if (c->procs && ev->p >= (uint64_t)c->procs)
		FAIL(c, ev, "GC work on P %lld with GOMAXPROCS %lld: mutator utilization panics",
		     (long long)ev->p, (long long)c->procs);
}

static void set_in_gc(struct check *c, uint64_t g, bool in_gc)
{
	struct check_res *res = check_find_g(c, g);

	if (res && c->procs)
		res->gc_work = (uint8_t)(in_gc ? res->gc_work | CHECK_IN_GC :
					 res->gc_work & ~CHECK_IN_GC);
}

static bool is_background_mark(struct check *c, uint64_t label)
{
	size_t len;
	const char *text = check_text(c, label, &len);

	return len >= 3 && !memcmp(text, "GC ", 3) && (len != 9 || memcmp(text, "GC (idle)", 9));
}

static void trap_label(struct check *c, const struct trace_event *ev)
{
	struct check_res *g = check_find_g(c, ev->g);

	if (!g || !c->procs || !is_background_mark(c, ev->args[0]))
		return;
	g->gc_work |= CHECK_BG_MARK;
	use_proc(c, ev);
}

void check_trap_gc_work(struct check *c, const struct trace_event *ev)
{
	use_proc(c, ev);
}

static void trap_status(struct check *c, const struct trace_event *ev)
{
	if (ev->args[1] > P_SYSCALL_ABANDONED)
		FAIL(c, ev, "proc status %llu is read as %u: Event.StateTransition() panics",
		     (unsigned long long)ev->args[1], (uint8_t)ev->args[1]);
}

static void trap_sample(struct check *c, const struct trace_event *ev)
{
	if (!tables_have_stack(&trace_reader_generation(c->r)->tables, ev->args[0]))
		FAIL(c, ev, "CPU sample with unknown stack %llu: Stack.Frames() panics",
		     (unsigned long long)ev->args[0]);
}

void check_trap(struct check *c, const struct trace_event *ev)
{
	switch (ev->type) {
	case TRACE_SYNC:
		return trap_sync(c, ev);
	case EV_CPUSample:
		return trap_sample(c, ev);
	case EV_ProcsChange:
		return trap_procs(c, ev);
	case EV_ProcStatus:
		return trap_status(c, ev);
	case EV_STWBegin:
	case EV_STWEnd:
		return trap_stw(c, ev);
	case EV_GoLabel:
		return trap_label(c, ev);
	case EV_GCSweepActive:
	case EV_GCMarkAssistActive:
		if (c->syncs > 1)	/* later ones only confirm a known range */
			return;
		break;
	case EV_GCSweepBegin:
	case EV_GCSweepEnd:
	case EV_GCMarkAssistBegin:
	case EV_GCMarkAssistEnd:
		break;
	default:
		return;
	}
	use_proc(c, ev);
	if (ev->type == EV_GCMarkAssistActive)
		set_in_gc(c, ev->args[0], true);
	else if (ev->type == EV_GCMarkAssistBegin || ev->type == EV_GCMarkAssistEnd)
		set_in_gc(c, ev->g, ev->type == EV_GCMarkAssistBegin);
}
