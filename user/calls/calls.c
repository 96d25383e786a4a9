// SPDX-License-Identifier: Apache-2.0
/* calls: see calls.h. */
#include "calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/map64.h"
#include "base/vec.h"

struct calls {
	struct spans *s;
	const char *pattern;
	struct vec functions;	/* struct call_function */
	/* address of the type of a region -> index + 1; 0: the pattern does not match it */
	struct map64 by_name;
	struct call_span *slowest;
	size_t nslowest, most;
	size_t quickest;	/* index of the quickest one of @slowest */
	int64_t begin, end;
};

/* NULL: the calls of this one are not asked for. */
static struct call_function *calls_function(struct calls *c, const char *name)
{
	bool is_new;
	uint64_t *index = map64_put(&c->by_name, (uintptr_t)name, &is_new);
	struct call_function *f;

	if (is_new && c->functions.len < CALLS_FUNCTIONS && glob_match(c->pattern, name)) {
		f = vec_push(&c->functions, sizeof(*f));
		*f = (struct call_function){ .name = name };
		*index = c->functions.len;
	}
	return *index ? vec_at(&c->functions, struct call_function, *index - 1) : NULL;
}

/* --- the slowest calls --- */

static void calls_find_quickest(struct calls *c)
{
	size_t i;

	c->quickest = 0;
	for (i = 1; i < c->nslowest; i++)
		if (c->slowest[i].ns < c->slowest[c->quickest].ns)
			c->quickest = i;
}

static void calls_keep(struct calls *c, const struct call_span *call)
{
	if (c->nslowest < c->most)
		c->slowest[c->nslowest++] = *call;
	else if (c->most && call->ns > c->slowest[c->quickest].ns)
		c->slowest[c->quickest] = *call;
	else
		return;
	if (c->nslowest == c->most)
		calls_find_quickest(c);
}

static int calls_by_slowness(const void *a, const void *b)
{
	const struct call_span *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int calls_by_time(const void *a, const void *b)
{
	const struct call_function *x = a, *y = b;

	if (x->dist.sum != y->dist.sum)
		return x->dist.sum > y->dist.sum ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* --- the visitor --- */

static void calls_on_begin(void *ctx, int64_t time)
{
	((struct calls *)ctx)->begin = time;
}

static void calls_on_end(void *ctx, int64_t time)
{
	((struct calls *)ctx)->end = time;
}

static void calls_on_region(void *ctx, const struct region_span *r)
{
	struct calls *c = ctx;
	struct call_function *f = calls_function(c, r->type);
	struct call_span call = { .g = r->g->id, .task = r->task, .from = r->from,
			     .ns = r->to - r->from };

	if (!f || r->open_begin)
		return;
	if (r->open_end) {
		f->left += r->left;
		f->open += !r->left;
		return;
	}
	call.name = f->name;
	dist_add_of(&f->dist, call.ns, call.g, call.from, 0);
	calls_keep(c, &call);
}

struct calls *called_new(struct spans *s, const char *pattern, size_t slowest)
{
	struct calls *c = xcalloc(1, sizeof(*c));

	c->s = s;
	c->pattern = pattern;
	c->most = slowest < CALLS_SLOWEST ? slowest : CALLS_SLOWEST;
	c->slowest = xcalloc(c->most + 1, sizeof(*c->slowest));
	spans_visit(s, &(struct spans_visitor){ .ctx = c, .trace_begin = calls_on_begin,
						.region = calls_on_region,
						.trace_end = calls_on_end });
	return c;
}

void called_collected(struct calls *c)
{
	spans_leave(c->s, c);
	vec_sort(&c->functions, sizeof(struct call_function), calls_by_time);
	qsort(c->slowest, c->nslowest, sizeof(*c->slowest), calls_by_slowness);
}

void called_free(struct calls *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->functions.len; i++)
		dist_free(&vec_at(&c->functions, struct call_function, i)->dist);
	vec_free(&c->functions);
	map64_free(&c->by_name);
	free(c->slowest);
	free(c);
}

size_t called_count(const struct calls *c) { return c->functions.len; }

const struct call_function *called_at(const struct calls *c, size_t i)
{
	return vec_at(&c->functions, struct call_function, i);
}

size_t called_nslowest(const struct calls *c) { return c->nslowest; }
const struct call_span *called_slowest(const struct calls *c, size_t i) { return &c->slowest[i]; }
int64_t called_begin(const struct calls *c) { return c->begin; }
int64_t called_end(const struct calls *c) { return c->end; }

/* The buckets of struct dist never cross a power of two. */
void calls_octaves(const struct dist *d, uint64_t counts[CALLS_OCTAVES])
{
	unsigned int i, octave;

	memset(counts, 0, CALLS_OCTAVES * sizeof(*counts));
	for (i = 0; i < DIST_BUCKETS; i++) {
		uint64_t n = dist_bucket(d, i), from = dist_bucket_from(i);

		octave = from > 1 ? 63 - (unsigned int)__builtin_clzll(from) : 0;
		counts[octave] += n;
	}
}
