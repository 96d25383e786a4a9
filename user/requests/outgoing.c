// SPDX-License-Identifier: Apache-2.0
/* outgoing: see outgoing.h. */
#include "requests/outgoing.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"
#include "read/grpc.h"
#include "read/http.h"
#include "read/http_call.h"
#include "read/sql.h"

enum {
	CALL_TEXT = 1024,	/* bytes of a name */
	/* Tasks that have ended and may have a body, and requests with calls: a forger's limit. */
	CALLS_OPEN_MOST = 1 << 16,
};

/* What the log event of a call says. */
struct call_log {
	uint64_t ns, conn_wait, dial, tls, first_byte, body;
	bool error, has_code, has_body;
	uint64_t code;
};

/* And its texts, for queries of database/sql. */
struct call_texts {
	char op[16], query[CALL_TEXT];
};

/* A call that is a task and has not ended. */
struct call_open {
	struct call_log log;
	enum call_kind kind;
};

struct outgoing {
	struct spans *s;
	struct labelled *label;	/* NULL: all */
	struct vec rows;	/* struct call_row */
	struct map64 by_name;	/* hash of kind and name -> index + 1 */
	struct map64 open;	/* task of a call -> struct call_open * */
	struct map64 ended;	/* task of a call -> index of its row + 1 */
	struct map64 served;	/* task of a request -> struct call_shares * */
	struct map64 routes;	/* address of the name -> struct call_shares * */
	uint64_t left_out;	/* calls and shares that found no room */
};

const char *call_kind_name(enum call_kind kind)
{
	static const char *const names[CALL_KINDS] = {
		[CALL_QUERY] = "query", [CALL_EXEC] = "exec", [CALL_TRANSACTION] = "transaction",
		[CALL_CONNECTION] = "connection", [CALL_HTTP] = "http", [CALL_RPC] = "rpc",
	};

	return names[kind];
}

/* --- rows --- */

static uint64_t call_hash(enum call_kind kind, const char *name)
{
	uint64_t h = hash64_seeded((uint64_t)kind + 1);

	for (; *name; name++)
		h = hash64_seeded(h ^ (uint8_t)*name);
	return h;
}

static struct call_row *call_row_of(struct outgoing *c, enum call_kind kind, const char *name)
{
	uint64_t key = call_hash(kind, name), *index;
	struct call_row *row;
	bool is_new;

	if (c->rows.len >= CALLS_MOST && !map64_get(&c->by_name, key)) {
		name = CALLS_OTHERS;
		key = call_hash(kind, name);
	}
	index = map64_put(&c->by_name, key, &is_new);
	if (is_new) {
		row = vec_push(&c->rows, sizeof(*row));
		*row = (struct call_row){ .kind = kind, .name = xstrdup(name) };
		*index = c->rows.len;
	}
	return vec_at(&c->rows, struct call_row, *index - 1);
}

/* Adds @ns, which a forger may have chosen. */
static void call_sum(int64_t *sum, uint64_t ns)
{
	if (__builtin_add_overflow(*sum, (int64_t)ns, sum))
		*sum = INT64_MAX;
}

/* --- requests that are served --- */

/* The value of @key in a map of struct call_shares; NULL: there are too many. */
static struct call_shares *call_shares_in(struct map64 *map, uint64_t key)
{
	uint64_t *slot = map64_get(map, key);
	bool is_new;

	if (!slot && map->len >= CALLS_OPEN_MOST)
		return NULL;
	slot = map64_put(map, key, &is_new);
	if (is_new)
		*slot = (uint64_t)(uintptr_t)xcalloc(1, sizeof(struct call_shares));
	return (struct call_shares *)(uintptr_t)*slot;
}

static void call_share(struct outgoing *c, uint64_t task, enum call_kind kind, int64_t ns)
{
	struct call_shares *s;

	if (!http_is_served(task) || !spans_has_task(c->s, task))
		return;
	s = call_shares_in(&c->served, task);
	if (s)
		call_sum(&s->ns[kind], (uint64_t)ns);
	else
		c->left_out++;
}

static void call_served_ended(struct outgoing *c, const struct task_span *t)
{
	uint64_t *slot = map64_get(&c->served, t->id);
	struct call_shares *mine, *all;
	int i;

	if (!slot)
		return;
	mine = (struct call_shares *)(uintptr_t)*slot;
	all = t->open_begin || t->open_end || !labelled_task(c->label, t->id) ? NULL :
	      call_shares_in(&c->routes, (uint64_t)(uintptr_t)t->type);
	for (i = 0; all && i < CALL_KINDS; i++)
		call_sum(&all->ns[i], (uint64_t)mine->ns[i]);
	free(mine);
	map64_del(&c->served, t->id);
}

