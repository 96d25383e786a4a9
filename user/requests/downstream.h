/* SPDX-License-Identifier: Apache-2.0 */
/*
 * downstream: the requests of other processes that answered the calls of a trace's requests
 * (joins/joins.h): which request of which process, for which one of the trace, and when.
 *
 * 	d = downstream_new(readers, n);
 * 	downstream_read(d, reader, &err);
 * 	... downstream_count(d), downstream_at(d, i) ...
 * 	downstream_free(d);
 *
 * Memory: DOWNSTREAM_MOST calls; further ones are counted.
 */
#ifndef GOTAP_REQUESTS_DOWNSTREAM_H
#define GOTAP_REQUESTS_DOWNSTREAM_H

#include "joins/joins.h"

enum { DOWNSTREAM_MOST = 1 << 20 };

struct request_call {
	uint64_t task;		/* of the request that called, in the trace */
	uint64_t call;		/* the task of the call itself, if it is one; else @task */
	const char *name;	/* its name; "": not known, it was open when the trace ended */
	uint64_t g;		/* the goroutine that made the call */
	uint32_t side;		/* 1 + number of the other trace; 0: the same trace */
	const char *process;	/* "server (pid 123)" */
	uint64_t there;		/* task of the request there; 0: not known, as without group http */
	const char *request;	/* its name; "": not known */
	/*
	 * ns on the clock of the traces: from the begin of the request there, or of the wait for it
	 * if the request is not known, to its last write before the wait's end
	 */
	int64_t from, to;
	/* 1 + index of the call before it of the same task; for this file */
	uint32_t before;
};

struct downstream;

/* @others: traces of other processes, at most JOINS_MEMBERS - 1; the caller keeps the readers. */
struct downstream *downstream_new(struct trace_reader *const *others, size_t n);
/* Frees @d, which may be NULL. */
void downstream_free(struct downstream *d);
/* Reads all traces. Returns 0, or a negative errno and @err: @r is damaged. */
int downstream_read(struct downstream *d, struct trace_reader *r, struct error *err);
/* In the order in which the responses came. Texts live as long as @d. */
size_t downstream_count(const struct downstream *d);
const struct request_call *downstream_at(const struct downstream *d, size_t i);
/* Calls that were too many, or made by goroutines that served no request. */
uint64_t downstream_dropped(const struct downstream *d);
uint64_t downstream_outside(const struct downstream *d);
/* Waits for the network of the trace and the others, by enum joins_found. */
const uint64_t *downstream_waits(const struct downstream *d);

#endif
