// SPDX-License-Identifier: Apache-2.0
/* detail: see detail.h. This file reads the spool; detail_plan.c decides on tracks and levels. */
#include "html/detail.h"

#include <stdlib.h>
#include <string.h>

#include "html/detail_internal.h"

/* Data of the goroutine that has the slot now. */
struct spool_slot {
	uint64_t id, serial;
	uint32_t name, track;	/* track: number in its plane + 1; 0: none */
	int64_t last;
};

/* The goroutine in a system call that still has a P; in a vec by the track of the P. */
struct proc_syscall {
	uint32_t slot;		/* 0: none */
	int64_t from;
};

struct record {
	uint8_t kind;
	uint32_t slot, stack, waker_stack;
	uint64_t reason, p, m, waker;
	bool has_waker;
};

uint32_t detail_stack(struct detail *d, uint32_t stack)
{
	if (!stack || stack > stack_set_stacks(spans_stacks(d->h->spans)))
		return 0;
	if (d->stack_numbers[stack])
		return d->stack_numbers[stack];
	if (d->stacks.len >= DETAIL_STACKS) {
		d->stacks_dropped++;
		return 0;
	}
	*(uint32_t *)vec_push(&d->stacks, sizeof(uint32_t)) = stack;
	return d->stack_numbers[stack] = (uint32_t)d->stacks.len;
}

static struct spool_slot *detail_slot_of(struct detail *d, uint32_t slot)
{
	while (d->slots.len <= slot)
		vec_push(&d->slots, sizeof(struct spool_slot));
	return vec_at(&d->slots, struct spool_slot, slot);
}

static struct proc_syscall *detail_syscall_of(struct detail *d, uint32_t track)
{
	while (d->syscalls.len <= track)
		vec_push(&d->syscalls, sizeof(struct proc_syscall));
	return vec_at(&d->syscalls, struct proc_syscall, track);
}

/* Returns the number + 1 of the track of a P; 0: none. @p is the id of the P + 1; 0: none. */
static uint32_t proc_track(struct detail *d, uint64_t p)
{
	uint64_t *number = p ? map64_get(&d->proc_tracks, p - 1) : NULL;

	return number ? (uint32_t)*number : 0;
}

static void detail_add(struct detail *d, enum plane plane, uint32_t track,
		       const struct block_item *item)
{
	struct level_track *t = track ? vec_at(&d->tracks[plane], struct level_track, track - 1) :
					NULL;

	if (t && item->to > item->from && item->from >= t->last)
		levels_add(&d->levels, t, item);
}

/* --- Ps and threads --- */

static void detail_heat(struct detail *d, uint32_t track, uint8_t state, int64_t from, int64_t to)
{
	double width = (double)(d->h->last - d->h->first + 1) / HEAT_BUCKETS;
	double *row = d->heat + (size_t)(track - 1) * HEAT_BUCKETS +
		(state == PAGE_SYSCALL ? d->tracks[PLANE_P].len * HEAT_BUCKETS : 0);
	unsigned i = (unsigned)((double)from / width);

	for (; i < HEAT_BUCKETS && (double)i * width < (double)to; i++) {
		double a = (double)i * width, b = a + width;

		row[i] += ((double)to < b ? (double)to : b) - ((double)from > a ? (double)from : a);
	}
}

/*
 * Adds a stay on a P, from the end of the last stay on. A system call that began before the trace
 * has no event for the loss of its P: other goroutines may have had the P since its begin.
 */
static void detail_on_proc(struct detail *d, uint32_t track, const struct spool_slot *s,
			   uint8_t state, uint64_t m, int64_t from, int64_t to)
{
	int64_t last = track ? vec_at(&d->tracks[PLANE_P], struct level_track, track - 1)->last : 0;

	if (from < last)
		from = last;
	if (!track || to <= from)
		return;
	detail_heat(d, track, state, from, to);
	detail_add(d, PLANE_P, track, &(struct block_item){
		.state = state, .from = from, .to = to, .x = s->id, .y = s->name, .z = m });
}

static void p_lost(struct detail *d, uint64_t p)
{
	uint32_t track = proc_track(d, p);
	struct proc_syscall *sys;

	if (!track)
		return;
	sys = detail_syscall_of(d, track);
	if (sys->slot)
		detail_on_proc(d, track, detail_slot_of(d, sys->slot), PAGE_SYSCALL, 0, sys->from,
			       d->time);
	sys->slot = 0;
}

static void on_placed(struct detail *d, const struct record *r, const struct spool_slot *s,
		      uint8_t state)
{
	uint32_t track = proc_track(d, r->p);
	struct proc_syscall *sys = track ? detail_syscall_of(d, track) : NULL;

	detail_add(d, PLANE_M, r->m <= d->tracks[PLANE_M].len ? (uint32_t)r->m : 0,
		   &(struct block_item){ .state = state,
					 .from = s->last,
					 .to = d->time,
					 .x = s->id,
					 .y = s->name,
					 .z = r->p });
	if (!sys)
		return;
	if (state == PAGE_RUNNING)
		detail_on_proc(d, track, s, state, r->m, s->last, d->time);
	else if (sys->slot == r->slot || !s->last)
		detail_on_proc(d, track, s, state, r->m, s->last, d->time);
	sys->slot = state == PAGE_RUNNING && r->kind & SPOOL_INTO_SYSCALL ? r->slot : 0;
	sys->from = d->time;
}

