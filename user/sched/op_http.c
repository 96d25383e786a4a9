// SPDX-License-Identifier: Apache-2.0
/*
 * op_http: a request that net/http serves (records HTTP_BEGIN and HTTP_END): its key is the address
 * of the http.Request, its texts are method and path. The name has the route, and no path, since a
 * program may see any number of paths.
 */
#include <string.h>

#include "http.h"
#include "read/http.h"
#include "sched/op.h"

enum {
	METHOD_MOST = 32,
	PATH_MOST = 512,	/* bytes of a path that a log has */
	STATUS_OK = 200,	/* net/http sends it if the handler has set none */
};

/*
 * The pattern of a route may begin with the method (Go 1.22 and later), and never has a space
 * elsewhere.
 */
static size_t http_route_name(char name[OP_NAME_MOST], const struct op *op, const char *pattern,
			      size_t n)
{
	const char *space = memchr(pattern, ' ', n);

	if (space)
		return op_name_two(name, pattern, (size_t)(space - pattern), space + 1,
				   (size_t)(pattern + n - space - 1));
	return op_name_two(name, op->text, op->len[0], pattern, n);
}

/* @end: it has the pattern of the route, if there is one. */
static size_t http_name(char name[OP_NAME_MOST], const struct op *op, const struct rec_user *end)
{
	static const char none[] = "net/http";

	if (end && end->len[0])
		return http_route_name(name, op, end->text, end->len[0]);
	if (end)
		return op->route ? http_route_name(name, op, op->route, op->route_len) : 0;
	return op_name_two(name, op->text, op->len[0], none, sizeof(none) - 1);
}

/* The status that the client got; 0: not known. */
static uint64_t http_status(const struct rec_user *u)
{
	unsigned int flags = u->r.flags;

	if (!(flags & HTTP_END_KNOWN) || flags & HTTP_END_HIJACKED)
		return 0;
	return u->stack || flags & HTTP_END_UNWOUND ? u->stack : STATUS_OK;
}

/*
 * The name that the task has not, because the trace needed one before the route was known; and the
 * function that the name is of, if it is of one.
 */
static void http_log_route(struct buf *out, const struct op *op, const struct rec_user *u)
{
	char name[OP_NAME_MOST];
	size_t n = op->named ? http_name(name, op, u) : 0;

	if (n)
		op_log_text(out, "route", name, n);
	if (op->by_handler && !u->len[0])
		op_log_text(out, "handler", op->route, op->route_len);
}

/* What the client is, behind the texts of the begin. */
static void http_log_client(struct buf *out, const struct op *op)
{
	const char *peer = op->text + op->len[0] + op->len[1];

	if (op->peer & HTTP_PEER_LEN)
		op_log_text(out, "remote", peer + HTTP_PEER_REMOTE, op->peer & HTTP_PEER_LEN);
	if (op->peer & HTTP_PEER_PARENT)
		op_log_text(out, "traceparent", peer, HTTP_PARENT_LEN);
}

static void http_log(struct buf *out, const struct op *op, const struct rec_user *u)
{
	unsigned int flags = u->r.flags;
	uint64_t status = http_status(u);

	if (status)
		op_log_number(out, "status", status);
	if (flags & HTTP_END_KNOWN && !(flags & HTTP_END_HIJACKED))
		op_log_number(out, "bytes", u->arg);
	if (flags & HTTP_END_HIJACKED)
		op_log_word(out, "end", "hijacked");
	else if (flags & HTTP_END_UNWOUND)
		op_log_word(out, "end", "panic");
	if (flags & HTTP_END_H2)
		op_log_word(out, "proto", "h2");
	http_log_client(out, op);
	http_log_route(out, op, u);
	/* the last one: a client chooses it, and the trace cuts a text that is too long */
	if (op->len[1])
		op_log_text(out, "path", op->text + op->len[0], op->len[1]);
}

const struct op_traits op_http_served = {
	.form = OP_FORM_TASK, .category = HTTP_CATEGORY, .most = { METHOD_MOST, PATH_MOST },
	.single = true, .has_children = true, .name = http_name, .log = http_log,
};
