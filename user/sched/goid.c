// SPDX-License-Identifier: Apache-2.0
/*
 * goid: see goid.h. Held records lie in one buffer, oldest first. Places in it are counted
 * from the first record that was ever held, so that nothing is renumbered as records leave.
 */
#include "sched/goid.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"

enum {
	/*
	 * A name comes within milliseconds, or its record was lost. Half a second of the
	 * most records that were ever seen.
	 */
	HELD_MAX = 16 << 20,
	HELD_KEEP = 64 << 10,
};

struct goid_filter {
	goid_fn *fn;
	void *ctx;
	struct buf held;	/* from head on; the first one there is a creation that waits */
	size_t head;
	uint64_t gone;		/* bytes that were cut off before held.data */
	struct map64 open;	/* g -> place of its creation that waits, +1 */
	struct map64 names;	/* g -> goid, 0 when it is dead */
	size_t unnamed;
};

struct goid_filter *goid_filter_new(goid_fn *fn, void *ctx)
{
	struct goid_filter *f = xcalloc(1, sizeof(*f));

	f->fn = fn;
	f->ctx = ctx;
	return f;
}

static bool is_creation(const struct rec *r)
{
	return r->kind == REC_GO_CREATE || r->kind == REC_GO_CREATE_BLOCKED;
}

/* Does the record have a goroutine's goid and g, as id and ptr? */
static bool names_goroutine(const struct rec *r)
{
	return r->id && r->id != REC_ID_TOLD &&
	       (rec_is_of_goroutine(r->kind) || r->kind == REC_GOID);
}

/* --- names of gs --- */

static uint64_t name_of(const struct goid_filter *f, uint64_t g)
{
	const uint64_t *goid = map64_get(&f->names, g);

	return goid ? *goid : 0;
}

/* Takes the id of a g from @r, or forgets it where @r ends the goroutine. */
static void learn(struct goid_filter *f, const struct rec *r)
{
	uint64_t *goid;
	bool is_new;

	if (r->kind == REC_RESUME) {	/* a goroutine that was named before may have ended unseen */
		map64_clear(&f->names);
	} else if (r->kind == REC_SNAP_G) {	/* it was read while records were made already */
		goid = map64_put(&f->names, r->ptr, &is_new);
		if (is_new)
			*goid = r->id;
	} else if (r->kind == REC_GO_DEAD) {
		*map64_put(&f->names, r->ptr, NULL) = 0;
	} else if (r->id && rec_is_of_goroutine(r->kind)) {
		*map64_put(&f->names, r->ptr, NULL) = r->id;
	}
}

static bool is_switch(const struct rec *r)
{
	return r->kind == REC_GO_SWITCH || r->kind == REC_GO_SWITCH_DEAD;
}

/*
 * A switch has two goroutines. A record may leave out the id of one and have that of the
 * other, since user space lets the probes leave ids out while they run.
 */
static bool leaves_out_a_name(const struct rec *r)
{
	return rec_is_of_goroutine(r->kind) &&
	       (r->id == REC_ID_TOLD ||
		(is_switch(r) && ((const struct rec_long *)r)->stack == REC_ID_TOLD));
}

/* copy_of() has room for these. */
#define KIND(number, name, layout, family, ...) \
	_Static_assert((REC_FAMILY_##family != REC_FAMILY_GO && REC_FAMILY_##family != REC_FAMILY_SYSCALL) || \
		       sizeof(struct layout) == sizeof(struct rec) || \
		       sizeof(struct layout) == sizeof(struct rec_long), #name ": another length");
#include "record.def"
#undef KIND

static struct rec_long copy_of(const struct rec *r)
{
	struct rec_long copy = { .r = *r };

	if (rec_head_size(r->kind) == sizeof(copy))
		copy = *(const struct rec_long *)r;
	return copy;
}

static int pass_on(struct goid_filter *f, const struct rec *r)
{
	struct rec_long named;
	bool is_known = false;

	if (leaves_out_a_name(r)) {
		named = copy_of(r);
		is_known = r->id == REC_ID_TOLD && r->kind != REC_GO_DEAD;
		if (r->id == REC_ID_TOLD)
			named.r.id = name_of(f, r->ptr);
		if (is_switch(r) && named.stack == REC_ID_TOLD)
			named.stack = name_of(f, named.arg);
		r = &named.r;
	}
	if (!is_known)
		learn(f, r);
	return f->fn(f->ctx, r);
}

/* --- records that wait --- */

/* The creating thread may be interrupted before it names the g anew; or @r is of an earlier creation. */
static bool is_of_another(const struct rec *r, const struct rec *creation)
{
	const struct rec_long *l = (const struct rec_long *)r;

	return r->kind == REC_GOID &&
	       ((uint16_t)r->id == creation->flags || (l->arg && l->arg != creation->time));
}

static struct rec *held_at(const struct goid_filter *f, size_t at)
{
	return (struct rec *)(f->held.data + at);
}

/* True if a creation that is held back gets its goid from @r. */
static bool resolve(struct goid_filter *f, const struct rec *r)
{
	uint64_t *place = map64_get(&f->open, r->ptr);
	struct rec *creation;

	if (!place)
		return false;
	creation = held_at(f, *place - 1 - f->gone);
	if (is_of_another(r, creation))
		return false;
	creation->id = r->id;
	map64_del(&f->open, r->ptr);
	return true;
}

/*
 * True if another creation of the same g gave up to wait: that goroutine has ended, and
 * none of its records came that names it.
 */
static bool hold(struct goid_filter *f, const struct rec *r)
{
	uint64_t place = f->gone + f->held.len;
	bool is_new = true;

	buf_add(&f->held, r, record_size(r, SIZE_MAX));
	if (is_creation(r) && !r->id)
		*map64_put(&f->open, r->ptr, &is_new) = place + 1;
	return !is_new;
}

static bool waits(const struct goid_filter *f, const struct rec *creation)
{
	const uint64_t *place = map64_get(&f->open, creation->ptr);

	return place && *place - 1 - f->gone == f->head;
}

/* Cuts off the records that were passed on, when they take more room than the rest. */
static void compact(struct goid_filter *f)
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

/* Passes on the records before the first creation that waits for its goid. */
static int release(struct goid_filter *f)
{
	int e = 0;

	while (!e && f->head < f->held.len) {
		const struct rec *r = held_at(f, f->head);

		if (!is_creation(r) || r->id)
			e = pass_on(f, r);
		else if (waits(f, r))
			break;
		else
			f->unnamed++;
		f->head += record_size(r, SIZE_MAX);
	}
	compact(f);
	return e;
}

/* Creations that held up too many records wait no longer. */
static int give_up_waiting(struct goid_filter *f)
{
	int e = 0;

	while (!e && f->held.len - f->head > HELD_MAX) {
		map64_del(&f->open, held_at(f, f->head)->ptr);
		e = release(f);
	}
	return e;
}

int goid_filter_record(struct goid_filter *f, const struct rec *r)
{
	bool settled = names_goroutine(r) && resolve(f, r);

	if (!f->held.len && (!is_creation(r) || r->id))
		return pass_on(f, r);
	settled |= hold(f, r);
	return settled ? release(f) : give_up_waiting(f);
}

uint64_t goid_filter_holds(const struct goid_filter *f)
{
	return f->held.len > f->head ? held_at(f, f->head)->time : UINT64_MAX;
}

int goid_filter_finish(struct goid_filter *f)
{
	map64_clear(&f->open);
	return release(f);
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
