// SPDX-License-Identifier: Apache-2.0
/*
 * findings_wait: goroutines that wait for one another, for locks and at channels, and who lets them wait.
 *
 * When a wait ends, the goroutine that ended it is followed backwards through that time: it ran, slept, was
 * in a system call. Where it waited itself for a lock, or to send, the one who ended that wait is followed
 * from there on: so the time goes to the holder, not to the next one in the queue. The time is summed up by
 * where the wait was, where it was ended, and what the holder did; a judgement comes at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"

enum {
	SITES_MAX = 1 << 16, CHARGES_MAX = 1 << 18, BLAMES_MAX = 1 << 13,	/* beyond: unknown */
	STEPS_MAX = 256,	/* of one walk */
	LOOK_AHEAD = 32,
	STEPS_PER_SPAN = 8,	/* earned, so that walks cost no more than a constant for each span ... */
	STEPS_SAVED = 1 << 20,	/* ... and as many may be spent at once */
};

/* Mean number of goroutines that wait before it is worth a word. */
#define LOCK_WAITERS 0.2
#define SEND_WAITERS 0.5
/* Mostly so many waits of each and fewer at a time: the longest must be that part of the trace's length. */
#define STALLS 2.5
#define STALL_WAITERS 1.0
#define STALL_SHARE 0.4
#define FEED_WAITERS 1.0
#define TOKEN_WAITERS 1.5

/* Where goroutines wait. */
struct site {
	uint32_t place;
	uint8_t why;
	uint64_t waits;
	/* in all; of each; ended by a goroutine that began with the same function */
	double ns, squares, peers;
	double behind;			/* while who ended it waited itself to send to another */
	double causes[CAUSES];
	int64_t released;		/* when the last wait ended */
	struct few waiters, wakers;
	struct few both;		/* @waiters and @wakers */
	uint16_t turns[FEW];		/* by number in @both: numbers of those who ended its waits */
	const char *waker;		/* the function that the last one of @wakers began with */
	bool wakers_mixed;		/* others began with others */
	int64_t from, to;		/* the longest wait */
	const char *kind;		/* the judgement; NULL: nothing is lost */
};

/*
 * Time of waits at @site that @holder is to answer for, by what it did, and at which place in its function.
 */
struct charge {
	uint32_t site, holder, place;
	uint8_t cause;
	double ns;
	struct vote inner;		/* the place in what the function called */
};

/* All charges of one function. */
struct blame {
	const char *kind;
	double ns, causes[CAUSES];
	/* The most costly ones: a majority vote. */
	struct vote site, holder, places[CAUSES], inner[CAUSES];
	struct few waiters;
};

struct waits {
	struct pasts *pasts;
	struct vec sites;		/* struct site */
	struct vec charges;		/* struct charge */
	struct vec blames;		/* struct blame */
	struct map64 site_of, charge_of, blame_of;
	uint64_t steps;
};

struct waits *waits_new(void)
{
	struct waits *w = xcalloc(1, sizeof(*w));

	w->pasts = past_new();
	w->steps = STEPS_SAVED;
	vec_push(&w->sites, sizeof(struct site));	/* site 0: of no room */
	vec_push(&w->charges, sizeof(struct charge));
	vec_push(&w->blames, sizeof(struct blame));
	return w;
}

void waits_free(struct waits *w)
{
	past_free(w->pasts);
	vec_free(&w->sites);
	vec_free(&w->charges);
	vec_free(&w->blames);
	map64_free(&w->site_of);
	map64_free(&w->charge_of);
	map64_free(&w->blame_of);
	free(w);
}

const struct past *waits_past(const struct findings *f, uint32_t number)
{
	return past_at(f->waits->pasts, number);
}

/* --- sums --- */

static uint32_t site_of(struct waits *w, const struct stay *stay, uint8_t why)
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

static struct charge *charge(struct waits *w, uint32_t site, uint32_t holder, uint8_t cause, uint32_t place,
			     double ns)
{
	uint64_t key = (uint64_t)site << 40 | (uint64_t)holder << 22 | (uint64_t)place << 4 | cause;
	bool is_new;
	uint32_t number = findings_number(&w->charge_of, &w->charges, sizeof(struct charge), CHARGES_MAX, key,
				    &is_new);
	struct charge *c = vec_at(&w->charges, struct charge, number);

	vec_at(&w->sites, struct site, site)->causes[cause] += ns;
	if (is_new)
		*c = (struct charge){ .site = site, .holder = holder, .place = place, .cause = cause };
	c->ns += ns;
	return c;
}

