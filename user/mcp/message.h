/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message: one message of JSON-RPC 2.0, parsed and classified, and the composition of answers. In:
 * a line from a client, which may hold anything. Out: a request or a notification whose fields have
 * the right types, or the error that answers it.
 */
#ifndef GOTAP_MCP_MESSAGE_H
#define GOTAP_MCP_MESSAGE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	/* nested objects and arrays of a message */
	MESSAGE_DEPTH = 32,
	/* bytes of an id as JSON */
	MESSAGE_ID = 256,
};

/* Codes of JSON-RPC, and of the protocol since its revision 2026-07-28. */
enum message_error {
	MESSAGE_PARSE_ERROR = -32700,
	MESSAGE_INVALID_REQUEST = -32600,
	MESSAGE_NO_METHOD = -32601,
	MESSAGE_INVALID_PARAMS = -32602,
	MESSAGE_NO_RESOURCE = -32002,
	MESSAGE_NO_VERSION = -32022,
};

enum message_kind {
	MESSAGE_REQUEST,
	MESSAGE_NOTIFICATION,
	MESSAGE_RESPONSE, /* of a client that was asked nothing: ignored */
	MESSAGE_WRONG,    /* .code and .what answer it */
};

struct message {
	enum message_kind kind;
	struct json_object *root; /* owner of all below; NULL: the line is no JSON */
	struct json_object *id;   /* NULL: the request has none that is valid */
	const char *method;
	struct json_object *params; /* an object, or NULL */
	enum message_error code;
	const char *what;
};

/* Parses the @n bytes at @line. message_free() releases the message. */
void message_parse(struct message *m, const char *line, size_t n);
void message_free(struct message *m);

/* The member @name of @of, which may be NULL; NULL: there is none, or one of another type. */
struct json_object *message_member(struct json_object *of, const char *name, enum json_type type);
/* The text of that member; NULL: there is none, or it holds a NUL. Lives as long as @of. */
const char *message_text(struct json_object *of, const char *name);

/* --- answers: new objects, which the caller releases --- */

/* Takes @result. The id is copied from @id. */
struct json_object *message_result(struct json_object *id, struct json_object *result);
/* @data: more about the error, which is taken; NULL: none. */
struct json_object *message_refusal(struct json_object *id, enum message_error code,
				    const char *what, struct json_object *data);
/* Takes @params. */
struct json_object *message_note(const char *method, struct json_object *params);

#endif
