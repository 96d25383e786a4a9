// SPDX-License-Identifier: Apache-2.0
/* answer: see answer.h. */
#define _GNU_SOURCE
#include "mcp/answer.h"

#include <json-c/json_pointer.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "mcp/losses.h"
#include "mcp/output.h"
#include "mcp/shrink.h"
#include "mcp/summary.h"

enum {
	ANSWER_MESSAGES = 20, /* lines of standard error in an answer */
	ANSWER_LINE = 500,    /* bytes of one */
};

static void answer_put_string(struct json_object *of, const char *name, const char *text)
{
	json_object_object_add(of, name, json_object_new_string(text));
}

/* --- texts --- */

static void answer_add_block(struct json_object *content, const char *text)
{
	struct json_object *block = json_object_new_object();

	answer_put_string(block, "type", "text");
	answer_put_string(block, "text", text);
	json_object_array_add(content, block);
}

/* The trace as a resource that a client can read: its losses and its place. */
static void answer_add_link(struct json_object *content, const char *name)
{
	struct json_object *link = json_object_new_object();
	_cleanup_free_ char *uri = xasprintf("gotap://trace/%s", name);

	answer_put_string(link, "type", "resource_link");
	answer_put_string(link, "uri", uri);
	answer_put_string(link, "name", name);
	answer_put_string(link, "mimeType", "application/json");
	answer_put_string(link, "description", "losses, cost and place of the trace");
	json_object_array_add(content, link);
}

struct json_object *answer_error(const char *what)
{
	struct json_object *ret = json_object_new_object(), *content = json_object_new_array();

	answer_add_block(content, what);
	json_object_object_add(ret, "content", content);
	json_object_object_add(ret, "isError", json_object_new_boolean(true));
	return ret;
}

/* --- messages --- */

/* Lines of standard error, without control characters, the first ones. */
static struct json_object *answer_messages(const struct job *j, size_t n)
{
	struct json_object *ret = json_object_new_array();
	_cleanup_free_ char *all = xstrndup(n ? (const char *)j->said.data : "", n);
	char *line, *save = NULL;

	for (line = strtok_r(all, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save)) {
		_cleanup_free_ char *shown = NULL;

		if (json_object_array_length(ret) == ANSWER_MESSAGES)
			break;
		if (strlen(line) > ANSWER_LINE)
			line[ANSWER_LINE] = 0;
		shown = show_dup(line);
		json_object_array_add(ret, json_object_new_string(shown));
	}
	return ret;
}

/* --- what a client may not see --- */

static void answer_hide_path(struct json_object *request)
{
	if (json_object_object_get_ex(request, "path", NULL))
		answer_put_string(request, "path", "");
}

/* A list of requests, or one, as in `gotap top`. */
static void answer_hide_slowest(struct json_object *of)
{
	size_t i;

	if (json_object_is_type(of, json_type_object))
		answer_hide_path(of);
	if (!json_object_is_type(of, json_type_array))
		return;
	for (i = 0; i < json_object_array_length(of); i++)
		answer_hide_path(json_object_array_get_idx(of, i));
}

/*
 * Paths of the slowest requests, wherever an answer has them: a trace of somebody else may have
 * some. The depth is that of the answers of gotap, which have no member "slowest" deeper.
 */
static void answer_hide_paths(struct json_object *value, int depth)
{
	size_t i;

	if (depth > 6)
		return;
	if (json_object_is_type(value, json_type_array)) {
		for (i = 0; i < json_object_array_length(value); i++)
			answer_hide_paths(json_object_array_get_idx(value, i), depth + 1);
	} else if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, key, member) {
			if (!strcmp(key, "slowest"))
				answer_hide_slowest(member);
			else
				answer_hide_paths(member, depth + 1);
		}
	}
}

/*
 * Command lines of programs and paths of requests may hold secrets: `gotap mcp --show-private`
 * allows them.
 */
static void answer_hide(struct json_object *value)
{
	struct json_object *list, *one, *origin;
	size_t i;

	answer_hide_paths(value, 0);
	if (json_object_object_get_ex(value, "processes", &list))
		for (i = 0; i < json_object_array_length(list); i++) {
			one = json_object_array_get_idx(list, i);
			answer_put_string(one, "command", "");
			json_object_object_add(one, "command_cut", json_object_new_boolean(true));
		}
	if (json_object_object_get_ex(value, "traces", &list) &&
	    json_object_is_type(list, json_type_array))
		for (i = 0; i < json_object_array_length(list); i++)
			if (json_object_object_get_ex(json_object_array_get_idx(list, i), "origin",
						      &origin))
				json_object_object_del(origin, "command");
}

/* --- the envelope --- */

static struct json_object *answer_command(const struct answer_context *c)
{
	struct json_object *ret = json_object_new_array();
	size_t i;

	if (c->call->tool->flags & TOOL_OWN)
		return ret;
	json_object_array_add(ret, json_object_new_string("gotap"));
	for (i = 0; i < c->call->words.len; i++)
		json_object_array_add(ret,
				      json_object_new_string(*vec_at(&c->call->words, char *, i)));
	return ret;
}

static struct json_object *answer_losses(const struct answer_context *c)
{
	struct json_object *ret = json_object_new_array();
	size_t i;

	for (i = 0; i < c->call->traces.len; i++)
		json_object_array_add(ret,
				      store_losses(c->store, *vec_at(&c->call->traces, char *, i)));
	if (c->written)
		json_object_array_add(ret, store_losses(c->store, c->written));
	return ret;
}

