// SPDX-License-Identifier: Apache-2.0
/*
 * ends: the sockets whose addresses are known, each an end of a connection, and the requests that
 * are served there by goroutines of HTTP/2.
 */
#include <string.h>

#include "joins/internal.h"

bool joins_socket_of(const struct span *span, struct trace_socket *ret)
{
	if (span->state != GO_WAITING || !span->wait || span->wait->kind != WAIT_NETWORK)
		return false;
	*ret = span->wait->network.socket;
	return true;
}

bool joins_is_connected(const struct trace_socket *s)
{
	return s->protocol != TRACE_NO_SOCKET && (s->remote_port || s->protocol == TRACE_UNIX);
}

struct trace_socket joins_other_end(const struct trace_socket *s)
{
	struct trace_socket other = { .protocol = s->protocol, .local_port = s->remote_port,
				      .remote_port = s->local_port };

	memcpy(other.local, s->remote, sizeof(other.local));
	memcpy(other.remote, s->local, sizeof(other.remote));
	return other;
}

uint64_t joins_hash(const struct trace_socket *s)
{
	uint64_t h = hash64_seeded((uint64_t)s->protocol << 32 | (uint64_t)s->local_port << 16 |
				   s->remote_port), word[4];
	size_t i;

	memcpy(word, s->local, 16);
	memcpy(word + 2, s->remote, 16);
	for (i = 0; i < 4; i++)
		h = hash64_seeded(h ^ word[i]);
	return h;
}

static bool joins_same_socket(const struct trace_socket *a, const struct trace_socket *b)
{
	return a->protocol == b->protocol && a->local_port == b->local_port &&
	       a->remote_port == b->remote_port &&
	       !memcmp(a->local, b->local, sizeof(a->local)) &&
	       !memcmp(a->remote, b->remote, sizeof(a->remote));
}

struct joins_end *joins_end_at(struct joins *j, uint32_t number)
{
	return vec_at(&j->ends, struct joins_end, number);
}

uint32_t joins_end_find(struct joins *j, const struct trace_socket *socket, uint64_t *key)
{
	uint64_t *found;

	*key = joins_hash(socket);
	while ((found = map64_get(&j->index, *key))) {
		if (joins_same_socket(&joins_end_at(j, (uint32_t)*found)->socket, socket))
			return (uint32_t)*found;
		++*key;
	}
	return NO_END;
}

uint32_t joins_end_put(struct joins *j, uint32_t member, const struct trace_socket *socket)
{
	uint64_t key;
	uint32_t number = joins_end_find(j, socket, &key);

	if (number != NO_END) {
		joins_end_at(j, number)->shared |= joins_end_at(j, number)->member != member;
		return number;
	}
	if (j->ends.len >= JOINS_ENDS)
		return NO_END;
	number = (uint32_t)j->ends.len;
	*(struct joins_end *)vec_push(&j->ends, sizeof(struct joins_end)) =
		(struct joins_end){ .socket = *socket, .member = member };
	*map64_put(&j->index, key, NULL) = number;
	return number;
}

void joins_tasks_drop(struct joins_end *e, int64_t before)
{
	struct joins_task *t = e->tasks.data;
	size_t i, kept = 0;

	for (i = 0; i < e->tasks.len; i++)
		if (t[i].to >= before)
			t[kept++] = t[i];
	e->tasks.len = kept;
	if (e->more_to < before)
		e->more_ended = 0;
}
