/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools: the tools that a client can call, as tables: the command of gotap that a tool runs, and
 * its arguments. The schemas that clients see, and the check of a call, are made of the same rows.
 * In: arguments of a call, which may hold anything. Out: the words of a command line; each value is
 * one word, or a part of one behind "--option=", and no shell reads it.
 */
#ifndef GOTAP_MCP_TOOLS_H
#define GOTAP_MCP_TOOLS_H

#include <json-c/json.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"

enum tool_flag {
	TOOL_ATTACHES = 1 << 0, /* puts probes into a live program: not with --read-only */
	TOOL_WRITES = 1 << 1,   /* a trace in the folder of the server */
	TOOL_LIVE = 1 << 2,     /* about a live program: a further call has another answer */
	TOOL_OWN = 1 << 3,      /* no command: the server knows the answer */
};

/* What the options of `gotap mcp` allow. */
struct tool_limits {
	bool read_only, inline_allowed;
	double most_seconds; /* of a recording */
};

struct tool {
	const char *name, *title;
	const char *says;     /* for the model that chooses it */
	const char *schema;   /* of its answer (schema/schema.h) */
	const char *accuracy; /* how far its numbers can be off */
	unsigned int flags;
	const char *command[4];                /* words before the options; ends with NULL */
	const struct tool_argument *arguments; /* end with .name NULL */
};

/* A checked call. */
struct tool_call {
	const struct tool *tool;
	struct vec words;  /* char *, owned: the command line behind "gotap" */
	struct vec traces; /* char *, owned: names of files in the server's folder */
	double seconds;    /* the length that was asked for; 0: none */
	size_t most_bytes; /* of the answer */
	char *part;        /* a JSON pointer; NULL: the whole answer */
};

enum {
	TOOLS_BYTES = 48 << 10, /* of an answer, without max_bytes */
	TOOLS_LEAST_BYTES = 2 << 10,
	TOOLS_MOST_BYTES = 4 << 20,
	TOOLS_TEXT = 256,  /* bytes of a text in a call */
	TOOLS_TRACES = 16, /* traces of a call */
};

/* All tools; ends with .name NULL. */
extern const struct tool tools[];

/* NULL: there is none of this name, or the limits forbid it. */
const struct tool *tool_named(const char *name, const struct tool_limits *limits);
/* Is it offered? */
bool tool_is_offered(const struct tool *tool, const struct tool_limits *limits);
/* The tool as tools/list shows it: a new object. */
struct json_object *tool_describe(const struct tool *tool, const struct tool_limits *limits);
/*
 * Checks @arguments, an object or NULL. Returns 0, or -EINVAL with a text for the model. The caller
 * frees the call in both cases.
 */
int tool_read(struct tool_call *call, const struct tool *tool, struct json_object *arguments,
	      const struct tool_limits *limits, struct error *err);
void tool_call_free(struct tool_call *call);

/*
 * Is @name a name of a file in a folder: no path, not hidden, no option, no control characters, and
 * not so long that the names of files beside it would be too long?
 */
bool tool_is_file_name(const char *name);

#endif
