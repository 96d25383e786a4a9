// SPDX-License-Identifier: Apache-2.0
/* ops: see ops.h, op.h and handlers.h. */
#include "sched/ops.h"

#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "read/http.h"
#include "sched/children.h"
#include "sched/handlers.h"
#include "sched/op.h"
#include "sched/route.h"
#include "sched/steps.h"

/*
 * Those that are open at a time, of some 600 bytes each. A program that is recorded truly may
 * have this many requests; one that forges records must not take all of the memory.
 */
enum {
	OPS_MOST = 1 << 18,
	OPS_FOLLOW_MOST = OPS_MOST / 2,	/* a program may never end those of form LOG */
	OP_MESSAGE_KEPT = 4096,	/* bytes of storage that one message leaves to the next one */
};

/* NULL: records of this number are damaged. Two kinds of one number make the compiler warn. */
static const struct op_traits *const op_traits[OP_KINDS] = {
	[OP_HTTP_SERVED] = &op_http_served,
	[OP_FUNCTION] = &op_function,
	[OP_HTTP_CALL] = &op_http_call,
	[OP_HTTP_DIAL] = &op_http_dial,
	[OP_HTTP_TLS] = &op_http_tls,
	[OP_HTTP_BODY] = &op_http_body,
	[OP_SQL_QUERY] = &op_sql_query,
	[OP_SQL_EXEC] = &op_sql_exec,
	[OP_SQL_BEGIN] = &op_sql_begin,
	[OP_SQL_COMMIT] = &op_sql_commit,
	[OP_SQL_ROLLBACK] = &op_sql_rollback,
	[OP_SQL_CONN] = &op_sql_conn,
	[OP_SQL_ROWS] = &op_sql_rows,
	[OP_GRPC_SERVED] = &op_grpc_served,
	[OP_GRPC_CALL] = &op_grpc_call,
	[OP_GRPC_STREAM] = &op_grpc_stream,
};

/* The name as an argument of an event. */
#define NAME(op) ((uint64_t)(uintptr_t)&(const struct sink_text){                             \
		.bytes = (op)->name, .len = (op)->name_len, .op = (op)->kind,                 \
		.later = (op)->named ? 0 : (op)->task })

static const struct op_traits *op_traits_of(const struct op *op)
{
	return op_traits[op->kind];
}

static bool op_is_task(const struct op *op)
{
	enum op_form form = op_traits_of(op)->form;

	return form == OP_FORM_TASK || form == OP_FORM_FREE;
}

/* --- names --- */

/* The name is final. */
static void op_set_name(struct model *s, struct op *op)
{
	if (!op->named)
		s->sink.ops->text(s->sink.ctx, op->task, op->name, op->name_len);
	children_name(s, op);
	op->named = true;
}

void ops_tell(struct model *s)
{
	struct op *op;

	for (op = s->ops; op; op = op->next)
		op_set_name(s, op);
}

/* --- the lists --- */

static uint64_t op_free_key(uint8_t kind, uint64_t key)
{
	return key ^ (uint64_t)kind << 56;
}

/* Takes it from its goroutine, or from those that have none. It need not be the innermost one. */
static void op_unlink(struct model *s, struct op *op)
{
	struct op **at;

	if (!op->g) {
		map64_del(&s->free_ops, op_free_key(op->kind, op->key));
		return;
	}
	for (at = &op->g->ops; *at != op; at = &(*at)->outer)
		;
	*at = op->outer;
}

static void op_forget(struct model *s, struct op *op)
{
	op_unlink(s, op);
	children_forget(op);
	*op->at = op->next;
	if (op->next)
		op->next->at = op->at;
	s->open_ops--;
	free(op->note);
	if (op_traits_of(op)->freed)
		op_traits_of(op)->freed(s, op);
	route_forget(op);
	free(op);
}

void ops_drop(struct model *s, struct G *g)
{
	while (g->ops) {
		if (s->started)
			op_set_name(s, g->ops);
		op_forget(s, g->ops);
	}
}

void ops_free(struct model *s)
{
	while (s->ops)
		op_forget(s, s->ops);
	map64_free(&s->free_ops);
	buf_free(&s->op_message);
	http_calls_free(s);
}

void ops_lose(struct model *s)
{
	struct op *op;

	for (op = s->ops; op; op = op->next) {
		op->lost = op_traits_of(op)->by_depth;
		op->doubtful = !op->lost;
	}
}

