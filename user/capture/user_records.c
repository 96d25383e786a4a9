// SPDX-License-Identifier: Apache-2.0
/* user_records: see user_records.h. */
#include "capture/user_records.h"

#include <assert.h>

#include "base/clock.h"

enum { KEEP = 64 << 10 };	/* bytes of the buffer that stay after a large snapshot */

void user_records_init(struct user_records *u)
{
	*u = (struct user_records){0};
	pthread_mutex_init(&u->lock, NULL);
}

void user_records_free(struct user_records *u)
{
	buf_free(&u->waiting);
	pthread_mutex_destroy(&u->lock);
}

static void records_stamp(uint8_t *records, size_t len, uint64_t now)
{
	size_t at, n;

	for (at = 0; at < len; at += n) {
		struct rec *r = (struct rec *)(records + at);

		n = record_size(r, len - at);
		assert(n);
		r->time = now;
	}
}

void user_records_add(struct user_records *u, void *records, size_t n)
{
	pthread_mutex_lock(&u->lock);
	records_stamp(records, n, now_ns());
	buf_add(&u->waiting, records, n);
	pthread_mutex_unlock(&u->lock);
}

void user_records_add_dated(struct user_records *u, const struct rec *r, size_t n)
{
	pthread_mutex_lock(&u->lock);
	buf_add(&u->waiting, r, n);
	pthread_mutex_unlock(&u->lock);
}

void user_records_take(struct user_records *u, struct buf *out)
{
	pthread_mutex_lock(&u->lock);
	buf_add(out, u->waiting.data, u->waiting.len);
	buf_empty(&u->waiting, KEEP);
	pthread_mutex_unlock(&u->lock);
}
