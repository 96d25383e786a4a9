// SPDX-License-Identifier: Apache-2.0
/*
 * goid: see goid.h. Held records lie in one buffer, oldest first. Offsets count from the first
 * record that was ever held, so that they do not change when records leave the buffer.
 */
#include "stream/goid.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"

enum {
	/*
	 * Bytes. A goid comes within milliseconds, or its record was lost. HELD_MAX is half a
	 * second of the highest rate of records that was measured.
	 */
	HELD_MAX = 16 << 20,
	HELD_KEEP = 64 << 10,
	/* More gs than a program has goroutines at one time: goids of further gs are not kept. */
	NAMES_MAX = 1 << 21,
};

/* The part of a record in the naming of goroutines, by its kind. */
enum goid_role {
	GOID_NO_ROLE,
	/*
	 * Names no goroutine: the tables of stacks and of threads accept it in any order relative
	 * to other records.
	 */
	GOID_OVERTAKES,
	GOID_FORGETS_ALL,
	GOID_SNAPSHOT,		/* read while probes already made records */
	GOID_FOUND,		/* a goid that the capture read from memory */
	/* transitions of a goroutine, with its goid or without */
	GOID_TRANSITION,
	GOID_CREATION,
	GOID_DEATH,
	GOID_SWITCH,		/* of two goroutines */
};

static enum goid_role goid_role_of(uint8_t kind)
{
	switch (kind) {
	case REC_STACK:
		return GOID_OVERTAKES;
	case REC_RESUME:
		return GOID_FORGETS_ALL;
	case REC_SNAP_G:
		return GOID_SNAPSHOT;
	case REC_GOID:
		return GOID_FOUND;
	case REC_GO_CREATE:
	case REC_GO_CREATE_BLOCKED:
		return GOID_CREATION;
	case REC_GO_DEAD:
		return GOID_DEATH;
	case REC_GO_SWITCH:
	case REC_GO_SWITCH_DEAD:
		return GOID_SWITCH;
	}
	if (rec_family(kind) == REC_FAMILY_LINUX)
		return GOID_OVERTAKES;
	return rec_is_of_goroutine(kind) ? GOID_TRANSITION : GOID_NO_ROLE;
}

struct goid_filter *goid_filter_new(struct merge *from, bool names)
{
	struct goid_filter *f = xcalloc(1, sizeof(*f));
	unsigned int kind;

	for (kind = 0; kind < 256; kind++) {
		enum goid_role role = goid_role_of((uint8_t)kind);

		f->roles[kind] = role;
		f->is_plain[kind] = role <= GOID_OVERTAKES || (!names && role != GOID_CREATION);
	}
	f->from = from;
	f->all_named = !names;
	return f;
}

/* True for a creation without its goid. */
static bool goid_is_nameless(const struct goid_filter *f, const struct rec *r)
{
	return !r->id && f->roles[r->kind] == GOID_CREATION;
}

/* True if id and ptr of the record are goid and g of a goroutine. */
static bool goid_is_named(const struct goid_filter *f, const struct rec *r)
{
	return r->id && r->id != REC_ID_TOLD && f->roles[r->kind] >= GOID_FOUND;
}

/* --- names of gs --- */

/* The place of @g among the recent names. The sizes of runtime.g are from 384 bytes on. */
static struct goid_name *goid_recent(struct goid_filter *f, uint64_t g)
{
	return &f->recent[(g >> 7 ^ g >> 17) % GOID_RECENT];
}

static uint64_t goid_of_g(struct goid_filter *f, uint64_t g)
{
	struct goid_name *recent = goid_recent(f, g);
	const uint64_t *goid;

	if (recent->g == g)
		return recent->goid;
	goid = map64_get(&f->names, g);
	if (goid)
		*recent = (struct goid_name){ g, *goid };
	return goid ? *goid : 0;
}

static void goid_learn_new(struct goid_filter *f, uint64_t g, uint64_t goid)
{
	uint64_t *slot = map64_get(&f->names, g);

	if (!slot && f->names.len < NAMES_MAX)
		slot = map64_put(&f->names, g, NULL);
	if (!slot)
		return;
	*slot = goid;
	*goid_recent(f, g) = (struct goid_name){ g, goid };
}

