// SPDX-License-Identifier: Apache-2.0
/*
 * waits: the profiles net, sync, syscall and sched, sample by sample as `go tool trace -pprof=` of
 * Go 1.27 has them (makeComputePprofFunc() of cmd/trace/pprof.go), with what is odd about them:
 *
 * 	- a wait counts when it ends: what goes on when the trace ends does not
 *     - it begins with the first event that says so, also a status, and ends with the next of
 *       another state
 *     - its stack is that of the event that began it: of a wait for a P that of who made the
 *       goroutine runnable;
 * 	  only frames up to FRAMES count
 *     - it counts only if it is between the first time that its goroutine runs in the trace, if it
 *       ever does,
 *       and its end; with "forever" it has ended. So the wait for a P after the creation is not in
 *       sched, nor
 * 	  the rest of a system call that the trace found in syscall
 *     - goroutines of one id are one: of those that C code begins again and again
 *       (GoCreateSyscall), or that
 * 	  ended in a system call, only the last one says from when on waits count
 *
 * It knows all goroutines when it computes that; here it is known for most when they run. Samples
 * of others stay with the goroutine until it is: struct wait.
 */
#include <string.h>

#include "pprof/internal.h"
#include "read/view.h"

/*
 * pprofMaxStack; items of goroutines of which it is not known whether they count: more count at
 * once.
 */
enum { FRAMES = 128, UNCERTAIN_MAX = 1 << 20 };

struct wait {
	uint64_t id;
	int64_t since;
	uint32_t stack;
	bool waits;
	bool created;		/* by GoCreate: no other goroutine gets its id */
	bool ran;		/* in the trace */
	bool stopped;		/* waits "forever": its end, as it were */
	bool alive;		/* not a record that was deleted */
	struct tally samples;	/* that count unless it runs anew as another one */
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

/* Counts the waits of @w. */
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

/* Drops the waits of @w: go tool trace counts none before a goroutine's first run. */
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
 * How many of its outermost frames are nothing: stacks that differ in these alone are equal there.
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

/* Frames beyond FRAMES are left out. */
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
 * A goroutine that was not there: the summary of a new one takes the place of the one that had its
 * id.
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

/* The end of one whose id comes back stays known. */
static void waits_ends(struct pprof *p, struct wait *w, const struct trace_event *ev)
{
	if (ev->type == EV_GoDestroySyscall)
		return;
	waits_settle(p, w);
	w->alive = false;
	idtab_del(&p->waits, w->id);
}

/* As Summarizer.Event() has it: statuses that say nothing new do not move. */
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
