/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: the events of a v1 trace as the parsers of Go up to 1.22 give them (internal/trace.Parse),
 * which is what their viewers show: in order, without futile wake-ups, collections and stopped
 * worlds under no goroutine, some events on made-up Ps, and each with a link to the later event
 * that it leads to:
 *
 *	GoCreate, GoWaiting, GoInSyscall, GoSched, GoPreempt	the goroutine's next GoStart
 *	GoStart			what stops it next: end, block, sched, preempt, sysblock
 *	GoBlock*, GoSleep	the GoUnblock; and that	the GoStart
 *	GoSysCall that blocks	the GoSysExit; and that	the GoStart
 *	GCStart, STWStart, GCSweepStart, GCMarkAssistStart	its end
 *	UserTaskCreate		the UserTaskEnd
 *	UserRegion, begin	its end, or the GoEnd
 *
 * Links are known when the view is opened, at four bytes an event: events come one by one.
 */
#ifndef GOTAP_V1_VIEW_H
#define GOTAP_V1_VIEW_H

#include "read/raw_sink.h"
#include "v1/trace.h"

/* Ps of no processor: numbers as in internal/trace. */
enum {
	V1_TIMER_P = 1000001,
	V1_NETPOLL_P,
	V1_SYSCALL_P,
	V1_GC_P,
};

struct v1_view;

struct v1_view_event {
	const struct v1_event *ev;	/* its own goroutine and P are not changed */
	uint64_t g;
	int64_t p;			/* or one of the made-up ones */
	uint32_t number;		/* from 1, with gaps behind damage */
	uint32_t link;			/* number of the later event, 0 none */
};

/* @t must outlive it. An error says which rule the trace breaks without its futile wake-ups. */
int v1_view_open(struct v1_view **ret, const struct v1_trace *t, struct error *err);
/* False at the end. Valid until the next call. */
bool v1_view_next(struct v1_view *v, struct v1_view_event *out);
/* Accepts NULL. */
void v1_view_close(struct v1_view *v);

/*
 * A line for each event: number, place in the file, time in ns, P, goroutine, name, arguments,
 * link.
 */
int v1_view_text(const struct v1_trace *t, struct raw_sink *sink, struct error *err);

#endif
