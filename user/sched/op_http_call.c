// SPDX-License-Identifier: Apache-2.0
/*
 * op_http_call: requests that net/http sends as a client (http_call.h). A round trip of
 * http.Transport is a task with a region; a dial and its TLS handshake are regions of the goroutine
 * that dials; the body of a response, which the program reads after the round trip, is a log event
 * when it has been read. Dials, first bytes and bodies belong to the round trip that has the
 * connection: in HTTP/1 it has one for itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_call.h"
#include "read/http_call.h"
#include "sched/op.h"
#include "sched/state.h"

enum {
	METHOD_MOST = 32,
	HOST_MOST = 192,
	/* New connections that no round trip has taken yet; further ones are as those in use. */
	NEW_CONNS_MOST = 1 << 16,
};

/* What is known of a round trip, or of a dial. */
struct http_call {
	uint64_t conn;		/* the *persistConn; 0: none, or of HTTP/2 */
	uint64_t asked;		/* when it asked for a connection; 0: it does not */
	uint64_t has;		/* when it had one; 0: it has none yet */
	uint64_t wait;		/* ns between these */
	uint64_t first;		/* ns from there to the first byte of the response; 0: not known */
	uint64_t dial, tls;	/* ns; dial 0: the connection was in use before */
	unsigned int attempts;
	bool read;		/* the response has been read, with its body */
};

/* A new connection. */
struct new_conn {
	uint64_t dial, tls;
};

/* --- connections --- */

static struct http_call *call_on(const struct model *s, uint64_t conn)
{
	const uint64_t *at = map64_get(&s->calling_conns, conn);

	return at ? ((struct op *)(uintptr_t)*at)->call : NULL;
}

/* Ends the use of the connection that @op has. */
static void call_leave(struct model *s, struct op *op)
{
	const uint64_t *at = map64_get(&s->calling_conns, op->call->conn);

	if (at && *at == (uint64_t)(uintptr_t)op)
		map64_del(&s->calling_conns, op->call->conn);
	op->call->conn = 0;
}

static void new_conn_drop(struct model *s, uint64_t conn)
{
	const uint64_t *at = map64_get(&s->new_conns, conn);

	if (!at)
		return;
	free((void *)(uintptr_t)*at);
	map64_del(&s->new_conns, conn);
}

static void new_conn_add(struct model *s, uint64_t conn, uint64_t dial, uint64_t tls)
{
	struct new_conn *c;

	new_conn_drop(s, conn);
	if (s->new_conns.len >= NEW_CONNS_MOST)
		return;
	c = xcalloc(1, sizeof(*c));
	*c = (struct new_conn){ dial, tls };
	*map64_put(&s->new_conns, conn, NULL) = (uint64_t)(uintptr_t)c;
}

static void call_take(struct model *s, struct op *op, uint64_t conn)
{
	const uint64_t *at;

	if (op->call->conn)
		call_leave(s, op);
	op->call->conn = conn;
	op->call->dial = op->call->tls = 0;
	if (!conn)
		return;
	at = map64_get(&s->new_conns, conn);
	if (at) {
		const struct new_conn *c = (const struct new_conn *)(uintptr_t)*at;

		op->call->dial = c->dial;
		op->call->tls = c->tls;
		new_conn_drop(s, conn);
	}
	*map64_put(&s->calling_conns, conn, NULL) = (uint64_t)(uintptr_t)op;
}

void http_calls_free(struct model *s)
{
	size_t i;

	for (i = 0; i < s->new_conns.cap; i++)
		if (s->new_conns.slots[i].used)
			free((void *)(uintptr_t)s->new_conns.slots[i].value);
	map64_free(&s->new_conns);
	map64_free(&s->calling_conns);
}

/* --- the round trip --- */

static void call_begun(struct model *s, struct op *op)
{
	op->call = xcalloc(1, sizeof(*op->call));
}

static void call_freed(struct model *s, struct op *op)
{
	if (op->call->conn)
		call_leave(s, op);
	free(op->call);
}

static void call_step(struct model *s, struct op *op, const struct rec_long *r)
{
	struct http_call *c = op ? op->call : NULL;
	unsigned int step = r->r.flags >> OP_FLAGS_SHIFT;

	if (step == HTTP_CALL_FIRST_BYTE) {
		c = call_on(s, r->r.id);
		if (c && !c->first)
			c->first = r->r.time - c->has;
	} else if (c && step == HTTP_CALL_ASKS_CONN) {
		c->asked = r->r.time;
		c->attempts++;
	} else if (c && step == HTTP_CALL_HAS_CONN) {
		call_take(s, op, r->r.id);
		if (c->asked)
			c->wait += r->r.time - c->asked;
		c->asked = 0;
		c->has = r->r.time;
		c->first = 0;
	}
}