static bool op_is_call_of(const struct op *op, const char *name, size_t n)
{
	size_t most = op_traits_of(op)->most[0];

	return op->kind == OP_FUNCTION && op->len[0] == (n < most ? n : most) &&
	       !memcmp(op->text, name, op->len[0]);
}

void ops_gone(struct model *s, const char *name, size_t n)
{
	struct op *op;

	for (op = s->ops; op; op = op->next)
		if (op_is_call_of(op, name, n))
			op->lost = op->gone = true;
}

/* The request of which a goroutine is a child may have ended since a call in it began. */
static uint64_t ops_task(const struct G *g)
{
	return g->ops && !g->ops->in_child ? g->ops->task : child_task(g);
}

/* The one that ends with @end, of those of @g; NULL: none. */
static struct op *op_find_in(const struct G *g, uint8_t kind, const struct rec_user *end)
{
	struct op *op;

	for (op = g->ops; op; op = op->outer) {
		const struct op_traits *t = op_traits_of(op);

		if (op->kind == kind &&
		    (t->ends ? t->ends(op, end) : !end->r.id || op->key == end->r.id))
			break;
	}
	return op;
}

static struct op *op_find_free(const struct model *s, uint8_t kind, uint64_t key)
{
	uint64_t *at = map64_get(&s->free_ops, op_free_key(kind, key));

	return at ? (struct op *)(uintptr_t)*at : NULL;
}

/* A new one with room for texts of @n bytes; name and text have nothing behind their lengths. */
static struct op *op_add(struct model *s, uint8_t kind, size_t n)
{
	struct op *op = xrealloc(NULL, sizeof(*op) + n, 1);

	memset(op, 0, offsetof(struct op, name));
	op->kind = kind;
	op->has_children = op_traits[kind]->has_children;
	op->next = s->ops;
	op->at = &s->ops;
	if (op->next)
		op->next->at = &op->next;
	s->ops = op;
	s->open_ops++;
	return op;
}

static struct op *op_alloc(struct model *s, uint8_t kind, const struct rec_user *u)
{
	const struct op_traits *t = op_traits[kind];
	size_t first = u->len[0] < t->most[0] ? u->len[0] : t->most[0];
	size_t second = u->len[1] < t->most[1] ? u->len[1] : t->most[1];
	bool has_peer = u->r.kind == REC_HTTP_BEGIN && u->r.flags && u->room > HTTP_PEER;
	struct op *op = op_add(s, kind, first + second + (has_peer ? HTTP_PEER : 0));

	op->key = u->r.id;
	op->flags = op_flags_of(u);
	op->began = u->r.time;
	op->stack = u->stack;
	op->arg = u->arg;
	op->len[0] = first;
	op->len[1] = second;
	memcpy(op->text, u->text, first);
	memcpy(op->text + first, u->text + u->len[0], second);
	if (has_peer) {
		op->peer = u->r.flags;
		memcpy(op->text + first + second, u->text + u->room - HTTP_PEER, HTTP_PEER);
	}
	return op;
}

/* Puts it where its end will find it. */
static void op_link(struct model *s, struct op *op, struct G *g)
{
	enum op_form form = op_traits_of(op)->form;

	op->in_child = form == OP_FORM_REGION && (!g->ops || g->ops->in_child);
	op->task = form == OP_FORM_REGION ? ops_task(g) :
		   (op_traits_of(op)->is_call ? CALL_TASKS : HTTP_TASKS) + ++s->last_op;
	op->named = form == OP_FORM_REGION || !s->sink.ops->text;
	if (form == OP_FORM_FREE) {
		*map64_put(&s->free_ops, op_free_key(op->kind, op->key), NULL) =
			(uint64_t)(uintptr_t)op;
		return;
	}
	op->g = g;
	op->outer = g->ops;
	g->ops = op;
}

/* --- begin --- */

static void op_write_begin(struct model *s, struct M *m, struct op *op, uint64_t parent)
{
	enum op_form form = op_traits_of(op)->form;

	op->name_len = op_traits_of(op)->name(op->name, op, NULL);
	if (form != OP_FORM_REGION)
		step_emit(s, m, EV_UserTaskBegin, op->task, parent, NAME(op), 0);
	if (form == OP_FORM_FREE)
		return;
	op->region = region_open(s, m->g, op->task);
	if (op->region)
		step_emit(s, m, EV_UserRegionBegin, op->task, NAME(op), 0);
}