/* --- not on a CPU --- */

static void detail_take_off(struct detail *d, struct spill_cursor *c, uint8_t state)
{
	struct spool_slot *s = detail_slot_of(d, (uint32_t)spill_varint(c));
	uint64_t p = spill_varint(c), m = spill_varint(c);
	struct block_item item = { .state = state };

	item.from = d->time - (int64_t)spill_varint(c);
	item.to = item.from + (int64_t)spill_varint(c);
	item.x = spill_varint(c);
	item.y = spill_varint(c);
	if (d->h->off_forgotten)
		return;
	detail_add(d, PLANE_OFF + PLANE_P, proc_track(d, p), &item);
	detail_add(d, PLANE_OFF + PLANE_M, m <= d->tracks[PLANE_M].len ? (uint32_t)m : 0, &item);
	detail_add(d, PLANE_OFF + PLANE_G, s->track, &item);
}

/* --- goroutines --- */

static void detail_on_goroutine(struct detail *d, const struct record *r,
				const struct spool_slot *s, uint8_t state)
{
	struct block_item item = { .state = state, .from = s->last, .to = d->time };

	if (!s->track)
		return;
	if (state == PAGE_RUNNING || state == PAGE_SYSCALL)
		item.x = r->p;
	else
		item.x = r->reason;
	item.y = detail_stack(d, r->stack);
	if (r->has_waker) {
		item.z = r->waker + 1;
		item.w = detail_stack(d, r->waker_stack);
	}
	detail_add(d, PLANE_G, s->track, &item);
}

/* --- records --- */

static void read_span(struct spill_cursor *c, struct record *r)
{
	r->slot = (uint32_t)spill_varint(c);
	if (r->kind & SPOOL_REASON)
		r->reason = spill_varint(c);
	if (r->kind & SPOOL_STACK)
		r->stack = (uint32_t)spill_varint(c);
	if (r->kind & SPOOL_PLACE) {
		r->p = spill_varint(c);
		r->m = spill_varint(c);
	}
	if (r->kind & SPOOL_WAKER) {
		r->has_waker = true;
		r->waker = spill_varint(c);
		r->waker_stack = (uint32_t)spill_varint(c);
	}
}

static void detail_take_span(struct detail *d, struct spill_cursor *c, uint8_t kind)
{
	struct record r = { .kind = kind };
	struct spool_slot *s;

	read_span(c, &r);
	s = detail_slot_of(d, r.slot);
	if (kind & SPOOL_PLACE)
		on_placed(d, &r, s, kind & SPOOL_STATE);
	detail_on_goroutine(d, &r, s, kind & SPOOL_STATE);
	s->last = d->time;
}

static void take_goroutine(struct detail *d, struct spill_cursor *c)
{
	struct spool_slot *s = detail_slot_of(d, (uint32_t)spill_varint(c));
	uint64_t *track;

	s->serial = spill_varint(c);
	s->id = spill_varint(c);
	s->name = (uint32_t)spill_varint(c);
	s->last = (int64_t)spill_varint(c);
	track = map64_get(&d->goroutine_tracks, s->serial);
	s->track = track ? (uint32_t)*track : 0;
}

static void read_spool(struct detail *d)
{
	struct spill_cursor c = spill_cursor(&d->h->spool);

	while (spill_more(&c, 96)) {
		uint8_t kind = c.buf[c.pos++];

		d->time += (int64_t)spill_varint(&c);
		switch (kind & SPOOL_STATE) {
		case SPOOL_GOROUTINE:
			take_goroutine(d, &c);
			break;
		case SPOOL_P_LOST:
			p_lost(d, spill_varint(&c));
			break;
		case SPOOL_OFF:
			detail_take_off(d, &c, kind >> 3);
			break;
		default:
			detail_take_span(d, &c, kind);
		}
	}
	spill_cursor_free(&c);
}

static void end_tracks(struct detail *d)
{
	unsigned plane;
	size_t i;

	for (plane = 0; plane < PLANES; plane++)
		for (i = 0; i < d->tracks[plane].len; i++)
			levels_end(&d->levels, vec_at(&d->tracks[plane], struct level_track, i));
	blocks_end(&d->blocks);
}

void detail_make(struct detail *d, struct html *h, const struct html_about *about, size_t room)
{
	*d = (struct detail){ .h = h };
	blocks_init(&d->blocks);
	d->stack_numbers = xcalloc(stack_set_stacks(spans_stacks(h->spans)) + 1, sizeof(uint32_t));
	detail_plan(d, about, room);
	d->levels = (struct levels){ &d->blocks, d->windows.data, d->windows.len };
	d->heat = xcalloc(2 * (d->tracks[PLANE_P].len + 1) * HEAT_BUCKETS, sizeof(double));
	read_spool(d);
	end_tracks(d);
}

void detail_free(struct detail *d)
{
	unsigned plane;

	blocks_free(&d->blocks);
	for (plane = 0; plane < PLANES; plane++)
		vec_free(&d->tracks[plane]);
	vec_free(&d->windows);
	vec_free(&d->procs);
	vec_free(&d->stacks);
	vec_free(&d->slots);
	vec_free(&d->syscalls);
	map64_free(&d->proc_tracks);
	map64_free(&d->goroutine_tracks);
	free(d->stack_numbers);
	free(d->heat);
}
