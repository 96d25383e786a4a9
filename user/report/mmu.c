// SPDX-License-Identifier: Apache-2.0
/*
 * mmu: see mmu.h. Two parts: the first finds out who has the Ps (modelled after
 * MutatorUtilizationV2() in internal/trace/gc.go of Go 1.27), which is a step function of time. The
 * second finds the least mean of that function for each window length.
 *
 * The slope of the mean over a sliding window changes only where an edge of the window meets a
 * step: the minimum is at such a position. The windows slide as steps are added. A step is dropped
 * when the left edge of the longest window is past it.
 *
 * Before the second sync event no window slides: the trace may report late that a range was active
 * when the trace began, and the range counts from the begin.
 */
#include "report/mmu.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"

enum { STEPS_MAX = 512 << 10, PROCS_MAX = 1 << 16 };

const int64_t mmu_lengths[MMU_WINDOWS] = { 100000, 1000000, 10000000, 100000000, 1000000000 };

/* From @time on the program has the part @util of its Ps. */
struct step {
	int64_t time;
	double util, sum;	/* sum: integral of util up to @time, ns */
	/*
	 * procs: number of Ps; late: number of Ps that were busy from the first step to the end of
	 * this one, as was reported only then
	 */
	uint32_t procs, late;
};

struct curve {
	/* struct step: the last steps; at least one when GOMAXPROCS is known */
	struct vec steps;
	int64_t first;			/* time of the first step of the trace */
	/* for each window the last step that is not after its left edge */
	size_t left[MMU_WINDOWS];
	/* number of windows that are still computed, the shortest ones */
	unsigned windows;
	bool slides;
	struct mmu_curve result;
};

struct proc {
	uint32_t gc[MMU_KINDS];		/* number of activities of the GC on this P */
};

enum { G_ASSISTS = 1, G_MARKS = 2, P_SHIFT = 2 };

struct mmu {
	struct curve curves[MMU_KINDS];
	struct vec procs;		/* struct proc, by id; GOMAXPROCS of them */
	uint32_t busy[MMU_KINDS];	/* number of Ps with an activity of the GC */
	/* id -> G_*, and from bit P_SHIFT on the P that the goroutine executes on */
	struct map64 goroutines;
	uint32_t stw, syncs;
};

/* --- sliding windows --- */

static struct step *step_at(const struct curve *c, size_t i)
{
	return vec_at(&c->steps, struct step, i);
}

static struct step *last_step(const struct curve *c)
{
	return step_at(c, c->steps.len - 1);
}

static double sum_at(const struct step *s, int64_t time)
{
	return s->sum + s->util * (double)(time - s->time);
}

/*
 * Compares the window that begins at @from with the minimum so far. @from is between step left[w]
 * and the next step; the window ends at the last step, or later.
 */
static void mmu_look(struct curve *c, unsigned w, int64_t from)
{
	struct mmu_window *window = &c->result.windows[w];
	int64_t length = mmu_lengths[w];
	double util = sum_at(last_step(c), from + length) - sum_at(step_at(c, c->left[w]), from);

	util /= (double)length;
	if (window->known && util >= window->min)
		return;
	window->known = true;
	window->min = util < 0 ? 0 : util;
	window->at = from;
}

static void mmu_slide(struct curve *c, unsigned w, int64_t time)
{
	int64_t length = mmu_lengths[w];

	if (time - c->first < length)
		return;
	if (!c->result.windows[w].known)
		mmu_look(c, w, c->first);
	while (c->left[w] + 1 < c->steps.len && step_at(c, c->left[w] + 1)->time <= time - length) {
		c->left[w]++;
		mmu_look(c, w, step_at(c, c->left[w])->time);
	}
	mmu_look(c, w, time - length);
}

static void slide_all(struct curve *c, int64_t time)
{
	unsigned w;

	for (w = 0; w < c->windows; w++)
		mmu_slide(c, w, time);
}

/* Drops the steps that no window needs: those before the left edge of the longest window. */
static void mmu_forget(struct curve *c)
{
	size_t n;
	unsigned w;

	while (c->windows && c->left[c->windows - 1] < c->steps.len / 2)
		c->result.windows[--c->windows].known = false;
	n = c->windows ? c->left[c->windows - 1] : c->steps.len - 1;
	c->steps.len -= n;
	memmove(c->steps.data, step_at(c, n), c->steps.len * sizeof(struct step));
	for (w = 0; w < c->windows; w++)
		c->left[w] -= n;
}

