// SPDX-License-Identifier: Apache-2.0
/*
 * findings_wait: goroutines that wait for one another, for locks and at channels, and the functions
 * that make them wait.
 *
 * When a wait ends, the goroutine that ended it is followed backwards through the time of the wait:
 * it ran, slept, or was in a system call. If it waited itself for a lock, or to send, the goroutine
 * that ended that wait is followed from there on: the time is then charged to the holder of the
 * lock, not to the next goroutine in the queue. The time is summed up by the place of the wait, the
 * place in the code that ended it, and the holder's states meanwhile (enum cause of findings.h).
 * findings_wait_judge.c judges the sums.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings_wait.h"

enum {
	SITES_MAX = 1 << 16, CHARGES_MAX = 1 << 18,	/* limits; charges beyond are unknown */
	SHARES_MAX = 1 << 16, OBJECTS_MAX = 1 << 18,	/* limits; objects beyond are not known */
	/* steps of one walk: enough for a thousand turns of a goroutine that serves a queue */
	STEPS_MAX = 4096,
	LOOK_AHEAD = 32,
	/* steps that each span earns: the cost of walks is at most a constant for each span */
	STEPS_PER_SPAN = 8,
	STEPS_SAVED = 1 << 20,	/* limit on earned steps that are not spent yet */
};

static void waits_new(struct findings *f)
{
	struct waits *w = xcalloc(1, sizeof(*w));

	w->pasts = past_new();
	w->steps = STEPS_SAVED;
	vec_push(&w->sites, sizeof(struct site));	/* number 0 has the waits without room */
	vec_push(&w->charges, sizeof(struct charge));
	vec_push(&w->blames, sizeof(struct blame));
	vec_push(&w->shares, sizeof(struct share));	/* number 0 has those without room */
	f->waits = w;
}

static void waits_free(struct findings *f)
{
	struct waits *w = f->waits;

	past_free(w->pasts);
	vec_free(&w->sites);
	vec_free(&w->charges);
	vec_free(&w->blames);
	map64_free(&w->site_of);
	map64_free(&w->charge_of);
	map64_free(&w->blame_of);
	vec_free(&w->shares);
	map64_free(&w->share_of);
	vec_free(&w->locks);
	map64_free(&w->lock_of);
	free(w);
}

const struct past *waits_past(const struct findings *f, uint32_t number)
{
	return past_at(f->waits->pasts, number);
}

/* --- sums --- */

static uint32_t finding_wait_site_of(struct waits *w, const struct stay *stay, uint8_t why)
{
	bool is_new;
	uint32_t number = findings_number(&w->site_of, &w->sites, sizeof(struct site), SITES_MAX,
				    (uint64_t)stay->facts.place << 8 | why, &is_new);

	if (is_new)
		*vec_at(&w->sites, struct site, number) = (struct site){
			.place = stay->facts.place, .why = why, .released = INT64_MIN,
		};
	return number;
}

/* Adds a wait of @ns to those for the same object at the same site. */
static void finding_wait_share(struct waits *w, uint32_t site, const struct trace_wait *wait,
			       double ns)
{
	bool is_new;
	uint32_t number = findings_number(&w->share_of, &w->shares, sizeof(struct share),
					  SHARES_MAX, hash64(wait->of[0]) ^ site, &is_new);
	struct share *s = vec_at(&w->shares, struct share, number);

	if (is_new)
		*s = (struct share){ .site = site, .kind = wait->kind, .object = wait->of[0] };
	s->ns += ns;
}

/*
 * Returns when the last wait for the same channel or lock ended, as far as it is known which one
 * that is; else the last wait at the same site.
 */
static int64_t finding_wait_released(const struct findings *f, uint64_t object,
				     const struct site *site)
{
	const struct lock_state *lock = object ? waits_lock(f, object) : NULL;

	if (!object)
		return site->released;
	return lock ? lock->released : INT64_MIN;
}

