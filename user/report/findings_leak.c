// SPDX-License-Identifier: Apache-2.0
/*
 * findings_leak: goroutines that never end. Leaks: the number of goroutines of one origin rises all
 * the time while those that began long ago wait. Stuck goroutines: they wait for a lock that no
 * goroutine releases. The holder of such a lock is likely a goroutine that waits without end, too,
 * at a later line of the function in which the others want the lock.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings_deadlock.h"

enum {
	ORIGINS_MAX = 1 << 15, STUCK_MAX = 4096,
	SEARCHES_MAX = 64, PLACES_SAID = 3,
	PARTS = 8,			/* parts of the trace */
	LEFT_MIN = 10,			/* goroutines that must be left for a leak */
	PARTS_MIN = 3,			/* number of parts in which they must have begun */
};

/* A wait that is open when the trace ends is stale if it takes at least this part of the trace. */
#define STALE_SHARE 0.2
/*
 * Goroutines that a timer wakes again and again are not stale: they are a leak only if at most this
 * part has ended.
 */
#define ENDED_SHARE 0.05

struct origin {
	const char *name;
	uint32_t created_at;
	uint64_t created, ended;
	uint64_t before_ended;		/* goroutines from before the trace that ended */
	/* goroutines that are left. stale: each has waited long; woken: woken and waiting again */
	uint64_t stale, woken;
	/* number of left goroutines by the part of the trace in which they began */
	uint64_t parts[PARTS];
	double ns;			/* ns of their waits */
	struct vote place;
	const char *reason;		/* reason of the last wait at reason_place */
	uint32_t reason_place;
	struct few goroutines;
	int64_t from, to;		/* the wait of the first goroutine that is left */
};

struct leaks {
	struct vec origins;		/* struct origin */
	struct map64 origin_of;
	struct vec stuck;
};

static void leaks_new(struct findings *f)
{
	struct leaks *l = xcalloc(1, sizeof(*l));

	vec_push(&l->origins, sizeof(struct origin));
	f->leaks = l;
}

static void leaks_free(struct findings *f)
{
	struct leaks *l = f->leaks;

	vec_free(&l->origins);
	vec_free(&l->stuck);
	map64_free(&l->origin_of);
	free(l);
}

/* --- what finding.c shows --- */

static uint64_t origin_key(const char *name, uint32_t place)
{
	return hash64((uintptr_t)name) ^ place;
}

/*
 * Returns the origin of a goroutine: its first function, and the place that created it. This place
 * is not known for goroutines from before the trace: these have one origin per function.
 */
static struct origin *origin_of(struct findings *f, const struct goroutine *g)
{
	uint32_t place = findings_stack(f, g->created_at).place, number;
	uint64_t key = origin_key(g->name, place);
	struct origin *o;
	bool is_new;

	number = findings_number(&f->leaks->origin_of, &f->leaks->origins, sizeof(*o), ORIGINS_MAX,
				 key, &is_new);
	o = vec_at(&f->leaks->origins, struct origin, number);
	if (is_new) {
		o->name = g->name;
		o->created_at = place;
	}
	return number ? o : NULL;
}

static void finding_leak_add_left(struct findings *f, struct origin *o, const struct goroutine *g,
				  const struct stay *last, int64_t time)
{
	const struct span *now = last->span;
	double wall = (double)(time - f->first) + 1, waits = (double)(time - now->from);
	size_t part = (size_t)((double)(g->since - f->first) / wall * PARTS);

	if (waits >= STALE_SHARE * wall)
		o->stale++;
	else if (g->starts >= 3 && (double)(time - g->since) >= STALE_SHARE * wall)
		o->woken++;
	else
		return;
	o->parts[part < PARTS ? part : PARTS - 1]++;
	o->ns += (double)(time - g->since);
	vote_add(&o->place, last->facts.place, 1);
	if (o->place.value == last->facts.place) {
		o->reason = now->reason;
		o->reason_place = last->facts.place;
	}
	few_add(&o->goroutines, g->id);
	if (!o->to || now->from < o->from)
		o->from = now->from;
	o->to = time;
}

