/* SPDX-License-Identifier: Apache-2.0 */
/* arguments: rows of arguments of tools; tools.h has what is made of them. */
#ifndef GOTAP_MCP_ARGUMENTS_H
#define GOTAP_MCP_ARGUMENTS_H

#include <stdbool.h>

enum takes {
	TAKES_INTEGER, /* a whole number from .least to .most */
	TAKES_NUMBER,  /* a number from .least to .most */
	TAKES_SECONDS, /* the same, as a time */
	TAKES_LENGTH,  /* the same, the length of a recording: tool_limits bounds it */
	TAKES_TEXT,
	TAKES_FLAG,   /* true or false; .is_default: without it */
	TAKES_CHOICE, /* one of the words of .choices */
	TAKES_TRACE,  /* a name of a file in the folder of the server */
	TAKES_TRACES, /* a list of them */
};

struct tool_argument {
	const char *name;
	enum takes kind;
	const char *option; /* of the command; NULL: it is an operand */
	const char *says;
	double least, most;
	const char *choices;
	bool required, is_default;
};

#endif
