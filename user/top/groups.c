// SPDX-License-Identifier: Apache-2.0
/* groups: see groups.h. */
#include "top/groups.h"

#include <stdlib.h>
#include <string.h>

static const char TOO_MANY[] = "(groups beyond the first 4096)";

/*
 * key of the group for groups without room; no stack has this key, and a hash has it with
 * negligible probability
 */
enum { KEY_TOO_MANY = 1 };

static struct group *group_at(const struct groups *s, size_t i)
{
	return s->by_key.slots[i].used ? (struct group *)(uintptr_t)s->by_key.slots[i].value : NULL;
}

static struct group *groups_add(struct groups *s, uint64_t key, const char *name, uint64_t time)
{
	struct group *g = xcalloc(1, sizeof(*g));
	int i;

	g->key = key;
	g->name = xstrdup(name);
	for (i = 0; i < TOP_STATES; i++)
		g->at[i] = time;
	*map64_put(&s->by_key, key, NULL) = (uint64_t)(uintptr_t)g;
	return g;
}

static struct group *groups_find(const struct groups *s, uint64_t key)
{
	uint64_t *slot = map64_get(&s->by_key, key);

	return slot ? (struct group *)(uintptr_t)*slot : NULL;
}

static struct group *groups_make(struct groups *s, uint64_t key, const char *name, uint64_t time)
{
	struct group *g;

	if (s->by_key.len < GROUPS_MAX)
		return groups_add(s, key, name, time);
	s->merged++;
	g = groups_find(s, KEY_TOO_MANY);
	return g ? g : groups_add(s, KEY_TOO_MANY, TOO_MANY, time);
}

/* Returns a hash with the seed of this process: no program can choose texts with equal hashes. */
static uint64_t hash_text(const char *text)
{
	uint64_t h = hash64_seed[0], word;
	size_t n = strlen(text), i;

	for (i = 0; i < n; i += sizeof(word)) {
		word = 0;
		memcpy(&word, text + i, n - i < sizeof(word) ? n - i : sizeof(word));
		h = hash64_seeded(h ^ word);
	}
	return hash64_seeded(h ^ n);
}

struct group *groups_of_text(struct groups *s, const char *text, uint64_t time)
{
	uint64_t key = hash_text(text);
	struct group *g;

	for (g = groups_find(s, key); g && strcmp(g->name, text); g = groups_find(s, ++key))
		;
	return g ? g : groups_make(s, key, text, time);
}

/* --- counting --- */

static void groups_settle(struct group *g, enum top_state state, uint64_t time)
{
	g->ns[state] += g->now[state] * (time - g->at[state]);
	g->at[state] = time;
}

static uint32_t *reason_count(struct group *g, uint32_t reason)
{
	while (g->reasons.len <= reason)
		vec_push(&g->reasons, sizeof(uint32_t));
	return vec_at(&g->reasons, uint32_t, reason);
}

void group_enter(struct group *g, enum top_state state, uint32_t reason, uint64_t time)
{
	groups_settle(g, state, time);
	g->now[state]++;
	if (state == TOP_WAITING)
		++*reason_count(g, reason);
}

void group_leave(struct group *g, enum top_state state, uint32_t reason, uint64_t time)
{
	groups_settle(g, state, time);
	g->now[state]--;
	if (state == TOP_WAITING)
		--*reason_count(g, reason);
}

void group_settle(struct group *g, uint64_t time)
{
	int i;

	for (i = 0; i < TOP_STATES; i++)
		groups_settle(g, i, time);
}

void groups_skip(struct groups *s, uint64_t time)
{
	struct group *g;
	size_t i;
	int state;

	for (i = 0; i < s->by_key.made; i++) {
		g = group_at(s, i);
		for (state = 0; g && state < TOP_STATES; state++)
			g->at[state] = time;
	}
}

/* --- the end of an interval --- */

static void group_free(struct group *g)
{
	dist_free(&g->sched);
	vec_free(&g->reasons);
	free(g->name);
	free(g);
}

static bool is_empty(const struct group *g)
{
	return !(g->now[0] + g->now[1] + g->now[2] + g->now[3]);
}

void groups_turn(struct groups *s)
{
	struct group *g;
	size_t i;

	for (i = 0; i < s->by_key.made; i++) {
		g = group_at(s, i);
		if (!g)
			continue;
		if (is_empty(g)) {
			map64_del(&s->by_key, g->key);
			group_free(g);
			continue;
		}
		memset(g->ns, 0, sizeof(g->ns));
		g->created = g->ended = g->syscalls = 0;
		dist_free(&g->sched);
	}
	s->merged = 0;
}

void groups_clear(struct groups *s)
{
	size_t i;

	for (i = 0; i < s->by_key.made; i++)
		if (group_at(s, i))
			group_free(group_at(s, i));
	map64_free(&s->by_key);
	*s = (struct groups){0};
}

struct top_waits top_waits_of(const struct dist *d)
{
	return (struct top_waits){
		.count = d->count, .max = (uint64_t)d->max,
		.p50 = (uint64_t)dist_quantile(d, 0.5), .p99 = (uint64_t)dist_quantile(d, 0.99),
	};
}

static int groups_by_number(const void *a, const void *b)
{
	const struct top_reason *x = a, *y = b;

	return x->now == y->now ? strcmp(x->text, y->text) : x->now < y->now ? 1 : -1;
}

static void copy_reasons(const struct group *g, const struct reasons *reasons,
			 struct top_sample *ret, struct top_row *row)
{
	size_t i;

	row->reason = (uint32_t)ret->reasons.len;
	for (i = 0; i < g->reasons.len; i++) {
		uint32_t n = *vec_at(&g->reasons, uint32_t, i);

		if (n)
			*(struct top_reason *)vec_push(&ret->reasons, sizeof(struct top_reason)) =
				(struct top_reason){ reasons_text(reasons, (uint32_t)i), n };
	}
	row->reasons = (uint32_t)ret->reasons.len - row->reason;
	vec_sort_from(&ret->reasons, row->reason, sizeof(struct top_reason), groups_by_number);
}

static void copy_group(const struct group *g, const struct reasons *reasons, struct top_sample *ret)
{
	struct top_row *row = vec_push(&ret->rows, sizeof(*row));

	row->key = g->key;
	row->name = xstrdup(g->name);
	row->system = g->system;
	memcpy(row->n.now, g->now, sizeof(g->now));
	memcpy(row->n.ns, g->ns, sizeof(g->ns));
	row->n.created = g->created;
	row->n.ended = g->ended;
	row->n.syscalls = g->syscalls;
	row->n.sched = top_waits_of(&g->sched);
	copy_reasons(g, reasons, ret, row);
}

static int by_name(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : (x->key > y->key) - (x->key < y->key);
}

void groups_sample(const struct groups *s, const struct reasons *reasons, struct top_sample *ret)
{
	size_t i;

	for (i = 0; i < s->by_key.made; i++)
		if (group_at(s, i))
			copy_group(group_at(s, i), reasons, ret);
	vec_sort(&ret->rows, sizeof(struct top_row), by_name);
	ret->rows_merged = s->merged;
}
