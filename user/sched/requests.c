// SPDX-License-Identifier: Apache-2.0
/* requests: see requests.h and handlers.h. */
#include "sched/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "http.h"
#include "read/http.h"
#include "sched/handlers.h"
#include "sched/steps.h"

enum {
	METHOD_MOST = 32,
	NAME_MOST = 256,
	PATH_MOST = 512,	/* bytes of a path that a log has */
	STATUS_OK = 200,	/* net/http sends it if the handler has set none */
};

static const char category[] = HTTP_CATEGORY;

/* A request that a goroutine serves. */
struct request {
	struct request *next, **at;	/* of model.requests; the pointer that points here */
	struct G *g;
	uint64_t address;	/* of the http.Request */
	uint64_t task;
	struct region *region;	/* that of this request, among those of the goroutine */
	bool named;		/* the name is in the trace */
	size_t method_len, name_len, path_len;
	char method[METHOD_MOST], name[NAME_MOST], path[];
};

/* The name as an argument of an event. */
#define NAME(q) ((uint64_t)(uintptr_t)&(const struct sink_text){                              \
		.bytes = (q)->name, .len = (q)->name_len, .later = (q)->named ? 0 : (q)->task })

/* --- names --- */

/* The name of a request of which no route is known. */
static void served_name_plain(struct request *q)
{
	q->name_len = (size_t)snprintf(q->name, NAME_MOST, "%.*s net/http", (int)q->method_len,
				       q->method);
}

/*
 * The pattern of a route may begin with the method (Go 1.22 and later), and never has a space
 * elsewhere. Returns the length of the name.
 */
static size_t served_make_name(char name[NAME_MOST], const struct request *q, const char *pattern,
			       size_t n)
{
	bool has_method = memchr(pattern, ' ', n) != NULL;
	int len = has_method ? snprintf(name, NAME_MOST, "%.*s", (int)n, pattern) :
		  snprintf(name, NAME_MOST, "%.*s %.*s", (int)q->method_len, q->method,
			   (int)n, pattern);

	return len < NAME_MOST ? (size_t)len : NAME_MOST - 1;
}

/* The name is final. */
static void served_set_name(struct model *s, struct request *q)
{
	if (!q->named)
		s->sink.ops->text(s->sink.ctx, q->task, q->name, q->name_len);
	q->named = true;
}

void requests_tell(struct model *s)
{
	struct request *q;

	for (q = s->requests; q; q = q->next)
		served_set_name(s, q);
}

/* --- begin and end --- */

static void served_forget(struct request *q)
{
	q->g->request = NULL;
	*q->at = q->next;
	if (q->next)
		q->next->at = q->at;
	free(q);
}

void request_drop(struct model *s, struct G *g)
{
	if (!g->request)
		return;
	if (s->started)
		served_set_name(s, g->request);
	served_forget(g->request);
}

static struct request *served_new(struct model *s, struct G *g, const struct rec_user *u)
{
	size_t method = u->len[0] < METHOD_MOST ? u->len[0] : METHOD_MOST;
	size_t path = u->len[1] < PATH_MOST ? u->len[1] : PATH_MOST;
	struct request *q = xcalloc(1, sizeof(*q) + path);

	q->address = u->r.id;
	q->task = HTTP_TASKS + ++s->last_request;
	q->method_len = method;
	q->path_len = path;
	memcpy(q->method, u->text, method);
	memcpy(q->path, u->text + u->len[0], path);
	served_name_plain(q);
	q->named = !s->sink.ops->text;
	q->g = g;
	q->next = s->requests;
	q->at = &s->requests;
	if (q->next)
		q->next->at = &q->next;
	s->requests = g->request = q;
	return q;
}

/* --- the log event of the end --- */

static bool log_is_plain(const char *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((uint8_t)text[i] <= ' ' || text[i] == '"' || text[i] == '\\' || text[i] == 127)
			return false;
	return n;
}

static void log_add_quoted(struct buf *out, const char *text, size_t n)
{
	char code[8];
	size_t i;

	buf_add_byte(out, '"');
	for (i = 0; i < n; i++) {
		uint8_t c = (uint8_t)text[i];

		if (c == '"' || c == '\\')
			snprintf(code, sizeof(code), "\\%c", c);
		else
			snprintf(code, sizeof(code), c < ' ' || c == 127 ? "\\x%02x" : "%c", c);
		buf_add(out, code, strlen(code));
	}
	buf_add_byte(out, '"');
}

/* Begins a pair: "KEY=", with a space before it if it is not the first one. */
static void log_add_key(struct buf *out, const char *key)
{
	buf_printf(out, "%s%s=", out->len ? " " : "", key);
}

static void log_add_number(struct buf *out, const char *key, uint64_t value)
{
	log_add_key(out, key);
	buf_printf(out, "%" PRIu64, value);
}

