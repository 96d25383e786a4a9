// SPDX-License-Identifier: Apache-2.0
/*
 * v2_order: see v2_order.h. In: one event of one thread. Out: a verdict and
 * up to three events. Here are the tables of states and the dispatch; the
 * rules themselves are in v2_advance_*.c.
 */
#include "read/v2_order.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/v2_advance.h"

static enum advance advance_unknown(struct order *o, struct trace_event *ev)
{
	return advance_fail(o, ev, "bad event type found while ordering: %u", ev->type);
}

order_handler *const order_handlers[RAW_SPECS] = {
	[EV_ClockSnapshot] = advance_unknown,
	[EV_ProcsChange] = advance_annotation,
	[EV_ProcStart] = advance_proc_start,
	[EV_ProcStop] = advance_proc_stop,
	[EV_ProcSteal] = advance_proc_steal,
	[EV_ProcStatus] = advance_proc_status,

	[EV_GoCreate] = advance_go_create,
	[EV_GoCreateBlocked] = advance_go_create,
	[EV_GoCreateSyscall] = advance_go_create_syscall,
	[EV_GoStart] = advance_go_start,
	[EV_GoStop] = advance_go_stop,
	[EV_GoBlock] = advance_go_stop,
	[EV_GoDestroy] = advance_go_stop,
	[EV_GoDestroySyscall] = advance_go_destroy_syscall,
	[EV_GoUnblock] = advance_go_unblock,
	[EV_GoSwitch] = advance_go_switch,
	[EV_GoSwitchDestroy] = advance_go_switch,
	[EV_GoSyscallBegin] = advance_syscall_begin,
	[EV_GoSyscallEnd] = advance_syscall_end,
	[EV_GoSyscallEndBlocked] = advance_syscall_end_blocked,
	[EV_GoStatus] = advance_go_status,
	[EV_GoStatusStack] = advance_go_status,

	[EV_STWBegin] = advance_go_range_begin,
	[EV_STWEnd] = advance_go_range_end,
	[EV_GCActive] = advance_gc_active,
	[EV_GCBegin] = advance_gc_begin,
	[EV_GCEnd] = advance_gc_end,
	[EV_GCSweepActive] = advance_sweep_active,
	[EV_GCSweepBegin] = advance_sweep_begin,
	[EV_GCSweepEnd] = advance_sweep_end,
	[EV_GCMarkAssistActive] = advance_go_range_active,
	[EV_GCMarkAssistBegin] = advance_go_range_begin,
	[EV_GCMarkAssistEnd] = advance_go_range_end,
	[EV_HeapAlloc] = advance_heap_metric,
	[EV_HeapGoal] = advance_heap_metric,

	[EV_GoLabel] = advance_annotation,
	[EV_UserTaskBegin] = advance_task_begin,
	[EV_UserTaskEnd] = advance_task_end,
	[EV_UserRegionBegin] = advance_region_begin,
	[EV_UserRegionEnd] = advance_region_end,
	[EV_UserLog] = advance_annotation,

	[EV_Span] = advance_experiment,
	[EV_SpanAlloc] = advance_experiment,
	[EV_SpanFree] = advance_experiment,
	[EV_HeapObject] = advance_experiment,
	[EV_HeapObjectAlloc] = advance_experiment,
	[EV_HeapObjectFree] = advance_experiment,
	[EV_GoroutineStack] = advance_experiment,
	[EV_GoroutineStackAlloc] = advance_experiment,
	[EV_GoroutineStackFree] = advance_experiment,
};

void order_init(struct order *o, const struct raw_specs *specs, struct v2_fault *fault)
{
	memset(o, 0, sizeof(*o));
	o->specs = specs;
	o->fault = fault;
	o->names = strset_new();
	idtab_init(&o->gs, sizeof(struct order_g));
	idtab_init(&o->ps, sizeof(struct order_p));
	idtab_init(&o->ms, sizeof(struct order_m));
	idtab_init(&o->tasks, sizeof(struct order_task));
}

static void free_open(struct order_open *open)
{
	if (!open)
		return;
	vec_free(&open->ranges);
	vec_free(&open->regions);
	free(open);
}

