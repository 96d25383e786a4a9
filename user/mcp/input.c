// SPDX-License-Identifier: Apache-2.0
/* input: see input.h. */
#include "mcp/input.h"

#include <string.h>

/* Drops bytes that were taken, so that the buffer holds little more than one line. */
static void input_compact(struct input *in)
{
	size_t left = in->have.len - in->taken;

	if (in->taken && left)
		memmove(in->have.data, in->have.data + in->taken, left);
	in->have.len = left;
	in->taken = 0;
}

void input_add(struct input *in, const void *data, size_t n)
{
	input_compact(in);
	buf_add(&in->have, data, n);
}

/* The line has no end yet, and is too long already. */
static enum input_state input_overflow(struct input *in)
{
	bool again = in->skips;

	in->taken = in->have.len;
	in->skips = true;
	return again ? INPUT_NONE : INPUT_TOO_LONG;
}

static enum input_state input_take(struct input *in, const char **line, size_t *n, size_t length)
{
	bool skipped = in->skips;

	*line = (const char *)in->have.data + in->taken;
	*n = length;
	in->taken += length + 1 < in->have.len - in->taken ? length + 1 : in->have.len - in->taken;
	in->skips = false;
	if (*n && (*line)[*n - 1] == '\r')
		--*n;
	if (skipped)
		return input_next(in, line, n);
	return length > INPUT_MOST ? INPUT_TOO_LONG : INPUT_LINE;
}

enum input_state input_next(struct input *in, const char **line, size_t *n)
{
	size_t left = in->have.len - in->taken;
	const char *from, *end;

	if (!left)
		return INPUT_NONE;
	from = (const char *)in->have.data + in->taken;
	end = memchr(from, '\n', left);
	if (end)
		return input_take(in, line, n, (size_t)(end - from));
	if (left > INPUT_MOST)
		return input_overflow(in);
	return in->ended ? input_take(in, line, n, left) : INPUT_NONE;
}

void input_free(struct input *in)
{
	buf_free(&in->have);
}
