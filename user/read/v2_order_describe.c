// SPDX-License-Identifier: Apache-2.0
/* v2_order: the state in the text of an error, see order_describe() in v2_order.h. */
#include <stdarg.h>
#include <stdio.h>

#include "read/v2_order.h"

struct out {
	char *p;
	size_t left;
};

static void __attribute__((format(printf, 2, 3)))
order_describe_put(struct out *out, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(out->p, out->left, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= out->left)
		n = out->left ? (int)out->left - 1 : 0;
	out->p += n;
	out->left -= (size_t)n;
}

static void order_describe_g(struct order *o, struct out *out, uint64_t id)
{
	const struct order_g *g = order_find_g(o, id);

	if (g)
		order_describe_put(out, ", G %lld is %s seq %llu (gen %llu)", (long long)id,
		    gstatus_name(g->status), (unsigned long long)g->seq.n,
		    (unsigned long long)g->seq.gen);
	else if (id != TRACEV2_NO_ID)
		order_describe_put(out, ", G %lld is unknown", (long long)id);
}

static void order_describe_p(struct order *o, struct out *out, uint64_t id)
{
	const struct order_p *p = order_find_p(o, id);

	if (p)
		order_describe_put(out, ", P %lld is %s seq %llu (gen %llu)", (long long)id,
		    pstatus_name(p->status), (unsigned long long)p->seq.n,
		    (unsigned long long)p->seq.gen);
	else if (id != TRACEV2_NO_ID)
		order_describe_put(out, ", P %lld is unknown", (long long)id);
}

static void order_describe_m(struct order *o, struct out *out, uint64_t id)
{
	const struct order_m *m = order_find_m(o, id);

	if (m)
		order_describe_put(out, "M %lld has P %lld G %lld", (long long)id, (long long)m->p,
		    (long long)m->g);
	else
		order_describe_put(out, id == TRACEV2_NO_ID ? "no thread" : "M %lld is new",
				   (long long)id);
	if (m) {
		order_describe_p(o, out, m->p);
		order_describe_g(o, out, m->g);
	}
}

/* The goroutine or proc that the event names, if it is not that of the thread. */
static void order_describe_target(struct order *o, struct out *out, const struct trace_event *ev)
{
	switch (ev->type) {
	case EV_GoStart: case EV_GoUnblock: case EV_GoSwitch: case EV_GoSwitchDestroy:
	case EV_GoStatus: case EV_GoStatusStack: case EV_GoCreate: case EV_GoCreateBlocked:
	case EV_GoCreateSyscall: case EV_GCMarkAssistActive:
		order_describe_g(o, out, ev->args[0]);
		break;
	case EV_ProcStart: case EV_ProcSteal: case EV_ProcStatus: case EV_GCSweepActive:
		order_describe_p(o, out, ev->args[0]);
		break;
	case EV_GCActive: case EV_GCBegin: case EV_GCEnd:
		order_describe_put(out, ", GC seq %llu is %s", (unsigned long long)o->gc_seq,
		    o->gc == GC_RUNNING ? "running" :
		    o->gc == GC_NOT_RUNNING ? "not running" : "undetermined");
		break;
	}
	if (ev->type == EV_ProcSteal && ev->args[2] != ev->place.thread) {
		order_describe_put(out, ", ");
		order_describe_m(o, out, ev->args[2]);
	}
}

void order_describe(struct order *o, const struct trace_event *ev, char *text, size_t size)
{
	struct out out = { text, size };

	*text = 0;
	order_describe_m(o, &out, ev->place.thread);
	order_describe_target(o, &out, ev);
}