/* --- end --- */

static void op_write_log(struct model *s, struct M *m, const struct op *op,
			 const struct rec_user *end)
{
	struct buf *text = &s->op_message;

	buf_empty(text, OP_MESSAGE_KEPT);
	op_traits_of(op)->log(text, op, end);
	if (text->len || !op_traits_of(op)->by_depth)
		step_emit(s, m, EV_UserLog, op->task,
			  SINK_CONSTANT(op_traits_of(op)->category),
			  SINK_TEXT((const char *)text->data, text->len), 0);
}

/* Ends the regions that the goroutine has begun since that of @op. */
static void op_end_inner_regions(struct model *s, struct M *m, const struct op *op)
{
	struct G *g = m->g;

	while (g->regions && g->regions != op->region) {
		step_emit(s, m, EV_UserRegionEnd, g->regions->task,
			  SINK_TEXT(g->regions->name, g->regions->len), 0);
		g_end_region(s, g);
	}
}

static void op_end_region(struct model *s, struct M *m, const struct op *op)
{
	struct G *g = m->g;

	if (!g->regions)
		return;
	step_emit(s, m, EV_UserRegionEnd, op->task, NAME(op), 0);
	g_end_region(s, g);
}

/* @op ends, and the operation after it begins: as long as that is open it has the texts of @op. */
static void op_follow(struct model *s, const struct op *op, const struct rec_user *end)
{
	const struct op_traits *t = op_traits_of(op);
	uint64_t key = t->followed_by && end ? t->next_key(op, end) : 0;
	uint8_t kind = t->followed_by;
	struct op *next = key ? op_find_free(s, kind, key) : NULL;

	if (!key)
		return;
	if (next)	/* nobody has seen its end, and the program uses the address again */
		op_forget(s, next);
	if (s->open_ops >= OPS_FOLLOW_MOST) {
		repair(s, REPAIR_DROPPED);
		return;
	}
	next = op_add(s, kind, op->len[0] + op->len[1]);
	next->key = key;
	next->flags = op->flags;
	next->began = end->r.time;
	next->len[0] = op->len[0];
	next->len[1] = op->len[1];
	memcpy(next->text, op->text, op->len[0] + op->len[1]);
	next->task = op->task;
	next->named = true;
	*map64_put(&s->free_ops, op_free_key(kind, next->key), NULL) = (uint64_t)(uintptr_t)next;
}

/*
 * @end: the record of the end; NULL: it is missing. Who looks at events matches begin and end by
 * the bytes of the name: the name of the end becomes that of the operation after both.
 */
static void op_finish(struct model *s, struct M *m, struct op *op, const struct rec_user *end)
{
	const struct op_traits *t = op_traits_of(op);
	char name[OP_NAME_MOST];
	size_t n;

	children_end(s, op);
	if (end && t->ending)
		t->ending(s, op, end);
	route_resolve(s, op);
	/* before the log event, which comes right before the end of the region that it is about */
	if (op->region)
		op_end_inner_regions(s, m, op);
	if ((end || t->by_depth) && t->category)
		op_write_log(s, m, op, end);
	if (t->by_depth)
		++*(end ? &s->counts.calls : op->lost ? &s->counts.calls_lost :
							&s->counts.calls_left);
	if (op->region)
		op_end_region(s, m, op);
	if (op_is_task(op))
		step_emit(s, m, EV_UserTaskEnd, op->task, 0);
	n = end && !op->named ? t->name(name, op, end) : 0;
	if (n) {
		memcpy(op->name, name, n);
		op->name_len = n;
	}
	op_set_name(s, op);
	op_follow(s, op, end);
	op_forget(s, op);
}

/* Those inside @op have no end of their own: their regions are inside its region. */
static void op_finish_inner(struct model *s, struct M *m, const struct op *op)
{
	while (m->g->ops != op)
		op_finish(s, m, m->g->ops, NULL);
}

/* A panic, or runtime.Goexit, has left @op at @time. */
static void op_leave(struct model *s, struct M *m, struct op *op, uint64_t time)
{
	uint8_t flags = op_traits_of(op)->panic_flags;
	struct rec_user end = { .r = { .time = time, .flags = flags << OP_FLAGS_SHIFT } };

	op_finish(s, m, op, flags ? &end : NULL);
}