static void finding_wait_release(struct waits *w, uint64_t object, const struct span *span)
{
	struct lock_state *lock;
	uint64_t *index;
	bool is_new;

	if (!object || (w->locks.len >= OBJECTS_MAX && !map64_get(&w->lock_of, object)))
		return;
	index = map64_put(&w->lock_of, object, &is_new);
	if (is_new) {
		*index = w->locks.len;
		vec_push(&w->locks, sizeof(*lock));
	}
	lock = vec_at(&w->locks, struct lock_state, *index);
	*lock = (struct lock_state){ span->to, span->g->id, span->stack, span->end.stack };
}

const struct lock_state *waits_lock(const struct findings *f, uint64_t object)
{
	const uint64_t *index = map64_get(&f->waits->lock_of, object);

	return index ? vec_at(&f->waits->locks, struct lock_state, *index) : NULL;
}

static struct charge *finding_wait_charge(struct waits *w, uint32_t site, uint32_t holder,
					  uint8_t cause, uint32_t place, double ns)
{
	uint64_t key = (uint64_t)site << 40 | (uint64_t)holder << 22 | (uint64_t)place << 4 | cause;
	bool is_new;
	uint32_t number = findings_number(&w->charge_of, &w->charges, sizeof(struct charge),
					  CHARGES_MAX, key, &is_new);
	struct charge *c = vec_at(&w->charges, struct charge, number);

	vec_at(&w->sites, struct site, site)->causes[cause] += ns;
	if (is_new)
		*c = (struct charge){
			.site = site, .holder = holder, .place = place, .cause = cause
		};
	c->ns += ns;
	return c;
}

/* --- the walk --- */

/*
 * Returns frame @i, counted from the root; NULL: there is none. Callers compare function and line:
 * the same call has different pcs where callees were inlined.
 */
static const struct stack_frame *from_root(const struct stack_set *set, const uint32_t *frames,
					   uint32_t n, uint32_t i)
{
	return i < n ? stack_set_frame_at(set, frames[n - 1 - i]) : NULL;
}

/*
 * Did the goroutine hold the lock, in function @func, while it waited at @stack? It later released
 * the lock at @release. The frames are compared from the root on. The first difference must be in
 * @func, and the line of the wait must not be after that of the release: in a loop, later lines
 * belong to the time before. A deferred release has the line of the end of the function.
 */
static bool finding_wait_inside(struct findings *f, uint32_t stack, uint32_t release,
				const char *func)
{
	const struct stack_set *set = spans_stacks(f->spans);
	uint32_t n, m, i;
	const uint32_t *a = stack_set_of(set, stack, &n), *b = stack_set_of(set, release, &m);
	const struct stack_frame *x, *y = NULL, *last = NULL;

	for (i = 0; (x = from_root(set, a, n, i)) && (y = from_root(set, b, m, i)); i++) {
		if (x->func != y->func || x->line != y->line)
			break;
		last = x;
	}
	if (x && y && x->func == y->func)
		return x->func == func && x->line <= y->line;
	return last && last->func == func;
}

struct walk {
	struct findings *f;
	uint32_t number;	/* number of the site */
	uint64_t object;	/* what the wait was for; 0: not known */
	int64_t since, t;	/* the time that is charged is from @since to @t; @t moves back */
	/*
	 * other goroutines had the lock during the wait: a holder may not have had it all the time
	 */
	bool was_free;
	bool doubtful;		/* was_free, and it was not seen how this holder got the lock */
	bool behind;		/* the holder received from a goroutine that waited to send */
	uint32_t release, holder;
};

/*
 * Returns the place of @stack in the holder's function. If the stack has no frame of that function,
 * returns @inner, the innermost place.
 */
static uint32_t in_holder(struct findings *f, uint32_t stack, uint32_t holder, uint32_t inner)
{
	struct stack_set *set = spans_stacks(f->spans);
	const char *func = findings_place(f, holder).func;
	const struct stack_frame *frame;
	uint32_t n, i;
	const uint32_t *frames = stack_set_of(set, stack, &n);

	if (findings_place(f, inner).func == func)
		return inner;
	for (i = 0; i < n; i++) {
		frame = stack_set_frame_at(set, frames[i]);
		if (frame->func == func)
			return findings_place_of(f, frame);
	}
	return inner;
}

/*
 * Charges the time from @from to w->t: the holder had the state @cause at @stack (0: at the place
 * of the release). @off: the part of that time, 0 to 1, without a CPU for the holder's thread,
 * which is charged as a wait for a P.
 */
