// SPDX-License-Identifier: Apache-2.0
/*
 * findings_wait_judge: decides which places where goroutines wait are locks, slow consumers or
 * single senders, and which function is responsible for the time, and makes the findings. Its input
 * is the sums of findings_wait.h. finding.c calls it when the trace has ended.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings_wait.h"

enum { BLAMES_MAX = 1 << 13 };	/* limit on functions; waits beyond it get no finding */

/* Least mean numbers of goroutines that wait, for a finding. */
#define LOCK_WAITERS 0.2
#define SEND_WAITERS 0.5
/*
 * If most of the time is in at most STALLS waits of each goroutine, and fewer than STALL_WAITERS
 * wait on average, the longest wait must take at least STALL_SHARE of the trace.
 */
#define STALLS 2.5
#define STALL_WAITERS 1.0
#define STALL_SHARE 0.4
#define FEED_WAITERS 1.0
#define TOKEN_WAITERS 1.5

static double wait_judge_busy(const struct site *s)
{
	return s->causes[CAUSE_RAN] + s->causes[CAUSE_READY] + s->causes[CAUSE_SYSCALL];
}

/*
 * Is there a circle of goroutines in which each ended a wait of the one before, as goroutines do
 * that pass on a lock? The stages of a pipeline may run the same function, but they form a chain.
 * If more goroutines took part than @both has room for, a circle is assumed.
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

/*
 * Do the goroutines that wait at this place end one another's waits there? The channel is then used
 * as a lock.
 */
static bool among_peers(const struct site *s)
{
	/* A lock is taken again and again: channels that are used once or twice are no lock. */
	if (2 * (uint64_t)s->objects > s->waits)
		return false;
	return s->peers >= 0.6 * s->ns && s->waiters.n >= 2 && takes_turns(s);
}

/*
 * Kinds of findings, compared by address. BEHIND: goroutines wait for work from a goroutine that
 * waits to send to a slow consumer.
 */
static const char LOCK[] = "lock", SLOW[] = "slow consumer", BEHIND[] = "slow consumer",
		  SERIALISED[] = "serialised";

static const char *judge_send(const struct site *s, double waiters)
{
	double held = wait_judge_busy(s) - s->causes[CAUSE_READY] + s->causes[CAUSE_SLEPT];

	if (s->waiters.n < 2 || waiters < SEND_WAITERS)
		return NULL;
	/* A goroutine with a token of a semaphore may wait for the network with it. */
	if (among_peers(s))
		return held + s->causes[CAUSE_NET] >= 0.5 * s->ns ? LOCK : NULL;
	if (held < 0.5 * s->ns)
		return NULL;
	return 2 * s->wakers.n <= s->waiters.n ? SLOW : NULL;
}

/*
 * Decides on waits to receive. Most of them are waits for work and cost nothing, unless one
 * goroutine has too much work.
 */
static const char *judge_receive(const struct site *s, double waiters)
{
	/*
	 * a goroutine that uses a condition as a lock may take the lock again before the goroutines
	 * that it has woken
	 */
	if (s->why == WHY_COND && among_peers(s) && waiters >= FEED_WAITERS &&
	    wait_judge_busy(s) + s->causes[CAUSE_SLEPT] >= 0.6 * s->ns)
		return LOCK;
	if (s->waiters.n >= 3 && among_peers(s) && waiters >= TOKEN_WAITERS && s->wakers.n >= 3 &&
	    wait_judge_busy(s) + s->causes[CAUSE_SLEPT] >= 0.6 * s->ns)
		return LOCK;
	if (s->waiters.n >= 2 && s->wakers.n == 1 && waiters >= FEED_WAITERS &&
	    wait_judge_busy(s) >= 0.8 * s->ns)
		return SERIALISED;
	/*
	 * One sender has work for several receivers, but it is blocked on one that does not
	 * receive.
	 */
	if (s->why == WHY_RECEIVE && s->waiters.n >= 2 && s->wakers.n == 1 &&
	    waiters >= FEED_WAITERS && s->behind >= 0.8 * s->ns &&
	    wait_judge_busy(s) - s->causes[CAUSE_READY] + s->causes[CAUSE_SLEPT] >= 0.5 * s->ns)
		return BEHIND;
	return NULL;
}

static const char *wait_judge_row(const struct findings *f, const struct site *s)
{
	double waiters = (s->ns - s->causes[CAUSE_GAP]) / findings_wall(f);

	/* without stacks all channels and locks are one place */
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

static void wait_judge_blame(struct findings *f, const struct charge *c)
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
	[CAUSE_RAN] = "runs",
	[CAUSE_READY] = "is ready to run and gets no P",
	[CAUSE_SLEPT] = "sleeps",
	[CAUSE_NET] = "waits for the network",
	[CAUSE_SYSCALL] = "is in a system call",
	[CAUSE_WAITED] = "waits for others",
	[CAUSE_GC] = "waits for the garbage collector",
	[CAUSE_UNKNOWN] = "is in a state that the trace does not show",
};

static uint8_t main_cause(const struct blame *b)
{
	uint8_t cause, most = CAUSE_UNKNOWN;

	for (cause = 0; cause < CAUSES; cause++)
		if (b->causes[cause] > b->causes[most])
			most = cause;
	return most;
}

/*
 * Returns the place for the finding: the line in the holder's own function where the time is spent,
 * if it is known; otherwise the line of the release.
 */
