// SPDX-License-Identifier: Apache-2.0
/*
 * check_state: look-ups of goroutines and Ps for the rules, and the error of a broken rule (see
 * check.h).
 */
#include "v1/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int rule_fail(struct check *c, const struct v1_event *ev, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return error_set(c->err, -EPROTO, "%s (offset 0x%llx, time %lld)", text,
			 (unsigned long long)ev->offset, (long long)ev->time);
}

void rule_link(struct check *c, uint32_t *from)
{
	if (*from && c->links)
		c->links[*from] = c->number;
	*from = 0;
}

static uint64_t check_new_g(struct check *c)
{
	if (c->free_gs.len)
		return *vec_at(&c->free_gs, uint32_t, --c->free_gs.len);
	vec_push(&c->gs, sizeof(struct check_g));
	return c->gs.len - 1;
}

/* True if the goroutine had ended; then removes its bit, since it gets an entry again. */
static bool check_take_ended(struct check *c, uint64_t id)
{
	uint64_t *bits = map64_get(&c->ended, id / 64), bit = 1ULL << id % 64;

	if (!bits || !(*bits & bit))
		return false;
	*bits &= ~bit;
	c->nended--;
	return true;
}

struct check_g *rule_g(struct check *c, uint64_t id)
{
	bool is_new;
	uint64_t *slot = map64_put(&c->g_index, id, &is_new);
	struct check_g *g;

	if (!is_new)
		return vec_at(&c->gs, struct check_g, *slot);
	*slot = check_new_g(c);
	g = vec_at(&c->gs, struct check_g, *slot);
	*g = (struct check_g){ .exists = check_take_ended(c, id) };
	return g;
}

void rule_g_end(struct check *c, uint64_t id)
{
	*(uint32_t *)vec_push(&c->free_gs, sizeof(uint32_t)) =
		(uint32_t)*map64_get(&c->g_index, id);
	map64_del(&c->g_index, id);
	*map64_put(&c->ended, id / 64, NULL) |= 1ULL << id % 64;
	c->nended++;
}

struct check_p *rule_p(struct check *c, int64_t id)
{
	bool is_new;
	uint64_t *slot = map64_put(&c->p_index, (uint64_t)id, &is_new);

	if (!is_new)
		return vec_at(&c->ps, struct check_p, *slot);
	*slot = c->ps.len;
	return vec_push(&c->ps, sizeof(struct check_p));
}