/* --- log events --- */

/* @texts may be NULL. */
static void call_log_read(struct call_log *l, struct call_texts *texts, const char *message)
{
	const struct { const char *key; uint64_t *to; } numbers[] = {
		{ "ns", &l->ns }, { "conn_wait", &l->conn_wait }, { "dial", &l->dial },
		{ "tls", &l->tls }, { "first_byte", &l->first_byte }, { "body", &l->body },
		{ "code", &l->code },
	};
	struct http_pair p;
	size_t i;

	while ((message = http_log_next(message, &p))) {
		for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
			if (http_log_is(&p, numbers[i].key))
				*numbers[i].to = strtoull(p.value, NULL, 10) & INT64_MAX;
		l->error |= http_log_is(&p, "error");
		l->has_code |= http_log_is(&p, "code");
		l->has_body |= http_log_is(&p, "body");
		if (texts && http_log_is(&p, "op"))
			http_log_copy(&p, texts->op, sizeof(texts->op));
		else if (texts && http_log_is(&p, "query"))
			http_log_copy(&p, texts->query, sizeof(texts->query));
	}
}

static void call_sql(struct outgoing *c, int64_t time, uint64_t g, uint64_t task,
		     const char *message)
{
	static const struct { const char *op; enum call_kind kind; const char *name; } ops[] = {
		{ "query", CALL_QUERY, NULL }, { "exec", CALL_EXEC, NULL },
		{ "begin", CALL_TRANSACTION, "BEGIN" }, { "commit", CALL_TRANSACTION, "COMMIT" },
		{ "rollback", CALL_TRANSACTION, "ROLLBACK" },
		{ "conn", CALL_CONNECTION, "of database/sql" },
	};
	const struct goroutine *of = spans_goroutine(c->s, g);
	struct call_texts texts = {0};
	struct call_log l = {0};
	size_t i;

	if (c->label && (!of || !labelled_has(c->label, of)))
		return;
	call_log_read(&l, &texts, message);
	if (!strcmp(texts.op, "rows"))
		dist_add(&call_row_of(c, CALL_QUERY, texts.query)->after, (int64_t)l.ns);
	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		struct call_row *row;

		if (strcmp(texts.op, ops[i].op))
			continue;
		row = call_row_of(c, ops[i].kind, ops[i].name ? ops[i].name : texts.query);
		dist_add_of(&row->dist, (int64_t)l.ns, g, time, 0);
		row->errors += l.error;
		call_share(c, task, ops[i].kind, (int64_t)l.ns);
	}
}

/* The body of a response: its call may have ended. */
static void outgoing_body(struct outgoing *c, uint64_t task, uint64_t ns)
{
	const uint64_t *row = map64_get(&c->ended, task);

	if (!row)
		return;
	dist_add(&vec_at(&c->rows, struct call_row, *row - 1)->after, (int64_t)ns);
	map64_del(&c->ended, task);
}

/* The log event of a call that is a task comes right before its end. */
static void call_task_log(struct outgoing *c, uint64_t task, enum call_kind kind,
			  const char *message)
{
	struct call_log l = {0};
	struct call_open *o;
	uint64_t *slot;
	bool is_new;

	call_log_read(&l, NULL, message);
	if (l.has_body)
		outgoing_body(c, task, l.body);
	if (l.has_body || !spans_has_task(c->s, task))
		return;
	if (c->open.len >= CALLS_OPEN_MOST && !map64_get(&c->open, task)) {
		c->left_out++;
		return;
	}
	slot = map64_put(&c->open, task, &is_new);
	if (is_new)
		*slot = (uint64_t)(uintptr_t)xcalloc(1, sizeof(*o));
	o = (struct call_open *)(uintptr_t)*slot;
	o->log = l;
	o->kind = kind;
}

static void outgoing_on_log(void *ctx, int64_t time, uint64_t g, uint64_t task,
			    const char *category, const char *message)
{
	struct outgoing *c = ctx;

	if (!strcmp(category, SQL_CATEGORY))
		call_sql(c, time, g, task, message);
	else if (task > CALL_TASKS && !strcmp(category, HTTP_CALL_CATEGORY))
		call_task_log(c, task, CALL_HTTP, message);
	else if (task > CALL_TASKS && !strcmp(category, GRPC_CATEGORY))
		call_task_log(c, task, CALL_RPC, message);
}