/* --- the walk --- */

/* Frame @i from the root on; NULL: there is none. The same call has other pcs where callees were inlined. */
static const struct stack_frame *from_root(const struct stack_set *set, const uint32_t *frames, uint32_t n,
					   uint32_t i)
{
	return i < n ? stack_set_frame_at(set, frames[n - 1 - i]) : NULL;
}

/*
 * Was the goroutine, which waited at @stack, inside what it left at @release, in function @func? The frames
 * are compared from the root on: where they part must be in that function, and the wait above the release,
 * since what stands below is of the time before, in a loop. A deferred release has the line at which the
 * function ends.
 */
static bool inside(struct findings *f, uint32_t stack, uint32_t release, const char *func)
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
	uint32_t number;	/* of the site */
	int64_t since, t;	/* from @t back to @since */
	/* others had the lock meanwhile, so that a holder may not have had it all the time */
	bool was_free;
	bool doubtful;		/* and how this holder got it was not seen */
	bool behind;		/* the holder received from one that waited to send */
	uint32_t release, holder;
};

/*
 * The place in the holder's function at which it stays at @stack; @inner, which is the one there, if there
 * is none.
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

/* Back to @from, during which the holder did @cause at @stack; stack 0: where it let go. */
static void take(struct walk *w, int64_t from, uint8_t cause, uint32_t stack)
{
	uint32_t inner = stack ? findings_stack(w->f, stack).place : 0, place;
	double ns;

	if (from < w->since)
		from = w->since;
	if (from >= w->t)
		return;
	ns = (double)(w->t - from);
	place = stack ? in_holder(w->f, stack, w->holder, inner) : 0;
	vote_add(&charge(w->f->waits, w->number, w->holder, cause, place, ns)->inner, inner, ns);
	if (w->behind)
		vec_at(&w->f->waits->sites, struct site, w->number)->behind += ns;
	w->t = from;
}

/* Did the holder, with stays from @number back, wait for what it holds? */
static bool waited_for_it(const struct walk *w, uint32_t number)
{
	const struct past *p = past_at(w->f->waits->pasts, number);
	uint32_t steps = 0;

	for (; p && p->to > w->since && steps < LOOK_AHEAD; steps++) {
		if (p->site == w->number)
			return true;
		p = past_at(w->f->waits->pasts, p->before);
	}
	return false;
}

/* The one whose stays are @number and before answers for the time up to now: it let go at @release. */
static void hand_to(struct walk *w, uint32_t release, uint32_t number, int64_t ran_since)
{
	w->release = release;
	w->holder = findings_stack(w->f, release).holder;
	w->doubtful = w->was_free && !waited_for_it(w, number);
	take(w, ran_since, CAUSE_RAN, 0);
}

/* Does the holder answer for @p? Else it had not yet got what it let go. */
static bool answers_for(const struct walk *w, const struct past *p)
{
	return !w->doubtful || p->cause == CAUSE_RAN || p->cause == CAUSE_READY ||
	       inside(w->f, p->stack, w->release, findings_place(w->f, w->holder).func);
}

static bool sends(const struct findings *f, const struct past *p)
{
	return p->site && vec_at(&f->waits->sites, struct site, p->site)->why == WHY_SEND;
}

/* One stay back; false: there is no more, or it is not the holder's. */
static bool step_back(struct walk *w, uint32_t *number)
{
	const struct past *p = past_at(w->f->waits->pasts, *number);

	if (!p || p->to < w->t)
		return false;
	if (p->by && (p->cause == CAUSE_LOCKED || p->site == w->number)) {
		*number = p->by_past;
		w->behind = sends(w->f, p);
		hand_to(w, p->release, p->by_past, p->by_from);
		return true;
	}
	if (!answers_for(w, p))
		return false;
	take(w, p->from, p->cause == CAUSE_LOCKED ? CAUSE_WAITED : p->cause,
	     p->cause == CAUSE_RAN ? 0 : p->stack);
	*number = p->before;
	return true;
}

static void walk_back(struct walk *w, const struct past *wait)
{
	struct waits *waits = w->f->waits;
	uint32_t number = wait->by_past, steps = 0;

	hand_to(w, wait->release, number, wait->by_from);
	while (w->t > w->since && steps < STEPS_MAX && waits->steps && step_back(w, &number)) {
		waits->steps--;
		steps++;
	}
	take(w, w->since, CAUSE_UNKNOWN, 0);
}

