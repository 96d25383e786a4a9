// SPDX-License-Identifier: Apache-2.0
/* message: see message.h. */
#include "mcp/message.h"

#include <stdint.h>
#include <string.h>

static void message_is_wrong(struct message *m, enum message_error code, const char *what)
{
	m->kind = MESSAGE_WRONG;
	m->code = code;
	m->what = what;
}

/* json-c stops behind the first value: only white space may follow. */
static bool message_ends(const char *line, size_t n, size_t at)
{
	for (; at < n; at++)
		if (!strchr(" \t\r\n", line[at]) || !line[at])
			return false;
	return true;
}

static struct json_object *message_read(const char *line, size_t n)
{
	struct json_tokener *tok = json_tokener_new_ex(MESSAGE_DEPTH);
	struct json_object *ret = NULL;

	if (!tok)
		return NULL;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS |
					    JSON_TOKENER_VALIDATE_UTF8);
	if (n && n <= INT32_MAX)
		ret = json_tokener_parse_ex(tok, line, (int)n);
	/* "1" alone may be the begin of "12": a message is an object, and ends by itself */
	if (ret && !message_ends(line, n, json_tokener_get_parse_end(tok))) {
		json_object_put(ret);
		ret = NULL;
	}
	json_tokener_free(tok);
	return ret;
}

/* A text or an integer, and no null, as the protocol demands. */
static bool message_id_is_valid(struct json_object *id)
{
	enum json_type type = json_object_get_type(id);

	return (type == json_type_string || type == json_type_int) &&
	       strlen(json_object_to_json_string_ext(id, JSON_C_TO_STRING_PLAIN)) <= MESSAGE_ID;
}

static bool message_take_id(struct message *m)
{
	struct json_object *id;

	if (!json_object_object_get_ex(m->root, "id", &id))
		return true;
	if (!message_id_is_valid(id))
		return false;
	m->id = id;
	return true;
}

static bool message_is_response(struct json_object *root)
{
	return !json_object_object_get_ex(root, "method", NULL) &&
	       (json_object_object_get_ex(root, "result", NULL) ||
		json_object_object_get_ex(root, "error", NULL));
}

static void message_classify(struct message *m)
{
	const char *version = message_text(m->root, "jsonrpc");
	struct json_object *params;

	m->method = message_text(m->root, "method");
	m->params = message_member(m->root, "params", json_type_object);
	if (!version || strcmp(version, "2.0"))
		message_is_wrong(m, MESSAGE_INVALID_REQUEST, "\"jsonrpc\" is not \"2.0\"");
	else if (message_is_response(m->root))
		m->kind = MESSAGE_RESPONSE;
	else if (!m->method)
		message_is_wrong(m, MESSAGE_INVALID_REQUEST, "\"method\" is no text");
	else if (json_object_object_get_ex(m->root, "params", &params) && params != m->params)
		message_is_wrong(m, MESSAGE_INVALID_PARAMS, "\"params\" is no object");
	else
		m->kind = m->id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
}

void message_parse(struct message *m, const char *line, size_t n)
{
	*m = (struct message){ .root = message_read(line, n) };
	if (!m->root)
		message_is_wrong(m, MESSAGE_PARSE_ERROR,
				 "not JSON, in UTF-8, at most 32 levels deep");
	else if (json_object_is_type(m->root, json_type_array))
		message_is_wrong(m, MESSAGE_INVALID_REQUEST,
				 "a batch: send each message on a line of its own");
	else if (!json_object_is_type(m->root, json_type_object))
		message_is_wrong(m, MESSAGE_INVALID_REQUEST, "not an object");
	else if (!message_take_id(m))
		message_is_wrong(m, MESSAGE_INVALID_REQUEST,
				 "\"id\" is neither a text nor an integer, or too long");
	else
		message_classify(m);
}

void message_free(struct message *m)
{
	json_object_put(m->root);
	*m = (struct message){0};
}

struct json_object *message_member(struct json_object *of, const char *name, enum json_type type)
{
	struct json_object *ret;

	return json_object_is_type(of, json_type_object) &&
			       json_object_object_get_ex(of, name, &ret) &&
			       json_object_is_type(ret, type) ?
		       ret :
		       NULL;
}

const char *message_text(struct json_object *of, const char *name)
{
	struct json_object *value = message_member(of, name, json_type_string);
	const char *text = value ? json_object_get_string(value) : NULL;

	return text && strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

/* --- answers --- */

static struct json_object *message_begin(void)
{
	struct json_object *ret = json_object_new_object();

	json_object_object_add(ret, "jsonrpc", json_object_new_string("2.0"));
	return ret;
}

struct json_object *message_result(struct json_object *id, struct json_object *result)
{
	struct json_object *ret = message_begin();

	json_object_object_add(ret, "id", json_object_get(id));
	json_object_object_add(ret, "result", result);
	return ret;
}

struct json_object *message_refusal(struct json_object *id, enum message_error code,
				    const char *what, struct json_object *data)
{
	struct json_object *ret = message_begin(), *error = json_object_new_object();

	json_object_object_add(error, "code", json_object_new_int(code));
	json_object_object_add(error, "message", json_object_new_string(what));
	if (data)
		json_object_object_add(error, "data", data);
	if (id) /* else it is absent: MCP's schema has no null there, as JSON-RPC has */
		json_object_object_add(ret, "id", json_object_get(id));
	json_object_object_add(ret, "error", error);
	return ret;
}

struct json_object *message_note(const char *method, struct json_object *params)
{
	struct json_object *ret = message_begin();

	json_object_object_add(ret, "method", json_object_new_string(method));
	json_object_object_add(ret, "params", params);
	return ret;
}