static void add_stuck(struct findings *f, const struct stay *last, int64_t time)
{
	double waits = (double)(time - last->span->from), wall = (double)(time - f->first) + 1;

	if (waits < STUCK_SHARE * wall || waits < STUCK_NS || f->leaks->stuck.len == STUCK_MAX)
		return;
	*(struct stuck *)vec_push(&f->leaks->stuck, sizeof(struct stuck)) = (struct stuck){
		last->span->g->id, last->span->stack, last->facts.place,
		last->why,         last->span->from,
		last->span->wait && last->span->wait->n == 1 ? *last->span->wait :
							       (struct trace_wait){0},
	};
}

static void leaks_end(struct findings *f, const struct stay *last, int64_t time, bool ended)
{
	const struct goroutine *g = last->span->g;
	struct origin *o = g->created || ended ? origin_of(f, g) : NULL;

	if (o && g->created) {
		o->created++;
		o->ended += ended;
	} else if (o) {
		o->before_ended++;
	}
	if (ended || last->span->state != GO_WAITING || last->span->gap)
		return;
	add_stuck(f, last, time);
	/*
	 * a goroutine that waits for the network may serve an idle connection: its peer is outside
	 * of the program
	 */
	if (o && last->why != WHY_NET && (last->why != WHY_SLEEP || g->starts >= 3))
		finding_leak_add_left(f, o, g, last, time);
}

/* --- judgement: leaks --- */

/*
 * Do goroutines from before the trace end while those that began in the trace wait? They are then a
 * queue with waits longer than the trace, and no leak. The queue may grow: half as many ends as
 * goroutines that are left are enough.
 */
static bool is_queue(const struct findings *f, const struct origin *o)
{
	const uint64_t *number = map64_get(&f->leaks->origin_of, origin_key(o->name, 0));
	const struct origin *before = number ? vec_at(&f->leaks->origins, struct origin, *number) :
					       NULL;

	return before && 2 * before->before_ended >= o->stale + o->woken;
}

static bool is_leak(const struct findings *f, const struct origin *o)
{
	uint64_t left = o->stale + o->woken;
	size_t part, parts = 0;

	for (part = 0; part < PARTS; part++)
		parts += o->parts[part] > 0;
	return left >= LEFT_MIN && parts >= PARTS_MIN && !is_queue(f, o) &&
	       (o->stale >= LEFT_MIN || (double)o->ended <= ENDED_SHARE * (double)o->created);
}

static void say_leak(struct findings *f, const struct origin *o)
{
	struct buf text = { 0 };

	buf_printf(&text, "Goroutines that do not end: ");
	findings_name(f, &text, o->created_at);
	buf_printf(&text,
		   " begins %.0f goroutines a second in %s, of %llu only %llu ended; those of them "
		   "that began long ago, %llu, wait",
		   (double)o->created * 1e9 / findings_wall(f),
		   o->name[0] ? o->name : "a function not known", (unsigned long long)o->created,
		   (unsigned long long)o->ended, (unsigned long long)(o->stale + o->woken));
	if (o->reason && o->reason[0] && o->reason_place == o->place.value)
		buf_printf(&text, " (%s)", o->reason);
	buf_printf(&text, " at ");
	findings_name(f, &text, o->place.value);
	buf_printf(&text, ".");
	f->lost += o->ns;
	findings_add(f,
		     &(struct verdict){ "leak", o->ns,
					o->created_at ? o->created_at : o->place.value,
					&o->goroutines, o->from, o->to },
		     &text);
}

/* --- judgement: who is stuck --- */

/*
 * Returns the place of a frame of @stack in the same function as @wanted, at a later line; 0: none.
 */
static uint32_t further_on(struct findings *f, uint32_t stack, struct place wanted)
{
	struct stack_set *set = spans_stacks(f->spans);
	uint32_t n, i;
	const uint32_t *frames = stack_set_of(set, stack, &n);

	for (i = 0; i < n; i++) {
		const struct stack_frame *frame = stack_set_frame_at(set, frames[i]);

		if (frame->func == wanted.func && frame->line > wanted.line)
			return findings_place_of(f, frame);
	}
	return 0;
}

/*
 * Returns the goroutine that likely holds the lock for which goroutines wait at @place: one that
 * waits at a later line of the same function, or of the function that was seen to release the lock.
 * *@at: the place in that function.
 */
