// SPDX-License-Identifier: Apache-2.0
/*
 * stack: what a goroutine does with a socket, by the functions of its stack. The names are those of
 * Go 1.15 to 1.27.
 */
#include <string.h>

#include "joins/internal.h"

static const struct {
	const char *begin;	/* of a function's name */
	uint8_t flags;
} meanings[] = {
	{ "internal/poll.(*FD).Read", JOINS_READS },	/* and ReadFrom, ReadMsg */
	{ "internal/poll.(*FD).RawRead", JOINS_READS },
	{ "net.(*conn).Write", JOINS_WRITES },
	{ "net.(*conn).writeBuffers", JOINS_WRITES },
	{ "net.(*TCPConn).readFrom", JOINS_WRITES },	/* sendfile and splice */
	{ "net.(*TCPConn).ReadFrom", JOINS_WRITES },
	{ "net.sendFile", JOINS_WRITES },
	{ "net/http.checkConnErrorWriter.Write", JOINS_SERVES },
	{ "net/http.(*connReader).", JOINS_SERVES },
	{ "net/http.(*response).ReadFrom", JOINS_RESPONDS },
	{ "io.copyBuffer", JOINS_COPIES },
	/* not (*Transport).getConn, which waits for the calls of others to end */
	{ "net/http.(*persistConn).roundTrip", JOINS_CALLS },
	{ "net/http.(*http2ClientConn).", JOINS_CALLS },
	{ "net/http/internal/http2.(*ClientConn).", JOINS_CALLS },
	{ "golang.org/x/net/http2.(*ClientConn).", JOINS_CALLS },
};

static uint8_t joins_stack_look(const struct stack_set *stacks, uint32_t stack)
{
	uint8_t flags = JOINS_LOOKED;
	const uint32_t *frames;
	uint32_t n, i;
	size_t k;

	frames = stack_set_of(stacks, stack, &n);
	for (i = 0; i < n; i++) {
		const char *func = stack_set_frame_at(stacks, frames[i])->func;

		for (k = 0; k < sizeof(meanings) / sizeof(meanings[0]); k++)
			if (!strncmp(func, meanings[k].begin, strlen(meanings[k].begin)))
				flags |= meanings[k].flags;
	}
	return flags;
}

uint8_t joins_stack(struct vec *cache, const struct stack_set *stacks, uint32_t stack)
{
	uint8_t *flags;

	while (cache->len <= stack)
		*(uint8_t *)vec_push(cache, 1) = 0;
	flags = vec_at(cache, uint8_t, stack);
	if (!*flags)
		*flags = joins_stack_look(stacks, stack);
	return *flags;
}

static bool joins_ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

bool joins_reads_for_creator(const char *name)
{
	/* HTTP/2: net/http.(*http2serverConn), golang.org/x/net/http2.(*serverConn), ... */
	return !strcmp(name, "net/http.(*connReader).backgroundRead") ||
	       joins_ends_with(name, "erverConn).readFrames");
}

bool joins_writes_for_creator(const char *name)
{
	return joins_ends_with(name, "erverConn).writeFrameAsync");
}
