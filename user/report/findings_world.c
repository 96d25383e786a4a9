// SPDX-License-Identifier: Apache-2.0
/*
 * findings_world: who stops the world, except for the garbage collector, and for how long. See
 * findings.h.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"

/*
 * A fiftieth of the trace. For comparison: a scrape of metrics once a second stops the world for
 * less than a thousandth.
 */
#define WORLD_SHARE 0.02

enum { STOPPERS_MAX = 4096 };

struct stopper {
	uint32_t place;
	/* @place is from a stack; false: it is only the first function of the goroutine */
	bool known;
	const char *reason;
	uint64_t stops;
	double ns;
	int64_t from, to;		/* the longest stop */
	struct few goroutines;
};

struct world {
	struct vec stoppers;		/* struct stopper */
	struct map64 by_key;
	double ns;
};

static void world_new(struct findings *f)
{
	f->world = xcalloc(1, sizeof(struct world));
}

static void world_free(struct findings *f)
{
	struct world *w = f->world;

	vec_free(&w->stoppers);
	map64_free(&w->by_key);
	free(w);
}

static struct stopper *stopper_of(struct world *w, uint32_t place, const char *reason)
{
	uint64_t key = hash64((uintptr_t)reason) ^ place, *number = map64_get(&w->by_key, key);
	struct stopper *s;

	if (number)
		return vec_at(&w->stoppers, struct stopper, *number);
	if (w->stoppers.len == STOPPERS_MAX)
		return vec_at(&w->stoppers, struct stopper, 0);
	*map64_put(&w->by_key, key, NULL) = w->stoppers.len;
	s = vec_push(&w->stoppers, sizeof(*s));
	*s = (struct stopper){ .place = place, .reason = reason };
	return s;
}

static void world_range(struct findings *f, const struct range_span *r)
{
	const struct goroutine *g = spans_goroutine(f->spans, r->g);
	uint32_t place = findings_stack(f, r->stack).place;
	struct stopper *s;

	if (strcmp(r->name, "stop-the-world") || !strncmp(r->reason, "GC ", 3) || r->open_begin)
		return;
	s = stopper_of(f->world, place || !g ? place : findings_function(f, g), r->reason);
	s->known = place;
	s->stops++;
	s->ns += (double)(r->to - r->from);
	f->world->ns += (double)(r->to - r->from);
	if (r->to - r->from > s->to - s->from) {
		s->from = r->from;
		s->to = r->to;
	}
	if (r->g != TRACEV2_NO_ID)
		few_add(&s->goroutines, r->g);
}

static void finding_world_say(struct findings *f, const struct stopper *s)
{
	struct buf text = { 0 };

	buf_printf(&text, "The world is stopped %.0f times a second, %.0f %% of the time, by ",
		   (double)s->stops * 1e9 / findings_wall(f), 100 * s->ns / findings_wall(f));
	findings_name(f, &text, s->place);
	buf_printf(&text, " (%s): no goroutine runs meanwhile; the longest stop takes ", s->reason);
	findings_time(&text, (double)(s->to - s->from));
	buf_printf(&text, ".");
	findings_add(f,
		     &(struct verdict){ "stop-the-world", s->ns, s->place, &s->goroutines, s->from,
					s->to },
		     &text);
}

/*
 * Adds stops without a recorded stack (not recorded to save cost) to the stops of the same
 * goroutine and reason for which the place is known.
 */
static void add_unknown(struct world *w, struct stopper *unknown)
{
	size_t i;

	for (i = 0; i < w->stoppers.len; i++) {
		struct stopper *s = vec_at(&w->stoppers, struct stopper, i);

		if (!s->known || s->reason != unknown->reason || !unknown->goroutines.n ||
		    s->goroutines.ids[0] != unknown->goroutines.ids[0])
			continue;
		s->ns += unknown->ns;
		s->stops += unknown->stops;
		unknown->ns = 0;
		return;
	}
}

static void world_judge(struct findings *f)
{
	size_t i;

	f->lost += f->world->ns;
	for (i = 0; i < f->world->stoppers.len; i++)
		if (!vec_at(&f->world->stoppers, struct stopper, i)->known)
			add_unknown(f->world, vec_at(&f->world->stoppers, struct stopper, i));
	for (i = 0; i < f->world->stoppers.len; i++) {
		const struct stopper *s = vec_at(&f->world->stoppers, struct stopper, i);

		if (s->ns >= WORLD_SHARE * findings_wall(f))
			finding_world_say(f, s);
	}
}

const struct findings_family findings_of_world = {
	.new = world_new,
	.free = world_free,
	.range = world_range,
	.judge = world_judge,
};
