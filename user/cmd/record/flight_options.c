// SPDX-License-Identifier: Apache-2.0
/* flight_options: the options of `gotap record` that are about --flight. options.c calls it. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "cmd/record/flight.h"
#include "cmd/parse.h"

/* Limits of the size of the history, bytes. It keeps at least one generation, and a generation is at least a quarter of it. */
static const uint64_t SIZE_MIN = 1 << 20, SIZE_MAX_ = 1ULL << 40;

static const char *set_time(struct flight_args *a, const char *arg)
{
	_cleanup_free_ char *time = xstrdup(arg);
	char *size = strchr(time, ',');

	if (size)
		*size++ = 0;
	if (!parse_duration(time, &a->time) || (size && !parse_size(size, SIZE_MIN, SIZE_MAX_, &a->size)))
		return "--flight takes a time, and the most memory for it, of 1M or more: 30s or 30s,64M";
	return NULL;
}

/* Remembers the first option that has an effect only with --flight, for the error if that is not given. */
static void note_use(struct flight_args *a, int c)
{
	static const char *const names[] = {
		[FLIGHT_BEFORE - FLIGHT_FIRST] = "--before", [FLIGHT_AFTER - FLIGHT_FIRST] = "--after",
		[FLIGHT_COOLDOWN - FLIGHT_FIRST] = "--cooldown", [FLIGHT_KEEP - FLIGHT_FIRST] = "--keep",
		[FLIGHT_KEEP_BYTES - FLIGHT_FIRST] = "--keep-bytes", [FLIGHT_EXEC - FLIGHT_FIRST] = "--exec",
		[FLIGHT_SOCKET - FLIGHT_FIRST] = "--socket",
		[FLIGHT_ON - FLIGHT_FIRST] = "--on",
	};

	if (c != FLIGHT_TIME && !a->only)
		a->only = names[c - FLIGHT_FIRST];
}

const char *flight_option(struct flight_args *a, int c, const char *arg)
{
	note_use(a, c);
	switch (c) {
	case FLIGHT_ON:
		return on_add(&a->on, arg);
	case FLIGHT_TIME:
		return set_time(a, arg);
	case FLIGHT_BEFORE:
		return parse_instant(arg, &a->before) ? NULL : "--before takes a time like 10s, or 0";
	case FLIGHT_AFTER:
		return parse_instant(arg, &a->after) ? NULL : "--after takes a time like 2s, or 0";
	case FLIGHT_COOLDOWN:
		return parse_instant(arg, &a->cooldown) ? NULL : "--cooldown takes a time like 30s, or 0";
	case FLIGHT_KEEP:
		return parse_number(arg, 0, 1000000, &a->keep) ? NULL :
		       "--keep takes a number of snapshots, or 0 for all";
	case FLIGHT_KEEP_BYTES:
		return parse_size(arg, 0, UINT64_MAX / 2, &a->keep_bytes) ? NULL :
		       "--keep-bytes takes a size like 500M or 4G, or 0 for no limit";
	case FLIGHT_EXEC:
		a->exec = arg;
		return *arg ? NULL : "--exec takes a command";
	default:
		a->socket = arg;
		return *arg ? NULL : "--socket takes a path";
	}
}
