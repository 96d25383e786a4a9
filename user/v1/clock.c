// SPDX-License-Identifier: Apache-2.0
/*
 * clock: turns ticks of the ordered events into nanoseconds since the first event, moves the exits
 * of system calls to the time at which they happened, and sets the row on which viewers show an
 * event. A first pass over the events finds the exits that have to move; later passes move them.
 */
#include <errno.h>
#include <stdlib.h>

#include "v1/futile.h"
#include "v1/order.h"

/* --- the first pass --- */

struct first_pass {
	struct v1_trace *t;
	struct map64 blocked;	/* goroutine -> ticks at which its system call blocked */
	/* goroutine with a GoSysCall as its last event -> ordinal of this event + 1 */
	struct map64 calls;
	uint32_t ordinal;
	int64_t last;		/* ticks of the previous event */
	struct v1_futile *futile;	/* NULL: the trace has no futile wake-up */
};

static void v1_clock_add_exit(struct first_pass *f, const struct v1_event *ev, int64_t ticks)
{
	struct v1_exit *x = vec_push(&f->t->exits, sizeof(*x));

	*x = (struct v1_exit){ ticks, ev->offset, ev->p, f->ordinal };
}

/*
 * A thread writes GoSysExit when it has got a P, possibly long after the exit. The events are
 * ordered by the time of writing; after this the exit can move to its own time.
 */
static int note_exit(struct first_pass *f, const struct v1_event *ev, struct error *err)
{
	int64_t ticks = (int64_t)ev->args[2];
	const uint64_t *block = map64_get(&f->blocked, ev->g);

	if (!ticks)
		return 0;
	if (f->t->resumed && (!block || ticks < (int64_t)*block || ticks > ev->time))
		ticks = ev->time;
	else if (!block || !*block)
		return error_set(err, -EBADMSG, "stray syscall exit of goroutine %llu at offset "
				 "0x%llx", (unsigned long long)ev->g,
				 (unsigned long long)ev->offset);
	else if (ticks < (int64_t)*block)
		return error_set(err, -EBADMSG, "time stamps out of order: goroutine %llu leaves a "
				 "syscall before it blocked, offset 0x%llx",
				 (unsigned long long)ev->g, (unsigned long long)ev->offset);
	v1_clock_add_exit(f, ev, ticks);
	return 0;
}

static int note_syscall(struct first_pass *f, const struct v1_event *ev, struct error *err)
{
	if (f->t->format.version < 7)
		return 0;
	if (ev->type == V1_GO_SYSBLOCK || ev->type == V1_GO_IN_SYSCALL)
		*map64_put(&f->blocked, ev->g, NULL) = (uint64_t)ev->time;
	return ev->type == V1_GO_SYSEXIT ? note_exit(f, ev, err) : 0;
}

/* Marks the GoSysCalls that block: the next event of the goroutine is its GoSysBlock. */
static void mark_blocking(struct first_pass *f, const struct v1_event *ev)
{
	struct buf *bits = &f->t->blocking;
	uint64_t *call = ev->type == V1_GO_SYSCALL ? map64_put(&f->calls, ev->g, NULL) :
			 map64_get(&f->calls, ev->g);

	while (bits->len <= f->ordinal / 8)
		buf_add_byte(bits, 0);
	if (!call)
		return;
	if (ev->type == V1_GO_SYSBLOCK && *call)
		bits->data[(*call - 1) / 8] |= (uint8_t)(1 << (*call - 1) % 8);
	*call = ev->type == V1_GO_SYSCALL ? f->ordinal + 1ULL : 0;
}

/* Notes facts that the conversion needs before its first event. */
static void v1_clock_look_ahead(struct v1_trace *t, const struct v1_event *ev)
{
	uint64_t *flags;

	switch (ev->type) {
	case V1_GOMAXPROCS:
		t->has_gomaxprocs = true;
		break;
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		*map64_put(&t->before, ev->g, NULL) |= V1_DECLARED;
		break;
	case V1_ASSIST_START:
	case V1_ASSIST_DONE:
		flags = map64_put(&t->before, ev->g, NULL);
		if (!(*flags & V1_ASSIST_SEEN) && ev->type == V1_ASSIST_DONE)
			*flags |= V1_IN_ASSIST;
		*flags |= V1_ASSIST_SEEN;
		break;
	}
}

static int v1_clock_note(struct first_pass *f, const struct v1_event *ev, struct error *err)
{
	struct v1_trace *t = f->t;

	if (!f->ordinal)
		t->first = ev->time;
	else if (ev->time < f->last)
		return error_set(err, -EBADMSG, "time stamps out of order: %s at offset 0x%llx is "
				 "earlier than the event it must follow",
				 v1_trace_type_name(t, ev->type), (unsigned long long)ev->offset);
	f->last = ev->time;
	mark_blocking(f, ev);
	if (ev->type == V1_GO_END) {
		map64_del(&f->calls, ev->g);
		map64_del(&f->blocked, ev->g);
	}
	if (f->futile)
		v1_futile_note(f->futile, ev, f->ordinal, &t->futile);
	v1_clock_look_ahead(t, ev);
	return note_syscall(f, ev, err);
}

