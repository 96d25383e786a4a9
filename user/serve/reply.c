// SPDX-License-Identifier: Apache-2.0
/* reply: the bytes of an answer on their way to the front, by the form in ask.h. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "serve/internal.h"

/*
 * Waits until the front takes more. If the server ends meanwhile the rest has some seconds. False:
 * the client or the front has gone, or the client takes too long.
 */
static bool reply_wait(struct exchange *x)
{
	struct pollfd fd = { .fd = x->patience.answer, .events = POLLOUT };
	struct patience p = x->patience;

	p.deadline = x->until;
	switch (patience_wait(&p, &fd, 1, -1)) {
	case PATIENCE_STOP:
		run_stop(&x->run, &x->patience);
		x->until = x->patience.deadline;
		return true;
	case PATIENCE_CLIENT:
	case PATIENCE_LATE:
		return false;
	default:
		return true;
	}
}

static bool reply_send(struct exchange *x, const void *data, size_t n)
{
	const char *at = data;

	while (n) {
		ssize_t r = send(x->patience.answer, at, n, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (r > 0) {
			at += r;
			n -= (size_t)r;
		} else if ((r < 0 && errno != EAGAIN && errno != EINTR) || !reply_wait(x)) {
			return false;
		}
	}
	return true;
}

bool reply_begin(struct exchange *x, int64_t size)
{
	const struct answer begin = { .size = size };

	return reply_send(x, &begin, sizeof(begin));
}

/* The length lies in front of the bytes: one call sends both. */
bool reply_piece(struct exchange *x)
{
	_Static_assert(offsetof(struct exchange, piece) ==
			       offsetof(struct exchange, piece_len) + sizeof(uint32_t),
		       "a piece follows its length");
	const char *at = (const char *)x + offsetof(struct exchange, piece_len);
	uint32_t n = x->piece_len;

	if (!reply_send(x, at, sizeof(n) + n))
		return false;
	x->sent += n;
	x->piece_len = 0;
	return true;
}

/* The client may close its connection as soon as it has all: only the front knows that it has. */
static void reply_wait_delivered(struct exchange *x)
{
	struct patience p = { .client = -1, .answer = -1, .stop = -1, .deadline = x->until };
	struct pollfd fd = { .fd = x->patience.answer, .events = POLLIN };
	char byte = 0;

	patience_wait(&p, &fd, 1, -1);
	x->cut |= recv(x->patience.answer, &byte, 1, MSG_DONTWAIT) != 1 || byte != ASK_DELIVERED;
}

void reply_end(struct exchange *x)
{
	const uint32_t end = 0;

	if (reply_send(x, &end, sizeof(end)))
		reply_wait_delivered(x);
	else
		x->cut = true;
}

void reply_refuse(struct exchange *x, const struct refusal *why)
{
	const struct answer refused = { .why = *why };

	reply_send(x, &refused, sizeof(refused));
}

void reply_buf(struct exchange *x, struct buf *body)
{
	size_t at = 0, left = x->head ? 0 : body->len;
	bool ok = reply_begin(x, (int64_t)body->len);

	for (; ok && left; at += x->piece_len, left -= x->piece_len, ok = reply_piece(x)) {
		x->piece_len = left < EXCHANGE_PIECE ? (uint32_t)left : EXCHANGE_PIECE;
		memcpy(x->piece, body->data + at, x->piece_len);
	}
	if (ok)
		reply_end(x);
	buf_free(body);
}
