/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: the events of a v1 trace as Go's parsers up to 1.22 return them (internal/trace.Parse) and
 * their viewers show them: in order, without futile wake-ups, collections and stop-the-worlds
 * without a goroutine, some events on invented Ps, and each event with a link to the later event to
 * which it leads:
 *
 *	GoCreate, GoWaiting, GoInSyscall, GoSched, GoPreempt	the goroutine's next GoStart
 *	GoStart			the event that stops it: end, block, sched, preempt, sysblock
 *	GoBlock*, GoSleep	the GoUnblock, which leads to the GoStart
 *	GoSysCall that blocks	the GoSysExit, which leads to the GoStart
 *	GCStart, STWStart, GCSweepStart, GCMarkAssistStart	its end
 *	UserTaskCreate		the UserTaskEnd
 *	UserRegion, begin	its end, or the GoEnd
 *
 * The view computes all links when it is opened, in four bytes per event, and then returns one
 * event at a time.
 */
#ifndef GOTAP_V1_VIEW_H
#define GOTAP_V1_VIEW_H

#include "read/raw_sink.h"
#include "v1/trace.h"

/* Numbers of invented Ps, as in internal/trace. */
enum {
	V1_TIMER_P = 1000001,
	V1_NETPOLL_P,
	V1_SYSCALL_P,
	V1_GC_P,
};

struct v1_view;

struct v1_view_event {
	const struct v1_event *ev;	/* with the original goroutine and P */
	uint64_t g;
	int64_t p;			/* P, or an invented one */
	uint32_t number;		/* from 1 on, with holes after damage */
	uint32_t link;			/* number of the later event, 0: none */
};

/*
 * Opens a view of @t, which must outlive it. The error names the rule that the trace breaks without
 * its futile wake-ups.
 */
int v1_view_open(struct v1_view **ret, const struct v1_trace *t, struct error *err);
/* Fills @out, valid until the next call. False at the end. */
bool v1_view_next(struct v1_view *v, struct v1_view_event *out);
/* Accepts NULL. */
void v1_view_close(struct v1_view *v);

/*
 * Writes a line for each event: number, offset in the file, time in ns, P, goroutine, name,
 * arguments, link.
 */
int v1_view_text(const struct v1_trace *t, struct raw_sink *sink, struct error *err);

#endif