static int compare_exits(const void *pa, const void *pb)
{
	const struct v1_exit *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->ordinal < b->ordinal ? -1 : 1;
}

int v1_clock(struct v1_trace *t, struct error *err)
{
	struct first_pass f = { .t = t, .futile = t->has_futile ? v1_futile_new() : NULL };
	struct v1_order *order = v1_order_new(t);
	struct v1_event ev;
	int ret;

	while ((ret = v1_order_next(order, &ev, err)) > 0) {
		ret = v1_clock_note(&f, &ev, err);
		if (ret)
			break;
		f.ordinal++;
	}
	t->ordered = t->count = f.ordinal;
	vec_sort(&t->exits, sizeof(struct v1_exit), compare_exits);
	v1_futile_free(f.futile);
	map64_free(&f.blocked);
	map64_free(&f.calls);
	v1_order_free(order);
	return ret;
}

/* --- later passes --- */

struct v1_sequence {
	const struct v1_trace *t;
	struct v1_order *order;
	struct v1_reader reader;	/* reads the moved exits */
	struct v1_event ahead;		/* the next event that does not move */
	bool has_ahead, whole;
	uint32_t ordinal;		/* ordinal of the event after @ahead */
	size_t exit;			/* index of the next exit in t->exits */
};

struct v1_sequence *v1_sequence_new(const struct v1_trace *t, bool whole)
{
	struct v1_sequence *s = xcalloc(1, sizeof(*s));

	s->t = t;
	s->whole = whole;
	s->order = v1_order_new(t);
	v1_reader_init(&s->reader, t->data, t->size, NULL);
	return s;
}

static bool v1_clock_moves(const struct v1_sequence *s, const struct v1_event *ev)
{
	return ev->type == V1_GO_SYSEXIT && ev->args[2] && s->t->format.version >= 7;
}

static int fill_ahead(struct v1_sequence *s, struct error *err)
{
	int ret = 1;

	while (!s->has_ahead && s->ordinal < s->t->ordered) {
		ret = v1_order_next(s->order, &s->ahead, err);
		if (ret <= 0)
			return ret;
		s->has_ahead = !v1_clock_moves(s, &s->ahead) &&
			       (s->whole || !v1_futile_is(&s->t->futile, s->ordinal));
		s->ahead.sys_blocks = s->ahead.type == V1_GO_SYSCALL &&
				      s->t->blocking.data[s->ordinal / 8] >> s->ordinal % 8 & 1;
		s->ordinal++;
	}
	return 0;
}

static const struct v1_exit *next_exit(const struct v1_sequence *s)
{
	const struct v1_exit *x;

	if (s->exit == s->t->exits.len)
		return NULL;
	x = vec_at(&s->t->exits, struct v1_exit, s->exit);
	return !s->has_ahead || x->time < s->ahead.time ||
	       (x->time == s->ahead.time && x->ordinal < s->ordinal - 1) ? x : NULL;
}

/* Floating point as in Go, so that the last digit is the same. */
static void v1_clock_finish(const struct v1_trace *t, struct v1_event *ev)
{
	double ns = 1e9 / (double)t->frequency;
	double time = (double)(int64_t)((uint64_t)ev->time - (uint64_t)t->first) * ns;

	ev->time = time < 0 ? 0 : time < 9e18 ? (int64_t)time : INT64_MAX / 2;
	if (ev->type == V1_GO_SYSEXIT)
		ev->row = V1_ROW_SYSCALL;
	else if (ev->type == V1_GO_UNBLOCK && map64_get(&t->timer_gs, ev->g))
		ev->row = V1_ROW_TIMER;
}

int v1_sequence_next(struct v1_sequence *s, struct v1_event *ev, struct error *err)
{
	const struct v1_exit *x;
	int ret = fill_ahead(s, err);

	if (ret < 0)
		return ret;
	x = next_exit(s);
	if (x) {
		v1_event_at(s->t, &s->reader, x->offset, ev);
		v1_make_plain(ev);
		ev->time = x->time;
		ev->p = x->p;
		ev->g = ev->args[0];
		s->exit++;
	} else if (s->has_ahead) {
		*ev = s->ahead;
		s->has_ahead = false;
	} else {
		return 0;
	}
	v1_clock_finish(s->t, ev);
	return 1;
}

void v1_sequence_free(struct v1_sequence *s)
{
	if (!s)
		return;
	v1_order_free(s->order);
	v1_reader_release(&s->reader);
	free(s);
}