/* --- what finding.c shows --- */

/* When did the goroutine that runs begin to? */
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
}

_Static_assert(FEW <= 16, "a bit of uint16_t for each");

/* The number of @id in @few; FEW: it is not there. */
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

static void count(struct site *s, const struct span *span, const struct goroutine *by)
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
	return why == WHY_LOCK || why == WHY_SEND || why == WHY_RECEIVE || why == WHY_SELECT || why == WHY_COND;
}

static void ended(struct findings *f, const struct stay *stay, const struct past *past)
{
	const struct span *span = stay->span;
	const struct goroutine *by = spans_goroutine(f->spans, span->end.g);
	struct site *site = vec_at(&f->waits->sites, struct site, past->site);
	bool may_pass = stay->why == WHY_LOCK || by->name == span->g->name;
	struct walk w = {
		.f = f, .number = past->site, .since = span->from, .t = span->to,
		.was_free = may_pass && site->released > span->from,
	};

	count(site, span, by);
	walk_back(&w, past);
	site->released = span->to;
}

static const uint8_t cause_of[WHYS] = {
	[WHY_LOCK] = CAUSE_LOCKED, [WHY_SEND] = CAUSE_LOCKED, [WHY_RECEIVE] = CAUSE_WAITED,
	[WHY_SELECT] = CAUSE_WAITED, [WHY_COND] = CAUSE_WAITED, [WHY_JOIN] = CAUSE_WAITED, [WHY_NET] = CAUSE_NET,
	[WHY_SLEEP] = CAUSE_SLEPT, [WHY_FOREVER] = CAUSE_WAITED, [WHY_GC] = CAUSE_GC, [WHY_GC_CYCLE] = CAUSE_GC,
	[WHY_GAP] = CAUSE_GAP,
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

/* Who waited in a select and was woken by one that receives wanted to send. */
static uint8_t why_seen(struct findings *f, const struct stay *stay)
{
	if (stay->why == WHY_SELECT && findings_stack(f, stay->span->end.stack).traits & STACK_RECEIVES)
		return WHY_SEND;
	return stay->why;
}

void waits_stay(struct findings *f, const struct stay *stay)
{
	const struct span *span = stay->span;
	struct past *past = past_add(f->waits->pasts, &stay->state->past);
	uint8_t why;

	past->from = span->from;
	past->to = span->to;
	past->stack = span->stack;
	past->cause = cause_of_stay(stay);
	if (f->waits->steps < STEPS_SAVED)
		f->waits->steps += STEPS_PER_SPAN;
	why = why_seen(f, stay);
	if (span->state != GO_WAITING || !can_be_held(why))
		return;
	if (why == WHY_SEND)
		past->cause = CAUSE_LOCKED;
	remember_end(f, span, past);
	past->site = site_of(f->waits, stay, why);
	if (past->by && past->site)
		ended(f, stay, past);
}

bool waits_released_since(struct findings *f, uint32_t place, int64_t time)
{
	uint64_t *number = map64_get(&f->waits->site_of, (uint64_t)place << 8 | WHY_LOCK);

	return number && vec_at(&f->waits->sites, struct site, *number)->released > time;
}

static uint64_t *number_of(struct findings *f, uint32_t place, uint8_t why)
{
	return map64_get(&f->waits->site_of, (uint64_t)place << 8 | why);
}

/* Of all that are to answer for waits at @site the one for whom they took longest. */
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
	const uint64_t *number = number_of(f, place, WHY_LOCK);

	return number ? most_to_blame(f->waits, *number) : 0;
}

