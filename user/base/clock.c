// SPDX-License-Identifier: Apache-2.0
/* clock: see clock.h. */
#define _GNU_SOURCE
#include "base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define SECOND 1000000000

/* What our time namespace adds to the machine's CLOCK_MONOTONIC, ns. */
static int64_t namespace_adds;

/* A line "monotonic SECONDS NANOSECONDS"; a kernel without time namespaces has no such file. */
static void read_namespace(void)
{
	FILE *f = fopen("/proc/self/timens_offsets", "re");
	int64_t s, ns;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "monotonic %" SCNd64 " %" SCNd64, &s, &ns) == 2)
			namespace_adds = s * SECOND + ns;
	if (f)
		fclose(f);
}

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_namespace);
	return read_clock(CLOCK_MONOTONIC) - (uint64_t)namespace_adds;
}

uint64_t wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

void sleep_ns(long ns)
{
	struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}
