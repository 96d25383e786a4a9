// SPDX-License-Identifier: Apache-2.0
/* goids: see goids.h. */
#include "capture/goids.h"

#include "base/clock.h"
#include "live/memory.h"

/* A creation without a goid, whose g had another one of these 16 bits before. */
struct unnamed {
	uint64_t g, time;
	uint16_t before;
};

void goids_init(struct goids *n, const struct plan *plan, const struct process *proc)
{
	*n = (struct goids){ .proc = proc, .offset = plan->offsets.g_goid };
}

void goids_free(struct goids *n)
{
	vec_free(&n->unnamed);
}

/* Reads the goid of one; false: it is not there yet. */
static bool add_goid(const struct goids *n, struct chunk *c, const struct unnamed *u)
{
	struct rec_long l = { .r = { .kind = REC_GOID, .ptr = u->g }, .arg = u->time };

	if (!memory_read(n->proc, u->g + n->offset, &l.r.id, 8))
		return true;	/* the process has gone */
	if ((uint16_t)l.r.id == u->before)
		return false;
	l.r.time = now_ns();
	buf_add(&c->data, &l, sizeof(l));
	return true;
}

static void find_unnamed(void *ctx, const struct rec *r)
{
	struct unnamed u = { .g = r->ptr, .time = r->time, .before = r->flags };
	struct goids *n = ctx;

	if ((r->kind == REC_GO_CREATE || r->kind == REC_GO_CREATE_BLOCKED) && !r->id)
		*(struct unnamed *)vec_push(&n->unnamed, sizeof(u)) = u;
}

/*
 * The goid is in the g soon after the creation, and stays right until the g's
 * next record, which the assembler prefers. The time is taken after the read, so
 * that a record from before it comes first. Between the two this thread may have to wait for a
 * CPU, while the goroutine ends and its g is created anew without a goid: so the record says of
 * which creation it is.
 */
void goids_add(struct goids *n, struct chunk *c, size_t end)
{
	size_t i, left = 0;

	chunk_each(c, end, find_unnamed, n);
	for (i = 0; i < n->unnamed.len; i++) {
		struct unnamed *u = vec_at(&n->unnamed, struct unnamed, i);

		if (!add_goid(n, c, u))
			*vec_at(&n->unnamed, struct unnamed, left++) = *u;
	}
	n->unnamed.len = left;
}
