/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input: lines from a client, one message each. A line that is longer than INPUT_MOST is skipped to
 * its end and reported once: no client can make this process grow.
 */
#ifndef GOTAP_MCP_INPUT_H
#define GOTAP_MCP_INPUT_H

#include <stdbool.h>

#include "base/vec.h"

enum { INPUT_MOST = 1 << 20 };

struct input {
	struct buf have; /* bytes that were read and not yet taken */
	size_t taken;    /* of them */
	bool skips;      /* the rest of a line that is too long */
	bool ended;      /* there is nothing more to read */
};

enum input_state {
	INPUT_NONE, /* no whole line: read more */
	INPUT_LINE,
	INPUT_TOO_LONG, /* a line was longer than INPUT_MOST */
};

/* Adds bytes that came. */
void input_add(struct input *in, const void *data, size_t n);
/*
 * Takes the next line, without its end. *@line is valid until the next call of a function of this
 * header, and not NUL-terminated. A last line without an end is a line when input is .ended.
 */
enum input_state input_next(struct input *in, const char **line, size_t *n);
void input_free(struct input *in);

#endif
