// SPDX-License-Identifier: Apache-2.0
/* wait_table: see waits.h. Any bytes may stand in a trace: each number is checked. */
#include "read/wait_table.h"

#include <string.h>

#include "read/cursor.h"
#include "trace/waittab.h"

enum { HEAD_KIND = 15, HEAD_MORE = 1 << 4, HEAD_N = 5 };	/* bits of the head of an entry */

void wait_table_clear(struct wait_table *w)
{
	w->noted.len = w->words.len = 0;
	w->read = false;
	map64_clear(&w->reasons);
	map64_clear(&w->goroutines);
	w->sockets.len = 0;
}

void wait_table_free(struct wait_table *w)
{
	vec_free(&w->noted);
	vec_free(&w->words);
	map64_free(&w->reasons);
	map64_free(&w->goroutines);
	vec_free(&w->sockets);
}

void wait_table_note(struct wait_table *w, const struct v2_tables *t, size_t first)
{
	for (; first < t->strings.len; first++)
		*(uint32_t *)vec_push(&w->noted, sizeof(uint32_t)) = (uint32_t)first;
}

/* Adds to *@sum a difference, as waittab.h stores it. */
static bool wait_table_difference(struct cursor *c, uint64_t *sum)
{
	uint64_t v;

	if (cursor_uvarint(c, &v) != CURSOR_OK)
		return false;
	*sum += v >> 1 ^ -(v & 1);
	return true;
}

static bool wait_table_is_head(uint64_t head)
{
	uint64_t kind = head & HEAD_KIND, n = head >> HEAD_N;

	if (kind == WAIT_NOTHING || kind >= WAIT_KINDS || !n || n > WAIT_CHANNELS)
		return false;
	return kind == WAIT_SELECT || (n == 1 && !(head & HEAD_MORE));
}

/* Reads an object, which is never 0. */
static bool wait_table_object(struct cursor *c, uint64_t *address, uint64_t *ret)
{
	uint64_t cap;

	if (!wait_table_difference(c, address) || !*address || *address > WAIT_ADDRESS ||
	    cursor_uvarint(c, &cap) != CURSOR_OK || cap > WAIT_CAP_MOST)
		return false;
	*ret = *address | cap << WAIT_ADDRESS_BITS;
	return true;
}

/* Appends an entry to the words; false, and appends nothing: it is damaged. */
static bool wait_table_entry(struct wait_table *w, struct cursor *c, uint64_t *address)
{
	uint64_t words[1 + WAIT_CHANNELS];
	size_t i, n;

	if (cursor_uvarint(c, &words[0]) != CURSOR_OK || !wait_table_is_head(words[0]))
		return false;
	n = words[0] >> HEAD_N;
	for (i = 1; i <= n; i++)
		if (!wait_table_object(c, address, &words[i]))
			return false;
	for (i = 0; i <= n; i++)
		*(uint64_t *)vec_push(&w->words, sizeof(uint64_t)) = words[i];
	return true;
}

static bool wait_table_take(struct cursor *c, void *to, size_t n)
{
	if (cursor_left(c) < n)
		return false;
	memcpy(to, c->pos, n);
	c->pos += n;
	return true;
}

static void wait_table_read_socket(struct wait_table *w, struct cursor *c)
{
	struct trace_socket_time s;
	uint64_t n[6];
	size_t i;

	for (i = 0; i < sizeof(n) / sizeof(n[0]); i++)
		if (cursor_uvarint(c, &n[i]) != CURSOR_OK)
			return;
	s = (struct trace_socket_time){
		.fd = n[0], .from = n[1], .to = n[2],
		.socket = { (uint8_t)n[3], (uint16_t)n[4], (uint16_t)n[5], {0}, {0} } };
	if (!n[3] || n[3] > TRACE_UNIX ||
	    !wait_table_take(c, s.socket.local, sizeof(s.socket.local)) ||
	    !wait_table_take(c, s.socket.remote, sizeof(s.socket.remote)))
		return;
	*(struct trace_socket_time *)vec_push(&w->sockets, sizeof(s)) = s;
}

