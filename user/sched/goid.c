// SPDX-License-Identifier: Apache-2.0
/* goid: see goid.h. Held records lie in one buffer, oldest first. */
#include "sched/goid.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"

struct goid_filter {
	goid_fn *fn;
	void *ctx;
	struct buf held;
	struct map64 open;	/* g -> offset in `held` of its creation, +1 */
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

/* Records whose id and ptr are a goroutine's. */
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

/* What @r, which has its id by now, tells of the name of its g. */
static void learn(struct goid_filter *f, const struct rec *r)
{
	uint64_t *goid;
	bool is_new;

	if (r->kind == REC_RESUME) {	/* what was named before may have died unseen */
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
 * Of the two that a switch names, one may be told and the other not: from when
 * on names are left out is decided while probes run.
 */
static bool leaves_out_a_name(const struct rec *r)
{
	return rec_is_of_goroutine(r->kind) &&
	       (r->id == REC_ID_TOLD ||
		(is_switch(r) && ((const struct rec_long *)r)->stack == REC_ID_TOLD));
}

/* pass_on() names them in room for a rec_long. */
#define KIND(number, name, layout, family, ...) \
	_Static_assert((REC_FAMILY_##family != REC_FAMILY_GO && REC_FAMILY_##family != REC_FAMILY_SYSCALL) || \
		       sizeof(struct layout) <= sizeof(struct rec_long), #name ": too long");
#include "record.def"
#undef KIND

static int pass_on(struct goid_filter *f, const struct rec *r)
{
	struct rec_long named = {0};

	if (leaves_out_a_name(r)) {
		memcpy(&named, r, record_size(r, SIZE_MAX));
		if (r->id == REC_ID_TOLD)
			named.r.id = name_of(f, r->ptr);
		if (is_switch(r) && named.stack == REC_ID_TOLD)
			named.stack = name_of(f, named.arg);
		r = &named.r;
	}
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

static void resolve(struct goid_filter *f, const struct rec *r)
{
	uint64_t *at = map64_get(&f->open, r->ptr);
	struct rec *creation;

	if (!at)
		return;
	creation = (struct rec *)(f->held.data + *at - 1);
	if (is_of_another(r, creation))
		return;
	creation->id = r->id;
	map64_del(&f->open, r->ptr);
}

static void hold(struct goid_filter *f, const struct rec *r)
{
	size_t at = f->held.len;

	buf_add(&f->held, r, record_size(r, SIZE_MAX));
	if (is_creation(r) && !r->id)
		*map64_put(&f->open, r->ptr, NULL) = at + 1;
}

/* Passes on what stands before the first creation that is still open. */
static int release(struct goid_filter *f, bool all)
{
	size_t at = 0;
	int e = 0;

	while (!e && at < f->held.len) {
		const struct rec *r = (const struct rec *)(f->held.data + at);

		if (is_creation(r) && !r->id) {
			if (!all)
				break;
			f->unnamed++;
		} else {
			e = pass_on(f, r);
		}
		at += record_size(r, SIZE_MAX);
	}
	if (!at)
		return e;
	memmove(f->held.data, f->held.data + at, f->held.len - at);
	f->held.len -= at;
	for (size_t i = 0; i < f->open.cap; i++)
		if (f->open.slots[i].used)
			f->open.slots[i].value -= at;
	return e;
}

int goid_filter_record(struct goid_filter *f, const struct rec *r)
{
	size_t open = f->open.len;

	if (names_goroutine(r))
		resolve(f, r);
	if (!f->held.len && (!is_creation(r) || r->id))
		return pass_on(f, r);
	hold(f, r);
	return f->open.len < open ? release(f, false) : 0;
}

int goid_filter_finish(struct goid_filter *f)
{
	map64_clear(&f->open);
	return release(f, true);
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
