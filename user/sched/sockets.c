// SPDX-License-Identifier: Apache-2.0
/*
 * sockets: which socket a descriptor is while goroutines wait for it (waits.h). User space looks at
 * the descriptors some times a second (capture/sockets.h). A descriptor was the same socket from
 * the record that says so to the last look that found it unchanged, and since the begin of a wait
 * that goes on: the runtime ends all waits for a descriptor before it closes it (internal/poll,
 * FD.Close). Only for these times is the socket passed on.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "sched/handlers.h"
#include "sched/waits.h"

enum { SOCKETS_MOST = 1 << 16 };	/* a program can forge waits for any descriptor */

struct wait_socket {
	uint64_t fd, inode;		/* inode 0: no socket of IP, or not known */
	uint64_t from, to;
	struct trace_socket socket;
	uint64_t g, since;		/* the last goroutine that waited, and since when */
	uint64_t gen;			/* of the last wait */
};

static struct wait_socket *socket_at(struct model *s, uint64_t fd)
{
	uint64_t *slot = map64_get(&s->sockets, fd);
	struct wait_socket *w;

	if (slot)
		return (struct wait_socket *)(uintptr_t)*slot;
	if (s->sockets.len >= SOCKETS_MOST)
		return NULL;
	w = xcalloc(1, sizeof(*w));
	w->fd = fd;
	*map64_put(&s->sockets, fd, NULL) = (uint64_t)(uintptr_t)w;
	return w;
}

void socket_wait(struct model *s, const struct G *g, uint64_t time)
{
	struct wait_socket *w = socket_at(s, (g->object & WAIT_ADDRESS) - 1);

	if (!w)
		return;
	w->g = g->id;
	w->since = time;
	w->gen = s->gen;
}

/* Does the wait that began at w->since go on? */
static bool socket_is_awaited(struct model *s, const struct wait_socket *w)
{
	const struct G *g = w->g ? g_get(s, w->g) : NULL;

	return g && g->status == G_WAITING && g->object_kind == WAIT_NETWORK &&
	       (g->object & WAIT_ADDRESS) == w->fd + 1;
}

static void socket_tell(struct model *s, struct wait_socket *w)
{
	bool awaited = socket_is_awaited(s, w);

	if (awaited && w->since <= w->to && w->to < s->now)
		w->to = s->now;
	if (!w->inode || !(awaited || w->gen == s->gen) || !s->started || !s->sink.ops->socket)
		return;
	s->sink.ops->socket(s->sink.ctx, &(struct trace_socket_time){ w->fd, w->from, w->to,
								      w->socket });
}

void socket_seen(struct model *s, struct M *m, const struct rec *r)
{
	const struct rec_socket *seen = (const struct rec_socket *)r;
	struct wait_socket *w = socket_at(s, (uint32_t)r->id);

	if (!w)
		return;
	socket_tell(s, w);
	w->inode = r->sub == REC_TCP || r->sub == REC_UDP ? r->ptr : 0;
	w->from = socket_is_awaited(s, w) ? w->since : r->time;
	w->to = r->time;
	w->socket = (struct trace_socket){
		.protocol = r->sub == REC_TCP ? TRACE_TCP : TRACE_UDP,
		.local_port = (uint16_t)(r->id >> 32), .remote_port = (uint16_t)(r->id >> 48),
	};
	memcpy(w->socket.local, seen->local, sizeof(seen->local));
	memcpy(w->socket.remote, seen->remote, sizeof(seen->remote));
}

void sockets_looked(struct model *s, struct M *m, const struct rec *r)
{
	uint64_t time = as_long(r)->arg;
	size_t i;

	map64_each(&s->sockets, i) {
		struct wait_socket *w = map64_ptr(&s->sockets, i, struct wait_socket);

		if (w->inode && w->to < time)
			w->to = time;
	}
}

void sockets_tell(struct model *s)
{
	size_t i;

	map64_each(&s->sockets, i)
		socket_tell(s, map64_ptr(&s->sockets, i, struct wait_socket));
}

void wait_sockets_free(struct model *s)
{
	size_t i;

	map64_each(&s->sockets, i)
		free(map64_ptr(&s->sockets, i, struct wait_socket));
	map64_free(&s->sockets);
}