void order_free(struct order *o)
{
	uint32_t i;

	for (i = 0; i < o->gs.made; i++)
		free_open(((struct order_g *)idtab_at(&o->gs, i))->open);
	for (i = 0; i < o->ps.made; i++)
		free_open(((struct order_p *)idtab_at(&o->ps, i))->open);
	idtab_free(&o->gs);
	idtab_free(&o->ps);
	idtab_free(&o->ms);
	idtab_free(&o->tasks);
	strset_free(o->names);
	o->names = NULL;
}

struct order_open *order_open_of(struct order_open **open)
{
	if (*open)
		return *open;
	*open = xcalloc(1, sizeof(**open));
	(*open)->ranges = vec_of_one(sizeof(struct order_range));
	return *open;
}

struct order_g *order_add_g(struct order *o, uint64_t id, uint8_t status, uint64_t gen)
{
	struct order_g *g = idtab_add(&o->gs, id);

	g->status = status;
	g->seq = (struct order_seq){ .gen = gen };
	if (g->open)
		g->open->ranges.len = g->open->regions.len = 0;
	return g;
}

void order_del_g(struct order *o, struct order_g *g)
{
	idtab_del(&o->gs, g->id);
}

struct order_p *order_add_p(struct order *o, uint64_t id)
{
	return idtab_add(&o->ps, id);
}

struct order_m *order_add_m(struct order *o, uint64_t id)
{
	struct order_m *m = idtab_add(&o->ms, id);

	m->g = m->p = TRACEV2_NO_ID;
	return m;
}

void order_enter(struct order *o, uint64_t gen, const struct v2_tables *tables, bool events)
{
	if (!o->initial_gen && events)
		o->initial_gen = gen;
	o->gen = gen;
	o->tables = tables;
}

struct trace_event *advance_queue(struct order *o, const struct trace_event *ev, uint8_t type,
			       uint64_t g)
{
	struct trace_event *part = &o->parts[o->used_parts++ % 2];

	*part = (struct trace_event){ .type = type, .time = ev->time, .place = ev->place,
				      .m = ev->m, .p = ev->p, .g = g };
	advance_done(o, part);
	return part;
}

enum advance advance_fail(struct order *o, const struct trace_event *ev, const char *fmt, ...)
{
	char rule[sizeof(o->fault->rule)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rule, sizeof(rule), fmt, ap);
	va_end(ap);
	fault_set(o->fault, &ev->place, "%s", rule);
	return ADVANCE_FAIL;
}

enum advance advance_wait(struct order *o, const char *fmt, ...)
{
	va_list ap;

	if (!o->explain)
		return ADVANCE_WAIT;
	va_start(ap, fmt);
	vsnprintf(o->explain, o->explain_size, fmt, ap);
	va_end(ap);
	return ADVANCE_WAIT;
}

static bool v2_order_misses(struct order *o, const struct trace_event *ev, enum need need,
			    uint64_t id, const char *what)
{
	if (meets(need, id))
		return false;
	if (need == MUST)
		advance_fail(o, ev, "expected a %s but didn't have one", what);
	else
		advance_fail(o, ev, "expected no %s but had one", what);
	return true;
}

bool advance_misses(struct order *o, const struct trace_event *ev, enum need m, enum need p,
		 enum need g)
{
	(void)(v2_order_misses(o, ev, m, ev->m, "thread") ||
	       v2_order_misses(o, ev, p, ev->p, "proc") ||
	       v2_order_misses(o, ev, g, ev->g, "goroutine"));
	return false;
}

struct order_g *advance_not_running(struct order *o, const struct trace_event *ev,
				 const struct order_g *g)
{
	if (!g)
		advance_fail(o, ev, "event %s for goroutine (%lld) that doesn't exist",
			     advance_name(o, ev), (long long)ev->g);
	else
		advance_fail(o, ev, "%s event for goroutine that's not Running",
			     advance_name(o, ev));
	return NULL;
}

struct order_g *advance_syscall_g(struct order *o, const struct trace_event *ev, const char *want)
{
	struct order_g *g = advance_g(o, ev);

	if (!g)
		advance_fail(o, ev, "event %s for goroutine (%lld) that doesn't exist",
			     advance_name(o, ev), (long long)ev->g);
	else if (g->status != G_SYSCALL)
		advance_fail(o, ev, "%s event for goroutine that's not %s", advance_name(o, ev),
			     want);
	else
		return g;
	return NULL;
}

struct order_m *order_thread(struct order *o, uint64_t id)
{
	struct order_m *m = order_find_m(o, id);

	return m ? m : order_add_m(o, id);
}
