/* SPDX-License-Identifier: Apache-2.0 */
/* output: from what the command of a tool printed to the JSON of its answer. */
#ifndef GOTAP_MCP_OUTPUT_H
#define GOTAP_MCP_OUTPUT_H

#include <json-c/json.h>

#include "mcp/job.h"
#include "mcp/tools.h"

/*
 * The answer of the command of @call: a new object; NULL: it printed none. *@said: the bytes of
 * standard error that are messages. The report of a recording is there, too, after them.
 */
struct json_object *output_parse(const struct tool_call *call, const struct job *j, size_t *said);

#endif