/* Keeps the goid that @r has for its g, or forgets it if @r ends the goroutine. */
static void goid_learn(struct goid_filter *f, const struct rec *r)
{
	const struct goid_name *recent = goid_recent(f, r->ptr);

	if (f->roles[r->kind] == GOID_DEATH)
		goid_learn_new(f, r->ptr, 0);
	else if (r->id && (recent->g != r->ptr || recent->goid != r->id))
		goid_learn_new(f, r->ptr, r->id);
}

/* Keeps a goid of the snapshot, unless a record has named that g already. */
static void goid_learn_snapshot(struct goid_filter *f, const struct rec *r)
{
	bool is_new;
	uint64_t *goid = map64_put(&f->names, r->ptr, &is_new);

	if (!is_new)
		return;
	*goid = r->id;
	*goid_recent(f, r->ptr) = (struct goid_name){ r->ptr, r->id };
}

static void goid_forget_all(struct goid_filter *f)
{
	map64_clear(&f->names);
	memset(f->recent, 0, sizeof(f->recent));
}

/* goid_copy() has space for a record of these kinds. */
#define KIND(number, name, layout, family, ...) \
	_Static_assert((REC_FAMILY_##family != REC_FAMILY_GO && \
			REC_FAMILY_##family != REC_FAMILY_SYSCALL) || \
		       sizeof(struct layout) == sizeof(struct rec) || \
		       sizeof(struct layout) == sizeof(struct rec_long), #name ": another length");
#include "record.def"
#undef KIND

static struct rec_long goid_copy(const struct rec *r)
{
	struct rec_long copy = { .r = *r };

	if (rec_head_size(r->kind) == sizeof(copy))
		copy = *(const struct rec_long *)r;
	return copy;
}

/* A copy of @r with the goids that it leaves out. */
static const struct rec *goid_fill_in(struct goid_filter *f, const struct rec *r)
{
	struct rec_long *named = &f->named;
	enum goid_role role = f->roles[r->kind];

	*named = goid_copy(r);
	if (r->id == REC_ID_TOLD)
		named->r.id = goid_of_g(f, r->ptr);
	if (role == GOID_SWITCH && named->stack == REC_ID_TOLD)
		named->stack = goid_of_g(f, named->arg);
	if (r->id != REC_ID_TOLD || role == GOID_DEATH)
		goid_learn(f, &named->r);
	return &named->r;
}

/* @r with its goids. Keeps the goid that @r has for its g. */
static const struct rec *goid_name(struct goid_filter *f, const struct rec *r)
{
	switch (f->roles[r->kind]) {
	case GOID_SWITCH:
		/*
		 * User space allows probes to leave out goids while they run, so a record may leave
		 * out the goid of one goroutine only.
		 */
		if (((const struct rec_long *)r)->stack == REC_ID_TOLD)
			return goid_fill_in(f, r);
		/* fallthrough */
	case GOID_TRANSITION:
	case GOID_CREATION:
	case GOID_DEATH:
		if (r->id == REC_ID_TOLD)
			return goid_fill_in(f, r);
		goid_learn(f, r);
		break;
	case GOID_SNAPSHOT:
		goid_learn_snapshot(f, r);
		break;
	case GOID_FORGETS_ALL:	/* a goroutine that was named before the gap may have ended in it */
		goid_forget_all(f);
		break;
	}
	return r;
}

/* --- records that wait --- */

/*
 * True if the goid in @r is not that of @creation: the creating thread may be interrupted before it
 * gives the g its new goid, or @r may be of an earlier creation.
 */
static bool goid_is_of_another(const struct rec *r, const struct rec *creation)
{
	const struct rec_long *l = (const struct rec_long *)r;

	return r->kind == REC_GOID &&
	       ((uint16_t)r->id == creation->flags || (l->arg && l->arg != creation->time));
}

static struct rec *goid_held_at(const struct goid_filter *f, size_t at)
{
	return (struct rec *)(f->held.data + at);
}

/* True if a held creation gets its goid from @r. */
static bool goid_resolve(struct goid_filter *f, const struct rec *r)
{
	uint64_t *place = map64_get(&f->open, r->ptr);
	struct rec *creation;

	if (!place)
		return false;
	creation = goid_held_at(f, *place - 1 - f->gone);
	if (goid_is_of_another(r, creation))
		return false;
	creation->id = r->id;
	map64_del(&f->open, r->ptr);
	return true;
}

/*
 * Holds @r. True if an earlier creation of the same g was still held: that goroutine has ended
 * without a record that names it, and its creation waits no longer.
 */
static bool goid_hold(struct goid_filter *f, const struct rec *r)
{
	uint64_t place = f->gone + f->held.len;
	bool is_new = true;

	buf_add(&f->held, r, record_size(r, SIZE_MAX));
	if (goid_is_nameless(f, r))
		*map64_put(&f->open, r->ptr, &is_new) = place + 1;
	return !is_new;
}

static bool goid_waits(const struct goid_filter *f, const struct rec *creation)
{
	const uint64_t *place = map64_get(&f->open, creation->ptr);

	return place && *place - 1 - f->gone == f->head;
}

/* Removes the records that were given out from the buffer when they take more than half of it. */
static void goid_compact(struct goid_filter *f)
{
	if (f->head <= f->held.len - f->head)
		return;
	memmove(f->held.data, f->held.data + f->head, f->held.len - f->head);
	f->held.len -= f->head;
	f->gone += f->head;
	f->head = 0;
	if (!f->held.len)
		buf_empty(&f->held, HELD_KEEP);
}

/* Gives up on the creation at the head of the buffer: it is left out. */
static void goid_give_up(struct goid_filter *f, const struct rec *creation)
{
	map64_del(&f->open, creation->ptr);
}

/* The next held record; NULL: all are given out, or a creation waits. */
static const struct rec *goid_release(struct goid_filter *f)
{
	while (f->head < f->held.len) {
		const struct rec *r = goid_held_at(f, f->head);
		bool is_unnamed = goid_is_nameless(f, r);

		if (is_unnamed && goid_waits(f, r)) {
			if (f->held.len - f->head <= HELD_MAX)
				break;
			goid_give_up(f, r);
		}
		f->head += record_size(r, SIZE_MAX);
		if (!is_unnamed)
			return f->all_named ? r : goid_name(f, r);
		f->unnamed++;
	}
	f->flows = false;
	goid_compact(f);
	return NULL;
}

/*
 * Holds @r, or gives out held records before it. Returns the next record for the caller; NULL: none
 * is available. A separate function, so that its caller is short for records that are not held.
 */
static __attribute__((noinline)) const struct rec *goid_queue(struct goid_filter *f,
							      const struct rec *r)
{
	f->flows = goid_is_named(f, r) && goid_resolve(f, r);
	f->flows |= goid_hold(f, r) || f->held.len - f->head > HELD_MAX;
	return f->flows ? goid_release(f) : NULL;
}

/* @r, which the merge has given, or records that are to be given before it; NULL: it waits. */
static const struct rec *goid_pass(struct goid_filter *f, const struct rec *r)
{
	enum goid_role role = f->roles[r->kind];

	if (role == GOID_OVERTAKES)
		return r;
	if (!f->held.len && (role != GOID_CREATION || r->id))
		return f->all_named ? r : goid_name(f, r);
	return goid_queue(f, r);
}

const struct rec *goid_filter_pass(struct goid_filter *f, const struct rec *r)
{
	const struct rec *given = NULL;
	const struct goid_name *recent;

	for (; !given && r; r = given ? NULL : merge_next(f->from)) {
		recent = goid_recent(f, r->ptr);
		if (!f->held.len && (f->is_plain[r->kind] ||
				     (f->roles[r->kind] == GOID_TRANSITION && r->id &&
				      recent->g == r->ptr && recent->goid == r->id)))
			return r;	/* its goid is known already */
		given = goid_pass(f, r);
	}
	return given;
}

const struct rec *goid_filter_flow(struct goid_filter *f)
{
	const struct rec *r = goid_release(f);

	return r ? r : goid_filter_next(f);
}

uint64_t goid_filter_holds(const struct goid_filter *f)
{
	return f->held.len > f->head ? goid_held_at(f, f->head)->time : UINT64_MAX;
}

void goid_filter_finish(struct goid_filter *f)
{
	map64_clear(&f->open);
	f->flows = true;
}

size_t goid_filter_unnamed(const struct goid_filter *f)
{
	return f->unnamed;
}

void goid_filter_free(struct goid_filter *f)
{
	if (!f)
		return;
	buf_free(&f->held);
	map64_free(&f->open);
	map64_free(&f->names);
	free(f);
}
