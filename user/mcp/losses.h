/* SPDX-License-Identifier: Apache-2.0 */
/* losses: what an answer says about the losses of traces, and their cost, for the answers after it.
 */
#ifndef GOTAP_MCP_LOSSES_H
#define GOTAP_MCP_LOSSES_H

#include <json-c/json.h>

#include "mcp/store.h"
#include "mcp/tools.h"

/*
 * Teaches @s the losses of the trace @written (NULL: none), of which @answer is the recorder's
 * report, or of the traces of a report.
 */
void losses_learn(struct store *s, const struct tool_call *call, const char *written,
		  struct json_object *answer);

#endif