static void op_leave_inner(struct model *s, struct M *m, const struct op *op, uint64_t time)
{
	while (m->g->ops != op)
		op_leave(s, m, m->g->ops, time);
}

/*
 * A kind whose keys are depths: those of the goroutine that are deeper than @key, or as deep if
 * @equal is true, have been left without an end, and all that began inside them.
 */
static void op_finish_left(struct model *s, struct M *m, uint8_t kind, uint64_t key, bool equal)
{
	struct op *op, *outermost = NULL;

	/* the keys of a kind grow from the outermost call to the innermost one */
	for (op = m->g->ops; op; op = op->outer) {
		if (op->kind != kind)
			continue;
		if (op->key < key || (op->key == key && !equal))
			break;
		outermost = op;
	}
	if (!outermost)
		return;
	op_finish_inner(s, m, outermost);
	op_finish(s, m, outermost, NULL);
}

void ops_end_gone(struct model *s, struct M *m)
{
	struct G *g = m->g;

	while (g->ops && g->ops->gone && (!g->ops->region || g->regions == g->ops->region))
		op_finish(s, m, g->ops, NULL);
}

/* --- handlers --- */

/* The goroutine of @m, if an operation of @kind can begin or end in it; NULL: not so. */
static struct G *op_goroutine(struct model *s, struct M *m, uint8_t kind)
{
	if (!s->started)
		return NULL;
	if (!m_speaks(m) || kind >= OP_KINDS || !op_traits[kind]) {
		repair(s, REPAIR_DROPPED);
		return NULL;
	}
	ops_end_gone(s, m);
	return m->g;
}

/* The end of an operation is missing, because another one takes its place. */
static void op_finish_lost(struct model *s, struct M *m, struct op *op)
{
	if (!op)
		return;
	repair(s, REPAIR_REQUEST);
	if (op->g)
		op_finish_inner(s, m, op);
	op_finish(s, m, op, NULL);
}

/*
 * The goroutine begins an operation of @kind. One of that kind whose end may be among lost records
 * has most likely ended: otherwise it would be the parent of everything that comes after it.
 */
static void op_finish_doubtful(struct model *s, struct M *m, uint8_t kind)
{
	static const struct rec_user any;
	struct op *op = op_find_in(m->g, kind, &any);

	if (op && op->doubtful)
		op_finish_lost(s, m, op);
}

static void op_begins(struct model *s, struct M *m, uint8_t kind, const struct rec_user *u)
{
	static const struct rec_user any;
	struct G *g = op_goroutine(s, m, kind);
	struct op *op;
	uint64_t parent;

	if (!g)
		return;
	if (op_traits[kind]->form == OP_FORM_FREE)
		op_finish_lost(s, m, op_find_free(s, kind, u->r.id));
	else if (op_traits[kind]->single)
		op_finish_lost(s, m, op_find_in(g, kind, &any));
	else if (op_traits[kind]->by_depth)
		op_finish_left(s, m, kind, u->r.id, true);
	else
		op_finish_doubtful(s, m, kind);
	if (s->open_ops >= OPS_MOST || op_traits[kind]->form == OP_FORM_LOG) {
		repair(s, REPAIR_DROPPED);
		return;
	}
	parent = ops_task(g);
	op = op_alloc(s, kind, u);
	op_link(s, op, g);
	if (op_traits[kind]->begun)
		op_traits[kind]->begun(s, op);
	op_write_begin(s, m, op, parent);
}

/* The request has ended because its handler did not return: so did not what it had called. */
static bool op_ends_by_panic(uint8_t kind, const struct rec_user *end)
{
	return kind == OP_HTTP_SERVED && end->r.flags & HTTP_END_UNWOUND;
}

/* An operation that had begun before the recording has no begin, and so no end. */
static void op_ends(struct model *s, struct M *m, uint8_t kind, const struct rec_user *u)
{
	struct G *g = op_goroutine(s, m, kind);
	struct op *op;

	if (!g)
		return;
	if (op_traits[kind]->by_depth)
		op_finish_left(s, m, kind, u->r.id, false);
	if (op_traits[kind]->form == OP_FORM_FREE || op_traits[kind]->form == OP_FORM_LOG)
		op = op_find_free(s, kind, u->r.id);
	else
		op = op_find_in(g, kind, u);
	if (!op && op_traits[kind]->unknown)
		op_traits[kind]->unknown(s, u);
	if (!op)
		return;
	if (op->g && op_ends_by_panic(kind, u))
		op_leave_inner(s, m, op, u->r.time);
	else if (op->g)
		op_finish_inner(s, m, op);
	op_finish(s, m, op, op->lost ? NULL : u);
}