/* @j NULL: no command was run. */
static struct json_object *answer_envelope(const struct answer_context *c, const struct job *j,
					   size_t said)
{
	struct json_object *ret = json_object_new_object();
	double seconds = j ? (double)(j->end - j->begin) / 1e9 : 0;
	int status = j && WIFEXITED(j->status) ? WEXITSTATUS(j->status) : 0;

	json_object_object_add(ret, "command", answer_command(c));
	json_object_object_add(ret, "exit_status", json_object_new_int(status));
	json_object_object_add(ret, "messages",
			       j ? answer_messages(j, said) : json_object_new_array());
	json_object_object_add(ret, "seconds", json_object_new_double(seconds));
	json_object_object_add(ret, "cpu_seconds", json_object_new_double(j ? j->cpu_seconds : 0));
	json_object_object_add(ret, "losses", answer_losses(c));
	answer_put_string(ret, "accuracy", c->call->tool->accuracy);
	return ret;
}

/* Lists of the envelope that hold more than a little count, too. */
static void answer_say_left_out(const struct answer_context *c, struct json_object *envelope,
				struct json_object *left_out)
{
	bool any = json_object_array_length(left_out);
	const char *more = c->call->tool->flags & TOOL_LIVE ?
				   "call the tool again with a larger max_bytes, or for fewer "
				   "items; the program goes "
				   "on, and so a further answer is another one" :
				   "call the tool again with part: a JSON pointer of `at`, with an "
				   "index for each *; "
				   "or with a larger max_bytes";

	json_object_object_add(envelope, "left_out", left_out);
	json_object_object_add(envelope, "more", any ? json_object_new_string(more) : NULL);
}

/* Takes @value. NULL: it has no such part. */
static struct json_object *answer_part(const struct answer_context *c, struct json_object *value)
{
	struct json_object *found = NULL, *ret = NULL;

	if (!json_pointer_get(value, c->call->part, &found)) {
		ret = json_object_new_object();
		answer_put_string(ret, "at", c->call->part);
		json_object_object_add(ret, "value", json_object_get(found));
	}
	json_object_put(value);
	return ret;
}

static struct json_object *answer_result(struct json_object *envelope, const char *summary,
					 const char *written)
{
	struct json_object *ret = json_object_new_object(), *content = json_object_new_array();

	answer_add_block(content, summary);
	answer_add_block(content, json_object_to_json_string_ext(
					  envelope,
					  JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	if (written)
		answer_add_link(content, written);
	json_object_object_add(ret, "content", content);
	json_object_object_add(ret, "structuredContent", envelope);
	return ret;
}

/* Takes @value. @said: bytes of messages of @j, which is NULL without a command. */
static struct json_object *answer_make(const struct answer_context *c, const struct job *j,
				       struct json_object *value, size_t said)
{
	struct json_object *envelope = answer_envelope(c, j, said);
	struct json_object *left_out = json_object_new_array();
	_cleanup_free_ char *summary = summary_of(c->call->tool, value, envelope);
	size_t used = shrink_size(envelope);
	const char *name = c->call->part ? "part" : "answer";

	if (c->call->part)
		value = answer_part(c, value);
	/* what was cut takes room, too */
	used += c->call->most_bytes / 8;
	if (!value ||
	    !shrink(value, c->call->most_bytes > used ? c->call->most_bytes - used : 0, left_out)) {
		bool none = !value;

		json_object_put(value);
		json_object_put(left_out);
		json_object_put(envelope);
		return answer_error(
			none ? "the answer has no such part: give a JSON pointer, as in "
			       "left_out, with an index for each *" :
			       "the answer does not fit into max_bytes, even without "
			       "its lists: give a larger max_bytes, or part");
	}
	json_object_object_add(envelope, name, value);
	answer_say_left_out(c, envelope, left_out);
	return answer_result(envelope, summary, c->written);
}

/* --- results --- */

/* The first line that begins with "gotap: ", as errors do; else the last one. */
static struct json_object *answer_failure(const struct answer_context *c, const struct job *j)
{
	struct json_object *lines = answer_messages(j, j->said.len), *ret;
	size_t i, n = json_object_array_length(lines);
	struct buf text = {0};

	if (j->too_long)
		buf_printf(&text,
			   "the command printed more than %d MB, and was ended: ask for less",
			   JOB_OUT >> 20);
	else if (!n)
		buf_printf(&text, "gotap %s ended without an answer", c->call->tool->name);
	for (i = 0; i < n; i++)
		buf_printf(&text, "%s%s", i || j->too_long ? "\n" : "",
			   json_object_get_string(json_object_array_get_idx(lines, i)));
	buf_add_byte(&text, 0);
	ret = answer_error((char *)text.data);
	buf_free(&text);
	json_object_put(lines);
	return ret;
}

struct json_object *answer_of_job(const struct answer_context *c, const struct job *j)
{
	struct json_object *value;
	size_t said = 0;

	value = j->too_long ? NULL : output_parse(c->call, j, &said);
	if (!value)
		return answer_failure(c, j);
	if (!c->shows_private)
		answer_hide(value);
	losses_learn(c->store, c->call, c->written, value);
	return answer_make(c, j, value, said);
}

struct json_object *answer_of_value(const struct answer_context *c, struct json_object *value)
{
	return answer_make(c, NULL, value, 0);
}