static void finding_wait_take(struct walk *w, int64_t from, uint8_t cause, uint32_t stack,
			      double off)
{
	uint32_t inner = stack ? findings_stack(w->f, stack).place : 0, place;
	double ns;

	if (from < w->since)
		from = w->since;
	if (from >= w->t)
		return;
	ns = (double)(w->t - from);
	place = stack ? in_holder(w->f, stack, w->holder, inner) : 0;
	if (off > 0)
		finding_wait_charge(w->f->waits, w->number, w->holder, CAUSE_READY, place,
				    ns * off);
	vote_add(&finding_wait_charge(w->f->waits, w->number, w->holder, cause, place,
				      ns * (1 - off))
			  ->inner,
		 inner, ns);
	if (w->behind)
		vec_at(&w->f->waits->sites, struct site, w->number)->behind += ns;
	w->t = from;
}

/*
 * Was the stay @p a wait for the same lock or channel? Where it is not known which one that is, one
 * site counts as one.
 */
static bool is_same(const struct walk *w, const struct past *p)
{
	return w->object && p->object ? p->object == w->object : p->site == w->number;
}

/* Did the holder, with the last stay @number, wait itself for the same during the wait? */
static bool waited_for_it(const struct walk *w, uint32_t number)
{
	const struct past *p = past_at(w->f->waits->pasts, number);
	uint32_t steps = 0;

	for (; p && p->to > w->since && steps < LOOK_AHEAD; steps++) {
		if (is_same(w, p))
			return true;
		p = past_at(w->f->waits->pasts, p->before);
	}
	return false;
}

/*
 * Makes the goroutine that released at the stack @release the holder for the time before. @number:
 * its last stay before its run.
 */
static void hand_to(struct walk *w, uint32_t release, uint32_t number, int64_t ran_since,
		    double off)
{
	w->release = release;
	w->holder = findings_stack(w->f, release).holder;
	w->doubtful = w->was_free && !waited_for_it(w, number);
	finding_wait_take(w, ran_since, CAUSE_RAN, 0, off);
}

/*
 * Is the holder responsible for the stay @p? If not, it did not yet hold the lock that it released
 * later.
 */
static bool answers_for(const struct walk *w, const struct past *p)
{
	return !w->doubtful || p->cause == CAUSE_RAN || p->cause == CAUSE_READY ||
	       finding_wait_inside(w->f, p->stack, w->release,
				   findings_place(w->f, w->holder).func);
}

static bool finding_wait_sends(const struct findings *f, const struct past *p)
{
	return p->site && vec_at(&f->waits->sites, struct site, p->site)->why == WHY_SEND;
}

/* Charges one more stay. False: there are no more stays, or the holder is not responsible. */
static bool step_back(struct walk *w, uint32_t *number)
{
	const struct past *p = past_at(w->f->waits->pasts, *number);

	if (!p || p->to < w->t)
		return false;
	if (p->by && (p->cause == CAUSE_LOCKED || is_same(w, p))) {
		*number = p->by_past;
		w->behind = finding_wait_sends(w->f, p);
		hand_to(w, p->release, p->by_past, p->by_from, (double)p->by_off);
		return true;
	}
	if (!answers_for(w, p))
		return false;
	finding_wait_take(w, p->from, p->cause == CAUSE_LOCKED ? CAUSE_WAITED : p->cause,
	     p->cause == CAUSE_RAN ? 0 : p->stack, (double)p->off);
	*number = p->before;
	return true;
}

static void finding_wait_walk_back(struct walk *w, const struct past *wait)
{
	struct waits *waits = w->f->waits;
	uint32_t number = wait->by_past, steps = 0;

	hand_to(w, wait->release, number, wait->by_from, (double)wait->by_off);
	while (w->t > w->since && steps < STEPS_MAX && waits->steps && step_back(w, &number)) {
		waits->steps--;
		steps++;
	}
	finding_wait_take(w, w->since, CAUSE_UNKNOWN, 0, 0);
}

/* --- what finding.c shows --- */

