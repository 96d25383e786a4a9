// SPDX-License-Identifier: Apache-2.0
/* flight_options: the options of `gotap record` that are about --flight. options.c calls it. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "cmd/record/flight.h"
#include "cmd/parse.h"

/*
 * Limits of the size of the history, bytes. It keeps at least one generation, and a generation is
 * at least a quarter of it.
 */
static const uint64_t SIZE_MIN = 1 << 20, SIZE_MAX_ = 1ULL << 40;

static const char *take_flight(void *args, const char *arg)
{
	_cleanup_free_ char *time = xstrdup(arg);
	char *size = strchr(time, ',');
	struct flight_args *a = args;

	if (size)
		*size++ = 0;
	if (!parse_duration(time, &a->time) ||
	    (size && !parse_size(size, SIZE_MIN, SIZE_MAX_, &a->size)))
		return "takes a time, and the most memory for it, of 1M or more: 30s or 30s,64M";
	return NULL;
}

static const char *flight_take_on(void *list, const char *arg)
{
	return on_add(list, arg);
}

static const char *take_keep_bytes(void *bytes, const char *arg)
{
	return parse_size(arg, 0, UINT64_MAX / 2, bytes) ?
		       NULL :
		       "takes a size like 500M or 4G, or 0 for no limit";
}

#define FIELD(name) offsetof(struct flight_args, name)

const struct option_row flight_rows[] = {
	OPTION(0, "flight", "TIME[,SIZE]", OPTION_TAKE, 0,
	  "keep the last TIME in memory, in at most SIZE (default 256M), and write it "
	  "when something happens: SIGUSR1 to gotap, `gotap snap` (docs/flight.md). "
	  "-o is a pattern then: %p is the process id, %t the time, %n the number of "
	  "the snapshot, which it needs; %e the program (default gotap-%p-%t-%n.trace)",
	  .take = take_flight),
	OPTION(0, "on", "TRIGGER", OPTION_TAKE, FIELD(on),
	  "write a snapshot also when TRIGGER becomes true; can "
	  "be given several times; --on help lists triggers "
	  "(docs/triggers.md)", .take = flight_take_on),
	OPTION(0, "on-label", "KEY=VALUE", OPTION_TAKE, FIELD(on.labels),
	  "of --on about goroutines and requests, those with this profiler label alone; * and ? in "
	  "VALUE are as in a shell; several: all of them", .take = option_add_label),
	OPTION(0, "before", "TIME", OPTION_MOMENT, FIELD(before),
	  "a snapshot begins TIME before that moment (default: all that is kept)"),
	OPTION(0, "after", "TIME", OPTION_MOMENT, FIELD(after),
	  "and ends TIME after it (default 0; 1s with a trigger about a wait)"),
	OPTION(0, "cooldown", "TIME", OPTION_MOMENT, FIELD(cooldown),
	  "for TIME after a snapshot triggers write no other one (default 10s)"),
	OPTION(0, "keep", "N", OPTION_NUMBER, FIELD(keep),
	  "delete the oldest snapshots beyond N (default 32; 0: keep all)", .max = 1000000,
	  .want = "takes a number of snapshots, or 0 for all"),
	OPTION(0, "keep-bytes", "SIZE", OPTION_TAKE, FIELD(keep_bytes),
	  "also delete the oldest while all together have "
	  "more than SIZE bytes (default 4G; 0: no limit)",
	  .take = take_keep_bytes),
	OPTION(0, "exec", "CMD", OPTION_TAKE, FIELD(exec),
	  "after each snapshot the shell runs CMD, with its name as last argument",
	  .take = option_take_some),
	OPTION(0, "socket", "PATH", OPTION_TAKE, FIELD(socket),
	  "listen at PATH for `gotap snap --socket PATH` (default: a name by process id)",
	  .take = option_take_some),
	OPTION(0, "peers", "URL,...", OPTION_TAKE, FIELD(peers),
	  "when a trigger makes a snapshot, ask the flight recordings of other hosts for one, "
	  "too: http://HOST[:PORT] of their `gotap serve` (docs/flight.md)",
	  .take = option_take_some),
	OPTION(0, "peer-token", "FILE", OPTION_TAKE, FIELD(peer_token),
	  "with --peers: the token that they want is in that file, which only its owner may read",
	  .take = option_take_some),
	{0},
};

void flight_given(struct flight_args *a, const struct option_row *row)
{
	const struct option_row *r;

	for (r = flight_rows; r->kind; r++)
		if (r == row && r != flight_rows && !a->only)
			a->only = r->name;
}
