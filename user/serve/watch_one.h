/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_one: the recording of one process for /metrics, in a thread of its own: a child
 * `gotap top --json --brief`, started again if it fails while the process is there.
 */
#ifndef GOTAP_SERVE_WATCH_ONE_H
#define GOTAP_SERVE_WATCH_ONE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "metrics/watched.h"

struct server;
struct watch_one;

/* Returns NULL if there is no thread for it. @name is copied. */
struct watch_one *watch_one_start(struct server *s, pid_t pid, uint64_t start, const char *name);
/* After the stop of the server, or when it is over: waits for its thread, and frees it. */
void watch_one_free(struct watch_one *o);

/* The following may be called from any thread. */
bool watch_one_is(const struct watch_one *o, pid_t pid, uint64_t start);
/* Its process has ended, or the server ends. */
bool watch_one_is_over(const struct watch_one *o);
/* How many recordings of it have failed. */
unsigned int watch_one_failures(const struct watch_one *o);
void watch_one_copy(struct watch_one *o, struct watched *ret);

#endif
