// SPDX-License-Identifier: Apache-2.0
/* pick: see pick.h. */
#include "why/pick.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "read/http.h"

enum {
	KEPT = 1 << 20,		/* instances in a list */
	OTHERS = 4096,		/* other names that are counted */
	OTHERS_SAID = 5,
};

/* --- lists --- */

/* Drops every second instance, so that the kept ones are distributed over the whole trace. */
static void pick_thin(struct pick_list *list)
{
	size_t i;

	for (i = 0; i < list->kept.len / 2; i++)
		*vec_at(&list->kept, struct instance, i) =
			*vec_at(&list->kept, struct instance, 2 * i);
	list->kept.len = i;
	list->stride *= 2;
}

static void pick_add(struct pick_list *list, const struct instance *in)
{
	if (!list->n || in->ns > list->longest.ns)
		list->longest = *in;
	if (!list->stride)
		list->stride = 1;
	if (list->n++ % list->stride)
		return;
	if (list->kept.len == KEPT) {
		pick_thin(list);
		if ((list->n - 1) % list->stride)
			return;
	}
	*(struct instance *)vec_push(&list->kept, sizeof(*in)) = *in;
}

static void pick_take(struct pick *p, int64_t from, int64_t to, uint64_t g, bool whole)
{
	struct instance in = { .from = from, .ns = to - from, .g = g, .trace = p->trace,
			       .of = (uint8_t)p->of };

	pick_add(whole ? &p->whole : &p->part, &in);
}

/* --- instances that match --- */

static bool is_asked(struct pick *p, const char *name)
{
	const char *slash;
	uint64_t key, *found;

	if (p->request ? http_name_is(name, p->name) : !strcmp(name, p->name))
		return true;
	slash = strrchr(name, '/');
	if (slash && !p->request && !strcmp(slash + 1, p->name))
		return true;
	key = (uint64_t)(uintptr_t)name;
	found = map64_get(&p->others, key);
	if (*name && (found || p->others.len < OTHERS))
		++*(found ? found : map64_put(&p->others, key, NULL));
	return false;
}

static void pick_on_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct pick *p = ctx;

	if (labelled_had(p->label, g) && is_asked(p, g->name))
		pick_take(p, g->since, time, g->id, g->created && ended);
}

static void pick_on_region(void *ctx, const struct region_span *r)
{
	struct pick *p = ctx;

	if (!r->open_begin && labelled_has(p->label, r->g) && is_asked(p, r->type))
		pick_take(p, r->from, r->to, r->g->id, !r->open_end);
}

static void pick_on_task(void *ctx, const struct task_span *t)
{
	struct pick *p = ctx;

	if (t->open_end || (p->request && !http_is_served(t->id)) ||
	    !labelled_task(p->label, t->id))
		return;
	if (p->name ? is_asked(p, t->type) : t->id == p->id)
		pick_take(p, t->from, t->to, t->id, !t->open_begin);
}

void pick_init(struct pick *p, struct spans *s, enum why_of of, const char *name, uint64_t id)
{
	*p = (struct pick){ .s = s, .of = of, .name = name, .id = id };
	spans_visit(s, &(struct spans_visitor){
		.ctx = p,
		.goroutine_end = of == WHY_FUNC ? pick_on_goroutine_end : NULL,
		.region = of == WHY_REGION ? pick_on_region : NULL,
		.task = of == WHY_TASK ? pick_on_task : NULL,
	});
}

void pick_free(struct pick *p)
{
	vec_free(&p->whole.kept);
	vec_free(&p->part.kept);
	map64_free(&p->others);
}

/* --- after the last trace --- */

/* The first one of those that take as long counts as the longest. */
static int pick_by_time(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace > y->trace ? -1 : 1;
	if (x->from != y->from)
		return x->from > y->from ? -1 : 1;
	return x->g > y->g ? -1 : x->g < y->g;
}

static int more_first(const void *a, const void *b)
{
	uint64_t x = ((const struct map64_slot *)a)->value,
		 y = ((const struct map64_slot *)b)->value;

	return x > y ? -1 : x < y;
}

static int pick_nothing(struct pick *p, struct error *err)
{
	static const char *const whats[] = {
		[WHY_FUNC] = "goroutine began with",
		[WHY_TASK] = "task that ends in the trace is of type",
		[WHY_REGION] = "region is of type",
	};
	struct buf text = {0};
	size_t i;

	if (!p->name)
		return error_set(err, -ENOENT, "the trace has no %s %llu that ends in it",
				 p->request ? "request" : "task", (unsigned long long)p->id);
	if (p->others.made)
		qsort(p->others.slots, p->others.made, sizeof(struct map64_slot), more_first);
	for (i = 0; i < p->others.made && i < OTHERS_SAID; i++)
		buf_printf(&text, "%s%.60s", i ? ", " : "; there are ",
			   (const char *)(uintptr_t)p->others.slots[i].key);
	buf_add_byte(&text, 0);
	error_set(err, -ENOENT, "no %s '%.120s'%s",
		  p->request ? "request that ends in the trace is of route" : whats[p->of],
		  p->name, (char *)text.data);
	buf_free(&text);
	return err->code;
}

int pick_sort(struct pick *p, struct error *err)
{
	p->is_part = !p->whole.n;
	p->list = p->is_part ? &p->part : &p->whole;
	if (!p->list->n)
		return pick_nothing(p, err);
	vec_sort(&p->list->kept, sizeof(struct instance), pick_by_time);
	return 0;
}

size_t pick_rank(const struct pick *p, double percentile)
{
	double at = ceil(percentile / 100 * (double)p->list->kept.len) - 1;

	return at < 0 ? 0 : (size_t)at < p->list->kept.len ? (size_t)at : p->list->kept.len - 1;
}

size_t pick_kept(const struct pick *p)
{
	return p->list->kept.len;
}

/* The longest one is kept for sure, but maybe not among the others. */
struct instance pick_slowest(const struct pick *p, size_t i)
{
	const struct instance *last = vec_at(&p->list->kept, struct instance, pick_kept(p) - 1);
	bool among = !pick_by_time(last, &p->list->longest);

	return i ? last[among ? -(ptrdiff_t)i : 1 - (ptrdiff_t)i] : p->list->longest;
}

struct instance pick_at(const struct pick *p, double percentile)
{
	if (percentile >= 100)
		return p->list->longest;
	return *vec_at(&p->list->kept, struct instance, pick_rank(p, percentile));
}

uint64_t pick_group(const struct pick *p, size_t first, size_t end, size_t max, uint16_t group,
		    struct vec *picked)
{
	size_t n = end > first ? end - first : 0, taken = n < max ? n : max, i;

	for (i = 0; i < taken; i++) {
		struct instance *in = vec_push(picked, sizeof(*in));

		*in = *vec_at(&p->list->kept, struct instance, first + i * n / taken);
		in->group = group;
	}
	return (uint64_t)n * p->list->stride;
}