static uint32_t place_to_blame(const struct findings *f, const struct blame *b, uint8_t cause)
{
	struct place at = findings_place(f, b->places[cause].value),
		     holder = findings_place(f, b->holder.value);

	return at.func[0] && at.func == holder.func ? b->places[cause].value : b->holder.value;
}

/* Parts of the sentence, by kind. */
static const struct {
	const char *kind, *waits, *holds;
} words[] = {
	{ LOCK, "wait for a lock", "releases it in the end; meanwhile that goroutine" },
	{ SLOW, "wait to send to a channel", "receives from it; meanwhile that goroutine" },
	{ SERIALISED, "wait for work", "gives it to all of them; meanwhile that goroutine" },
	{ BEHIND, "wait for work",
	  "receives from the one that feeds them; meanwhile that goroutine" },
};

static void say_who_waits(struct findings *f, struct buf *text, const struct blame *b)
{
	const struct site *s = vec_at(&f->waits->sites, struct site, b->site.value);
	const char *waits;
	size_t i = 0;

	while (words[i].kind != b->kind)
		i++;
	waits = b->kind != LOCK || s->why == WHY_LOCK ? words[i].waits :
		s->why == WHY_COND ? "wait for a sync.Cond that works as a lock" :
				     "wait for the token of a channel that works as a lock";
	buf_printf(text, "On average %.1f goroutines %s at ", b->ns / findings_wall(f), waits);
	findings_name(f, text, s->place);
	buf_printf(text, ", the longest ");
	findings_time(text, (double)(s->to - s->from));
	buf_printf(text, ": ");
	findings_name(f, text, b->holder.value);
	buf_printf(text, " %s ", words[i].holds);
}

/*
 * Says which lock it is, or how many; of a channel whether it has a buffer, which was full then, or
 * hands each value over.
 */
static void say_object(const struct findings *f, struct buf *text, const struct blame *b)
{
	const struct site *s = vec_at(&f->waits->sites, struct site, b->site.value);
	const struct share *most = vec_at(&f->waits->shares, struct share, s->most);
	struct trace_wait wait = { .kind = most->kind, .n = 1, .of = { most->object } };
	int cap = wait_capacity(&wait, 0);

	if (!s->most)
		return;
	if (s->objects > 1)
		buf_printf(text, " These are %u %s%s; the one with %.0f %% of the time is ",
			   s->objects, wait_kind_name(most->kind),
			   most->kind == WAIT_MUTEX || most->kind == WAIT_RWMUTEX ? "es" : "s",
			   100 * most->ns / s->ns);
	else
		buf_printf(text, " It is always the same: ");
	buf_printf(text, "%s 0x%llx", wait_kind_name(most->kind),
		   (unsigned long long)wait_address(&wait, 0));
	if (cap >= 0 && b->kind == LOCK)
		buf_printf(text, ", a semaphore of %d token%s", cap, cap == 1 ? "" : "s");
	else if (cap > 0 && b->kind == SLOW && s->why == WHY_SEND)
		buf_printf(text, ", a queue of %d, which is full then", cap);
	else if (!cap && s->why == WHY_SEND)
		buf_printf(text, ", which has no buffer: each value is handed over to a receiver");
	buf_printf(text, ".");
}

static void wait_judge_say(struct findings *f, const struct blame *b)
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
	say_object(f, &text, b);
	findings_add(f,
		     &(struct verdict){ b->kind, b->ns, place_to_blame(f, b, cause), &b->waiters,
					s->from, s->to },
		     &text);
}

/*
 * Is the time mostly from one or two stalls? On a loaded machine any holder of a lock has to wait
 * for a CPU once in a while, and all goroutines that want the lock then wait long. The square of
 * the sum divided by the sum of squares is the number of waits that matter.
 */
static bool is_stall(const struct findings *f, const struct blame *b)
{
	const struct site *s = vec_at(&f->waits->sites, struct site, b->site.value);

	return b->ns < STALL_WAITERS * findings_wall(f) && s->ns * s->ns <
	       STALLS * s->waiters.n * s->squares &&
	       (double)(s->to - s->from) < STALL_SHARE * findings_wall(f);
}

static void wait_judge_objects(struct waits *w)
{
	size_t i;

	for (i = 1; i < w->shares.len; i++) {
		const struct share *share = vec_at(&w->shares, struct share, i);
		struct site *s = vec_at(&w->sites, struct site, share->site);

		s->objects++;
		if (!s->most || share->ns > vec_at(&w->shares, struct share, s->most)->ns)
			s->most = (uint32_t)i;
	}
}

void waits_judge(struct findings *f)
{
	struct waits *w = f->waits;
	size_t i;

	wait_judge_objects(w);
	for (i = 1; i < w->sites.len; i++) {
		struct site *s = vec_at(&w->sites, struct site, i);

		s->kind = wait_judge_row(f, s);
		if (s->kind)
			f->lost += s->ns - s->causes[CAUSE_GAP];
	}
	for (i = 1; i < w->charges.len; i++)
		wait_judge_blame(f, vec_at(&w->charges, struct charge, i));
	for (i = 1; i < w->blames.len; i++) {
		const struct blame *b = vec_at(&w->blames, struct blame, i);

		/*
		 * If the holder gets no P, the cause is the run queue, and the goroutines that make
		 * it long: findings_ps reports them.
		 */
		if (b->ns >= LOCK_WAITERS * findings_wall(f) && main_cause(b) != CAUSE_READY &&
		    !is_stall(f, b))
			wait_judge_say(f, b);
	}
}
