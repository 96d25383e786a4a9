/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer: the result of a call of a tool: the envelope (schema mcp) around what the command
 * printed, bounded in size, and texts for clients that show no structured content.
 */
#ifndef GOTAP_MCP_ANSWER_H
#define GOTAP_MCP_ANSWER_H

#include <json-c/json.h>
#include <stdbool.h>

#include "mcp/job.h"
#include "mcp/store.h"
#include "mcp/tools.h"

struct answer_context {
	struct store *store; /* learns the losses of traces */
	const struct tool_call *call;
	const char *written; /* name of the trace that the call has made; NULL: none */
	bool shows_private; /* command lines of programs may be in it */
};

/* The result of a call whose command has ended: a new object. */
struct json_object *answer_of_job(const struct answer_context *c, const struct job *j);
/* The result of a tool that needs no command. Takes @value. */
struct json_object *answer_of_value(const struct answer_context *c, struct json_object *value);
/* A result that says what went wrong, for the model: a new object. */
struct json_object *answer_error(const char *what);

#endif
