// SPDX-License-Identifier: Apache-2.0
/*
 * waits: the profiles net, sync, syscall and sched, with the same samples as `go tool trace
 * -pprof=` of Go 1.27 (makeComputePprofFunc() of cmd/trace/pprof.go), including its peculiarities:
 *
 * - A wait counts when it ends. A wait that is open when the trace ends does not count.
 * - A wait begins with the first event that says so, which may be a status event, and ends with the
 *   next event of another state.
 * - The stack of a wait is that of the event that began it: for a wait for a P that of the
 *   goroutine that made this goroutine runnable. Only frames up to FRAMES count.
 * - A wait counts only between the first time that its goroutine runs in the trace (from the
 *   begin, if it never runs) and the goroutine's end. A wait "forever" counts as the end.
 *   Therefore the wait for a P after the creation is not in sched, and the rest of a system call
 *   that lasted when the trace began is not in syscall.
 * - Goroutines with equal ids count as one goroutine, with the first run of the last of them. C
 *   code can begin one goroutine id again and again (GoCreateSyscall), or end it in a system call.
 *
 * go tool trace knows all goroutines before it computes the waits. This code reads the trace once:
 * for most goroutines it knows at their first run which waits count. The waits of other goroutines
 * are kept with the goroutine until that is known (struct wait).
 */
#include <string.h>

#include "pprof/internal.h"
#include "read/view.h"

/*
 * FRAMES: pprofMaxStack of go tool trace. UNCERTAIN_MAX: limit on the kept items of all goroutines;
 * beyond it a wait counts at once.
 */
enum { FRAMES = 128, UNCERTAIN_MAX = 1 << 20 };

struct wait {
	uint64_t id;
	int64_t since;
	uint32_t stack;
	bool waits;
	bool created;		/* begun by GoCreate: no other goroutine gets its id */
	bool ran;		/* the goroutine has run in the trace */
	bool stopped;		/* the goroutine waits "forever", which counts as its end */
	bool alive;		/* false: a deleted record */
	/* waits that do not count if the id runs again as another goroutine */
	struct tally samples;
};

bool waits_is_network(const char *reason)
{
	return !strcmp(reason, "network");
}

bool waits_is_sync(const char *reason)
{
	return strstr(reason, "chan") || strstr(reason, "sync") || strstr(reason, "select");
}

/* --- samples --- */

static void waits_count(struct pprof *p, uint32_t stack, uint64_t times, uint64_t ns)
{
	profile_add(&p->profile, stack, 0, times, ns);
}

/* Counts the kept waits of @w. */
static void waits_settle(struct pprof *p, struct wait *w)
{
	size_t i;

	for (i = 0; i < w->samples.items.len; i++) {
		const struct tally_item *item = vec_at(&w->samples.items, struct tally_item, i);

		waits_count(p, item->stack, item->count, item->ns);
	}
	p->uncertain -= w->samples.items.len;
	tally_free(&w->samples);
}

/* Drops the kept waits of @w: go tool trace counts no wait before the first run of a goroutine. */
static void waits_drop(struct pprof *p, struct wait *w)
{
	p->uncertain -= w->samples.items.len;
	tally_free(&w->samples);
}

static void waits_keep(struct pprof *p, struct wait *w, uint64_t ns)
{
	size_t before = w->samples.items.len;
	struct tally_item *item = tally_at(&w->samples, w->stack, 0, SIZE_MAX);

	item->count++;
	item->ns += ns;
	p->uncertain += w->samples.items.len - before;
}

static void waits_end_wait(struct pprof *p, struct wait *w, const struct trace_event *ev)
{
	uint64_t ns = pprof_overlap(p, w->since, ev->time);

	w->waits = false;
	if (!ns || w->stopped || !pprof_wants(p, spans_goroutine(p->spans, w->id)))
		return;
	if ((w->created && w->ran) || p->uncertain >= UNCERTAIN_MAX)
		waits_count(p, w->stack, 1, ns);
	else
		waits_keep(p, w, ns);
}

/* --- transitions --- */

/*
 * Returns the number of outermost frames without pc and function. For go tool trace stacks that
 * differ only in such frames are equal.
 */