struct ended_by waits_ended_by(struct findings *f, uint32_t place, uint8_t why)
{
	const uint64_t *number = number_of(f, place, why);
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

/* --- judgement --- */

static double busy(const struct site *s)
{
	return s->causes[CAUSE_RAN] + s->causes[CAUSE_READY] + s->causes[CAUSE_SYSCALL];
}

/*
 * Does one wait for another who waits, in the end, for the first one? The stages of a pipeline may run the
 * same function, but each waits for the next one only. Of many not all are known: those may do so.
 */
static bool takes_turns(const struct site *s)
{
	uint16_t reach[FEW];
	uint32_t i, k;

	memcpy(reach, s->turns, sizeof(reach));
	for (k = 0; k < s->both.n; k++)
		for (i = 0; i < s->both.n; i++)
			if (reach[i] >> k & 1)
				reach[i] |= reach[k];
	for (i = 0; i < s->both.n; i++)
		if (reach[i] >> i & 1)
			return true;
	return s->both.n == FEW;
}

/* A channel that is a lock: who ends the waits is one of those that wait there. */
static bool among_peers(const struct site *s)
{
	return s->peers >= 0.6 * s->ns && s->waiters.n >= 2 && takes_turns(s);
}

/* Kinds, by address. BEHIND: those that wait for work from one that waits to send to a slow one. */
static const char LOCK[] = "lock", SLOW[] = "slow consumer", BEHIND[] = "slow consumer",
		  SERIALISED[] = "serialised";

static const char *judge_send(const struct site *s, double waiters)
{
	double held = busy(s) - s->causes[CAUSE_READY] + s->causes[CAUSE_SLEPT];

	if (s->waiters.n < 2 || waiters < SEND_WAITERS)
		return NULL;
	/* Who has a token of a semaphore may wait for the network with it. */
	if (among_peers(s))
		return held + s->causes[CAUSE_NET] >= 0.5 * s->ns ? LOCK : NULL;
	if (held < 0.5 * s->ns)
		return NULL;
	return 2 * s->wakers.n <= s->waiters.n ? SLOW : NULL;
}

/* To receive is mostly to wait for work, and loses nothing: unless one goroutine has too much of it. */
static const char *judge_receive(const struct site *s, double waiters)
{
	/* Who gets the turn by a condition may take it again before those that it wakes. */
	if (s->why == WHY_COND && among_peers(s) && waiters >= FEED_WAITERS &&
	    busy(s) + s->causes[CAUSE_SLEPT] >= 0.6 * s->ns)
		return LOCK;
	if (s->waiters.n >= 3 && among_peers(s) && waiters >= TOKEN_WAITERS && s->wakers.n >= 3 &&
	    busy(s) + s->causes[CAUSE_SLEPT] >= 0.6 * s->ns)
		return LOCK;
	if (s->waiters.n >= 2 && s->wakers.n == 1 && waiters >= FEED_WAITERS && busy(s) >= 0.8 * s->ns)
		return SERIALISED;
	/* It has work to give, but first to one that does not take it. */
	if (s->why == WHY_RECEIVE && s->waiters.n >= 2 && s->wakers.n == 1 && waiters >= FEED_WAITERS &&
	    s->behind >= 0.8 * s->ns && busy(s) - s->causes[CAUSE_READY] + s->causes[CAUSE_SLEPT] >= 0.5 * s->ns)
		return BEHIND;
	return NULL;
}

static const char *judge(const struct findings *f, const struct site *s)
{
	double waiters = (s->ns - s->causes[CAUSE_GAP]) / findings_wall(f);

	/* Without stacks all channels and locks are one place. */
	if (!s->place)
		return NULL;
	switch (s->why) {
	case WHY_LOCK:
		return LOCK;
	case WHY_SEND:
		return judge_send(s, waiters);
	case WHY_RECEIVE:
	case WHY_SELECT:
	case WHY_COND:
		return judge_receive(s, waiters);
	default:
		return NULL;
	}
}

static struct blame *blame_of(struct findings *f, const char *kind, const char *func)
{
	struct waits *w = f->waits;
	bool is_new;
	uint32_t number;
	uint64_t key = hash64((uintptr_t)func) ^ (uintptr_t)kind;

