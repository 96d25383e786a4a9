// SPDX-License-Identifier: Apache-2.0
/*
 * v2_advance: functions that all handlers of events share: verdicts with their texts, and
 * additional events for the steps of one event. See v2_advance.h.
 */
#include "read/v2_advance.h"

#include <stdarg.h>
#include <stdio.h>

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

static bool advance_lacks(struct order *o, const struct trace_event *ev, enum need need,
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
	(void)(advance_lacks(o, ev, m, ev->m, "thread") ||
	       advance_lacks(o, ev, p, ev->p, "proc") ||
	       advance_lacks(o, ev, g, ev->g, "goroutine"));
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