static uint32_t empty_frames(const struct stack_set *set, const uint32_t *frames, uint32_t n)
{
	const struct stack_frame *f;
	uint32_t empty;

	for (empty = 0; empty < n; empty++) {
		f = stack_set_frame_at(set, frames[n - 1 - empty]);
		if (f->pc || *f->func)
			break;
	}
	return empty;
}

/* Returns the stack of the event, cut to FRAMES frames, and without empty outermost frames. */
static uint32_t waits_stack_of(struct pprof *p, const struct trace_event *ev)
{
	struct stack_set *set = spans_stacks(p->spans);
	uint32_t copy[FRAMES], all, n, stack = spans_stack(p->spans, view_stack(ev));
	const uint32_t *frames = stack_set_of(set, stack, &all);

	n = all < FRAMES ? all : FRAMES;
	n -= empty_frames(set, frames, n);
	if (n == all)
		return stack;
	memcpy(copy, frames, n * sizeof(*frames));
	return stack_set_stack(set, copy, n);
}

static void waits_begin_wait(struct pprof *p, struct wait *w, const struct trace_event *ev)
{
	w->waits = true;
	w->since = ev->time;
	w->stack = waits_stack_of(p, ev);
}

static bool waits_measures(const struct wait_rule *rule, uint8_t state, const char *reason)
{
	return state == rule->state && (!rule->takes || rule->takes(reason));
}

/*
 * Adds a goroutine. In go tool trace the summary of a new goroutine replaces the summary of an
 * earlier one with its id.
 */
static struct wait *waits_appears(struct pprof *p, struct wait *w, const struct view_transition *tr,
			    const struct trace_event *ev)
{
	if (!w) {
		w = idtab_add(&p->waits, tr->id);
		*w = (struct wait){ .id = tr->id };
	}
	w->alive = true;
	w->ran = w->stopped = false;
	w->created = tr->from == GO_NOT_EXIST && ev->type != EV_GoCreateSyscall;
	return w;
}

/*
 * Ends a goroutine. The record of a goroutine that ended in C code is kept, since its id can come
 * back.
 */
static void waits_ends(struct pprof *p, struct wait *w, const struct trace_event *ev)
{
	if (ev->type == EV_GoDestroySyscall)
		return;
	waits_settle(p, w);
	w->alive = false;
	idtab_del(&p->waits, w->id);
}

/*
 * Notes the first run and the wait "forever". Repeated statuses do not count as a run, as in
 * Summarizer.Event() of Go.
 */
static void waits_moves(struct pprof *p, struct wait *w, const struct view_transition *tr,
			const char *reason)
{
	if (tr->to == GO_RUNNING && !w->ran) {
		w->ran = true;
		waits_drop(p, w);
	}
	if (tr->to == GO_WAITING && !strcmp(reason, "forever"))
		w->stopped = true;
}

void waits_event(void *ctx, const struct trace_event *ev)
{
	struct pprof *p = ctx;
	struct view_transition tr;
	struct wait *w;
	const char *reason;

	if (event_changes[ev->type].of != RESOURCE_GOROUTINE)
		return;
	tr = view_transition(ev);
	w = idtab_find(&p->waits, tr.id);
	if (!w || tr.from == GO_UNDETERMINED || tr.from == GO_NOT_EXIST)
		w = waits_appears(p, w, &tr, ev);
	reason = tr.reason ? spans_string(p->spans, tr.reason) : "";
	if (w->waits && tr.to != p->type->wait.state)
		waits_end_wait(p, w, ev);
	else if (!w->waits && waits_measures(&p->type->wait, tr.to, reason))
		waits_begin_wait(p, w, ev);
	if (tr.from != tr.to)
		waits_moves(p, w, &tr, reason);
	if (tr.to == GO_NOT_EXIST)
		waits_ends(p, w, ev);
}

/* --- traces --- */

void waits_begin(struct pprof *p)
{
	idtab_init(&p->waits, sizeof(struct wait));
	p->uncertain = 0;
}

void waits_end(struct pprof *p)
{
	uint32_t i;

	for (i = 0; i < p->waits.made; i++) {
		struct wait *w = idtab_at(&p->waits, i);

		if (w->alive)
			waits_settle(p, w);
	}
	idtab_free(&p->waits);
	p->waits = (struct idtab){0};
}
