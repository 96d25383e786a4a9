/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts: the states in Linux of the threads of goroutines that were running or in system calls,
 * from user/oncpu: a list of parts for each goroutine, the newest first. trail.c adds parts, walk.c
 * and held.c read them backwards.
 */
#ifndef GOTAP_WHY_PARTS_H
#define GOTAP_WHY_PARTS_H

#include "oncpu/oncpu.h"
#include "why/store.h"

struct thread_part {
	int64_t from, to;
	const char *comm;	/* of the task that @queued is about; NULL: none, or not known */
	uint32_t tid, pid;	/* of the same task as @comm */
	int32_t syscall;	/* as in struct oncpu_part */
	uint32_t prev;		/* the part before it, of the same goroutine; STORE_NONE: none */
	uint8_t state;		/* enum thread_state */
	uint8_t queued;		/* enum queued_by */
};

struct parts {
	struct spans *s;
	struct oncpu *oncpu;	/* NULL: there are no records of threads */
	struct store *store;
};

void parts_init(struct parts *s, struct spans *spans);
void parts_free(struct parts *s);
/*
 * Adds the parts of [@from, @to) on thread @m. @prev: the newest part so far. Returns the newest
 * part.
 */
uint32_t parts_add(struct parts *s, uint64_t m, int64_t from, int64_t to, uint32_t prev);
/*
 * Returns the part that ends at @time, joined with earlier parts of the same state, but not before
 * @floor. If no part ends at @time, the state of the result is unknown. *@at: the part at which the
 * search backwards begins: the newest part, or the value that the last call, for a later time, has
 * stored.
 */
struct thread_part parts_before(struct parts *s, uint32_t *at, int64_t time, int64_t floor);

#endif
