/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user_records: records that user space makes (states that were read, gaps,
 * levels of the budget) on their way to the drain thread, which puts them into
 * its next chunk. Any thread adds, none waits.
 *
 * They get their time here, under the lock. The drain takes its own time before
 * it comes for them: a record that is added later is therefore younger than the
 * watermark of the chunk that the drain is filling, as with the records of the rings.
 */
#ifndef GOTAP_CAPTURE_USER_RECORDS_H
#define GOTAP_CAPTURE_USER_RECORDS_H

#include <pthread.h>
#include <stdint.h>

#include "base/vec.h"
#include "record.h"

struct user_records {
	pthread_mutex_t lock;
	struct buf waiting;
};

void user_records_init(struct user_records *u);
void user_records_free(struct user_records *u);
/* Adds @records; each gets the time of the call. */
void user_records_add(struct user_records *u, void *records, size_t n);
/*
 * Adds a record with its own time. Only the drain thread, or the caller after that thread's end,
 * may call it.
 */
void user_records_add_dated(struct user_records *u, const struct rec *r, size_t n);
/* Moves all records to the end of @out. */
void user_records_take(struct user_records *u, struct buf *out);

#endif