static size_t call_name(char name[OP_NAME_MOST], const struct op *op, const struct rec_user *end)
{
	if (end)
		return 0;
	return op_name_two(name, op->len[0] ? op->text : "GET", op->len[0] ? op->len[0] : 3,
			   op->text + op->len[0], op->len[1]);
}

static void call_log(struct buf *out, const struct op *op, const struct rec_user *end)
{
	const struct http_call *c = op->call;

	op_log_number(out, "ns", end->r.time - op->began);
	if (end->stack)
		op_log_number(out, "status", end->stack);
	if (op_flags_of(end) & HTTP_CALL_ERROR)
		op_log_number(out, "error", 1);
	if (c->has && c->attempts)
		op_log_number(out, "conn_wait", c->wait);
	if (c->conn)
		op_log_number(out, "reused", !c->dial);
	if (c->dial)
		op_log_number(out, "dial", c->dial);
	if (c->tls)
		op_log_number(out, "tls", c->tls);
	if (c->first)
		op_log_number(out, "first_byte", c->first);
	if (c->attempts > 1)
		op_log_number(out, "attempts", c->attempts);
	/* the last one: the trace cuts a text that is too long */
	if (end->len[0])
		op_log_text(out, "path", end->text, end->len[0]);
}

/* The connection of a response with a body that has not been read; 0: there is none. */
static uint64_t call_body(const struct op *op, const struct rec_user *end)
{
	bool head = op->len[0] == 4 && !memcmp(op->text, "HEAD", 4);

	return op->call->read || head || !end->stack || !end->arg ? 0 : op->call->conn;
}

const struct op_traits op_http_call = {
	.form = OP_FORM_TASK, .is_call = true, .category = HTTP_CALL_CATEGORY,
	.most = { METHOD_MOST, HOST_MOST }, .followed_by = OP_HTTP_BODY, .next_key = call_body,
	.name = call_name, .log = call_log, .begun = call_begun, .freed = call_freed,
	.step = call_step,
};

/* --- dials and handshakes --- */

static void dial_ending(struct model *s, struct op *op, const struct rec_user *end)
{
	if (end->arg)
		new_conn_add(s, end->arg, end->r.time - op->began, op->call->tls);
}

static void dial_freed(struct model *s, struct op *op) { free(op->call); }

static size_t dial_name(char name[OP_NAME_MOST], const struct op *op, const struct rec_user *end)
{
	return end ? 0 : (size_t)snprintf(name, OP_NAME_MOST, "dial %.*s", (int)op->len[0],
					  op->text);
}

const struct op_traits op_http_dial = {
	.form = OP_FORM_REGION, .most = { HOST_MOST }, .name = dial_name, .begun = call_begun,
	.ending = dial_ending, .freed = dial_freed,
};

/* The handshake is inside the dial of the same goroutine. */
static void tls_ending(struct model *s, struct op *op, const struct rec_user *end)
{
	if (op->outer && op->outer->kind == OP_HTTP_DIAL)
		op->outer->call->tls = end->r.time - op->began;
}

static size_t tls_name(char name[OP_NAME_MOST], const struct op *op, const struct rec_user *end)
{
	return end ? 0 : (size_t)snprintf(name, OP_NAME_MOST, "TLS handshake");
}

const struct op_traits op_http_tls = {
	.form = OP_FORM_REGION, .name = tls_name, .ending = tls_ending,
};

/* --- bodies --- */

static void body_log(struct buf *out, const struct op *op, const struct rec_user *end)
{
	op_log_number(out, "body", end->r.time - op->began);
}

/* The response had no body, or it came with the header; or the connection is closed. */
static void body_unknown(struct model *s, const struct rec_user *end)
{
	struct http_call *c = call_on(s, end->r.id);

	if (c)
		c->read = true;
	new_conn_drop(s, end->r.id);
}

const struct op_traits op_http_body = {
	.form = OP_FORM_LOG, .category = HTTP_CALL_CATEGORY, .log = body_log,
	.unknown = body_unknown,
};
