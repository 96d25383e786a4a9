// SPDX-License-Identifier: Apache-2.0
/* waittab: see waittab.h. */
#include "trace/waittab.h"

#include <string.h>

#include "trace/varint.h"
#include "tracev2.h"

enum {
	ENTRY_MOST = (2 + 2 * WAIT_CHANNELS) * VARINT_MAX,
	HEAD_MORE = 4, HEAD_N = 5,	/* bits of an entry's head */
};

const char *wait_kind_name(uint8_t kind)
{
	static const char *const names[WAIT_KINDS] = {
		[WAIT_NOTHING] = "nothing", [WAIT_CHANNEL] = "channel", [WAIT_SELECT] = "select",
		[WAIT_SEMAPHORE] = "semaphore", [WAIT_MUTEX] = "mutex",
		[WAIT_RWMUTEX] = "rwmutex", [WAIT_WAITGROUP] = "waitgroup", [WAIT_COND] = "cond",
		[WAIT_NETWORK] = "network",
	};

	return kind < WAIT_KINDS ? names[kind] : names[WAIT_NOTHING];
}

static void waittab_close(struct waittab *t, struct waittab_part *part)
{
	uint16_t n = (uint16_t)part->text.len;

	if (!n)
		return;
	buf_add(&t->whole, &n, sizeof(n));
	buf_add(&t->whole, part->text.data, n);
	part->text.len = 0;
}

static void waittab_open(struct waittab_part *part, uint8_t sort)
{
	buf_add(&part->text, WAITTAB_MAGIC, WAITTAB_MAGIC_LEN);
	buf_add_byte(&part->text, sort);
	part->key = part->address = 0;
}

/* Appends @v as its difference to *@before, and keeps it there. */
static void waittab_add_difference(struct buf *to, uint64_t v, uint64_t *before)
{
	uint64_t d = v - *before;

	*before = v;
	varint_add(to, d << 1 ^ (uint64_t)((int64_t)d >> 63));
}

static void waittab_add(struct waittab *t, struct waittab_part *part, uint8_t sort, uint64_t key,
			const struct trace_wait *wait)
{
	unsigned int i;

	if (part->text.len + ENTRY_MOST > TRACEV2_MAX_STRING)
		waittab_close(t, part);
	if (!part->text.len)
		waittab_open(part, sort);
	waittab_add_difference(&part->text, key, &part->key);
	varint_add(&part->text, (uint64_t)wait->kind | (uint64_t)wait->more << HEAD_MORE |
					(uint64_t)wait->n << HEAD_N);
	for (i = 0; i < wait->n; i++) {
		waittab_add_difference(&part->text, wait->of[i] & WAIT_ADDRESS, &part->address);
		varint_add(&part->text, wait->of[i] >> WAIT_ADDRESS_BITS);
	}
}

uint64_t *waittab_id(struct waittab *t, uint64_t reason, const struct trace_wait *wait,
		     bool *is_new)
{
	uint64_t key[2 + WAIT_CHANNELS] = {
		reason, wait->kind | (uint64_t)wait->n << 8 | (uint64_t)wait->more << 16
	};
	const char *bytes;

	memcpy(key + 2, wait->of, wait->n * sizeof(*key));
	if (!t->seen)
		t->seen = strset_new();
	bytes = strset_add_bytes(t->seen, (const char *)key, (2 + wait->n) * sizeof(*key));
	return map64_put(&t->ids, (uint64_t)(uintptr_t)bytes, is_new);
}

void waittab_reason(struct waittab *t, uint64_t id, const struct trace_wait *wait)
{
	waittab_add(t, &t->reasons, WAITTAB_REASONS, id, wait);
}

void waittab_goroutine(struct waittab *t, uint64_t goid, const struct trace_wait *wait)
{
	waittab_add(t, &t->goroutines, WAITTAB_GOROUTINES, goid, wait);
}

static void waittab_put_socket(struct waittab *t, const struct trace_socket_time *s)
{
	const struct trace_socket *socket = &s->socket;
	struct waittab_part part = {0};

	waittab_open(&part, WAITTAB_SOCKETS);
	varint_add(&part.text, s->fd);
	varint_add(&part.text, s->from);
	varint_add(&part.text, s->to);
	varint_add(&part.text, socket->protocol);
	varint_add(&part.text, socket->local_port);
	varint_add(&part.text, socket->remote_port);
	buf_add(&part.text, socket->local, sizeof(socket->local));
	buf_add(&part.text, socket->remote, sizeof(socket->remote));
	waittab_close(t, &part);
	buf_free(&part.text);
}

static bool waittab_is_same(const struct trace_socket *a, const struct trace_socket *b)
{
	return a->protocol == b->protocol && a->local_port == b->local_port &&
	       a->remote_port == b->remote_port && !memcmp(a->local, b->local, sizeof(a->local)) &&
	       !memcmp(a->remote, b->remote, sizeof(a->remote));
}

void waittab_socket(struct waittab *t, const struct trace_socket_time *s)
{
	bool is_new;
	uint64_t *index = map64_put(&t->fds, s->fd, &is_new);
	struct trace_socket_time *last;

	last = is_new ? NULL : vec_at(&t->sockets, struct trace_socket_time, *index);
	if (last && waittab_is_same(&last->socket, &s->socket) && s->from >= last->from) {
		last->to = s->to > last->to ? s->to : last->to;
		return;
	}
	*index = t->sockets.len;
	*(struct trace_socket_time *)vec_push(&t->sockets, sizeof(*s)) = *s;
}

size_t waittab_size(const struct waittab *t)
{
	enum { SOCKET_BYTES = 64 };

	return t->whole.len + t->reasons.text.len + t->goroutines.text.len +
	       t->sockets.len * SOCKET_BYTES;
}

void waittab_finish(struct waittab *t)
{
	size_t i;

	waittab_close(t, &t->reasons);
	waittab_close(t, &t->goroutines);
	for (i = 0; i < t->sockets.len; i++)
		waittab_put_socket(t, vec_at(&t->sockets, struct trace_socket_time, i));
}

void waittab_reset(struct waittab *t)
{
	strset_free(t->seen);
	t->seen = NULL;
	map64_clear(&t->ids);
	map64_clear(&t->fds);
	t->sockets.len = 0;
	t->reasons.text.len = t->goroutines.text.len = t->whole.len = 0;
}

void waittab_free(struct waittab *t)
{
	strset_free(t->seen);
	map64_free(&t->ids);
	map64_free(&t->fds);
	vec_free(&t->sockets);
	buf_free(&t->reasons.text);
	buf_free(&t->goroutines.text);
	buf_free(&t->whole);
}