static void mmu_push(struct curve *c, int64_t time, double util, uint32_t procs)
{
	double sum = 0;

	if (c->steps.len) {
		sum = sum_at(last_step(c), time);
		if (c->slides)
			slide_all(c, time);
	} else {
		c->first = time;
	}
	if (c->slides && c->steps.len >= STEPS_MAX)
		mmu_forget(c);
	*(struct step *)vec_push(&c->steps, sizeof(struct step)) =
		(struct step){ .time = time, .util = util, .sum = sum, .procs = procs };
}

/* --- ranges that are reported late --- */

static void begin_sliding(struct curve *c)
{
	struct vec steps = c->steps;
	size_t i;
	uint32_t late = 0;

	c->slides = true;
	c->steps = (struct vec){0};
	for (i = steps.len; i--; ) {
		struct step *s = vec_at(&steps, struct step, i);

		late += s->late;
		s->util -= (double)late / s->procs;
		if (s->util < 0)
			s->util = 0;
	}
	for (i = 0; i < steps.len; i++) {
		const struct step *s = vec_at(&steps, struct step, i);

		mmu_push(c, s->time, s->util, s->procs);
	}
	vec_free(&steps);
}

/*
 * One further P was busy from the first step up to now, as is known only now. The caller sets the
 * state from now on.
 */
static void was_busy(struct curve *c)
{
	if (!c->slides)
		last_step(c)->late++;
}

/* --- the Ps --- */

static void mmu_step(struct mmu *m, enum mmu_kind kind, int64_t time)
{
	struct curve *c = &m->curves[kind];
	uint32_t n = (uint32_t)m->procs.len, busy = m->stw ? n : m->busy[kind];
	double util = 1 - (double)busy / n;

	if (!c->steps.len)
		mmu_push(c, time, 1, n);
	if (last_step(c)->util != util || last_step(c)->procs != n)
		mmu_push(c, time, util, n);
	if (!c->slides && (m->syncs > 1 || c->steps.len == STEPS_MAX))
		begin_sliding(c);
}

static void mmu_change(struct mmu *m, enum mmu_kind kind, uint64_t p, bool more)
{
	uint32_t *gc;

	if (p >= m->procs.len)
		return;
	gc = &vec_at(&m->procs, struct proc, p)->gc[kind];
	if (more)
		m->busy[kind] += !(*gc)++;
	else if (*gc)
		m->busy[kind] -= !--*gc;
}

static void change_all(struct mmu *m, unsigned flags, uint64_t p, bool more)
{
	if (flags & G_ASSISTS)
		mmu_change(m, MMU_PAUSES, p, more);
	if (flags)
		mmu_change(m, MMU_ALL, p, more);
}

static void drop_proc(struct mmu *m)
{
	const struct proc *last = vec_at(&m->procs, struct proc, m->procs.len - 1);
	unsigned kind;

	for (kind = 0; kind < MMU_KINDS; kind++)
		m->busy[kind] -= last->gc[kind] != 0;
	m->procs.len--;
}

static void mmu_gomaxprocs(struct mmu *m, uint64_t n)
{
	if (n > PROCS_MAX)
		n = PROCS_MAX;
	while (m->procs.len > n && m->procs.len > 1)
		drop_proc(m);
	while (m->procs.len < n)
		vec_push(&m->procs, sizeof(struct proc));
}

/* --- the events --- */

static unsigned flags_of(const struct mmu *m, uint64_t g)
{
	const uint64_t *value = map64_get(&m->goroutines, g);

	return value ? *value & (G_ASSISTS | G_MARKS) : 0;
}

static void set_flags(struct mmu *m, uint64_t g, unsigned flags, uint64_t p)
{
	if (flags)
		*map64_put(&m->goroutines, g, NULL) = p << P_SHIFT | flags;
	else
		map64_del(&m->goroutines, g);
}

/*
 * A goroutine with flags has a P while it executes: the P on which it began to execute, even if it
 * loses that P in a system call. A worker gets its label each time that it begins to run.
 */
static void mmu_transition(struct mmu *m, const struct trace_event *ev)
{
	struct trace_transition tr = event_transition(ev);
	unsigned flags = flags_of(m, tr.id);

	if (!flags || go_executing(tr.from) == go_executing(tr.to))
		return;
	if (go_executing(tr.to)) {
		change_all(m, flags, ev->p, true);
		set_flags(m, tr.id, flags, ev->p);
		return;
	}
	change_all(m, flags, *map64_get(&m->goroutines, tr.id) >> P_SHIFT, false);
	set_flags(m, tr.id, flags & ~(unsigned)G_MARKS, ev->p);
}

static void mmu_label(struct mmu *m, const struct trace_event *ev, const char *text)
{
	unsigned flags = flags_of(m, ev->g);

	if (!text || strncmp(text, "GC ", 3) || !strcmp(text, "GC (idle)") || flags & G_MARKS)
		return;
	if (!flags)
		mmu_change(m, MMU_ALL, ev->p, true);
	set_flags(m, ev->g, flags | G_MARKS, ev->p);
}