static const struct stuck *find_holder(struct findings *f, uint32_t place, uint32_t *at)
{
	struct place wanted = findings_place(f, place), holder = { 0 };
	uint32_t seen = waits_holder(f, place);
	size_t i;

	holder.func = findings_place(f, seen).func;
	for (i = 0; i < f->leaks->stuck.len && wanted.func[0]; i++) {
		const struct stuck *s = vec_at(&f->leaks->stuck, struct stuck, i);

		if (s->place == place && s->why == WHY_LOCK)
			continue;
		*at = further_on(f, s->stack, wanted);
		if (!*at && seen)
			*at = further_on(f, s->stack, holder);
		if (*at)
			return s;
	}
	return NULL;
}

/* All goroutines that wait for locks. */
struct crowd {
	uint64_t n;
	double ns;
	struct few goroutines, places;
	struct vote place;
	int64_t from;
	const struct stuck *holder;
	uint32_t at, searches;
};

static void finding_leak_join(struct findings *f, struct crowd *c, const struct stuck *s)
{
	c->n++;
	c->ns += (double)(f->last - s->from);
	few_add(&c->goroutines, s->g);
	few_add(&c->places, s->place);
	vote_add(&c->place, s->place, (double)(f->last - s->from));
	if (c->n == 1 || s->from < c->from)
		c->from = s->from;
	/* the number of searches is limited, since each search looks at all stacks */
	if (!c->holder && c->searches++ < SEARCHES_MAX)
		c->holder = find_holder(f, s->place, &c->at);
}

static void say_holder(struct findings *f, struct buf *text, const struct crowd *c)
{
	buf_printf(text, ": ");
	findings_name(f, text, c->at);
	buf_printf(text,
		   " in goroutine %llu, which likely has the lock, waits itself all that time",
		   (unsigned long long)c->holder->g);
	if (c->holder->place != c->at) {
		buf_printf(text, ", at ");
		findings_name(f, text, c->holder->place);
	}
	buf_printf(text, "%s.", c->holder->why == WHY_LOCK ? ", for a lock" : "");
}

static void say_places(struct findings *f, struct buf *text, const struct crowd *c)
{
	uint32_t i;

	for (i = 0; i < c->places.n && i < PLACES_SAID; i++) {
		buf_printf(text, i ? ", " : " at ");
		findings_name(f, text, (uint32_t)c->places.ids[i]);
	}
	if (c->places.n > PLACES_SAID)
		buf_printf(text, " and elsewhere");
}

static void say_stuck(struct findings *f, const struct crowd *c)
{
	struct buf text = { 0 };

	buf_printf(&text, "%llu goroutine%s for a lock that nobody releases,",
		   (unsigned long long)c->n, c->n == 1 ? " waits" : "s wait");
	say_places(f, &text, c);
	buf_printf(&text, ", for ");
	findings_time(&text, (double)(f->last - c->from));
	buf_printf(&text, " up to the end of the recording");
	if (c->holder)
		say_holder(f, &text, c);
	else if (c->places.n > 1)
		buf_printf(&text, "; the recording does not show who has it: they may wait for one "
				  "another, if "
				  "locks are taken in another order here and there.");
	else
		buf_printf(&text, "; the recording does not show who has it.");
	f->lost += c->ns;
	findings_add(f, &(struct verdict){ "stuck", c->ns, c->holder ? c->at : c->place.value,
					   &c->goroutines, c->from, f->last }, &text);
}

static void leaks_judge(struct findings *f)
{
	struct crowd c = { 0 };
	size_t i;

	for (i = 1; i < f->leaks->origins.len; i++)
		if (is_leak(f, vec_at(&f->leaks->origins, struct origin, i)))
			say_leak(f, vec_at(&f->leaks->origins, struct origin, i));
	for (i = 0; i < f->leaks->stuck.len; i++) {
		const struct stuck *s = vec_at(&f->leaks->stuck, struct stuck, i);

		if (s->why == WHY_LOCK && !waits_released(f, &s->wait, s->place, s->from))
			finding_leak_join(f, &c, s);
	}
	/* A holder that waits for something else than a lock is no part of a deadlock of locks. */
	if (!deadlock_judge(f, &f->leaks->stuck, !c.n || (c.holder && c.holder->why != WHY_LOCK)) &&
	    c.n)
		say_stuck(f, &c);
}

const struct findings_family findings_of_leaks = {
	.new = leaks_new,
	.free = leaks_free,
	.last_stay = leaks_end,
	.judge = leaks_judge,
};
