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
	return r->id && (r->kind <= REC_EXTRA_LEAVE || r->kind == REC_GOID);
}

static void resolve(struct goid_filter *f, uint64_t g, uint64_t goid)
{
	uint64_t *at = map64_get(&f->open, g);

	if (!at)
		return;
	((struct rec *)(f->held.data + *at - 1))->id = goid;
	map64_del(&f->open, g);
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
			e = f->fn(f->ctx, r);
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
		resolve(f, r->ptr, r->id);
	if (!f->held.len && (!is_creation(r) || r->id))
		return f->fn(f->ctx, r);
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
	free(f);
}