/*
 * Keeps the first note of an operation, without a second text, with the flags of all. Where the
 * goroutine has no operation, the note came from a goroutine that helps one, and is lost.
 */
static void op_takes_note(struct model *s, struct M *m, uint8_t kind, const struct rec_user *u)
{
	struct G *g = op_goroutine(s, m, kind);
	struct op *op = g ? op_find_in(g, kind, u) : NULL;
	size_t size = sizeof(*u) + u->len[0];

	if (!op)
		return;
	if (op->note) {
		op->note->r.flags |= u->r.flags;
		return;
	}
	op->note = xcalloc(1, size);
	memcpy(op->note, u, size);
	op->note->len[1] = 0;
}

/* A log event of the operation of that kind and key, of the text that @make makes. */
static void op_logs(struct model *s, struct M *m, uint8_t kind, const struct rec_user *u,
		    void (*make)(struct buf *out, const struct op *op, const struct rec_user *u))
{
	struct G *g = op_goroutine(s, m, kind);
	struct op *op = g ? op_find_in(g, kind, u) : NULL;
	struct buf text = {0};

	if (!op || op->lost)
		return;
	make(&text, op, u);
	step_emit(s, m, EV_UserLog, op->task, SINK_CONSTANT(op_traits_of(op)->category),
		  SINK_TEXT((const char *)text.data, text.len), 0);
	buf_free(&text);
}

void call_args(struct model *s, struct M *m, const struct rec *r)
{
	op_logs(s, m, OP_FUNCTION, (const struct rec_user *)r, function_args_text);
}

void call_results(struct model *s, struct M *m, const struct rec *r)
{
	op_logs(s, m, OP_FUNCTION, (const struct rec_user *)r, function_results_text);
}

/* The preface of a connection of HTTP/2 (RFC 9113, 3.4), which package h2c takes for a request. */
static bool op_is_preface(const struct rec_user *u)
{
	return u->len[0] == 3 && !memcmp(u->text, "PRI", 3);
}

void http_begin(struct model *s, struct M *m, const struct rec *r)
{
	if (op_is_preface((const struct rec_user *)r))
		return;
	op_begins(s, m, OP_HTTP_SERVED, (const struct rec_user *)r);
}

void http_end(struct model *s, struct M *m, const struct rec *r)
{
	op_ends(s, m, OP_HTTP_SERVED, (const struct rec_user *)r);
}

void op_begin(struct model *s, struct M *m, const struct rec *r)
{
	op_begins(s, m, r->flags & OP_KIND_MASK, (const struct rec_user *)r);
}

void op_end(struct model *s, struct M *m, const struct rec *r)
{
	op_ends(s, m, r->flags & OP_KIND_MASK, (const struct rec_user *)r);
}

void op_note(struct model *s, struct M *m, const struct rec *r)
{
	op_takes_note(s, m, r->flags & OP_KIND_MASK, (const struct rec_user *)r);
}

void op_step(struct model *s, struct M *m, const struct rec *r)
{
	static const struct rec_user any;
	uint8_t kind = r->flags & OP_KIND_MASK;
	struct G *g = op_goroutine(s, m, kind);

	if (g && op_traits[kind]->step)
		op_traits[kind]->step(s, op_find_in(g, kind, &any), (const struct rec_long *)r);
}

static bool op_has_depth(const struct op *op)
{
	return op_traits_of(op)->by_depth || op_traits_of(op)->panic_flags;
}

/* On arm64 a function that is called has the depth of the place where it is called. */
void op_recovered(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = op_goroutine(s, m, OP_FUNCTION);
	struct op *op, *outermost = NULL;

	for (op = g ? g->ops : NULL; op; op = op->outer)
		if (op_has_depth(op) && op->key >= r->id)
			outermost = op;
	if (!outermost)
		return;
	op_leave_inner(s, m, outermost, r->time);
	op_leave(s, m, outermost, r->time);
}