	number = findings_number(&w->blame_of, &w->blames, sizeof(struct blame), BLAMES_MAX, key,
				 &is_new);
	if (is_new)
		*vec_at(&w->blames, struct blame, number) = (struct blame){ .kind = kind };
	return vec_at(&w->blames, struct blame, number);
}

static void blame(struct findings *f, const struct charge *c)
{
	const struct site *s = vec_at(&f->waits->sites, struct site, c->site);
	struct blame *b;
	uint32_t i;

	if (!s->kind || c->cause == CAUSE_GAP)
		return;
	b = blame_of(f, s->kind, findings_place(f, c->holder).func);
	b->ns += c->ns;
	b->causes[c->cause] += c->ns;
	vote_add(&b->site, c->site, c->ns);
	vote_add(&b->holder, c->holder, c->ns);
	vote_add(&b->places[c->cause], c->place, c->ns);
	vote_add(&b->inner[c->cause], c->inner.value, c->ns);
	for (i = 0; i < s->waiters.n; i++)
		few_add(&b->waiters, s->waiters.ids[i]);
}

static const char *const did[CAUSES] = {
	[CAUSE_RAN] = "runs", [CAUSE_READY] = "is ready to run and gets no P", [CAUSE_SLEPT] = "sleeps",
	[CAUSE_NET] = "waits for the network", [CAUSE_SYSCALL] = "is in a system call",
	[CAUSE_WAITED] = "waits for others", [CAUSE_GC] = "waits for the garbage collector",
	[CAUSE_UNKNOWN] = "does what the recording does not tell",
};

static uint8_t main_cause(const struct blame *b)
{
	uint8_t cause, most = CAUSE_UNKNOWN;

	for (cause = 0; cause < CAUSES; cause++)
		if (b->causes[cause] > b->causes[most])
			most = cause;
	return most;
}

/* If the holder's own function is where the time goes, that line; else the line at which it lets go. */
static uint32_t place_to_blame(const struct findings *f, const struct blame *b, uint8_t cause)
{
	struct place at = findings_place(f, b->places[cause].value),
		     holder = findings_place(f, b->holder.value);

	return at.func[0] && at.func == holder.func ? b->places[cause].value : b->holder.value;
}

/* "they wait for a lock that", by kind. */
static const struct {
	const char *kind, *waits, *holds;
} words[] = {
	{ LOCK, "wait for a lock", "lets go of it in the end; meanwhile it" },
	{ SLOW, "wait to send to a channel", "receives from it; meanwhile it" },
	{ SERIALISED, "wait for work", "gives it to all of them; meanwhile it" },
	{ BEHIND, "wait for work", "lets the one that feeds them wait to send; meanwhile it" },
};

static void say_who_waits(struct findings *f, struct buf *text, const struct blame *b)
{
	const struct site *s = vec_at(&f->waits->sites, struct site, b->site.value);
	size_t i = 0;

	while (words[i].kind != b->kind)
		i++;
	buf_printf(text, "On average %.1f goroutines %s at ", b->ns / findings_wall(f),
		   b->kind != LOCK || s->why == WHY_LOCK ? words[i].waits : s->why == WHY_COND ?
		   "wait for their turn by a sync.Cond" : "wait for their turn, which a channel gives them,");
	findings_name(f, text, s->place);
	buf_printf(text, ", the longest ");
	findings_time(text, (double)(s->to - s->from));
	buf_printf(text, ": ");
	findings_name(f, text, b->holder.value);
	buf_printf(text, " %s ", words[i].holds);
}

static void say(struct findings *f, const struct blame *b)
{
	const struct site *s = vec_at(&f->waits->sites, struct site, b->site.value);
	uint8_t cause = main_cause(b);
	uint32_t at = b->inner[cause].value;
	struct buf text = { 0 };

	say_who_waits(f, &text, b);
	buf_printf(&text, "%s %.0f %% of the time", did[cause], 100 * b->causes[cause] / b->ns);
	if (at && at != b->holder.value) {
		buf_printf(&text, ", at ");
		findings_name(f, &text, at);
	}
	buf_printf(&text, ".");
	findings_add(f, &(struct verdict){ b->kind, b->ns, place_to_blame(f, b, cause), &b->waiters, s->from,
					   s->to }, &text);
}

/*
 * A stall or two: a machine that is loaded lets any holder wait for a CPU once in a while, and all that
 * wait then do so for long. The square of the sum over the sum of squares counts the waits that matter.
 */
static bool is_stall(const struct findings *f, const struct blame *b)
{
	const struct site *s = vec_at(&f->waits->sites, struct site, b->site.value);

	return b->ns < STALL_WAITERS * findings_wall(f) && s->ns * s->ns <
	       STALLS * s->waiters.n * s->squares &&
	       (double)(s->to - s->from) < STALL_SHARE * findings_wall(f);
}

void waits_judge(struct findings *f)
{
	struct waits *w = f->waits;
	size_t i;

	for (i = 1; i < w->sites.len; i++) {
		struct site *s = vec_at(&w->sites, struct site, i);

		s->kind = judge(f, s);
		if (s->kind)
			f->lost += s->ns - s->causes[CAUSE_GAP];
	}
	for (i = 1; i < w->charges.len; i++)
		blame(f, vec_at(&w->charges, struct charge, i));
	for (i = 1; i < w->blames.len; i++) {
		const struct blame *b = vec_at(&w->blames, struct blame, i);

		/* Of a holder that gets no P the queue is to blame, and who makes it long: findings_ps. */
		if (b->ns >= LOCK_WAITERS * findings_wall(f) && main_cause(b) != CAUSE_READY &&
		    !is_stall(f, b))
			say(f, b);
	}
}