static int wait_table_by_begin(const void *a, const void *b)
{
	const struct trace_socket_time *x = a, *y = b;

	if (x->fd != y->fd)
		return x->fd < y->fd ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* If a key comes twice its first entry counts. */
static void wait_table_read_string(struct wait_table *w, const char *text, size_t len)
{
	struct cursor c = cursor_of((const uint8_t *)text, len, 0);
	uint64_t key = 0, address = 0, *at;
	struct map64 *to;
	size_t first;
	bool is_new;

	if (len <= WAITTAB_MAGIC_LEN || memcmp(text, WAITTAB_MAGIC, WAITTAB_MAGIC_LEN))
		return;
	c.pos += WAITTAB_MAGIC_LEN + 1;
	if (text[WAITTAB_MAGIC_LEN] == WAITTAB_REASONS)
		to = &w->reasons;
	else if (text[WAITTAB_MAGIC_LEN] == WAITTAB_GOROUTINES)
		to = &w->goroutines;
	else if (text[WAITTAB_MAGIC_LEN] == WAITTAB_SOCKETS) {
		wait_table_read_socket(w, &c);
		return;
	} else {
		return;
	}
	while (cursor_left(&c)) {
		first = w->words.len;
		if (!wait_table_difference(&c, &key) || !wait_table_entry(w, &c, &address))
			return;
		at = map64_put(to, key, &is_new);
		if (is_new)
			*at = first + 1;
	}
}

static void wait_table_read(struct wait_table *w, const struct v2_tables *t)
{
	size_t i;

	w->read = true;
	for (i = 0; i < w->noted.len; i++) {
		const struct v2_string *s = vec_at(&t->strings, struct v2_string,
						   *vec_at(&w->noted, uint32_t, i));

		wait_table_read_string(w, (const char *)t->text.data + s->start, s->len);
	}
	vec_sort(&w->sockets, sizeof(struct trace_socket_time), wait_table_by_begin);
}

static bool wait_table_find(struct wait_table *w, const struct v2_tables *t, const struct map64 *in,
		       uint64_t key, struct trace_wait *ret)
{
	const uint64_t *at, *words;

	if (!w->noted.len)
		return false;
	if (!w->read)
		wait_table_read(w, t);
	at = map64_get(in, key);
	if (!at)
		return false;
	words = vec_at(&w->words, uint64_t, *at - 1);
	ret->kind = words[0] & HEAD_KIND;
	ret->more = words[0] & HEAD_MORE;
	ret->n = (uint8_t)(words[0] >> HEAD_N);
	memcpy(ret->of, words + 1, ret->n * sizeof(*words));
	return true;
}

bool wait_table_of_reason(struct wait_table *w, const struct v2_tables *t, uint64_t id,
		     struct trace_wait *ret)
{
	return wait_table_find(w, t, &w->reasons, id, ret);
}

bool wait_table_of_goroutine(struct wait_table *w, const struct v2_tables *t, uint64_t goid,
			struct trace_wait *ret)
{
	return wait_table_find(w, t, &w->goroutines, goid, ret);
}

struct trace_socket wait_table_socket(struct wait_table *w, const struct v2_tables *t, uint64_t fd,
				      uint64_t time)
{
	const struct trace_socket_time *s;
	size_t low = 0, high, middle;

	if (!w->read)
		wait_table_read(w, t);
	for (high = w->sockets.len; low < high;) {	/* the last one that begins up to @time */
		middle = low + (high - low) / 2;
		s = vec_at(&w->sockets, struct trace_socket_time, middle);
		if (s->fd < fd || (s->fd == fd && s->from <= time))
			low = middle + 1;
		else
			high = middle;
	}
	s = low ? vec_at(&w->sockets, struct trace_socket_time, low - 1) : NULL;
	return s && s->fd == fd && time <= s->to ? s->socket : (struct trace_socket){0};
}