/* Returns the begin of the current run of @g. */
static int64_t running_since(const struct goroutine *g, int64_t time)
{
	return g->now.state == GO_RUNNING ? g->now.from : time;
}

static void remember_end(struct findings *f, const struct span *span, struct past *past)
{
	struct goroutine *by = span->end.g == TRACEV2_NO_ID || span->end.g == span->g->id ? NULL :
		spans_goroutine(f->spans, span->end.g);

	if (!by || !findings_is_own(by))
		return;
	past->by = true;
	past->release = span->end.stack;
	past->by_past = findings_state(f, by)->past;
	past->by_from = running_since(by, span->to);
	past->by_off = (float)cpu_off_share(f, by, span->to);
}

_Static_assert(FEW <= 16, "a bit of uint16_t for each");

/* Returns the index of @id in @few; FEW: @few does not have it. */
static uint32_t number_in(const struct few *few, uint64_t id)
{
	uint32_t i;

	for (i = 0; i < few->n; i++)
		if (few->ids[i] == id)
			return i;
	return FEW;
}

static void add_turn(struct site *s, uint64_t waiter, uint64_t waker)
{
	uint32_t i, j;

	few_add(&s->both, waiter);
	few_add(&s->both, waker);
	i = number_in(&s->both, waiter);
	j = number_in(&s->both, waker);
	if (i < FEW && j < FEW)
		s->turns[i] |= (uint16_t)(1U << j);
}

static void finding_wait_count(struct site *s, const struct span *span, const struct goroutine *by)
{
	double ns = (double)(span->to - span->from);

	s->waits++;
	s->ns += ns;
	s->squares += ns * ns;
	if (by->name == span->g->name)
		s->peers += ns;
	few_add(&s->waiters, span->g->id);
	few_add(&s->wakers, by->id);
	add_turn(s, span->g->id, by->id);
	s->wakers_mixed |= s->waker && s->waker != by->name;
	s->waker = by->name;
	if (span->to - span->from > s->to - s->from) {
		s->from = span->from;
		s->to = span->to;
	}
}

static bool can_be_held(uint8_t why)
{
	return why == WHY_LOCK || why == WHY_SEND || why == WHY_RECEIVE || why == WHY_SELECT ||
	       why == WHY_COND;
}

static void finding_wait_ended(struct findings *f, const struct stay *stay, const struct past *past)
{
	const struct span *span = stay->span;
	const struct goroutine *by = spans_goroutine(f->spans, span->end.g);
	struct site *site = vec_at(&f->waits->sites, struct site, past->site);
	bool may_pass = stay->why == WHY_LOCK || by->name == span->g->name;
	struct walk w = {
		.f = f, .number = past->site, .object = past->object,
		.since = span->from, .t = span->to,
		.was_free = may_pass &&
			    finding_wait_released(f, past->object, site) > span->from,
	};

	finding_wait_count(site, span, by);
	finding_wait_walk_back(&w, past);
	site->released = span->to;
	finding_wait_release(f->waits, past->object, span);
}

static const uint8_t cause_of[WHYS] = {
	[WHY_LOCK] = CAUSE_LOCKED,   [WHY_SEND] = CAUSE_LOCKED, [WHY_RECEIVE] = CAUSE_WAITED,
	[WHY_SELECT] = CAUSE_WAITED, [WHY_COND] = CAUSE_WAITED, [WHY_JOIN] = CAUSE_WAITED,
	[WHY_NET] = CAUSE_NET,       [WHY_SLEEP] = CAUSE_SLEPT, [WHY_FOREVER] = CAUSE_WAITED,
	[WHY_GC] = CAUSE_GC,         [WHY_GC_CYCLE] = CAUSE_GC, [WHY_GAP] = CAUSE_GAP,
	[WHY_OTHER] = CAUSE_WAITED,
};

static uint8_t cause_of_stay(const struct stay *stay)
{
	switch (stay->span->state) {
	case GO_RUNNING:
		return CAUSE_RAN;
	case GO_RUNNABLE:
		return CAUSE_READY;
	case GO_SYSCALL:
		return CAUSE_SYSCALL;
	default:
		return cause_of[stay->why];
	}
}