/* --- tasks --- */

static void call_end(struct outgoing *c, const struct task_span *t, const struct call_open *o)
{
	const struct call_log *l = &o->log;
	size_t prefix = strlen(GRPC_CALL_PREFIX);
	bool is_rpc = o->kind == CALL_RPC && !strncmp(t->type, GRPC_CALL_PREFIX, prefix);
	struct call_row *row = call_row_of(c, o->kind, t->type + (is_rpc ? prefix : 0));
	int64_t ns = t->to - t->from;
	bool is_new;

	dist_add_of(&row->dist, ns, t->g, t->from, 0);
	row->errors += l->error || (l->has_code && l->code);
	call_sum(&row->conn_wait, l->conn_wait);
	call_sum(&row->dial, l->dial);
	call_sum(&row->tls, l->tls);
	call_sum(&row->first_byte, l->first_byte);
	row->dials += l->dial != 0;
	call_share(c, t->parent, o->kind, ns);
	if (o->kind != CALL_HTTP)
		return;
	if (c->ended.len >= CALLS_OPEN_MOST)
		map64_free(&c->ended);
	*map64_put(&c->ended, t->id, &is_new) =
		(uint64_t)(row - vec_at(&c->rows, struct call_row, 0)) + 1;
}

static void outgoing_on_task(void *ctx, const struct task_span *t)
{
	struct outgoing *c = ctx;
	uint64_t *slot;

	if (http_is_served(t->id))
		call_served_ended(c, t);
	slot = t->id > CALL_TASKS ? map64_get(&c->open, t->id) : NULL;
	if (!slot)
		return;
	if (!t->open_begin && !t->open_end && labelled_task(c->label, t->id))
		call_end(c, t, (const struct call_open *)(uintptr_t)*slot);
	free((void *)(uintptr_t)*slot);
	map64_del(&c->open, t->id);
}

/* --- the interface --- */

struct outgoing *outgoing_new(struct spans *s)
{
	struct outgoing *c = xcalloc(1, sizeof(*c));

	c->s = s;
	spans_visit(s, &(struct spans_visitor){
		.ctx = c, .log = outgoing_on_log, .op_log = outgoing_on_log,
		.task = outgoing_on_task });
	return c;
}

void outgoing_label(struct outgoing *c, struct labelled *l)
{
	c->label = l;
}

static int outgoing_by_time(const void *a, const void *b)
{
	const struct call_row *x = a, *y = b;

	if (x->dist.sum != y->dist.sum)
		return x->dist.sum > y->dist.sum ? -1 : 1;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);
}

void outgoing_collected(struct outgoing *c)
{
	spans_leave(c->s, c);
	map64_free(&c->by_name);
	map64_free(&c->ended);
	vec_sort(&c->rows, sizeof(struct call_row), outgoing_by_time);
}

static void outgoing_free_values(struct map64 *map)
{
	size_t i;

	for (i = 0; i < map->cap; i++)
		if (map->slots[i].used)
			free((void *)(uintptr_t)map->slots[i].value);
	map64_free(map);
}

void outgoing_free(struct outgoing *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->rows.len; i++) {
		dist_free(&vec_at(&c->rows, struct call_row, i)->dist);
		dist_free(&vec_at(&c->rows, struct call_row, i)->after);
		free(vec_at(&c->rows, struct call_row, i)->name);
	}
	vec_free(&c->rows);
	map64_free(&c->by_name);
	map64_free(&c->ended);
	outgoing_free_values(&c->open);
	outgoing_free_values(&c->served);
	outgoing_free_values(&c->routes);
	free(c);
}

size_t outgoing_count(const struct outgoing *c) { return c->rows.len; }

uint64_t outgoing_left_out(const struct outgoing *c) { return c->left_out; }

const struct call_row *outgoing_at(const struct outgoing *c, size_t i)
{
	return vec_at(&c->rows, struct call_row, i);
}

/* The names of routes are texts of the spans: the same one has one address. */
const struct call_shares *outgoing_of_route(const struct outgoing *c, const char *route)
{
	const uint64_t *slot = map64_get(&c->routes, (uint64_t)(uintptr_t)route);

	return slot ? (const struct call_shares *)(uintptr_t)*slot : NULL;
}