static void log_add_text(struct buf *out, const char *key, const char *text, size_t n)
{
	log_add_key(out, key);
	if (log_is_plain(text, n))
		buf_add(out, text, n);
	else
		log_add_quoted(out, text, n);
}

/* The status that the client got; 0: not known. */
static uint64_t log_status(const struct rec_user *u)
{
	unsigned int flags = u->r.flags;

	if (!(flags & HTTP_END_KNOWN) || flags & HTTP_END_HIJACKED)
		return 0;
	return u->stack || flags & HTTP_END_UNWOUND ? u->stack : STATUS_OK;
}

/* The name that the task has not, because the trace needed one before the route was known. */
static void log_add_route(struct buf *out, const struct request *q, const struct rec_user *u)
{
	char name[NAME_MOST];
	size_t n;

	if (!q->named || !u->len[0])
		return;
	n = served_make_name(name, q, u->text, u->len[0]);
	log_add_text(out, "route", name, n);
}

static void log_make(struct buf *out, struct request *q, const struct rec_user *u)
{
	unsigned int flags = u->r.flags;
	uint64_t status = log_status(u);

	if (status)
		log_add_number(out, "status", status);
	if (flags & HTTP_END_KNOWN && !(flags & HTTP_END_HIJACKED))
		log_add_number(out, "bytes", u->arg);
	if (flags & HTTP_END_HIJACKED)
		log_add_text(out, "end", "hijacked", strlen("hijacked"));
	else if (flags & HTTP_END_UNWOUND)
		log_add_text(out, "end", "panic", strlen("panic"));
	if (flags & HTTP_END_H2)
		log_add_text(out, "proto", "h2", strlen("h2"));
	log_add_route(out, q, u);
	/* the last one: a client chooses it, and the trace cuts a text that is too long */
	if (q->path_len)
		log_add_text(out, "path", q->path, q->path_len);
}

static void served_log(struct model *s, struct M *m, struct request *q, const struct rec_user *u)
{
	struct buf text = {0};

	log_make(&text, q, u);
	step_emit(s, m, EV_UserLog, q->task, SINK_CONSTANT(category),
		  SINK_TEXT((const char *)text.data, text.len), 0);
	buf_free(&text);
}

/* --- handlers --- */

static struct G *served_goroutine(struct model *s, struct M *m)
{
	if (!s->started)
		return NULL;
	if (!m_speaks(m)) {
		repair(s, REPAIR_DROPPED);
		return NULL;
	}
	return m->g;
}

/*
 * The regions that the handler has begun and not ended end with the request: a reader wants regions
 * to nest. Returns whether that of the request is the innermost one now.
 */
static bool served_end_inner(struct model *s, struct M *m, const struct request *q)
{
	struct G *g = m->g;

	while (g->regions && g->regions != q->region) {
		step_emit(s, m, EV_UserRegionEnd, g->regions->task,
			  SINK_TEXT(g->regions->name, g->regions->len), 0);
		g_end_region(s, g);
	}
	return g->regions;
}

/*
 * @u: the record of the end; NULL: it is missing. Who looks at events matches begin and end by the
 * bytes of the name: the route becomes the name after both.
 */
static void served_end(struct model *s, struct M *m, struct request *q, const struct rec_user *u)
{
	if (q->region && served_end_inner(s, m, q)) {
		step_emit(s, m, EV_UserRegionEnd, q->task, NAME(q), 0);
		g_end_region(s, m->g);
	}
	step_emit(s, m, EV_UserTaskEnd, q->task, 0);
	if (u && u->len[0] && !q->named)
		q->name_len = served_make_name(q->name, q, u->text, u->len[0]);
	served_set_name(s, q);
	served_forget(q);
}

void http_begin(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = served_goroutine(s, m);
	struct request *q;

	if (!g)
		return;
	if (g->request) {	/* its end is missing */
		repair(s, REPAIR_REQUEST);
		served_end(s, m, g->request, NULL);
	}
	q = served_new(s, g, (const struct rec_user *)r);
	step_emit(s, m, EV_UserTaskBegin, q->task, 0, NAME(q), 0);
	q->region = region_open(s, g, q->task);
	if (q->region)
		step_emit(s, m, EV_UserRegionBegin, q->task, NAME(q), 0);
}

/* A request that had begun before the recording has no begin, and so no end. */
void http_end(struct model *s, struct M *m, const struct rec *r)
{
	const struct rec_user *u = (const struct rec_user *)r;
	struct G *g = served_goroutine(s, m);

	if (!g || !g->request || (u->r.id && u->r.id != g->request->address))
		return;
	served_log(s, m, g->request, u);
	served_end(s, m, g->request, u);
}
