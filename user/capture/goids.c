// SPDX-License-Identifier: Apache-2.0
/* goids: see goids.h. */
#include "capture/goids.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "live/memory.h"

/*
 * A creation without a goid. The goid of the goroutine that had the g before ends in these 16 bits.
 */
struct unnamed {
	uint64_t g, time;
	uint16_t before;
};

/*
 * A program that forges creations makes any number of them, with addresses where no goid ever
 * comes. Each 16th creation has none (p.goidcache), so that a late round of 0.1 s has 60,000 of
 * them at 10 million creations a second. Those that wait on are of threads between the status
 * change and the store of the goid. The goid filter leaves out a creation beyond these limits, and
 * counts it, unless a later record names the goroutine.
 */
enum { UNNAMED_MOST = 1 << 16, WAITING_MOST = 1 << 10 };

void goids_init(struct goids *n, const struct plan *plan, const struct process *proc)
{
	*n = (struct goids){ .proc = proc, .offset = plan->offsets.g_goid };
}

void goids_free(struct goids *n)
{
	vec_free(&n->unnamed);
}

/*
 * Reads the goids of all new goroutines by one request: a program that starts many makes thousands
 * in a round.
 */
static void read_goids(const struct goids *n, uint64_t *goids, struct memory_range *ranges)
{
	size_t i;

	for (i = 0; i < n->unnamed.len; i++) {
		const struct unnamed *u = vec_at(&n->unnamed, struct unnamed, i);

		ranges[i] = (struct memory_range){ u->g + n->offset, &goids[i], sizeof(goids[i]),
						   false };
	}
	memory_read_each(n->proc, ranges, n->unnamed.len);
}

static void add_goid(struct chunk *c, const struct unnamed *u, uint64_t goid, uint64_t now)
{
	struct rec_long l = {
		.r = { .kind = REC_GOID, .time = now, .ptr = u->g, .id = goid },
		.arg = u->time,
	};

	buf_add(&c->data, &l, sizeof(l));
}

static void find_unnamed(void *ctx, uint32_t cpu, struct rec *r)
{
	struct unnamed u = { .g = r->ptr, .time = r->time, .before = r->flags };
	struct goids *n = ctx;

	if ((r->kind == REC_GO_CREATE || r->kind == REC_GO_CREATE_BLOCKED) && !r->id &&
	    n->unnamed.len < UNNAMED_MOST)
		*(struct unnamed *)vec_push(&n->unnamed, sizeof(u)) = u;
}

/*
 * Appends the goids. The runtime stores the goid soon after the creation, and it is right until the
 * next record of the g, which the assembler prefers. The time is taken after the read, so that
 * earlier records come first. Between the read and the time this thread may wait for a CPU, while
 * the goroutine ends and its g gets the next one, without a goid: the record therefore names its
 * creation. A goid that cannot be read belongs to a process that has ended.
 */
void goids_add(struct goids *n, const struct ring_set *rings, struct chunk *c, size_t end)
{
	uint64_t created = ring_set_taken(rings, REC_GO_CREATE) +
			   ring_set_taken(rings, REC_GO_CREATE_BLOCKED);
	_cleanup_free_ struct memory_range *ranges = NULL;
	_cleanup_free_ uint64_t *goids = NULL;
	size_t i, left = 0;
	uint64_t now;

	if (created != n->created)
		chunk_each(c, end, find_unnamed, n);
	n->created = created;
	if (!n->unnamed.len)
		return;
	goids = xcalloc(n->unnamed.len, sizeof(*goids));
	ranges = xcalloc(n->unnamed.len, sizeof(*ranges));
	read_goids(n, goids, ranges);
	now = now_ns();
	for (i = 0; i < n->unnamed.len; i++) {
		struct unnamed u = *vec_at(&n->unnamed, struct unnamed, i);

		if (!ranges[i].ok)
			continue;
		if ((uint16_t)goids[i] != u.before)
			add_goid(c, &u, goids[i], now);
		else if (left < WAITING_MOST)
			*vec_at(&n->unnamed, struct unnamed, left++) = u;
	}
	n->unnamed.len = left;
}
