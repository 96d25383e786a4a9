// SPDX-License-Identifier: Apache-2.0
/* check_state: see check_state.h. */
#include "read/check_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_init(struct check *c, struct trace_reader *r, struct check_result *result)
{
	memset(c, 0, sizeof(*c));
	c->r = r;
	c->result = result;
	c->specs = trace_reader_specs(r);
	c->names = strset_new();
}

static void free_res(struct check_res *res)
{
	vec_free(&res->ranges);
	free(res);
}

static void free_all(struct map64 *map)
{
	size_t i;

	for (i = 0; i < map->cap; i++)
		if (map->slots[i].used)
			free_res((struct check_res *)(uintptr_t)map->slots[i].value);
	map64_free(map);
}

void check_free(struct check *c)
{
	size_t i;

	free_all(&c->gs);
	free_all(&c->ps);
	for (i = 0; i < c->ms.cap; i++)
		if (c->ms.slots[i].used)
			free((void *)(uintptr_t)c->ms.slots[i].value);
	map64_free(&c->ms);
	map64_free(&c->tasks);
	map64_free(&c->died);
	for (i = 0; i < c->free_gs.len; i++)
		free_res(*vec_at(&c->free_gs, struct check_res *, i));
	vec_free(&c->free_gs);
	vec_free(&c->gc_ranges);
	strset_free(c->names);
}

static struct check_res *find(const struct map64 *map, uint64_t id)
{
	const uint64_t *value = map64_get(map, id);

	return value ? (struct check_res *)(uintptr_t)*value : NULL;
}

struct check_res *check_look_up_g(struct check *c, uint64_t id)
{
	struct check_res *g = find(&c->gs, id);

	if (g)
		c->recent_g[id % CHECK_RECENT] = g;
	return g;
}

struct check_res *check_find_p(struct check *c, uint64_t id)
{
	return find(&c->ps, id);
}

struct check_res *check_add(struct check *c, struct map64 *map, uint64_t id)
{
	struct check_res *res;

	if (map == &c->gs && c->free_gs.len)
		res = *vec_at(&c->free_gs, struct check_res *, --c->free_gs.len);
	else
		res = xcalloc(1, sizeof(*res));
	*res = (struct check_res){ .id = id, .known = true, .ranges = res->ranges };
	res->ranges.len = 0;
	*map64_put(map, id, NULL) = (uintptr_t)res;
	return res;
}

void check_forget_g(struct check *c, struct check_res *g)
{
	/* Only in the first generation can it be met again without being created. */
	if (c->syncs <= 1)
		map64_put(&c->died, g->id, NULL);
	map64_del(&c->gs, g->id);
	g->known = false;
	*(struct check_res **)vec_push(&c->free_gs, sizeof(g)) = g;
}

void check_fail(struct check *c, enum check_kind kind, const struct trace_event *ev,
		const char *fmt, ...)
{
	struct check_result *result = c->result;
	struct v2_fault *f = &result->fault;
	va_list ap;

	if (result->kind != CHECK_OK) {
		result->more++;
		return;
	}
	result->kind = kind;
	result->fault_event = result->events;
	f->set = true;
	f->place = ev->place;
	va_start(ap, fmt);
	vsnprintf(f->rule, sizeof(f->rule), fmt, ap);
	va_end(ap);
	event_describe(ev, c->specs, f->event, sizeof(f->event));
	snprintf(f->state, sizeof(f->state), "in the context of M %lld P %lld G %lld",
		 (long long)ev->m, (long long)ev->p, (long long)ev->g);
}

void check_warn(struct check *c, enum check_warning warning, const struct v2_place *place)
{
	if (!c->result->warning[warning].count++)
		c->result->warning[warning].first = *place;
}
