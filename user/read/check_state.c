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
	idtab_init(&c->gs, sizeof(struct check_res));
	idtab_init(&c->ps, sizeof(struct check_res));
	idtab_init(&c->ms, sizeof(struct check_m));
	idtab_init(&c->tasks, sizeof(struct check_task));
	idtab_init(&c->died, sizeof(struct check_died));
}

static void free_all(struct idtab *tab)
{
	uint32_t i;

	for (i = 0; i < tab->made; i++) {
		struct check_res *res = idtab_at(tab, i);

		if (res->ranges)
			vec_free(res->ranges);
		free(res->ranges);
	}
	idtab_free(tab);
}

void check_free(struct check *c)
{
	free_all(&c->gs);
	free_all(&c->ps);
	idtab_free(&c->ms);
	idtab_free(&c->tasks);
	idtab_free(&c->died);
	vec_free(&c->gc_ranges);
	strset_free(c->names);
}

struct check_res *check_add(struct idtab *tab, uint64_t id)
{
	struct check_res *res = idtab_add(tab, id);

	*res = (struct check_res){ .id = id, .ranges = res->ranges };
	if (res->ranges)
		res->ranges->len = 0;
	return res;
}

static void note_death(struct check *c, uint64_t id)
{
	struct check_died *died = idtab_find(&c->died, id / 512);

	if (!died)
		died = idtab_add(&c->died, id / 512);
	died->bits[id % 512 / 64] |= 1ull << id % 64;
}

bool check_has_died(struct check *c, uint64_t id)
{
	const struct check_died *died = idtab_find(&c->died, id / 512);

	return died && died->bits[id % 512 / 64] & 1ull << id % 64;
}

void check_forget_g(struct check *c, struct check_res *g)
{
	/* Only in the first generation can a status introduce an ended goroutine again. */
	if (c->syncs <= 1)
		note_death(c, g->id);
	idtab_del(&c->gs, g->id);
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
