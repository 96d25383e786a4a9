/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server: `gotap mcp`: a server of the Model Context Protocol on standard input and output. One
 * thread polls the client, and the gotaps that run as child processes for its calls. It answers the
 * revisions 2024-11-05, 2025-06-18 and 2025-11-25, which begin with initialize, and 2026-07-28, in
 * which each request names its revision. 2025-03-26 is missing: it demands batches. Its clients get
 * 2024-11-05.
 */
#ifndef GOTAP_MCP_SERVER_H
#define GOTAP_MCP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "mcp/tools.h"

struct mcp_options {
	const char *dir;     /* the folder of traces */
	uint64_t most_bytes; /* of traces that servers write there */
	struct tool_limits limits;
	bool show_private;	 /* command lines of programs, paths of requests */
};

/*
 * Serves until the input ends, or SIGTERM, SIGINT or SIGHUP; ends all calls then. @in and @out are
 * descriptors. Returns 0 or -errno.
 */
int mcp_serve(const struct mcp_options *o, int in, int out, struct error *err);

#endif