/* Returns why the goroutine waited: if a receiver ended its wait in a select, it wanted to send. */
static uint8_t why_seen(struct findings *f, const struct stay *stay)
{
	if (stay->why == WHY_SELECT &&
	    findings_stack(f, stay->span->end.stack).traits & STACK_RECEIVES)
		return WHY_SEND;
	return stay->why;
}

static void waits_stay(struct findings *f, const struct stay *stay)
{
	const struct span *span = stay->span;
	struct past *past = past_add(f->waits->pasts, &stay->state->past);
	uint8_t why;

	past->from = span->from;
	past->to = span->to;
	past->stack = span->stack;
	past->cause = cause_of_stay(stay);
	if (past->cause == CAUSE_RAN && stay->off > 0)
		past->off = (float)(stay->off / (double)(span->to - span->from));
	if (f->waits->steps < STEPS_SAVED)
		f->waits->steps += STEPS_PER_SPAN;
	why = why_seen(f, stay);
	if (span->state != GO_WAITING || !can_be_held(why))
		return;
	if (why == WHY_SEND)
		past->cause = CAUSE_LOCKED;
	remember_end(f, span, past);
	past->site = finding_wait_site_of(f->waits, stay, why);
	if (span->wait && span->wait->n == 1) {
		past->object = span->wait->of[0];
		if (past->by)
			finding_wait_share(f->waits, past->site, span->wait,
					   (double)(span->to - span->from));
	}
	if (past->by && past->site)
		finding_wait_ended(f, stay, past);
}

bool waits_released(const struct findings *f, const struct trace_wait *wait, uint32_t place,
		    int64_t time)
{
	const struct lock_state *lock;
	const uint64_t *number;

	if (wait && wait->kind != WAIT_NOTHING) {
		lock = waits_lock(f, wait->of[0]);
		return lock && lock->released > time;
	}
	number = map64_get(&f->waits->site_of, (uint64_t)place << 8 | WHY_LOCK);
	return number && vec_at(&f->waits->sites, struct site, *number)->released > time;
}

static uint64_t *finding_wait_number_of(struct findings *f, uint32_t place, uint8_t why)
{
	return map64_get(&f->waits->site_of, (uint64_t)place << 8 | why);
}

/* Returns the holder with the largest charge for waits at @site. */
static uint32_t most_to_blame(const struct waits *w, uint64_t site)
{
	const struct charge *most = NULL;
	size_t i;

	for (i = 1; i < w->charges.len; i++) {
		const struct charge *c = vec_at(&w->charges, struct charge, i);

		if (c->site == site && (!most || c->ns > most->ns))
			most = c;
	}
	return most ? most->holder : 0;
}

uint32_t waits_holder(struct findings *f, uint32_t place)
{
	const uint64_t *number = finding_wait_number_of(f, place, WHY_LOCK);

	return number ? most_to_blame(f->waits, *number) : 0;
}

struct ended_by waits_ended_by(struct findings *f, uint32_t place, uint8_t why)
{
	const uint64_t *number = finding_wait_number_of(f, place, why);
	const struct site *s;

	if (!number)
		return (struct ended_by){ .name = "" };
	s = vec_at(&f->waits->sites, struct site, *number);
	return (struct ended_by){
		.goroutines = s->wakers, .name = s->waker ? s->waker : "", .mixed = s->wakers_mixed,
		.place = most_to_blame(f->waits, *number),
	};
}

static bool share_one(const struct few *a, const struct few *b)
{
	uint32_t i, j;

	for (i = 0; i < a->n; i++)
		for (j = 0; j < b->n; j++)
			if (a->ids[i] == b->ids[j])
				return true;
	return false;
}

uint32_t waits_sent_to(const struct findings *f, uint64_t g, const struct few *receivers)
{
	size_t i;

	for (i = 1; i < f->waits->sites.len; i++) {
		const struct site *s = vec_at(&f->waits->sites, struct site, i);

		if (s->why == WHY_SEND && s->waiters.n == 1 && s->waiters.ids[0] == g &&
		    share_one(&s->wakers, receivers))
			return s->place;
	}
	return 0;
}

const struct findings_family findings_of_waits = {
	.new = waits_new,
	.free = waits_free,
	.stay = waits_stay,
	.judge = waits_judge,
};
