// SPDX-License-Identifier: Apache-2.0
/*
 * desk: takes what the front asks, and decides whether the client may ask at all. A client may have
 * taken over the front: each byte from it is checked, and who the client is comes from the kernel.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "serve/channel.h"
#include "serve/internal.h"

/* The front could keep the socket of a client, and ask in its name when it has long gone. */
static bool desk_is_connected(int client)
{
	struct pollfd fd = { .fd = client };

	return !poll(&fd, 1, 0);
}

static bool desk_check_client(const struct server *s, const struct ask *a, int client,
			      struct peer *peer, struct refusal *why)
{
	if (client < 0)
		return refuse(why, 503, "too many open files (ulimit -n)");
	if (!address_has_client(&s->address, client) || !desk_is_connected(client))
		return refuse(why, 403, "the client has gone");
	if (!token_matches(&s->o->token, *a->authorization ? a->authorization : NULL))
		return refuse(why, 401, "a token is needed: Authorization: Bearer TOKEN, or "
			      "http://gotap:TOKEN@...");
	if (!peer_of(client, s->o->address.is_unix, peer))
		return refuse(why, 403, "the user at the other end of the connection is not known");
	return true;
}

/*
 * Starts to answer. Returns the front's end of the socket for the answer, or -1: @why has the
 * answer. Takes @c->client if it starts.
 */
static int desk_start(struct server *s, struct caller *c, struct refusal *why)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	int ends[2];

	if (atomic_load(&s->exchanges) >= CONNECTIONS) {
		refuse(why, 503, "too many requests: %d are under way", CONNECTIONS);
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		refuse(why, 503, "too many open files (ulimit -n)");
		return -1;
	}
	ours = ends[0];
	theirs = ends[1];
	if (exchange_begin(s, c, ours)) {
		refuse(why, 503, "too many requests: there is no thread for this one");
		return -1;
	}
	take_fd(&ours);
	take_fd(&c->client);
	return take_fd(&theirs);
}

/* Returns the front's end of the answer, or -1: there is none, or @why has it. */
static int desk_take(struct server *s, const struct ask *a, struct caller *c, struct refusal *why)
{
	if (!desk_check_client(s, a, c->client, &c->peer, why) || !ask_decode(a, &c->request) ||
	    !request_settle(&c->request, s->o->max_seconds, why))
		return -1;
	return desk_start(s, c, why);
}

static bool desk_serve(struct server *s, const struct ask *a, int fd)
{
	struct caller c = { .client = fd, .head = a->head };
	struct refusal why = {0};
	bool valid = ask_is_valid(a);

	if (valid) {
		_cleanup_close_ int answer = desk_take(s, a, &c, &why);

		channel_send(s->front.channel, &why, sizeof(why), answer);
	}
	cleanup_close(&c.client);
	return valid;
}

void *desk_main(void *ctx)
{
	struct server *s = ctx;
	struct ask ask;
	int r, client;

	while ((r = channel_receive(s->front.channel, &ask, sizeof(ask), &client)) == 1)
		if (!desk_serve(s, &ask, client)) {
			r = -1;
			break;
		}
	if (r < 0)
		atomic_store(&s->cheated, true);
	return NULL;
}
