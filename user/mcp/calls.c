// SPDX-License-Identifier: Apache-2.0
/*
 * calls: tools/call: a call is checked, runs as a child process, and is answered when that has
 * ended. A call ends early when the client cancels it, when it takes too long, or when a recording
 * fills the folder: then the recording is shorter, and whole.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/show.h"
#include "mcp/answer.h"
#include "mcp/internal.h"

static const uint64_t CALLS_SECOND_NS = 1000000000;

enum {
	/* of a command that reads files, and of a recording beyond its length */
	CALLS_SECONDS = 300,
	CALLS_MORE_SECONDS = 120,
	/* bytes that must be free for a recording to begin */
	CALLS_ROOM = 1 << 20,
};

static struct mcp_call *calls_at(const struct mcp *m, size_t i)
{
	return *vec_at(&m->calls, struct mcp_call *, i);
}

static void calls_release(struct mcp_call *c)
{
	job_free(&c->job);
	tool_call_free(&c->call);
	json_object_put(c->id);
	json_object_put(c->token);
	free(c->written);
	free(c);
}

/* --- begin --- */

static size_t calls_recordings(const struct mcp *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->calls.len; i++)
		n += (calls_at(m, i)->call.tool->flags & TOOL_ATTACHES) != 0;
	return n;
}

static int calls_check_room(const struct mcp *m, const struct tool *tool, struct error *err)
{
	if (m->calls.len >= MCP_CALLS)
		return error_set(err, -EBUSY, "%d calls run: wait for one of them", MCP_CALLS);
	if (tool->flags & TOOL_ATTACHES && calls_recordings(m) >= MCP_RECORDINGS)
		return error_set(err, -EBUSY, "a recording runs: wait for its end");
	if (tool->flags & TOOL_WRITES && store_used(&m->store) + CALLS_ROOM > m->store.most_bytes)
		return error_set(err, -ENOSPC,
				 "the traces of this server have %" PRIu64
				 " bytes, and may have %" PRIu64 ": ask the user to delete some in "
				 "%s, or to begin with a larger --max-bytes",
				 store_used(&m->store), m->store.most_bytes, m->store.path);
	return 0;
}

static void calls_add_word(struct mcp_call *c, const char *word)
{
	*(char **)vec_push(&c->call.words, sizeof(char *)) = xstrdup(word);
}

/* Traces are operands, in the folder in which the child runs; their names are no options. */
static int calls_add_traces(struct mcp *m, struct mcp_call *c, struct error *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < c->call.traces.len && !r; i++) {
		const char *name = *vec_at(&c->call.traces, char *, i);

		r = store_check(&m->store, name, err);
		calls_add_word(c, name);
	}
	return r;
}

static pid_t calls_pid(const struct mcp_call *c)
{
	size_t i;

	for (i = 0; i < c->call.words.len; i++)
		if (!strncmp(*vec_at(&c->call.words, char *, i), "--pid=", 6))
			return (pid_t)atoi(*vec_at(&c->call.words, char *, i) + 6);
	return 0;
}

/* --no-paths is an error without the group http. */
static bool calls_records_paths(const struct mcp_call *c)
{
	const char *word;
	size_t i;

	for (i = 0; i < c->call.words.len; i++) {
		word = *vec_at(&c->call.words, char *, i);
		if (!strncmp(word, "--events=", 9))
			return strstr(word, "http") || strstr(word, "all");
	}
	return false;
}

static void calls_add_output(struct mcp *m, struct mcp_call *c)
{
	if (!(c->call.tool->flags & TOOL_WRITES))
		return;
	if (!m->o->show_private)
		calls_add_word(c, "--no-command");
	if (!m->o->show_private && calls_records_paths(c))
		calls_add_word(c, "--no-paths");
	c->written = store_new_name(&m->store, calls_pid(c));
	calls_add_word(c, "--output");
	calls_add_word(c, c->written);
}

static int calls_start(struct mcp *m, struct mcp_call *c, struct error *err)
{
	double seconds = c->call.tool->flags & TOOL_ATTACHES ?
				 c->call.seconds + CALLS_MORE_SECONDS :
				 CALLS_SECONDS;
	int r = calls_check_room(m, c->call.tool, err);

	if (!r)
		r = calls_add_traces(m, c, err);
	if (r)
		return r;
	calls_add_output(m, c);
	c->progressed = now_ns();
	c->deadline = c->progressed + (uint64_t)(seconds * (double)CALLS_SECOND_NS);
	return job_start(&c->job, m->store.fd, c->call.words.data, c->call.words.len, err);
}

static struct answer_context calls_context(struct mcp *m, const struct mcp_call *c)
{
	return (struct answer_context){ .store = &m->store,
					.call = &c->call,
					.written = c->written,
					.shows_private = m->o->show_private };
}

/* The text of @err may be cut within a character, and JSON is UTF-8. */
static struct json_object *calls_error(const struct error *err)
{
	_cleanup_free_ char *shown = show_dup(err->text);

	return answer_error(shown);
}

static void calls_begin(struct mcp *m, struct mcp_call *c)
{
	struct answer_context context = calls_context(m, c);
	struct error err;

	if (c->call.tool->flags & TOOL_OWN) {
		mcp_answer(m, c->id, c->is_modern,
			   answer_of_value(&context, store_list(&m->store)));
	} else if (calls_start(m, c, &err)) {
		mcp_answer(m, c->id, c->is_modern, calls_error(&err));
	} else {
		*(struct mcp_call **)vec_push(&m->calls, sizeof(c)) = c;
		return;
	}
	calls_release(c);
}

