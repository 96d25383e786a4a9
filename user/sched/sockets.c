// SPDX-License-Identifier: Apache-2.0
/*
 * sockets: which socket a descriptor is while goroutines wait for it (waits.h). User space looks at
 * the descriptors some times a second (capture/sockets.h). A descriptor was the same socket from
 * the record that says so to the last look that found it unchanged, and since the begin of a wait
 * that goes on: the runtime ends all waits for a descriptor before it closes it (internal/poll,
 * FD.Close). Only for these times is the socket passed on.
 *
 * A descriptor that the runtime's poller gets has a record of its own (bpf/probe_sockets.bpf.c),
 * and each wait comes after that: it is the same socket until the next such record. A gap in the
 * recording can hide one, so that the time of each ends with the gap.
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
	bool live;			/* it is this socket until a record says something else */
	bool opened;			/* by a record of the poller; else by a look */
	bool seen;			/* by a look, since the begin or the last gap */
	uint64_t looked;		/* inode that the last look found */
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

	if (w->live && w->to < s->now)
		w->to = s->now;
	if (awaited && w->since <= w->to && w->to < s->now)
		w->to = s->now;
	if (!w->inode || !(awaited || w->gen == s->gen) || !s->started || !s->sink.ops->socket)
		return;
	s->sink.ops->socket(s->sink.ctx, &(struct trace_socket_time){ w->fd, w->from, w->to,
								      w->socket });
}

static void socket_set(const struct model *s, struct wait_socket *w, const struct rec *r,
		       uint64_t from)
{
	static const uint8_t protocols[] = { [REC_TCP] = TRACE_TCP, [REC_UDP] = TRACE_UDP,
					     [REC_UNIX] = TRACE_UNIX };
	const struct rec_socket *seen = (const struct rec_socket *)r;

	w->inode = r->sub && r->sub < sizeof(protocols) ? r->ptr : 0;
	w->from = from;
	w->to = r->time;
	w->live = s->sockets_opened;
	w->opened = false;
	w->socket = (struct trace_socket){
		.protocol = w->inode ? protocols[r->sub] : TRACE_NO_SOCKET,
		.local_port = (uint16_t)(r->id >> 32), .remote_port = (uint16_t)(r->id >> 48),
	};
	memcpy(w->socket.local, seen->local, sizeof(seen->local));
	memcpy(w->socket.remote, seen->remote, sizeof(seen->remote));
}

/*
 * Does a record of the poller say as much as the look, which is older than its records? A socket
 * that was connected later has a remote port only in the look.
 */
static bool socket_is_known(const struct wait_socket *w, const struct rec *r)
{
	return w->opened && (w->inode != r->ptr || w->socket.remote_port || !(r->id >> 48));
}

/*
 * Since when the descriptor is the socket that a look has found. The first look after the begin of
 * the recording finds what was there at the begin, unless the poller had a record since.
 */
static uint64_t socket_since(struct model *s, const struct wait_socket *w,
			     const struct rec *r)
{
	if (s->sockets_opened && !s->sockets_gap && !w->seen)
		return 0;
	return socket_is_awaited(s, w) ? w->since : r->time;
}

void socket_seen(struct model *s, struct M *m, const struct rec *r)
{
	struct wait_socket *w = socket_at(s, (uint32_t)r->id);
	uint64_t since;

	if (!w)
		return;
	w->looked = r->ptr;
	if (!socket_is_known(w, r)) {
		socket_tell(s, w);
		since = socket_since(s, w, r);
		socket_set(s, w, r, since);
	}
	w->seen = true;
}

void socket_opened(struct model *s, struct M *m, const struct rec *r)
{
	struct wait_socket *w = socket_at(s, (uint32_t)r->id);

	if (!w)
		return;
	socket_tell(s, w);
	socket_set(s, w, r, r->time);
	w->gen = 0;
	w->live = w->opened = w->seen = true;
}

void sockets_gap(struct model *s)
{
	size_t i;

	s->sockets_gap = true;
	map64_each(&s->sockets, i) {
		struct wait_socket *w = map64_ptr(&s->sockets, i, struct wait_socket);

		if (!w->live)
			continue;
		socket_tell(s, w);
		w->live = w->opened = false;
		if (w->looked != w->inode)
			w->inode = 0;
	}
}

void sockets_looked(struct model *s, struct M *m, const struct rec *r)
{
	uint64_t time = as_long(r)->arg;
	size_t i;

	s->sockets_opened |= r->id == 1;
	map64_each(&s->sockets, i) {
		struct wait_socket *w = map64_ptr(&s->sockets, i, struct wait_socket);

		if (w->inode && !w->live && w->to < time)
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