static void mmu_assist(struct mmu *m, const struct trace_event *ev, uint64_t g, bool begins,
		       bool executes)
{
	unsigned flags = flags_of(m, g);

	if (begins == !!(flags & G_ASSISTS))
		return;
	if (executes) {
		mmu_change(m, MMU_PAUSES, ev->p, begins);
		if (!(flags & G_MARKS))
			mmu_change(m, MMU_ALL, ev->p, begins);
	}
	set_flags(m, g, begins ? flags | G_ASSISTS : flags & ~(unsigned)G_ASSISTS, ev->p);
}

static void mmu_assist_active(struct mmu *m, const struct trace_event *ev, bool executes)
{
	unsigned kind;

	if (m->syncs > 1 || flags_of(m, ev->args[0]) & G_ASSISTS)
		return;
	for (kind = 0; executes && kind < MMU_KINDS; kind++)
		was_busy(&m->curves[kind]);
	mmu_assist(m, ev, ev->args[0], true, executes);
}

static void stop_the_world(struct mmu *m, const char *reason, bool begins)
{
	if (!reason || !strstr(reason, "GC"))
		return;
	if (begins)
		m->stw++;
	else if (m->stw)
		m->stw--;
}

bool mmu_wants(const struct mmu *m, const struct trace_event *ev)
{
	switch (ev->type) {
	case TRACE_SYNC:
	case EV_ProcsChange:
	case EV_STWBegin:
	case EV_STWEnd:
	case EV_GCMarkAssistActive:
	case EV_GCMarkAssistBegin:
	case EV_GCMarkAssistEnd:
	case EV_GoLabel:
		return true;
	default:
		return m->goroutines.len && event_changes[ev->type].of == RESOURCE_GOROUTINE;
	}
}

static void mmu_take(struct mmu *m, const struct trace_event *ev, const char *text, bool executes)
{
	switch (ev->type) {
	case EV_STWBegin:
	case EV_STWEnd:
		stop_the_world(m, text, ev->type == EV_STWBegin);
		break;
	case EV_GCMarkAssistActive:
		mmu_assist_active(m, ev, executes);
		break;
	case EV_GCMarkAssistBegin:
	case EV_GCMarkAssistEnd:
		mmu_assist(m, ev, ev->g, ev->type == EV_GCMarkAssistBegin, true);
		break;
	case EV_GoLabel:
		mmu_label(m, ev, text);
		break;
	default:
		if (event_changes[ev->type].of == RESOURCE_GOROUTINE)
			mmu_transition(m, ev);
	}
}

void mmu_event(struct mmu *m, const struct trace_event *ev, const char *text, bool executes)
{
	unsigned kind;

	m->syncs += ev->type == TRACE_SYNC;
	if (ev->type == EV_ProcsChange)
		mmu_gomaxprocs(m, ev->args[0]);
	if (!m->procs.len)
		return;
	mmu_take(m, ev, text, executes);
	for (kind = 0; kind < MMU_KINDS; kind++)
		mmu_step(m, kind, ev->time);
}

/* --- begin and end --- */

struct mmu *mmu_new(void)
{
	struct mmu *m = xcalloc(1, sizeof(*m));
	unsigned kind;

	for (kind = 0; kind < MMU_KINDS; kind++)
		m->curves[kind].windows = MMU_WINDOWS;
	return m;
}

static void mmu_trace_end(struct curve *c, int64_t time)
{
	double mean;
	unsigned w;

	if (!c->slides)
		begin_sliding(c);
	if (time <= c->first)
		return;
	slide_all(c, time);
	mean = sum_at(last_step(c), time) / (double)(time - c->first);
	c->result.known = true;
	c->result.mean = mean;
	for (w = 0; w < c->windows; w++)
		if (time - c->first <= mmu_lengths[w])
			c->result.windows[w] = (struct mmu_window){ true, true, mean, c->first };
}

void mmu_end(struct mmu *m, int64_t time)
{
	unsigned kind;

	for (kind = 0; kind < MMU_KINDS; kind++)
		if (m->curves[kind].steps.len)
			mmu_trace_end(&m->curves[kind], time);
}

const struct mmu_curve *mmu_curve(const struct mmu *m, enum mmu_kind kind)
{
	return &m->curves[kind].result;
}

void mmu_free(struct mmu *m)
{
	unsigned kind;

	if (!m)
		return;
	for (kind = 0; kind < MMU_KINDS; kind++)
		vec_free(&m->curves[kind].steps);
	vec_free(&m->procs);
	map64_free(&m->goroutines);
	free(m);
}
