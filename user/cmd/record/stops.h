/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stops: when the recorded program stood still because somebody stopped it: a signal, a
 * debugger, the freezer of its cgroup. Owns the list of these times; `gotap record` has
 * it look as the recording begins, some times a second, and at the end, and the report
 * prints it. Times are those at which it was looked: a stop between two looks is not
 * seen.
 */
#ifndef GOTAP_CMD_RECORD_STOPS_H
#define GOTAP_CMD_RECORD_STOPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json_out.h"
#include "proc/freezer.h"

enum { STOPS_KEPT = 16 };

struct stop {
	enum stopped_by by;
	bool before;		/* when it was looked first */
	uint64_t from, to;	/* CLOCK_MONOTONIC; @to 0: still at the last look */
};

struct stops {
	const struct procfs *fs;
	pid_t pid;
	struct freezer_mounts mounts;
	enum stopped_by now;
	uint64_t looks, looked;
	struct stop list[STOPS_KEPT];
	uint64_t count;		/* also those that are not kept */
};

/*
 * And looks for the first time, unless the process is @held by gotap itself until it has its
 * probes.
 */
void stops_begin(struct stops *s, const struct procfs *fs, pid_t pid, bool held);
void stops_look(struct stops *s);
/* Looks if it has not for a quarter of a second. */
void stops_tick(struct stops *s);
void stops_free(struct stops *s);

/* @begin: of the trace, from which times count. */
void stops_print(const struct stops *s, uint64_t begin, FILE *f);
void stops_json(const struct stops *s, uint64_t begin, struct json_out *j);

#endif
