// SPDX-License-Identifier: Apache-2.0
/*
 * places: which goroutine is on which P and thread. Part of perfetto.c.
 *
 * The slice of a goroutine goes on during a system call: on its thread, and on its P as long as the
 * goroutine keeps the P. The views of `go tool trace` do the same. Most calls are short, and ending
 * the slices for each call would make the trace a fifth larger.
 */
#include "perfetto/internal.h"

struct place *places_p(struct perfetto *p, uint64_t id)
{
	struct place *place = idtab_find(&p->ps, id);

	if (!place) {
		place = idtab_add(&p->ps, id);
		place->track = tracks_add_p(&p->tracks, id);
	}
	return place;
}

struct place *places_thread(struct perfetto *p, uint64_t id)
{
	struct place *place = idtab_find(&p->ms, id);

	return place ? place : idtab_add(&p->ms, id);
}

struct place *places_m(struct perfetto *p, uint64_t id, int64_t time)
{
	struct place *place = places_thread(p, id);

	if (!place->track)
		place->track = tracks_add_m(&p->tracks, id, time);
	return place;
}

static void places_end_at(struct perfetto *p, struct place *place, int64_t time)
{
	perfetto_event(p, &(struct packets_event){
				  .type = EVENT_END, .time = time, .track = place->track });
	place->slot = 0;
	place->until = time;
}

static void place_leave(struct perfetto *p, struct place **at, const struct goroutine *g,
			int64_t time)
{
	if (*at && (*at)->slot == g->slot)
		places_end_at(p, *at, time);
	*at = NULL;
}

void places_leave(struct perfetto *p, const struct goroutine *g, int64_t time)
{
	struct go_track *t = track_of(p, g);

	place_leave(p, &t->p, g, time);
	place_leave(p, &t->m, g, time);
}

/*
 * Slices of a P have the goroutine's id. Slices of a thread need none: a slice of a P begins at the
 * same time.
 */
static struct packets_event places_begin_of(struct perfetto *p, const struct place *place,
					    const struct goroutine *g, bool is_p)
{
	if (is_p)
		perfetto_note(p, NOTE_GOROUTINE, g->id);
	return (struct packets_event){ .type = EVENT_BEGIN, .track = place->track,
				       .name = track_of(p, g)->name, .category = CATEGORY_RUNNING };
}

static void place_enter(struct perfetto *p, struct place **at, struct place *place,
			const struct span *s, bool is_p)
{
	struct packets_event e;

	if (*at == place && place->slot == s->g->slot)
		return;
	place_leave(p, at, s->g, s->from);
	if (place->slot)
		places_end_at(p, place, s->from);
	e = places_begin_of(p, place, s->g, is_p);
	e.time = s->from;
	perfetto_event(p, &e);
	place->slot = s->g->slot;
	*at = place;
}

void places_enter(struct perfetto *p, const struct span *s)
{
	struct go_track *t = track_of(p, s->g);

	if (s->p != TRACEV2_NO_ID)
		place_enter(p, &t->p, places_p(p, s->p), s, true);
	else
		place_leave(p, &t->p, s->g, s->from);
	if (s->m != TRACEV2_NO_ID)
		place_enter(p, &t->m, places_m(p, s->m, perfetto_time(p, s->from)), s, false);
	else
		place_leave(p, &t->m, s->g, s->from);
}

/*
 * Writes the slice of a goroutine that ran when the trace began. Its P and thread become known when
 * the goroutine stops; the slice must not overlap slices that were written until then.
 */
static void put_found(struct perfetto *p, struct place *place, const struct span *s, bool is_p)
{
	struct packets_event e;

	if (place->slot || place->until > s->to || (place->until == s->to && s->from < s->to))
		return;
	e = places_begin_of(p, place, s->g, is_p);
	e.time = place->until > s->from ? place->until : s->from;
	perfetto_slice(p, &e, s->to);
	place->until = s->to;
}

void places_found(struct perfetto *p, const struct span *s)
{
	if (s->p != TRACEV2_NO_ID)
		put_found(p, places_p(p, s->p), s, true);
	if (s->m != TRACEV2_NO_ID)
		put_found(p, places_m(p, s->m, perfetto_time(p, s->from)), s, false);
}

void places_proc(void *ctx, const struct proc_span *span)
{
	struct perfetto *p = ctx;
	struct place *place = idtab_find(&p->ps, span->p);

	if (place && place->slot)
		places_end_at(p, place, span->to);
}