/* A token that is none is as no token: progress is a courtesy. */
static struct json_object *calls_token(struct json_object *token)
{
	enum json_type type = json_object_get_type(token);

	return (type == json_type_string && json_object_get_string_len(token) <= MESSAGE_ID) ||
			       type == json_type_int ?
		       json_object_get(token) :
		       NULL;
}

/* Is a request with that id running? The client could not distinguish the two answers. */
static bool calls_has(const struct mcp *m, struct json_object *id)
{
	size_t i;

	for (i = 0; i < m->calls.len; i++)
		if (json_object_equal(calls_at(m, i)->id, id))
			return true;
	return false;
}

void mcp_call_tool(struct mcp *m, const struct mcp_request *r)
{
	const char *name = message_text(r->message->params, "name");
	const struct tool *tool = name ? tool_named(name, &m->o->limits) : NULL;
	struct json_object *arguments = NULL, *id = r->message->id;
	struct mcp_call *c;
	struct error err;

	json_object_object_get_ex(r->message->params, "arguments", &arguments);
	if (!tool || (arguments && !json_object_is_type(arguments, json_type_object))) {
		mcp_refuse(m, id, MESSAGE_INVALID_PARAMS,
			   tool ? "\"arguments\" is no object" :
				  "there is no such tool: tools/list has all that this server "
				  "offers");
		return;
	}
	if (calls_has(m, id)) {
		mcp_refuse(m, id, MESSAGE_INVALID_REQUEST, "a request with this id is running");
		return;
	}
	c = xcalloc(1, sizeof(*c));
	c->job = (struct job){ .out_fd = -1, .said_fd = -1 };
	c->id = json_object_get(id);
	c->token = calls_token(r->token);
	c->is_modern = r->is_modern;
	if (!tool_read(&c->call, tool, arguments, &m->o->limits, &err)) {
		calls_begin(m, c);
		return;
	}
	mcp_answer(m, id, r->is_modern, calls_error(&err));
	calls_release(c);
}

void mcp_cancel(struct mcp *m, struct json_object *id)
{
	size_t i;

	for (i = 0; i < m->calls.len; i++)
		if (json_object_equal(calls_at(m, i)->id, id)) {
			calls_at(m, i)->cancelled = true;
			job_ask(&calls_at(m, i)->job);
		}
}

/* --- progress --- */

static void calls_tell(struct mcp *m, struct mcp_call *c, uint64_t now)
{
	double seconds = (double)(now - c->job.begin) / (double)CALLS_SECOND_NS;
	struct json_object *params;

	if (!c->token || c->cancelled || now - c->progressed < CALLS_SECOND_NS)
		return;
	c->progressed = now;
	params = json_object_new_object();
	json_object_object_add(params, "progressToken", json_object_get(c->token));
	json_object_object_add(params, "progress", json_object_new_double(seconds));
	if (c->call.seconds > 0 && seconds < c->call.seconds)
		json_object_object_add(params, "total", json_object_new_double(c->call.seconds));
	json_object_object_add(params, "message",
			       json_object_new_string(c->call.tool->flags & TOOL_ATTACHES ?
							      "seconds of the recording" :
							      "seconds of work"));
	mcp_send(m, message_note("notifications/progress", params));
}

/* --- limits --- */

static void calls_watch(struct mcp *m, struct mcp_call *c, uint64_t now)
{
	if (now >= c->deadline && !c->late) {
		c->late = true;
		job_ask(&c->job);
	}
	if (c->written && !c->full && store_used(&m->store) > m->store.most_bytes) {
		c->full = true;
		job_ask(&c->job);
	}
}

/* --- the end --- */

static struct json_object *calls_result(struct mcp *m, struct mcp_call *c)
{
	struct answer_context context = calls_context(m, c);

	if (c->late)
		return answer_error("the command took too long, and was ended: ask for less, or "
				    "use a shorter recording");
	return answer_of_job(&context, &c->job);
}

/* The client gets no answer of a call that it has cancelled. */
static void calls_finish(struct mcp *m, struct mcp_call *c)
{
	static const char full[] = "gotap: the recording was ended early, as the traces of this "
				   "server have as many bytes as they may have\n";

	if (c->full) {
		struct buf said = {0};

		buf_add(&said, full, sizeof(full) - 1);
		buf_add(&said, c->job.said.data, c->job.said.len);
		buf_free(&c->job.said);
		c->job.said = said;
	}
	if (!c->cancelled)
		mcp_answer(m, c->id, c->is_modern, calls_result(m, c));
	calls_release(c);
}

void mcp_step_calls(struct mcp *m)
{
	uint64_t now = now_ns();
	size_t i, kept = 0;

	for (i = 0; i < m->calls.len; i++) {
		struct mcp_call *c = calls_at(m, i);

		if (job_step(&c->job)) {
			calls_finish(m, c);
			continue;
		}
		calls_tell(m, c, now);
		calls_watch(m, c, now);
		*vec_at(&m->calls, struct mcp_call *, kept++) = c;
	}
	m->calls.len = kept;
}

void mcp_end_calls(struct mcp *m)
{
	size_t i;

	for (i = 0; i < m->calls.len; i++) {
		calls_at(m, i)->cancelled = true;
		job_ask(&calls_at(m, i)->job);
	}
	while (m->calls.len) {
		mcp_step_calls(m);
		if (m->calls.len)
			poll(NULL, 0, 10);
	}
	vec_free(&m->calls);
}
