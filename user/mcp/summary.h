/* SPDX-License-Identifier: Apache-2.0 */
/* summary: an answer in some lines, for clients that show no structured content. */
#ifndef GOTAP_MCP_SUMMARY_H
#define GOTAP_MCP_SUMMARY_H

#include <json-c/json.h>

#include "mcp/tools.h"

/* The lines of @answer and its @envelope. The caller frees the text. */
char *summary_of(const struct tool *tool, struct json_object *answer, struct json_object *envelope);

#endif
